"""A figure as plain data, and its drawers.

data.py        what a figure shows: lines, areas, bars, words, axes
intervals.py   intervals of several names, one under the other
matplotlib.py  draws it for papers, with matplotlib_intervals.py; style.py alone imports matplotlib
svg.py         draws it as SVG text, for notebooks and reports, with svg_intervals.py
plain.py       the same as plain values for JSON
"""
