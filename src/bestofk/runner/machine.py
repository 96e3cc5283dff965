"""The machine that a search ran on: processor, memory, GPUs and versions of packages."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_PACKAGES = (
    *("bestofk", "numpy", "scipy", "sqlalchemy", "pebble", "distributed", "scikit-learn"),
    *("torch", "tensorflow", "jax", "transformers", "lightgbm", "xgboost"),
)


@cache
def describe_machine() -> dict[str, Any]:
    """Return the processor, cores, memory in GiB, GPUs and operating system of this machine."""
    return {
        "cpu": _processor(),
        "cores": os.cpu_count() or 1,
        "memory_gib": _memory(),
        "gpus": _gpus(),
        "system": platform.platform(),
        "python": platform.python_version(),
    }


@cache
def package_versions() -> dict[str, str]:
    """Return the versions of the packages that may affect the result of a trial."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (ValueError, OSError, AttributeError):
        return None


def _gpus() -> list[str]:
    """Return the GPUs that nvidia-smi lists, if it is installed."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(
            query, capture_output=True, encoding="utf-8", errors="replace", timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]
