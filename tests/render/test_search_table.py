"""The search-reporting table: from a store everything, from a file what was observed."""

from __future__ import annotations

import pytest

import bestofk as bk
from bestofk.render.library import records_in
from bestofk.render.report.search_table import search_table


def objective(params, trial):
    if trial.number == 2:
        raise RuntimeError("no")
    return {"accuracy": params["x"], "loss": 1.0}


@pytest.fixture
def store(tmp_path):
    url = f"sqlite:///{tmp_path}/runs.db"
    space = {"x": bk.space.uniform(0, 1), "kind": ["a", "b"]}
    bk.run_search(objective, space, n_trials=6, seed=3, name="cnn", store=url, score="accuracy",
                  n_workers=0, bounds=(0, 1))  # fmt: skip
    return url


def test_a_store_tells_infrastructure_versions_seed_space_and_duration(store):
    (record,) = records_in(store)
    table = search_table(record)
    facts = dict(table.facts)
    assert "cores" in facts["computing infrastructure"]
    assert "numpy" in facts["software"]
    assert facts["number of search trials"] == "6 (5 complete, 1 failed)"
    assert facts["search strategy"].endswith("seed 3")
    assert "as stated" not in facts["search strategy"]  # it was drawn here
    best = max((t for t in record.search.trials if t.score is not None), key=lambda t: t.score)
    assert facts["best accuracy"].startswith(f"{best.score:.4g} (trial {best.number}")
    assert facts["training duration, all trials"].endswith(" s")
    assert not table.observed
    assert [(p.name, p.space) for p in table.parameters] == [
        ("x", "uniform(low=0.0, high=1.0)"),
        ("kind", 'choice(values=["a", "b"])'),
    ]
    assert table.parameters[1].best == best.params["kind"]


def test_a_file_tells_what_was_observed_and_says_so():
    search = bk.Search(
        {"loss": [0.3, 0.1, float("nan")], "test": [0.4, 0.2, 0.1]},
        metric="loss", test="test", direction="minimize", costs=[1, 2, 3],
        params={"lr": [0.1, 0.01, 1.0], "opt": ["a", None, "b"], "none": [None] * 3}, label="x",
    )  # fmt: skip
    table = search_table(search)
    facts = dict(table.facts)
    assert table.observed
    assert facts["computing infrastructure"] == "not recorded"
    assert facts["best validation loss"] == "0.1 (trial 1, counted from 0)"
    assert facts["test of that trial"] == "0.2"
    # which may be seconds, epochs or dollars
    assert facts["cost, all trials"] == "6 (sum of the recorded costs, in their unit)"
    assert "training duration, all trials" not in facts
    assert [(p.name, p.space, p.best) for p in table.parameters] == [
        ("lr", "0.01 to 1", "0.01"),
        ("opt", "a, b", "–"),
    ]


@pytest.mark.parametrize(
    ("metrics", "test", "named"),
    [
        (["test_acc"], None, "best test_acc"),
        (["acc"], None, "best acc"),
        (["val_acc", "test_acc"], "test_acc", "best val_acc"),
        (["acc", "test_acc"], "test_acc", "best validation acc"),
        (["train_acc", "test_acc"], "test_acc", "best train_acc"),
    ],
)
def test_only_a_validation_score_is_called_one(metrics, test, named):
    search = bk.Search({m: [0.1, 0.2] for m in metrics}, metric=metrics[0], test=test)
    assert named in dict(search_table(search).facts)


def test_a_strategy_that_was_only_stated_says_so():
    for sampling, stated in (("iid", True), ("adaptive", False), ("unknown", False)):
        facts = dict(search_table(bk.Search({"acc": [0.1, 0.2]}, sampling=sampling)).facts)
        assert facts["search strategy"].endswith("(as stated)") == stated


def test_a_search_without_a_finished_trial_is_in_the_store_and_cannot_be_reported(store):
    from bestofk.runner.store.ledger import Ledger

    with Ledger(store) as ledger:
        row = ledger.get("cnn")
        ledger.add("empty", row.facts, row.options, 5, row.versions)
    records = records_in(store)
    assert [(r.label, r.search is None) for r in records] == [("cnn", False), ("empty", True)]
    with pytest.raises(bk.ArgumentError, match="empty: no trial has ended yet"):
        search_table(records[1])


def test_columns_of_a_table_are_refused_for_a_store(store):
    with pytest.raises(bk.ArgumentError, match="a store of run_search knows its own"):
        records_in(store, cost="seconds")
