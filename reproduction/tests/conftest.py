"""Fixtures shared with the tests of bestofk itself."""

from tests.cli.conftest import invoke  # noqa: F401
from tests.cli.test_cli import run  # noqa: F401
from tests.conftest import data_folder, rng  # noqa: F401
from tests.sst5.conftest import run as sst5_example  # noqa: F401
