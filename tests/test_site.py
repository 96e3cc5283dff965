"""The documentation site: what is checked of it, and snippets that cannot run as they stand."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import sys
from functools import cache

import pytest
import typer

import bestofk as bk
from bestofk.cli.main import app
from tests.conftest import ROOT
from tests.test_docs import GENERATED, blocks

sys.path.insert(0, str(ROOT / "tools"))
import check_site

FENCE = re.compile(r"^(`{3,})([^\n]*)\n(.*?)^\1$", flags=re.M | re.S)
DOCS = ROOT / "docs"
RUN_BY_THE_BUILD = [
    p for part in ("notebooks", "gallery") for p in sorted(DOCS.glob(f"{part}/*.md"))
]
PAGES = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("how-to/*.md"), *RUN_BY_THE_BUILD]
WRITTEN = [p for p in sorted(PAGES) if p.name not in GENERATED]
# What a fenced block may be: run by test_docs.py or by the build, checked here, or a directive.
KNOWN = {"", "python", "console", "text", "toml", "bash", "bibtex", "latex", "json"}


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def site(tmp_path, body):
    (tmp_path / "a.html").write_text(f"<html><body>{body}</body></html>")
    (tmp_path / "b.html").write_text('<h2 id="here">b</h2>')
    return check_site.wrong(tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        '<a href="b.html#here">ok</a> <a href="#">top</a> <a href="https://example.org">away</a>',
        '<p id="x"></p><a href="#x">ok</a>',
        f'<a href="{check_site.REPOSITORY}README.md">ok</a>',
    ],
)
def test_links_that_lead_somewhere_pass(tmp_path, body):
    assert site(tmp_path, body) == []


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('<a href="c.html">x</a>', "not there"),
        ('<a href="b.html#there">x</a>', "no such place"),
        ('<a href="#there">x</a>', "no such place"),
        ('<img src="c.png">', "not there"),
        ('<script src="https://cdn.example.org/mathjax.js"></script>', "loads"),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "loads"),
        (f'<a href="{check_site.REPOSITORY}no/such.md">x</a>', "not in the repository"),
    ],
)
def test_links_that_lead_nowhere_are_found(tmp_path, body, word):
    assert any(word in line for line in site(tmp_path, body))


def test_a_style_sheet_that_loads_fonts_is_found(tmp_path):
    (tmp_path / "a.css").write_text("@import 'https://fonts.example.org/a.css';")
    assert any("from the net" in line for line in site(tmp_path, ""))


def test_the_site_and_its_check_speak_of_one_repository():
    assert check_site.REPOSITORY in (DOCS / "conf.py").read_text()


@pytest.mark.parametrize("path", RUN_BY_THE_BUILD, ids=name_of)
def test_notebooks_link_to_pages_that_there_are(path):
    for target in re.findall(r"\]\(([^)#]+\.md)", path.read_text()):
        assert (path.parent / target).exists(), target


def test_there_are_five_notebooks_and_a_gallery_and_all_run():
    cells = {p.stem: p.read_text().count("```{code-cell}") for p in RUN_BY_THE_BUILD}
    assert len([p for p in RUN_BY_THE_BUILD if p.parent.name == "notebooks"]) == 5
    assert [name for name, n in cells.items() if n < 5 and name != "index"] == []
    settings = (DOCS / "conf.py").read_text()
    assert 'nb_execution_mode = "force"' in settings
    assert "nb_execution_raise_on_error = True" in settings


@pytest.mark.parametrize("path", WRITTEN, ids=name_of)
def test_every_block_is_of_a_kind_that_is_checked(path):
    kinds = {kind.strip() for _, kind, _ in FENCE.findall(path.read_text())}
    assert {kind for kind in kinds if not kind.startswith("{")} <= KNOWN


@pytest.mark.parametrize("path", WRITTEN, ids=name_of)
def test_python_without_prompts_calls_what_there_is(path):
    """It needs a cluster or a model of the reader's; still its names and arguments are ours."""
    for block in blocks(path, "python"):
        if ">>>" not in block:
            assert unknown_arguments(block) == []


