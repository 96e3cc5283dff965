"""Dodge et al. 2021, Tables 2 and 3: reporting tables, for our own searches on SST-5."""

from __future__ import annotations

from typing import Any

import numpy as np

from bestofk._base.text import format_number
from bestofk.datasets import load_sst5
from bestofk.render.record import Record
from bestofk.render.report.search_table import NOT_RECORDED, best_trial, search_table
from bestofk_reproduction.figures import Figure, Panel, Words
from bestofk_reproduction.reproduction import Run
from bestofk_reproduction.verdicts import Check, Numbers, near

# As stated for the two searches in datasets/README.md and examples/sst5.
_MACHINE = {"cpu": "Intel Xeon", "cores": 16, "gpus": ["NVIDIA H200"]}
_VERSIONS = {"Python": "3.12.3", "PyTorch": "2.11.0", "numpy": "2.5.2"}
_SEEDS = {"cnn": 20210, "lboe": 20211}
_SHARED = {
    "dropout": {"kind": "uniform", "low": 0.0, "high": 0.5},
    "learning_rate": {"kind": "loguniform", "low": 1e-6, "high": 1e-1},
}
SPACES = {
    "cnn": {
        "num_filters": {"kind": "integer", "low": 64, "high": 512},
        "max_filter_size": {"kind": "integer", "low": 1, "high": 9},
        **_SHARED,
    },
    "lboe": _SHARED,
}
# The five rows about the search in Tables 2 and 3.
_WANTED = (
    "computing infrastructure",
    "number of search trials",
    "search strategy",
    "best validation accuracy",
    "training duration, all trials",
)
BEST = "best validation accuracy"


def records() -> dict[str, Record]:
    """Return our searches with everything known about how they were run."""
    return {
        label: Record(
            label=label,
            search=search,
            space=SPACES[label],
            seed=_SEEDS[label],
            hosts={"": _MACHINE},
            versions=_VERSIONS,
            seconds=None if search.costs is None else float(search.costs.sum()),
        )
        for label, search in load_sst5().items()
    }


def report_searches(run: Run) -> Numbers:
    """Make the reporting table of each search."""
    tables: dict[str, dict[str, Any]] = {}
    figures: dict[str, Any] = {}
    for label, record in records().items():
        table = search_table(record)
        facts = dict(table.facts)
        rows = facts | {
            f"{p.name}: {what}": value
            for p in table.parameters
            for what, value in (("search space", p.space), ("best assignment", p.best))
        }
        tables[label] = {
            "what": np.array(list(rows), dtype=object),
            "value": np.array(list(rows.values()), dtype=object),
        }
        assert record.search is not None  # they ship with the package
        said = [name for name in _WANTED if facts.get(name, NOT_RECORDED) != NOT_RECORDED]
        figures |= {
            f"{label}_best": float(record.search.scores().values.max()),
            f"{label}_reported_best": float(facts[BEST].split()[0]),
            f"{label}_facts": len(said),
            f"{label}_params": len(table.parameters),
            f"{label}_in_space": _in_space(record),
        }
    return Numbers(
        figures=figures,
        tables=tables,
        remarks=[
            "the tables are of our own searches: those of the paper, 100 trials each on a GeForce "
            "GTX 1080, have a best validation accuracy of 41.3 % (CNN) and 42.7 % (LBoE)",
            "the duration is the sum over trials that shared a GPU a dozen at a time; the paper's, "
            "77 and 211 s, does not say of what",
        ],
    )


def _in_space(record: Record) -> int:
    """Count the hyperparameters whose best assignment lies in the search space."""
    assert record.search is not None
    best = best_trial(record.search).params
    space = record.space or {}
    return sum(d["low"] <= best[name] <= d["high"] for name, d in space.items())


def judge(numbers: Numbers) -> list[Check]:
    """Check that every row is there and agrees with the trials."""
    f, checks = numbers.figures, []
    for label, space in SPACES.items():
        best, shown = f[f"{label}_best"], f[f"{label}_reported_best"]
        checks += [
            near(
                f"{label}: facts about the search that are reported, of five",
                f[f"{label}_facts"],
                5,
                0,
            ),
            Check(
                f"{label}: the best score is that of the best trial, to the digits shown",
                shown,
                format_number(best),
                format_number(best) == format_number(shown),
            ),
            near(f"{label}: hyperparameters reported", f[f"{label}_params"], len(space), 0),
            near(
                f"{label}: of these, best assignments inside the search space",
                f[f"{label}_in_space"],
                len(space),
                0,
            ),
        ]
    return checks


def draw(numbers: Numbers) -> Figure:
    """Draw both tables as text."""
    panels = [
        Panel(
            title=label,
            x_label="",
            y_label="",
            marks=[Words(head=["", "value"], rows=list(zip(t["what"], t["value"], strict=True)))],
        )
        for label, t in numbers.tables.items()
    ]
    return Figure(panels=[[panel] for panel in panels])
