"""Lourie et al. 2024: DeBERTa and DeBERTaV3 on MultiNLI, Figures 2, 3, 18, 19."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import Axis, BandKind, FloatArray
from bestofk.comparison.compare import compare
from bestofk.comparison.comparison import Comparison
from bestofk.curves.band import Band
from bestofk.curves.make_band import tuning_band
from bestofk.curves.tuning import make_curve
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.subset import subset
from bestofk_reproduction.data import deberta
from bestofk_reproduction.figures import Area, Figure, Line, Mark, Panel, one_row
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere

CONFIDENCE = 0.8
HD: BandKind = "ld-highest-density"


def search_of(run: Run, model: str) -> Search:
    """Return all 1,024 trials of a model, matched accuracy as the score."""
    return deberta(run.path(f"deberta_mnli/{model}.csv"))


def some_of(search: Search, places: NDArray[Any]) -> Search:
    """Return the trials at the given places."""
    inside = np.zeros(search.n, dtype=bool)
    inside[places] = True
    return subset(search, inside)


def draw_some(search: Search, n: int, rng: np.random.Generator) -> Search:
    """Draw n trials without replacement."""
    return some_of(search, rng.choice(search.n, n, replace=False))


def paper_band(scores: Search | Scores, budgets: FloatArray) -> Band:
    """Return the paper's band: 80 % highest density LD for the median tuning curve."""
    return tuning_band(
        scores,
        confidence=CONFIDENCE,
        statistic="median",
        band=HD,
        simultaneous="real",
        budgets=budgets,
    )


def paper_comparison(searches: Mapping[str, Search], axis: Axis) -> Comparison:
    """Compare searches with the paper's bands."""
    options: dict[str, Any] = {
        "confidence": CONFIDENCE,
        "statistic": "median",
        "band": HD,
        "simultaneous": "real",
    }
    if axis == "trials":
        return compare(searches, **options)
    # As the paper does: mean costs as if they were known, and fractions of trials.
    means = {label: search.scores().mean_cost or 1.0 for label, search in searches.items()}
    found = compare(searches, axis="cost", unit_costs=means, **options)
    units = tuple(replace(unit, whole=False) for unit in found.units)
    curves = tuple(
        make_curve(c.scores, c.statistic, c.estimator, c.of, found.budgets / unit.cost)
        for c, unit in zip(found.curves, units, strict=True)
    )
    return replace(found, units=units, curves=curves)


def band_table(band: Band, unit: float = 1.0) -> dict[str, FloatArray]:
    """Return a band as columns, with budgets in units of which one trial costs `unit`."""
    return {
        "budgets": band.budgets * unit,
        "estimate": np.array(band.estimate),
        "lower": np.array(band.lower),
        "upper": np.array(band.upper),
    }


def band_marks(
    tables: dict[str, dict[str, FloatArray]], names: dict[str, str], *, colours: int = 0
) -> list[Mark]:
    """Return the lines and areas of bands, given as tables, with the names for the legend."""
    marks: list[Mark] = []
    for i, (key, name) in enumerate(names.items()):
        t, colour = tables[key], colours + i
        marks.append(
            Area(x=t["budgets"], lower=t["lower"], upper=t["upper"], colour=colour, step=True)
        )
        marks.append(
            Line(x=t["budgets"], y=t["estimate"], label=name, colour=colour, dash=i, step=True)
        )
    return marks


def _one(run: Run, n: int, budgets: FloatArray) -> Numbers:
    """Compute the band of DeBERTaV3 from n of its trials."""
    whole = search_of(run, "debertav3")
    some = whole if n == whole.n else draw_some(whole, n, np.random.default_rng(run.seed))
    band, best = paper_band(some, budgets), paper_band(whole, budgets)
    table = {**band_table(band), "all_trials": np.array(best.estimate)}
    figures = {f"estimate_at_{k}": float(band.at(float(k)).estimate) for k in (1, 2, 6, 12, 24)}
    return Numbers(
        figures={"trials": n, "reach": band.reach, "best": some.scores().best, **figures},
        tables={"band": table},
        remarks=[]
        if n == whole.n
        else [
            "the paper's 48 iterations are not published: ours are another draw from the same 1,024"
        ],
    )


