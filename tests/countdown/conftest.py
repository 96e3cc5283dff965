"""The example examples/countdown, with and without PyTorch."""

from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT

EXAMPLE = ROOT / "examples" / "countdown"
PARTS = ("game", "study", "model", "train", "answers", "record", "run", "rerun")


@pytest.fixture(scope="package")
def found():
    """Import a module of the example by its name; they are gone afterwards."""
    before = {name: sys.modules.pop(name, None) for name in PARTS}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
        yield import_module
    for name in PARTS:
        sys.modules.pop(name, None)
    sys.modules.update({name: module for name, module in before.items() if module is not None})


@pytest.fixture(scope="package")
def game(found):
    return found("game")


@pytest.fixture(scope="package")
def study(found):
    return found("study")


@pytest.fixture(scope="package")
def trained(found):
    """The modules that need PyTorch."""
    try:
        import torch
    except ImportError:
        pytest.skip("examples/countdown needs PyTorch: pip install torch")
    torch.set_num_threads(1)
    return SimpleNamespace(torch=torch, **{name: found(name) for name in PARTS})
