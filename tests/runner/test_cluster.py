"""A Dask cluster of two nodes on the loopback: the same trials, whatever happens to the nodes."""

from __future__ import annotations

import json
import subprocess
import sys

import cloudpickle
import pytest

import bestofk as bk
from bestofk.errors import on_command_line
from bestofk.runner.work.child import run_in_child
from bestofk.runner.work.outcome import Job, Task
from tests.runner import drivers, objectives
from tests.runner.drivers import is_alive, recorded, wait_for

pytest.importorskip("distributed")
ECHO = ["echo", '{{"score": {x}}}']


def address_in(file):
    try:
        return json.loads(file.read_text())["address"]
    except json.JSONDecodeError:  # being written
        return None


class Cluster:
    """A scheduler and two workers, each a process with an address of its own."""

    def __init__(self, folder):
        self.folder = folder
        file = folder / "scheduler.json"
        self.scheduler = self._start(
            "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)
        )
        self.address = wait_for(lambda: file.exists() and address_in(file))
        self.nodes = [self.node(host) for host in ("127.0.0.1", "127.0.0.2")]

    def node(self, host):
        return self._start(
            "dask_worker", self.address, "--host", host, "--nthreads", "1", "--no-nanny",
            "--resources", "GPU=1", "--local-directory", str(self.folder),
        )  # fmt: skip

    def _start(self, program, *words):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.{program}", *words, "--no-dashboard"],
            env=drivers.environment(),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def close(self):
        for process in [*self.nodes, self.scheduler]:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path):
    made = Cluster(tmp_path)
    yield made
    made.close()


def run(tmp_path, cluster, objective, **options):
    return bk.run_search(
        objective, objectives.SPACE, seed=7, dask=cluster.address,
        **{"name": "cnn", "store": f"sqlite:///{tmp_path}/runs.db", **options},
    )  # fmt: skip


@pytest.mark.slow
def test_two_nodes_run_the_same_trials_as_one_process(tmp_path, cluster, monkeypatch):
    monkeypatch.chdir(tmp_path)
    alone = drivers.undisturbed(tmp_path, 12)
    found = run(tmp_path, cluster, objectives.slow, n_trials=12)
    assert drivers.same_trials(found, alone)
    commands = run(tmp_path, cluster, ECHO, n_trials=6, name="echo", resources={"GPU": 1})
    assert [t.params for t in commands.trials] == [t.params for t in alone.trials[:6]]
    assert [t.score for t in commands.trials] == [t.score for t in alone.trials[:6]]


@pytest.mark.slow
def test_failures_on_a_cluster_leave_its_workers_alone(tmp_path, cluster):
    failures = run(
        tmp_path, cluster, objectives.accident_prone, n_trials=8, name="failures", timeout=5
    )
    assert [t.number for t in failures.trials if t.state == "failed"] == [1, 2, 3, 4, 5, 6]
    for number, reason in {
        1: "ValueError: no luck",
        3: "killed by SIGKILL (out of memory?)",
        4: "timed out after 5 s",
        5: "ended in the middle, with exit status 0",
    }.items():
        assert reason in failures.notes[number]
    assert all(node.poll() is None for node in cluster.nodes)  # only the trials died


@pytest.mark.slow
def test_a_node_that_dies_loses_nothing(tmp_path, cluster):
    path = tmp_path / "runs.db"
    driver = drivers.start(f"sqlite:///{path}", objective="slow", n_trials=20, dask=cluster.address)
    wait_for(lambda: recorded(path) >= 3)
    cluster.nodes[1].kill()
    cluster.nodes[1].wait()
    wait_for(lambda: recorded(path) >= 8)
    cluster.nodes[1] = cluster.node("127.0.0.2")
    _, err = driver.communicate(timeout=120)
    assert driver.returncode == 0, err
    assert drivers.same_trials(bk.read(path), drivers.undisturbed(tmp_path, 20))


@pytest.mark.slow
def test_a_scheduler_that_dies_stops_the_search_clearly_and_it_resumes(tmp_path, cluster):
    path = tmp_path / "runs.db"
    options = {"objective": "slow", "n_trials": 12}
    driver = drivers.start(f"sqlite:///{path}", dask=cluster.address, **options)
    wait_for(lambda: recorded(path) >= 3)
    cluster.scheduler.kill()
    _, err = driver.communicate(timeout=120)
    assert driver.returncode == 1
    assert "the Dask scheduler is gone. What was recorded is safe" in err
    assert set(bk.read(path).states) <= {"complete", "running"}
    again = drivers.start(f"sqlite:///{path}", n_workers=2, **options)  # here instead
    _, err = again.communicate()
    assert again.returncode == 0, err
    assert drivers.same_trials(bk.read(path), drivers.undisturbed(tmp_path, 12))


