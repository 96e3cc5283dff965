"""What 0.1.0 called by another name: one table for the comparison here and for CHANGELOG.md."""

from __future__ import annotations

# Fields of results, as JSON, data frames and CSV have them.
FIELDS: dict[str, str] = {}

# Options of the command line.
OPTIONS: dict[str, str] = {}

# Fields that are no longer there, each with the reason.
DROPPED: dict[str, str] = {}
