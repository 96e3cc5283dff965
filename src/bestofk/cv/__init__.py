"""J-K-fold cross-validation for tuning (Moss, Leslie, Rayson 2018).

search.py        JKFoldSearchCV, a scikit-learn search; the only file that needs scikit-learn
race.py          who takes part in the next repetition; chances.py, twins.py are parts of it
smooth.py        borrowing strength over neighbouring parameter values
replay.py        tuning replayed on a recorded table of repetitions
variability.py   how steady a choice is
advice.py        how many repetitions and folds: `recommend`
table.py         a table of repetitions
folds.py  results.py  trials.py  tasks.py   parts of search.py
"""

from __future__ import annotations

from bestofk.cv.advice import Advice, recommend
from bestofk.cv.replay import Replay, replay
from bestofk.cv.variability import Variability, variability

__all__ = ["Advice", "Replay", "Variability", "recommend", "replay", "variability"]
