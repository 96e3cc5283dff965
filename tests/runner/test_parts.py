"""A search without a driver: any process runs any trial, and `bestofk merge` makes one of it."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.runner.merge import merge_stores
from tests.conftest import ROOT
from tests.runner import objectives
from tests.runner.drivers import recorded, same_trials, wait_for

SPACE = objectives.SPACE
ENV = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{ROOT}"}


@pytest.fixture
def part(tmp_path, monkeypatch):
    """Run some trials of one search in a store of their own."""
    monkeypatch.chdir(tmp_path)

    def run(store="whole.db", objective=objectives.with_metrics, **options):
        given = {"seed": 7, "name": "cnn", "score": "accuracy", "n_trials": 12, "n_workers": 0}
        return bk.run_search(
            objective, SPACE, store=f"sqlite:///{store}", cost="seconds", **{**given, **options}
        )

    return run


def trials(url, name="cnn"):
    """Return all that is recorded of the trials but where and when they ran."""
    return [
        (t.number, t.state, dict(t.params), t.score, dict(t.metrics), t.cost)
        for t in bk.read(url, name=name).trials
    ]


def test_only_runs_these_trials_and_they_are_those_of_the_search(part):
    whole = part()
    few = part("few.db", only="3,5-6")
    assert [t.number for t in few.trials if t.state == "complete"] == [3, 5, 6]
    assert {t.state for t in few.trials} == {"complete", "running"}
    for number in (3, 5, 6):
        assert few.trials[number] == whole.trials[number]
    again = part("few.db", only=5)  # nothing happens
    assert again.trials == few.trials
    assert part("few.db").trials == whole.trials  # a driver runs the rest


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"only": "12"}, "`only` must be numbers of trials from 0 to 11"),
        ({"only": "5-3"}, "`only` must be numbers"),
        ({"only": "a"}, "`only` must be numbers"),
        ({"only": -1}, "`only` must be numbers"),
        ({"only": []}, "`only` must be numbers"),
        ({"only": True}, "`only` must be numbers"),
        ({"shard": "0/4"}, "`shard` must be one of several such as 3/16, numbered from 1"),
        ({"shard": "5/4"}, "`shard` must be"),
        ({"shard": "3"}, "`shard` must be"),
        ({"shard": (1,)}, "`shard` must be"),
        ({"only": 1, "shard": "1/4"}, "exclude each other"),
        ({"only": 1, "stop_when": "width<1@2"}, "needs a driver that sees all trials"),
    ],
)
def test_parts_that_are_none_are_refused(part, tmp_path, given, message):
    with pytest.raises(bk.ArgumentError, match=re.escape(message)):
        part(**given)
    assert [*tmp_path.iterdir()] == []


def test_shards_are_merged_into_the_same_search(part, tmp_path):
    part()
    stores = [f"{i}.db" for i in range(1, 6)]
    for i, store in enumerate(stores, 1):
        part(store, shard=f"{i}/5")
    part("2.db", shard=(2, 5))  # again
    part("twice.db", only=[0, 7])  # elsewhere
    (found,) = merge_stores(["twice.db", *stores], into="merged.db")
    assert (found.ended, found.added, found.missing, found.differing) == (12, 12, (), ())
    assert found.twice == (0, 7)
    assert trials("merged.db") == trials("whole.db")
    assert bk.read("merged.db").caveats == ()
    before = Path("merged.db").read_bytes()
    (again,) = merge_stores(stores, into="sqlite:///merged.db")
    assert (again.ended, again.added) == (12, 0)
    assert trials("merged.db") == trials("whole.db")
    assert len(Path("merged.db").read_bytes()) == len(before)


def test_what_is_missing_is_told_and_can_be_run(part):
    part("1.db", shard="1/3")
    part("3.db", shard="3/3")
    (found,) = merge_stores(["1.db", "3.db"], into="merged.db")
    assert found.missing == (1, 4, 7, 10)
    assert str(found) == (
        "cnn: 8 of 12 trials, 8 of them new; missing: 1,4,7,10, run them with --only"
    )
    part("merged.db", only=found.missing)
    part()
    assert trials("merged.db") == trials("whole.db")


def test_of_two_records_that_differ_the_first_to_end_is_kept(part):
    def noisy(value, params, trial):
        return {"accuracy": value, "seconds": 1.0}

    for store, value in (("b.db", 0.5), ("a.db", 0.9)):
        part(store, partial(noisy, value), only=3)
        time.sleep(0.01)
    for order in (["a.db", "b.db"], ["b.db", "a.db"]):
        into = f"of-{order[0]}"
        (found,) = merge_stores(order, into=into)
        assert found.differing == found.twice == (3,)
        assert "of 3 there are records that differ" in str(found)
        assert [t.score for t in bk.read(into).trials if t.state == "complete"] == [0.5]
    (found,) = merge_stores(["a.db"], into="b.db")
    assert found.added == 0
    assert bk.read("b.db").trials[3].score == 0.5


def test_only_the_same_search_is_merged(part):
    part("a.db", only=0)
    part("b.db", only=1, seed=8)
    part("c.db", only=1, name="other")
    with pytest.raises(bk.ArgumentError, match="must be the same in all stores; in .*seed: 7"):
        merge_stores(["a.db", "b.db"], into="m.db")
    assert not Path("m.db").exists()
    assert [m.name for m in merge_stores(["a.db", "c.db"], into="m.db")] == ["cnn", "other"]
    with pytest.raises(bk.ArgumentError, match="seed"):
        merge_stores(["b.db"], into="m.db")
    with pytest.raises(bk.DataError, match="there is no such store"):
        merge_stores(["a.db", "nowhere.db"], into="m.db")


def test_a_shard_killed_before_it_began_is_no_obstacle(part, caplog):
    part("a.db", only=0)
    Path("empty.db").touch()
    (found,) = merge_stores(["a.db", "empty.db"], into="m.db")
    assert found.added == 1
    assert "empty.db holds no search" in caplog.text


def start(*words, cwd, **env):
    """Start the program in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "bestofk", *words], cwd=cwd, env={**ENV, **env},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


