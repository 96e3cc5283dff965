"""Pages for everybody: screen readers, keyboards, phones, projectors, paper."""

from __future__ import annotations

import pytest

from tests.browser.conftest import Served
from tests.browser.hands import drawn, more, settled

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow

PAGES = [
    "/",
    "/search?name=cnn&open=more,importance,iid",
    "/compare",
    "/compare?name=cnn&name=svm&open=power",
    "/trial?name=cnn&trial=3",
    "/ask?name=cnn&name=svm&about=power",
    "/plan",
    "/live?name=cnn",
]
REFUSED = ["/search?name=nobody", "/search?name=cnn&confidence=7"]
PROJECTOR = {"width": 1920, "height": 1080}


def violations(page):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page)
    return found.generate_report() if found.violations_count else ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
def test_nothing_is_in_the_way_of_a_screen_reader(visit, expect, path, scheme):
    page = visit(path, color_scheme=scheme)
    if page.locator(".more").count():
        drawn(page)
        settled(page)
        more(page)
    for place in page.locator(".ask[open]").all():
        expect(place.locator(".reply .verdict")).to_be_visible()
    assert violations(page) == ""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", REFUSED)
def test_nor_on_a_page_that_says_why_not(visit, path, scheme):
    page = visit(path, color_scheme=scheme, refused=True)
    assert page.locator("[role=alert]").is_visible()
    assert violations(page) == ""


@pytest.fixture(scope="module")
def failing(chromium, tmp_path_factory):
    """Two tables, one with a failed trial."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "f.csv").write_text("acc,lr\n" + "0.5,1\n0.7,2\n" * 9 + '"",3\n')
    (folder / "g.csv").write_text("acc,lr\n" + "0.6,1\n0.8,2\n" * 9)
    server = Served(
        str(folder / "f.csv"), str(folder / "g.csv"), "--score", "acc", "--bounds", "0,1"
    )
    yield server
    server.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_failed_trials_have_a_way_out_on_every_page(visit, failing, expect, scheme):
    page = visit("/", failing, color_scheme=scheme, refused=True)
    assert violations(page) == ""
    page.get_by_role("link", name="f", exact=True).click()
    expect(page.locator("[role=alert]")).to_contain_text("Choose “Failed: count as worst”")
    assert violations(page) == ""
    page.get_by_role("link", name="counted as the worst score").click()
    expect(page.locator("#verdict")).to_contain_text("edian best of")
    page.go_back()
    page.go_back()
    page.get_by_role("link", name="Count them as the worst score").click()
    expect(page.locator(".card svg")).to_have_count(2)
    page.get_by_role("link", name="f", exact=True).click()
    expect(page.locator("#verdict")).to_contain_text("edian best of")
    expect(page.locator("[name=failed]")).to_have_value("worst")


def test_the_keyboard_reaches_everything(visit):
    page = visit("/search?name=cnn")
    drawn(page)
    page.evaluate("document.querySelector('.more').open = true")
    page.keyboard.press("Tab")
    assert page.locator(":focus").text_content() == "Skip to the content"
    seen = set()
    for _ in range(80):
        page.keyboard.press("Tab")
        focus = page.locator(":focus")
        if focus.count():
            seen.add(focus.get_attribute("name") or focus.get_attribute("id") or "")
    assert {"confidence", "statistic", "band", "direction", "low", "high", "log_x", "copy",
            "param", "filter", "chart", "history", "scatter", "cdf"} <= seen  # fmt: skip


def test_a_phone_needs_no_sideways_scrolling(visit):
    page = visit("/search?name=cnn", viewport={"width": 360, "height": 740})
    drawn(page)
    body = page.locator("main").bounding_box()
    assert body["width"] <= 360
    assert page.locator("#chart").bounding_box()["width"] <= 360
    assert page.locator("header").bounding_box()["width"] <= 360


def test_a_projector_has_larger_letters_and_all_that_is_used_on_one_screen(visit):
    sizes = {}
    for width, height in ((1280, 800), (1920, 1080)):
        page = visit("/search?name=cnn", viewport={"width": width, "height": height})
        drawn(page)
        sizes[width] = page.evaluate("parseFloat(getComputedStyle(document.body).fontSize)")
        slider = page.locator("[name=confidence]").bounding_box()
        assert slider["y"] + slider["height"] <= height
    assert sizes == {1280: 16, 1920: 18}


@pytest.mark.parametrize("size", [{"width": 390, "height": 844}, PROJECTOR])
@pytest.mark.parametrize("path", [*PAGES, *REFUSED])
def test_no_page_scrolls_sideways(visit, expect, path, size):
    page = visit(path, viewport=size, refused=path in REFUSED)
    for place in page.locator(".ask[open]").all():
        expect(place.locator(".reply .verdict")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_on_paper_are_words_figures_and_tables_in_black_on_white(visit, expect):
    path = "/compare?name=cnn&name=svm&open=power"
    page = visit(path, color_scheme="dark", viewport={"width": 390, "height": 844})
    drawn(page)
    expect(page.locator(".reply .verdict")).to_be_visible()
    ink = (
        "[document.body, document.querySelector('#verdict')].map((e) => getComputedStyle(e).color)"
    )
    dark = page.evaluate(ink)
    page.emulate_media(media="print")
    paper = page.evaluate(ink)
    assert paper == ["rgb(27, 31, 36)"] * 2 != dark
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for shown in ("#verdict", "#chart .on-wide svg", "#table", "#caveats", ".reply .verdict"):
        expect(page.locator(shown).first).to_be_visible()
    for hidden in (
        "header",
        "#controls",
        "#names",
        ".downloads",
        "#chart .on-narrow svg",
        "#budget",
    ):
        expect(page.locator(hidden).first).to_be_hidden()


def test_nothing_moves_for_who_asked_for_stillness(visit):
    took = []
    for wish in ("reduce", "no-preference"):
        page = visit("/", reduced_motion=wish)
        took.append(
            page.evaluate(
                "[...document.querySelectorAll('*')].filter((e) => "
                "parseFloat(getComputedStyle(e).transitionDuration) > 0 || "
                "getComputedStyle(e).animationName !== 'none').length"
            )
        )
    assert took[0] == 0 < took[1]
