"""Where searches come from, and where they go: one file per source.

registry.py   `read` and `read_all`: find the source that recognises what they are given
found.py      what a reader found, column by column, and the one way from there to a Search
options.py    what the user tells every reader
caveats.py    what the readers say against a search, by kind
refusals.py   what they say when others fail: packages that are not there, their errors; nothing
              else comes out of `read` than a value or one sentence
export.py     the other way: `export` writes a search to a file or an Optuna storage

files/        tables, in memory or in files, and what their columns and cells mean
tools/        what other tools left: objects, folders and databases, and our own store
repeats/      which searches are repeats of one method: `read_repeats`

A source is a module (or object) with `NAME`, `recognises(x)` and `read(x, options)`, which returns
a search or several, or what was found: a `Table`, whose columns may mean anything, or a `Found`.
Other packages add theirs under the entry-point group ``bestofk.sources``.
"""