SEARCH = "search --name cnn --space space.json --seed 7 --trials 64 --workers 0 --score accuracy"
OBJECTIVE = "tests.runner.objectives:with_metrics"
GATED = "tests.runner.objectives:gated"


def space_file(folder):
    import json

    (folder / "space.json").write_text(json.dumps(SPACE))


def test_two_processes_run_the_same_number_in_one_store_and_none_is_refused(tmp_path):
    space_file(tmp_path)
    gate = tmp_path / "gate"
    gate.write_text("-1")
    words = SEARCH.replace("accuracy", "score").split()
    both = [
        start(*words, "--only", only, GATED, cwd=tmp_path, BESTOFK_TEST_GATE=str(gate))
        for only in ("5", "5-6")
    ]
    from bestofk.runner.store.ledger import Ledger
    from bestofk.runner.store.lock import SearchLock, is_running

    wait_for(lambda: recorded_search(tmp_path / "bestofk.db"))
    with Ledger(f"sqlite:///{tmp_path}/bestofk.db") as ledger:
        row = ledger.get("cnn")
        wait_for(lambda: is_running(ledger, row))
        with pytest.raises(bk.DataError, match="is being run"), SearchLock(ledger, row):
            pass  # a driver of the whole search
    gate.write_text("99")
    for process in both:
        _, err = process.communicate()
        assert process.returncode == 0, err
    found = bk.read(f"sqlite:///{tmp_path}/bestofk.db")
    assert [t.number for t in found.trials if t.state == "complete"] == [5, 6]


def recorded_search(path):
    import sqlite3

    try:
        connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        found = connection.execute("SELECT count(*) FROM bestofk_search").fetchone()[0]
        connection.close()
    except sqlite3.OperationalError:
        return False
    return found


@pytest.mark.slow
def test_sixteen_shards_two_run_twice_and_one_killed_are_one_search_bit_for_bit(tmp_path):
    space_file(tmp_path)
    gate = tmp_path / "gate"
    gate.write_text("20")  # of shard 5, which is killed: trials 4 and 20 of 4, 20, 36, 52
    env = {"BESTOFK_TEST_GATE": str(gate)}
    words = f"{SEARCH} --cost seconds".split()
    objective = "tests.runner.objectives:gated_metrics"

    def shard(i, **more):
        run = start(
            *words, "--store", f"{i}.db", "--shard", f"{i}/16", objective, cwd=tmp_path,
            **{**env, **more},
        )  # fmt: skip
        _, err = run.communicate()
        return run.returncode, err

    killed = start(
        *words, "--store", "5.db", "--shard", "5/16", objective, cwd=tmp_path, **env
    )  # fmt: skip
    wait_for(lambda: recorded(tmp_path / "5.db") == 2)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    open_gate = tmp_path / "open"
    open_gate.write_text("1000")
    again = [*range(1, 17), 3, 11]  # 5 once more, 3 and 11 twice
    random.Random(1).shuffle(again)
    with ThreadPoolExecutor(4) as pool:
        done = [*pool.map(lambda i: shard(i, BESTOFK_TEST_GATE=str(open_gate)), again)]
    assert [code for code, _ in done] == [0] * 18, done
    merged = [f"{i}.db" for i in random.Random(2).sample(range(1, 17), 16)]
    run = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=True, env=ENV)
    program = [sys.executable, "-m", "bestofk"]
    for _ in range(2):  # the second time changes nothing
        out = run([*program, "merge", *merged, "--store", "merged.db"]).stdout
        assert out.startswith("cnn: 64 of 64 trials")
        assert "missing" not in out
    whole = start(*words, "--store", "whole.db", objective, cwd=tmp_path,
                  BESTOFK_TEST_GATE=str(open_gate))  # fmt: skip
    whole.communicate()
    assert whole.returncode == 0
    for form in ("csv", "jsonl"):
        one, other = (
            run([*program, "export", "cnn", "--store", store, "--format", form]).stdout
            for store in ("merged.db", "whole.db")
        )
        assert one == other
        assert one.count("\n") == 64 + (form == "csv")
    assert same_trials(bk.read(f"{tmp_path}/merged.db"), bk.read(f"{tmp_path}/whole.db"))


