"""Moss et al. 2018, Using J-K-fold Cross Validation: Tables 1-5, from the authors' partitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk_reproduction.data import repetitions
from bestofk_reproduction.figures import Figure, Panel, Words, one_row
from bestofk_reproduction.papers.moss2018_figures import NO_LSTM
from bestofk_reproduction.reproduction import Reproduction, Run
from bestofk_reproduction.tunings import tunings
from bestofk_reproduction.verdicts import Check, Numbers, at_least, at_most, everywhere

ACCURACY = "accuracy %"
REASONS = (
    "possible reasons for the differences from print, on the same partitions: rounding, ties, or a "
    "group more or less"
)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of the paper: the file with its partitions, and the printed numbers."""

    file: str
    params: tuple[str, ...]
    # By (J, K): the printed standard deviations of the parameters and of the accuracy in percent.
    printed: dict[tuple[int, int], tuple[float, ...]]
    # Number of pairs of equal cost in which the lower K is steadier as printed.
    steadier: int
    agree: int  # number of entries that we reproduce as printed
    # The paper counts partitions from 1 to 1,000 (500), but its files hold one less.
    nominal: dict[int, int]
    ranges: tuple[tuple[float, float], ...] = ()  # of the chosen parameter, if printed


TABLES = {
    1: Table(
        file="imdb_rf.csv.gz",
        params=("max_features",),
        printed={
            (1, 10): (0.0396, 0.550),
            (2, 5): (0.0307, 0.528),
            (1, 20): (0.0337, 0.483),
            (2, 10): (0.0301, 0.400),
            (4, 5): (0.0278, 0.367),
        },
        steadier=8,
        agree=8,
        ranges=((0.03, 0.38), (0.04, 0.25), (0.03, 0.24), (0.03, 0.23), (0.03, 0.21)),
        nominal={5: 1000, 10: 1000, 20: 500},
    ),
    2: Table(
        file="pos_lr.csv.gz",
        params=("C",),
        printed={
            (1, 10): (34.6, 0.0915),
            (2, 5): (31.0, 0.0874),
            (2, 10): (29.0, 0.0653),
            (4, 5): (27.3, 0.0653),
            (4, 10): (23.2, 0.0472),
            (8, 5): (24.4, 0.0439),
        },
        steadier=5,
        agree=12,
        nominal={5: 1000, 10: 1000},
    ),
    3: Table(
        file="reuters_svm.csv.gz",
        params=("C", "gamma"),
        printed={
            (1, 10): (28.7, 0.121, 0.807),
            (2, 5): (30.7, 0.0987, 0.615),
            (2, 10): (21.3, 0.105, 0.580),
            (4, 5): (20.4, 0.0766, 0.445),
            (4, 10): (20.0, 0.0708, 0.407),
            (8, 5): (17.5, 0.0563, 0.330),
        },
        steadier=8,
        agree=17,
        nominal={5: 1000, 10: 1000},
    ),
    4: Table(
        file="lstm_width.csv.gz",
        params=("lstm_width",),
        printed={
            (1, 10): (19.9, 0.293),
            (2, 5): (19.8, 0.240),
            (2, 10): (19.3, 0.213),
            (4, 5): (18.4, 0.205),
            (4, 10): (17.3, 0.169),
            (8, 5): (16.0, 0.166),
        },
        steadier=6,
        agree=10,
        nominal={},
    ),
    5: Table(
        file="lstm_reg.csv.gz",
        params=("bias_reg", "input_reg"),
        printed={
            (1, 10): (0.0404, 0.0160, 0.365),
            (2, 5): (0.0285, 0.00705, 0.284),
            (2, 10): (0.0358, 0.0166, 0.254),
            (4, 5): (0.0195, 0.00995, 0.206),
            (4, 10): (0.0280, 0.0185, 0.196),
            (8, 5): (0.00815, 0.000500, 0.148),
        },
        steadier=9,
        agree=16,
        nominal={},
    ),
}


def three_figures(value: float) -> str:
    """Return a number with three significant figures, as the tables print them.

    Examples
    --------
    >>> three_figures(0.0277340), three_figures(0.55), three_figures(17.449)
    ('0.0277', '0.550', '17.4')
    """
    return f"{value:#.3g}"


