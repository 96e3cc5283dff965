"""Are the trials independent draws from one search distribution?  What the data can tell."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Direction, FloatArray
from bestofk._result import Result, format_number, text_table
from bestofk.errors import ArgumentError, BestofkError
from bestofk.iid.evidence import tests_of
from bestofk.numeric import columns
from bestofk.scores.convert import as_scores
from bestofk.scores.sample import Scores
from bestofk.scores.search import STATES, Sampling, Search

Verdict: TypeAlias = Literal["consistent with IID", "not IID", "cannot tell"]

_LIMITS = (
    "a check that passes is no proof: it cannot see what leaves no trace in the order of the "
    "trials, their repeats or what is declared about them"
)
_WEIGHTS = "the scores carry weights, which the check does not look at"
_DECLARED: dict[Sampling, str] = {
    "iid": "declared as independent draws",
    "without-replacement": (
        "declared as drawn without replacement (a grid or a list): not independent draws"
    ),
    "adaptive": "declared as adaptive: later settings depend on earlier scores",
    "unknown": "not declared",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class IIDCheck(Result):
    """What speaks against the trials of a search being independent draws from one distribution.

    Attributes
    ----------
    verdict : {"consistent with IID", "not IID", "cannot tell"}
        "cannot tell" where no test could have found anything (too few trials, all equal).
    reasons : tuple of str
        The verdict's, in words.
    tests, p_values, flagged, explanations : array
        One entry per test.  A p-value is infinite (null in JSON) for what is only reported.
    level : float
        A test is flagged if its p-value is at most this: `false_alarm` over the tests that ran.
    false_alarm : float
        How often independent draws are flagged by any of the tests, at most.
    n : int
        The number of trials.
    sampling : str
        How the trials are declared to have been drawn.
    seed : int
        Of the random orders.
    caveats : tuple of str
        What to doubt.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
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
    seed: int
    caveats: tuple[str, ...]

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

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "direction": self.direction,
            "sampling": self.sampling,
            "verdict": self.verdict,
            "passed": self.passed,
            "reasons": self.reasons,
            "false_alarm": self.false_alarm,
            "level": self.level,
            "seed": self.seed,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "test": self.tests,
            "p_value": self.p_values,
            "flagged": self.flagged,
            "explanation": self.explanations,
        }

    def table(self, *, every: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return headings and formatted rows; there are few, so `every` changes nothing."""
        del every
        rows = zip(self.tests, self.p_values, self.flagged, self.explanations, strict=True)
        return list(self._columns()), [
            [str(t), format_number(p) if math.isfinite(p) else "", "yes" if f else "no", str(e)]
            for t, p, f, e in rows
        ]

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Refuse: a check is words and a table."""
        raise BestofkError(
            "a check of independence has no picture; print it, or take to_frame() or to_dict()."
        )

    def __repr__(self) -> str:
        head, rows = self.table()
        left = max(len(row[0]) for row in [head, *rows])
        aligned = [[row[0].ljust(left), *row[1:3]] for row in [head, *rows]]
        lines = text_table(aligned[0], aligned[1:])
        words = [head[3], *(row[3] for row in rows)]
        body = [f"{line}  {text}" for line, text in zip(lines, words, strict=True)]
        why = [f"- {reason}" for reason in self.reasons]
        return "\n".join([self.title, *why, *body, *(f"! {c}" for c in self.caveats)])


def check_iid(
    search: ArrayLike | Scores | Search,
    *,
    false_alarm: float = 0.02,
    params: Iterable[str] | None = None,
    continuous: Iterable[str] = (),
    seed: int = 0,
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
    seed : int
        Of the random orders that p-values of more than 7 trials are made from.

    Returns
    -------
    IIDCheck
        With `verdict`, `passed`, `reasons`, a table of tests, `to_dict()` and `to_frame()`.

    Notes
    -----
    Independent draws are exchangeable, so every order of the trials is equally likely given what
    was drawn.  Tests of the order compare the one that came with others: a trend (ranks against
    start order, and how far from the middle rank), dependence between neighbours (serial rank
    correlation), equal settings at a fixed distance.  All parameters share one test, the largest of
    their standardised statistics; categories count by their more frequent levels.  p-values are
    exact or (1+g)/(1+B), so they hold at every size and with ties.  Two tests need no order:
    settings that repeat too evenly, and none that repeats in a space too small for that.

    The p-values hold over the choice of `seed`; for one seed the rate of false alarms realised is
    off by about a twentieth of itself.  The same call always gives the same answer.

    A failed or pruned trial counts as the worst score, a running one has none.

    Examples
    --------
    >>> check_iid([0.61, 0.64, 0.66, 0.69, 0.71, 0.74, 0.79, 0.83]).verdict
    'not IID'
    """
    search = _as_search(search)
    if not (_check.is_number(false_alarm) and 0.001 <= float(false_alarm) <= 0.5):
        raise ArgumentError(
            f"`false_alarm` must lie between 0.001 and 0.5; got {false_alarm!r}."
            + _percent_hint(false_alarm)
        )
    seed = _check.whole("seed", seed, least=0)
    chosen = _chosen("params", search.params if params is None else params, search)
    settings = {name: search.params[name] for name in chosen}
    certain = _chosen("continuous", continuous, search)

    tests = tests_of(search, settings)
    # 100 / level, see permutation_p.
    most = math.ceil(100 * max(1, len(tests)) / false_alarm)
    found = [test.run(most, np.random.default_rng([seed, i])) for i, test in enumerate(tests)]
    level = float(false_alarm) / _tests_that_count([f.smallest for f in found], float(false_alarm))
    rows = [_declared(search)]
    for test, (p, smallest) in zip(tests, found, strict=True):
        rows.append(_Row(test.name, p, p <= level, test.words(p <= level, smallest > level)))
    rows += [_repeated(name, search.params[name]) for name in certain]
    rows.append(_unfinished(search))
    able = any(f.smallest <= level for f in found)
    return _result(search, rows, able, float(false_alarm), level, seed, bool(settings))


@dataclass(frozen=True)
class _Row:
    test: str
    p: float
    flagged: bool
    text: str


def _result(
    search: Search,
    rows: Sequence[_Row],
    able: bool,
    false_alarm: float,
    level: float,
    seed: int,
    has_params: bool,
) -> IIDCheck:
    flagged = [row for row in rows if row.flagged]
    n_tests = sum(math.isfinite(row.p) for row in rows)
    verdict: Verdict = "not IID" if flagged else "consistent with IID" if able else "cannot tell"
    if flagged:
        reasons = tuple(f"{row.test}: {row.text}" for row in flagged)
    elif able:
        one = "the one test that could be run finds no departure"
        reasons = (f"none of {n_tests} tests finds a departure" if n_tests > 1 else one,)
    else:
        reasons = ("too few trials that differ for any test to find anything",)
    caveats = [*search.caveats, _LIMITS]
    if search.sampling == "unknown":
        caveats.append("how the trials were drawn is not declared, and cannot be proved from them")
    if not has_params:
        caveats.append("no hyperparameters to look at: only the scores were tested")
    if "running" in search.states and search.costs is None:
        caveats.append(
            "trials are still running; without costs it cannot be told whether the finished ones "
            "favour cheap settings"
        )
    return IIDCheck(
        verdict=verdict,
        reasons=reasons,
        tests=_check.fixed(np.array([row.test for row in rows])),
        p_values=_check.fixed(np.array([row.p for row in rows])),
        flagged=_check.fixed(np.array([row.flagged for row in rows])),
        explanations=_check.fixed(np.array([row.text for row in rows])),
        level=level,
        false_alarm=false_alarm,
        label=search.label,
        n=search.n,
        direction=search.direction,
        sampling=search.sampling,
        seed=seed,
        caveats=tuple(caveats),
    )


def _as_search(data: ArrayLike | Scores | Search) -> Search:
    if isinstance(data, Search):
        return data
    if isinstance(data, Mapping | str | os.PathLike):
        as_scores(data)  # raises, and says the way out
    if isinstance(data, Scores):
        return Search(
            {"score": data.values},
            direction=data.direction,
            bounds=data.bounds,
            costs=data.costs,
            label=data.label,
            caveats=(*data.caveats, *(() if data.weights is None else (_WEIGHTS,))),
        )
    return Search({"scores": _check.vector("scores", data, nan=True)}, label="scores")


def _percent_hint(value: object) -> str:
    percent = _check.is_number(value) and 1 <= float(value) <= 50  # type: ignore[arg-type]
    return f" Did you mean {float(value) / 100:g}?" if percent else ""  # type: ignore[arg-type]


def _chosen(argument: str, names: Iterable[str], search: Search) -> list[str]:
    wanted = list(dict.fromkeys(_check.texts(names)))
    for name in wanted:
        if name not in search.params:
            known = ", ".join(repr(p) for p in search.params) or "none"
            raise ArgumentError(
                f"`{argument}` must name hyperparameters of the search; got {name!r}, "
                f"it has {known}."
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


def _declared(search: Search) -> _Row:
    flagged = search.sampling in ("adaptive", "without-replacement")
    return _Row("declared sampling", math.inf, flagged, _DECLARED[search.sampling])


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
