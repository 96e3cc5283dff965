"""J-K-fold cross-validation for tuning (Moss, Leslie, Rayson 2018).

search.py        JKFoldSearchCV, a scikit-learn search; the only file that needs scikit-learn
race.py          who takes part in the next repetition
replay.py        tuning replayed on a recorded table of repetitions
variability.py   how steady a choice is
folds.py  results.py  trials.py  tasks.py   parts of search.py
"""
