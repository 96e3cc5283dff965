"""Imports point down the layers only, those in functions included, and no files form a cycle."""

from __future__ import annotations

import ast
import sys
from functools import cache
from pathlib import Path

import bestofk

PACKAGE = Path(bestofk.__file__).parent

# docs/architecture.md has this table.  A line imports only lines above it; parts of one line do not
# import each other, but for the order in which they stand here.
LAYERS = [
    ["_version", "errors", "_base"],
    ["numeric"],
    ["scores", "space"],
    ["curves", "baselines"],
    ["planning", "comparison", "monitor", "iid", "cv", "attempts", "repeats"],
    ["runner"],
    ["sources"],
    ["datasets", "studies", "render"],
    ["web", "cli"],
    ["__main__"],
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
# Within a line: who may import whom.
WITHIN = {("errors", "_base"), ("scores", "space"), ("curves", "baselines"), ("web", "cli")}


@cache
def package_files() -> list[Path]:
    return [p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py"]


@cache
def parsed() -> dict[Path, ast.Module]:
    """Return the package as trees, each file parsed once."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in package_files()}


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def outside_type_checking(tree: ast.AST) -> list[ast.AST]:
    blocks = [node for node in ast.walk(tree) if is_type_checking(node)]
    skipped = {id(node) for block in blocks for node in ast.walk(block)}
    return [node for node in ast.walk(tree) if id(node) not in skipped]


def imports(path: Path) -> set[str]:
    """Return every name of bestofk that a file imports, wherever, but for the type checker."""
    tree = parsed().get(path) or ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in outside_type_checking(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.startswith("bestofk.")}


def module_of(path: Path, package: Path = PACKAGE) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part_of(path: Path, package: Path = PACKAGE) -> str:
    return path.relative_to(package).parts[0].removesuffix(".py")


def violations(files: list[Path], package: Path = PACKAGE) -> list[str]:
    found = []
    for path in files:
        own = part_of(path, package)
        for name in sorted({n.split(".")[1] for n in imports(path)} - {own, "__version__"}):
            above = RANK[name] < RANK[own]
            if not above and (name, own) not in WITHIN:
                found.append(f"{path.name} imports {name}")
    return found


def cycles(files: dict[str, Path]) -> list[list[str]]:
    """Return the groups of files that import each other, directly or not (Tarjan)."""
    graph: dict[str, set[str]] = {}
    for name, path in files.items():
        graph[name] = set()
        for target in imports(path):
            while target and target not in files:
                target = target.rpartition(".")[0]
            if target and target != name:
                graph[name].add(target)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def test_every_part_has_a_layer():
    assert {part_of(p) for p in package_files()} <= set(RANK)


def test_imports_point_down():
    assert violations(package_files()) == []


def test_no_files_form_a_cycle():
    assert cycles({module_of(p): p for p in package_files()}) == []


def test_an_upward_import_and_a_cycle_would_be_found(tmp_path):
    package = tmp_path / "bestofk"
    (package / "numeric").mkdir(parents=True)
    upward = package / "numeric" / "order.py"
    upward.write_text("def f():\n    from bestofk.curves.tuning import Curve\n")
    assert violations([upward], package) == ["order.py imports curves"]
    other = package / "numeric" / "ecdf.py"
    other.write_text("from bestofk.numeric.order import f\n")
    upward.write_text("def f():\n    from bestofk.numeric import ecdf\n")
    files = {module_of(p, package): p for p in (upward, other)}
    assert cycles(files) == [["bestofk.numeric.ecdf", "bestofk.numeric.order"]]


def test_no_part_has_the_name_of_a_public_function():
    """Importing it would replace the function in the package."""
    import inspect

    functions = {n for n in bestofk.__all__ if inspect.isfunction(getattr(bestofk, n))}
    assert not functions & {part_of(p) for p in package_files()}


def test_no_file_is_longer_than_400_lines():
    long = {
        p.name: n
        for p in package_files()
        if (n := len(p.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_the_package_stays_small_enough_to_read():
    sys.path.insert(0, str(PACKAGE.parents[1] / "tools"))
    try:
        from size import code_lines
    finally:
        sys.path.pop(0)
    assert sum(code_lines(p.read_text(encoding="utf-8")) for p in PACKAGE.rglob("*.py")) <= 39_000


def imported_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def test_numeric_needs_numpy_and_scipy_only():
    allowed = sys.stdlib_module_names | {"numpy", "scipy", "bestofk"}
    trees = {p: tree for p, tree in parsed().items() if PACKAGE / "numeric" in p.parents}
    assert len(trees) > 10
    for path, tree in trees.items():
        for node in ast.walk(tree):
            for name in imported_names(node):
                assert name.split(".")[0] in allowed, f"{path.name}: {name}"
                heavy = name.startswith(("scipy.stats", "scipy.optimize"))
                assert not (heavy and node in tree.body), f"{path.name}: {name}"


def test_only_its_drawer_imports_matplotlib():
    for path, tree in parsed().items():
        if path == PACKAGE / "_base" / "chart" / "matplotlib.py":
            continue
        for node in outside_type_checking(tree):
            tops = {name.split(".")[0] for name in imported_names(node)}
            assert "matplotlib" not in tops, path.name
        assert 'import_module("matplotlib' not in path.read_text(encoding="utf-8"), path.name


OPTIONAL = {
    *("matplotlib", "pandas", "polars", "narwhals", "sklearn", "optuna", "sqlalchemy"),
    *("pyarrow", "yaml", "ray", "mlflow", "wandb", "hydra"),
    *("pebble", "cloudpickle", "distributed", "rich", "joblib", "pooch"),
    *("jinja2", "uvicorn"),
}


def test_optional_packages_are_imported_inside_functions():
    for path, tree in parsed().items():
        for node in tree.body:
            tops = {found.split(".")[0] for found in imported_names(node)}
            assert not tops & OPTIONAL, f"{path.name}: {ast.unparse(node)}"
