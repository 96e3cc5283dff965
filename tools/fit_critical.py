"""Derive the fit of the effective number of ranks, and measure its error.

    python tools/fit_critical.py            # writes critical_table.json
    python tools/fit_critical.py --quick    # only n < 48, a few seconds; prints, writes nothing

Every node is one exact non-crossing probability: choose eta near where the Chebyshev node in
cost should be, compute the cost = -log P that belongs to it, and note log n_eff = log(cost) -
log(-log(1 - eta)). No equation is solved. A least-squares fit of all nodes of a panel gives the
coefficients; those of high degree in both variables are left out. The error is then measured by
the same computation at points away from the nodes, and the largest one times SAFETY is stored.

About 14 minutes on one core, nearly all of it for the nodes with n > 100,000.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from numpy.typing import NDArray

from bestofk.numeric.noncrossing.beta import Kind, interval_ends
from bestofk.numeric.noncrossing.critical_fit import (
    LOG_COST_RANGE,
    PANELS,
    POWER,
    SECOND_PANEL_FROM,
    chebyshev_sum,
    scaled_cost,
    scaled_n,
    square_table,
)
from bestofk.numeric.noncrossing.crossing import evaluate

FloatArray = NDArray[np.float64]
KINDS: tuple[Kind, Kind] = ("equal-tailed", "highest-density")
TABLE = Path(__file__).parents[1] / "src/bestofk/numeric/noncrossing/critical_table.json"
SAFETY = 2.0
# Per panel: nodes in n, nodes in cost, highest degree in u and in w.
NODES = ((24, 40, 12, 24), (15, 19, 13, 17))
KEPT = 1.2  # largest sum of i and j, each over its highest degree plus one
COST_MARGIN = 0.05  # nodes reach this far, in log(cost), beyond the range of the fit


def log_cost_of(n: int, eta: float, kind: Kind) -> float:
    """Return log(-log P) of the band at pointwise level eta, exactly."""
    lower, upper = interval_ends(n, eta, kind)
    rough_alpha = min(0.1, eta)  # alpha >= eta
    probability, alpha = evaluate(lower, upper, eps=1e-12 * rough_alpha / n, symmetric=True)
    return math.log(-math.log1p(-alpha) if alpha < 0.5 else -math.log(probability))


def sample_sizes(panel: int, count: int) -> list[int]:
    """Return whole n next to the Chebyshev nodes in log log n."""
    first, last = (math.log(math.log(end)) for end in PANELS[panel])
    nodes = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    sizes = np.rint(np.exp(np.exp(0.5 * (first + last) - 0.5 * (last - first) * nodes)))
    return sorted(set(sizes.astype(int).tolist()))


def log_costs(count: int) -> FloatArray:
    """Return log(cost) at the Chebyshev nodes in cost^POWER."""
    first = math.exp(POWER * (LOG_COST_RANGE[0] - COST_MARGIN))
    last = math.exp(POWER * (LOG_COST_RANGE[1] + COST_MARGIN))
    nodes = np.cos(np.pi * (np.arange(count) + 0.5) / count)
    return np.asarray(np.log(0.5 * (first + last) + 0.5 * (last - first) * nodes) / POWER)


def nodes_of(panel: int, kind: Kind) -> list[tuple[int, float, float]]:
    """Return (n, log cost, log n_eff) at all nodes of a panel."""
    count_n, count_cost, *_ = NODES[panel]
    wanted = log_costs(count_cost)
    out: list[tuple[int, float, float]] = []
    earlier: list[tuple[float, FloatArray]] = []  # (log log n, log n_eff at `wanted`)
    for n in sample_sizes(panel, count_n):
        began = time.process_time()
        loglog = math.log(math.log(n))
        if len(earlier) < 2:
            guess = np.full(count_cost, math.log(1.0 + 1.5 * math.log(n) * math.exp(loglog * 0.4)))
        else:
            (u0, y0), (u1, y1) = earlier[-2:]
            guess = y1 + (y1 - y0) * (loglog - u1) / (u1 - u0)
        # The first sizes, cheap ones, get a few rounds of x <- x + (wanted - found).
        x = wanted - guess
        for _ in range(4 if len(earlier) < 2 else 1):
            found = np.array([log_cost_of(n, -math.expm1(-math.exp(s)), kind) for s in x])
            log_n_eff = found - x
            last_x, x = x, x + (wanted - found)
        out += [(n, *pair) for pair in zip(found.tolist(), log_n_eff.tolist(), strict=True)]
        order = np.argsort(found)
        earlier.append((loglog, np.interp(wanted, found[order], (found - last_x)[order])))
        seconds = time.process_time() - began
        print(f"  {kind} panel {panel} n={n}: {seconds:.1f} s", file=sys.stderr, flush=True)
    return out


def fit(nodes: list[tuple[int, float, float]], panel: int) -> list[list[float]]:
    """Return the coefficients of the least-squares fit, row i for degree i in u."""
    degree_u, degree_w = NODES[panel][2:]
    kept = [
        (i, j)
        for i in range(degree_u + 1)
        for j in range(degree_w + 1)
        if i / (degree_u + 1) + j / (degree_w + 1) <= KEPT
    ]
    u = np.array([scaled_n(n, panel) for n, _, _ in nodes])
    w = np.array([_unclipped(log_cost) for _, log_cost, _ in nodes])
    basis_u = np.polynomial.chebyshev.chebvander(u, degree_u)
    basis_w = np.polynomial.chebyshev.chebvander(w, degree_w)
    design = np.stack([basis_u[:, i] * basis_w[:, j] for i, j in kept], axis=1)
    solution = np.linalg.lstsq(design, np.array([y for _, _, y in nodes]), rcond=None)[0]
    rows: list[list[float]] = [[] for _ in range(degree_u + 1)]
    for (i, _), value in zip(kept, solution.tolist(), strict=True):
        rows[i].append(round(value, 12))
    return rows


def _unclipped(log_cost: float) -> float:
    first, last = (math.exp(POWER * end) for end in LOG_COST_RANGE)
    return (2.0 * math.exp(POWER * log_cost) - first - last) / (last - first)


def off_nodes(panel: int) -> list[tuple[int, float]]:
    """Return pairs (n, log cost) away from the nodes: many with small n, a few with large n."""
    rng = np.random.default_rng(20240601)
    first, top = (
        (PANELS[0][0], SECOND_PANEL_FROM - 1) if panel == 0 else (SECOND_PANEL_FROM, PANELS[1][1])
    )
    low, high = math.log(math.log(first)), math.log(math.log(top))
    pairs = []
    for draw in range(400):
        n = round(math.exp(math.exp(rng.uniform(low, high))))
        log_cost = float(rng.uniform(*LOG_COST_RANGE))
        if n <= 20_000 or draw % 8 == 0:
            pairs.append((n, log_cost))
    confidences = (0.8, 0.95, 0.99)
    ends = (first, top) if panel == 0 else (first, 300_000, 10**6, top)
    pairs += [(n, math.log(-math.log(c))) for n in ends for c in confidences]
    pairs += [(n, end) for n in (first, top) for end in LOG_COST_RANGE]
    return pairs


def measured_errors(
    rows: list[list[float]], panel: int, kind: Kind
) -> list[tuple[float, int, float]]:
    """Return (error of log n_eff, n, log cost) away from the nodes, largest error first."""
    table = square_table(rows)
    errors = []
    for n, log_cost in off_nodes(panel):
        w, dw = scaled_cost(log_cost)
        log_n_eff, slope = chebyshev_sum(table, scaled_n(n, panel), w)
        found = log_cost_of(n, -math.expm1(-math.exp(log_cost - log_n_eff)), kind)
        # found - log_cost is the error in y; that of x, and of log n_eff, is dx/dy times it.
        errors.append((abs(found - log_cost) * (1.0 - slope * dw), n, log_cost))
    return sorted(errors, reverse=True)


def write_table(
    coefficients: dict[Kind, list[list[list[float]]]], errors: dict[Kind, list[float]]
) -> str:
    """Return the text of critical_table.json, a row of coefficients a line."""
    about = (
        "Chebyshev coefficients of log n_eff, written by tools/fit_critical.py; "
        "coefficients[kind][panel][i][j] multiplies T_i(u) T_j(w); errors[kind][panel] bounds the "
        "error of log n_eff, twice the largest one measured"
    )
    bounds = {kind: [float(f"{error:.1e}") for error in both] for kind, both in errors.items()}
    return "\n".join([
        "{",
        f' "about": {json.dumps(about)},',
        f' "errors": {json.dumps(bounds)},',
        ' "coefficients": {',
        ",\n".join(
            f'  "{kind}": [\n' + ",\n".join(map(_panel_text, panels)) + "\n  ]"
            for kind, panels in coefficients.items()
        ),
        " }",
        "}",
        "",
    ])  # fmt: skip


def _panel_text(rows: list[list[float]]) -> str:
    """Return one panel's rows, each number to the twelve digits that the fit is good for."""
    lines = [json.dumps([float(f"{value:.12g}") for value in row]) for row in rows]
    return "   [\n" + ",\n".join(f"    {line}" for line in lines) + "\n   ]"


def main() -> None:
    """Fit both kinds and both panels, report the errors and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="n < 48 only, write nothing")
    quick = parser.parse_args().quick
    began = time.process_time()
    coefficients: dict[Kind, list[list[list[float]]]] = {}
    errors: dict[Kind, list[float]] = {}
    for kind in KINDS:
        coefficients[kind], errors[kind] = [], []
        for panel in (0,) if quick else (0, 1):
            nodes = nodes_of(panel, kind)
            rows = fit(nodes, panel)
            found = measured_errors(rows, panel, kind)
            print(f"{kind}, panel {panel}: {sum(map(len, rows))} coefficients; largest errors:")
            for error, n, log_cost in [*found[:12], found[len(found) // 2]]:
                print(f"    {error:.2e} at n = {n}, log cost = {log_cost:.3f}")
            print("    (the last one is the median)", flush=True)
            coefficients[kind].append(rows)
            errors[kind].append(SAFETY * found[0][0])
    print(f"{time.process_time() - began:.0f} s of CPU")
    if not quick:
        TABLE.write_text(write_table(coefficients, errors), encoding="utf-8")


if __name__ == "__main__":
    main()
