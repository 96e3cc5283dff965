"""``bestofk reproduce`` as a user meets it."""

from __future__ import annotations

import csv
import doctest
import importlib
import io
import json
import pkgutil
import re

import bestofk_reproduction
import pytest
from bestofk_reproduction import registry


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("BESTOFK_DATA", str(tmp_path / "nowhere"))


def test_list_names_everything(run):
    code, out, _ = run("reproduce --list")
    assert code == 0
    names = list(registry.reproductions())
    assert [line.split()[0] for line in out.splitlines()] == names
    assert [item["id"] for item in json.loads(run("reproduce --list --format json")[1])] == names
    rows = csv.DictReader(io.StringIO(run("reproduce --list --format csv")[1]))
    assert [row["id"] for row in rows] == names


def test_reproduce_writes_figure_numbers_and_verdict(run, tmp_path):
    code, out, err = run("reproduce dodge2021-fig1 -o out --jobs 1")
    assert code == 0
    assert out.startswith("dodge2021-fig1: holds.")
    assert "files: out/dodge2021-fig1" in err
    folder = tmp_path / "out" / "dodge2021-fig1"
    names = {p.name for p in folder.iterdir()}
    assert names == {"figure.pdf", "figure.png", "verdict.json", "numbers.json", "moments.csv"}
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["holds"] is True
    assert verdict["claim"].startswith("Bias: W below V")
    assert verdict["figures"]["unique_values"] > 9000
    rows = list(csv.DictReader(io.StringIO((folder / "moments.csv").read_text())))
    assert len(rows) == 30


def test_json_is_the_verdict(run):
    out = run("reproduce dodge2021-tables23 --format json")[1]
    assert json.loads(out)["id"] == "dodge2021-tables23"


def test_the_seed_fixes_the_figures(run):
    outs = [
        json.loads(run(f"reproduce dodge2021-fig1 --format json --seed {s} --jobs {j}")[1])
        for s, j in ((1, 1), (1, 2), (2, 1))
    ]
    assert outs[0]["figures"] == outs[1]["figures"]
    assert outs[0]["figures"] != outs[2]["figures"]


@pytest.mark.usefixtures("no_data")
def test_without_data_it_says_so_and_exits_with_zero(run):
    code, out, err = run("reproduce tang2020-fig3")
    assert code == 0
    assert "not available" in out
    assert "BESTOFK_DATA must name a folder" in err


@pytest.mark.usefixtures("no_data")
def test_all_makes_an_index(run, tmp_path, monkeypatch):
    few = ("dodge2021-fig1", "dodge2021-tables23", "tang2020-fig3")
    found = {name: registry.find(name) for name in few}
    monkeypatch.setattr(registry, "reproductions", lambda: found)
    code, out, err = run("reproduce all -o out --jobs 1")
    assert code == 0
    assert "2 of 3 figures and tables hold; 1 cannot be checked, since data are missing." in out
    assert "tang2020-fig3: not available" in err
    page = (tmp_path / "out" / "index.html").read_text()
    assert "src='dodge2021-fig1/figure.png'" in page
    assert len(json.loads((tmp_path / "out" / "verdicts.json").read_text())) == 3


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("reproduce", 2, "needs the name of a figure or table, or --list"),
        ("reproduce tang2020-fig9", 2, "there is no figure or table 'tang2020-fig9'"),
        ("reproduce dodge2021-tables23 -o ys.csv", 1, "cannot be written"),
        ("reproduce dodge2021-fig1 --seed -1", 2, "Invalid value for '--seed'"),
    ],
)
def test_failures_say_what_must_hold(run, line, code, message):
    got, out, err = run(line)
    assert got == code
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_the_command_is_listed_in_help(run):
    assert "reproduce" in run("--help")[1]
    assert "Reproduce a figure or table" in run("reproduce --help")[1]


def test_help_ends_in_an_example_that_runs(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    code, out, _ = run("reproduce --help")
    assert code == 0
    example = " ".join(re.search(r"Example: bestofk (.*?)\n\n", out, flags=re.S)[1].split())
    assert run(example)[0] == 0


@pytest.mark.parametrize(
    "module",
    [m.name for m in pkgutil.walk_packages(bestofk_reproduction.__path__, "bestofk_reproduction.")],
)
def test_docstring_examples(module):
    failures, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0
