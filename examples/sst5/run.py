"""Search both models: many trials at a time on one device, in slices that can be gone on with.

    python examples/sst5/run.py slice  --data FOLDER --out OUT --trials 256 --seconds 480
    python examples/sst5/run.py slice  --data FOLDER --out OUT2 --done OUT/results.jsonl
    python examples/sst5/run.py collect OUT/results.jsonl OUT2/results.jsonl --store sst5.db \
        --csv src/bestofk/datasets

`slice` needs numpy, PyTorch and this source tree, no more: trial i draws what
`bestofk.run_search` would give it, since both ask `bestofk.space.sampler`.  Each trial that ends
is one line of OUT/results.jsonl at once; a slice skips the numbers in the files after --done.
`collect` draws all parameters again, refuses a result that was not made with them, plays the
results to `bestofk.run_search`, which records them in its ledger, and writes them as CSV.

With bestofk installed and one machine at hand, `search` does it all by `bestofk.run_search`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import records
import slices
from data import KINDS
from study import SEEDS, search


def main(words: Sequence[str] | None = None) -> None:
    """Parse the command line and run a command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(required=True)

    cut = commands.add_parser("slice", help="run trials, as many as the time allows")
    cut.add_argument("--data", required=True, help="folder with the text and the word vectors")
    cut.add_argument("--out", required=True, type=Path, help="folder for results.jsonl")
    cut.add_argument("--models", nargs="+", choices=SEEDS, default=list(SEEDS))
    cut.add_argument("--trials", type=int, default=256, help="per model, in all")
    cut.add_argument("--numbers", type=int, nargs="+", help="these trials only")
    cut.add_argument("--seconds", type=float, default=float("inf"), help="start none after this")
    cut.add_argument("--workers", type=int, default=12, help="trials at a time")
    cut.add_argument("--device", default="cuda")
    cut.add_argument("--limit", type=int, help="sentences of each split, for a try")
    cut.add_argument("--epochs", type=int, help="fewer epochs, for a try")
    cut.add_argument("--vectors", choices=KINDS, help="other word vectors, for a look")
    cut.add_argument("--plateau-mode", choices=["min"], help="a downward plateau, for a look")
    cut.add_argument("--done", nargs="*", type=Path, default=[], help="results.jsonl of before")
    cut.set_defaults(run=slices.run_slice)

    whole = commands.add_parser("search", help="run a search with bestofk.run_search")
    whole.add_argument("model", choices=SEEDS)
    whole.add_argument("--data", required=True, help="folder with the text and the word vectors")
    whole.add_argument("--store", required=True, help="file of the ledger")
    whole.add_argument("--trials", type=int, default=256)
    whole.add_argument("--workers", type=int, default=1, help="trials at a time")
    whole.add_argument("--device", default="cuda")
    whole.add_argument("--limit", type=int, help="sentences of each split, for a try")
    whole.set_defaults(run=run_whole)

    take = commands.add_parser("collect", help="make the recorded searches of the results")
    take.add_argument("results", nargs="+", type=Path, help="results.jsonl of all slices")
    take.add_argument("--store", required=True, help="file of the ledger to write")
    take.add_argument("--csv", type=Path, help="folder for sst5_cnn.csv and sst5_lboe.csv")
    take.set_defaults(run=records.collect)

    check = commands.add_parser("check", help="hold trials run again against the recorded ones")
    check.add_argument("results", nargs="+", type=Path, help="results.jsonl of trials run again")
    check.set_defaults(run=records.check_again)

    options = parser.parse_args(words)
    options.run(options)


def run_whole(options: argparse.Namespace) -> None:
    """Run a search on this machine, in a ledger; the same command again goes on with it."""
    from train import objective_in

    where = {"folder": options.data, "device": options.device, "limit": options.limit}
    objective = partial(objective_in, model=options.model, **where)
    print(search(objective, options.model, options.trials, options.store, options.workers))


if __name__ == "__main__":
    main()
