"""Where searches come from: one file per source, found by what it recognises.

registry.py   `read`: finds the source that recognises what it is given
options.py    what every reader is told: which column is what
table.py      columns to searches, shared by all tabular sources
arrays.py  csvfile.py  jsonlines.py  frames.py  store.py (of run_search)
export.py     the other way: a search to a file

A source is a module (or object) with `NAME`, `recognises(x)` and `read(x, options)`.  Other
packages add theirs under the entry-point group ``bestofk.sources``.
"""
