"""Check what a user's type checker sees: PYTHON -m mypy and pyright on tests/typed_user.py.

Run as `python tools/reveal_types.py SCRIPT PYTHON`, where PYTHON has the built wheel and nothing of
this tree.  The script is run there once, and `reveal_type` is added for its variables, for what it
calls and asks for, and for every public attribute of each result that it makes.  None of these
types may contain Any.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What numpy says about the shape of NDArray[np.float64], in the words of mypy and of pyright.
SHAPE = re.compile(r"(ndarray\[)(?:builtins\.)?tuple\[Any, \.\.\.\](, )|_AnyShape")
UNKNOWN = re.compile(r"\b(?:Any|Unknown)\b")
PROBE = """
import json, types
def _probe():
    found = []
    for name, value in list(globals().items()):
        home = getattr(type(value), "__module__", "")
        if name.startswith("_") or not home.startswith("bestofk."):
            continue
        for attribute in dir(type(value)) + list(getattr(value, "__dict__", {})):
            method = callable(getattr(type(value), attribute, None))
            if not attribute.startswith("_") and not method:
                found.append(f"{name}.{attribute}")
    return sorted(set(found))
print("PROBE", json.dumps(_probe()))
"""


def used(text: str) -> list[str]:
    """Return the variables, calls and attributes of a script that mean the same at its end."""
    found: dict[str, None] = {}
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.AnnAssign | ast.Assign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found |= {ast.unparse(target): None for target in targets}
            value = statement.value
            inner = (
                [n for n in ast.walk(value) if isinstance(n, ast.Call | ast.Attribute)]
                if value
                else []
            )
            called = {id(n.func) for n in inner if isinstance(n, ast.Call)}
            found |= {ast.unparse(n): None for n in inner if id(n) not in called}
        elif isinstance(statement, ast.FunctionDef) and not statement.args.args:
            returned = [
                n.value for n in ast.walk(statement) if isinstance(n, ast.Return) and n.value
            ]
            found |= {ast.unparse(value): None for value in returned}
    return [one for one in found if not re.fullmatch(r"bk\.\w+|\w+\.[A-Z]\w+", one)]


def attributes(text: str, python: str, folder: Path) -> list[str]:
    """Run the script where the wheel is, and return the attributes of what it makes."""
    path = folder / "probe.py"
    path.write_text(text + PROBE, encoding="utf-8")
    done = subprocess.run(
        [python, path.name], cwd=folder, capture_output=True, text=True, check=True
    )
    found: list[str] = json.loads(done.stdout.partition("PROBE ")[2])
    return found


def mypy_types(path: Path, python: str) -> tuple[list[str], list[tuple[int, str]]]:
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--config-file="]
    command += ["--python-executable", python, "--cache-dir", str(path.parent / "cache"), path.name]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    shown = re.findall(r':(\d+): note: Revealed type is "(.*)"', done.stdout)
    return errors + done.stderr.splitlines(), [(int(line), kind) for line, kind in shown]


def pyright_types(path: Path, python: str) -> tuple[list[str], list[tuple[int, str]]]:
    settings = {"include": [path.name], "typeCheckingMode": "strict"}
    (path.parent / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", python]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)["generalDiagnostics"]
    errors = [
        f"{d['range']['start']['line'] + 1}: {d['message']}"
        for d in told
        if d["severity"] != "information"
    ]
    shown = [
        (d["range"]["start"]["line"] + 1, found[1])
        for d in told
        if (found := re.match(r'Type of ".*" is "(.*)"$', d["message"], flags=re.S))
    ]
    return errors, shown


def main() -> None:
    script, python = Path(sys.argv[1]), sys.argv[2]
    text = script.read_text("utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        asked = [*used(text), *attributes(text, python, folder)]
        path = folder / "revealed.py"
        before = text.count("\n") + 1
        path.write_text(
            text + "\n" + "".join(f"reveal_type({one})\n" for one in asked), encoding="utf-8"
        )
        for name, check in (("mypy", mypy_types), ("pyright", pyright_types)):
            errors, shown = check(path, python)
            wrong = [
                f"{asked[line - before - 1]}: {kind}"
                for line, kind in shown
                if UNKNOWN.search(SHAPE.sub(r"\1\2", kind))
            ]
            missing = len(asked) - len({line for line, _ in shown})
            if errors or wrong or missing:
                lines = [*errors, *(f"Any in a revealed type: {one}" for one in wrong)]
                raise SystemExit("\n".join([*lines, f"{name}: {missing} types are not revealed"]))
            print(f"{name}: {len(asked)} types revealed, no Any among them")


if __name__ == "__main__":
    main()
