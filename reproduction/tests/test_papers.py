"""Every figure and table: its claim holds in our numbers, and every check can fail.

The papers' data are where BESTOFK_DATA points; without them these tests are skipped.
"""

from __future__ import annotations

import copy
import csv
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from bestofk_reproduction import registry
from bestofk_reproduction.papers import (
    dodge2021,
    lourie2024_ablations,
    lourie2024_cdfs,
    lourie2024_coverage,
    lourie2024_estimates,
    lourie2024_sizes,
    moss2018_figures,
    moss2018_grids,
    moss2018_tables,
    tang2020,
)
from bestofk_reproduction.registry import Run, reproduce
from bestofk_reproduction.verdicts import Numbers, at_least

from bestofk.numeric import order
from bestofk.studies.intervals import bootstrap_coverage
from bestofk.studies.truth import DiscreteTruth

ALL = registry.reproductions()
TRAINED = {name for name in ALL if "rerun" in name or name == "moss2018-fig1"}
WITHOUT_DATA = {"dodge2021-fig1", "dodge2021-tables23"}
ON_OUR_SEARCHES = {"dodge2021-fig2", "dodge2021-fig3"}  # see test_sst5.py

MUTATIONS = [
    lambda v: 0 * v,
    lambda v: -v,
    lambda v: 10 * v,
    lambda v: v / 10,
    lambda v: v + 1,
    lambda v: v - 1,
    lambda v: v[::-1] if np.ndim(v) else 0.7 * v,
    lambda v: 1.02 * v,
    lambda v: 0.9 * v,
]


def spoil(numbers):
    """Yield the numbers with one figure or one column changed, in many ways."""
    for name, value in numbers.figures.items():
        for change in MUTATIONS:
            spoiled = copy.deepcopy(numbers)
            if isinstance(value, str | bool):
                spoiled.figures[name] = not value
            elif np.isfinite(value).all():
                new = change(np.asarray(value, dtype=float))
                spoiled.figures[name] = new.tolist() if np.ndim(new) else float(new)
            yield spoiled
    for table, columns in numbers.tables.items():
        for name, column in columns.items():
            if column.dtype.kind in "fiu":
                for change in MUTATIONS:
                    spoiled = copy.deepcopy(numbers)
                    spoiled.tables[table][name] = np.asarray(change(column), dtype=float)
                    yield spoiled


def never_failing(item, numbers):
    """Return the checks that no change to a single figure or column makes fail."""
    standing = {i: c.says for i, c in enumerate(item.judge(numbers))}
    for spoiled in spoil(numbers):
        try:
            with np.errstate(all="ignore"):
                checks = item.judge(spoiled)
        except (ZeroDivisionError, ValueError, IndexError):
            continue
        for i, check in enumerate(checks):
            if not check.holds:
                standing.pop(i, None)
        if not standing:
            break
    return list(standing.values())


def test_every_figure_and_table_is_there():
    wanted = {f"dodge2021-{x}" for x in ("fig1", "fig2", "fig3", "tables23")}
    wanted |= {f"tang2020-fig{i}" for i in range(1, 6)} | {"tang2020-table2"}
    wanted |= {f"lourie2024-fig{i}" for i in range(1, 21)}
    wanted |= {f"moss2018-fig{i}" for i in range(1, 7)}
    wanted |= {f"moss2018-table{i}" for i in range(1, 6)}
    wanted |= {f"moss2018-rerun-{t}" for t in ("imdb", "pos", "reuters")}
    assert set(ALL) == wanted
    assert next(iter(ALL)) == "dodge2021-fig1"
    assert list(ALL)[-1] == "moss2018-rerun-reuters"
    for item in ALL.values():
        assert item.claim.endswith(".")
        assert item.title


@pytest.mark.parametrize("name", sorted(set(ALL) - TRAINED - ON_OUR_SEARCHES - WITHOUT_DATA))
def test_claim_holds_and_every_check_can_fail(name, data_folder, tmp_path):
    item = ALL[name]
    verdict, numbers = reproduce(item, Run(folder=data_folder))
    assert verdict.holds, verdict
    assert never_failing(item, numbers) == []
    paths = registry.write(item, verdict, numbers, tmp_path)
    assert {p.suffix for p in paths} == {".json", ".csv", ".pdf", ".png"}


