"""Every figure and table of the papers by name, and running one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from bestofk.errors import ArgumentError, DataError
from bestofk.lab import data
from bestofk.lab.figures import Figure
from bestofk.lab.simulate import Progress
from bestofk.lab.verdicts import Check, Numbers, Verdict, make_verdict

# One module per paper or part of one; each has `REPRODUCTIONS`.
MODULES = (
    "dodge2021",
    "tang2020",
    "tang2020_kernels",
    "lourie2024_estimates",
    "lourie2024_coverage",
    "lourie2024_deberta",
    "lourie2024_epochs",
    "lourie2024_ablations",
    "lourie2024_cdfs",
    "lourie2024_sizes",
    "moss2018_figures",
    "moss2018_grids",
    "moss2018_tables",
    "moss2018_splits",
    "moss2018_reruns",
)


@dataclass(frozen=True, kw_only=True)
class Run:
    """How a reproduction is run.

    Attributes
    ----------
    full : bool
        At the paper's size, or at one that takes less than a minute.
    folder : path, optional
        Where the papers' data lie; found by `data.folder` if left out.
    seed : int
        Fixes everything random.
    n_jobs : int
        Processes.
    progress : callable, optional
        Called with the parts done and their number.
    """

    full: bool = False
    folder: Path | None = None
    seed: int = 0
    n_jobs: int = 1
    progress: Progress | None = None

    def path(self, name: str) -> Path:
        """Return where a file of the papers' data lies, downloading it if need be."""
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


def reproductions() -> dict[str, Reproduction]:
    """Return every figure and table by its name, in the order of the papers.

    Examples
    --------
    >>> "tang2020-fig4" in reproductions()
    True
    """
    found: dict[str, Reproduction] = {}
    for name in MODULES:
        module = import_module(f"bestofk.lab.papers.{name}")
        found |= {item.id: item for item in module.REPRODUCTIONS}
    return dict(sorted(found.items(), key=lambda item: _place(item[0])))


def _place(name: str) -> tuple[int, int, int, str]:
    """Order by paper (year), then figures before tables before reruns, by number."""
    paper, _, what = name.partition("-")
    kind = next(i for i, word in enumerate(("fig", "table", "rerun")) if what.startswith(word))
    digits = "".join(c for c in what if c.isdigit())
    order = ("dodge2021", "tang2020", "lourie2024", "moss2018").index(paper)
    return order, kind, int(digits or 0), what


def find(name: str) -> Reproduction:
    """Return one by name."""
    known = reproductions()
    if name not in known:
        from difflib import get_close_matches

        close = get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise ArgumentError(
            f"there is no figure or table {name!r}; see bestofk reproduce --list.{hint}"
        )
    return known[name]


def reproduce(item: Reproduction, run: Run) -> tuple[Verdict, Numbers]:
    """Compute a figure or table and judge it; data that are not there give no verdict.

    Examples
    --------
    >>> verdict, _ = reproduce(find("lourie2024-fig10"), Run(folder=Path("nowhere")))
    >>> verdict.holds is None, "nowhere" in verdict.missing
    (True, True)
    """
    start = time.perf_counter()
    try:
        numbers = item.compute(run)
    except data.NotThereError as error:
        numbers = Numbers(missing=str(error))
    checks = () if numbers.missing else item.judge(numbers)
    verdict = make_verdict(
        id=item.id,
        title=item.title,
        claim=item.claim,
        numbers=numbers,
        checks=checks,
        full=run.full,
        seconds=time.perf_counter() - start,
    )
    return verdict, numbers


def write(item: Reproduction, verdict: Verdict, numbers: Numbers, folder: Path) -> list[Path]:
    """Write the verdict, the numbers and the figure into a folder of their own."""
    from bestofk.lab import drawing, files

    target = folder / item.id
    try:
        target.mkdir(parents=True, exist_ok=True)
        paths = files.write_numbers(verdict, numbers, target)
    except OSError as error:
        raise DataError(f"{target}: cannot be written: {error.strerror}.") from None
    if not numbers.missing:
        paths += drawing.save_figure(item.draw(numbers), target / "figure")
    return paths
