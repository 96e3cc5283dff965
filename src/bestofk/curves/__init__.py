"""How good the best of k is: estimates, curves and confidence bands.

estimate.py   point estimates of the best of k from one sample: quantiles, means, the running best
tuning.py     Curve and `tuning_curve`
cdf_band.py   CDFBand and `cdf_band`: a band for the distribution of one score
budget_band.py  BudgetBand: order statistics that bound a curve at whole or chosen budgets
grid_band.py  the same for k different settings of a grid; their curve is in grid_curve.py
band.py       Band: a band for the tuning curve
make_band.py  `tuning_band`
sides.py      the two sides of a curve from what its band is made from
sideways.py   how many trials it takes to reach a score
prediction.py what more trials would do, in words
tail.py       a far side at every budget, from an assumption about the tail
words.py      what a curve or a band says, in words
needed.py     how many trials would decide between two methods, as a range from their scores
cost.py       CostCurve and `cost_curve`: the best within a total cost
noisy_quadratic.py  NoisyQuadratic and `noisy_quadratic`: a parametric guess without an interval
bootstrap.py  BootstrapBand and `bootstrap_band`: the baseline of the literature
"""
