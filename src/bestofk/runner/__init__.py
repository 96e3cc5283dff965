"""Running a random search: trial i is a pure function of (space, seed, i), the ledger remembers.

distributions.py  the distributions a parameter can have
draw.py           Draw: how a user writes them
space.py          Space: the parameters together, from Python, TOML or JSON, and its fingerprint
foreign.py        spaces of allentune, Optuna, scipy and scikit-learn
sampler.py        the parameters of trial i
objective.py      what is run: a function or a command, and how it is told from another
command.py        command templates, without a shell; metrics from what the command prints
trial.py          RunningTrial: what an objective is handed; stopping at fixed thresholds
outcome.py        Task and Outcome: what goes to an engine and what comes back
engines.py        the interface of engines, and which one to take
inline.py  pool.py (Pebble)  slots.py (commands)  cluster.py (Dask)
child.py          one trial in a process of its own, on a Dask worker
reaper.py         ends the commands of a driver that was killed
ledger.py         the store: SQLite or PostgreSQL
lock.py           one driver per search
identity.py       what makes a search the same search
machine.py        on what it ran
interrupts.py     two-stage Ctrl-C
progress.py       the bar
run.py            run_search and resume_search
"""
