"""A search with a store of its own."""

from __future__ import annotations

from functools import partial

import pytest

import bestofk as bk
from tests.runner.searches import SPACE


@pytest.fixture
def search(tmp_path, monkeypatch):
    """run_search with a store of its own."""
    monkeypatch.chdir(tmp_path)
    store = f"sqlite:///{tmp_path}/runs.db"
    return partial(bk.run_search, space=SPACE, seed=7, name="cnn", store=store)
