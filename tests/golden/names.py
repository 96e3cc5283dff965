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

# Fields that are no longer there, each with the reason.
DROPPED: dict[str, str] = {}
