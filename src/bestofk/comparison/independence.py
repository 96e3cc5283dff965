"""Whether the searches of several methods are independent of each other."""

from __future__ import annotations

from collections.abc import Sequence

from bestofk._base.caveat import Caveat
from bestofk.errors import DataError, arg, marked
from bestofk.scores.scores import Scores

INDEPENDENCE = Caveat(
    kind="independence",
    text="nothing says that the searches are independent of each other, so joint bands are used, "
    "which hold whatever they share",
    remedy="if their seeds differ and they share no settings, "
    + marked("independent=True", "--independent", "independent")
    + " can certify more from the same trials",
)


LISTED = Caveat(
    kind="independence",
    text="budgets were listed, so joint bands are used, which hold at every budget",
    remedy="if the budgets were chosen before the scores were seen, "
    + marked("independent=True", "--independent", "independent")
    + " tests at these alone, since the searches have different seeds",
)

SAME_SEED = Caveat(
    kind="same-seed",
    text="searches that were drawn from the same seed may share settings, so joint bands are used, "
    "which hold whatever they share",
    remedy="searches with different seeds are compared by a sharper test",
)


def asked_for(samples: Sequence[Scores]) -> Caveat:
    """Return the caveat of methods that could be compared by the two-sample test and are not."""
    seeds = [s.seed for s in samples if s.seed is not None]
    if len(set(seeds)) < len(seeds):
        return SAME_SEED
    return LISTED if have_other_seeds(samples) else INDEPENDENCE


def have_other_seeds(samples: Sequence[Scores]) -> bool:
    """Tell whether all searches are known to have been drawn from different seeds."""
    seeds = [s.seed for s in samples]
    return None not in seeds and len(set(seeds)) == len(seeds)


def refuse_shared(samples: Sequence[Scores], stated: bool, overlap: Sequence[Caveat]) -> None:
    """Raise if searches that are stated to be independent are known to share their draws."""
    if not stated:
        return
    shared = [c.text for c in overlap if c.kind == "same-trials"]
    seeds = [s.seed for s in samples if s.seed is not None]
    if len(set(seeds)) < len(seeds):
        shared.append("two of them were drawn from the same seed")
    if shared:
        raise DataError(
            f"{arg('independent')} must be left out for searches that share their draws: "
            f"{shared[0]}."
        )
