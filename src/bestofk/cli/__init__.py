"""The command line: a command parses, calls one verb of the library, and prints.

main.py      the program, its errors and exit codes
options.py   options that several commands share, and reading the files they name
output.py    table, JSON and CSV on standard output; remarks on standard error
curve.py  compare.py  passk.py  plan.py (also power)  importance.py
check.py  demo.py
search.py (also resume)  store.py (status, list, export)
"""
