"""The bar counts what ended, and what it states is what the monitor certifies."""

from __future__ import annotations

import math
import os
import pty
import re
import subprocess
import sys

import numpy as np

from bestofk.curves.prediction import can_stop
from bestofk.monitor import Monitor
from bestofk.runner.progress import Progress
from tests.runner import drivers


def ended(scores, start=0):
    return [(start + i, "complete", float(s)) for i, s in enumerate(scores)]


def make(direction="maximize"):
    return Progress("cnn", 40, direction=direction, bounds=(0, 1), show=True)


def test_counts_and_best():
    bar = make()
    bar.count([*ended([0.5, 0.9, 0.2]), (3, "failed", None), (4, "pruned", 0.95)])
    assert str(bar) == "cnn: 5 of 40 trials, 1 failed, 1 stopped early, best 0.9 (trial 1)"
    worse = make("minimize")
    worse.count(ended([0.5, 0.9, 0.2]))
    assert str(worse).endswith("best 0.2 (trial 2)")


def test_the_statement_is_what_the_monitor_certifies(rng):
    scores = rng.random(25)
    bar = make()
    bar.count(ended(scores))
    monitor = Monitor(confidence=0.8, direction="maximize", bounds=(0, 1), failed="worst")
    monitor.update(scores)
    lower, _, upper = monitor.status().band().at(20)
    said = f"the median best of 20 trials is {lower:.4g} to {upper:.4g}"
    assert bar.statement == f"{said} (80 % confidence, whenever you look)"


def test_trials_that_overtake_others_do_not_count_early(rng):
    """Only the first trials in start order are looked at: fast ones would favour themselves."""
    scores = rng.random(30)
    bar = make()
    bar.count(ended(scores[1:], start=1))
    assert bar.statement == ""
    bar.count(ended(scores[:1]))
    in_order = make()
    in_order.count(ended(scores))
    assert bar.statement == in_order.statement != ""


def test_failed_trials_count_as_the_worst(rng):
    scores = rng.random(10)
    bar = make()
    bar.count([(i, "failed", None) if i % 2 else (i, "complete", s) for i, s in enumerate(scores)])
    monitor = Monitor(confidence=0.8, bounds=(0, 1), failed="worst")
    monitor.update(np.where(np.arange(10) % 2, math.nan, scores))
    lower, _, upper = monitor.status().band().at(10)
    assert f"best of 10 trials is {lower:.4g} to {upper:.4g}" in bar.statement


def test_without_a_terminal_there_is_one_line_at_the_end(capsys):
    bar = make()
    bar.begin(ended([0.5]))
    bar.add(ended([0.7], start=1))
    bar.end()
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    assert re.fullmatch(r"cnn: 2 of 40 trials, best 0.7 \(trial 1\), about [\d:]+ left", line)


def test_on_a_terminal_there_is_a_bar(tmp_path):
    """Run in a pseudo-terminal; the bar is on standard error and has left a last state."""
    code = (
        "import bestofk as bk, time\n"
        "def f(p, t):\n    time.sleep(0.02)\n    return p['x']\n"
        "bk.run_search(f, {'x': bk.space.uniform(0, 1)}, n_trials=20, seed=1, name='cnn',"
        " bounds=(0, 1))\n"
    )
    master, slave = pty.openpty()
    env = {**drivers.environment(), "COLUMNS": "120", "TERM": "xterm"}
    done = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=slave
    )
    os.close(slave)
    shown = b""
    while True:
        try:
            part = os.read(master, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        shown += part
    out, _ = done.communicate()
    os.close(master)
    assert done.returncode == 0
    assert out == b""
    text = shown.decode()
    assert "20/20" in text
    assert "best 0." in text
    assert "(80 % confidence, whenever you look)" in text


def test_it_answers_can_i_stop(rng):
    """What is certified, what the trials left would do, what it would take: as `status` does."""
    bar = make()
    bar.count(ended(rng.random(25)))
    assert bar._text().endswith(f"; {bar.can_stop()}")
    assert bar.can_stop() == can_stop(bar.statement, 25, 15)
    assert bar.can_stop().endswith(
        "; 15 more trials match or beat the best so far in at least 37 % of searches of exactly "
        "25 trials, 225 more in at least 90 %."
    )


def test_a_stopping_rule_says_how_it_stands(rng):
    bar = make()
    bar.rule = lambda: "not yet: the first look is at 10 trials"
    bar.count(ended(rng.random(4)))
    assert "; not yet: the first look is at 10 trials; 36 more trials match or beat" in bar._text()
