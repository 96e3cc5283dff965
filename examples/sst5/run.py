"""Search both models: many trials at a time on one device, in slices that can be gone on with.

    python examples/sst5/run.py slice  --data FOLDER --out OUT --trials 256 --seconds 480
    python examples/sst5/run.py slice  --data FOLDER --out OUT2 --done OUT/results.jsonl
    python examples/sst5/run.py collect OUT/results.jsonl OUT2/results.jsonl --store sst5.db \
        --csv src/bestofk/datasets

`slice` needs numpy, PyTorch and this source tree, no more: trial i draws what
`bestofk.run_search` would give it, since both ask `bestofk.runner.sampler`.  Each trial that ends
is one line of OUT/results.jsonl at once; a slice skips the numbers in the files after --done.
`collect` draws all parameters again, refuses a result that was not made with them, plays the
results to `bestofk.run_search`, which records them in its ledger, and writes them as CSV.

With bestofk installed and one machine at hand, `search` does it all by `bestofk.run_search`.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "src")]

from bestofk.runner.machine import describe_machine  # noqa: E402
from bestofk.runner.sampler import trial_params, trial_seed  # noqa: E402
from bestofk.runner.space import Space  # noqa: E402

# One seed a model: with one for both, trial i of the two would share its random numbers.
SEEDS = {"cnn": 20210, "lboe": 20211}
METRICS = ("accuracy", "test_accuracy", "epochs", "best_epoch", "seconds")


def space_of(model: str) -> Space:
    """Return the search space of a model."""
    return Space(HERE / f"space_{model}.toml")


def drawn(model: str) -> list[str]:
    """Return the names of the parameters that vary."""
    return [name for name, d in space_of(model).params.items() if d.kind != "constant"]


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
    cut.add_argument("--done", nargs="*", type=Path, default=[], help="results.jsonl of before")
    cut.set_defaults(run=run_slice)

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
    take.set_defaults(run=collect)

    check = commands.add_parser("check", help="hold trials run again against the recorded ones")
    check.add_argument("results", nargs="+", type=Path, help="results.jsonl of trials run again")
    check.set_defaults(run=check_again)

    options = parser.parse_args(words)
    options.run(options)


def run_slice(options: argparse.Namespace) -> None:
    """Run the trials that are missing, in the order of their numbers."""
    from data import load

    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "results.jsonl"
    start = time.time()
    known = {(r["model"], r["number"]) for r in read_results([*options.done, path], missing=True)}
    numbers = options.numbers or range(options.trials)
    todo = [(m, n) for n in numbers for m in options.models if (m, n) not in known]
    say(f"{len(known)} trials known, {len(todo)} to do, {options.workers} at a time")
    corpus = load(options.data, limit=options.limit)
    write_machine(options)
    changes = {} if options.epochs is None else {"epochs": options.epochs}
    stop = start + options.seconds
    steps = ended = 0
    with path.open("a", encoding="utf-8") as file:
        for result in results_of(todo, corpus, options.device, options.workers, stop, changes):
            file.write(json.dumps(result, allow_nan=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
            ended += 1
            epochs = result.get("epochs", 0)
            steps += epochs * -(-len(corpus.labels["train"]) // result["params"]["batch_size"])
            score = result.get("accuracy", result.get("error"))
            say(f"{time.time() - start:6.1f} s  {result['model']:4} {result['number']:4}  {score}")
    wall = time.time() - start
    say(
        f"{ended} trials and {steps} steps in {wall:.1f} s, "
        f"{1000 * wall / max(steps, 1):.3f} ms a step over all workers; {len(todo) - ended} left"
    )


def results_of(
    todo: list[tuple[str, int]],
    corpus: Any,
    device: str,
    n_workers: int,
    stop: float,
    changes: dict[str, Any],
) -> Iterator[dict[str, Any]]:
    """Run trials in processes of their own and yield each result as it comes."""
    import multiprocessing
    import queue

    context = multiprocessing.get_context("spawn")
    place, results = context.Value("i", 0), context.Queue()
    workers = [
        context.Process(target=work, args=(todo, place, results, corpus, device, stop, changes))
        for _ in range(min(n_workers, len(todo)))
    ]
    for worker in workers:
        worker.start()
    while True:
        over = not any(worker.is_alive() for worker in workers)  # before the last look
        try:
            yield results.get(timeout=0.0 if over else 0.2)
        except queue.Empty:
            if over:
                break
    lost = [worker.exitcode for worker in workers if worker.exitcode != 0]
    if lost:
        say(f"{len(lost)} workers died, with {lost}; their trials are not recorded: run them again")


def work(
    todo: list[tuple[str, int]],
    place: Any,
    results: Any,
    corpus: Any,
    device: str,
    stop: float,
    changes: dict[str, Any],
) -> None:
    """Run the next trial until there is none or the time is up."""
    from train import Data, objective, one_of_many

    one_of_many()
    data = Data(corpus, device)
    while time.time() < stop:
        with place.get_lock():
            at = place.value
            place.value += 1
        if at >= len(todo):
            break
        model, number = todo[at]
        params = trial_params(space_of(model), SEEDS[model], number) | changes
        trial = SimpleNamespace(number=number, seed=trial_seed(SEEDS[model], number))
        started, clock = time.time(), time.perf_counter()
        try:
            found: dict[str, Any] = objective(params, trial, model=model, data=data)
            found = {"state": "complete", **found}
        except FloatingPointError as error:  # any other error is ours, not the trial's: let it pass
            seconds = time.perf_counter() - clock
            found = {"state": "failed", "error": str(error), "seconds": seconds}
        results.put({"model": model, "number": number, "params": params, **found, "start": started})
    results.close()
    results.join_thread()


def run_whole(options: argparse.Namespace) -> None:
    """Run a search on this machine, in a ledger; the same command again goes on with it."""
    from train import objective_in

    where = {"folder": options.data, "device": options.device, "limit": options.limit}
    objective = partial(objective_in, model=options.model, **where)
    print(search(objective, options.model, options.trials, options.store, options.workers))


def search(objective: Any, model: str, n: int, store: str, n_workers: int) -> Any:
    """Run or record trials 0 to n - 1."""
    import bestofk as bk

    return bk.run_search(
        objective,
        space_of(model),
        n_trials=n,
        seed=SEEDS[model],
        name=f"sst5-{model}",
        store=f"sqlite:///{store}",
        score="accuracy",
        bounds=(0, 1),
        cost="seconds",
        n_workers=n_workers,
    )


def write_machine(options: argparse.Namespace) -> None:
    """Write what this runs on beside the results."""
    import numpy as np
    import torch

    about = describe_machine() | {
        "numpy": np.__version__,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "device": options.device,
        "workers": options.workers,
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    (options.out / "machine.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def read_results(paths: Iterable[Path], *, missing: bool = False) -> list[dict[str, Any]]:
    """Return the results in some files, one per trial; a line cut off by a crash is left out."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for path in paths:
        if missing and not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                result = json.loads(line)
            except json.JSONDecodeError:
                say(f"{path}: a line is not whole and is left out: {line:.60}")
                continue
            found.setdefault((result["model"], result["number"]), result)
    return list(found.values())


