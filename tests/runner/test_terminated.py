"""SIGTERM, as SLURM and systemd send it: what ends in time is recorded, the rest runs again."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time

import pytest

import bestofk as bk
from bestofk.runner.engines import engine, pool
from bestofk.runner.interrupts import Interrupts, Terminated
from tests.runner import drivers, objectives
from tests.runner.drivers import is_alive, recorded, wait_for

SLOW = ["sh", "-c", "sleep 0.3; echo '{{\"score\": {x}}}'"]


def everything_under(pid):
    """Return the process and all that it has started, also in other sessions."""
    found = subprocess.run(
        ["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
    ).stdout
    children: dict[int, list[int]] = {}
    for line in found.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    every, left = [], [pid]
    while left:
        every.append(left.pop())
        left += children.get(every[-1], [])
    return every


def terminate_all(driver):
    """Do what systemd and SLURM do: everything in the control group gets the signal."""
    for pid in reversed(everything_under(driver.pid)):
        try:
            os.kill(pid, signal.SIGTERM)
        except ProcessLookupError:
            continue


@pytest.mark.parametrize("objective", ["slow", SLOW])
def test_running_trials_finish_within_the_grace_period(tmp_path, objective):
    path = tmp_path / "runs.db"
    driver = drivers.start(f"sqlite:///{path}", objective=objective, n_trials=500, n_workers=2)
    wait_for(lambda: recorded(path) >= 2)
    driver.terminate()
    _, err = driver.communicate(timeout=20)
    assert driver.returncode == 143
    assert "SIGTERM: no new trials; the running ones have 30 s to finish" in err
    assert "Traceback" not in err
    assert set(bk.read(path).states) == {"complete"}


@pytest.mark.parametrize("objective", ["endless", ["sleep", "600"]])
def test_after_the_grace_period_running_trials_end_unrecorded(tmp_path, objective):
    path = tmp_path / "runs.db"
    driver = drivers.start(
        f"sqlite:///{path}", objective=objective, n_trials=4, n_workers=2, grace=0.3
    )
    wait_for((tmp_path / "cnn/trials/000001/1").exists)
    begun = everything_under(driver.pid)
    driver.terminate()
    driver.communicate(timeout=20)
    assert driver.returncode == 143
    assert recorded(path) == 0
    wait_for(lambda: not any(map(is_alive, begun)))


@pytest.mark.parametrize("objective", ["slow", SLOW])
def test_trials_that_died_with_their_driver_are_not_failed(tmp_path, objective):
    path = tmp_path / "runs.db"
    driver = drivers.start(f"sqlite:///{path}", objective=objective, n_trials=500, n_workers=2)
    wait_for(lambda: recorded(path) >= 2)
    terminate_all(driver)
    _, err = driver.communicate(timeout=20)
    assert driver.returncode == 143, err
    assert "Traceback" not in err
    assert set(bk.read(path).states) <= {"complete", "running"}


def test_a_trial_in_this_process_ends_with_the_grace_period(tmp_path):
    driver = drivers.start(
        f"sqlite:///{tmp_path}/runs.db", objective="endless", n_trials=2, n_workers=0, grace=0.3
    )
    wait_for((tmp_path / "cnn/trials/000000/1/pid").exists)
    driver.terminate()
    driver.communicate(timeout=20)
    assert driver.returncode == 143
    assert recorded(tmp_path / "runs.db") == 0


def test_a_command_that_died_of_an_interrupt_meant_for_its_driver_is_lost(tmp_path, monkeypatch):
    """Between fork and setsid a command is in the group of its driver, and Ctrl-C reaches it."""
    monkeypatch.chdir(tmp_path)
    once = "if mkdir mark 2> /dev/null; then kill -2 $PPID; kill -2 $$; fi; echo '{{\"score\": 1}}'"
    with pytest.raises(KeyboardInterrupt):
        bk.run_search(["sh", "-c", once], {"x": [1]}, n_trials=3, seed=1, name="cnn")
    assert recorded(tmp_path / "bestofk.db") == 0
    found = bk.run_search(["sh", "-c", once], {"x": [1]}, n_trials=3, seed=1, name="cnn")
    assert found.states == ("complete",) * 3


@pytest.mark.parametrize(
    "how",
    [
        "kill -15 $$",
        "exit 130",
        *(pytest.param(how, marks=pytest.mark.slow) for how in ("kill -2 $$", "exit 143")),
    ],
)
def test_a_command_that_a_signal_ended_by_itself_has_failed(tmp_path, monkeypatch, how):
    monkeypatch.chdir(tmp_path)
    found = bk.run_search(["sh", "-c", how], {"x": [1]}, n_trials=1, seed=1, name="cnn")
    assert found.states == ("failed",)


def test_a_program_keeps_its_own_handler():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with Interrupts(inline=False):
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    with Interrupts(inline=False) as interrupts:
        assert signal.getsignal(signal.SIGTERM) != before
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.stopping
        assert not interrupts.killing
        assert isinstance(interrupts.reason(), Terminated)
        assert interrupts.reason().code == 143
    assert signal.getsignal(signal.SIGTERM) == before
    with Interrupts(inline=False, grace=0) as interrupts:
        os.kill(os.getpid(), signal.SIGTERM)
        assert interrupts.killing


def test_the_grace_period_is_checked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(bk.ArgumentError, match="`grace` must be a number of seconds of at least 0"):
        bk.run_search(objectives.plain, {"x": [1]}, n_trials=1, seed=1, name="a", grace=-1)


def test_the_command_line_says_how_to_go_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.json").write_text('{"x": {"kind": "uniform", "low": 0, "high": 1}}')
    driver = subprocess.Popen(
        [sys.executable, "-m", "bestofk", "search", "--name", "a", "--space", "s.json", "--trials",
         "50", "--seed", "1", "--grace", "5", "--", *[w.replace("0.3", "0.1") for w in SLOW]],
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_for(lambda: recorded(tmp_path / "bestofk.db") >= 1)
    driver.terminate()
    _, err = driver.communicate(timeout=30)
    assert driver.returncode == 143
    assert "go on with: bestofk resume a --store sqlite:///bestofk.db" in err
    assert "the running ones have 5 s to finish" in err


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["slow", SLOW])
def test_twenty_sigterms_record_no_failure(tmp_path, rng, objective):
    path = tmp_path / "runs.db"
    options = {"objective": objective, "n_trials": 500, "n_workers": 2}
    for again in range(20):
        before = recorded(path)
        driver = drivers.start(f"sqlite:///{path}", **options)
        wait_for(lambda before=before: recorded(path) > before)
        time.sleep(rng.uniform(0, 0.5))
        (terminate_all if again % 2 else subprocess.Popen.terminate)(driver)
        _, err = driver.communicate(timeout=60)
        assert driver.returncode == 143, err
        assert recorded(path) >= before
    n = recorded(path)
    assert set(bk.read(path).states) <= {"complete", "running"}
    driver = drivers.start(f"sqlite:///{path}", **{**options, "n_trials": n})
    _, err = driver.communicate()
    assert driver.returncode == 0, err
    found = [t for t in bk.read(path).trials if t.state == "complete"]
    alone = drivers.undisturbed(tmp_path, n)
    assert [(t.number, t.params, t.score) for t in found[:n]] == [
        (t.number, t.params, t.score) for t in alone.trials
    ]


@pytest.mark.slow
def test_twenty_removals_of_the_store_lose_nothing_in_silence(tmp_path, rng):
    from tests.runner.test_nothing_lost import removals

    kinds = ["deleted", "all deleted", "moved", "without its log"]
    for again in range(20):
        folder = tmp_path / str(again)
        folder.mkdir()
        path = folder / "runs.db"
        driver = drivers.start(f"sqlite:///{path}", objective="quick", n_trials=400, n_workers=2)
        wait_for(lambda path=path: recorded(path) > 3)
        time.sleep(rng.uniform(0, 0.3))
        removals(path, kinds[again % 4])
        _, err = driver.communicate(timeout=60)
        assert driver.returncode == 1, err
        assert "while the search ran" in err
        saved = folder / "runs.db.saved"
        if saved.exists():
            found = bk.read(saved)
            assert f"{found.states.count('complete')} recorded trials are gone" in err
        else:
            assert "no recorded trial is gone" in err
            assert recorded(path) > 3


def test_a_signal_that_takes_long_cannot_make_the_driver_wait_for_ever():
    """The signal comes in time, and its handler returns after the time is over."""
    ended = queue.Queue()
    way_out = threading.Timer(5, ended.put, ["the driver still waited"])
    way_out.start()
    before = signal.signal(signal.SIGALRM, lambda *_: time.sleep(0.2))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        assert engine.drain(ended, 0.1) == []
    finally:
        way_out.cancel()
        signal.signal(signal.SIGALRM, before)


def test_a_pool_that_ends_starts_no_worker():
    context = pool._Context(2)
    context.end_workers()
    with pytest.raises(BrokenPipeError, match="the pool is ending"):
        context.Process(target=print).start()
