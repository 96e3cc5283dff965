"""Progress in a notebook, whose standard error is no terminal: one display that is updated."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

import bestofk as bk
from bestofk.runner import progress
from tests.runner import objectives


class Display:
    """What IPython's display(…, display_id=True) gives."""

    def __init__(self, data, **options):
        assert options == {"raw": True, "display_id": True}
        self.texts = [data["text/plain"]]

    def update(self, data, *, raw):
        assert raw
        self.texts.append(data["text/plain"])


@pytest.fixture
def notebook(monkeypatch):
    """A kernel, as far as it is asked; return what it has displayed."""
    shown = []

    def display(data, **options):
        shown.append(Display(data, **options))
        return shown[-1]

    module, part = ModuleType("IPython"), ModuleType("IPython.display")
    module.get_ipython = lambda: SimpleNamespace(kernel=object())
    part.display = display
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", part)
    monkeypatch.setattr(progress, "_NOTEBOOK_EVERY", 0.0)
    return shown


def test_progress_is_displayed_and_updated_in_a_notebook(notebook, tmp_path, capfd):
    bk.run_search(
        objectives.plain, objectives.SPACE, n_trials=12, seed=7, name="cnn", n_workers=0,
        store=f"sqlite:///{tmp_path}/r.db", bounds=(0, 1),
    )  # fmt: skip
    (display,) = notebook
    assert display.texts[0] == "cnn: 0 of 12 trials"
    assert display.texts[5].startswith("cnn: 5 of 12 trials, best 0.")
    assert display.texts[-1].startswith("cnn: 12 of 12 trials, best 0.")
    assert "(80 % confidence, whenever you look)" in display.texts[-1]
    assert capfd.readouterr() == ("", "")


def test_a_console_of_ipython_is_no_notebook(monkeypatch):
    module = ModuleType("IPython")
    module.get_ipython = SimpleNamespace  # a shell without a kernel
    monkeypatch.setitem(sys.modules, "IPython", module)
    assert not progress.in_notebook()
    monkeypatch.delitem(sys.modules, "IPython")
    assert not progress.in_notebook()