def array_script():
    """Return the sbatch script of the docs."""
    text = (ROOT / "docs" / "how-to" / "slurm.md").read_text()
    (script,) = re.findall(r"^```bash\n(#!/bin/bash\n#SBATCH.*?)^```$", text, flags=re.M | re.S)
    return script


def test_the_array_script_of_the_docs_names_each_trial_once():
    script = array_script()
    first, last = map(int, re.search(r"--array=(\d+)-(\d+)", script).groups())
    assert (first, last + 1) == (0, int(re.search(r"--trials (\d+)", script)[1]))
    assert "--only $SLURM_ARRAY_TASK_ID" in script


TRAIN = """
import json, os, sys, time
from pathlib import Path
while Path("hold").exists() and os.environ["BESTOFK_TRIAL"] == "7":
    time.sleep(0.02)
lr, dropout = float(sys.argv[2]), float(sys.argv[4])
print(json.dumps({"accuracy": 1 - lr - dropout, "loss": lr}))
"""


@pytest.mark.slow
def test_the_array_script_of_the_docs_makes_one_search(tmp_path):
    """As SLURM would: a process per number, four at a time, two numbers twice and one killed."""
    n = 12
    script = tmp_path / "job.sh"
    script.write_text(array_script().replace("--trials 64", f"--trials {n}"))
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "space.toml").write_text(
        'lr = { kind = "loguniform", low = 1e-5, high = 1e-1 }\n'
        'dropout = { kind = "uniform", low = 0, high = 0.5 }\n'
    )
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "bestofk").write_text(f'#!/bin/sh\nexec {sys.executable} -m bestofk "$@"\n')
    (programs / "bestofk").chmod(0o755)
    shutil.copy(shutil.which("sh"), programs / "sh")
    (programs / "python").symlink_to(sys.executable)
    env = {**ENV, "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}

    def submit(job, number):
        return subprocess.Popen(
            ["bash", str(script)], cwd=tmp_path, start_new_session=True,
            env={**env, "SLURM_ARRAY_TASK_ID": str(number), "SLURM_JOB_ID": str(job)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def run(job, number):
        process = submit(job, number)
        out, _ = process.communicate()
        return process.returncode, out

    (tmp_path / "hold").touch()
    killed = submit(99, 7)
    wait_for(lambda: [*tmp_path.glob("**/000007/1/stdout")])
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    (tmp_path / "hold").unlink()
    numbers = [*range(n), 2, 9]  # SLURM runs 7 again; 2 and 9 come twice
    with ThreadPoolExecutor(4) as pool:
        done = [*pool.map(run, range(100, 100 + len(numbers)), numbers)]
    assert [code for code, _ in done] == [0] * len(numbers), done
    made = sorted(tmp_path.glob("shards/*.db"))
    assert len(made) == len(numbers)
    merged = subprocess.run(
        ["bash", "-c", "bestofk merge shards/*.db"], cwd=tmp_path, env=env, check=True,
        capture_output=True, text=True,
    ).stdout  # fmt: skip
    assert merged == f"cnn: {n} of {n} trials, {n} of them new\n"
    (tmp_path / "whole").mkdir()
    whole = bk.run_search(
        [str(programs / "python"), str(tmp_path / "train.py"), "--lr", "{lr}", "--dropout",
         "{dropout}"],
        tmp_path / "space.toml", n_trials=n, seed=7, name="cnn", score="accuracy", n_workers=2,
        store=f"sqlite:///{tmp_path}/whole/runs.db",
    )  # fmt: skip
    found = bk.read(f"{tmp_path}/bestofk.db")
    assert same_trials(found, whole)
    assert [t.metrics for t in found.trials] == [t.metrics for t in whole.trials]
