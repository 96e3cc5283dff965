"""Optuna in PostgreSQL: a real server, written by Optuna and by `export`, read back by URL."""

from __future__ import annotations

import json
import traceback

import pytest

import bestofk as bk
from tests.runner.test_postgres import database, server  # noqa: F401
from tests.sources.test_exports import same, search
from tests.sources.test_optuna import random_study, trials_of

optuna = pytest.importorskip("optuna")
pytest.importorskip("psycopg")
SECRET = "s3cr3t"


@pytest.fixture(scope="module")
def url(server):  # noqa: F811
    """The URL of an empty database; the server trusts everybody, so that any password will do."""
    return database(server, "optuna").replace("//bestofk@", f"//bestofk:{SECRET}@")


def test_studies_in_postgresql_come_back_whole(url):
    storage = optuna.storages.RDBStorage(url)
    studies = {name: random_study(storage, name=name) for name in ("a b", "ü")}
    found = bk.read_all(url, by="study")
    assert list(found) == list(studies)
    for name, study in studies.items():
        assert [t.state for t in found[name].trials] == [t["state"] for t in trials_of(study)]
        assert [t.score for t in found[name].trials] == [t.value for t in study.trials]
        assert [t.params for t in found[name].trials] == [t.params for t in study.trials]
    storage.engine.dispose()
    for one in found.values():
        assert SECRET not in repr(one) + json.dumps(bk.check_iid(one).to_dict())


def test_export_to_postgresql_and_back_is_the_identity(url):
    given = search(label="exported")
    bk.export(given, url)
    same(bk.read_all(url, by="study")["exported"], given)
    with pytest.raises(bk.DataError, match="already a study 'exported'") as error:
        bk.export(given, url)
    assert SECRET not in "".join(traceback.format_exception(error.value))


def test_a_database_that_is_not_there_is_told_without_the_password(url):
    missing = url.replace("/optuna", "/missing")
    for call in (lambda: bk.read(missing), lambda: bk.export(search(), missing)):
        with pytest.raises(bk.DataError, match='database "missing" does not exist') as error:
            call()
        shown = "".join(traceback.format_exception(error.value))
        assert SECRET not in shown
        assert "bestofk:***@" in shown
