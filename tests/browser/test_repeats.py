"""The page of repeats as a person uses it, in headless Chromium."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from tests.browser.conftest import Served
from tests.browser.hands import drawn, set_slider

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow


def opened(page):
    """Unfold the controls that are not the most used one."""
    page.evaluate("document.querySelector('.more').open = true")


@pytest.fixture(scope="module")
def paired(chromium, tmp_path_factory):
    """Two methods that share their seeds, one far ahead."""
    path = tmp_path_factory.mktemp("repeats") / "repeats.csv"
    rng = np.random.default_rng(4)
    rows = [
        f"{method},{seed},{ahead + rng.random():.4f},{1 + rng.random():.3f}"
        for ahead, method in enumerate(("plain", "learns"))
        for seed in range(12)
        for _ in range(10)
    ]
    path.write_text("\n".join(["method,seed,score,hours", *rows]))
    server = Served(str(path), "--repeat", "seed", "--by", "method", "--cost", "hours")
    yield server
    server.close()


def test_controls_address_and_back(visit, paired, expect):
    page = visit("/", paired, refused=True)
    drawn(page)
    opened(page)
    verdict, listed = page.locator("#verdict"), page.get_by_label("Budgets", exact=True)
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
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


def test_budgets_may_be_total_costs(visit, paired, expect):
    page = visit("/", paired, refused=True)
    drawn(page)
    opened(page)
    listed = page.get_by_label("Budgets", exact=True)
    expect(page.locator("#caveats")).to_contain_text("“Shared seeds: compare seed by seed”")
    page.get_by_label("Budget in").select_option("cost")
    expect(page.locator("#problem")).to_contain_text("“Budget in: total cost” needs a list")
    listed.fill("4.5, 9")
    listed.press("Enter")
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#table tbody th")).to_have_text(["4.5", "9"])
    assert parse_qs(urlsplit(page.url).query)["axis"] == ["cost"]
    page.get_by_label("Budget in").select_option("trials")
    expect(listed).to_have_value("")  # costs are no numbers of trials
    expect(page.locator("#table tbody th").last).to_have_text("10")
