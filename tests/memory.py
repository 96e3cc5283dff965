"""The peak memory of this process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """Return the peak memory of this process; on Linux without what its parent had at the fork."""
    if STATUS.exists():  # ru_maxrss is handed down to children, the high-water mark is not
        lines = STATUS.read_text(encoding="utf-8").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak * (1 if sys.platform == "darwin" else 1024)
