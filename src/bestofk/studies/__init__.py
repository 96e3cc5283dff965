"""Studies: what estimators, intervals and bands do on samples from a known truth.

- `estimators`: bias, variance and mean squared error; shares of underestimates; wrong conclusions.
- `intervals`: coverage of percentile bootstrap intervals.
- `bands`: coverage, pointwise and simultaneous, and width of confidence bands.
- `sizes`: how far bands reach as a function of the number of trials.
- `tuning`: how steady tuning by repeated cross-validation is.
- `attempts`: coverage and width of intervals for pass@k, in simulated evaluations.

What is simulated is a `Design`, checked once; the sample-size law and the recorded repetitions,
of which nothing is simulated, have none.
"""
