"""What a page of the reference adds to a docstring: the imports of its examples, who returns it."""

from __future__ import annotations

import ast
import builtins
import doctest
import inspect
import re
from collections import defaultdict
from functools import cache

import api_groups

RETURNS = re.compile(r"^Returns\n-+\n(.*?)(?:\n\n|\Z)", flags=re.M | re.S)


def with_imports(lines: list[str]) -> list[str]:
    """Return a docstring whose first example imports what the examples use: it can be copied."""
    first = next((i for i, line in enumerate(lines) if line.lstrip().startswith(">>> ")), None)
    if first is None:
        return lines
    indent = lines[first][: lines[first].index(">>>")]
    added = [f"{indent}>>> {line}" for line in imports(free_names("\n".join(lines)))]
    return [*lines[:first], *added, *lines[first:]]


def free_names(text: str) -> set[str]:
    """Return the names that examples use before they define them."""
    known, free = {*dir(builtins)}, set()
    for example in doctest.DocTestParser().get_examples(text):
        found = list(ast.walk(ast.parse(example.source)))
        for node in found:
            if isinstance(node, ast.Import | ast.ImportFrom):
                known |= {(a.asname or a.name).partition(".")[0] for a in node.names}
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                known.add(node.id)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
                known.add(node.name or "")
            elif isinstance(node, ast.arg):
                known.add(node.arg)
        free |= {n.id for n in found if isinstance(n, ast.Name)} - known
    return free


def imports(names: set[str]) -> list[str]:
    """Return the lines that import names of ours, and numpy."""
    listed = [name for group in api_groups.groups().values() for name in group]
    homes = {n.rpartition(".")[2]: f"bestofk.{n}".rpartition(".")[0] for n in reversed(listed)}
    of_module: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names - {"np"}):
        of_module[homes[name]].append(name)
    lines = [f"from {home} import {', '.join(found)}" for home, found in sorted(of_module.items())]
    return (["import numpy as np"] if "np" in names else []) + lines


@cache
def makers() -> dict[str, list[str]]:
    """Return the functions and methods that return each class, by its last name."""
    found: dict[str, list[str]] = defaultdict(list)
    names = [name for group in api_groups.groups().values() for name in group]
    classes = api_groups.classes()
    for name in names:
        thing = api_groups.thing(name)
        for full, call in members(name) if inspect.isclass(thing) else [(name, thing)]:
            for word in dict.fromkeys(re.findall(r"\w+", returned(call))):
                if word in classes and not full.startswith(classes[word].partition(".")[2] + "."):
                    found[word].append(full)
    return found


def members(name: str) -> list[tuple[str, object]]:
    """Return the methods that a class itself defines, by their full names."""
    own = {n: getattr(x, "__func__", x) for n, x in vars(api_groups.thing(name)).items()}
    shown = [n for n in own if not n.startswith("_") and not api_groups.INTERNAL.fullmatch(n)]
    return [(f"{name}.{n}", own[n]) for n in shown if inspect.isfunction(own[n])]


def returned(call: object) -> str:
    """Return what a docstring says that a call returns; else its annotation."""
    said = RETURNS.search(inspect.getdoc(call) or "")
    if said:
        return said[1].split("\n")[0]
    return str(getattr(call, "__annotations__", {}).get("return", ""))


def returned_by(name: str) -> str:
    """Return the line that says where objects of a class come from; empty if it is made."""
    calls = makers().get(name.rpartition(".")[2], [])
    links = [f":py:obj:`{short(call)} <bestofk.{call}>`" for call in calls]
    return f"Returned by {', '.join(links)}." if links else ""


def short(call: str) -> str:
    """Return a call as a reader writes it: bk.compare(), Band.at()."""
    return f"bk.{call}()" if call in api_groups.public() else ".".join(call.split(".")[-2:]) + "()"
