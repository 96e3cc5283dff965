"""The mathematics: arrays in, arrays out, numpy and scipy only; larger is better.

order.py    the U, V and W estimates of the expected maximum
ecdf.py     quantiles of the empirical distribution
"""
