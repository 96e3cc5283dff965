"""The reference is made of docstrings: numpydoc's own checks, for every public name."""

from __future__ import annotations

import inspect
import sys

import pytest

from tests.conftest import ROOT

validate = pytest.importorskip("numpydoc.validate", reason="numpydoc builds the docs").validate
sys.path.insert(0, str(ROOT / "docs" / "_ext"))
import api_groups  # noqa: E402

# No summary; parameters that are missing, unknown, in another order, without a word; no Returns.
CODES = {"GL08", "SS01", "SS05", "SS06", "PR01", "PR02", "PR03", "PR07", "PR08", "PR10", "RT01"}
NAMES = [name for names in api_groups.groups().values() for name in names]
# Classes that a user constructs; all others are made by functions, and list their attributes.
CONSTRUCTED = {"Scores", "Search", "Attempts", "Repeats", "Monitor", "cv.JKFoldSearchCV"}


def complaints(name, codes=CODES):
    errors = validate(f"bestofk.{name}")["errors"]
    return [f"{name}: {code} {text}" for code, text in errors if code in codes]


def members(kind):
    """Return the public methods and properties that are ours."""
    for name, value in inspect.getmembers_static(kind):
        home = next((k for k in kind.__mro__ if name in vars(k)), kind)
        if name[0] != "_" and home.__module__.startswith("bestofk"):
            if inspect.isroutine(value) or isinstance(value, property):
                yield name


def test_every_public_name_is_in_the_reference():
    assert api_groups.public() <= {*NAMES}
    assert len({*NAMES}) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_docstrings_follow_numpydoc(name):
    thing = api_groups.thing(name)
    made_by_us = inspect.isclass(thing) and name not in CONSTRUCTED
    waived = {"PR01"} if made_by_us else set()
    if name == "cv.JKFoldSearchCV":  # what it shares with GridSearchCV stands together
        waived = {"PR03"}
    assert complaints(name, CODES - waived) == []


def unsaid(kind, member):
    """Return the parameters of a method that its docstring does not name, "budget" for budgets."""
    method = getattr(kind, member)
    words = (inspect.getdoc(method) or "").lower()
    parameters = inspect.signature(method).parameters if callable(method) else {}
    return [
        p for p in parameters if p not in ("self", "options") and p.lower().rstrip("s") not in words
    ]


@pytest.mark.parametrize("name", [n for n in NAMES if inspect.isclass(api_groups.thing(n))])
def test_members_are_documented(name):
    """A sentence does for a small method: "Return the curve at a budget, or at several."."""
    found, kind = [], api_groups.thing(name)
    for member in members(kind):
        found += complaints(f"{name}.{member}", CODES - {"RT01", "PR01"})
        if not api_groups.INTERNAL.fullmatch(member):
            found += [f"{name}.{member}: {parameter}" for parameter in unsaid(kind, member)]
    assert found == []


def test_a_wrong_docstring_is_found(monkeypatch):
    def add(first, second):
        """Add.

        Parameters
        ----------
        second : int
            The other.
        third : int
            Unknown.
        """
        return first + second

    monkeypatch.setattr("bestofk.errors.add", add, raising=False)
    add.__module__ = "bestofk.errors"
    found = " ".join(complaints("errors.add"))
    assert all(code in found for code in ("PR01", "PR02", "RT01"))


@pytest.mark.parametrize("name", sorted(api_groups.public()))
def test_every_public_name_has_an_example(name):
    """In its docstring or in one of its members'; tests/test_public.py runs them all."""
    thing = api_groups.thing(name)
    own = [getattr(thing, m) for m in members(thing)] if inspect.isclass(thing) else []
    assert any(">>>" in (inspect.getdoc(one) or "") for one in (thing, *own))
