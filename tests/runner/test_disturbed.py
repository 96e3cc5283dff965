"""Drivers that are killed, interrupted, or run twice: nothing is lost, nothing is twice."""

from __future__ import annotations

import signal
import sys
import time

import numpy as np
import pytest

import bestofk as bk
from tests.runner import drivers, objectives
from tests.runner.drivers import is_alive, recorded, wait_for

GATED = [
    "sh",
    "-c",
    "while [ $BESTOFK_TRIAL -gt $(cat $BESTOFK_TEST_GATE) ]; do sleep 0.01; done;"
    " echo '{{\"score\": {x}}}'",
]
SLEEP = [sys.executable, "-c", "import os, time; print(os.getpid(), flush=True); time.sleep(600)"]


@pytest.fixture
def gate(tmp_path, monkeypatch):
    """A file: trials after the number in it wait, so that no search ends before its time."""
    path = tmp_path / "gate"
    monkeypatch.setenv("BESTOFK_TEST_GATE", str(path))
    return path


def kill_and_resume(tmp_path, rng, gate, *, n_trials, kills, objective, n_workers=2):
    """Kill the driver again and again, at moments spread over the search; return it whole."""
    path = tmp_path / "runs.db"
    seen = {}
    options = {"objective": objective, "n_trials": n_trials, "n_workers": n_workers}
    for kill in range(kills):
        goal = n_trials * kill // (kills + 1)
        gate.write_text(str(n_trials * (kill + 1) // (kills + 1)))
        driver = drivers.start(f"sqlite:///{path}", **options)
        wait_for(lambda goal=goal: recorded(path) > goal)
        time.sleep(rng.uniform(0, 0.15))
        assert driver.poll() is None, driver.communicate()
        driver.kill()
        driver.communicate()
        now = {t.number: (t.params, t.score) for t in bk.read(path).trials if t.state == "complete"}
        assert seen.items() <= now.items()
        seen = now
    gate.write_text(str(n_trials))
    driver = drivers.start(f"sqlite:///{path}", **options)
    _, err = driver.communicate()
    assert driver.returncode == 0, err
    found = bk.read(path)
    assert found.states == ("complete",) * n_trials
    assert found.numbers.tolist() == list(range(n_trials))
    assert all((t.params, t.score) == seen.get(t.number, (t.params, t.score)) for t in found.trials)
    return found


def test_a_killed_driver_loses_nothing(tmp_path, rng, gate):
    found = kill_and_resume(tmp_path, rng, gate, n_trials=40, kills=2, objective="gated")
    assert drivers.same_trials(found, drivers.undisturbed(tmp_path, 40))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["gated", GATED])
def test_twenty_kills_in_two_hundred_trials(tmp_path, rng, gate, objective):
    found = kill_and_resume(tmp_path, rng, gate, n_trials=200, kills=20, objective=objective)
    assert drivers.same_trials(found, drivers.undisturbed(tmp_path, 200))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_functions_end_with_a_killed_driver(tmp_path, how):
    driver = drivers.start(
        f"sqlite:///{tmp_path}/runs.db", objective="endless", n_trials=2, n_workers=2, grace=0.2
    )
    files = [tmp_path / f"cnn/trials/00000{i}/1/pid" for i in (0, 1)]
    wait_for(lambda: all(f.exists() and f.read_text() for f in files))
    pids = [int(f.read_text()) for f in files]
    assert all(map(is_alive, pids))
    driver.send_signal(how)
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, pids)))


def test_commands_end_with_a_killed_driver(tmp_path):
    driver = drivers.start(
        f"sqlite:///{tmp_path}/runs.db", objective=SLEEP, n_trials=2, n_workers=2
    )
    files = [tmp_path / f"cnn/trials/00000{i}/1/stdout" for i in (0, 1)]
    wait_for(lambda: all(f.exists() and f.read_text() for f in files))
    pids = [int(f.read_text()) for f in files]
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, pids)))


@pytest.mark.parametrize(
    "objective", ["slow", ["sh", "-c", "sleep 0.3; echo '{{\"score\": {x}}}'"]]
)
def test_the_first_interrupt_lets_running_trials_finish(tmp_path, objective):
    path = tmp_path / "runs.db"
    options = {"objective": objective, "n_trials": 500, "n_workers": 2}
    driver = drivers.start(f"sqlite:///{path}", **options)
    wait_for(lambda: recorded(path) >= 2)
    drivers.interrupt(driver)
    _, err = driver.communicate()
    assert driver.returncode == 130
    assert "no new trials; waiting for the running ones" in err
    assert "Traceback" not in err
    found = bk.read(path)
    assert set(found.states) == {"complete"}  # without a gap: what was running has finished
    assert 2 <= found.n < 500
    again = drivers.start(f"sqlite:///{path}", **{**options, "n_trials": found.n + 1})
    again.communicate()
    assert again.returncode == 0
    assert bk.read(path).n == found.n + 1


