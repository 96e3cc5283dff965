"""The mathematics: arrays in, arrays out, numpy and scipy only; larger is better.

order.py        the U, V and W estimates of the expected maximum
ecdf.py         quantiles of the empirical distribution
steps.py        step functions of the budget: where they jump, merged, and stretches of equal state
resample.py     estimates on bootstrap samples
more_trials.py  how often more draws match the best so far
needed.py       the chance that so many trials tell two methods apart
ranktests.py    permutation tests of order, neighbours and repeats
columns.py      any column of values as ranks, levels and codes, for those tests
hazard.py       upper bounds from a hazard that does not decrease
noisy_quadratic.py  a quadratic with normal noise, and its fit by maximum spacing
dirichlet.py    bands for several means at once from random weights: measured, not proven
betting.py      a proven interval for a mean by betting against every candidate
mixtures.py     bounds beyond the number of attempts, over all mixtures of binomials
components.py   how much of a variance comes from problems, how much from attempts
roots.py        the root finder
noncrossing/    exact bands
    crossing.py       exact non-crossing probability of uniform order statistics; its engine is in
                      count_process.py and poisson.py
    beta.py           intervals of Beta(i, n+1-i); the shortest ones are in highest_density.py
    critical.py       the level that makes a band exact; a fit of it is in critical_fit.py and
                      critical_table.json
    focused.py        the level of a band that need not hold at every level; its ends are snapped
                      to levels in snapping.py, and counts.py has the chance that it holds
    two_sample.py     the test of two independent samples; regions, the chain behind its error,
                      the solution and the default budgets are in two_sample_….py
    grid.py           bands for draws without replacement
    kolmogorov.py     the exact Kolmogorov-Smirnov half-width
"""
