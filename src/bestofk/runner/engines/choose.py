"""Choose the engine that runs the trials of a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from bestofk._base import remarks
from bestofk.runner.engines.engine import Engine
from bestofk.runner.work.outcome import Job


def make_engine(
    job: Job,
    *,
    n_workers: int | None,
    dask: str | int | None = None,
    resources: Mapping[str, float] | None = None,
    say: Callable[[str], None] = remarks.say,
) -> Engine:
    """Return the engine for the kind of objective and the place where it is to run."""
    if dask is not None:
        from bestofk.runner.engines.cluster import DaskEngine

        return DaskEngine(job, dask, n_workers=n_workers, resources=dict(resources or {}), say=say)
    n_workers = 1 if n_workers is None else n_workers
    if job.is_command:
        from bestofk.runner.engines.slots import CommandSlots

        return CommandSlots(job, n_workers=max(n_workers, 1))
    if n_workers == 0:
        from bestofk.runner.engines.inline import Inline

        return Inline(job)
    from bestofk.runner.engines.pool import ProcessEngine

    return ProcessEngine(job, n_workers=n_workers)
