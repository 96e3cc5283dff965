"""Fixed seeds by default; BESTOFK_WIDE=1 searches more widely, with fresh seeds each time."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Generator
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from bestofk.errors import MissingPackageError, UnsupportedPlatformError

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
def demo_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `bestofk demo` writes, made once; copy it, do not change it."""
    folder = tmp_path_factory.mktemp("demo")
    subprocess.run(
        [sys.executable, "-m", "bestofk", "demo"], cwd=folder, check=True, capture_output=True
    )
    return folder / "bestofk-demo"


@pytest.fixture
def invoke(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs the program on words or a line: exit status, output, remarks."""

    from bestofk.cli import main as program

    def call(*words: object) -> tuple[int, str, str]:
        given = shlex.split(str(words[0])) if len(words) == 1 else map(str, words)
        monkeypatch.setattr(sys, "argv", ["bestofk", *given])
        with pytest.raises(SystemExit) as stop:
            program.main()
            raise SystemExit(0)
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The papers' data, where BESTOFK_DATA points."""
    folder = os.environ.get("BESTOFK_DATA")
    if not folder:
        pytest.skip("BESTOFK_DATA is not set")
    return Path(folder)


# Tests of what only a newer version does than the lowest that pyproject.toml allows: what Optuna
# leaves in a storage and how its samplers draw; how matplotlib sets the letters of stored images.
NEEDS_NEWER = {
    ("optuna", (5, 0)): (
        "test_a_recorded_study_can_be_run_again_by_its_seed",
        "test_a_search_that_learns_is_shown_the_way",
        "test_a_statement_settles_a_default_sampler_but_not_its_traces",
        "test_an_optuna_study_by_tpe_claims_nothing",
        "test_retried_copies_are_told",
        "test_samplers_leave_traces_in_a_storage",
        "test_samplers_leave_traces_in_the_table_of_trials",
        "test_studies_of_a_database_are_grouped_by_their_names",
        "test_what_the_records_prove_cannot_be_stated_away",
    ),
    ("matplotlib", (3, 11)): ("test_a_figure_looks_as_it_did",),
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs a newer package than is installed (`make test-lowest`)."""
    for (package, least), tests in NEEDS_NEWER.items():
        try:
            major, minor = metadata.version(package).split(".")[:2]
        except metadata.PackageNotFoundError:
            continue
        if (int(major), int(minor)) < least:
            needed = ".".join(map(str, least))
            for item in items:
                if getattr(item, "originalname", item.name) in tests:
                    item.add_marker(pytest.mark.skip(reason=f"needs {package} {needed}"))


def _skipped_elsewhere(item: pytest.Item) -> Generator[None, None, None]:
    """Skip what needs the runner or a package that is not here, for tools/test_elsewhere.py."""
    try:
        return (yield)
    except (MissingPackageError, UnsupportedPlatformError) as error:
        if not os.environ.get("BESTOFK_ELSEWHERE"):
            raise
        pytest.skip(f"not here: {error}")


pytest_runtest_setup = pytest.hookimpl(wrapper=True)(_skipped_elsewhere)
pytest_runtest_call = pytest.hookimpl(wrapper=True)(_skipped_elsewhere)


# Why a test may be skipped in CI as well: data not at hand; what a container may forbid; PyTorch,
# which only examples need, and LaTeX, both larger than all else together; a server and a
# browser, which come from the system's packages where .ci/run can install them.
ALLOWED_SKIPS = (
    "BESTOFK_DATA",
    "no file system can be mounted here",
    "needs PyTorch",
    "no pdflatex here",
    "no PostgreSQL server programs here",
    "no chromium here",
    "Hydra 1.3 does not start on Python 3.14",
)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI everything is installed: a skipped test is a failure, but for ALLOWED_SKIPS."""
    if os.environ.get("CI") != "true" or hasattr(session.config, "workerinput"):
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = [
        r
        for r in reporter.stats.get("skipped", [])
        if not any(reason in str(r.longrepr) for reason in ALLOWED_SKIPS)
    ]
    if skipped:
        reporter.write_line(f"in CI a skip is a failure: {[r.nodeid for r in skipped]}", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
