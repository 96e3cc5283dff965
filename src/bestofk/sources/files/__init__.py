"""Tables: arrays, data frames, CSV, JSON, JSON lines and Parquet, and folders of them.

arrays.py  frames.py  csv_files.py  json_lines.py  json_files.py  parquet.py  folders.py
                the sources
pickles.py      refuses pickles
searches.py     tables to searches: which column is what, and the trials of each method
columns.py      which column is what, where the user does not say
logs.py         learning-curve logs are recognised; take.py: one row of each trial
attempts.py     attempts at problems are refused; repeated.py: repeats of whole searches are told
table.py        columns of equal length, and where they came from; cells.py: single cells
dialects.py     tables as tools write them, each in the file of its tool
percent.py      83.2% as 0.832
research.py     tables as the papers' code writes them: allentune, opda
adapted.py      what dialects have in common; times.py: durations and points in time
csv_columns.py  a column of a CSV file as it is read
nested.py       nested records as columns
opening.py      files by name, plain or gzipped, how they begin and how much is read
yaml_files.py   YAML without objects or expanded aliases
"""
