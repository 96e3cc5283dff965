"""J-K-fold cross-validation for tuning (Moss, Leslie, Rayson 2018).

search.py        JKFoldSearchCV, a scikit-learn search; the only file that needs scikit-learn
race.py          who takes part in the next repetition; chances.py, twins.py are parts of it
smooth.py        borrowing strength over neighbouring parameter values
replay.py        tuning replayed on a recorded table of repetitions
variability.py   how steady a choice is
advice.py        how many repetitions and folds: `recommend`
belief.py        what true scores may be, for the two before: fresh choices and their losses
table.py         a table of repetitions
candidates.py  folds.py  results.py  trials.py  tasks.py   parts of search.py
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bestofk.cv.advice import Advice, recommend
from bestofk.cv.replay import Replay, replay
from bestofk.cv.variability import Variability, variability

if TYPE_CHECKING:
    from bestofk.cv.search import JKFoldSearchCV as JKFoldSearchCV

# JKFoldSearchCV needs an extra, so that `from bestofk.cv import *` leaves it out.
__all__ = ["Advice", "Replay", "Variability", "recommend", "replay", "variability"]


def __getattr__(name: str) -> Any:
    if name != "JKFoldSearchCV":
        raise AttributeError(f"module 'bestofk.cv' has no attribute {name!r}")
    from bestofk.cv.search import JKFoldSearchCV

    return JKFoldSearchCV
