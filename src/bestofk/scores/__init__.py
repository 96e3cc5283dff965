"""The two nouns that everything consumes.

sample.py   Scores: a sample of scores, one per trial, with its direction and its doubts
search.py   Search: the trials as they were run
convert.py  as_scores: a sample from either of them or from an array
"""

from bestofk.scores.convert import as_scores as as_scores
from bestofk.scores.sample import Scores as Scores
from bestofk.scores.search import Search as Search
from bestofk.scores.search import Trial as Trial