@pytest.mark.parametrize("name", sorted(WITHOUT_DATA))
def test_claim_holds_without_data_too(name, tmp_path):
    item = ALL[name]
    verdict, numbers = reproduce(item, Run(folder=tmp_path))
    assert verdict.holds, verdict
    assert never_failing(item, numbers) == []
    registry.write(item, verdict, numbers, tmp_path)
    assert (tmp_path / name / "verdict.json").is_file()


def test_data_that_are_not_there_give_no_verdict(tmp_path):
    verdict, _ = reproduce(ALL["tang2020-fig3"], Run(folder=tmp_path))
    assert verdict.holds is None
    assert "there is no such file; BESTOFK_DATA must name a folder" in verdict.missing


# What happens with wrong estimators, wrong bands and spoiled data.


def fails(name, folder, **options):
    verdict, _ = reproduce(ALL[name], Run(folder=folder, **options))
    return verdict.holds is False


@pytest.fixture
def spoiled_scores(data_folder, tmp_path):
    """A folder with Tang et al.'s scores changed."""

    def make(change):
        with (data_folder / "reuters_hedwig.csv").open() as file:
            rows = list(csv.DictReader(file))
        with (tmp_path / "reuters_hedwig.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(change(row) for row in rows)
        return tmp_path

    return make


def swap_models(row):
    return row | {"model": {"lstm": "mlp", "mlp": "lstm"}[row["model"]]}


def test_dodge_fig1_fails_with_estimators_mixed_up(monkeypatch, tmp_path):
    mixed = {
        name: partial(order.expected_max, estimator=e)
        for name, e in (("u", "v"), ("v", "u"), ("w", "w"))
    }
    wrong = partial(dodge2021.estimation_error, estimators=mixed)
    monkeypatch.setattr(dodge2021, "estimation_error", wrong)
    assert fails("dodge2021-fig1", tmp_path)


@pytest.mark.parametrize(
    "name", ["tang2020-fig1", "tang2020-fig2", "tang2020-fig3", "tang2020-fig5", "tang2020-table2"]
)
def test_tang_fails_with_the_models_swapped(name, spoiled_scores):
    assert fails(name, spoiled_scores(swap_models))


def test_tang_fig3_fails_with_another_estimator(monkeypatch, data_folder):
    swapped = {
        "v": partial(order.expected_max, estimator="u"),
        "u": partial(order.expected_max, estimator="v"),
    }
    monkeypatch.setattr(
        tang2020, "underestimates", partial(tang2020.underestimates, estimators=swapped)
    )
    assert fails("tang2020-fig3", data_folder)


def smaller(monkeypatch, module, **changes):
    """Make a module's bootstrap study smaller, and otherwise different."""

    def study(design, **options):
        other = replace(design, n_samples=400, **changes)
        return bootstrap_coverage(other, **options | {"n_resamples": 400})

    monkeypatch.setattr(module, "bootstrap_coverage", study)


def test_tang_fig4_fails_with_another_interval(monkeypatch, data_folder):
    smaller(monkeypatch, tang2020, confidence=0.8)
    assert fails("tang2020-fig4", data_folder)
    smaller(monkeypatch, tang2020, confidence=0.95)
    assert not fails("tang2020-fig4", data_folder)


def test_lourie_fig1_fails_if_the_lstm_always_wins(spoiled_scores):
    folder = spoiled_scores(
        lambda r: r | ({"f1": str(0.9 + float(r["f1"]) / 20)} if r["model"] == "lstm" else {})
    )
    assert fails("lourie2024-fig1", folder)


def test_lourie_fig5_fails_if_the_bootstrap_works(monkeypatch, data_folder):
    """On a coin the best of many is known: nothing plummets."""
    smaller(monkeypatch, lourie2024_estimates)
    monkeypatch.setattr(
        lourie2024_estimates, "lourie_kernel", lambda *a, **k: DiscreteTruth([0.0, 1.0])
    )
    assert fails("lourie2024-fig5", data_folder)


@pytest.mark.parametrize(
    ("name", "study"), [("lourie2024-fig6", "band_coverage"), ("lourie2024-fig12", "cdf_coverage")]
)
def test_lourie_coverage_fails_with_a_conservative_band(name, study, monkeypatch, data_folder):
    right = getattr(lourie2024_coverage, study)
    monkeypatch.setattr(
        lourie2024_coverage, study, lambda *a, **options: right(*a, **{**options, "band": "dkw"})
    )
    monkeypatch.setattr(lourie2024_coverage, "CASES", lourie2024_coverage.CASES[:1])
    assert fails(name, data_folder)


@pytest.mark.parametrize("name", ["lourie2024-fig7", "lourie2024-fig10"])
def test_lourie_bands_fail_at_another_confidence(name, monkeypatch, data_folder):
    for module in (lourie2024_ablations, lourie2024_sizes):
        monkeypatch.setattr(module, "CONFIDENCE", 0.5)
    assert fails(name, data_folder)


@pytest.mark.parametrize("name", ["lourie2024-fig8", "lourie2024-fig16", "lourie2024-fig15"])
def test_lourie_tails_fail_with_the_kinds_swapped(name, monkeypatch, data_folder):
    for module in (lourie2024_ablations, lourie2024_cdfs):
        monkeypatch.setattr(module, "HD", "ld-equal-tailed")
        monkeypatch.setattr(module, "ET", "ld-highest-density")
    assert fails(name, data_folder)


@pytest.mark.parametrize("name", ["lourie2024-fig3", "lourie2024-fig19", "lourie2024-fig2"])
def test_lourie_deberta_fails_with_the_models_swapped(name, data_folder, tmp_path):
    folder = tmp_path / "deberta_mnli"
    folder.mkdir()
    (folder / "deberta.csv").symlink_to(data_folder / "deberta_mnli/debertav3.csv")
    (folder / "debertav3.csv").symlink_to(data_folder / "deberta_mnli/deberta.csv")
    assert fails(name, tmp_path)


def shuffled(wrong):
    """Return a reader whose candidates are drawn anew for every partition."""

    def read(*arguments):
        table, grid = wrong(*arguments)
        return np.random.default_rng(0).permuted(table, axis=1), grid

    return read


@pytest.mark.parametrize("number", range(1, 6))
def test_moss_tables_fail_with_shuffled_candidates(number, monkeypatch, data_folder):
    monkeypatch.setattr(moss2018_tables, "repetitions", shuffled(moss2018_tables.repetitions))
    assert fails(f"moss2018-table{number}", data_folder)


@pytest.mark.parametrize("number", [2, 3, 5, 6])
def test_moss_figures_fail_with_shuffled_candidates(number, monkeypatch, data_folder):
    for module in (moss2018_figures, moss2018_grids):
        monkeypatch.setattr(module, "repetitions", shuffled(module.repetitions))
    assert fails(f"moss2018-fig{number}", data_folder)


def test_moss_tables_agree_with_the_recomputed_values(data_folder):
    """63 of the 70 printed entries, and all 70 as recomputed with the data."""
    with (data_folder / "jkfold_cv/tables.csv").open() as file:
        wanted = list(csv.DictReader(file))
    found = {n: moss2018_tables.compute_table(t, Run(folder=data_folder))
             for n, t in moss2018_tables.TABLES.items()}  # fmt: skip
    assert sum(n.figures["as_printed"] for n in found.values()) == 63
    assert sum(n.figures["entries"] for n in found.values()) == len(wanted) == 70
    for row in wanted:
        t = found[int(row["table"])].tables["table"]
        what = row["quantity"].removeprefix("sd_").replace("accuracy_percent", "accuracy %")
        at = (t["J"] == int(row["J"])) & (t["K"] == int(row["K"]))
        assert t[f"SD of {what}"][at][0] == pytest.approx(float(row["recomputed"]), rel=1e-5)
        assert t["groups"][at][0] == int(row["groups"])


def test_a_check_that_cannot_fail_would_be_found():
    item = registry.Reproduction(
        id="x", title="x", claim="x.", compute=lambda run: Numbers(), draw=None,
        judge=lambda n: [at_least("always", 1.0, 0.0)],
    )  # fmt: skip
    assert never_failing(item, Numbers(figures={"a": 1.0})) == ["always"]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(TRAINED))
def test_training_anew_holds(name, data_folder, tmp_path):
    item = ALL[name]
    verdict, numbers = reproduce(item, Run(folder=data_folder, n_jobs=2))
    assert verdict.holds, verdict
    assert never_failing(item, numbers) == []
    registry.write(item, verdict, numbers, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tang2020-fig4", "lourie2024-fig5", "lourie2024-fig4"])
def test_the_papers_own_sizes(name, data_folder):
    verdict, _ = reproduce(ALL[name], Run(folder=data_folder, full=True, n_jobs=2))
    assert verdict.holds, verdict
    assert verdict.full
