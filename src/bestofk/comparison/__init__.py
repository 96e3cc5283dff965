"""Which method is better at which budget, and which hyperparameter matters.

methods.py     the methods that are compared: their samples, costs and common axis
merged.py      the bands of several methods on one axis, merged and evaluated once
pair.py        two methods over the whole budget axis
verdict.py     what a comparison says, in words
compare.py     Comparison and `compare`: two or more methods, or one search by a hyperparameter
importance.py  what is lost by leaving a hyperparameter at a value
"""