def _judge2(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables["band"]
    inside = (t["lower"] <= t["all_trials"]) & (t["all_trials"] <= t["upper"])
    return [
        at_least("accuracy at two rounds", f["estimate_at_2"], 0.89),
        at_least("at six", f["estimate_at_6"], 0.90),
        at_most(
            "what is left to gain after six, within these trials",
            f["best"] - f["estimate_at_6"],
            0.005,
        ),
        at_least("gained from one round to six", f["estimate_at_6"] - f["estimate_at_1"], 0.005),
        everywhere("the band holds the curve of all 1,024 trials", inside),
    ]


def _draw_one(numbers: Numbers) -> Figure:
    n = numbers.figures["trials"]
    marks = band_marks({"b": numbers.tables["band"]}, {"b": "DeBERTaV3"})
    return one_row(
        Panel(
            title=f"Median tuning curve, n = {n}, 80 %",
            x_label="search iterations",
            y_label="accuracy",
            marks=marks,
            log_x=n > 100,
            y_limits=(0.88, 0.915) if n > 100 else (0.86, 0.92),
        )
    )


def _judge18(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables["band"]
    late = float(t["estimate"][-1])
    return [
        at_least("accuracy at six iterations", f["estimate_at_6"], 0.90),
        at_least(
            "gained from one iteration to six", f["estimate_at_6"] - f["estimate_at_1"], 0.005
        ),
        at_most("gained from 12 to 24", f["estimate_at_24"] - f["estimate_at_12"], 0.0015),
        at_least(
            "and yet it rises slowly, from 24 to the end by", late - f["estimate_at_24"], 0.0002
        ),
        at_most("which is no more than", late - f["estimate_at_24"], 0.003),
    ]


def evidence_of(duel: Comparison, k: FloatArray) -> dict[str, Any]:
    """Return the level of evidence at each budget, and which of two methods leads."""
    pair = duel.pairs[0]
    level, lead = pair.evidence_at(k), pair.leader_at(k)
    return {
        "budgets": k,
        "level": np.array([("none", "weak", "fair", "strong").index(e) for e in level], float),
        "lead": (lead == duel.labels[0]).astype(float) - (lead == duel.labels[1]),
    }


def _strong(run: Run, n: int, top: float) -> Numbers:
    """Compare the two models on n trials each."""
    rng = np.random.default_rng(run.seed)
    searches = [search_of(run, m) for m in ("debertav3", "deberta")]
    count = 1 if n == searches[0].n else 400 if run.full else 100
    shares, tables, reach = [], {}, 0.0
    for i in range(count):
        some = [s if n == s.n else draw_some(s, n, rng) for s in searches]
        duel = paper_comparison({s.label: s for s in some}, "trials")
        reach = min(b.reach for b in duel.bands)
        table = evidence_of(duel, np.linspace(1.0, reach * 0.999, 200))
        shares.append(float(((table["level"] == 3) & (table["lead"] > 0)).mean()))
        if i == 0:
            budgets = np.unique(np.geomspace(1, top, 200)) if top > 100 else np.arange(1.0, top + 1)
            for key, band in zip(("v3", "base"), duel.bands, strict=True):
                tables[key] = band_table(paper_band(band.scores, budgets))
            tables["evidence"] = table
    remark = (
        f"beyond {reach:.0f} trials, the reach of {n}, the upper sides are trivial and no evidence "
        "can be strong: 'all budgets' means up to there"
    )
    return Numbers(
        figures={
            "trials": n,
            "draws": count,
            "reach": reach,
            "strong_share": shares[0],
            "smallest_strong_share": min(shares),
        },
        tables=tables,
        remarks=[remark],
    )


def _judge_strong(numbers: Numbers) -> list[Check]:
    f, t = numbers.figures, numbers.tables
    both = t["v3"]["estimate"] > t["base"]["estimate"]
    e = t["evidence"]
    strong = (e["level"] == 3) & (e["lead"] > 0)
    return [
        everywhere("evidence for DeBERTaV3 is strong, up to the reach", strong, 0.95),
        at_least("the smallest such share over all draws", f["smallest_strong_share"], 0.75),
        everywhere("its estimate is above at every budget", both),
    ]


def _draw_strong(numbers: Numbers) -> Figure:
    names = {"v3": "DeBERTaV3", "base": "DeBERTa"}
    n = numbers.figures["trials"]
    return one_row(
        Panel(
            title=f"Median tuning curves, n = {n}, 80 %",
            x_label="search iterations",
            y_label="accuracy",
            marks=band_marks(numbers.tables, names),
            log_x=n > 100,
            y_limits=(0.84, 0.92),
        )
    )


REPRODUCTIONS = [
    Reproduction(
        id="lourie2024-fig2",
        title="Median tuning curve of DeBERTaV3 from 48 iterations",
        claim="DeBERTaV3 has high accuracy after only 2 to 6 rounds of search.",
        compute=lambda run: _one(run, 48, np.arange(1.0, 49)),
        judge=_judge2,
        draw=_draw_one,
    ),
    Reproduction(
        id="lourie2024-fig3",
        title="DeBERTaV3 against DeBERTa, 48 iterations",
        claim="There is strong evidence that DeBERTaV3 beats DeBERTa for all budgets.",
        compute=lambda run: _strong(run, 48, 20),
        judge=_judge_strong,
        draw=_draw_strong,
    ),
    Reproduction(
        id="lourie2024-fig18",
        title="Median tuning curve of DeBERTaV3 from 1,024 iterations",
        claim="High performance comes after six or so iterations; it more or less saturates after "
        "12 to 24 and rises very slowly into the hundreds.",
        compute=lambda run: _one(run, 1024, np.unique(np.geomspace(1, 400, 300).round())),
        judge=_judge18,
        draw=_draw_one,
    ),
    Reproduction(
        id="lourie2024-fig19",
        title="DeBERTaV3 against DeBERTa, 1,024 iterations",
        claim="With all 1,024 iterations the result remains: DeBERTaV3 beats DeBERTa.",
        compute=lambda run: _strong(run, 1024, 400),
        judge=_judge_strong,
        draw=_draw_strong,
    ),
]
