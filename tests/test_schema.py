"""The JSON of results has a schema per kind, and a changed field changes its number."""

from __future__ import annotations

import copy
import hashlib
import json
import sys

import jsonschema
import pytest

import bestofk as bk
from tests.conftest import ROOT
from tests.schema import schema_of, validate

NUMBERS = ROOT / "tests" / "schema_numbers.json"


@pytest.fixture(scope="module")
def made():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import make_schema
    finally:
        sys.path.pop(0)
    return {
        name.removesuffix(".json"): json.loads(text) for name, text in make_schema.texts().items()
    }


def fields_of(schema: dict) -> str:
    """Return a digest of the names and types of all fields."""
    plain = copy.deepcopy({k: schema[k] for k in ("properties", "required")})
    del plain["properties"]["schema"]
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()[:16]


def test_the_files_are_those_that_the_results_declare(made):
    stored = {p.stem: json.loads(p.read_text()) for p in (ROOT / "docs" / "schema").glob("*.json")}
    assert stored == made


def test_a_changed_field_changes_the_number(made):
    """If this fails, give the result class `schema = N + 1` and add its line to the file."""
    recorded = json.loads(NUMBERS.read_text())
    now = {f"{kind} {s['properties']['schema']['const']}": fields_of(s) for kind, s in made.items()}
    assert {key: recorded.get(key) for key in now} == now


def test_what_does_not_fit_is_refused():
    plain = bk.tuning_band([1.0, 2.0, 3.0]).to_dict()
    validate(plain)
    for change in ({"budget": ["x"]}, {"confidence": "95 %"}, {"colour": "red"}, {"schema": 0}):
        with pytest.raises(jsonschema.ValidationError):
            schema_of("band").validate({**plain, **change})
    del plain["reach"]
    with pytest.raises(jsonschema.ValidationError):
        schema_of("band").validate(plain)


def test_bands_and_curves_sum_up_and_answers_give_a_verdict(made):
    said = {kind: {"summary", "verdict"} & set(s["properties"]) for kind, s in made.items()}
    assert not [kind for kind, words in said.items() if len(words) > 1]
    for kind in made:
        shape = kind.endswith(("band", "bounds", "curve"))
        assert said[kind] <= ({"summary"} if shape else {"summary", "verdict"}), kind
    answers = ("comparison", "plan", "power", "importance", "importance-table", "more-trials")
    assert all(said[k] == {"verdict"} for k in made if k.endswith(answers))
