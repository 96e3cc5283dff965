"""The trials of a search as a person looks at them: sorted, filtered, opened, asked about."""

from __future__ import annotations

import sys
from urllib.parse import parse_qs, urlsplit

import pytest

import bestofk as bk
from tests.browser.conftest import Served
from tests.browser.hands import numbers_there

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow


def test_trials_can_be_sorted_and_filtered(visit, folder, expect):
    page = visit("/search?name=cnn")
    head = page.locator("#trials").get_by_role("button", name="accuracy")
    head.click()
    head.click()
    column = page.get_by_role("columnheader", name="accuracy")
    expect(column).to_have_attribute("aria-sort", "descending")
    best = max(bk.read(f"sqlite:///{folder}/runs.db", name="cnn").trials, key=lambda t: t.score)
    expect(page.locator("#trials tbody th").first).to_have_text(str(best.number))
    page.get_by_label("Show trials that contain").fill("<i>a</i>")
    shown = page.locator("#trials tbody tr:visible")
    expect(page.locator("#filtered")).to_have_text(f"{shown.count()} shown")
    assert 0 < shown.count() < 30


def test_scatter_and_downloads(visit, expect):
    page = visit("/search?name=cnn&confidence=0.8")
    page.locator("#scatter[data-drawn]").wait_for()
    points = page.locator("#scatter .on-wide [data-part=line]")
    assert 25 <= points.get_attribute("d").count("M") <= 30  # those of one pixel may be one
    page.locator("#param").select_option("<b>kind")
    expect(page.locator("#scatter .on-wide [data-part=x-tick]")).to_have_text(["<i>a</i>", "b"])
    assert 20 <= points.get_attribute("d").count("M") <= 30
    assert parse_qs(urlsplit(page.url).query)["param"] == ["<b>kind"]
    page.reload()
    expect(page.locator("#scatter .on-wide [data-part=x-tick]")).to_have_text(["<i>a</i>", "b"])
    expect(page.locator("#param")).to_have_value("<b>kind")
    page.locator("main[aria-busy=false]").wait_for()
    for kind in ("SVG", "CSV", "LaTeX"):
        link = page.locator(".downloads a", has_text=kind)
        assert "confidence=0.8" in link.get_attribute("href")
        with page.expect_download() as found:
            link.click()
        assert found.value.suggested_filename.startswith("search-cnn.")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="copy LaTeX table").click()
    expect(page.locator("#copied")).to_have_text("copied")


def test_a_trials_row_opens_what_is_stored_of_it(visit, folder, expect):
    page = visit("/search?name=cnn")
    numbers_there(page)
    search = bk.read(f"sqlite:///{folder}/runs.db", name="cnn")
    link = page.locator("#trials tbody th a").nth(4)
    expect(link).to_have_attribute("aria-expanded", "false")
    link.click()
    opened = page.locator("#trials tr.opened")
    expect(opened).to_contain_text(f"{search.trials[4].params['x']:.4g}")
    expect(opened).to_contain_text("duration")
    expect(link).to_have_attribute("aria-expanded", "true")
    assert page.url.split("?")[0].endswith("/search")
    opened.get_by_role("link", name="the trial on a page of its own").click()
    expect(page.locator("h1")).to_have_text("cnn, trial 4")
    page.go_back()
    page.locator("#trials tbody th a").nth(4).click()
    expect(opened).to_have_count(1)
    page.get_by_role("button", name="accuracy").click()  # a table that is sorted is closed
    expect(opened).to_have_count(0)


def test_a_question_is_answered_when_it_is_opened(visit, folder, expect):
    page = visit("/search?name=cnn")
    numbers_there(page)
    search = bk.read(f"sqlite:///{folder}/runs.db", name="cnn")
    place = page.locator(".ask[data-about=more]")
    place.locator("summary").click()
    expect(place.locator(".verdict")).to_have_text(bk.more_trials(search, search.n).verdict)
    expect(place.locator("tbody tr").first).to_be_visible()
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


def test_a_failed_trial_opens_with_the_end_of_what_it_said(visit, tmp_path, expect):
    code = "import sys; sys.exit('out of memory at step 7' if {x} > 0.5 else print({x}))"
    space = {"x": bk.space.uniform(0, 1)}
    store = f"sqlite:///{tmp_path}/runs.db"
    search = bk.run_search(
        [sys.executable, "-c", code], space, n_trials=8, seed=0, name="cnn", store=store,
        score="accuracy", score_pattern=r"([0-9.]+)", n_workers=1, folder=tmp_path, bounds=(0, 1),
        keep_going=True,
    )  # fmt: skip
    failed = next(t.number for t in search.trials if t.state == "failed")
    server = Served(store)
    try:
        page = visit("/search?name=cnn&failed=worst", server)
        numbers_there(page)
        page.locator("#trials tbody th a").nth(failed).click()
        opened = page.locator("#trials tr.opened")
        expect(opened.locator("pre")).to_contain_text("out of memory at step 7")
        expect(opened).to_contain_text("failed")
        page.locator("#trials tbody th a").nth(failed).click()
        expect(opened).to_have_count(0)
        page.close()
    finally:
        server.close()
