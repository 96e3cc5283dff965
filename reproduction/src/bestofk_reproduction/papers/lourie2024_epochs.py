"""Lourie et al. 2024: the effect of the number of epochs, Figures 4, 17 and 20."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk_reproduction.figures import Figure, Panel, one_row
from bestofk_reproduction.papers.lourie2024_deberta import (
    band_marks,
    band_table,
    draw_some,
    evidence_of,
    paper_band,
    paper_comparison,
    search_of,
    some_of,
)
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere

DEFAULT_EPOCHS = 3


def _epochs(run: Run, n: int, n_draws: int) -> Numbers:
    """Compare tuning the number of epochs with leaving it at its default, at equal cost."""
    whole = search_of(run, "debertav3")
    three = np.flatnonzero(np.array(whole.params["epochs"]) == DEFAULT_EPOCHS)
    rng = np.random.default_rng(run.seed)
    k = np.linspace(3.0, 15.0, 121)
    for_default, for_tuning, leads, duels = [], [], [], []
    for _ in range(n_draws):
        parts = {
            "tuned": draw_some(whole, n, rng),
            "default": some_of(whole, rng.choice(three, n, replace=False)),
        }
        duels.append(paper_comparison(parts, "cost"))
        t = evidence_of(duels[-1], k)
        for_default.append(float(((t["level"] > 0) & (t["lead"] < 0)).mean()))
        for_tuning.append(float(((t["level"] > 0) & (t["lead"] > 0)).mean()))
        leads.append(float((t["lead"] < 0).mean()))
    seen = np.array(for_default) >= 0.05
    against = np.array(for_tuning) >= 0.05
    shown = duels[int(seen.argmax())]  # the first with evidence for the default
    all_of_it = paper_comparison({"tuned": whole, "default": some_of(whole, three)}, "cost")
    everything = evidence_of(all_of_it, k)
    tables: dict[str, Any] = {"all_trials": everything}
    for key, band, unit in zip(("tuned", "default"), shown.bands, shown.unit_costs, strict=True):
        budgets = np.geomspace(3.0, 6.0 * n / 4, 200) / unit
        tables[key] = band_table(paper_band(band.scores, budgets), unit)
    gap = np.abs(tables["tuned"]["estimate"] - tables["default"]["estimate"])
    remark = (
        f"of {n_draws} pairs of samples of {n}, {100 * seen.mean():.0f} % show weak evidence for "
        f"the default on a twentieth of the axis up to 15 epochs, {100 * against.mean():.0f} % "
        "for tuning; shown is the first that does for the default"
    )
    return Numbers(
        figures={
            "trials": n,
            "draws": n_draws,
            "share_with_evidence_for_default": float(seen.mean()),
            "share_with_evidence_for_tuning": float(against.mean()),
            "mean_lead_of_default": float(np.mean(leads)),
            "largest_gap_of_estimates_shown": float(gap.max()),
            "mean_epochs_when_tuned": shown.unit_costs[0],
        },
        tables=tables,
        remarks=[remark],
    )


def _judge_epochs(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables["all_trials"]
    weak = (t["level"] > 0) & (t["lead"] < 0)
    strong = t["level"] == 3
    return [
        everywhere("all trials: weak evidence or more for the default up to 15 epochs", weak, 0.3),
        at_most("and nowhere strong: share", strong.mean(), 0.0),
        at_least(
            "samples with evidence for the default", f["share_with_evidence_for_default"], 0.1
        ),
        at_most(
            "samples with evidence for tuning, per one for the default",
            f["share_with_evidence_for_tuning"] / max(f["share_with_evidence_for_default"], 1e-9),
            0.5,
        ),
        at_least(
            "share of the axis on which the default leads, mean", f["mean_lead_of_default"], 0.55
        ),
    ]


def _draw_epochs(numbers: Numbers) -> Figure:
    names = {"tuned": "tuning epochs (1-4)", "default": "default (3)"}
    n = numbers.figures["trials"]
    return one_row(
        Panel(
            title=f"DeBERTaV3, n = {n} each, 80 %",
            x_label="search iterations × mean epochs",
            y_label="accuracy",
            marks=band_marks(numbers.tables, names),
            log_x=True,
            y_limits=(0.875, 0.915),
        )
    )


def _fig17(run: Run) -> Numbers:
    whole = search_of(run, "debertav3")
    epochs = np.array(whole.params["epochs"])
    parts = {f"epochs {e}": some_of(whole, np.flatnonzero(epochs == e)[:245]) for e in (1, 2, 3, 4)}
    duel = paper_comparison(parts, "trials")
    budgets = np.geomspace(1, 40, 200)
    tables: dict[str, Any] = {}
    figures: dict[str, Any] = {"trials": min(p.n for p in parts.values())}
    k = np.linspace(1.0, 0.999 * min(b.reach for b in duel.bands), 200)
    for e, band in zip((1, 2, 3, 4), duel.bands, strict=True):
        tables[f"epochs{e}"] = band_table(paper_band(band.scores, budgets))
        if e != DEFAULT_EPOCHS:
            pair = duel.pair(f"epochs {e}", f"epochs {DEFAULT_EPOCHS}")
            level, lead = pair.evidence_at(k), pair.leader_at(k)
            worse = lead == f"epochs {DEFAULT_EPOCHS}"
            figures[f"share_fair_below_three_{e}"] = float(
                (np.isin(level, ["fair", "strong"]) & worse).mean()
            )
            figures[f"share_any_evidence_{e}"] = float((level != "none").mean())
    return Numbers(figures=figures, tables=tables)


def _judge17(numbers: Numbers) -> list[Check]:
    f = numbers.figures
    return [
        at_least(
            "1 epoch: fair evidence or more that it is below 3", f["share_fair_below_three_1"], 0.9
        ),
        at_least(
            "2 epochs: the same, on a share of the axis of", f["share_fair_below_three_2"], 0.4
        ),
        at_least("2 epochs: evidence of any kind", f["share_any_evidence_2"], 0.8),
        at_most(
            "4 epochs: evidence of any kind that 3 and 4 differ", f["share_any_evidence_4"], 0.2
        ),
    ]


def _draw17(numbers: Numbers) -> Figure:
    names = {f"epochs{e}": f"{e} epochs" for e in (1, 2, 3, 4)}
    return one_row(
        Panel(
            title="DeBERTaV3, n = 245 each, 80 %",
            x_label="search iterations",
            y_label="accuracy",
            marks=band_marks(numbers.tables, names),
            log_x=True,
            y_limits=(0.87, 0.915),
        )
    )


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig4",
        title="Tuning the epochs against their default, 48 iterations",
        claim="Adjusted for compute, there is weak evidence that the default wins over tuning the "
        "epochs.",
        compute=lambda run: _epochs(run, 48, 400 if run.full else 100),
        judge=_judge_epochs,
        draw=_draw_epochs,
    ),
    Reproduction(
        id="lourie2024-fig17",
        title="The effect of epochs, 245 iterations each",
        claim="1 or 2 epochs are too few, while 3 or 4 appear to be enough.",
        compute=_fig17,
        judge=_judge17,
        draw=_draw17,
    ),
    Reproduction(
        id="lourie2024-fig20",
        title="Tuning the epochs against their default, 245 iterations",
        claim="The tighter bands agree: weak evidence that the default beats tuning the epochs "
        "initially, with a small difference.",
        compute=lambda run: _epochs(run, 245, 400 if run.full else 100),
        judge=_judge_epochs,
        draw=_draw_epochs,
    ),
]
