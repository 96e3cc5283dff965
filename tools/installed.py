"""Measure what an extra adds to numpy and scipy in a fresh environment: `installed.py show`.

Prints a Markdown table with a row per package: the files as delivered, the bytecode that pip
compiles of them, and whether bestofk without extras has the package too.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from release import ROOT, SHOW_MB, run

LEAST = 0.05  # megabytes of a package that has a row of its own
INVENTORY = (
    "from importlib.metadata import distributions\n"
    "for d in distributions():\n"
    "    print(d.name, d.version, *{f.parts[0] for f in d.files or () if '..' not in f.parts})"
)


class Size(NamedTuple):
    """Megabytes (10^6 bytes) of a package: its files as delivered, and their bytecode."""

    files: float
    bytecode: float


def size_of(tops: list[Path]) -> Size:
    """Return the size of what lies at or under these paths."""
    every = [p for top in tops for p in (top, *top.rglob("*")) if p.is_file()]
    compiled = sum(p.stat().st_size for p in every if "__pycache__" in p.parts)
    return Size((sum(p.stat().st_size for p in every) - compiled) / 1e6, compiled / 1e6)


def packages(python: Path) -> dict[str, Size]:
    """Return what each installed package takes, by name and version."""
    site = Path(run([python, "-c", "import sysconfig as s; print(s.get_path('purelib'))"]).strip())
    found = {}
    for line in run([python, "-c", INVENTORY]).splitlines():
        name, version, *tops = line.split()
        found[f"{name} {version}"] = size_of([site / top for top in tops if top != "__pycache__"])
    return found


def measured(extra: str, work: Path) -> tuple[dict[str, Size], set[str]]:
    """Return what each package takes that is added to numpy and scipy, and the core's names."""
    run([sys.executable, "-m", "venv", work])
    python = work / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    install += ["--constraint", ROOT / "constraints.txt"]
    steps = []
    for wanted in (["numpy", "scipy"], [ROOT], [f"{ROOT}[{extra}]"]):
        run([*install, *wanted], env={**os.environ, "PIP_CONSTRAINT": ""})
        steps.append(packages(python))
    before, core, after = steps
    return {n: s for n, s in after.items() if n not in before}, set(core) - set(before)


def main(extra: str = "show") -> None:
    with tempfile.TemporaryDirectory() as folder:
        added, core = measured(extra, Path(folder) / "venv")
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    print(
        f"{today}, Python {platform.python_version()}, {platform.system()} {platform.machine()}.\n"
    )
    print("| package | MB | bytecode, MB | also without the extra |\n| --- | --- | --- | --- |")
    for name, size in sorted(added.items(), key=lambda item: -item[1].files):
        if size.files >= LEAST:
            also = "yes" if name in core else ""
            print(f"| {name} | {size.files:.1f} | {size.bytecode:.1f} | {also} |")
    files, bytecode = (sum(part) for part in zip(*added.values(), strict=True))
    print(f"| all {len(added)} | {files:.1f} | {bytecode:.1f} | |")
    alone = sum(added[name].files for name in core)
    print(
        f"\nbestofk[{extra}] adds {files:.0f} MB to numpy and scipy (limit: {SHOW_MB} MB), of "
        f"which bestofk alone adds {alone:.0f} MB.\n"
        f"Compiled bytecode adds another {bytecode:.0f} MB."
    )
    if files >= SHOW_MB:
        raise SystemExit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
