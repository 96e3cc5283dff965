"""The fit of a noisy quadratic against opda 0.8, in one run: objective and CPU time.

Twenty searches (four of them need BESTOFK_DATA); opda takes some seconds for each. With --store,
opda's parameters are kept for the tests in tests/numeric/opda_fits.json.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from table import show

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from bestofk.numeric import noisy_quadratic as ours  # noqa: E402
from tests.reference.searches import searches  # noqa: E402


def main() -> None:
    from opda.parametric import NoisyQuadraticDistribution

    warnings.simplefilter("ignore")
    ours.fit(ours.group(np.arange(5.0)))  # imports
    rows, stored = [], {}
    for name, scores in searches().items():
        data = ours.group(scores)
        start = time.process_time()
        law, objective = ours.fit(data)
        own = time.process_time() - start
        start = time.process_time()
        other = NoisyQuadraticDistribution.fit(
            scores, constraints={"convex": False}, generator=np.random.default_rng(0)
        )
        rival = time.process_time() - start
        theirs = ours.Law(float(other.a), float(other.b), int(other.c), float(other.o))
        stored[name] = theirs
        gain = objective - ours.objective(theirs, data)
        rows.append([name, f"{law.best:.4f}", f"{theirs.best:.4f}", law.effective,
                     theirs.effective, f"{objective:.6f}", f"{gain:+.1e}", f"{own:.2f} s",
                     f"{rival:.1f} s", f"{rival / own:.0f}x"])  # fmt: skip
    head = ["search", "best possible", "opda's", "c", "opda's", "objective", "more than opda's",
            "bestofk", "opda 0.8", "ratio"]  # fmt: skip
    title = "Noisy quadratic by maximum spacing, concave, CPU time of one process"
    show("bench/results/noisy_quadratic.md", title, head, rows)
    if "--store" in sys.argv:
        target = ROOT / "tests" / "numeric" / "opda_fits.json"
        target.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    main()
