"""What several files compare."""

from __future__ import annotations

import pytest

import bestofk as bk


@pytest.fixture(scope="module")
def example():
    return bk.datasets.load_example()
