"""The page of repeats as a person uses it, in headless Chromium."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from tests.browser.conftest import Served
from tests.browser.test_browser import drawn, set_slider

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow


def opened(page):
    """Unfold the controls that are not the most used one."""
    page.evaluate("document.querySelector('.more').open = true")


@pytest.fixture(scope="module")
def expect(chromium):
    from playwright.sync_api import expect

    return expect


@pytest.fixture(scope="module")
def paired(chromium, tmp_path_factory):
    """Two methods that share their seeds, one far ahead."""
    path = tmp_path_factory.mktemp("repeats") / "repeats.csv"
    rng = np.random.default_rng(4)
    rows = [
        f"{method},{seed},{ahead + rng.random():.4f}"
        for ahead, method in enumerate(("plain", "learns"))
        for seed in range(12)
        for _ in range(10)
    ]
    path.write_text("\n".join(["method,seed,score", *rows]))
    server = Served(str(path), "--repeat", "seed", "--by", "method")
    yield server
    server.close()


def test_controls_address_and_back(visit, paired, expect):
    page = visit("/", paired, refused=True)
    drawn(page)
    opened(page)
    verdict, listed = page.locator("#verdict"), page.get_by_label("Budgets (trials)")
    expect(verdict).to_contain_text("learns is ahead of plain")
    set_slider(page, 0.9)
    expect(verdict).to_contain_text("(median over 12 repeats, 90 %)")
    page.get_by_label("Shared seeds").select_option("true")
    expect(verdict).to_contain_text("learns beats plain in more than half of the seeds")
    expect(page.get_by_label("Statistic")).to_be_disabled()
    assert parse_qs(urlsplit(page.url).query)["paired"] == ["true"]
    page.go_back()
    expect(verdict).to_contain_text("learns is ahead of plain")
    expect(page.get_by_label("Shared seeds")).to_have_value("false")
    expect(page.get_by_label("Statistic")).to_be_enabled()
    listed.fill("5, 10")
    listed.press("Enter")
    expect(verdict).to_contain_text("If these budgets were chosen before anybody looked")
    listed.fill("50")
    listed.press("Enter")
    expect(page.locator("#problem")).to_contain_text("at most 10 trials; got 50")
    listed.fill("")
    listed.press("Enter")
    expect(page.locator("#problem")).to_be_hidden()
    page.get_by_label("plain", exact=True).uncheck()
    expect(verdict).to_contain_text("Median best after 10 trials")
    page.get_by_label("learns", exact=True).uncheck()
    expect(page.locator("#problem")).to_contain_text("tick one method or more below")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_telephone_shows_it_without_scrolling_sideways(visit, paired, scheme):
    page = visit("/", paired, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    drawn(page)
    opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
