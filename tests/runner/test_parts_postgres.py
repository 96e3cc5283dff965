"""Parts of a search in one PostgreSQL database: any process writes to it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import bestofk as bk
from tests.runner import objectives
from tests.runner.drivers import undisturbed
from tests.runner.test_parts import ENV, SEARCH
from tests.runner.test_postgres import server  # noqa: F401

pytest.importorskip("psycopg")


@pytest.mark.slow
def test_parts_share_a_database_and_the_same_number_twice_does_no_harm(server, tmp_path):  # noqa: F811
    (tmp_path / "space.json").write_text(json.dumps(objectives.SPACE))
    words = SEARCH.replace("accuracy", "score").replace("64", "8").split()
    objective = "tests.runner.objectives:slow"
    parts = ["0-3", "4-7", "2-5", "7"]  # 2 to 5 and 7 are run twice at the same time
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "bestofk", *words, "--store", server.url, "--only", only,
             objective],
            cwd=tmp_path, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for only in parts
    ]  # fmt: skip
    for process in running:
        _, err = process.communicate()
        assert process.returncode == 0, err
    found = bk.read(server.url, name="cnn")
    whole = undisturbed(tmp_path, 8)
    assert [(t.number, t.params, t.score) for t in found.trials] == [
        (t.number, t.params, t.score) for t in whole.trials
    ]
    from bestofk.runner.merge import merge_stores

    (merged,) = merge_stores([server.url], into=f"{tmp_path}/merged.db")
    assert merged.ended == 8
    assert bk.read(f"{tmp_path}/merged.db").trials == found.trials
