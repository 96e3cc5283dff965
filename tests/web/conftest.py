"""A store and a file with names that would like to be markup, and a page that shows them."""

from __future__ import annotations

import asyncio
import csv
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest

import bestofk as bk
from bestofk.render.view import View
from bestofk.web.server import make_app
from bestofk.web.shelf import Shelf

HOSTILE = "<script>alert('x')</script> ../../etc/passwd ${x} \\input{y}"


def objective(params, trial):
    return {"accuracy": params["x"], "loss": 1 - params["x"]}


def make_store(folder, names=("cnn", HOSTILE), n_trials=30):
    url = f"sqlite:///{folder}/runs.db"
    space = {"x": bk.space.uniform(0, 1), "<b>kind": ["<i>a</i>", "b"]}
    for i, name in enumerate(names):
        run = name if name.isalnum() else "renamed"
        bk.run_search(objective, space, n_trials=n_trials, seed=i, name=run, store=url,
                      score="accuracy", n_workers=0, bounds=(0, 1))  # fmt: skip
        if run != name:  # our own runner would not take it; another program may write it
            with closing(sqlite3.connect(f"{folder}/runs.db")) as db, db:
                db.execute("UPDATE bestofk_search SET name = ? WHERE name = ?", (name, run))
    return url


def make_file(folder):
    rng = np.random.default_rng(1)
    with (folder / "svm.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["accuracy", "seconds"])
        writer.writerows([[x, 1 + x] for x in rng.beta(5, 2, 40)])
    return str(folder / "svm.csv")


def run_async(work):
    """Run a coroutine in a thread: where a browser is open, this one has a loop already."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    return [make_store(folder), make_file(folder)]


@pytest.fixture(scope="session")
def shelf(sources):
    return Shelf(sources, {"score": "accuracy"}, view=View(confidence=0.9))


@pytest.fixture(scope="session")
def client(shelf):
    testclient = pytest.importorskip("starlette.testclient")
    return testclient.TestClient(
        make_app(shelf), base_url="http://127.0.0.1", raise_server_exceptions=False
    )
