"""W&B, as published today: offline run files, API objects made of recorded answers, the CSV."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.errors import DataError
from bestofk.sources.tools import wandb_runs
from tests.contracts import ToolContract
from tests.sources.said import said

pytest.importorskip("wandb")

SCRIPT = """
import sys, wandb
for i in range(4):
    config = {"lr": 0.1 * (i + 1), "net": {"depth": i}}
    run = wandb.init(project="p", id=f"run{i}", config=config, dir=sys.argv[1])
    for step in range(3):
        run.log({"acc": (i + 1) / 3 + step, "loss": 1.0})
    run.summary["final"] = 1 / 7
    run.finish(exit_code=i // 2)
print(run.dir)
"""
TRIALS = [
    {"state": state, "score": (i + 1) / 3 + 2, "params": {"lr": 0.1 * (i + 1), "net.depth": i}}
    for i, state in enumerate(["complete", "complete", "failed"])
] + [{"state": "running", "score": None, "params": {}}]  # nothing was written yet


@pytest.fixture(scope="session")
def offline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wandb")
    environment = {
        **os.environ, "WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_DIR": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder)],
        check=True, capture_output=True, text=True, env=environment,
    )  # fmt: skip
    # W&B writes from time to time: this is what a run leaves that is killed before the first
    (last,) = Path(done.stdout.split()[-1]).parent.glob("run-*.wandb")
    os.truncate(last, 7)
    return folder / "wandb"


def first_file(folder):
    """The folders are named by the second, then by the run's id."""
    return sorted(folder.glob("offline-*/run-*.wandb"))[0]


class TestOffline(ToolContract):
    source = wandb_runs
    options = {"score": "acc"}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def _offline(self, offline):
        self.offline = offline

    def write(self, tmp_path):
        if (tmp_path / "wandb").exists():
            return tmp_path / "wandb", TRIALS
        tmp_path.mkdir(exist_ok=True)
        shutil.copytree(self.offline, tmp_path / "wandb", symlinks=True)
        return tmp_path / "wandb", TRIALS

    def test_one_file_is_one_trial(self, tmp_path):
        folder, _ = self.write(tmp_path)
        path = first_file(folder)
        search = bk.read(path, score="final")
        assert search.trials[0].score == 1 / 7
        assert search.costs[0] > 0

    def test_a_file_that_was_damaged_is_refused(self, tmp_path):
        folder, _ = self.write(tmp_path)
        path = first_file(folder)
        data = bytearray(path.read_bytes())
        data[200] ^= 0xFF
        path.write_bytes(data)
        with pytest.raises(DataError, match="damaged at byte"):
            bk.read(path, score="acc")
        path.write_bytes(b"not a run")
        with pytest.raises(DataError, match="must begin as a W&B run file does"):
            bk.read(path, score="acc")

    def test_the_link_to_the_latest_run_and_a_resumed_run_are_not_counted_twice(self, tmp_path):
        folder, _ = self.write(tmp_path)
        assert (folder / "latest-run").is_symlink()
        first = first_file(folder)
        again = folder / "offline-run-20990101_000000-x"
        again.mkdir()
        shutil.copy(first, again / first.name)
        search = bk.read(folder, score="acc")
        assert search.n == 4
        said(search, "resumed", "1 runs were resumed")
        said(search, "sampler-unknown", "does not say how the settings", validity="assumed")

    def test_a_run_killed_before_it_was_written_still_counts(self, tmp_path):
        folder, _ = self.write(tmp_path)
        empty = folder / "offline-run-20260101_000000-zz"
        empty.mkdir()
        (empty / "run-zz.wandb").write_bytes(b":W&B\xe1\xbe\x00")
        search = bk.read(folder, score="acc")
        assert search.n == 5
        assert search.states[0] == "running"

    def test_a_file_cut_short_is_a_run_that_has_not_ended(self, tmp_path):
        folder, _ = self.write(tmp_path)
        path = first_file(folder)
        path.write_bytes(path.read_bytes()[:-40])
        assert bk.read(path, score="acc").states == ("running",)


def api_run(number, *, state="finished", sweep=None, method="random", early=None, goal=None):
    """A run of the real API class, made of what the server answers."""
    from wandb.apis.public import Run, Sweep

    run = Run.__new__(Run)
    object.__setattr__(run, "_attrs", {
        "createdAt": f"2026-01-0{9 - number}T00:00:00Z",
        "config": {"lr": number / 3},
        "summaryMetrics": {"acc": number / 7, "_runtime": 3.5, "_wandb": {"runtime": 3}},
        "sweepName": sweep,
        "displayName": f"run-{number}",
    })  # fmt: skip
    run._lazy, run._full_data_loaded, run._summary = False, True, None
    run._state, run._sweep = state, None
    if sweep:
        of_sweep = Sweep.__new__(Sweep)
        config = f"method: {method}\n"
        if early:
            config += f"early_terminate:\n  type: {early}\n"
        if goal:
            config += f"metric:\n  name: acc\n  goal: {goal}\n"
        object.__setattr__(of_sweep, "_attrs", {"config": config})
        run._sweep = of_sweep
    return run


class TestApi(ToolContract):
    source = wandb_runs
    options = {"score": "acc"}  # noqa: RUF012

    def write(self, tmp_path):
        states = {3: "crashed", 2: "running", 1: "killed"}
        runs = [api_run(i, state=states.get(i, "finished"), sweep="s") for i in range(6)]
        kinds = {"crashed": "failed", "killed": "failed", "finished": "complete"}
        trials = [
            {"state": kinds.get(run.state, run.state), "score": i / 7, "params": {"lr": i / 3}}
            for i, run in reversed(list(enumerate(runs)))
        ]
        return runs, trials

    def test_a_random_sweep_is_iid(self, tmp_path):
        search, _ = self.read(tmp_path)
        assert search.sampling == "iid"
        assert search.costs[0] == 3
        said(search, "killed", "1 of 6 runs were killed")


@pytest.mark.parametrize(
    ("method", "sampling", "kind"),
    [("bayes", "adaptive", "sampler-declared"), ("grid", "without-replacement", "grid")],
)
def test_other_sweeps_are_told(method, sampling, kind):
    search = bk.read([api_run(i, sweep="s", method=method) for i in range(3)], score="acc")
    assert search.sampling == sampling
    said(search, kind, method, validity="void")


@pytest.mark.parametrize("goal", ["minimize", "maximize"])
def test_the_goal_of_a_sweep_is_its_direction(goal):
    runs = [api_run(i, sweep="s", goal=goal) for i in range(3)]
    assert bk.read(runs, score="acc").direction == goal
    mixed = [*runs, *(api_run(i, sweep="t") for i in range(3, 6))]
    assert bk.read(mixed, score="acc").direction == "maximize"
    assert bk.read_all(mixed, score="acc", by="sweep")["s"].direction == goal


def test_hyperband_is_told():
    runs = [api_run(i, sweep="s", early="hyperband") for i in range(3)]
    search = bk.read(runs, score="acc")
    said(search, "early-stopping", "hyperband ends bad runs early", validity="void")


def test_a_sweep_is_its_runs():
    runs = [api_run(i, sweep="s", method="bayes") for i in range(3)]
    sweep = runs[0].sweep
    sweep.runs = runs
    search = bk.read(sweep, score="acc")
    assert search.n == 3
    assert search.label == "s"
    assert search.sampling == "adaptive"


def test_runs_of_several_sweeps_are_not_one_distribution():
    runs = [api_run(0, sweep="s"), api_run(1, sweep="t", method="bayes"), api_run(2)]
    search = bk.read(runs, score="acc")
    assert search.sampling == "unknown"
    said(search, "mixed-sweeps", "3 sweeps", validity="void")
    said(search, "sampler-declared", "bayes", validity="void")
    searches = bk.read_all(runs, score="acc", by="sweep")
    assert {k: s.sampling for k, s in searches.items()} == {
        "s": "iid", "t": "adaptive", "no sweep": "unknown"
    }  # fmt: skip


CSV = """"Name","State","Notes","User","Tags","Created","Runtime","Sweep","lr","acc","acc.max"
"c","finished","-","ann","","2026-01-03T00:00:00.000Z","30","s1","0.3","0.3333333333333333","1"
"b","crashed","-","ann","","2026-01-02T00:00:00.000Z","20","s1","0.2","","1"
"a","finished","-","ann","","2026-01-01T00:00:00.000Z","10","s1","0.1","0.30000000000000004","1"
"d","killed","-","ann","","2026-01-04T00:00:00.000Z","5","s1","0.4","0.5","1"
"e","running","-","ann","","2026-01-05T00:00:00.000Z","","s1","0.5","","1"
"""


def test_the_csv_of_the_page(tmp_path):
    path = tmp_path / "wandb_export.csv"
    path.write_text(CSV)
    search = bk.read(path, score="acc", params="lr")
    assert search.states == ("complete", "failed", "complete", "failed", "running")
    assert [t.score for t in search.trials] == [0.1 + 0.2, None, 1 / 3, 0.5, None]
    assert [t.params["lr"] for t in search.trials] == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert search.costs[:4].tolist() == [10, 20, 30, 5]
    assert set(search.metrics) == {"acc", "acc.max"}
    said(search, "sampler-unknown", "W&B sweep", "hyperband", validity="assumed")
    said(search, "killed", "1 of 5 runs were killed")
    with pytest.raises(DataError, match=r"row 2 \(line 3\): `acc` is not a number"):
        search.scores()
