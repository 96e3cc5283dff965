"""`bestofk serve` as a process: a real search writes while many read."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import pytest

from tests.browser.conftest import Served
from tests.web.conftest import run_async

SLOW = """import time

def slow(params, trial):
    time.sleep(0.2)
    return {'accuracy': params['x']}
"""


PATIENCE = 300  # seconds: no machine is so busy; only a fault takes longer
PAGES = ("/index.json", "/search", "/search.json", "/live.json")


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
        process.wait(PATIENCE)


def pace(store):
    """Return the seconds from the first trial's start to the last one's end."""
    from bestofk.runner.store.ledger import Ledger

    with Ledger(store) as ledger:
        trials = ledger.trials(ledger.get(None))
    return max(t.ended for t in trials) - min(t.started for t in trials), len(trials)


async def client(number, root, token, until, found):
    """One reader: a live stream, and a new view every second, as a person with a slider.

    Each page is asked for at least once, and the stream waited for, however long it takes.
    """
    import httpx

    headers = {"authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(base_url=root, headers=headers, timeout=PATIENCE) as http:
        told = asyncio.Event()

        async def watch():
            async with http.stream("GET", "/live/events?name=loaded") as stream:
                found["status"].add(stream.status_code)
                async for line in stream.aiter_lines():
                    if line.startswith("data: "):
                        found["events"] += 1
                        told.set()

        stream = asyncio.create_task(watch())
        i = 0
        while i < len(PAGES) or time.monotonic() < until:
            page = PAGES[(i + number) % len(PAGES)]
            level = 0.5 + 0.005 * ((7 * i + number) % 99)
            words = "" if "index" in page else f"?name=loaded&confidence={level:.3f}"
            answer = await http.get(page + words)
            found["status"].add(answer.status_code)
            found["answers"] += 1
            i += 1
            await asyncio.sleep(min(1, max(0, until - time.monotonic())))
        await asyncio.wait_for(told.wait(), PATIENCE)
        stream.cancel()
        with suppress(asyncio.CancelledError):
            await stream


async def load(root, token, seconds, clients):
    found = {"status": set(), "answers": 0, "events": 0}
    until = time.monotonic() + seconds
    await asyncio.gather(*(client(i, root, token, until, found) for i in range(clients)))
    return found


def wait_for(path, process):
    from bestofk.errors import BestofkError

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        assert process.poll() is None
        with suppress(BestofkError, ValueError):
            if path.exists() and pace(f"sqlite:///{path}")[1] > 1:
                return
        time.sleep(0.1)
    pytest.fail("the search did not begin")


def read_beside(folder, process, seconds, clients):
    """Serve the search that `process` runs, and read it from many clients."""
    wait_for(folder / "loaded.db", process)
    server = Served(f"sqlite:///{folder}/loaded.db")
    try:
        return run_async(load(server.root, server.token, seconds, clients))
    finally:
        server.close()


def run_loaded(folder, trials, seconds, clients):
    with searching(folder, "loaded", trials) as process:
        found = read_beside(folder, process, seconds, clients)
        assert process.wait(PATIENCE) == 0
    return found, pace(f"sqlite:///{folder}/loaded.db")[0]


def test_some_clients_read_while_a_search_writes(tmp_path):
    with searching(tmp_path, "loaded", trials=100_000) as process:
        found = read_beside(tmp_path, process, seconds=0, clients=5)
        assert process.poll() is None  # it wrote all the while
    assert found["status"] == {200}
    assert found["events"] >= 5
    assert found["answers"] == 5 * len(PAGES)


@pytest.mark.slow
def test_fifty_clients_for_thirty_seconds_while_a_search_writes(tmp_path):
    """No error, nothing lost; how much the search is slowed is measured by bench/web.py."""
    found, _ = run_loaded(tmp_path, 330, seconds=30, clients=50)
    assert found["status"] == {200}
    assert found["events"] >= 50
    assert found["answers"] >= 50 * len(PAGES)
    assert pace(f"sqlite:///{tmp_path}/loaded.db")[1] == 330