def unknown_arguments(code):
    """Return the arguments of calls `bk.…(…)` that there are not."""
    found = []
    for node in ast.walk(ast.parse(code)):
        if not (isinstance(node, ast.Call) and ast.unparse(node.func).startswith("bk.")):
            continue
        thing = bk
        for part in ast.unparse(node.func).split(".")[1:]:
            thing = getattr(thing, part)
        known = inspect.signature(thing).parameters
        if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in known.values()):
            found += [k.arg for k in node.keywords if k.arg is not None and k.arg not in known]
    return found


def test_an_argument_that_is_not_there_is_found():
    assert unknown_arguments("bk.plan(budget=20, confidnce=0.9)") == ["confidnce"]
    with pytest.raises(AttributeError):
        unknown_arguments("bk.tuning_bands(x)")


@cache
def options():
    """Return the options of every command by its name; of a group, by both words."""
    program = typer.main.get_command(app)
    context = typer.Context(program)
    found = {}

    def add(words, command):
        below = getattr(command, "list_commands", None)
        for name in below(context) if below else []:
            add((*words, name), command.get_command(context, name))
        found[words] = {o for p in command.params for o in (*p.opts, *p.secondary_opts)}

    add((), program)
    return found


def unknown_options(line):
    """Return the options of a command line `bestofk …` that there are not."""
    words = [w for w in shlex.split(line, comments=True) if w != "bestofk"]
    command = ()
    while words and (*command, words[0]) in options():
        command = (*command, words.pop(0))
    if not command and words and not words[0].startswith("-"):
        return [words[0]]
    ours = words[: words.index("--")] if "--" in words else words
    given = [w.split("=")[0] for w in ours if re.match(r"--?[a-z]", w)]
    return [o for o in given if o not in options()[command] | {"--help", "-h", "..."}]


def command_lines(text):
    """Return every `bestofk …` in the blocks and sentences of a page, continued lines joined."""
    for _, kind, block in FENCE.findall(text):
        if kind.strip() in ("", "console", "text", "bash"):
            joined = re.sub(r"\\\n\s*", "", block)
            yield from re.findall(r"^(?:\$ |srun )?(bestofk [a-z-].*)$", joined, flags=re.M)
    yield from re.findall(r"(?<!`)`(bestofk [a-z-][^`]*)`(?!`)", FENCE.sub("", text))


@pytest.mark.parametrize("path", WRITTEN, ids=name_of)
def test_commands_have_the_options_that_pages_show(path):
    lines = list(command_lines(path.read_text()))
    assert {line: bad for line in lines if (bad := unknown_options(line))} == {}


def test_an_option_that_is_not_there_is_found():
    assert len([line for path in WRITTEN for line in command_lines(path.read_text())]) > 40
    assert unknown_options("bestofk curve a.csv --scor accuracy") == ["--scor"]
    assert unknown_options("bestofk curves a.csv") == ["curves"]
    assert unknown_options("bestofk search --name a -- python x.py --lr {lr}") == []


def test_examples_of_the_reference_import_what_they_use(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import site_examples

    shown = site_examples.with_imports(
        ["Say it.", "", "    >>> plan(budget=np.int64(20)).n", "    139"]
    )
    assert shown[2:4] == ["    >>> import numpy as np", "    >>> from bestofk import plan"]
    own = [">>> def f(x):", "...     return [y for y in x]", ">>> [f(z) for z in range(3)]"]
    assert site_examples.with_imports(own) == own


def test_a_result_says_which_calls_return_it(monkeypatch):
    monkeypatch.syspath_prepend(DOCS / "_ext")
    import site_examples

    assert "bk.compare() <bestofk.compare>" in site_examples.returned_by("Comparison")
    assert "Band.at() <bestofk.Band.at>" in site_examples.returned_by("curves.band.BandPoint")
    assert site_examples.returned_by("DataError") == ""
