"""One figure or table of a paper, and how it is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bestofk.studies.simulate import Progress
from bestofk_reproduction import data
from bestofk_reproduction.figures import Figure
from bestofk_reproduction.verdicts import Check, Numbers


@dataclass(frozen=True, kw_only=True)
class Run:
    """How a reproduction is run.

    Attributes
    ----------
    full : bool
        Whether to run at the paper's size.  By default, at one that takes less than a minute.
    folder : path, optional
        Folder with the papers' data in their tidy form.  By default, `data.find` looks for them.
    seed : int
        Seed of everything random.
    n_jobs : int
        Number of processes.
    progress : callable, optional
        Called with the number of finished parts and their total.
    """

    full: bool = False
    folder: Path | None = None
    seed: int = 0
    n_jobs: int = 1
    progress: Progress | None = None

    def path(self, name: str) -> Path:
        """Return the path of a file of the papers' data, downloading it if necessary."""
        return data.find(name, folder=self.folder)


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """One figure or table: how its numbers are computed, judged and drawn."""

    id: str
    title: str
    claim: str
    compute: Callable[[Run], Numbers] = field(repr=False)
    judge: Callable[[Numbers], Sequence[Check]] = field(repr=False)
    draw: Callable[[Numbers], Figure] = field(repr=False)
