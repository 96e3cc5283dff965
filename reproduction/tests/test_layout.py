"""How the package is built: imports without a cycle, one version, one entry point."""

from __future__ import annotations

import ast
import tomllib
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import entry_points
from pathlib import Path

import bestofk_reproduction
import pytest
from bestofk_reproduction import command

from tests.conftest import ROOT

PACKAGE = Path(bestofk_reproduction.__file__).parent


def package_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def module_of(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(nodes) -> set[str]:
    """Return what some statements import, names of a module as module.name too."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def imports(package: Path) -> dict[str, set[str]]:
    """Return for each module which others of the package it imports, wherever that stands."""
    files = {module_of(path, package): path for path in package.rglob("*.py")}
    return {
        name: imported(ast.walk(ast.parse(path.read_text()))) & files.keys() - {name}
        for name, path in files.items()
    }


def test_no_cycle_of_files():
    found = imports(PACKAGE)
    assert "bestofk_reproduction.download" in found["bestofk_reproduction.data"]
    list(TopologicalSorter(found).static_order())


def test_a_cycle_would_be_found(tmp_path):
    package = tmp_path / "p"
    package.mkdir()
    (package / "a.py").write_text("from p.b import f\n")
    (package / "b.py").write_text("def f():\n    from p import a\n")
    with pytest.raises(CycleError):
        list(TopologicalSorter(imports(package)).static_order())


def test_nothing_is_imported_by_name():
    """Such an import would not be seen by the test of cycles."""
    for path in package_files():
        assert "import_module" not in path.read_text(), path.name


def test_matplotlib_is_imported_by_bestofk_alone():
    for path in package_files():
        names = imported(ast.walk(ast.parse(path.read_text())))
        assert "matplotlib" not in {name.split(".")[0] for name in names}, path.name


@pytest.mark.parametrize("name", ["sklearn", "joblib", "pooch", "pandas", "jinja2"])
def test_heavy_packages_are_imported_inside_functions(name):
    for path in package_files():
        names = imported(ast.parse(path.read_text()).body)
        assert name not in {n.split(".")[0] for n in names}, path.name


def test_its_version_is_that_of_bestofk():
    folder = ROOT / "reproduction"
    project = tomllib.loads((folder / "pyproject.toml").read_text())
    path = folder / project["tool"]["hatch"]["version"]["path"]
    assert path.resolve() == ROOT / "src" / "bestofk" / "_version.py"


def test_its_command_is_found():
    (entry,) = entry_points(group="bestofk.commands", name="reproduce")
    assert entry.load() is command.reproduce