@pytest.mark.slow
def test_trials_end_with_a_killed_driver_and_with_a_killed_worker(tmp_path, cluster):
    driver = drivers.start(
        f"sqlite:///{tmp_path}/runs.db", objective="endless", n_trials=2, dask=cluster.address
    )
    files = [tmp_path / f"cnn/trials/00000{i}/1/pid" for i in (0, 1)]
    wait_for(lambda: all(f.exists() and f.read_text() for f in files))
    pids = [int(f.read_text()) for f in files]
    cluster.nodes[0].kill()
    wait_for(lambda: sum(map(is_alive, pids)) == 1)
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(map(is_alive, pids)), seconds=120)


@pytest.mark.slow
def test_a_killed_driver_goes_on_on_the_cluster(tmp_path, cluster):
    path = tmp_path / "runs.db"
    options = {"objective": "slow", "n_trials": 16, "dask": cluster.address}
    for goal in (2, 6):
        driver = drivers.start(f"sqlite:///{path}", **options)
        wait_for(lambda goal=goal: recorded(path) >= goal)
        driver.kill()
        driver.communicate()
    driver = drivers.start(f"sqlite:///{path}", **options)
    _, err = driver.communicate()
    assert driver.returncode == 0, err
    assert drivers.same_trials(bk.read(path), drivers.undisturbed(tmp_path, 16))


@pytest.mark.slow
def test_a_search_waits_for_workers_that_offer_what_it_needs(tmp_path, cluster):
    path = tmp_path / "runs.db"
    options = {"objective": "plain", "n_trials": 2, "dask": cluster.address}
    driver = drivers.start(f"sqlite:///{path}", resources={"TPU": 1}, **options)
    assert driver.stderr.readline() == "waiting for Dask workers that offer {'TPU': 1}\n"
    assert driver.poll() is None
    drivers.interrupt(driver)
    driver.communicate()
    assert driver.returncode == 130


@pytest.mark.slow
def test_the_first_interrupt_lets_trials_on_local_dask_workers_finish(tmp_path):
    path = tmp_path / "runs.db"
    driver = drivers.start(f"sqlite:///{path}", objective="slow", n_trials=500, dask=2)
    wait_for(lambda: recorded(path) >= 2)
    drivers.interrupt(driver)
    _, err = driver.communicate()
    assert driver.returncode == 130
    assert "Traceback" not in err
    assert set(bk.read(path).states) == {"complete"}


def test_a_child_is_not_waited_for_longer_than_it_lives():
    """What it forked may keep the pipe open on which its result comes."""
    job = Job(
        name="a", objective=objectives.forks, score="score", direction="maximize", bounds=(0, 1)
    )
    for number, state in ((0, "complete"), (1, "failed")):
        task = Task(number=number, params={"x": 1.0}, seed=1)
        found = run_in_child(cloudpickle.dumps(job), task, path=sys.path, timeout=500)
        assert (found.state, "timed out" in found.error) == (state, False)


def test_no_local_worker_is_refused_as_argument_and_as_option(tmp_path):
    with pytest.raises(bk.ArgumentError, match="`dask` must be at least 1 local worker") as refused:
        bk.run_search(
            objectives.plain, {"x": [1]}, n_trials=1, seed=1, name="a", dask=0,
            store=f"sqlite:///{tmp_path}/runs.db",
        )  # fmt: skip
    assert on_command_line(refused.value.text).startswith("--dask-local must be at least 1")


def test_a_scheduler_that_is_not_there_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr("bestofk.runner.engines.cluster.CONNECT", 1)
    with pytest.raises(bk.DataError, match="the Dask scheduler 'tcp://127.0.0.1:9' cannot be"):
        bk.run_search(
            objectives.plain, {"x": [1]}, n_trials=1, seed=1, name="a", dask="tcp://127.0.0.1:9",
            store=f"sqlite:///{tmp_path}/runs.db",
        )  # fmt: skip
