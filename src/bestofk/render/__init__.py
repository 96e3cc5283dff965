"""What a report and the pages show, as plain dataclasses; templates turn them into text.

record.py       a search with all that is known of where it came from
library.py      the records in files, folders and stores
view.py         how to look at them: confidence, statistic, method, axis, budgets
findings.py     the results that a view asks for
searchtable.py  the search-reporting table of Dodge et al. 2021
citations.py    the methods paragraph and its references
report.py       the report
render.py       templates to HTML, Markdown and LaTeX, everything escaped
"""
