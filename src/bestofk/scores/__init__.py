"""The two nouns that everything consumes.

sample.py   Scores: a sample of scores, one per trial, with its direction and its doubts
search.py   Search: the trials as they were run; `as_scores`, which takes either or an array
"""

from bestofk.scores.sample import Scores as Scores
from bestofk.scores.search import Search as Search
from bestofk.scores.search import Trial as Trial
from bestofk.scores.search import as_scores as as_scores