def compute_table(table: Table, run: Run) -> Numbers:
    """Recompute a table from the recorded partitions."""
    names = [f"SD of {p}" for p in table.params] + [f"SD of {ACCURACY}"]
    rows: dict[str, list[Any]] = {"J": [], "K": [], "groups": [], "low": [], "high": []}
    rows |= {name: [] for name in names} | {f"{name}, printed": [] for name in names}
    loaded: dict[int, Any] = {}
    for (j, k), printed in table.printed.items():
        if k not in loaded:
            loaded[k] = repetitions(run.path(f"jkfold_cv/{table.file}"), table.params, k)
        scores, candidates = loaded[k]
        groups = table.nominal.get(k, len(scores)) // j - 1
        chosen, best = tunings(scores, j, n_groups=groups)
        found = [*candidates[chosen].std(axis=0, ddof=1), 100 * best.std(ddof=1)]
        for name, ours, theirs in zip(names, found, printed, strict=True):
            rows[name].append(float(ours))
            rows[f"{name}, printed"].append(theirs)
        first = candidates[chosen, 0]
        values = {"J": j, "K": k, "groups": groups, "low": first.min(), "high": first.max()}
        for name, value in values.items():
            rows[name].append(float(value))
    columns = {name: np.array(column, dtype=np.float64) for name, column in rows.items()}
    pairs = [
        (name, ours, theirs, j, k)
        for name in names
        for ours, theirs, j, k in zip(
            columns[name], columns[f"{name}, printed"], columns["J"], columns["K"], strict=True
        )
    ]
    remarks = [
        f"{name}, {j:.0f}-{k:.0f}-fold: printed {three_figures(theirs)}, "
        f"ours {three_figures(ours)} "
        f"({100 * (ours / theirs - 1):+.1f} %)"
        for name, ours, theirs, j, k in pairs
        if three_figures(ours) != three_figures(theirs)
    ]
    same = len(pairs) - len(remarks)
    remarks += [REASONS] if remarks else []
    return Numbers(
        figures={"entries": len(pairs), "as_printed": same},
        tables={"table": columns},
        remarks=remarks,
    )


def equal_cost(columns: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the pairs of rows of equal cost J K, the one with the lower K first."""
    cost = columns["J"] * columns["K"]
    return [
        (a, b)
        for a in range(cost.size)
        for b in range(cost.size)
        if cost[a] == cost[b] and columns["K"][a] < columns["K"][b]
    ]


def judge_table(table: Table) -> Callable[[Numbers], list[Check]]:
    """Return the function that judges a table: as printed, and steadier with the lower K."""

    def judge(numbers: Numbers) -> list[Check]:
        t = numbers.tables["table"]
        names = [n for n in t if n.startswith("SD of") and not n.endswith("printed")]
        ratios = np.concatenate([t[n] / t[f"{n}, printed"] for n in names])
        same = sum(
            three_figures(a) == three_figures(b)
            for n in names
            for a, b in zip(t[n], t[f"{n}, printed"], strict=True)
        )
        steadier = [t[n][a] < t[n][b] for n in names for a, b in equal_cost(t)]
        ranges = (
            [
                everywhere(
                    "range of the chosen value as printed",
                    np.isclose([t["low"], t["high"]], np.transpose(table.ranges), atol=1e-9),
                )
            ]
            if table.ranges
            else []
        )
        return [
            *ranges,
            at_least(f"entries as printed, of {ratios.size}, to three figures", same, table.agree),
            at_most("largest deviation from the print, as a share", np.abs(ratios - 1).max(), 0.01),
            at_least(
                f"of {len(steadier)} comparisons at equal cost, steadier with the lower K",
                int(np.sum(steadier)),
                table.steadier,
            ),
        ]

    return judge


def draw_table(numbers: Numbers) -> Figure:
    """Draw the table of our numbers, with the printed one in brackets where it differs."""
    t = numbers.tables["table"]
    names = [n for n in t if n.startswith("SD of") and not n.endswith("printed")]
    rows = []
    for i in range(t["J"].size):
        cells = [f"{t['J'][i]:.0f}-{t['K'][i]:.0f}-fold"]
        for n in names:
            ours, theirs = three_figures(t[n][i]), three_figures(t[f"{n}, printed"][i])
            cells.append(ours if ours == theirs else f"{ours} ({theirs})")
        rows.append(cells)
    words = Words(head=["", *names], rows=rows)
    return one_row(Panel(title="ours (printed)", x_label="", y_label="", marks=[words]))


def _claim(number: int) -> str:
    task = {
        1: "random forest on IMDB: max_features",
        2: "part-of-speech tagging by logistic regression: C",
        3: "corn and wheat articles, SVM: C and gamma",
        4: "target-dependent LSTM: width",
        5: "target-dependent LSTM: bias and input regularisation",
    }[number]
    return (
        f"{task}. At equal cost, fewer folds and more repetitions make the tuned parameter and its "
        "accuracy estimate steadier."
    )


def _reproduction(number: int) -> Reproduction:
    table = TABLES[number]

    def compute(run: Run) -> Numbers:
        numbers = compute_table(table, run)
        t = numbers.tables["table"]
        names = [n for n in t if n.startswith("SD of") and not n.endswith("printed")]
        if table.file.startswith("lstm"):
            numbers.remarks.append(NO_LSTM)
        for n in names:
            for a, b in equal_cost(t):
                if not t[n][a] < t[n][b]:
                    numbers.remarks.append(
                        f"{n}: {t['J'][a]:.0f}-{t['K'][a]:.0f}-fold is not steadier than "
                        f"{t['J'][b]:.0f}-{t['K'][b]:.0f}-fold ({three_figures(t[n][a])} and "
                        f"{three_figures(t[n][b])}), in the paper's own figures too"
                    )
        return numbers

    return Reproduction(
        id=f"moss2018-table{number}",
        title=f"Table {number}: J-K-fold tuning",
        claim=_claim(number),
        compute=compute,
        judge=judge_table(table),
        draw=draw_table,
    )


REPRODUCTIONS = [_reproduction(number) for number in TABLES]
