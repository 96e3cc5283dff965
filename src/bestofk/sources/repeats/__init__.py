"""Readers of repeats: whole searches of one method, in tables, files, studies and sweeps.

read.py      `read_repeats`: what holds the searches, one by one
methods.py   which of them are repeats of one method
options.py   what the user says
names.py     what the name of a study or file tells: the method and the number of the repeat
tables.py    from a table to searches: which column is what
together.py  from searches of one method to `Repeats`, with what is to be known about them
"""