def collect(options: argparse.Namespace) -> None:
    """Write the searches that the results make: trials 0, 1, ... up to the first missing one."""
    results = read_results(options.results)
    for model in SEEDS:
        by_number = {r["number"]: r for r in results if r["model"] == model}
        n = next(i for i in range(len(by_number) + 1) if i not in by_number)
        if n < len(by_number):  # what ended early beyond a gap would favour fast trials
            say(f"{model}: trial {n} is missing; the {len(by_number) - n} after it are left out")
        refuse_other_params(model, by_number)
        if n == 0:
            continue
        print(search(partial(recorded, by_number=by_number), model, n, options.store, 0))
        if options.csv is not None:
            write_csv(options.csv / f"sst5_{model}.csv", model, [by_number[i] for i in range(n)])


def refuse_other_params(model: str, by_number: dict[int, dict[str, Any]]) -> None:
    """Raise if a result was not made with what the trial of that number draws."""
    space = space_of(model)
    for number, result in by_number.items():
        params = trial_params(space, SEEDS[model], number)
        if result["params"] != params:
            raise SystemExit(
                f"{model}, trial {number}: must have run with {params}; ran with "
                f"{result['params']}. Were these results made with --epochs, or another space?"
            )


def recorded(
    params: dict[str, Any], trial: Any, by_number: dict[int, dict[str, Any]]
) -> dict[str, float]:
    """Return what the trial gave when it was run."""
    result = by_number[trial.number]
    if result["state"] == "failed":
        raise FloatingPointError(result["error"])
    return {name: result[name] for name in METRICS}


def check_again(options: argparse.Namespace) -> None:
    """Print by how much trials that were run again differ from `bestofk.load_sst5()`."""
    import bestofk as bk

    searches = bk.load_sst5()
    worst = 0.0
    results = read_results(options.results)
    for result in results:
        model, number = result["model"], result["number"]
        refuse_other_params(model, {number: result})
        trial = searches[model].trials[number]
        if result["state"] != trial.state:
            raise SystemExit(f"{model}, trial {number}: {trial.state}, again {result['state']}")
        if trial.score is None:
            continue
        change = result["accuracy"] - trial.score
        worst = max(worst, abs(change))
        print(f"{model:4} {number:4}  {trial.score:.4f}  again {result['accuracy']:.4f}")
    print(f"{len(results)} trials: the same parameters, accuracies within {worst:.6f}")


def write_csv(path: Path, model: str, results: list[dict[str, Any]]) -> None:
    """Write a recorded search; parameters in full, so that they equal the draws."""
    names = drawn(model)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["number", "state", *METRICS, *names, "error"])
        for result in results:
            values = [result.get(metric, "") for metric in METRICS]
            shown = [round(v, 6) if isinstance(v, float) else v for v in values]
            params = [result["params"][name] for name in names]
            error = result.get("error", "")
            writer.writerow([result["number"], result["state"], *shown, *params, error])
    say(f"{len(results)} trials written to {path}")


def say(text: str) -> None:
    """Tell the person who watches."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
