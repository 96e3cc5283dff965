"""Every figure and table of the papers by name, and running one of them."""

from __future__ import annotations

import time
from pathlib import Path

from bestofk.errors import ArgumentError, DataError
from bestofk_reproduction import drawing, files
from bestofk_reproduction.download import NotThereError
from bestofk_reproduction.papers import (
    dodge2021,
    lourie2024_ablations,
    lourie2024_cdfs,
    lourie2024_coverage,
    lourie2024_deberta,
    lourie2024_epochs,
    lourie2024_estimates,
    lourie2024_sizes,
    moss2018_figures,
    moss2018_grids,
    moss2018_reruns,
    moss2018_splits,
    moss2018_tables,
    tang2020,
    tang2020_kernels,
)
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.verdicts import Numbers, Verdict, make_verdict

MODULES = (
    dodge2021,
    tang2020,
    tang2020_kernels,
    lourie2024_estimates,
    lourie2024_coverage,
    lourie2024_deberta,
    lourie2024_epochs,
    lourie2024_ablations,
    lourie2024_cdfs,
    lourie2024_sizes,
    moss2018_figures,
    moss2018_grids,
    moss2018_tables,
    moss2018_splits,
    moss2018_reruns,
)


def reproductions() -> dict[str, Reproduction]:
    """Return every figure and table by name, in the order of the papers.

    Examples
    --------
    >>> "tang2020-fig4" in reproductions()
    True
    """
    found = {item.id: item for module in MODULES for item in module.REPRODUCTIONS}
    return dict(sorted(found.items(), key=lambda item: _place(item[0])))


def _place(name: str) -> tuple[int, int, int, str]:
    """Return the sort key: the paper, then figures before tables before reruns, by number."""
    paper, _, what = name.partition("-")
    kind = next(i for i, word in enumerate(("fig", "table", "rerun")) if what.startswith(word))
    digits = "".join(c for c in what if c.isdigit())
    order = ("dodge2021", "tang2020", "lourie2024", "moss2018").index(paper)
    return order, kind, int(digits or 0), what


def find(name: str) -> Reproduction:
    """Return the figure or table of this name."""
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
    """Compute a figure or table and judge its claim.

    If the data are not available, the verdict says so instead.

    Examples
    --------
    >>> verdict, _ = reproduce(find("lourie2024-fig10"), Run(folder=Path("nowhere")))
    >>> verdict.holds is None, "nowhere" in verdict.missing
    (True, True)
    """
    start = time.perf_counter()
    try:
        numbers = item.compute(run)
    except NotThereError as error:
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
    """Write the verdict, the numbers and the figure into a subfolder named after the item.

    Returns the paths of the files.
    """
    target = folder / item.id
    try:
        target.mkdir(parents=True, exist_ok=True)
        paths = files.write_numbers(verdict, numbers, target)
    except OSError as error:
        raise DataError(f"{target}: cannot be written: {error.strerror}.") from None
    if not numbers.missing:
        paths += drawing.save_figure(item.draw(numbers), target / "figure")
    return paths
