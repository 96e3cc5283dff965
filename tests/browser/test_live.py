"""A running search ticks on the page without a reload."""

from __future__ import annotations

import pytest

import bestofk as bk
from tests.browser.conftest import Served
from tests.browser.hands import CHART, begin_slow_search

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow


@pytest.fixture
def store(tmp_path):
    return f"sqlite:///{tmp_path}/live.db"


@pytest.fixture
def server(tmp_path, store):
    """The page of a search that waits for a file called `go`."""
    search, server = begin_slow_search(tmp_path, store), None
    try:
        server = Served(store)
        yield server
    finally:
        search.terminate()
        search.wait(120)
        if server is not None:
            server.close()


def test_a_running_search_is_followed_without_reload(visit, tmp_path, store, server, expect):
    page = visit("/live?name=live", server)
    expect(page.locator("#state")).to_have_text("running")
    expect(page.locator("#ended")).to_have_text("15")
    expect(page.locator("#verdict")).to_contain_text("10 used in 1 look")
    page.locator(CHART).wait_for()
    loads = []
    page.on("load", lambda _: loads.append(1))
    (tmp_path / "go").touch()
    expect(page.locator("#ended")).to_have_text("40")
    expect(page.locator("#state")).to_have_text("not running")
    monitor = bk.Monitor(confidence=0.95, methods=["live"], horizon=40)
    monitor.update({"live": bk.read(store, name="live")})
    expect(page.locator("#verdict")).to_contain_text(monitor.status().summary)
    expect(page.locator("#verdict")).to_contain_text("match or beat the best so far")
    assert loads == []
    page.close()


def test_the_first_page_ticks_while_a_search_runs(visit, tmp_path, server, expect):
    page = visit("/", server)
    card = page.locator(".card")
    expect(card).to_contain_text("15 of 40 trials")
    expect(card).to_contain_text("running: watch")
    card.get_by_role("link").focus()
    loads = []
    page.on("load", lambda _: loads.append(1))
    (tmp_path / "go").touch()
    expect(card).to_contain_text("40 of 40 trials; ended")
    expect(card.locator("svg")).to_be_visible()
    expect(card.locator("progress")).to_have_count(0)
    assert loads == []
    page.close()
