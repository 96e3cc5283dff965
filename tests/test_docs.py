"""README and docs say what is true today: their examples run and print what they show."""

from __future__ import annotations

import doctest
import pydoc
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.golden import names

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/how-to").glob("*.md")),
]
OURS = re.compile(
    r"https://(?:raw\.githubusercontent\.com|github\.com)/bestofk/bestofk/(?:(?:blob|tree)/)?main/"
)
CHANGELOG = ROOT / "CHANGELOG.md"
GENERATED = {"cli.md", "api.md", "json.md", "reproduction.md"}  # checked by make docs-check

LONG = {"tutorial-countdown.md", "jkfold.md"}  # pages whose examples take many seconds


def run_pages() -> list[Any]:
    """Return the pages whose examples are run, those that take long as slow tests."""
    pages = [p for p in PAGES if p.name not in GENERATED]
    marks = {True: [pytest.mark.slow], False: []}
    return [pytest.param(p, id=p.name, marks=marks[p.name in LONG]) for p in pages]


def blocks(path: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), flags=re.M | re.S
    )


@pytest.fixture
def demo_folder(tmp_path, monkeypatch, demo_files):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(demo_files, tmp_path / "bestofk-demo")
    return tmp_path


@pytest.mark.parametrize("path", run_pages())
@pytest.mark.usefixtures("demo_folder")
def test_python_examples_print_what_they_show(path):
    text = "\n".join(b for b in blocks(path, "python") if ">>>" in b)
    parsed = doctest.DocTestParser().get_doctest(text, {}, path.name, str(path), 0)
    failures = doctest.DocTestRunner().run(parsed).failed
    assert failures == 0


@pytest.mark.parametrize("path", run_pages())
@pytest.mark.usefixtures("demo_folder")
def test_commands_print_what_they_show(path, invoke):
    for block in blocks(path, "console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", block, flags=re.M):
            words = shlex.split(command)
            assert words[0] == "bestofk", command
            _, printed, _ = invoke(*words[1:])
            beginning, cut, _ = shown.strip().partition("\n...")
            printed = printed.strip()
            assert printed.startswith(beginning) if cut else printed == beginning, command


@pytest.mark.parametrize("path", [*PAGES, CHANGELOG], ids=lambda p: p.name)
def test_links_lead_somewhere(path):
    text = path.read_text()
    images = re.findall(r'<img src="([^"]+)"', text)
    for target in (*re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text), *images):
        if OURS.match(target):
            assert (ROOT / OURS.sub("", target)).exists(), f"{path.name}: {target}"
        elif not target.startswith("http"):
            assert (path.parent / target).exists(), f"{path.name}: {target}"


def anchors(path: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    heads = re.findall(r"^#+ (.*)$", text, flags=re.M)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("path", [*PAGES, CHANGELOG], ids=lambda p: p.name)
def test_links_lead_to_headings_that_there_are(path):
    for target, anchor in re.findall(r"\]\(([^)#]*\.md)?#([^)]+)\)", path.read_text()):
        if target and not OURS.match(target) and target.startswith("http"):
            continue
        page = ROOT / OURS.sub("", target) if OURS.match(target) else path.parent / target
        assert anchor in anchors(page if target else path), f"{path.name}: {target}#{anchor}"


def test_a_link_to_no_heading_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One page\n\n```\n# no heading\n```\n\n## order.py: V, U and `W`?\n")
    assert anchors(page) == {"one-page", "orderpy-v-u-and-w"}


def test_readme_has_absolute_links_only():
    """A package index shows it too."""
    targets = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text())
    assert len(targets) > 20
    assert [t for t in targets if not t.startswith("https://")] == []


def test_what_the_table_of_readme_calls_is_there():
    import typer.main

    import bestofk as bk
    from bestofk.cli.main import app

    table = (ROOT / "README.md").read_text().split("## Question → call")[1].split("\n\n")[1]
    commands = re.findall(r"`bestofk ([a-z-]+)", table)
    names = re.findall(r"\bbk\.(\w+)", table)
    assert len(commands) > 10
    assert len(names) > 10
    assert set(commands) <= set(typer.main.get_command(app).commands)
    assert all(hasattr(bk, name) for name in names)


HOW_TO = sorted((ROOT / "docs/how-to").glob("*.md"))


@pytest.mark.parametrize("path", HOW_TO, ids=lambda p: p.stem)
def test_a_how_to_page_is_short_runs_something_and_says_where_to_read_on(path):
    text = path.read_text()
    assert len(text.split()) <= 600
    assert blocks(path, "console") or any(">>>" in b for b in blocks(path, "python"))
    assert re.search(r"^More: ", text, flags=re.M)
    assert f"docs/how-to/{path.name}" in (ROOT / "README.md").read_text()


def test_readme_has_python_and_console_examples():
    assert any(">>>" in b for b in blocks(ROOT / "README.md", "python"))
    assert blocks(ROOT / "README.md", "console")


def test_changelog_names_the_version():
    from bestofk import __version__

    assert f"## {__version__}" in CHANGELOG.read_text()
    assert f"version: {__version__}" in (ROOT / "CITATION.cff").read_text()


def renamed() -> list[tuple[str, str, str]]:
    """Return where, old and new of each row in the changelog's table of names."""
    text = CHANGELOG.read_text().split("| where | 0.1.0 | 0.2.0 |")[1].split("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()[2:]]
    assert all(len(row) == 3 for row in rows)
    return [tuple(row) for row in rows]


def named(cell: str) -> list[str]:
    """Return what stands in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def test_changelog_has_every_field_and_option_that_changed_its_name():
    told = {(where.split(",")[0], named(old)[0], named(new)[0]) for where, old, new in renamed()}
    wanted = {("fields", *pair) for pair in names.FIELDS.items()}
    wanted |= {
        (f"fields of `{kind}`", *pair)
        for kind, pairs in names.FIELDS_OF.items()
        for pair in pairs.items()
    }
    wanted |= {("options", *pair) for pair in names.OPTIONS.items()}
    assert wanted - told == set()
    assert {t for t in told if t[0].startswith(("fields", "options"))} - wanted == set()


def test_python_names_of_the_changelog_are_gone_and_there():
    import bestofk as bk

    pairs = [(old, new) for where, old, new in renamed() if where == "Python"]
    assert pairs
    for old, new in pairs:
        for name in named(old):
            first = name.split("(")[0].split(".")[1]
            assert first == "read" or not hasattr(bk, first), name
        for name in named(new):
            path = re.sub(r"^bk\.", "bestofk.", name.split("(")[0])
            assert pydoc.locate(path) is not None, name


def test_no_registry_host_or_local_path_is_committed():
    """Pins have no URLs; nothing names a machine."""
    assert "://" not in (ROOT / "constraints.txt").read_text()
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+|#.*", line), line
