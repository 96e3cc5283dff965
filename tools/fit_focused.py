"""Make src/bestofk/numeric/noncrossing/focused_table.json: levels of bands for whole budgets.

    python tools/fit_focused.py

The largest eta at which the median curve lies inside its band at all whole budgets, for every
number of scores up to 1,024 at the usual confidences, in units of 1e-9 and rounded down. A level
read from the table is confirmed by one exact evaluation whenever it is used, so that an error in
the table could cost time but not coverage. Takes about two minutes.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from bestofk.numeric.noncrossing import focused
from bestofk.numeric.noncrossing.snapping import Asked

TARGET = Path(focused.__file__).with_name("focused_table.json")


def main() -> None:
    whole = Asked("whole", 0.5)
    table: dict[str, dict[str, list[int]]] = {}
    for kind in ("highest-density", "equal-tailed"):
        table[kind] = {}
        for confidence in focused.TABLED:
            cost = -math.log1p(confidence - 1)
            etas = [
                focused.solve(n, cost, kind, "both", whole).eta
                for n in range(1, focused.LARGEST_TABLED + 1)
            ]
            table[kind][repr(confidence)] = [math.floor(1e9 * eta * (1 - 1e-12)) for eta in etas]
    TARGET.write_text(json.dumps(table, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
