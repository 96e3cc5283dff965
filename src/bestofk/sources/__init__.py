"""Where searches come from: one file per source, found by what it recognises.

registry.py   `read`: finds the source that recognises what it is given
options.py    what every reader is told: which column is what
table.py      columns to searches, shared by all tabular sources; cells.py: single cells
dialects.py   tables as tools write them: Optuna, MLflow, W&B, Ray, allentune, opda
runs.py       trials as a tool recorded them, to searches, shared by all tools' readers
arrays.py  csvfile.py  jsonlines.py  frames.py  parquet.py
optunastudies.py  scikit.py  raytune.py  wandbruns.py (wandbfiles.py)  mlflowruns.py  hydrajobs.py
databases.py  looks into a database to see which tool wrote it; store.py: the store of run_search
pickles.py    refuses pickles; peek.py: how a file begins
exports.py    the other way: a search to CSV, JSON lines, Parquet or an Optuna storage
              (optunaexport.py, with exact.py for values that Optuna has no place for)

A source is a module (or object) with `NAME`, `recognises(x)` and `read(x, options)`.  Other
packages add theirs under the entry-point group ``bestofk.sources``.
"""
