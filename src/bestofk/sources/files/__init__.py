"""Tables: arrays, data frames, CSV, JSON lines and Parquet.

arrays.py  frames.py  csv_files.py  json_lines.py  parquet.py   the sources
pickles.py      refuses pickles
searches.py     columns to searches, shared by all sources here
columns.py      which column is what, where the user does not say
logs.py         learning-curve logs are recognised; take.py: one row of each trial
attempts.py     attempts at problems are refused
table.py        columns of equal length, and where they came from; cells.py: single cells
dialects.py     tables as tools write them: Optuna, scikit-learn, MLflow, W&B, Ray
research.py     tables as the papers' code writes them: allentune, opda
adapted.py      what a dialect adds to a table; times.py: durations and points in time
csv_columns.py  a column of a CSV file as it is read
nested.py       nested records as columns
opening.py      files by name, plain or gzipped, and how they begin
"""
