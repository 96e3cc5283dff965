"""Dodge et al. 2021, Figures 2 and 3, on our own searches of the CNN and the LBoE on SST-5."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bestofk._base.types import Estimator, FloatArray
from bestofk.curves.tuning import tuning_curve
from bestofk.numeric.order import weights
from bestofk.scores.search import Search
from bestofk.studies.result import clopper_pearson
from bestofk_reproduction.figures import Area, Figure, Line, Mark, Panel, one_row
from bestofk_reproduction.reproduction import Run
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere

ESTIMATORS: tuple[Estimator, ...] = ("u", "v", "w")
N_SAMPLES = 50_000  # as in the paper


def compare_estimators(
    cnn: Search, lboe: Search, run: Run, *, n_samples: int = N_SAMPLES
) -> Numbers:
    """Count wrong conclusions about two searches, of which the first is the better: Figure 2.

    A conclusion from B trials of each is wrong if it is strictly the opposite of what the same
    estimator concludes from all trials at the budget B.  Equal estimates are counted separately.
    """
    budgets = np.arange(15.0, 31)
    scores = [s.scores().values for s in (cnn, lboe)]
    leads = {
        e: np.subtract(*(
            tuning_curve(s, statistic="mean", estimator=e, budgets=budgets).estimate
            for s in (cnn, lboe)
        ))
        for e in ESTIMATORS
    }  # fmt: skip
    tables = {}
    for name, replace in (("wrong", True), ("without", False)):
        rng = np.random.default_rng([run.seed, replace])
        tables[name] = _count(scores, leads, budgets, n_samples, rng, replace=replace)
    t = tables["wrong"]
    names = ", ".join(f"{s.label} ({s.n} trials)" for s in (cnn, lboe))
    shares = ", ".join(f"{e.upper()} {100 * t[f'share_{e}'].mean():.2g} %" for e in ESTIMATORS)
    return Numbers(
        figures={
            "samples": n_samples,
            "first_is_better": all(bool((lead > 0).all()) for lead in leads.values()),
            "smallest_lead": float(min(lead.min() for lead in leads.values())),
            **{f"share_{e}": float(t[f"share_{e}"].mean()) for e in ESTIMATORS},
            **{f"share_{e}_without_replacement": float(tables["without"][f"share_{e}"].mean())
               for e in ESTIMATORS},
            **{f"ties_{e}": float(t[f"ties_{e}"].mean()) for e in ESTIMATORS},
        },
        tables=tables,
        remarks=[
            f"our own searches stand for the paper's, which are not published: {names}",
            f"wrong on average over B = 15..30, of {n_samples:,} pairs of samples each: {shares}; "
            "ties (equal estimates) are not wrong, and are reported beside them",
            *(_exceptions(t, e) for e in ("v", "w")),
            "the paper's own best scores (CNN 41.3, LBoE 42.7) contradict its Figure 3",
        ],
    )  # fmt: skip


def _exceptions(t: dict[str, FloatArray], e: Estimator) -> str:
    """Return a sentence naming the budgets at which U does not err more often than another."""
    where = t["budgets"][t["share_u"] <= t[f"share_{e}"]].astype(int)
    places = ", ".join(map(str, where))
    return f"U errs more often than {e.upper()} " + (
        f"except at B = {places}" if where.size else "at every B"
    )


def _count(
    scores: list[FloatArray],
    leads: dict[Estimator, FloatArray],
    budgets: FloatArray,
    n_samples: int,
    rng: np.random.Generator,
    *,
    replace: bool,
) -> dict[str, FloatArray]:
    table: dict[str, list[float]] = {"budgets": budgets.tolist()}
    for place, size in enumerate(budgets.astype(int)):
        samples = [
            np.sort(values[_drawn(len(values), n_samples, size, rng, replace=replace)], axis=1)
            for values in scores
        ]
        for e in ESTIMATORS:
            weight = weights(int(size), budgets[[place]], e)[0]
            gap = (samples[0] - samples[1]) @ weight
            gap[np.abs(gap) < 1e-12] = 0  # equal but for rounding
            wrong = int(np.count_nonzero(np.sign(gap) == -np.sign(leads[e][place])))
            low, high = clopper_pearson([wrong], n_samples)
            for name, value in (
                ("share", wrong / n_samples),
                ("lower", low[0]),
                ("upper", high[0]),
                ("ties", float((gap == 0).mean())),
            ):
                table.setdefault(f"{name}_{e}", []).append(float(value))
    return {name: np.array(column) for name, column in table.items()}


def _drawn(
    n: int, count: int, size: int, rng: np.random.Generator, *, replace: bool
) -> NDArray[np.intp]:
    """Return the indices of `count` samples of `size` out of `n`."""
    if replace:
        return rng.integers(n, size=(count, size))
    if size * size > n:  # most samples would contain a repeat: shuffle everything
        shuffled = rng.permuted(np.broadcast_to(np.arange(n), (count, n)), axis=1)
        return shuffled[:, :size]
    places = rng.integers(n, size=(count, size))
    again = np.arange(count)
    while again.size:  # samples with a repeat are drawn again
        ordered = np.sort(places[again], axis=1)
        again = again[(np.diff(ordered, axis=1) == 0).any(axis=1)]
        places[again] = rng.integers(n, size=(again.size, size))
    return places


def judge2(numbers: Numbers) -> list[Check]:
    """Check that U errs more often than V and W, and by more than chance."""
    t, n = numbers.tables["wrong"], numbers.figures["samples"]
    u, v, w = (t[f"share_{e}"] for e in ESTIMATORS)
    return [
        everywhere("U draws the wrong conclusion more often than V, at every B", u > v),
        everywhere("and more often than W", u > w),
        at_least("U's excess over V, over all B, in standard errors", _excess(u, v, n), 3.0),
        at_least("U's excess over W, over all B, in standard errors", _excess(u, w, n), 3.0),
        Check(
            "by every estimator on all trials the first model is the better one",
            float(numbers.figures["smallest_lead"]),
            "the CNN leads",
            bool(numbers.figures["first_is_better"]),
        ),
    ]


def _excess(u: FloatArray, other: FloatArray, n: int) -> float:
    """Return the mean excess in standard errors; the shared samples make these too large."""
    variance = np.maximum(u * (1 - u) + other * (1 - other), 1 / n) / n
    return float((u - other).sum() / np.sqrt(variance.sum()))


def draw2(numbers: Numbers) -> Figure:
    """Draw the shares of wrong conclusions, with and without replacement."""
    panels = []
    for name, title in (("wrong", "with replacement"), ("without", "without replacement")):
        t = numbers.tables[name]
        marks: list[Mark] = []
        for i, e in enumerate(ESTIMATORS):
            low, high = t[f"lower_{e}"], t[f"upper_{e}"]
            marks.append(Area(x=t["budgets"], lower=low, upper=high, colour=i))
            marks.append(Line(x=t["budgets"], y=t[f"share_{e}"], label=e.upper(), colour=i, dash=i))
        panels.append(
            Panel(
                title=f"n = B, {title}",
                x_label="budget B",
                y_label="share of wrong conclusions",
                marks=marks,
            )
        )
    return one_row(*panels)


def curves_of(cnn: Search, lboe: Search, n: int = 100) -> Numbers:
    """Estimate the mean curves of two searches with U, V and W, from `n` trials each: Figure 3."""
    n = min(n, cnn.n, lboe.n)
    budgets = np.arange(1.0, n + 1)
    values = {"cnn": cnn.scores().values[:n], "lboe": lboe.scores().values[:n]}
    table: dict[str, FloatArray] = {"budgets": budgets}
    for name, first in values.items():
        for e in ESTIMATORS:
            table[f"{name}_{e}"] = np.array(
                tuning_curve(first, statistic="mean", estimator=e, budgets=budgets).estimate
            )
    spread = max(
        float(np.ptp([table[f"{m}_{e}"] for e in ESTIMATORS], axis=0).max())
        for m in ("cnn", "lboe")
    )
    scale = float(np.concatenate(list(values.values())).std(ddof=1))
    return Numbers(
        figures={"trials": n, "largest_difference_of_estimators": spread, "sd_of_scores": scale},
        tables={"curves": table},
        remarks=[
            "the paper's own Tables 2 and 3 give the CNN a best validation accuracy of 41.3 and "
            "the LBoE 42.7, against its Figure 3, where the CNN is above the LBoE at every n"
        ],
    )


def judge3(numbers: Numbers) -> list[Check]:
    """Check that the estimators agree and that the CNN leads at every n."""
    t, f = numbers.tables["curves"], numbers.figures
    checks = [
        everywhere(
            f"{e.upper()}: the CNN is above the LBoE for all n", t[f"cnn_{e}"] > t[f"lboe_{e}"]
        )
        for e in ESTIMATORS
    ]
    ratio = f["largest_difference_of_estimators"] / f["sd_of_scores"]
    return [*checks, at_most("largest gap between estimators, in SDs of the scores", ratio, 0.1)]


def draw3(numbers: Numbers) -> Figure:
    """Draw a panel for each estimator."""
    t = numbers.tables["curves"]
    panels = [
        Panel(
            title=e.upper(),
            x_label="budget n",
            y_label="expected validation accuracy",
            marks=[
                Line(x=t["budgets"], y=t[f"{m}_{e}"], label=m.upper(), colour=i, dash=i)
                for i, m in enumerate(("cnn", "lboe"))
            ],
        )
        for e in ESTIMATORS
    ]
    return one_row(*panels)
