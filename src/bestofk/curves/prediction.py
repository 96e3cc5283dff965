"""What more trials would do, in words: a prediction about searches of n trials and m more.

Each sentence is a theorem about independent draws and holds for every n and m fixed in advance.  It
is not the probability given the scores of one search.
"""

from __future__ import annotations

import math

from bestofk.numeric.more_trials import fewest_more, matched

_MOST = 0.9  # the chance to match the best for which `can_stop` says what it would take
_LARGEST = 1 - 1e-6  # beyond, a chance is not written with more digits
_ORDINALS = ("", "second ", "third ", "fourth ", "fifth ", "sixth ", "seventh ", "eighth ")


def prediction(n: int, more: int, rank: int = 1, *, running: bool = False) -> str:
    """Return in how many searches of n trials some more match or beat the rank-th best.

    Of a search that is `running` n is what was reached: searches of exactly n trials are meant.

    Examples
    --------
    >>> prediction(48, 144)
    '144 more trials match or beat the best so far in at least 75 % of searches of 48 trials'
    """
    verb = "matches or beats" if more == 1 else "match or beat"
    exactly = "exactly " if running else ""
    share = at_least(float(matched(n, more)[rank - 1]))
    return (
        f"{more_of(more)} {verb} the {ordinal(rank)}best so far in at least {share} of searches of "
        f"{exactly}{trials(n)}"
    )


def can_stop(statement: str, n: int, left: int, *, has_best: bool = True) -> str:
    """Return the answer to "can I stop?": what is certified, what more trials would do, or take.

    Parameters
    ----------
    statement : str
        What a monitor certifies, without a full stop; empty if nothing.
    n, left : int
        Trials that have ended, and those that are still planned.  With none left as many again.
    has_best : bool
        Whether any trial is complete, so that there is a best so far.

    Examples
    --------
    >>> print(can_stop("", 61, 67))
    nothing is certified yet; 67 more trials match or beat the best so far in at least 52 % of \
searches of exactly 61 trials, 549 more in at least 90 %.
    """
    if n < 1:
        return "no trial has ended yet."
    said = statement or "nothing is certified yet"
    if not has_best:
        return f"{said}; no trial is complete."
    more = left if left > 0 else n
    needed = fewest_more(n, _MOST)
    would = prediction(n, more, running=True)
    take = f", {needed:,} more in at least {at_least(_MOST)}" if needed > more else ""
    return f"{said}; {would}{take}."


def trials(n: int) -> str:
    """Return a number of trials in words: "1,024 trials"."""
    return f"{n:,} trial{'' if n == 1 else 's'}"


def more_of(more: int) -> str:
    """Return a number of further trials in words: "64 more trials"."""
    return f"{more:,} more trial{'' if more == 1 else 's'}"


def ordinal(rank: int) -> str:
    """Return the word before "best", with its space.

    Examples
    --------
    >>> [ordinal(r) for r in (1, 3, 9, 11, 22)]
    ['', 'third ', '9th ', '11th ', '22nd ']
    """
    if rank <= len(_ORDINALS):
        return _ORDINALS[rank - 1]
    teen = rank % 100 in (11, 12, 13)
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank:,}{ending} "


def at_least(share: float) -> str:
    """Return a share in percent, rounded down so that "at least" stays true.

    Examples
    --------
    >>> at_least(0.8789), at_least(0.75), at_least(0.9996), at_least(1.0)
    ('87 %', '75 %', '99.9 %', '99.999 %')
    """
    share = min(share, _LARGEST)
    step = 10.0 ** max(0, math.ceil(-math.log10(1 - share) - 1e-9) - 3)
    return f"{math.floor(100 * share * step + 1e-7) / step:.7g} %"


def at_most(share: float) -> str:
    """Return a share in percent, rounded up so that "at most" stays true.

    Examples
    --------
    >>> at_most(0.5), at_most(0.3334), at_most(0.00021)
    ('50 %', '34 %', '0.03 %')
    """
    step = 10.0 ** max(0, math.ceil(-math.log10(max(share, 1e-12)) - 1e-9) - 2)
    return f"{math.ceil(100 * share * step - 1e-7) / step:.7g} %"
