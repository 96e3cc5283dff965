"""Nothing that was read or written stays open: on Windows it could not be moved or removed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.sources.export import export

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc/self/fd")


def held_open(path: Path) -> bool:
    """Tell whether this process has the file, or one beside it, open."""
    there = Path("/proc/self/fd")
    names = [str(one.readlink()) for one in there.iterdir() if one.is_symlink()]
    return any(name.startswith(str(path.resolve())) for name in names)


def test_an_open_file_would_be_found(tmp_path):
    path = tmp_path / "open.db"
    with path.open("w", encoding="utf-8"):
        assert held_open(path)
    assert not held_open(path)


@pytest.fixture
def optuna_storage(tmp_path, demo_files):
    pytest.importorskip("optuna")
    path = tmp_path / "studies.db"
    search = bk.read(demo_files / "bestofk.db", name="ridge")
    export(search, f"sqlite:///{path}")
    return path


def test_an_optuna_storage_is_closed_after_writing_and_reading(optuna_storage):
    assert not held_open(optuna_storage)
    assert len(bk.read(optuna_storage).trials) == 256
    assert len(bk.read(f"sqlite:///{optuna_storage}").trials) == 256
    assert not held_open(optuna_storage)


def test_a_store_of_our_own_is_closed(demo_files):
    assert len(bk.read_all(demo_files / "bestofk.db")) == 2
    assert not held_open(demo_files / "bestofk.db")
