"""What starting costs: importing bestofk, and the first answer from the command line.

python bench/startup.py                     measures what is installed
python bench/startup.py --before PATH/src   measures this source tree and another one, in turns
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from table import show

HERE = Path(__file__).resolve().parents[1] / "src"
ROWS = {
    "import numpy, scipy.special": ["-c", "import numpy, scipy.special"],
    "import bestofk": ["-c", "import bestofk"],
    "import bestofk, every core name used": ["-c", "from bestofk import *"],
    "bestofk curve small.csv": ["-m", "bestofk", "curve", "small.csv"],
}


def cpu_seconds(arguments: list[str], folder: str, tree: Path | None) -> float:
    """Return the CPU time, user and system, of a fresh Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(arguments, folder, tree)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(arguments: list[str], folder: str, tree: Path | None) -> str:
    """Run Python with this source tree; None: with what is installed."""
    path = {} if tree is None else {"PYTHONPATH": str(tree)}
    done = subprocess.run(
        [sys.executable, *arguments], check=True, capture_output=True, text=True, cwd=folder,
        env=os.environ | path,
    )  # fmt: skip
    return done.stdout


def least(
    arguments: list[str], folder: str, trees: list[Path | None], repeats: int = 9
) -> list[float]:
    """Return the least CPU time with each tree, taken in turns so that a drift hits all alike."""
    for tree in trees:
        run(arguments, folder, tree)  # writes the bytecode
    times: dict[Path | None, list[float]] = {tree: [] for tree in trees}
    for i in range(repeats):
        for tree in trees if i % 2 else trees[::-1]:
            times[tree].append(cpu_seconds(arguments, folder, tree))
    return [min(times[tree]) for tree in trees]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="the src folder of another source tree")
    before = parser.parse_args().before
    trees = [None] if before is None else [HERE, before.resolve()]
    with tempfile.TemporaryDirectory() as folder:
        for tree in trees:
            used = run(["-c", "import bestofk; print(bestofk.__file__)"], folder, tree).strip()
            if tree is not None and not Path(used).is_relative_to(tree):
                parser.error(f"{tree} must hold the folder bestofk; Python found {used}")
        lines = ["score", *(f"0.{i}" for i in range(10, 60))]
        Path(folder, "small.csv").write_text("\n".join(lines), encoding="utf-8")
        found = {name: least(words, folder, trees) for name, words in ROWS.items()}
    base = next(iter(found.values()))[0]
    rows = [
        [name, f"{now:.3f} s", f"{now / base:.2f}x", *(f"{now / old:.2f}x" for old in other)]
        for name, (now, *other) in found.items()
    ]
    head = ["what", "CPU time", "ratio", *(["after / before"] if before else [])]
    show("bench/results/startup.md", "CPU time of a fresh process", head, rows)


if __name__ == "__main__":
    main()
