"""What starting costs: importing bestofk, and the first answer from the command line."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from table import show


def cpu_seconds(arguments: list[str], folder: str, repeats: int = 9) -> float:
    """Return the least CPU time, user and system, of a fresh Python process."""
    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, *arguments]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = ["score", *(f"0.{i}" for i in range(10, 60))]
        Path(folder, "small.csv").write_text("\n".join(lines))
        base = cpu_seconds(["-c", "import numpy, scipy.special"], folder)
        rows = [
            ["import numpy, scipy.special", f"{base:.3f} s", "1.00x"],
            *(
                [name, f"{seconds:.3f} s", f"{seconds / base:.2f}x"]
                for name, seconds in (
                    ("import bestofk", cpu_seconds(["-c", "import bestofk"], folder)),
                    (
                        "import bestofk, every core name used",
                        cpu_seconds(["-c", "from bestofk import *"], folder),
                    ),
                    (
                        "bestofk curve small.csv",
                        cpu_seconds(["-m", "bestofk", "curve", "small.csv"], folder),
                    ),
                )
            ),
        ]
    show("bench/results/startup.md", "CPU time of a fresh process",
         ["what", "CPU time", "ratio"], rows)  # fmt: skip


if __name__ == "__main__":
    main()
