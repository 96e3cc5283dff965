"""The caveats that readers make; programs tell them apart by their kind.

===========================  ========  =====================================================
kind                         validity  what it says
===========================  ========  =====================================================
sampler-traces               void      the records prove a sampler that is not random
sampler-declared             void      the study or sweep names a sampler that is not random
sampler-default              void      it names TPE, which Optuna's load_study also puts in
sampler-unknown              assumed   how the settings were drawn is not recorded
sampling-stated-otherwise    void      the user states what the records contradict
without-replacement          void      the candidates come from lists, each at most once
grid                         void      the settings are every combination of some values
repeated-settings            void      trials copy earlier ones, as workers of one seed do
enqueued, retried            void      settings were chosen by hand, or run a second time
mixed-sweeps                 void      the runs are of several sweeps
mixed-experiments            void      the runs are of several experiments
mixed-rounds                 void      all rounds of successive halving are read as one
survivors                    void      the settings are the best of an earlier round
different-steps              void      the scores follow different amounts of training
early-stopping               void      bad runs were ended early
different-last-steps         assumed   as many rows a trial, but up to different steps
duplicated-rows              void      rows are copies of others, which drawn trials cannot be
repeated-rows                assumed   rows are like others, which may be copies
best-step                    holds     the score of a trial is its best over the steps
row-order                    assumed   the last row of a trial is taken for its last step
last-row-cost                holds     the cost of a trial is that in its last row
pruned                       assumed   trials were pruned by a rule that is not recorded
not-ended, killed            holds     a time limit would favour fast trials
left-out, parent-runs        holds     runs that the tool does not list or that are no trials
resumed                      holds     of a run in several parts the last one counts
unordered                    holds     the start order is not known
costs-unknown                holds     some trials have no duration
percent                      holds     the score is written in percent and read as a fraction
several-searches             assumed   rows of several whole searches are read as one
unsplit                      holds     a column that may name the methods is not used
tests                        holds     attempts are judged by one of several sets of tests
errors-recorded              holds     attempts that ended by an error of the harness are unscored
joined-logs                  assumed   separate runs of one model and task are further attempts
retried-log                  holds     a log stands for those of the same run that it retried
unfinished                   assumed   an evaluation did not come to its end
stopped-early                holds     trials of repeats were pruned or trained for less time
repeats-by-name              assumed   only the numbers in names say that searches are repeats
===========================  ========  =====================================================

Those about a search of our own store, which runner/readback.py makes:

===========================  ========  =====================================================
kind                         validity  what it says
===========================  ========  =====================================================
retried                      assumed   failed trials were run again on request
stopped-when                 assumed   the search was stopped by its rule
extended                     assumed   trials were added after the results had been read
clock-stepped                holds     the clock was set back while a trial ran
===========================  ========  =====================================================

If the user states that the trials are IID, what is only inferred is settled and takes no guarantee
away: "sampler-unknown", "sampler-default" and "repeated-rows"; "sampling-stated-otherwise" about a
default sampler does not either.  What the trials themselves prove stays void.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from bestofk._base.caveat import Caveat, Validity
from bestofk.errors import marked
from bestofk.scores.trial import SAMPLING_CAVEATS, Sampling

# How settings were drawn, and the caveats about it.
Drawn: TypeAlias = tuple[Sampling, list[Caveat]]

# What the records leave open, so that a statement of the user settles it.
_OPEN = frozenset({"sampler-unknown", "sampler-default", "repeated-rows"})


def void(kind: str, text: str, *, drawn: Sampling | None = None, remedy: str = "") -> Caveat:
    """Return a caveat that takes every guarantee away.

    Without a remedy of its own, it has the one for settings that were `drawn` in this way.

    Examples
    --------
    >>> print(void("grid", "every candidate comes from a grid", drawn="without-replacement"))
    every candidate comes from a grid (to get guarantees, draw the settings independently at random)
    """
    if drawn is not None and not remedy:
        remedy = SAMPLING_CAVEATS[drawn].remedy
    return Caveat(kind=kind, text=text, remedy=remedy, validity="void")


def unknown(text: str) -> Caveat:
    """Return the caveat that it is not recorded how the settings were drawn."""
    return Caveat(kind="sampler-unknown", text=text, validity="assumed")


def drawn_by(text: str, sampling: Sampling, kind: str = "sampler-declared") -> Drawn:
    """Return how settings were drawn, with the caveat that a text makes of it.

    Examples
    --------
    >>> drawn_by("random search", "iid"), drawn_by("a grid", "without-replacement", "grid")[0]
    (('iid', []), 'without-replacement')
    """
    if sampling == "iid":
        return sampling, []
    if sampling == "unknown":
        return sampling, [unknown(text)]
    return sampling, [void(kind, text, drawn=sampling)]


def left_out(text: str) -> Caveat:
    """Return the caveat about trials that are not among those read."""
    return Caveat(kind="left-out", text=text)


GRID = void(
    "grid",
    "the settings are every combination of their values (a grid)",
    drawn="without-replacement",
)
UNORDERED = Caveat(
    kind="unordered", text="the start order is not known; rows are taken as they come"
)


def split_by(name: str) -> str:
    """Return how to read the parts of a source as searches of their own, for a remedy."""
    return marked(f'read_all(..., by="{name}")', f"--by {name}", f"by {name}")


def mixed(what: str, count: int, *, by: str) -> Caveat:
    """Return the caveat about runs of several sweeps or experiments read as one search."""
    return void(
        f"mixed-{what}",
        f"the runs are of {count} {what}, not of one search distribution",
        remedy=f"read each by itself with {split_by(by)}",
    )


def killed(count: int, n: int) -> list[Caveat]:
    """Return the caveat about runs that were killed, if there are any."""
    text = (
        f"{count} of {n} runs were killed: where a time limit does that, fast trials are favoured"
    )
    return [Caveat(kind="killed", text=text)] if count else []


def different_steps(steps: Sequence[float | None], what: str, because: str) -> list[Caveat]:
    """Return the caveat about scores after different amounts of training, if they differ."""
    known = sorted({step for step in steps if step is not None})
    if len(known) < 2:
        return []
    text = (
        f"the trials were trained for between {known[0]:g} and {known[-1]:g} {what} ({because}), "
        "so their scores are not comparable"
    )
    return [void("different-steps", text)]


def as_stated(
    caveats: Iterable[Caveat], found: Sampling, stated: Sampling | None
) -> tuple[Caveat, ...]:
    """Return the caveats of a search, given what the user states about its sampling.

    A statement settles what the records leave open or only suggest; what they prove stays, and
    that it was stated otherwise is added.

    Examples
    --------
    >>> caveat = unknown("the file does not say how the settings were drawn")
    >>> [c.validity for c in as_stated([caveat], "unknown", "iid")]
    ['holds']
    >>> print(*as_stated([], "adaptive", "iid"))
    stated to be iid, although the records say adaptive
    """
    told = list(caveats)
    inferred = any(c.kind == "sampler-default" for c in told)
    if stated == "iid":
        told = [replace(c, remedy="", validity="holds") if c.kind in _OPEN else c for c in told]
    if found in ("adaptive", "without-replacement") and stated not in (None, found):
        if inferred and stated == "iid":
            text = f"taken to be iid, as stated, although the records suggest {found}"
            validity: Validity = "holds"
        else:
            text = f"stated to be {stated}, although the records say {found}"
            validity = "void"
        told.append(Caveat(kind="sampling-stated-otherwise", text=text, validity=validity))
    return tuple(told)
