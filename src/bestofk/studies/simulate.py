"""Many simulated samples, in blocks: seeded block by block, in parallel, with progress.

A block draws from its own child of the seed, so that the result depends on the seed and the number
of samples alone, not on the number of processes or on their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeAlias

import numpy as np

from bestofk._base import arguments
from bestofk.errors import needing

MOST_TRIALS = 10**6  # of one simulated search
Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many blocks are done and how many there are."""


def in_blocks(
    task: Callable[[int, np.random.Generator], Any],
    n_samples: int,
    *,
    seed: int,
    block: int,
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> list[Any]:
    """Call ``task(count, rng)`` until `n_samples` are simulated, and return what it returned.

    Parameters
    ----------
    task : callable
        Simulates `count` samples from `rng`; for more than one process it must be picklable.
    n_samples, block : int
        How many samples in all, and in one call.
    seed : int
        Fixes everything.
    n_jobs : int
        Processes; more than one needs joblib.
    progress : callable, optional
        Called with the blocks done and their number.

    Examples
    --------
    >>> in_blocks(lambda count, rng: count, 25, seed=0, block=10)
    [10, 10, 5]
    """
    total = arguments.whole("n_samples", n_samples)
    size = arguments.whole("block", block)
    counts = [min(size, total - start) for start in range(0, total, size)]
    seeds = np.random.SeedSequence(seed).spawn(len(counts))
    return run_all(
        [(task, (count, child)) for count, child in zip(counts, seeds, strict=True)],
        n_jobs=n_jobs,
        progress=progress,
        call=_seeded,
    )


def _seeded(task: Callable[..., Any], count: int, seed: np.random.SeedSequence) -> Any:
    return task(count, np.random.default_rng(seed))


def _plain(task: Callable[..., Any], *arguments: Any) -> Any:
    return task(*arguments)


def run_all(
    calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]],
    *,
    n_jobs: int = 1,
    progress: Progress | None = None,
    call: Callable[..., Any] = _plain,
) -> list[Any]:
    """Make independent calls, in processes if there are several, and return their results in order.

    Examples
    --------
    >>> run_all([(max, (1, 2)), (min, (1, 2))])
    [2, 1]
    """
    jobs = arguments.whole("n_jobs", n_jobs)
    if jobs == 1 or len(calls) == 1:
        stream = (call(task, *arguments) for task, arguments in calls)
    else:
        with needing("several processes", "joblib", "sklearn"):
            from joblib import Parallel, delayed
        pool = Parallel(n_jobs=jobs, return_as="generator", pre_dispatch="2*n_jobs")
        stream = pool(delayed(call)(task, *arguments) for task, arguments in calls)
    results = []
    with _one_thread():
        for result in stream:
            results.append(result)
            if progress is not None:
                progress(len(results), len(calls))
    return results


def _one_thread() -> AbstractContextManager[Any]:
    """Let BLAS use one thread: the products are small and many, and processes do the rest."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    limits: AbstractContextManager[Any] = threadpool_limits(1)
    return limits
