"""What a reader of a power has to know: what it rests on, and when nothing can be certified."""

from __future__ import annotations

import math

from bestofk._base.caveat import Caveat, gathered
from bestofk._base.text import counted, format_number
from bestofk._base.types import BANDS
from bestofk.curves import needed
from bestofk.errors import marked
from bestofk.planning.plan import plan
from bestofk.planning.simulate import Guess, Setting


def caveats_of(
    sides: tuple[Guess, Guess], setting: Setting, small: list[tuple[str, int]], fewest: int
) -> tuple[Caveat, ...]:
    """Return what a reader of a power has to know; pilots of fewer than `fewest` are `small`."""
    return (
        *_about_guesses(sides, small, fewest),
        *_why_none(sides, setting),
        *_of_joint_bands(sides, setting),
    )


def _of_joint_bands(sides: tuple[Guess, Guess], setting: Setting) -> list[Caveat]:
    """Say that the test of independent searches is not what is counted.

    No test compares means, and where pilots are void nothing is certified in either way.
    """
    if setting.statistic == "mean" or any(
        c.validity == "void" for side in sides for c in side.caveats
    ):
        return []
    text = "counted is what joint bands certify, which hold whatever the two searches share"
    if setting.simultaneous != "whole" or setting.band != BANDS[0]:
        return [Caveat(kind="joint-bands", text=text)]
    test = marked("with independent=True", "with --independent", "of independent searches")
    # bench/results/headline.md, the first numbers for "ours, whole" and the test
    remedy = (
        f"if these are independent, the two-sample test of compare {test} took 6 to 38 % fewer "
        "trials in eight pairs of methods, tested at 1 to 10 trials"
    )
    return [Caveat(kind="joint-bands", text=text, remedy=remedy)]


def _about_guesses(
    sides: tuple[Guess, Guess], small: list[tuple[str, int]], fewest: int
) -> list[Caveat]:
    """Say what the answer rests on."""
    found = [*gathered(c for side in sides for c in side.caveats)]
    if any(not side.pilot.size for side in sides):
        text = "the distributions of scores are guesses: power is no better than they are"
        found.append(Caveat(kind="guess", text=text))
    if small:
        few = " and ".join(f"{label} has {counted(m, 'pilot score')}" for label, m in small)
        text = f"{few}: at this budget a range takes {fewest}"
        found.append(Caveat(kind="pilot-small", text=text))
    return found


def _why_none(sides: tuple[Guess, Guess], setting: Setting) -> list[Caveat]:
    """Say when nothing can be certified whatever the scores are."""
    way = sides[0].direction
    if setting.statistic == "mean":
        if all(math.isinf(b) for side in sides for b in side.bounds):
            return [
                Caveat(
                    kind="mean-unbounded",
                    text="without bounds a band for the mean says nothing",
                    remedy=f"pass {marked('bounds=(low, high)', '--bounds LOW,HIGH', 'bounds')}",
                )
            ]
        return []
    n, chosen = setting.trials, setting.simultaneous
    if needed.upward_ranks(n, setting.quantile(way), exact=True)[1] <= n:
        return []
    text = (
        f"{counted(n, 'trial')} {'does' if n == 1 else 'do'} not bound the curves at a budget of "
        f"{format_number(setting.budget)}: hardly anything can be certified there"
    )
    if chosen in ("whole", "real"):
        reach = plan(
            trials=n,
            confidence=setting.confidence,
            statistic=setting.statistic,
            direction=way,
            band=setting.band,
            simultaneous=chosen,
        ).reach
        text = (
            f"{counted(n, 'trial')} reach{'es' if n == 1 else ''} only a budget of "
            f"{format_number(reach)}: beyond it hardly anything can be certified"
        )
    remedy = f"{marked('plan()', 'bestofk plan')} says how many reach further"
    return [Caveat(kind="out-of-reach", text=text, remedy=remedy)]
