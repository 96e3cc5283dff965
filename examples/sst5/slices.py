"""Many trials at a time on one device, as many as the time allows.

Needs numpy, PyTorch and this source tree, no more: trial i draws what `bestofk.run_search` would
give it, since both ask `bestofk.space.sampler`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

from records import read_results
from study import SEEDS, say, space_of

from bestofk.runner.machine import describe_machine
from bestofk.space.sampler import trial_params, trial_seed


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
    corpus = load(options.data, limit=options.limit, kind=options.vectors or "film")
    write_machine(options)
    asked = {name: getattr(options, name) for name in ("epochs", "vectors", "plateau_mode")}
    changes = {name: value for name, value in asked.items() if value is not None}
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
