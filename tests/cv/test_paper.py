"""Tables 1-5 of Moss et al. (2018), from their own partitions."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bestofk.cv.race import Race
from tests.cv.tables import FILES, recorded


def tuned(table, n_repeats, nominal):
    """Tune by disjoint groups of consecutive partitions, as the paper did."""
    chosen, scores = [], []
    for g in range(nominal // n_repeats - 1):
        rows = table[g * n_repeats : (g + 1) * n_repeats]
        race = Race(table.shape[1], strategy="full", max_repeats=len(rows))
        for row in rows:
            race.add(row)
        chosen.append(race.choose())
        scores.append(race.averages[chosen[-1]])
    return np.array(chosen), np.array(scores)


def wanted(folder, number):
    with (folder / "jkfold_cv" / "tables.csv").open() as file:
        return [r for r in csv.DictReader(file) if r["table"] == number]


@pytest.mark.parametrize("number", FILES)
def test_full_reproduces_the_tables(number, data_folder):
    """To three figures of the values recomputed from the same files."""
    name, params, nominal = FILES[number]
    loaded, groups = {}, {}
    as_printed = printed = 0
    for row in wanted(data_folder, number):
        j, k = int(row["J"]), int(row["K"])
        if k not in loaded:
            loaded[k] = recorded(data_folder, name, params, k)
        table, candidates = loaded[k]
        if (j, k) not in groups:
            groups[j, k] = tuned(table, j, nominal.get(k, len(table)))
        chosen, scores = groups[j, k]
        assert len(chosen) == int(row["groups"])
        quantity = row["quantity"].removeprefix("sd_")
        values = 100 * scores if quantity == "accuracy_percent" else candidates[quantity][chosen]
        sd = np.std(values, ddof=1)
        assert sd == pytest.approx(float(row["recomputed"]), rel=1e-5), row  # six digits stored
        if row["paper"]:
            printed += 1
            digits = len(row["paper"].partition(".")[2])
            as_printed += round(sd, digits) == pytest.approx(float(row["paper"]))
    assert as_printed >= printed - 2


def test_the_range_of_choices_in_table_1(data_folder):
    name, params, nominal = FILES["1"]
    printed = {(1, 10): (0.03, 0.38), (2, 5): (0.04, 0.25), (1, 20): (0.03, 0.24),
               (2, 10): (0.03, 0.23), (4, 5): (0.03, 0.21)}  # fmt: skip
    for (j, k), ends in printed.items():
        table, candidates = recorded(data_folder, name, params, k)
        values = candidates["max_features"][tuned(table, j, nominal[k])[0]]
        assert (values.min(), values.max()) == ends
