"""What a report and the pages show, as plain dataclasses; templates turn them into text.

record.py    a search with all that is known of where it came from
library.py   the records in files, folders and stores
view.py      how to look at them: confidence, statistic, band, axis, budgets
findings.py  the results that a view asks for
words.py     captions, badges, and what the verdict says already
jinja.py     templates to HTML, Markdown and LaTeX, everything escaped
plain.py     pages as plain data
report/      the report: its content, the search-reporting table, the methods paragraph
"""
