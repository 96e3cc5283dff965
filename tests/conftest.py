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


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI everything is installed: a skipped test is a failure, but for data not at hand."""
    if os.environ.get("CI") != "true" or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [
        r for r in reporter.stats.get("skipped", []) if "BESTOFK_DATA" not in str(r.longrepr)
    ]
    if skipped:
        reporter.write_line(f"in CI a skip is a failure: {[r.nodeid for r in skipped]}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
