"""`bestofk serve` as a process: a real search writes while many read."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from tests.browser.conftest import Served
from tests.web.conftest import run_async

SLOW = """import time

def slow(params, trial):
    time.sleep(0.2)
    return {'accuracy': params['x']}
"""


@contextmanager
def searching(folder, name, trials):
    """Run a search of trials that take 0.2 s each, two at a time."""
    (folder / "slow.py").write_text(SLOW)
    (folder / "space.toml").write_text("x = { kind = 'uniform', low = 0, high = 1 }\n")
    line = [sys.executable, "-m", "bestofk", "search", "slow:slow", "--name", name, "--space",
            "space.toml", "--trials", str(trials), "--seed", "1", "--score", "accuracy",
            "--store", f"sqlite:///{folder}/{name}.db", "--workers", "2"]  # fmt: skip
    process = subprocess.Popen(line, cwd=folder, stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)  # fmt: skip
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def pace(store):
    """Return the seconds from the first trial's start to the last one's end."""
    from bestofk.runner.ledger import Ledger

    with Ledger(store) as ledger:
        trials = ledger.trials(ledger.get(None))
    return max(t.ended for t in trials) - min(t.started for t in trials), len(trials)


async def client(number, root, token, until, found):
    """One reader: a live stream, and a new view every second, as a person with a slider."""
    import httpx

    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=root, headers=headers, timeout=20) as http:

        async def watch():
            async with http.stream("GET", "/live/events?name=loaded") as stream:
                found["status"].add(stream.status_code)
                async for line in stream.aiter_lines():
                    found["events"] += line.startswith("data: ")

        stream = asyncio.create_task(watch())
        i = 0
        while time.monotonic() < until:
            page = ["/index.json", "/search", "/search.json", "/live.json"][(i + number) % 4]
            level = 0.5 + 0.005 * ((7 * i + number) % 99)
            words = "" if "index" in page else f"?name=loaded&confidence={level:.3f}"
            answer = await http.get(page + words)
            found["status"].add(answer.status_code)
            found["answers"] += 1
            i += 1
            await asyncio.sleep(1)
        stream.cancel()


async def load(root, token, seconds, clients):
    found = {"status": set(), "answers": 0, "events": 0}
    until = time.monotonic() + seconds
    await asyncio.gather(*(client(i, root, token, until, found) for i in range(clients)))
    return found


def wait_for(path, process):
    from bestofk.errors import BestofkError

    for _ in range(300):
        assert process.poll() is None
        try:
            if path.exists() and pace(f"sqlite:///{path}")[1] > 1:
                return
        except (BestofkError, ValueError):
            pass
        time.sleep(0.1)
    pytest.fail("the search did not begin")


def run_loaded(folder, name, trials, seconds, clients):
    with searching(folder, name, trials) as process:
        wait_for(folder / f"{name}.db", process)
        server = Served(f"sqlite:///{folder}/{name}.db")
        try:
            found = run_async(load(server.root, server.token, seconds, clients))
        finally:
            server.close()
        assert process.wait(120) == 0
    return found, pace(f"sqlite:///{folder}/{name}.db")[0]


def test_some_clients_read_while_a_search_writes(tmp_path):
    found, _ = run_loaded(tmp_path, "loaded", trials=40, seconds=3, clients=5)
    assert found["status"] == {200}
    assert found["events"] >= 5
    assert found["answers"] >= 10


@pytest.mark.slow
def test_fifty_clients_for_thirty_seconds_while_a_search_writes(tmp_path):
    """No error, nothing lost; how much the search is slowed is measured by bench/web.py."""
    found, _ = run_loaded(tmp_path, "loaded", 330, seconds=30, clients=50)
    assert found["status"] == {200}
    assert found["events"] >= 50
    assert found["answers"] >= 50
    assert pace(f"sqlite:///{tmp_path}/loaded.db")[1] == 330
