"""Running a random search: trial i is a pure function of (space, seed, i), the ledger remembers.

What is drawn
    distributions.py  the distributions a parameter can have
    draw.py           Draw: how a user writes them
    foreign.py        parameters as scikit-learn, scipy, Optuna and allentune write them
    space.py          Space: the parameters together, from Python, TOML or JSON; its fingerprint
    sampler.py        the parameters of trial i
What is run
    objective.py      a function or a command, and what it is called
    command.py        command templates, without a shell; metrics from what a command prints
    process.py        one attempt of a command
    trial.py          RunningTrial: what a function is handed; one attempt of a function
    outcome.py        Job, Task and Outcome: what goes to an engine and what comes back
Where it is run
    engines.py        what an engine offers, and which one to take
    inline.py  pool.py (Pebble)  slots.py (commands)  cluster.py (Dask)
    child.py          one trial in a process of its own, on a Dask worker
    reaper.py         ends the commands of a driver that was killed
What is remembered
    ledger.py         the store: SQLite or PostgreSQL
    tables.py         its tables and their rows
    lock.py           one driver per search
    localdisk.py      is the store on a local disk, and is there room
    identity.py       what makes a search the same search
    machine.py        on what it ran
    readback.py       from the store to a Search
    summary.py        what can be said of a search at this moment
How it goes
    run.py            run_search and resume_search
    drive.py          the driver's loop
    interrupts.py     two-stage Ctrl-C
    progress.py       the bar
"""
