"""Running a random search whose trial i is a pure function of (space, seed, i), and recording it.

run.py         run_search and resume_search
prepare.py     their arguments, checked
part.py        which trials one call runs: all, some numbers, a shard
drive.py       the loop of the driver: submit trials, record outcomes, retry
alike.py       the first failures, and when they stop a search
stopping.py    when a search stops early: rules that a monitor checks
dry.py         one trial that is shown and not recorded
interrupts.py  two-stage Ctrl-C, and SIGTERM with a grace period
progress.py    the progress bar
identity.py    what identifies a search, so that another one under its name is refused
machine.py     the machine and the package versions that a search ran with
readback.py    from the records of a store to a Search
tally.py       what the database counts of a search
summary.py     the summary of a search in a store
edits.py       removing a search, and failed trials to run again
merge.py       the stores of shards become one
place.py       a store by URL or path

work/      one trial
    objective.py  the objective: a function, its name, or a command
    command.py    command templates, filled in without a shell, and the metrics of a command
    process.py    one attempt at a trial that runs a command
    pattern.py    the score of a command that prints no JSON
    trial.py      RunningTrial, which a function receives, and one attempt at a trial that runs it
    output.py     what a command wrote, read from the end
    outcome.py    Job, Task and Outcome: what an engine is given and what it returns
    child.py      one trial in a child process of a Dask worker
    groups.py     how to kill a process group and to describe the death of a process
    reaper.py     kills the commands of a driver that was killed
engines/   where trials run
    engine.py     the interface that the driver uses
    choose.py     which engine a search uses
    inline.py     in this process
    pool.py       functions in local processes (Pebble)
    slots.py      commands on this machine
    cluster.py    on a Dask cluster
store/     what is recorded
    ledger.py     Ledger: an open store, SQLite or PostgreSQL
    tables.py     its tables and their rows
    schema.py     the schema's number, and how an older store is brought up to date
    address.py    the URL of a store
    sqlite_file.py  the file of an SQLite store: opened, left, and still there
    names.py      one name for a file that is written
    server.py     a server that goes away
    lock.py       one driver per search, or several that run a part each
    once.py       inserting what may be there already
    localdisk.py  whether the disk of a store is local and has free space

What trials are drawn from is in bestofk.space.
"""
