"""What reading attempts costs: a million of them in JSON lines, CSV and as counts."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

import numpy as np
from table import show

import bestofk as bk

PROBLEMS, ATTEMPTS = 5_000, 200
ALLOWED = 5.0  # seconds, for JSON lines


def write(folder: Path) -> dict[str, Path]:
    rng = np.random.default_rng(0)
    passed = rng.random((PROBLEMS, ATTEMPTS)) < rng.beta(0.5, 0.5, PROBLEMS)[:, None]
    found = {name: folder / name for name in ("rows.jsonl", "rows.csv", "counts.csv")}
    rows = [(f"task/{i}", j, bool(passed[i, j])) for j in range(ATTEMPTS) for i in range(PROBLEMS)]
    with found["rows.jsonl"].open("w") as file:
        for problem, attempt, right in rows:
            file.write(json.dumps({"task_id": problem, "attempt": attempt, "passed": right}) + "\n")
    with found["rows.csv"].open("w") as file:
        file.write("task_id,attempt,passed\n")
        file.writelines(f"{p},{a},{int(right)}\n" for p, a, right in rows)
    with found["counts.csv"].open("w") as file:
        file.write("problem,n,correct\n")
        file.writelines(f"task/{i},{ATTEMPTS},{c}\n" for i, c in enumerate(passed.sum(axis=1)))
    return found


def seconds(path: Path, repeats: int = 3) -> tuple[float, float]:
    """Return the least wall-clock and CPU time of reading a file."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter(), time.process_time()
        ((_, attempts),) = bk.read_attempts(path).items()
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    assert attempts.n_problems == PROBLEMS
    assert attempts.flat.size == PROBLEMS * ATTEMPTS
    return min(wall for wall, _ in times), min(cpu for _, cpu in times)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for name, path in write(Path(folder)).items():
            wall, cpu = seconds(path)
            allowed = f"{ALLOWED:g} s" if name == "rows.jsonl" else ""
            rows.append([name, f"{wall:.2f} s", f"{cpu:.2f} s", allowed])
    show(
        "bench/results/read_attempts.md",
        f"Reading {PROBLEMS * ATTEMPTS:,} attempts at {PROBLEMS:,} problems",
        ["file", "least of 3", "CPU time, least of 3", "allowed"],
        rows,
    )


if __name__ == "__main__":
    main()
