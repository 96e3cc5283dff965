"""docs/architecture.md names files that exist and every package there is."""

from __future__ import annotations

import re

from tests import test_layers
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text()
NAMED = re.findall(r"`((?:src|tools|tests|reproduction)/[\w./-]+)`", PAGE)


def test_every_file_it_names_exists():
    assert len(NAMED) > 40
    assert [name for name in NAMED if not (ROOT / name).exists()] == []


def test_it_says_where_to_change_at_least_25_things():
    table = PAGE[PAGE.index("## Where do I change") : PAGE.index("## Decisions")]
    rows = [row for row in table.splitlines() if row.startswith("| ") and "`" in row]
    assert len(rows) >= 25
    for thing in (
        "the race",
        "the store's lock",
        "Optuna reader",
        "critical level",
        "compare page",
    ):
        assert thing in table


def test_every_package_is_named():
    root = test_layers.PACKAGE
    packages = [p.parent.relative_to(root).as_posix() for p in root.rglob("__init__.py")]
    named = {p for p in packages if p in (".", "_base/chart") or f"`{p}/`" in PAGE}
    assert set(packages) == named


def test_its_layers_are_those_that_imports_keep():
    table = PAGE[PAGE.index("## Layers") : PAGE.index("## Where do I change")]
    rows = [row.split("|")[3] for row in table.splitlines() if re.match(r"\| \d", row)]
    named = [
        {re.sub(r"(\.py|/)$", "", name) for name in re.findall(r"`([\w.]+/?)`", row)}
        for row in rows
    ]
    kept = [set(layer) - {"_version", "__main__"} for layer in test_layers.LAYERS]
    assert named == [layer for layer in kept if layer]
