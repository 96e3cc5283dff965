"""A figure as plain data, and its drawers.

data.py        what a figure shows: lines, areas, bars, words, axes
matplotlib.py  draws it for papers; the only file that imports matplotlib
svg.py         draws it as SVG text, for notebooks and reports
plain.py       the same as plain values for JSON
"""