@pytest.mark.parametrize("objective", ["endless", SLEEP])
def test_the_second_interrupt_ends_running_trials_unrecorded(tmp_path, objective):
    path = tmp_path / "runs.db"
    driver = drivers.start(f"sqlite:///{path}", objective=objective, n_trials=4, n_workers=2)
    name = "pid" if objective == "endless" else "stdout"
    files = [tmp_path / f"cnn/trials/00000{i}/1/{name}" for i in (0, 1)]
    wait_for(lambda: all(f.exists() and f.read_text() for f in files))
    drivers.interrupt(driver)
    drivers.stopping(driver)
    assert driver.poll() is None
    drivers.interrupt(driver)
    driver.communicate()
    assert driver.returncode == 130
    assert recorded(path) == 0
    wait_for(lambda: not any(is_alive(int(f.read_text())) for f in files))


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "seconds", [0.0, pytest.param(0.3, marks=SLOW), 0.6, pytest.param(1.2, marks=SLOW)]
)
def test_an_interrupt_while_the_search_begins_leaves_no_noise(tmp_path, seconds):
    """Whatever has been started by then, workers on their way among it, ends without a word."""
    driver = drivers.start(
        f"sqlite:///{tmp_path}/runs.db", objective="slow", n_trials=500, n_workers=2
    )
    wait_for((tmp_path / "runs.db.lock").exists)
    time.sleep(seconds)
    drivers.interrupt(driver)
    _, err = driver.communicate()
    assert driver.returncode == 130
    assert "Traceback" not in err


def test_a_second_driver_is_refused_until_the_first_is_gone(tmp_path):
    path = tmp_path / "runs.db"
    store = f"sqlite:///{path}"
    first = drivers.start(store, objective="slow", n_trials=500)
    wait_for(lambda: recorded(path) >= 1)
    second = drivers.start(store, objective="slow", n_trials=500)
    _, err = second.communicate()
    assert second.returncode == 1
    assert "search 'cnn'" in err
    assert "is being run by another process" in err
    other = bk.run_search(  # another search in the same store may run meanwhile
        objectives.plain,
        objectives.SPACE,
        seed=1,
        name="other",
        n_trials=2,
        n_workers=0,
        store=store,
    )
    assert other.n == 2
    first.kill()
    first.communicate()
    before = recorded(path)
    third = drivers.start(store, objective="slow", n_trials=before)
    third.communicate()
    assert third.returncode == 0


def test_drivers_that_start_at_the_same_moment_do_not_break_the_store(tmp_path):
    store = f"sqlite:///{tmp_path}/runs.db"
    both = [drivers.start(store, objective="quick", n_trials=20) for _ in range(2)]
    errors = [driver.communicate()[1] for driver in both]
    assert any(driver.returncode == 0 for driver in both), errors
    for driver, error in zip(both, errors, strict=True):
        assert driver.returncode == 0 or "is being run by another process" in error
    assert drivers.same_trials(bk.read(tmp_path / "runs.db"), drivers.undisturbed(tmp_path, 20))


def test_a_search_cannot_be_run_twice_in_one_process_either(tmp_path):
    store = f"sqlite:///{tmp_path}/runs.db"

    def nested(params, trial):
        return bk.run_search(
            nested, {"x": [1]}, seed=7, name="cnn", n_trials=1, store=store, n_workers=0
        ).n

    found = bk.run_search(
        nested, {"x": [1]}, seed=7, name="cnn", n_trials=1, store=store, n_workers=0
    )
    assert "is being run by another process" in found.notes[0]


def test_status_shows_whether_a_driver_runs(tmp_path):
    from bestofk.runner.store.ledger import Ledger
    from bestofk.runner.summary import summarise

    path = tmp_path / "runs.db"
    driver = drivers.start(f"sqlite:///{path}", objective="slow", n_trials=500)
    wait_for(lambda: recorded(path) >= 1)
    with Ledger(f"sqlite:///{path}") as ledger:
        assert summarise(ledger, ledger.get("cnn")).running
        driver.kill()
        driver.communicate()
        summary = summarise(ledger, ledger.get("cnn"))
    assert not summary.running
    assert summary.ended == recorded(path)
    assert np.isfinite(summary.best)
