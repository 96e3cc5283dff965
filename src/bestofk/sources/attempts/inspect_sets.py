"""Several logs of inspect_ai in a folder: which are runs of one evaluation, and which are not.

A log belongs to a model and a task.  Logs with the same ``task_id`` are retries, and the one that
succeeded keeps the samples that the others had finished (inspect_ai/log/_retry.py).  Logs of one
model and task that were run separately, alike in all settings, over the same samples and to the
end, are further attempts: epochs of one after epochs of the other, in the order of their creation.
Anything else is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk.errors import DataError
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.files.table import Table

# What must be alike in two logs for their epochs to be attempts of one kind.
_SETTINGS = ("task_version", "task_args", "solver", "solver_args", "model_args",
             "model_generate_config", "model_base_url", "model_roles", "sandbox")  # fmt: skip
_LIMITS = ("message_limit", "token_limit", "time_limit", "working_limit", "cost_limit")


@dataclass(frozen=True, kw_only=True)
class Log:
    """One log: its name, what its header says, and the attempts in it."""

    name: str
    about: Mapping[str, Any]  # the `eval` of its header
    plan: Any  # its solvers, with what they generate by
    status: str
    found: Recorded

    @property
    def run(self) -> tuple[str, str]:
        """The model and the task."""
        return str(self.about.get("model")), str(self.about.get("task"))

    @property
    def created(self) -> str:
        """When it was begun, as text that sorts."""
        return str(self.about.get("created") or "")

    @property
    def settings(self) -> dict[str, Any]:
        """What the attempts were made with."""
        config = self.about.get("config")
        limits = config if isinstance(config, dict) else {}
        return {
            **{name: self.about.get(name) or None for name in _SETTINGS},
            **{name: limits.get(name) for name in _LIMITS},
            "plan": self.plan or None,
        }

    @property
    def problems(self) -> set[str]:
        """The samples that it has."""
        return set(map(str, self.found.table.columns["id"]))


def joined(logs: Iterable[Log]) -> list[Recorded]:
    """Return the attempts of each model at each task."""
    ordered = sorted(logs, key=lambda log: (log.run, log.created, log.name))
    tasks = {log.run[1] for log in ordered}
    found = []
    for (model, task), runs in groupby(ordered, key=lambda log: log.run):
        whole = _one(_finished(list(runs)))
        several = len(tasks) > 1
        found.append(replace(whole, method=f"{model} on {task}") if several else whole)
    return found


def _finished(logs: Sequence[Log]) -> list[Log]:
    """Return one log of each run, which stands for those that it retried."""
    kept = []
    for log in logs:
        number = log.about.get("task_id")
        others = [o for o in logs if o is not log and number and o.about.get("task_id") == number]
        twin = next((o for o in others if o.about.get("eval_id") == log.about.get("eval_id")), None)
        if twin is not None:
            raise _unclear(log, twin, "are one log twice")
        ended = [o for o in (log, *others) if o.status == "success"]
        if others and len(ended) != 1:
            raise _unclear(log, others[0], f"are tries of one run, of which {len(ended)} succeeded")
        if not others or log.status == "success":
            kept.append(_with_note(log, len(others)))
    return kept


def _with_note(log: Log, retried: int) -> Log:
    if not retried:
        return log
    logs = "1 log of the same run" if retried == 1 else f"{retried} logs of the same run"
    text = f"{log.name} retried {logs}, which it stands for"
    return replace(log, found=_noted(log.found, Caveat(kind="retried-log", text=text)))


def _one(logs: Sequence[Log]) -> Recorded:
    """Return the attempts of logs that are of one model and task."""
    first, *others = logs
    if not others:
        return first.found
    for other in others:
        for log in (first, other):
            if log.status != "success":
                raise _unclear(first, other, f"differ: {log.name} ended as {log.status[:40]!r}")
        theirs = other.settings
        for name, value in first.settings.items():
            if value != theirs[name]:
                raise _unclear(first, other, f"differ in `{name}`")
        if first.problems != other.problems:
            raise _unclear(first, other, "tried other samples")
        if first.found.table.columns.keys() != other.found.table.columns.keys():
            raise _unclear(first, other, "have other scorers")
    columns: dict[str, list[Any]] = {name: [] for name in first.found.table.columns}
    epochs: list[int] = []
    for log in logs:
        held = log.found.table.columns
        if not all(type(epoch) is int for epoch in held["epoch"]):
            raise DataError(f"{log.name}: an epoch must be a whole number; one is not.")
        before = sum(epochs)
        for name, column in held.items():
            columns[name] += [before + e for e in column] if name == "epoch" else list(column)
        epochs.append(max(held["epoch"]))
    text = (
        f"{len(logs)} logs of {first.run[0]} on {first.run[1]} are joined, "
        f"{' + '.join(map(str, epochs))} epochs, as attempts made in one way"
    )
    note = Caveat(kind="joined-logs", text=text, validity="assumed")
    caveats = dict.fromkeys(c for log in logs for c in log.found.table.caveats)
    table = Table(
        columns, f"{len(logs)} logs", label=first.found.table.label, caveats=[*caveats, note]
    )
    every = [log.found.roles for log in logs]
    roles = {role: name for role, name in every[0].items() if all(role in r for r in every)}
    return replace(first.found, table=table, roles=roles)


def _noted(found: Recorded, note: Caveat) -> Recorded:
    table = replace(found.table, caveats=[*found.table.caveats, note])
    return replace(found, table=table)


def _unclear(one: Log, other: Log, why: str) -> DataError:
    return DataError(
        f"{one.name} and {other.name} are of one model and task, but {why}: how they belong "
        "together is not clear. Name the one that counts, or both to compare them."
    )
