"""How many processes simulations use."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Annotated

from bestofk.cli.options import opt

Jobs = Annotated[int | None, opt("Processes; as many as there are cores if left out.")]


def n_jobs(wanted: int | None) -> int:
    """Return the number of processes: what was asked for, or one per core if joblib is there."""
    if wanted is not None:
        return wanted
    if find_spec("joblib") is None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
