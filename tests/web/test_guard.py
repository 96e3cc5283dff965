"""Who may ask: hosts, token, methods, sizes; and the headers of every answer."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bestofk.errors import ArgumentError
from bestofk.web import server
from bestofk.web.server import make_app
from tests.web.conftest import run_async

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)


@pytest.fixture
def ask(shelf):
    testclient = pytest.importorskip("starlette.testclient")

    def client(**options):
        return testclient.TestClient(
            make_app(shelf, **options), base_url="http://127.0.0.1:8765", follow_redirects=False
        )

    return client


@pytest.mark.parametrize(
    "path",
    ["/", "/index.json", "/plan", "/nothing", "/search", "/static/page.js", "/search.json?x=1"],
)
def test_every_answer_has_the_policy(client, path):
    answer = client.get(path)
    assert answer.headers["content-security-policy"] == POLICY
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8765", 200),
        ("localhost", 200),
        ("LOCALHOST:1", 200),
        ("[::1]:8765", 200),
        ("evil.example", 421),
        ("127.0.0.1.evil.example", 421),
        ("127.0.0.1@evil.example", 421),
        ("localhost:80:80", 421),
        ("192.0.2.1", 421),
        ("", 421),
        ("[::1", 200),
        ("[evil]", 421),
    ],
)
def test_only_our_own_names_are_answered(ask, host, status):
    assert ask().get("/plan.json", headers={"host": host}).status_code == status


def test_a_server_on_all_addresses_takes_numbers_but_no_strange_name(ask):
    client = ask(any_address=True, hosts=frozenset({"lab"}))
    for host, status in [("192.0.2.1:8765", 200), ("lab", 200), ("evil.example", 421)]:
        assert client.get("/plan.json", headers={"host": host}).status_code == status


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_it_can_only_be_read(client, method):
    assert client.request(method, "/").status_code == 405


def test_the_token_is_asked_for_once_and_leaves_the_address(ask):
    client = ask(token="right")
    assert client.get("/").status_code == 403
    assert client.get("/?token=wrong").status_code == 403
    assert client.get("/static/page.js").status_code == 403
    assert client.get("/?token=right&token=right").status_code == 403
    answer = client.get("/search?name=a%26b&token=right")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/search?name=a%26b"
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert answer.headers["content-security-policy"] == POLICY
    assert client.get("/").status_code == 200


def test_a_cookie_of_another_server_is_no_help(ask):
    other = ask(token="other")
    cookie = other.get("/?token=other").headers["set-cookie"].partition(";")[0]
    assert ask(token="right").get("/", headers={"cookie": cookie}).status_code == 403
    named = ask(token="right").get("/?token=right").headers["set-cookie"].partition("=")[0]
    forged = ask(token="right").get("/", headers={"cookie": f"{named}=other"})
    assert forged.status_code == 403


def test_programs_may_send_the_token_as_a_header(ask):
    client = ask(token="right")
    assert client.get("/index.json", headers={"authorization": "Bearer right"}).status_code == 200
    assert client.get("/index.json", headers={"authorization": "Bearer no"}).status_code == 403


@pytest.mark.parametrize("path", ["//evil.example/", "/\\\\evil.example", "/\r\nx: y", "/é"])
def test_the_way_in_leads_nowhere_else(shelf, path):
    """Asked without a client, which would tidy up the path."""
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"token=right",
             "headers": [(b"host", b"localhost")]}  # fmt: skip
    run_async(make_app(shelf, token="right")(scope, None, send))
    location = dict(sent[0]["headers"])[b"location"].decode()
    assert sent[0]["status"] == 303
    assert location.startswith("/")
    assert not location.startswith(("//", "/\\"))
    assert location.isprintable()


def test_a_long_address_is_refused(client):
    assert client.get("/search?name=" + "x" * 9000).status_code == 414
    assert client.get("/" + "x" * 300).status_code == 414


def test_without_a_token_only_on_loopback_and_alone(shelf, monkeypatch):
    with pytest.raises(ArgumentError, match="0.0.0.0 can be reached by others and needs a token"):
        server.serve(shelf, host="0.0.0.0", with_token=False)
    monkeypatch.setattr(server, "is_shared", lambda: True)
    with pytest.raises(ArgumentError, match="several users"):
        server.serve(shelf, with_token=False)


def test_a_port_in_use_says_so(shelf):
    import socket

    from bestofk.errors import DataError

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(DataError, match="cannot be listened on.*Try --port 0"):
            server.serve(shelf, port=taken.getsockname()[1])


@pytest.mark.parametrize(("platform", "shared"), [("darwin", True), ("linux", False)])
def test_people_on_a_mac_are_counted_from_501(platform, shared, monkeypatch):
    pwd = pytest.importorskip("pwd", reason="no accounts of POSIX here")
    found = [SimpleNamespace(pw_uid=uid, pw_shell="/bin/zsh") for uid in (0, 501, 502)]
    monkeypatch.setattr(pwd, "getpwall", lambda: found)
    monkeypatch.setattr(server.os, "getuid", lambda: 501)
    monkeypatch.setattr(server.sys, "platform", platform)
    assert server.is_shared() is shared


def test_no_other_program_shares_the_port_on_windows(monkeypatch):
    """SO_REUSEADDR would allow it there."""
    import socket

    asked = []

    class Socket(socket.socket):
        def setsockopt(self, level, option, value):
            asked.append(option)

    monkeypatch.setattr(server.socket, "SO_EXCLUSIVEADDRUSE", -5, raising=False)
    monkeypatch.setattr(server.socket, "socket", Socket)
    server._bind("127.0.0.1", 0).close()
    assert asked == [-5]
