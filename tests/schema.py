"""Checking the JSON of a result against the schema of its kind in docs/schema."""

from __future__ import annotations

import json
from functools import cache

import jsonschema

from tests.conftest import ROOT


@cache
def schema_of(kind: str) -> jsonschema.Draft202012Validator:
    text = (ROOT / "docs" / "schema" / f"{kind}.json").read_text()
    return jsonschema.Draft202012Validator(json.loads(text))


def validate(plain: dict) -> None:
    """Raise unless a result's dict fits the schema of its kind, and so do the results in it."""
    schema_of(plain["kind"]).validate(plain)
    for value in plain.values():
        for part in value if isinstance(value, list) else [value]:
            for inner in (part, part.get("band")) if isinstance(part, dict) else ():
                if isinstance(inner, dict) and "schema" in inner:
                    validate(inner)
