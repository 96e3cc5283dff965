"""A server that goes away, played: the driver connects again, takes its lock and goes on."""

from __future__ import annotations

import pytest

import bestofk as bk
from bestofk.runner.store import server
from bestofk.runner.store.ledger import Ledger


class Played:
    """A connection that is lost at the first use; the next one may not be had at once."""

    def __init__(self, ledger, refusals):
        self.ledger, self.refusals = ledger, refusals
        self.connection, self.connect = ledger.connection, ledger.engine.connect
        self.lost = False

    def execute(self, *given):
        import sqlalchemy as sa

        self.lost = True
        error = sa.exc.OperationalError("", {}, Exception("terminating connection"))
        error.connection_invalidated = True
        raise error

    def connect_again(self):
        import sqlalchemy as sa

        if self.refusals:
            self.refusals -= 1
            raise sa.exc.OperationalError("", {}, Exception("connection refused"))
        return self.connect()

    def close(self):
        pass

    rollback = close


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Return a driver's ledger that takes its store for a server which goes away."""
    monkeypatch.setattr(server, "_FIRST_PAUSE", 0.001)
    monkeypatch.setattr(server, "PATIENCE", 0.3)
    opened = []

    def played(refusals):
        ledger = Ledger(f"sqlite:///{tmp_path}/runs.db", create=True)
        opened.append((ledger, ledger.path))
        fake = Played(ledger, refusals)
        monkeypatch.setattr(ledger.engine, "connect", fake.connect_again)
        ledger.connection.close()
        ledger.connection, ledger.path, ledger._watched = fake, None, None
        return ledger, fake

    yield played
    for ledger, path in opened:
        ledger.path = path
        ledger.close()


def test_it_connects_again_takes_its_lock_and_repeats_the_statement(play):
    ledger, fake = play(refusals=3)
    taken = []
    ledger.on_return.append(lambda: taken.append(True))
    assert ledger.searches() == []
    assert fake.lost
    assert fake.refusals == 0
    assert taken == [True]


def test_it_gives_up_after_its_time_with_one_sentence(play):
    ledger, _ = play(refusals=10**9)
    with pytest.raises(bk.DataError, match="cannot be used: connection refused"):
        ledger.searches()


def test_it_gives_up_at_once_when_the_user_does(play):
    ledger, fake = play(refusals=10**9)
    ledger.given_up = lambda: True
    with pytest.raises(bk.DataError, match="terminating connection"):
        ledger.searches()
    assert fake.refusals == 10**9


def test_a_lock_that_another_driver_has_taken_stops_the_search(play):
    ledger, _ = play(refusals=0)

    def taken():
        raise bk.DataError("search 'cnn' is being run by another process.")

    ledger.on_return.append(taken)
    with pytest.raises(bk.DataError, match="is being run by another process"):
        ledger.searches()


def test_a_reader_does_not_wait(play):
    ledger, fake = play(refusals=0)
    ledger._writing = False
    with pytest.raises(bk.DataError, match="terminating connection"):
        ledger.searches()
    assert fake.lost
