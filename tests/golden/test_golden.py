"""Every number that version 0.1.0 computed on the shipped data comes out as it did."""

from __future__ import annotations

import contextlib
import io
import json
import math
import re
import shutil
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.cli.demo import _write_data
from bestofk.cli.main import app
from tests.golden import calls, names

FOLDER = Path(__file__).parent
VERBS = json.loads((FOLDER / "verbs.json").read_text())
COMMANDS = json.loads((FOLDER / "commands.json").read_text())
# Sentences may be worded anew; what they say is tested where it is said.
SENTENCES = {"caveats", "verdict", "summary", "reason", "reasons", "why", "explanation", "what"}
# The space of the search in the store.
SPACE = """\
gamma = { kind = "loguniform", low = 1e-3, high = 1e3 }
ridge = { kind = "loguniform", low = 1e-6, high = 1e2 }
"""
# Facts about the machine that recorded or that compares.
LOCAL = {"hosts", "versions", "updated", "running", "store", "age"}


def numbers(sentence):
    """Return the numbers in a sentence, wherever they stand in it."""
    return sorted(re.findall(r"\d+(?:\.\d+)?", sentence))


def differences(old, new, path="", *, dropped=frozenset()):
    """Yield where something recorded is gone or different; what is new does not matter."""
    if isinstance(old, dict):
        for key, value in old.items():
            if key in SENTENCES | LOCAL | names.DROPPED.keys() | dropped:
                continue
            kind = new.get("kind") if isinstance(new, dict) else None
            today = names.FIELDS_OF.get(kind, {}).get(key) or names.FIELDS.get(key, key)
            today = today if today in new or key not in new else key
            if not isinstance(new, dict) or today not in new:
                yield f"{path}/{key}: gone"
            else:
                yield from differences(value, new[today], f"{path}/{key}", dropped=dropped)
    elif isinstance(old, list):
        if not isinstance(new, list) or len(new) != len(old):
            yield f"{path}: {len(old)} entries, now {new!r:.60}"
        else:
            for i, (a, b) in enumerate(zip(old, new, strict=True)):
                yield from differences(a, b, f"{path}[{i}]", dropped=dropped)
    elif isinstance(old, float) and isinstance(new, int | float):
        if not math.isclose(old, new, rel_tol=1e-12, abs_tol=1e-15):
            yield f"{path}: {old!r}, now {new!r}"
    elif path.endswith("/certain"):  # a sentence that no field repeats: its numbers must stay
        if numbers(old) != numbers(new):
            yield f"{path}: {old!r}, now {new!r}"
    elif old != new:
        yield f"{path}: {old!r}, now {new!r}"


@pytest.fixture(scope="module")
def today():
    return json.loads(json.dumps(calls.verbs(), allow_nan=False))


@pytest.mark.parametrize("name", sorted(VERBS.keys() - names.CHANGED.keys()))
def test_every_number_of_a_verb_is_as_it_was(name, today):
    assert list(differences(VERBS[name], today[name])) == []


def test_what_has_changed_was_recorded_and_has_a_reason():
    assert names.CHANGED.keys() <= VERBS.keys() | COMMANDS.keys()
    assert all(names.CHANGED.values())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("golden")
    _write_data(folder)
    shutil.copy(FOLDER / "store.db", folder / "store.db")
    return folder


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - names.CHANGED.keys()))
def test_every_number_of_a_command_is_as_it_was(name, folder):
    words = [names.OPTIONS.get(word, word) for word in COMMANDS[name]["line"].split()]
    line = " ".join(words)
    if line.startswith(names.BANDED) or (words[0] == "curve" and "--confidence" in words):
        words += ["--simultaneous", "real"]
    text = io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(text),
        contextlib.suppress(SystemExit),
    ):
        app([*words, "--format", "json"])
    evidence = {"evidence", "evidence_ranges", "evidence_shares", "verdict_evidence"}  # --evidence
    found = differences(COMMANDS[name]["output"], json.loads(text.getvalue()), dropped=evidence)
    assert list(found) == []


def test_the_store_opens_and_exports_the_same_rows(folder, tmp_path):
    search = bk.read(folder / "store.db", name="ridge")
    bk.export(search, tmp_path / "export.csv", format="csv")
    assert (tmp_path / "export.csv").read_text() == (FOLDER / "export.csv").read_text()
    again = bk.read(FOLDER / "export.csv", score="accuracy")
    assert again.scores().values.tolist() == search.scores().values.tolist()


def test_the_store_goes_on_with_the_same_draws(tmp_path):
    shutil.copy(FOLDER / "store.db", tmp_path / "store.db")
    store = f"sqlite:///{tmp_path}/store.db"
    space = tmp_path / "ridge.toml"
    space.write_text(SPACE)
    options = {"seed": 1, "name": "ridge", "store": store, "score": "accuracy", "bounds": (0, 1)}
    more = bk.run_search("bestofk.datasets.moons:ridge", space, n_trials=26, n_workers=0, **options)
    recorded = bk.read(FOLDER / "store.db", name="ridge")
    assert [t.params for t in more.trials[:24]] == [t.params for t in recorded.trials]
    assert more.n == 26


def tables_of(text):
    """Return the rows of the tables of a Markdown report that are made of numbers."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    return [row for row in rows if any(c.isdigit() for c in row.split("|")[1])]


def test_the_report_has_the_same_numbers_by_budget(tmp_path):
    bk.report(
        bk.datasets.load_example(), tmp_path / "report.md", confidence=0.95, budgets=calls.WHOLE,
        title="Recorded", statistic="median", simultaneous="real",
    )  # fmt: skip
    recorded = tables_of((FOLDER / "report.md").read_text())
    assert len(recorded) == len(calls.WHOLE)
    assert tables_of((tmp_path / "report.md").read_text())[: len(recorded)] == recorded


def test_a_changed_number_would_be_found():
    old = {"budgets": [1, 2], "lower": [0.25, None], "label": "a"}
    assert list(differences(old, {**old, "kind": "band"})) == []
    assert list(differences(old, {**old, "lower": [0.25 + 1e-9, None]})) != []
    assert list(differences(old, {**old, "lower": [0.25, 1]})) != []
    assert list(differences(old, {**old, "label": "b"})) != []
    assert list(differences(old, {"budgets": [1, 2], "lower": [0.25, None]})) == ["/label: gone"]
