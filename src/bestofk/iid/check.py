"""Are the trials independent draws from one search distribution?  What the data can tell."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, Validity
from bestofk._base.chart.data import Chart, Line, Series
from bestofk._base.result import Drawn
from bestofk._base.text import capital, format_number, text_table
from bestofk._base.types import Direction, FloatArray
from bestofk.errors import ArgumentError
from bestofk.iid.evidence import tests_of
from bestofk.numeric import columns
from bestofk.scores.convert import as_scores
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.subset import name_params
from bestofk.scores.trial import STATES, Sampling

Verdict: TypeAlias = Literal["consistent with IID", "not IID", "cannot tell"]

_LIMITS = Caveat(
    kind="no-proof",
    text="a check that passes is no proof: it cannot see what leaves no trace in the order of the "
    "trials, their repeats or what is declared about them",
)
_WEIGHTS = Caveat(
    kind="weights-ignored", text="the scores carry weights, which the check does not look at"
)
_NOT_DECLARED = Caveat(
    kind="sampling-undeclared",
    text="how the trials were drawn is not declared, and cannot be proved from them",
)
_NO_PARAMS = Caveat(
    kind="scores-only", text="no hyperparameters to look at: only the scores were tested"
)
_RUNNING = Caveat(
    kind="running",
    text="trials are still running; without costs it cannot be told whether the finished ones "
    "favour cheap settings",
)
_SAMPLING = "declared sampling"
_KNOWN: dict[Sampling, str] = {
    "iid": "declared as independent draws",
    "without-replacement": (
        "known to be drawn without replacement (a grid or a list): not independent draws"
    ),
    "adaptive": "known to be adaptive: later settings depend on earlier scores",
    "unknown": "not known",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class IIDCheck(
    Drawn,
    facts="label n direction sampling verdict passed findings false_alarm level rng",
    columns="test=tests p_value=p_values flagged explanation=explanations",
):
    """What speaks against the trials of a search being independent draws from one distribution.

    Attributes
    ----------
    verdict : {"consistent with IID", "not IID", "cannot tell"}
        "cannot tell" where no test could have found anything (too few trials, all equal).
    findings : tuple of str
        What the verdict rests on, in words.
    tests, p_values, flagged, explanations : array
        One entry per test.  A p-value is infinite (null in JSON) for what is only reported.
    level : float
        A test is flagged if its p-value is at most this: `false_alarm` over the tests that ran.
    false_alarm : float
        How often independent draws are flagged by any of the tests, at most.
    n : int
        The number of trials.
    sampling : str
        How the trials are declared, or known from their records, to have been drawn.
    rng : int
        Seed of the random orders.
    numbers, scores : array
        The trials in start order, for a figure; NaN for a score that is missing.
    metric : str
        What the scores are called.
    caveats : tuple of Caveat
        What a reader has to know.
    """

    verdict: Verdict
    findings: tuple[str, ...]
    tests: NDArray[np.str_]
    p_values: FloatArray
    flagged: NDArray[np.bool_]
    explanations: NDArray[np.str_]
    level: float
    false_alarm: float
    label: str
    n: int
    direction: Direction
    sampling: Sampling
    rng: int
    numbers: FloatArray
    scores: FloatArray
    metric: str
    caveats: tuple[Caveat, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was flagged."""
        return self.verdict != "not IID"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"IIDCheck {self.label!r}: {self.verdict}, n = {self.n}, {self.direction}, "
            f"false alarm at most {format_number(100 * self.false_alarm)} %"
        )

    def table(self, *, every: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows, always `every` one; what is only reported has no p-value."""
        head, rows = super().table(every=True)
        return head, [[*row[:1], "" if row[1] == "inf" else row[1], *row[2:]] for row in rows]

    def _answers(self) -> list[str]:
        return [f"{capital(self.verdict)}: {'; '.join(self.findings)}."]

    def _standing(self) -> tuple[Validity, tuple[str, ...], str]:
        if not self.passed:
            return "void", (), "flagged"
        able = self.verdict != "cannot tell"
        return ("holds", (), "nothing flagged") if able else ("assumed", (), self.verdict)

    def chart(self) -> Chart:
        """Return the scores over the start order, and which tests were flagged."""
        missing = np.isnan(self.scores)
        series = [_dots(self.label, self.numbers[~missing], self.scores[~missing])]
        known = self.scores[np.isfinite(self.scores)]
        if missing.any() and known.size:
            worst = float(known.min() if self.direction == "maximize" else known.max())
            at = self.numbers[missing]
            series.append(_dots("no score (drawn at the worst)", at, np.full(at.size, worst)))
        flagged = [str(test) for test in self.tests[self.flagged]]
        return Chart(
            x_label="trial number",
            what=self.metric,
            series=tuple(series),
            log_x=False,
            said=f"flagged: {', '.join(flagged)}" if flagged else "nothing flagged",
        )

    def __repr__(self) -> str:
        head, rows = self.table()
        left = max(len(row[0]) for row in [head, *rows])
        aligned = [[row[0].ljust(left), *row[1:3]] for row in [head, *rows]]
        lines = text_table(aligned[0], aligned[1:])
        words = [head[3], *(row[3] for row in rows)]
        body = [f"{line}  {text}" for line, text in zip(lines, words, strict=True)]
        why = [f"- {finding}" for finding in self.findings]
        return "\n".join([self.title, *why, *body, *(f"! {c}" for c in self.caveats)])


def check_iid(
    search: ArrayLike | Scores | Search,
    *,
    false_alarm: float = 0.02,
    params: Iterable[str] | None = None,
    continuous: Iterable[str] = (),
    rng: int = 0,
) -> IIDCheck:
    """Look for signs that the trials are not independent draws from one search distribution.

    Truly random searches are flagged at most as often as `false_alarm` says, all tests together.

    Parameters
    ----------
    search : array_like, Scores or Search
        The trials in start order.  Of Scores or an array only the scores can be tested.
    false_alarm : float
        From 0.001 to 0.5; split evenly over the tests that can be run.
    params : sequence of str, optional
        The hyperparameters to look at; all if left out.  Leave out what was counted, not drawn,
        such as a running seed.
    continuous : sequence of str
        Hyperparameters known to be drawn from a continuous distribution: any repeat is flagged.
    rng : int
        Seed of the random permutations used for p-values when n > 7.

    Returns
    -------
    IIDCheck
        With `verdict`, `passed`, `findings`, a table of tests, `to_dict()` and `to_frame()`.

    Notes
    -----
    Independent draws are exchangeable, so every order of the trials is equally likely given what
    was drawn.  Tests of the order compare the one that came with others: a trend (ranks against
    start order, and how far from the middle rank), dependence between neighbours (serial rank
    correlation), equal settings at a fixed distance.  All parameters share one test, the largest of
    their standardised statistics; categories count by their more frequent levels.  p-values are
    exact or (1+g)/(1+B), so they hold at every size and with ties.  Two tests need no order:
    settings that repeat too evenly, and none that repeats in a space too small for that.

    The p-values hold over the choice of `rng`; for one seed the rate of false alarms realised is
    off by about a twentieth of itself.  The same call always gives the same answer.

    A failed or pruned trial counts as the worst score, a running one has none.

    Examples
    --------
    >>> check_iid([0.61, 0.64, 0.66, 0.69, 0.71, 0.74, 0.79, 0.83]).verdict
    'not IID'
    """
    search = _as_search(search)
    rate = arguments.as_float(false_alarm)
    if not 0.001 <= rate <= 0.5:
        raise ArgumentError(
            argument="false_alarm",
            must="lie between 0.001 and 0.5",
            got=arguments.short(false_alarm),
            remedy=_percent_hint(false_alarm),
        )
    seed = arguments.whole("rng", rng, least=0)
    chosen = _chosen("params", search.params if params is None else params, search)
    settings = {name: search.params[name] for name in chosen}
    certain = _chosen("continuous", continuous, search)

    tests = tests_of(search, settings)
    # 100 / level, see permutation_p.
    most = math.ceil(100 * max(1, len(tests)) / rate)
    found = [test.run(most, np.random.default_rng([seed, i])) for i, test in enumerate(tests)]
    level = rate / _tests_that_count([f.smallest for f in found], rate)
    declared_otherwise = search.sampling in ("adaptive", "without-replacement")
    rows = [_Row(_SAMPLING, math.inf, declared_otherwise, _KNOWN[search.sampling])]
    for test, (p, smallest) in zip(tests, found, strict=True):
        if p <= level:
            text = test.loud()
        else:
            text = "too few trials to tell" if smallest > level else test.quiet
        rows.append(_Row(test.name, p, p <= level, text))
    rows += [_repeated(name, search.params[name]) for name in certain]
    rows.append(_unfinished(search))
    verdict, findings = _verdict(rows, able=any(f.smallest <= level for f in found))
    names, p_values, flagged, texts = (
        arguments.fixed(np.array(column)) for column in zip(*rows, strict=True)
    )
    return IIDCheck(
        verdict=verdict,
        findings=findings,
        tests=names,
        p_values=p_values,
        flagged=flagged,
        explanations=texts,
        level=level,
        false_alarm=rate,
        label=search.label,
        n=search.n,
        direction=search.direction,
        sampling=search.sampling,
        rng=seed,
        numbers=arguments.fixed(search.numbers.astype(np.float64)),
        scores=arguments.fixed(
            np.where(search._in_state("complete"), search.metrics[search.metric], np.nan)
        ),
        metric=search.metric,
        caveats=_caveats(search, settings),
    )


def _dots(label: str, x: FloatArray, y: FloatArray) -> Series:
    kept = np.isfinite(y)
    return Series(line=Line(label=label, x=x[kept], y=y[kept], joined=False))


class _Row(NamedTuple):
    test: str
    p: float
    flagged: bool
    text: str


def _verdict(rows: Sequence[_Row], *, able: bool) -> tuple[Verdict, tuple[str, ...]]:
    """Return the verdict and what it rests on; `able` says whether a test could find anything."""
    if flagged := [row for row in rows if row.flagged]:
        said = ("" if row.test == _SAMPLING else f"{row.test}: " for row in flagged)
        return "not IID", tuple(f"{s}{row.text}" for s, row in zip(said, flagged, strict=True))
    if not able:
        return "cannot tell", ("too few trials that differ for any test to find anything",)
    n_tests = sum(math.isfinite(row.p) for row in rows)
    if n_tests > 1:
        return "consistent with IID", (f"none of {n_tests} tests finds a departure",)
    return "consistent with IID", ("the one test that could be run finds no departure",)


def _caveats(search: Search, settings: Mapping[str, Sequence[Any]]) -> tuple[Caveat, ...]:
    more = [_LIMITS]
    if search.sampling == "unknown":
        more.append(_NOT_DECLARED)
    if not settings:
        remedy = name_params(search) if len(search.metrics) > 1 else ""
        more.append(replace(_NO_PARAMS, remedy=remedy))
    if "running" in search.states and search.costs is None:
        more.append(_RUNNING)
    # What is known of the search takes nothing from what the check says of it.
    return (*(replace(c, validity="holds") for c in search.caveats), *more)


def _as_search(data: ArrayLike | Scores | Search) -> Search:
    if isinstance(data, Search):
        return data
    if isinstance(data, Mapping | str | os.PathLike):
        as_scores(data)  # raises, and says the way out
    if isinstance(data, Scores):
        own = [c for c in data.caveats if c.kind != f"sampling-{data.sampling}"]
        return Search(
            {"score": data.values},
            direction=data.direction,
            bounds=data.bounds,
            costs=data.costs,
            label=data.label,
            sampling=data.sampling,
            caveats=(*own, *(() if data.weights is None else (_WEIGHTS,))),
        )
    return Search({"scores": arguments.vector("scores", data, nan=True)}, label="scores")


def _percent_hint(value: object) -> str:
    percent = arguments.as_float(value)
    return f"Did you mean {percent / 100:g}?" if 1 <= percent <= 50 else ""


def _chosen(argument: str, names: Iterable[str], search: Search) -> list[str]:
    wanted = list(dict.fromkeys(map(str, arguments.texts(names))))
    for name in wanted:
        if name not in search.params:
            known = ", ".join(repr(p) for p in search.params) or "none"
            raise ArgumentError(
                argument=argument,
                must="name hyperparameters of the search",
                got=repr(name),
                remedy=f"It has {known}.",
            )
    return wanted


def _tests_that_count(smallest: Sequence[float], false_alarm: float) -> int:
    """Return over how many tests the level is split: those that could reach it (Tarone 1990).

    What a test could reach depends on the values, not on their order, so leaving out the hopeless
    ones keeps the false-alarm rate.
    """
    count = 1
    while sum(s <= false_alarm / count for s in smallest) > count:
        count += 1
    return count


def _repeated(name: str, values: Sequence[Any]) -> _Row:
    known = [v for v in values if not columns.is_missing(v)]
    repeats = len(known) - len({columns.identity(v) for v in known})
    text = f"{repeats} values of `{name}` repeat, which draws from a continuous distribution cannot"
    if not repeats:
        text = f"no value of `{name}` repeats"
    return _Row(f"continuous: {name}", math.inf, repeats > 0, text)


def _unfinished(search: Search) -> _Row:
    counts = [f"{search.states.count(s)} {s}" for s in STATES[1:] if s in search.states]
    text = f"{', '.join(counts)} of {search.n} trials" if counts else "every trial is complete"
    gaps = int(search.numbers[-1] - search.numbers[0]) + 1 - search.n
    if gaps:
        text += f"; {gaps} numbers in the start order are not there"
    return _Row("unfinished trials", math.inf, False, text)
