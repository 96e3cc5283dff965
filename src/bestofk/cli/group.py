"""The commands in groups, and those that other packages add.

A package adds a command by an entry point in the group ``bestofk.commands``.  They are looked up
only for ``--help`` and for a command that is not our own, so that the others start as fast.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperGroup

from bestofk.errors import ArgumentError, BestofkError

COMMANDS = "bestofk.commands"
SECTIONS = {
    "Analyse": (
        "curve",
        "compare",
        "passk",
        "repeats",
        "importance",
        "check",
        "plan",
        "power",
        "more-trials",
        "plan-attempts",
        "plan-repeats",
        "study",
    ),
    "Run": ("search", "resume", "status", "list", "export", "merge", "remove"),
    "Show": ("demo", "report", "serve"),
}
_LAST = "Reproduce"  # and whatever else packages add
_ELSEWHERE = {
    "reproduce": "`bestofk reproduce` comes with a checkout of bestofk: pip install ./reproduction"
}


class Program(TyperGroup):
    """Our own commands and those of other packages."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return one of our commands, or one that a package adds."""
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        for entry in _added():
            if entry.name == cmd_name:
                return _load(entry)
        if cmd_name in _ELSEWHERE:
            raise ArgumentError(_ELSEWHERE[cmd_name])
        return None

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names, in the order of the help."""
        ours = [name for names in SECTIONS.values() for name in names]
        return [*ours, *sorted({entry.name for entry in _added()} - {*ours})]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the summaries of the commands, a section for each group."""
        names = self.list_commands(ctx)
        ours = {name for group in SECTIONS.values() for name in group}
        sections = SECTIONS | {_LAST: tuple(name for name in names if name not in ours)}
        room = formatter.width - 6 - max(map(len, names))
        for title, group in sections.items():
            rows = [(n, self.get_command(ctx, n).get_short_help_str(room)) for n in group]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def _added() -> list[EntryPoint]:
    return list(entry_points(group=COMMANDS))


def _load(entry: EntryPoint) -> Any:
    """Return what an entry point names, a function, as a command.

    One that cannot be loaded says so when it is called, so that the help shows the others.
    """
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    settings: dict[str, Any] = {"help_option_names": ["--help", "-h"]}
    try:
        function = entry.load()
    except (ImportError, AttributeError) as error:
        why = f"the command {entry.name!r}, which a package adds, cannot be loaded: {error}."
        function = _refusing(why)
        settings = {
            "help_option_names": [],
            "ignore_unknown_options": True,
            "allow_extra_args": True,
        }
    app.command(name=entry.name, context_settings=settings)(function)
    return typer.main.get_command(app)


def _refusing(why: str) -> Callable[[], None]:
    def refuse() -> None:
        """Cannot be loaded; call it to see why."""
        raise BestofkError(why)

    return refuse
