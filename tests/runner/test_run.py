"""run_search: pure, extendable; failures are recorded; other searches are refused."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
from functools import partial

import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, on_command_line
from bestofk.runner.store.ledger import Ledger
from tests.runner import objectives
from tests.runner.drivers import is_alive, wait_for
from tests.runner.searches import ECHO, SPACE, expected, params_of


@pytest.mark.parametrize(
    ("objective", "options"),
    [
        (objectives.plain, {"n_workers": 0}),
        (objectives.plain, {"n_workers": 1}),
        (objectives.plain, {"n_workers": 3}),
        ("tests.runner.objectives:plain", {"n_workers": 0}),
        (ECHO, {"n_workers": 1}),
        (ECHO, {"n_workers": 3}),
    ],
)
def test_every_engine_runs_the_same_trials(search, objective, options):
    found = search(objective, n_trials=12, **options)
    assert isinstance(found, bk.Search)
    assert found.sampling == "iid"
    assert found.label == "cnn"
    assert params_of(found) == expected(12)
    assert found.scores().values.tolist() == [p["x"] for p in expected(12).values()]
    assert not found.scores().caveats
    assert (found.costs >= 0).all()


def test_a_mapping_of_metrics_is_kept_whole(search):
    found = search(
        objectives.with_metrics, n_trials=3, score="accuracy", cost="seconds", n_workers=0
    )
    assert found.metric == "accuracy"
    assert set(found.metrics) == {"accuracy", "loss", "seconds"}
    assert found.metrics["loss"].tolist() == [1 - t.params["x"] for t in found.trials]
    assert found.costs.tolist() == [2.0] * 3


@pytest.mark.parametrize("cost", [None, math.nan, -1.0, math.inf])
def test_a_trial_without_a_usable_cost_has_failed(search, cost):
    found = search(
        lambda p, t: {"score": 1.0, **({} if cost is None else {"gpu": cost})},
        n_trials=2, n_workers=0, cost="gpu",
    )  # fmt: skip
    assert found.states == ("failed", "failed")
    assert "the cost 'gpu' must be finite and not negative" in found.notes[0]


def test_lambdas_and_closures_can_be_searched(search):
    shift = 10
    found = search(lambda params, trial: params["x"] + shift, n_trials=3)
    assert found.scores().values.tolist() == [p["x"] + 10 for p in expected(3).values()]


def test_the_same_call_again_runs_nothing_and_a_larger_one_extends(search, tmp_path, monkeypatch):
    notes = tmp_path / "notes"
    monkeypatch.setenv("BESTOFK_TEST_NOTES", str(notes))
    first = search(objectives.counted, n_trials=5, n_workers=0)
    again = search(objectives.counted, n_trials=5, n_workers=0)
    assert params_of(first) == params_of(again)
    assert notes.read_text().split() == list("01234")
    more = search(objectives.counted, n_trials=8, n_workers=0)
    assert notes.read_text().split() == list("01234567")
    assert params_of(more) == expected(8)
    fewer = search(objectives.counted, n_trials=2, n_workers=0)
    assert fewer.n == 8


def test_failures_are_recorded_with_their_reason_and_the_others_go_on(search):
    found = search(objectives.accident_prone, n_trials=12, n_workers=2, timeout=5.0)
    assert params_of(found) == expected(12)
    assert [t.number for t in found.trials if t.state == "failed"] == [1, 2, 3, 4, 5, 6]
    for number, reason in {
        1: "ValueError: no luck",
        2: "the score 'score' is NaN",
        3: "killed by SIGKILL (out of memory?)",
        4: "timed out after 5 s",
        5: "ended in the middle, with exit status 0",
        6: "no number under 'score' (the score) among 'other'",
    }.items():
        assert reason in found.notes[number]
    with pytest.raises(bk.DataError, match="trial 1: failed: ValueError: no luck"):
        found.scores()
    assert found.scores(failed="drop").n == 6


@pytest.mark.slow
def test_what_a_trial_started_ends_with_it(search, tmp_path):
    """By a timeout, by its death, and with the search if it ends well."""
    found = search(objectives.leaves_others_behind, n_trials=3, n_workers=1, timeout=5.0)
    assert found.states == ("complete", "failed", "failed")
    for number in range(3):
        pid = int((tmp_path / f"cnn/trials/00000{number}/1/pid").read_text())
        wait_for(lambda pid=pid: not is_alive(pid))


def test_a_worker_that_dies_as_soon_as_it_has_a_trial_fails_that_trial(search):
    found = search(objectives.dies_at_once, n_trials=4, n_workers=2, keep_going=True)
    assert found.states == ("failed",) * 4
    assert all("killed by SIGKILL" in note for note in found.notes.values())


def test_a_broken_pool_loses_no_trial(search, monkeypatch):
    """All workers ended at once: the pool is broken, and trials it had not begun are silent."""
    from bestofk.runner.engines.pool import ProcessEngine

    pools = []
    make = ProcessEngine._new_pool
    monkeypatch.setattr(ProcessEngine, "_new_pool", lambda e: pools.append(make(e)) or pools[-1])
    submit = ProcessEngine.submit

    def breaking(engine, task):
        submit(engine, task)
        if task.number == 3 and len(pools) == 1:
            pools[0]._context.status = PoolStatus.ERROR  # what Pebble does; nobody hears of it

    monkeypatch.setattr(ProcessEngine, "submit", breaking)
    from pebble.pool.base_pool import PoolStatus

    found = search(objectives.plain, n_trials=12, n_workers=2)
    assert found.states == ("complete",) * 12
    assert params_of(found) == expected(12)
    assert len(pools) == 2


def test_the_ledger_keeps_the_traceback_times_host_and_machine(search, tmp_path):
    search(objectives.accident_prone, n_trials=3, n_workers=1)
    with Ledger(f"sqlite:///{tmp_path}/runs.db") as ledger:
        row = ledger.get("cnn")
        trial = ledger.trials(row)[1]
        machines = ledger.machines(row)
    assert "accident_prone" in trial.error
    assert trial.ended >= trial.started > 1.7e9
    assert machines[trial.host]["cores"] == os.cpu_count()
    assert {"cpu", "memory_gib", "gpus"} <= machines[trial.host].keys()
    assert row.versions["numpy"]
    assert row.facts["fingerprint"] == SPACE.fingerprint


def test_a_failed_trial_is_retried_with_the_same_parameters(search, tmp_path, monkeypatch):
    monkeypatch.setenv("BESTOFK_TEST_NOTES", str(tmp_path))
    found = search(objectives.second_time, n_trials=4, n_workers=2, retries=1)
    assert found.states == ("complete",) * 4
    for number in range(4):
        first, second = (tmp_path / str(number)).read_text().splitlines()
        assert first == second
    with Ledger(f"sqlite:///{tmp_path}/runs.db") as ledger:
        assert [t.attempt for t in ledger.trials(ledger.get("cnn"))] == [2] * 4


def test_without_retries_a_failed_trial_stays_failed_when_resumed(search, tmp_path, monkeypatch):
    monkeypatch.setenv("BESTOFK_TEST_NOTES", str(tmp_path))
    search(objectives.second_time, n_trials=2, n_workers=0)
    found = search(objectives.second_time, n_trials=2, n_workers=0)
    assert found.states == ("failed", "failed")


def test_a_score_outside_the_bounds_fails_its_trial(search):
    found = search(lambda params, trial: 93.0, n_trials=1, bounds=(0, 1), n_workers=0)
    assert "is 93, outside the bounds 0 to 1" in found.notes[0]


class _Odd(dict):
    def items(self):
        raise OSError("no items")


def _complains(params, trial):
    raise ValueError("half a character: \ud800, and none: \0")


@pytest.mark.parametrize(
    ("objective", "reason"),
    [
        (lambda p, t: _Odd(score=1), "OSError: no items"),
        (_complains, "ValueError: half a character: ?, and none: \\0"),
    ],
)
def test_whatever_a_trial_gives_it_fails_alone(search, objective, reason):
    found = search(objective, n_trials=2, n_workers=0)
    assert found.states == ("failed", "failed")
    assert reason in found.notes[0]


def test_an_infinite_score_is_a_score(search, tmp_path):
    found = search(
        lambda p, t: {"score": math.inf, "b": -math.inf, "c": math.nan},
        n_trials=1, n_workers=0, direction="minimize",
    )  # fmt: skip
    assert found.scores().values.tolist() == [math.inf]
    assert found.metrics["b"].tolist() == [-math.inf]
    assert "c" not in found.metrics


def test_the_training_has_a_seed_of_its_own(search):
    first = search(objectives.seeded, n_trials=3, n_workers=0)
    other = search(objectives.seeded, n_trials=3, n_workers=2, name="again")
    assert first.scores().values.tolist() == other.scores().values.tolist()
    assert len(set(first.scores().values)) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 8}, "seed: 7 before, 8 now"),
        ({"direction": "minimize"}, "direction: maximize before, minimize now"),
        ({"score": "f1"}, "score: score before, f1 now"),
        ({"objective": objectives.quick}, "objectives:plain before, .*objectives:quick now"),
        ({"objective": ECHO}, r'objectives:plain before, \["echo"'),
        ({"thresholds": {5: 0.5}}, r"thresholds: \[\] before, \[\[5, 0.5\]\] now"),
        (
            {"space": {**SPACE.spec(), "x": {"kind": "uniform", "low": 0, "high": 2}}},
            r"x: uniform\(low=0.0, high=1.0\) before, uniform\(low=0.0, high=2.0\) now",
        ),
    ],
)
def test_another_search_under_the_same_name_is_refused_with_the_difference(search, change, message):
    search(objectives.plain, n_trials=1, n_workers=0)
    with pytest.raises(
        bk.ArgumentError, match=rf"search 'cnn' must go on as it began; .*{message}"
    ):
        search(**{"objective": objectives.plain, "n_trials": 2, "n_workers": 0, **change})


def test_a_changed_source_only_warns(search, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "changing.py"
    module.write_text("def f(params, trial):\n    return 1\n")
    import changing

    search(changing.f, n_trials=1, n_workers=0)
    module.write_text("def f(params, trial):\n    return 2  # better\n")
    import linecache

    linecache.clearcache()
    sys.modules.pop("changing")
    import changing as changed

    with pytest.warns(UserWarning, match="the source of changing:f has changed"):
        found = search(changed.f, n_trials=2, n_workers=0)
    assert found.n == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_trials": 0}, "`n_trials` must be a whole number of at least 1"),
        ({"seed": -1}, "`seed` must be a whole number of at least 0"),
        ({"name": "../x"}, "`name` must be letters"),
        ({"timeout": 0}, "`timeout` must be a positive number"),
        ({"timeout": 5, "n_workers": 0}, "`timeout` needs a process to end"),
        ({"objective": 3}, "`objective` must be a function"),
        ({"objective": "nothing here"}, "must be named as module:function"),
        ({"objective": ["echo", "{y}"]}, "braces must hold one of x, n, word, trial.number"),
        ({"objective": ["echo", "{"]}, "must be doubled or hold a parameter"),
        ({"store": "mysql://x"}, "`store` must be sqlite:///FILE or postgresql"),
        ({"thresholds": "median"}, "Adaptive pruning .* ends their independence"),
        ({"thresholds": {5: "median"}}, "must map whole steps to numbers"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_stored(search, tmp_path, change, message):
    with pytest.raises(bk.ArgumentError, match=message):
        search(**{"objective": objectives.plain, "n_trials": 1, **change})
    assert not (tmp_path / "runs.db").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_trials": 0}, "--trials must be a whole number of at least 1; got 0."),
        ({"n_workers": -1}, "--workers must be a whole number of at least 0; got -1."),
        ({"name": "../x"}, "--name must be letters, digits, dots"),
        ({"timeout": 0}, "--timeout must be a positive number of seconds; got 0."),
        (
            {"timeout": 5, "n_workers": 0},
            "--timeout needs a process to end: --workers of at least 1; got 0.",
        ),
        ({"metrics_file": "../m"}, "--metrics-file must be inside the folder of each trial"),
        ({"objective": "nothing here"}, "A command follows --."),
        ({"store": "mysql://x"}, "--store must be sqlite:///FILE or postgresql"),
        ({"thresholds": "median"}, "--thresholds must map steps to scores fixed before"),
        (
            {"thresholds": {5: "median"}},
            "--thresholds must map whole steps to numbers, as 5=0.6; got 5: 'median'.",
        ),
        (
            {"objective": partial(int, __import__("threading").Lock())},
            "--workers 0 runs it in this one.",
        ),
    ],
)
def test_the_command_line_speaks_of_options(search, change, message):
    with pytest.raises(bk.ArgumentError) as refused:
        search(**{"objective": objectives.plain, "n_trials": 1, **change})
    assert message in on_command_line(refused.value.text)


def test_an_objective_that_cannot_be_imported_or_sent_says_so(search):
    with pytest.raises(bk.DataError, match="nosuch:f: the objective cannot be imported"):
        search("nosuch:f", n_trials=1)
    lock = __import__("threading").Lock()
    with pytest.raises(bk.ArgumentError, match="sent to another process; it cannot"):
        search(lambda params, trial: lock, n_trials=1)


def test_an_objective_that_only_the_driver_can_load_fails_its_trials(search):
    class Picky:
        def __reduce__(self):
            return (int, ("not a number",))

    picky = Picky()
    found = search(lambda params, trial: picky, n_trials=2)
    assert found.states == ("failed", "failed")
    assert "the objective cannot be loaded in a worker: ValueError" in found.notes[0]


def test_what_an_objective_prints_is_not_data(search, capfd):
    search(lambda params, trial: print("hello") or 1.0, n_trials=1)
    out, err = capfd.readouterr()
    assert "hello" not in out
    assert "hello" in err


def test_an_interrupt_while_the_store_closes_comes_too_late(search, monkeypatch, capfd):
    close = Ledger.close

    def interrupted(ledger):
        os.kill(os.getpid(), signal.SIGINT)
        close(ledger)

    monkeypatch.setattr(Ledger, "close", interrupted)
    assert search(objectives.plain, n_trials=2, n_workers=0).n == 2
    assert "Traceback" not in capfd.readouterr().err


def test_each_attempt_at_a_command_has_a_folder_of_its_own(search, tmp_path):
    code = "import os, sys; print(os.getcwd()); sys.stderr.write('oh'); sys.exit(3)"
    search([sys.executable, "-c", code], n_trials=1, retries=1)
    for attempt in ("1", "2"):
        folder = tmp_path / "cnn" / "trials" / "000000" / attempt
        assert json.loads((folder / "params.json").read_text()) == expected(1)[0]
        assert (folder / "stdout").read_text().strip() == str(tmp_path)
        assert (folder / "stderr").read_text() == "oh"
    read = bk.read(tmp_path / "runs.db")
    assert read.notes[0].endswith("the command ended with exit status 3")


def test_a_folder_for_a_function_is_made_when_asked_for(search, tmp_path):
    search(lambda p, t: len(str(t.folder)), n_trials=1)
    assert (tmp_path / "cnn" / "trials" / "000000" / "1").is_dir()
    search(objectives.plain, n_trials=1, name="none", n_workers=0)
    assert not (tmp_path / "none").exists()


def test_a_machine_without_shared_locks_is_told_the_way_out(tmp_path, monkeypatch):
    def refused(_context):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("multiprocessing.context.SpawnContext.Lock", refused)
    with pytest.raises(ArgumentError, match=r"/dev/shm: .*Permission denied.*n_workers=0"):
        bk.run_search(
            objectives.plain, objectives.SPACE, n_trials=2, seed=1, name="a", n_workers=1,
            store=f"sqlite:///{tmp_path}/runs.db",
        )  # fmt: skip
