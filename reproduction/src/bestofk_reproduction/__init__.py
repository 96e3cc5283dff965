"""The figures and tables of the four papers, each with a check of the paper's claim.

command.py    ``bestofk reproduce``
registry.py   every figure and table by name, and running one of them
papers/       one file for each figure or table, or for a few that share their numbers
reproduction.py   one figure or table, and how it is run
verdicts.py   numbers, checks and the verdict
data.py  download.py  convert.py   the papers' data
figures.py  drawing.py             the contents of a figure as plain data, and drawing it
files.py  index.py                 the files of one reproduction, and the page with all of them
truths.py  tunings.py  cdf_coverage.py  interval_coverage.py   simulations of the papers
"""
