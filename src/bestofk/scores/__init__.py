"""The two nouns that everything consumes, and what belongs to them.

scores.py    Scores: a sample of scores, one per trial, with its direction and its caveats
search.py    Search: the trials as they were run
trial.py     Trial: one of them, how it can end and how its setting can have been drawn
failed.py    trials without a score
names.py     what the name of a score says: a loss, a test score, a validation score
optimism.py  validation scores beside test scores
overlap.py   the same trial twice, in one search or in two; searches over different spaces
convert.py   as_scores: a sample from a Search, a Scores or an array
subset.py    the trials at, or closest to, a value of a hyperparameter
"""

from bestofk.scores.convert import as_scores as as_scores
from bestofk.scores.scores import Scores as Scores
from bestofk.scores.search import Search as Search
from bestofk.scores.trial import Trial as Trial
