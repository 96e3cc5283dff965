"""What 0.1.0 called by another name: one table for the comparison here and for CHANGELOG.md."""

from __future__ import annotations

# Fields of results, as JSON, data frames and CSV have them.
FIELDS = {
    "budgets": "budget",
    "values": "estimate",
    "errors": "error",
    "method": "band",
    "n_orders": "n_resamples",
    "n_simulations": "n_resamples",
    "seed": "rng",
    "scores": "score",
}
# Where a kind of result has another name for the same old one.
FIELDS_OF = {
    "cdf-band": {"values": "value"},
    "width": {"method": "label"},
    "study": {"seed": "seed", "budgets": "budgets"},
}

# Options of the command line.
OPTIONS = {"--simulations": "--resamples", "--method": "--band", "--kind": "--band"}

# Commands that make bands: those of 0.1.0 hold at all real budgets.
BANDED = ("compare", "plan", "power", "study reach", "study width", "study coverage")

# Fields that are no longer there, each with the reason.
DROPPED: dict[str, str] = {
    "costs_known": "replaced by unit_costs and cost_limit; JSON has cost_basis",
    "crossings": "an end is given only where both sides are certified",
}

# Cases whose numbers were not right, or not what is now asked: each with the reason.
CHANGED: dict[str, str] = {
    "compare-cost": "nothing is certified at estimated mean costs; only whole trials are bought",
    "compare-known": "only whole trials are bought",
    "monitor-two": "whole budgets between those given are looked at too",
    "power-trials": "each pilot has its own random stream, whichever comes first",
    "power-wanted": "each pilot has its own random stream, whichever comes first",
    "power": "each pilot has its own random stream, whichever comes first",
    "variability": "resampling overstated how often a tuning repeats its choice",
    "recommend": "what it promises is an upper limit of the expected loss",
    "importance-gamma": "exact intervals at one budget, jointly over values and hyperparameters",
    "importance-forest": "exact intervals at one budget, jointly over values and hyperparameters",
    "importance": "exact intervals at one budget, jointly over values and hyperparameters",
    "importance-one": "exact intervals at one budget, jointly over values and hyperparameters",
}
