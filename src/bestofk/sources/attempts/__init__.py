"""Readers of attempts: tables, counts, and what the tools of the field leave.

read.py      `read_attempts`: files, folders, tables
opened.py    files looked at once, and which tool wrote them
options.py   what the user says
kinds.py     the formats that are known by their shape, without options
tables.py    from a table to `Attempts`: which column is what
humaneval.py  evalplus.py  inspect_logs.py  inspect_sets.py  tau.py  livecodebench.py  swebench.py
lm_eval.py   refused, with the reason
"""
