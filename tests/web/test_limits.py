"""The page under too many readers, unfinished requests and spreadsheets."""

from __future__ import annotations

import csv
import gzip
import io
import socket
import threading
import time

import pytest

from bestofk.web import server
from bestofk.web.shelf import Shelf

uvicorn = pytest.importorskip("uvicorn")
TestClient = pytest.importorskip("starlette.testclient").TestClient
from bestofk.web import connection, events  # noqa: E402  they need the web extra

FORMULAS = ["=HYPERLINK(1)", "+1+1", "-cmd|' /C calc'!A0", "@SUM(1)", "\tx", "\r=1"]


def test_over_the_stream_limit_a_reader_is_told_to_come_back(client, monkeypatch):
    monkeypatch.setattr(events, "MOST_STREAMS", 0)
    answer = client.get("/live/events", params={"name": "cnn"})
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "30"
    assert answer.text == "at most 0 live views can be open at a time. Close one of them.\n"


@pytest.fixture
def running(shelf, monkeypatch):
    monkeypatch.setattr(connection, "PATIENCE", 0.3)
    bound = server._bind("127.0.0.1", 0)
    app = server.make_app(shelf)
    serving = uvicorn.Server(server.settings(app))
    thread = threading.Thread(target=serving.run, kwargs={"sockets": [bound]})
    thread.start()
    yield bound.getsockname()[1]
    serving.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


def closed_within(connected: socket.socket, seconds: float) -> bool:
    connected.settimeout(seconds)
    try:
        while connected.recv(65536):
            pass
    except TimeoutError:
        return False
    except ConnectionError:  # how Windows may tell of the end
        return True
    return True


@pytest.mark.parametrize(
    "half", [b"", b"GET /index.json HTTP/1.1\r\n", b"GET /index.json HTTP/1.1\r\nHost: 127.0.0.1\r"]
)
def test_a_request_that_never_ends_is_closed(running, half):
    with socket.create_connection(("127.0.0.1", running)) as connected:
        connected.sendall(half)
        assert closed_within(connected, 10)


def test_a_request_that_drips_is_closed(running):
    with socket.create_connection(("127.0.0.1", running)) as connected:
        end = time.monotonic() + 10
        with pytest.raises(OSError):
            while time.monotonic() < end:
                connected.sendall(b"X")
                time.sleep(0.05)


def test_a_whole_request_is_answered_and_a_stream_stays_open(running):
    ask = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with socket.create_connection(("127.0.0.1", running)) as connected:
        connected.sendall(ask % b"/index.json")
        assert connected.recv(15) == b"HTTP/1.1 200 OK"
    with socket.create_connection(("127.0.0.1", running)) as connected:
        connected.sendall(ask % b"/live/events?name=cnn")
        assert not closed_within(connected, 1.0)  # three times the patience


def test_formulas_in_a_downloaded_table_are_text(tmp_path):
    rows = "".join(f'"{name}",{score}\n' for name in FORMULAS for score in (-1.5, 2, 3, 4, 5))
    (tmp_path / "runs.csv").write_text("method,score\n" + rows)
    shelf = Shelf([str(tmp_path / "runs.csv")], {"score": "score", "by": "method"})
    names = list(shelf.records())
    with TestClient(server.make_app(shelf), base_url="http://127.0.0.1") as client:
        answer = client.get("/compare.csv", params=[("name", n) for n in names])
        assert answer.status_code == 200, answer.text
    cells = [c for row in csv.reader(io.StringIO(answer.text, newline="")) for c in row]
    texts = [c for c in cells if not _is_number(c)]
    assert any(c.startswith("'=HYPERLINK") for c in texts)
    assert not [c for c in texts if c[:1] in ("=", "+", "-", "@", "\t", "\r")]
    assert "-1.5" in cells  # a number stays a number


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_answers_are_compressed_for_who_takes_it(client):
    plain = client.get("/static/figures.js", headers={"accept-encoding": "identity"})
    small = client.get("/static/figures.js", headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in plain.headers
    assert small.headers["content-encoding"] == "gzip"
    assert small.headers["vary"].lower() == "accept-encoding"
    assert small.content == plain.content
    assert int(small.headers["content-length"]) < len(plain.content) / 2
    page = client.get("/search.json?name=cnn", headers={"accept-encoding": "gzip"})
    assert page.headers["content-encoding"] == "gzip"
    assert len(gzip.compress(page.content)) < len(page.content)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5"])
def test_a_page_that_others_can_reach_says_so(host):
    said = server.exposure(host)
    assert host in said
    assert "plain HTTP" in said
    assert "ssh -L" in said
    assert "\n" not in said


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
def test_a_page_on_this_machine_says_nothing(host):
    assert server.exposure(host) == ""
