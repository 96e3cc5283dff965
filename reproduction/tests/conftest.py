"""Fixtures shared with the tests of bestofk itself."""

from tests.cli.test_cli import run  # noqa: F401
from tests.conftest import data_folder, invoke, rng  # noqa: F401
from tests.sst5.conftest import run as sst5_example  # noqa: F401
