"""Which method is better at which budget, and which hyperparameter matters.

methods.py     the methods that are compared: their samples and common axis
costs.py       what a trial costs on the axis, and how sure that is
merged.py      the bands of several methods on one axis, merged and evaluated once
tested.py      the two-sample test of two independent searches; whether they are is in
               independence.py
pair.py        two methods over the whole budget axis; their states are in states.py
speedup.py     how many trials one needs for what the other reaches in few
ranks.py       the ranks that methods can have
verdict.py     what a comparison says, in words
evidence.py    the rule-of-thumb evidence of Lourie et al. 2024
comparison.py  Comparison, the result; its figures are in figure.py
compare.py     `compare`: two or more methods, or one search by a hyperparameter
claim.py       a claim that a comparison must certify: "svm>forest@10"
importance.py  `importance`: what is lost by leaving a hyperparameter at a value; its results are in
               importance_result.py, values and bins in importance_places.py, intervals in
               confined.py, sentences in importance_words.py
"""
