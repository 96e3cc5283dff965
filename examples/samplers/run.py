"""Repeat whole searches by TPE, CMA-ES and random search, and record every trial.

    python examples/samplers/run.py search --out OUT
    python examples/samplers/run.py collect --out OUT --csv src/bestofk/datasets

This made src/bestofk/datasets/repeats.csv.gz and repeats_random.csv.gz.  `search` runs, for each
objective (objectives.py), 24 studies of 64 trials by each of three samplers of Optuna (studies.py)
and a random search of 1,024 trials.  All of it goes through `bestofk.run_search`: a whole study is
one trial of the search "diabetes-tpe", a fit is one trial of the search "diabetes-search".  The
same command again goes on where it was stopped or killed, and loses and repeats nothing but what
was being fitted.

Needs scikit-learn, Optuna and cmaes.  It takes about 20 minutes on one processor core.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import os
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is imported: for matrices this small, threads only wait

from objectives import OBJECTIVES  # noqa: E402
from studies import SAMPLERS, SEEDS, lines_path, read_lines, whole_study  # noqa: E402

import bestofk as bk  # noqa: E402

SEARCH_SEED = 4000  # plus the position of the objective


def main(words: Sequence[str] | None = None) -> None:
    """Parse the command line and run a command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["search", "collect"])
    parser.add_argument("--out", required=True, type=Path, help="folder of the store and the lines")
    parser.add_argument("--objectives", nargs="+", choices=OBJECTIVES, default=list(OBJECTIVES))
    parser.add_argument("--samplers", nargs="+", choices=SAMPLERS, default=list(SAMPLERS))
    parser.add_argument("--repeats", type=int, default=24, help="studies per sampler")
    parser.add_argument("--trials", type=int, default=64, help="trials per study")
    parser.add_argument("--random", type=int, default=1024, help="trials of the random search")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--csv", type=Path, default=Path(), help="folder for the tables")
    options = parser.parse_args(words)
    {"search": search, "collect": collect}[options.command](options)


def search(options: argparse.Namespace) -> None:
    """Run what is missing of all studies and random searches."""
    options.out.mkdir(parents=True, exist_ok=True)
    for objective in options.objectives:
        for sampler in options.samplers:
            print(run_studies(objective, sampler, options), flush=True)
        if options.random:
            print(run_random(objective, options), flush=True)


def run_studies(objective: str, sampler: str, options: argparse.Namespace) -> bk.Search:
    """Run the studies of a sampler; the best of each is the score of a trial."""
    return bk.run_search(
        partial(whole_study, folder=options.out.resolve()),
        {"objective": objective, "sampler": sampler, "n_trials": options.trials},
        n_trials=options.repeats,
        seed=SEEDS[sampler],
        name=f"{objective}-{sampler}",
        store=store_of(options.out),
        score="best",
        direction=OBJECTIVES[objective].direction,
        cost="seconds",
        n_workers=options.workers,
    )


def run_random(objective: str, options: argparse.Namespace) -> bk.Search:
    """Run the random search of an objective."""
    return bk.run_search(
        partial(one_fit, objective=objective),
        OBJECTIVES[objective].space,
        n_trials=options.random,
        seed=search_seed(objective),
        name=f"{objective}-search",
        store=store_of(options.out),
        direction=OBJECTIVES[objective].direction,
        cost="seconds",
        n_workers=0,  # starting a process takes longer than a fit
    )


def one_fit(params: dict[str, Any], trial: Any, *, objective: str) -> dict[str, float]:
    """Measure one setting."""
    return OBJECTIVES[objective].measure(params)


def search_seed(objective: str) -> int:
    """Return the seed of the random search of an objective."""
    return SEARCH_SEED + list(OBJECTIVES).index(objective)


def store_of(out: Path) -> str:
    """Return the address of the store."""
    return f"sqlite:///{out.resolve() / 'samplers.db'}"


def collect(options: argparse.Namespace) -> None:
    """Write all trials as two tables."""
    measured = ("number", "score", "test", "seconds")
    columns = ("objective", "sampler", "seed", *measured)
    write_table(options.csv / "repeats.csv.gz", columns, study_rows(options))
    if options.random:
        settings = dict.fromkeys(p for name in options.objectives for p in OBJECTIVES[name].box)
        columns = ("objective", *measured, *settings)
        write_table(options.csv / "repeats_random.csv.gz", columns, random_rows(options))


def study_rows(options: argparse.Namespace) -> Iterable[dict[str, Any]]:
    """Yield the trials of all studies; refuse a study that is not whole."""
    for objective in options.objectives:
        for sampler in options.samplers:
            for repeat in range(options.repeats):
                path = lines_path(options.out, objective, sampler, repeat)
                rows = read_lines(path)
                if len(rows) != options.trials:
                    raise SystemExit(
                        f"{path}: must have {options.trials} trials; has {len(rows)}. "
                        "Run search first."
                    )
                for row in rows:
                    yield {**row, "objective": objective, "sampler": sampler}


def random_rows(options: argparse.Namespace) -> Iterable[dict[str, Any]]:
    """Yield the trials of the random searches, settings to six digits."""
    for objective in options.objectives:
        for trial in bk.read(store_of(options.out), name=f"{objective}-search").trials:
            settings = {name: f"{trial.params[name]:.6g}" for name in OBJECTIVES[objective].box}
            yield {"objective": objective, "number": trial.number, **trial.metrics, **settings}


def write_table(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """Write a gzipped CSV table, the same bytes for the same rows."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode(), compresslevel=9, mtime=0))
    print(f"{text.getvalue().count(chr(10)) - 1} trials written to {path}")


if __name__ == "__main__":
    main()
