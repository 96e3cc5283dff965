"""Formats that are known by their shape: which tool wrote an object, a record or a table.

Only the names in it are looked at, so that nothing is believed and nothing heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Literal, TypeAlias

from bestofk.errors import DataError, marked

Kind: TypeAlias = Literal[
    "evalplus", "inspect_ai", "tau-bench", "tau2-bench", "LiveCodeBench", "SWE-bench", "HumanEval"
]
_STATUS = ("base_status", "base")  # of evalplus since 0.2, and before


def of_object(held: Mapping[str, Any]) -> Kind | None:
    """Return the tool that wrote a JSON object, None if none is known by its names."""
    if isinstance(held.get("resolved_ids"), list) and (
        {"submitted_ids", "completed_ids", "unresolved_ids"} & held.keys()
    ):
        return "SWE-bench"
    runs = held.get("simulations", held.get("simulation_index"))
    if "tasks" in held and (isinstance(runs, list) or {"info", "simulation_index"} <= held.keys()):
        return "tau2-bench"
    evaluated = held.get("eval")
    if not isinstance(evaluated, dict):
        return None
    if {"task", "model"} <= evaluated.keys() and "version" in held:
        return "inspect_ai"
    first = next(iter(evaluated.values()), None)
    inner = first[0] if isinstance(first, list) and first else first
    if isinstance(inner, dict) and any(name in inner for name in _STATUS):
        return "evalplus"
    return None


def of_record(first: Mapping[str, Any]) -> Kind | None:
    """Return the tool that wrote an array of which this is the first record."""
    if {"question_id", "graded_list"} <= first.keys():
        return "LiveCodeBench"
    if {"task_id", "reward", "trial"} <= first.keys() and {"info", "traj"} & first.keys():
        return "tau-bench"
    return None


def of_columns(names: Collection[str]) -> Kind | None:
    """Return the tool that wrote JSON lines with these names."""
    if {"task_id", "passed"} <= set(names) and {"completion", "solution", "result"} & set(names):
        return "HumanEval"
    return None


def refuse_search(kind: Kind | None, source: str) -> None:
    """Refuse to read what a tool recorded of attempts as one search."""
    if kind is not None:
        way = marked(
            f'Use: bk.read_attempts("{source}")',
            f"Use: bestofk passk {source}",
            f"Use: bestofk passk {source}",
        )
        raise DataError(
            f"{source} holds attempts at problems as {kind} records them, not one search. {way}"
        )
