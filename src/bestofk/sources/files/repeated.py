"""Tables of several whole searches: a column names the repeat, and another counts its trials."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk.errors import marked
from bestofk.sources.files import cells
from bestofk.sources.files.columns import bare
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions

# Columns that are taken for what their name says, if the user does not say another.
REPEATS = (
    "repeat", "repeat_id", "rep", "replicate", "replication", "repetition", "seed", "random_seed",
    "run", "run_id", "run_name", "study", "study_name", "sweep", "search", "search_id",
)  # fmt: skip
STEPS = (
    "step", "trial", "iteration", "iter", "number", "trial_number", "trial_id", "evaluation",
    "n_trials", "n_evaluations",
)  # fmt: skip


def repeats_caveats(table: Table, options: ReadOptions) -> list[Caveat]:
    """Return the caveat about rows that are of several whole searches, if they are."""
    free = [name for name in table.columns if name not in options.named()]
    steps = [n for n in free if bare(n) in STEPS and cells.looks_numeric(table.columns[n])]
    for repeat in (name for name in free if bare(name) in REPEATS):
        for step in steps:
            if step != repeat and (count := _searches(table, options, repeat, step)):
                break
        else:
            continue
        text = (
            f"the rows are of {count} searches (`{step}` counts anew for each `{repeat}`), taken "
            "together as independent draws, which those of a search that learns are not"
        )
        way = marked(f'bk.read_repeats(…, repeat="{repeat}")', f"bestofk repeats --repeat {repeat}")
        remedy = f"read them as repeats with {way}"
        return [Caveat(kind="several-searches", text=text, remedy=remedy, validity="assumed")]
    return []


def _searches(table: Table, options: ReadOptions, repeat: str, step: str) -> int:
    """Return how many searches a column tells apart, 0 if the steps do not count their trials."""
    keys = [table.columns[name] for name in (*options.by, repeat) if name in table.columns]
    groups: dict[Hashable, list[int]] = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        groups.setdefault(tuple(map(str, key)), []).append(row)
    values = table.numbers("number", step)
    if len(groups) < 2 or min(map(len, groups.values())) < 2 or np.isnan(values).any():
        return 0
    first = values.min()
    counted = (
        np.array_equal(np.sort(values[rows]), first + np.arange(len(rows)))
        for rows in groups.values()
    )
    return len(groups) if all(counted) else 0
