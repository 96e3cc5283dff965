"""What a reader of a power has to know: what it rests on, and when nothing can be certified."""

from __future__ import annotations

import math

from bestofk._base.caveat import Caveat, gathered
from bestofk._base.text import format_number
from bestofk.curves import needed
from bestofk.errors import marked
from bestofk.planning.plan import plan
from bestofk.planning.simulate import Guess, Setting


def about_guesses(sides: tuple[Guess, Guess], small: list[str], fewest: int) -> list[Caveat]:
    """Say what the answer rests on."""
    found = [*gathered(c for side in sides for c in side.caveats)]
    if any(not side.pilot.size for side in sides):
        text = "the distributions of scores are guesses: power is no better than they are"
        found.append(Caveat(kind="guess", text=text))
    if small:
        text = f"{' and '.join(small)} pilot scores: at this budget a range takes {fewest}"
        found.append(Caveat(kind="pilot-small", text=text))
    return found


def why_none(sides: tuple[Guess, Guess], setting: Setting) -> list[Caveat]:
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
        f"{n} trials do not bound the curves at a budget of {format_number(setting.budget)}: "
        "hardly anything can be certified there"
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
            f"{n} trials reach only a budget of {format_number(reach)}: beyond it hardly anything "
            "can be certified"
        )
    remedy = f"{marked('plan()', 'bestofk plan')} says how many reach further"
    return [Caveat(kind="out-of-reach", text=text, remedy=remedy)]
