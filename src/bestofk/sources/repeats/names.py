"""What the name of a study or file tells: of which method it is a repeat, and which one.

The method is the name without its last number: ``tpe-0``, ``tpe_seed3`` and ``tpe run 12`` are
repeats of ``tpe``.  The number must stand after a separator, or after a word for a repeat:
``resnet50`` is a name as it stands.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_WORD = (
    r"(?:random)?(?:seeds?|runs?|reps?|repeats?|repetitions?|replicates?|study|search|sweep|trial)"
)
_NUMBERED = re.compile(
    rf"(?P<method>.*?)[-_ :#]*"
    rf"(?:(?P<word>{_WORD})[-_ =:#]*|(?:(?<=[-_ :#])|^)[sr]?)(?P<number>\d+)",
    re.IGNORECASE | re.DOTALL,
)
_LONGEST = 300  # characters of a name that is looked at
UNNAMED = "no-name-"  # how Optuna calls a study that was given no name


class Told(NamedTuple):
    """What a name tells; `method` is empty if it is a number alone."""

    method: str
    number: str
    is_seed: bool


def told_by(name: str) -> Told | None:
    """Return what a name tells, None if it has no number to tell a repeat by.

    Examples
    --------
    >>> told_by("tpe-3"), told_by("resnet50"), told_by("lr-0.1")
    (Told(method='tpe', number='3', is_seed=False), None, None)
    >>> told_by("cma_es_seed=07"), told_by("run 2")
    (Told(method='cma_es', number='07', is_seed=True), Told(method='', number='2', is_seed=False))
    """
    if name.startswith(UNNAMED) or len(name) > _LONGEST:
        return None
    match = _NUMBERED.fullmatch(name)
    if match is None:
        return None
    word = (match["word"] or "").lower()
    return Told(match["method"], match["number"], "seed" in word)
