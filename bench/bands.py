"""Exact bands against opda 0.8 with one process: cold critical level and band, CPU time.

opda simulates; its time is measured at n = 48 and 256 and its 1,024 is extrapolated (see below),
unless --full is given, which measures it too (several minutes). The band for whole budgets is timed
against that for all real ones, which is the band of before; --whole times these alone.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tracemalloc

import numpy as np
from table import show

OURS = """
import time, numpy as np
from bestofk.curves.cdf_band import cdf_band
import bestofk.numeric.noncrossing.critical, bestofk.numeric.noncrossing.kolmogorov
warm = cdf_band(np.arange(5.0), confidence=0.9, exact=True)  # imports, numpy's own first calls
from bestofk.numeric.noncrossing import critical_fit
scores = np.random.default_rng(0).random({n})
start = time.process_time()
cdf_band(scores, confidence={confidence}, exact={exact!r}, band={band!r})
cold = time.process_time() - start
start = time.process_time()
for _ in range(20):
    cdf_band(scores, confidence={confidence}, exact={exact!r}, band={band!r})
print(cold, (time.process_time() - start) / 20)
"""
TUNING = """
import time, numpy as np
from bestofk.curves.make_band import tuning_band
from bestofk.scores.scores import Scores
few = Scores(np.arange(5.0), sampling="iid")
for simultaneous in ("real", "whole"):  # imports, numpy's own first calls
    tuning_band(few, confidence=0.87, simultaneous=simultaneous, band={band!r}, budgets=[1, 2])
scores = Scores(np.random.default_rng(0).random({n}), sampling="iid")
budgets = np.array([1.0, 2.0, 5.0, 10.0])
def made():
    band = tuning_band(
        scores, confidence={confidence}, simultaneous={simultaneous!r}, band={band!r},
        budgets=budgets,
    )
    return band.lower, band.upper
start = time.process_time()
made()
cold = time.process_time() - start
start = time.process_time()
for _ in range(20):
    made()
print(cold, (time.process_time() - start) / 20)
"""
THEIRS = """
import time, numpy as np
from opda.nonparametric import EmpiricalDistribution
ys = np.random.default_rng(0).random({n})
start = time.process_time()
EmpiricalDistribution.confidence_bands(ys, confidence=0.8, method="ld_highest_density", n_jobs=1)
print(time.process_time() - start)
"""


def run(code: str) -> list[float]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(x) for x in done.stdout.split()]


def ours(n: int, *, confidence: float = 0.8, exact="auto", band="ld-highest-density"):
    """Return cold and repeated CPU seconds: the median of five fresh processes."""
    code = OURS.format(n=n, confidence=confidence, exact=exact, band=band)
    return np.median([run(code) for _ in range(5 if n <= 2**14 else 1)], axis=0)


def whole() -> None:
    """Time the band for whole budgets against that for all real ones, in fresh processes."""
    rows = []
    for n in (48, 256, 1024, 16_384):
        for band in ("ld-highest-density", "ld-equal-tailed"):
            for confidence in (0.8, 0.93, 0.95):
                times: dict[str, list[list[float]]] = {"real": [], "whole": []}
                for _ in range(7):  # in turn, so that both meet the same machine
                    for simultaneous, found in times.items():
                        code = TUNING.format(
                            n=n, confidence=confidence, band=band, simultaneous=simultaneous
                        )
                        found.append(run(code))
                real, real_again = np.median(times["real"], axis=0)
                cold, again = np.median(times["whole"], axis=0)
                rows.append([f"{n:,}", band, f"{100 * confidence:.0f} %", f"{real * 1e3:.2f} ms",
                             f"{cold * 1e3:.2f} ms", f"{cold / real:.1f}x",
                             f"{real_again * 1e3:.3f} ms", f"{again * 1e3:.3f} ms"])  # fmt: skip
    head = ["n", "band", "confidence", "real, cold", "whole, cold", "ratio", "real, again",
            "whole, again"]  # fmt: skip
    title = (
        "The band for whole budgets against that for all real ones: CPU time, median of 7 fresh "
        "processes; 93 % is in no table"
    )
    show("bench/results/bands.md", title, head, rows, append=True)


def main() -> None:
    if "--whole" in sys.argv:
        return whole()
    full = "--full" in sys.argv
    rival = {n: run(THEIRS.format(n=n))[0] for n in ((48, 256, 1024) if full else (48, 256))}
    note = "measured"
    if not full:
        # Its cost is a fixed number of samples of size n: linear in n between 48 and 256.
        slope = (rival[256] - rival[48]) / (256 - 48)
        rival[1024] = rival[256] + slope * (1024 - 256)
        note = "extrapolated linearly from 48 and 256; bench/bands.py --full measures it"
    rows = []
    for n, theirs in rival.items():
        cold, again = ours(n)
        how = note if n == 1024 else "measured"
        rows.append([n, f"{cold * 1e3:.2f} ms", f"{again * 1e3:.3f} ms", f"{theirs:.2f} s",
                     f"{theirs / cold:,.0f}x", how])  # fmt: skip
    head = ["n", "bestofk, cold", "bestofk, again", "opda 0.8", "ratio", "opda's time"]
    title = "Highest-density band at 80 %, CPU time of one process"
    show("bench/results/bands.md", title, head, rows)

    rows = []
    for n, exact in ((4096, True), (16_384, True), (16_384, False), (10**6, False)):
        cold, again = ours(n, confidence=0.95, exact=exact)
        rows.append([f"{n:,}", "solved" if exact else "fit", f"{cold * 1e3:.1f} ms",
                     f"{again * 1e3:.2f} ms", f"{peak_bytes(n, exact) / n:.0f} bytes"])  # fmt: skip
    head = ["n", "critical level", "cold", "again", "peak memory per score"]
    title = "Large samples, highest density at 95 %"
    show("bench/results/bands.md", title, head, rows, append=True)
    return whole()


def peak_bytes(n: int, exact: bool) -> int:
    from bestofk.numeric.noncrossing.critical import band_ends, critical_level

    tracemalloc.start()
    eta = critical_level(n, confidence=0.951, exact=exact).eta
    band_ends(n, eta, "highest-density", "both")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"({time.perf_counter() - start:.0f} s)")
