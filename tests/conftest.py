"""Fixed seeds by default; BESTOFK_WIDE=1 searches more widely, with fresh seeds each time."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

WIDE = os.environ.get("BESTOFK_WIDE") == "1"

settings.register_profile("fixed", derandomize=True, max_examples=60, deadline=None)
settings.register_profile("wide", max_examples=2000, deadline=None)
settings.load_profile("wide" if WIDE else "fixed")

ROOT = Path(__file__).parents[1]


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator of its own for every test, the same in every run unless BESTOFK_WIDE=1."""
    name = [ord(c) for c in request.node.nodeid]
    return np.random.default_rng(None if WIDE else name)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The papers' data, where BESTOFK_DATA points."""
    folder = os.environ.get("BESTOFK_DATA")
    if not folder:
        pytest.skip("BESTOFK_DATA is not set")
    return Path(folder)
