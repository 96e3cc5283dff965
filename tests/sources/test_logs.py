"""Tables that are not one row a trial: learning-curve logs, attempts at problems."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError, on_command_line
from tests.sources.said import kinds, said


def log(trials=40, epochs=10, name="run_id", step="epoch", rng=0):
    """Return a log: the rows of each trial, step by step, as a training loop writes them."""
    noise = np.random.default_rng(rng)
    rows = [(t, e) for t in range(trials) for e in range(1, epochs + 1)]
    return {
        name: [f"r{t}" for t, _ in rows],
        step: [e for _, e in rows],
        "val_acc": [0.5 + e / 100 + noise.random() for _, e in rows],
    }  # fmt: skip


def wide(search):
    return [t.score for t in search.trials]


def refused(columns, **options):
    with pytest.raises(DataError) as error:
        bk.read(columns, **options)
    return error.value


def to_csv(path, columns):
    lines = zip(*columns.values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in lines), ""]))
    return path


# --- learning-curve logs


def test_forty_trials_of_ten_epochs_are_not_400_trials(tmp_path):
    error = refused(to_csv(tmp_path / "log.csv", log()), score="val_acc")
    assert str(error) == (
        'log.csv has 10 rows for each run_id. Pass trial="run_id", take="last" (or "best") to get '
        "one score per trial."
    )
    assert on_command_line(error.text) == (
        "log.csv has 10 rows for each run_id. Pass --trial run_id --take last (or best) to get one "
        "score per trial."
    )


@pytest.mark.parametrize("name", ["trial", "trial_id", "runId", "experiment", "name", "info/run"])
@pytest.mark.parametrize("step", ["epoch", "step", "Iteration", "iter", "trainer/global_step"])
def test_a_log_is_known_by_many_names(name, step):
    assert f"10 rows for each {name}." in str(refused(log(name=name, step=step), score="val_acc"))


def test_without_a_score_a_log_is_refused_as_one_too():
    assert "10 rows for each run_id" in str(refused(log()))


def test_the_way_out_gives_one_score_per_trial():
    columns = log()
    values = np.reshape(columns["val_acc"], (40, 10))
    last = bk.read(columns, trial="run_id", take="last")
    assert wide(last) == values[:, -1].tolist()
    assert last.metric == "val_acc"
    assert kinds(last) == []
    best = bk.read(columns, trial="run_id", take="best")
    assert wide(best) == values.max(axis=1).tolist()
    said(best, "best-step", "its best `val_acc` over its epochs")
    smallest = bk.read(columns, score="val_acc", trial="run_id", take="best", direction="minimize")
    assert wide(smallest) == values.min(axis=1).tolist()


def test_last_is_by_the_step_and_not_by_the_row():
    columns = log(5, 4)
    mixed = np.random.default_rng(1).permutation(20).tolist()
    shuffled = {name: [column[i] for i in mixed] for name, column in columns.items()}
    assert sorted(wide(bk.read(shuffled, trial="run_id", take="last"))) == sorted(
        wide(bk.read(columns, trial="run_id", take="last"))
    )
    del shuffled["epoch"]
    unordered = bk.read(shuffled, trial="run_id", take="last")
    said(unordered, "row-order", "last row of each trial", validity="assumed")


def test_trials_keep_the_order_in_which_they_began():
    columns = {"run": ["b", "a", "b", "a"], "step": [1, 1, 2, 2], "acc": [0.1, 0.2, 0.3, 0.4]}
    assert wide(bk.read(columns, score="acc", trial="run", take="last")) == [0.3, 0.4]


def test_trials_that_were_stopped_early_are_told_and_void():
    columns = log(6, 5)
    keep = [i for i in range(30) if not (i // 5 == 2 and i % 5 > 1)]
    short = {name: [column[i] for i in keep] for name, column in columns.items()}
    search = bk.read(short, score="val_acc", trial="run_id", take="last")
    said(search, "different-steps", "between 2 and 5 epochs", "as an array", validity="void")
    assert "2 to 5 rows for each run_id" in str(refused(short, score="val_acc"))
    # a trial that broke off without a score did not stop early
    short["val_acc"][11] = math.nan
    broken = bk.read(short, score="val_acc", trial="run_id", take="last")
    assert [t.state for t in broken.trials].count("failed") == 1
    assert kinds(broken) == []


def test_early_stopping_of_one_method_is_not_told_of_another():
    columns = log(6, 5)
    columns["method"] = ["a"] * 15 + ["b"] * 15
    short = {name: column[:-2] for name, column in columns.items()}
    searches = bk.read_all(short, by="method", score="val_acc", trial="run_id", take="last")
    assert [kinds(s) for s in searches.values()] == [[], ["different-steps"]]


def test_steps_of_different_size_are_not_called_early_stopping():
    columns = log(4, 3, step="global_step")
    columns["global_step"] = [s * size for size in (10, 20, 40, 80) for s in (1, 2, 3)]
    search = bk.read(columns, trial="run_id", take="last", score="val_acc")
    said(search, "different-last-steps", "30 to 240", validity="assumed")
    assert "3 rows for each run_id" in str(refused(columns, score="val_acc"))


def test_state_and_cost_are_those_of_the_last_row():
    columns = {
        "trial": ["a", "a", "b", "b"], "epoch": [1, 2, 1, 2], "acc": [0.9, 0.1, 0.2, 0.3],
        "state": ["running", "complete", "running", "failed"], "seconds": [5, 11, 6, 12],
    }  # fmt: skip
    search = bk.read(columns, score="acc", trial="trial", take="best", cost="seconds")
    assert [t.state for t in search.trials] == ["complete", "failed"]
    assert search.costs.tolist() == [11, 12]
    assert search.metrics["epoch"].tolist() == [1, 2]
    said(search, "last-row-cost", "the `seconds` of its last row")


def test_a_trial_of_a_number_stays_as_written(tmp_path):
    path = to_csv(tmp_path / "x.csv", {"run": ["1", "01", "1", "01"], "step": [1, 1, 2, 2],
                                       "acc": [0.1, 0.2, 0.3, 0.4]})  # fmt: skip
    assert wide(bk.read(path, score="acc", trial="run", take="last")) == [0.3, 0.4]


@pytest.mark.parametrize("take", ["last", "best"])
def test_two_rows_of_one_step_are_refused(take):
    """Train and validation rows in one column: the best of them would be that of training."""
    columns = {"run": list("aaaabbbb"), "epoch": [1, 1, 2, 2] * 2, "split": ["train", "val"] * 4,
               "acc": [0.9, 0.5] * 4}  # fmt: skip
    assert "4 rows for each run" in str(refused(columns, score="acc"))
    error = refused(columns, score="acc", trial="run", take=take)
    assert "a trial must have one row for each `epoch`; it has 2 for" in str(error)
    assert str(error).endswith("Keep one of them.")


def test_what_does_not_go_together_is_refused():
    columns = log(3, 2)
    with pytest.raises(ArgumentError, match="`take` says which row of each trial counts; name"):
        bk.read(columns, take="last")
    with pytest.raises(ArgumentError, match="`take` must be one of 'last', 'best'; got 'first'"):
        bk.read(columns, trial="run_id", take="first")
    with pytest.raises(ArgumentError, match="no 'run' among"):
        bk.read(columns, trial="run", take="last")
    assert "2 rows for each run_id" in str(refused(columns, trial="run_id"))
    columns["run_id"][3] = ""
    assert "row 4: `run_id` must name the trial; it is empty" in str(
        refused(columns, trial="run_id", take="last")
    )
    with pytest.raises(ArgumentError, match="an array of scores has no columns; got 'run'"):
        bk.read([0.1, 0.2], trial="run", take="last")


def test_a_tool_knows_its_own_trials():
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), 2)
    with pytest.raises(ArgumentError, match="`trial` names a column of a table"):
        bk.read(study, trial="x", take="last")


def one_row_a_trial():
    """Tables that look a little like a log and are none."""
    rng = np.random.default_rng(5)
    n = 60
    acc = rng.random(n).tolist()
    yield (
        "epochs is a hyperparameter",
        {"trial": range(n), "epochs": rng.integers(5, 50, n), "acc": acc},
    )
    yield "a constant", {"name": ["cnn"] * n, "epochs": [10] * n, "acc": acc}
    yield (
        "a method that repeats",
        {"name": ["cnn", "lstm"] * 30, "epochs": rng.integers(1, 9, n), "acc": acc},
    )
    yield (
        "trials numbered for each of two methods, best epoch beside",
        {
            "method": ["a"] * 30 + ["b"] * 30,
            "trial": [*range(30)] * 2,
            "epoch": rng.integers(1, 100, n),
            "acc": acc,
        },
    )
    yield (
        "for each of six",
        {"trial": [*range(10)] * 6, "epoch": rng.integers(1, 500, n), "acc": acc},
    )
    yield (
        "seeds as runs",
        {
            "lr": np.repeat(rng.random(12), 5),
            "run": [*range(5)] * 12,
            "epoch": rng.integers(1, 40, n),
            "acc": acc,
        },
    )
    yield (
        "an experiment's name, epochs drawn from few",
        {"experiment": ["x"] * 30 + ["y"] * 30, "epochs": rng.choice([5, 10, 20], n), "acc": acc},
    )
    yield "no step at all", {"run": [*range(30)] * 2, "lr": rng.random(n), "acc": acc}
    yield (
        "settings that repeat",
        {"config": ["a", "b", "c"] * 20, "lr": [0.1, 0.2] * 30, "acc": acc},
    )


@pytest.mark.parametrize(
    "columns", [pytest.param(c, id=name) for name, c in one_row_a_trial()]
)  # fmt: skip
def test_a_table_with_one_row_a_trial_is_read(columns):
    assert bk.read(columns, score="acc").n == 60


def test_a_column_that_is_named_is_what_it_was_named():
    columns = log(4, 5)
    assert len(bk.read_all(columns, by="run_id", score="val_acc")) == 4
    assert bk.read(columns, params=["epoch"], score="val_acc").n == 20


def test_random_tables_of_one_row_a_trial_are_hardly_ever_refused():
    """Wrong rule as control: any repeated run beside an epoch is a log."""
    rng = np.random.default_rng(11)
    found = control = 0
    for _ in range(300):
        n = int(rng.integers(20, 80))
        columns = {"run": rng.integers(0, n // 3, n), "epoch": rng.integers(1, 30, n),
                   "acc": rng.random(n)}  # fmt: skip
        control += len(set(columns["run"].tolist())) < n
        try:
            bk.read(columns, score="acc")
        except DataError:
            found += 1
    assert found == 0
    assert control == 300


# --- logs without a column for the trial


def nameless(trials=40, epochs=10, first=0, step="epoch", rng=0):
    noise = np.random.default_rng(rng)
    n = trials * epochs
    return {step: [*range(first, first + epochs)] * trials, "acc": noise.random(n)}


def test_epochs_that_start_again_and_again_are_a_log(tmp_path):
    error = refused(to_csv(tmp_path / "log.csv", nameless()), score="acc")
    assert str(error) == (
        "log.csv looks like a learning-curve log, not one row per trial: `epoch` starts anew 40 "
        'times, for up to 10 rows. Add a column that names the trial and pass trial="COLUMN", '
        'take="last" (or "best"). If epoch is a hyperparameter, pass params="epoch".'
    )
    assert "pass --trial COLUMN --take last (or best). If" in on_command_line(error.text)


@pytest.mark.parametrize("step", ["epoch", "global_step", "step", "iteration", "trainer/epoch"])
@pytest.mark.parametrize("first", [0, 1])
def test_so_they_are_beside_hyperparameters_and_other_metrics(step, first):
    columns = nameless(first=first, step=step)
    rng = np.random.default_rng(1)
    columns["lr"] = np.repeat(rng.random(40), 10)
    columns["params_wd"] = np.repeat(rng.random(40), 10)
    columns["train_loss"] = rng.random(400)
    assert "starts anew 40 times" in str(refused(columns, score="acc"))
    stopped = [i for i in range(400) if not (i // 10 % 3 == 0 and i % 10 > 6)]
    short = {name: [column[i] for i in stopped] for name, column in columns.items()}
    assert "starts anew 40 times" in str(refused(short, score="acc"))


def test_so_they_are_within_a_method():
    columns = nameless(6, 5) | {"method": ["a"] * 15 + ["b"] * 15}
    with pytest.raises(DataError, match="starts anew 6 times, for up to 5 rows"):
        bk.read_all(columns, by="method", score="acc")


def no_log():
    rng = np.random.default_rng(3)
    lrs = [0.1, 0.2, 0.3]
    both = nameless(3, 20, 1, "iteration") | {"seed": np.repeat([1, 2, 3], 20)}
    yield "trials numbered anew for each seed", both, {}
    named = nameless(3, 20, 1, "step") | {"method": np.repeat(["a", "b", "c"], 20).tolist()}
    yield "for each method", named, {}
    yield "the same, read by method", nameless(3, 20) | {"m": np.repeat([*"abc"], 20)}, {"by": "m"}
    yield "it is a hyperparameter", nameless(20, 3), {"params": "epoch"}
    grid = {"epochs": [5, 10, 20] * 20, "lr": np.repeat(rng.random(20), 3), "acc": rng.random(60)}
    yield "epochs of a grid", grid, {}
    drawn = {"epoch": [1, 2, 3] * 20, "params_lr": rng.choice(lrs, 60), "acc": rng.random(60)}
    yield "settings that change within", drawn, {}
    yield "the best epoch", {"epoch": rng.integers(1, 30, 60), "acc": rng.random(60)}, {}
    yield "all the same", {"epoch": [10] * 60, "acc": rng.random(60)}, {}
    yield "one of two", {"epoch": rng.integers(1, 3, 60), "acc": rng.random(60)}, {}


@pytest.mark.parametrize(
    ("columns", "options"), [pytest.param(c, o, id=name) for name, c, o in no_log()]
)
def test_what_is_no_log_is_read(columns, options):
    searches = bk.read_all(columns, score="acc", **options).values()
    assert sum(search.n for search in searches) == 60


def test_drawn_epochs_are_hardly_ever_a_log():
    """Wrong rule as control: any count that goes down is a log."""
    rng = np.random.default_rng(12)
    found = control = 0
    for _ in range(500):
        n, most = int(rng.integers(6, 40)), int(rng.integers(3, 30))
        epochs = rng.integers(1, most, n)
        control += bool((np.diff(epochs) < 0).any())
        try:
            bk.read({"epoch": epochs, "acc": rng.random(n)}, score="acc")
        except DataError:
            found += 1
    assert found == 0
    assert control > 450


def test_the_export_of_a_wandb_chart_is_told():
    run = "brave-sun-1 - val_acc"
    columns = {"Step": [1, 2, 3]} | {
        f"{run}{end}": [0.1, 0.2, 0.3] for end in ("", "__MIN", "__MAX")
    }
    for options in ({}, {"score": run}):
        error = str(refused(columns, **options))
        assert "is the export of a W&B chart: a row for each step and a column for each" in error
        assert error.endswith("Export the table of runs instead, which has one row per run.")


# --- attempts at problems


def attempts(name="task_id", problems=164, n=10, rng=0):
    passed = np.random.default_rng(rng).random(problems * n) < 0.3
    return {name: np.repeat([f"t{i}" for i in range(problems)], n).tolist(), "passed": passed}


def test_attempts_are_not_one_search(tmp_path):
    columns = attempts()
    path = tmp_path / "results.jsonl"
    rows = zip(columns["task_id"], columns["passed"].tolist(), strict=True)
    path.write_text("".join(json.dumps({"task_id": t, "passed": p}) + "\n" for t, p in rows))
    for options in ({"score": "passed"}, {}):
        assert str(refused(path, **options)) == (
            "results.jsonl holds several attempts at each of 164 problems (task_id), not one "
            'search. Use: bk.read_attempts("results.jsonl", problem="task_id", score="passed"). If '
            'task_id is a hyperparameter, pass params="task_id".'
        )


@pytest.mark.parametrize("name", ["problem", "question_id", "doc_id", "instance_id", "whatever"])
@pytest.mark.parametrize("kind", [int, float, str])
def test_attempts_are_known_by_many_names(name, kind):
    columns = attempts(name, problems=20)
    columns["passed"] = [kind(p) for p in columns["passed"].astype(int).tolist()]
    assert f"each of 20 problems ({name})" in str(refused(columns, score="passed"))


def test_attempts_of_several_models_are_refused_for_each():
    columns = attempts(problems=12, n=4)
    columns["model"] = ["a", "b"] * 24
    columns["passed"] = columns["passed"].astype(int)
    with pytest.raises(DataError, match="each of 12 problems"):
        bk.read_all(columns, by="model", score="passed")


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"task": ["mnli", "sst2"] * 20, "ok": [0, 1] * 20}, id="two data sets"),
        pytest.param({"task_id": range(40), "ok": [0, 1] * 20}, id="each once"),
        pytest.param({"method": ["a", "b"] * 20, "ok": [0, 1, 1, 0] * 10}, id="methods"),
        pytest.param({"params_task": ["x", "y"] * 20, "ok": [0, 1] * 20}, id="hyperparameter"),
        pytest.param({"act": ["relu", "gelu"] * 20, "ok": [0, 1] * 20}, id="another"),
        pytest.param({"task_id": [*range(10)] * 4, "ok": np.linspace(0, 1, 40)}, id="not 0 or 1"),
    ],
)
def test_what_is_no_attempt_is_read(columns):
    assert bk.read(columns, score="ok").n == 40


def test_attempts_that_are_named_as_something_else_are_read():
    columns = attempts(problems=6, n=3)
    columns["passed"] = columns["passed"].astype(int)
    assert bk.read(columns, score="passed", params="task_id").n == 18
    assert len(bk.read_all(columns, score="passed", by="task_id")) == 6


# --- truth values


@pytest.mark.parametrize("write", [str, str.lower, bool], ids=["True", "true", "bool"])
def test_success_and_failure_are_one_and_zero(write):
    cells = [write(x) if write is bool else write(str(x)) for x in (True, False, True)]
    for options in ({"score": "solved"}, {}):
        search = bk.read({"model": [*"abc"], "solved": cells}, **options)
        assert wide(search) == [1.0, 0.0, 1.0]


def test_truth_values_in_files_are_scores(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"ok": true}\n{"ok": false}\n{"ok": null}\n')
    assert wide(bk.read(path, score="ok"))[:2] == [1.0, 0.0]
    assert [t.state for t in bk.read(path, score="ok").trials] == ["complete", "complete", "failed"]
    path = to_csv(tmp_path / "x.csv", {"ok": ["True", "False"], "seconds": [1, 2]})
    assert wide(bk.read(path, score="ok")) == [1.0, 0.0]


def test_truth_values_are_no_score_beside_numbers_and_no_number_among_them():
    search = bk.read({"acc": [0.5, 0.6], "converged": [True, False]})
    assert search.metric == "acc"
    assert set(search.metrics) == {"acc"}
    with pytest.raises(DataError, match="row 1.*`acc` must be a number; got True"):
        bk.read({"acc": [True, 0.5]}, score="acc")
    with pytest.raises(DataError, match="`seconds` must be a number"):
        bk.read({"acc": [0.1, 0.2], "seconds": [True, False]}, score="acc", cost="seconds")


# --- blank lines


def test_a_blank_line_in_a_file_with_one_column_is_a_trial_without_a_score(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("score\n0.1\n\n0.3\n")
    search = bk.read(path)
    assert [t.state for t in search.trials] == ["complete", "failed", "complete"]
    with pytest.raises(
        DataError, match=r"x.csv, row 2 \(line 3\): `score` is not a number \(empty"
    ):
        search.scores()
    path.write_text("a,score\n1,0.1\n\n2,0.3\n")
    assert bk.read(path, score="score").n == 2
