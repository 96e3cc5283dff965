"""What a release checks: version, date, changelog, lower bounds, hosted files, extras, network."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib

import pytest

import bestofk
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
try:
    import installed
    import lowest
    import release
    import reveal_types
finally:
    sys.path.pop(0)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
GOOD = (
    "# Changelog\n\n## 0.3.0 (2030-01-02)\n\n### Added\n\n- A thing.\n\n### Fixed\n\n- Another.\n"
)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("2030-01-02", "unreleased"), "says unreleased of 0.3.0"),
        (("### Added", "### New"), "'New' is no section"),
        (("- Another.\n", ""), "Fixed has no entry"),
        (("### Added\n", ""), "every entry belongs under"),
        (("### Fixed", "### Added"), "twice"),
        (("0.3.0", "0.4.0"), "has no section '## 0.3.0"),
    ],
)
def test_a_changelog_is_refused(change, told):
    assert release.changelog_problems(GOOD, "0.3.0", "2030-01-02") == []
    problems = release.changelog_problems(GOOD.replace(*change, 1), "0.3.0", "2030-01-02")
    assert told in "\n".join(problems)


@pytest.fixture
def tree(tmp_path):
    """A small tree under git that may be released as 0.3.0."""
    (tmp_path / "src/bestofk").mkdir(parents=True)
    (tmp_path / "src/bestofk/_version.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text("a: b\nversion: 0.2.0\ndate-released: 2029-01-01\n")
    (tmp_path / "CHANGELOG.md").write_text(GOOD.replace("2030-01-02", "unreleased"))
    release.git(tmp_path, "init", "--quiet")
    return tmp_path


def commit(tree):
    release.git(tree, "add", "--all")
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    release.git(tree, *who, "commit", "--quiet", "--message", "x")


def test_a_prepared_and_committed_tree_can_be_released_once(tree):
    assert len(release.version_problems(tree, "0.3.0")) == 3
    release.prepare(tree, "0.3.0", "2030-01-02")
    assert release.version_problems(tree, "0.3.0") == []
    assert "not committed" in release.tree_problems(tree, "0.3.0", tagged=False)[0]
    commit(tree)
    assert release.tree_problems(tree, "0.3.0", tagged=False) == []
    assert "does not point here" in release.tree_problems(tree, "0.3.0", tagged=True)[0]
    release.git(tree, "tag", "v0.3.0")
    assert "already" in release.tree_problems(tree, "0.3.0", tagged=False)[0]
    assert release.tree_problems(tree, "0.3.0", tagged=True) == []
    assert "is no version" in release.version_problems(tree, "0.3")[0]


def test_this_tree_lacks_nothing_but_a_date():
    """Before a release is prepared, the newest section of the changelog says unreleased."""
    problems = release.version_problems(ROOT, bestofk.__version__)
    assert [p for p in problems if "says unreleased" not in p] == []


def test_every_direct_dependency_has_a_lower_bound_that_is_not_above_the_pin():
    def parts(version):
        return [int(part) for part in re.findall(r"\d+", version)]

    pinned = (ROOT / "constraints.txt").read_text()
    versions = dict(re.findall(r"^([\w.-]+)==(\S+)$", pinned.lower().replace("_", "-"), flags=re.M))
    found = lowest.lowest(PROJECT, pinned)
    assert found["numpy"] != versions["numpy"]
    assert {"typer", "pebble", "psycopg", "matplotlib"} <= found.keys()
    for name, bound in found.items():
        assert parts(bound) <= parts(versions[name]), name
    with pytest.raises(AssertionError, match="needs a lower bound"):
        lowest.bounds(["numpy"])


def test_messages_and_pages_name_extras_that_there_are():
    source = "\n".join(p.read_text() for p in (ROOT / "src").rglob("*.py"))
    hints = re.findall(r'(?:MissingPackageError|needing)\([^)]*"(\w+)"\)', source)
    assert len(hints) > 15
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    shown = "\n".join(p.read_text() for p in pages)
    hints += [one for all_ in re.findall(r"bestofk\[([\w,]+)\]", shown) for one in all_.split(",")]
    assert set(hints) <= EXTRAS.keys()
    assert not EXTRAS.keys() & {"plot", "report", "web"}


def test_all_has_every_extra_but_a_server_of_others_and_tools_for_working_on_it():
    named = set(re.findall(r"\w+", EXTRAS["all"][0].partition("[")[2]))
    through = {"optuna"}  # by sources
    assert named | through | {"all", "wandb", *lowest.TOOLS} >= EXTRAS.keys()


def test_hosted_tests_run_the_same_commands():
    text = (ROOT / ".github/workflows/ci.yml").read_text()
    assert "- run: .ci/run" in text
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), flags=re.M))
    assert set(re.findall(r"run: make ([\w-]+)", text)) <= targets
    for path in (ROOT / ".github/workflows").glob("*.yml"):
        for action in re.findall(r"uses: (\S+)", path.read_text()):
            assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action), action


def test_hooks_are_local():
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"repo: (\S+)", text) == ["local"]


def test_the_image_runs_as_a_user_without_rights():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert lines.index("USER 1000") < next(
        i for i, line in enumerate(lines) if line.startswith("ENTRYPOINT")
    )


def test_any_in_a_revealed_type_is_found_and_numpys_shape_is_not():
    array = "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]"
    assert not reveal_types.UNKNOWN.search(reveal_types.SHAPE.sub(r"\1\2", array))
    for kind in (array.replace("numpy.float64", "Any"), "list[Any]", "Unknown | None", "Any"):
        assert reveal_types.UNKNOWN.search(reveal_types.SHAPE.sub(r"\1\2", kind)), kind
    asked = reveal_types.used("import x\na: int = x.f(1).b\ndef g() -> int:\n    return x.h(a)\n")
    assert asked == ["a", "x.f(1).b", "x.f(1)", "x.h(a)"]


def test_nothing_uses_the_network_unless_asked(tmp_path, demo_files):
    """SECURITY.md: reading, numbers, figures and reports open no connection."""
    hook = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise RuntimeError(f"network: {event} {arguments}")
sys.addaudithook(refuse)
"""
    code = f"""
import bestofk as bk
found = bk.read_all({str(demo_files / "example.csv")!r}, score="accuracy", by="method")
duel = bk.compare(found)
duel.plot()
bk.report(found, "report.html")
bk.read({str(demo_files / "bestofk.db")!r}, name="ridge")
"""
    subprocess.run(
        [sys.executable, "-c", hook + code], cwd=tmp_path, check=True, capture_output=True
    )
    asked = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run(
        [sys.executable, "-c", hook + asked], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert "network: socket." in done.stderr


def test_classifiers_do_not_promise_every_system():
    assert "Operating System :: OS Independent" not in PROJECT["classifiers"]
    assert json.dumps(PROJECT["urls"]).count("https://github.com/bestofk/bestofk") == 4


def test_the_size_of_an_extra_counts_bytecode_apart(tmp_path):
    (tmp_path / "package/__pycache__").mkdir(parents=True)
    (tmp_path / "package/a.py").write_bytes(b"x" * 2000)
    (tmp_path / "package/__pycache__/a.pyc").write_bytes(b"x" * 3000)
    (tmp_path / "single.py").write_bytes(b"x" * 500)
    tops = [tmp_path / "package", tmp_path / "single.py", tmp_path / "gone"]
    assert installed.size_of(tops) == (0.0025, 0.003)
    figures = (ROOT / "bench/results/install.md").read_text()
    assert f"(limit: {release.SHOW_MB} MB)" in figures
    assert "python tools/installed.py show" in figures
