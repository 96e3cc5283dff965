"""Imports point down the layers only, function-level imports included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bestofk

PACKAGE = Path(bestofk.__file__).parent

# A line never imports a later one.
LAYERS = [
    ["errors", "_version"],
    ["_check", "_secrets"],
    ["_rng"],
    ["_result"],
    ["numeric"],
    ["scores"],
    ["estimates"],
    ["curves", "distribution", "costs"],
    ["bands", "bootstrap"],
    ["duels"],
    ["comparison", "planning", "monitor", "iid"],
    ["powers"],
    ["effects", "groups"],
    ["importances"],
    ["runner"],
    ["sources"],
    ["cv", "datasets"],
    ["charts"],
    ["plotting"],
    ["pages"],
    ["reporting"],
    ["lab"],
    ["web"],
    ["cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
# A result draws itself: the one arrow upwards.
EXCEPTIONS = {("_result", "plotting")}


def imported_modules(path: Path) -> set[str]:
    """Return the top-level parts of bestofk that a file imports, wherever the import stands."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {
        name.split(".")[1] for name in found if name.startswith("bestofk.") and name.count(".") >= 1
    }


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def violations(files: list[Path]) -> list[str]:
    return [
        f"{path.name} imports {name}"
        for path in files
        for name in sorted(imported_modules(path) - {part_of(path), "__version__"})
        if RANK[name] > RANK[part_of(path)] and (part_of(path), name) not in EXCEPTIONS
    ]


def package_files() -> list[Path]:
    return [p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py"]


def test_every_part_has_a_layer():
    assert {part_of(p) for p in package_files()} <= set(RANK)


def test_imports_point_down():
    assert violations(package_files()) == []


def test_an_upward_import_would_be_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.test_layers.PACKAGE", tmp_path)
    (tmp_path / "numeric").mkdir()
    upward = tmp_path / "numeric" / "order.py"
    upward.write_text("def f():\n    from bestofk.curves import Curve\n")
    assert violations([upward]) == ["order.py imports curves"]


def test_numeric_needs_numpy_and_scipy_only():
    for path in (PACKAGE / "numeric").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            else:
                continue
            for name in names:
                top = name.split(".")[0]
                assert top in sys_stdlib() | {"numpy", "scipy", "bestofk"}, f"{path.name}: {name}"
                assert not name.startswith(
                    ("scipy.stats", "scipy.optimize")
                ) or not is_module_level(node, path)


def sys_stdlib() -> frozenset[str]:
    import sys

    return sys.stdlib_module_names


def is_module_level(node: ast.AST, path: Path) -> bool:
    tree = ast.parse(path.read_text())
    return any(getattr(child, "lineno", None) == node.lineno for child in tree.body)


def test_only_plotting_imports_matplotlib():
    """The lab draws with what plotting hands out."""
    for path in package_files():
        if path.name == "plotting.py":
            continue
        text = path.read_text()
        for node in ast.walk(ast.parse(text)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "matplotlib" for name in names), path.name
        assert 'import_module("matplotlib' not in text, path.name


@pytest.mark.parametrize(
    "name",
    [
        *("matplotlib", "pandas", "polars", "narwhals", "sklearn", "optuna", "sqlalchemy"),
        *("pyarrow", "yaml", "ray", "mlflow", "wandb", "hydra"),
        *("pebble", "cloudpickle", "distributed", "rich", "joblib", "pooch"),
        *("jinja2", "uvicorn", "plotly"),
    ],
)
def test_optional_packages_are_imported_inside_functions(name):
    for path in package_files():
        for node in ast.parse(path.read_text()).body:
            found = []
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found = [node.module or ""]
            assert name not in {f.split(".")[0] for f in found}, f"{path.name}: {ast.unparse(node)}"
