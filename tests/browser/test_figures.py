"""Figures as a person reads them: under the pointer, by the keyboard, on a phone."""

from __future__ import annotations

from urllib.parse import quote

import pytest

import bestofk as bk
from tests.browser.hands import SHIFT, drawn, hover_over, more, numbers_there, set_slider, settled
from tests.web.conftest import HOSTILE

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow

PHONE = {"width": 390, "height": 844}


def said(search, budget):
    at = bk.tuning_band(search, confidence=0.95).at(budget)
    return f"{at.estimate:.4g} [{at.lower:.4g}, {at.upper:.4g}]"


def test_one_box_tells_the_numbers_at_the_budget_under_the_pointer(visit, folder, expect):
    page = visit("/search?name=cnn")
    numbers_there(page)
    search = bk.read(f"sqlite:///{folder}/runs.db", name="cnn")
    hover_over(page, 2)
    box = page.locator("#chart .read")
    expect(box.locator("strong")).to_have_text("2 trials")
    expect(box.locator("span")).to_have_text(["cnn", said(search, 2)])
    page.mouse.move(5, 5)
    expect(box).to_be_hidden()
    set_slider(page, 0.8)
    settled(page)
    hover_over(page, 2)
    at = bk.tuning_band(search, confidence=0.8).at(2)
    expect(box).to_contain_text(f"[{at.lower:.4g}, {at.upper:.4g}]")


def test_the_box_of_a_comparison_has_every_method(visit, folder, expect):
    page = visit(f"/compare?name=cnn&name={quote(HOSTILE)}")
    numbers_there(page)
    both = bk.read_all(f"sqlite:///{folder}/runs.db", by="name")
    duel = bk.compare(both, confidence=0.95)
    hover_over(page, 2)
    spans = page.locator("#chart .read span").all_text_contents()
    assert spans[::2] == ["cnn", HOSTILE, f"cnn − {HOSTILE}"]
    for band, text in zip(duel.joint, spans[1::2], strict=False):
        at = band.at(2)
        upper = "not bounded" if band.reach < 2 else f"{at.upper:.4g}"
        assert text == f"{at.estimate:.4g} [{at.lower:.4g}, {upper}]"
    low, high = duel.pairs[0].difference_at(2)
    assert spans[-1].endswith(f"[{low:.4g}, {high:.4g}]")


def test_a_figure_is_read_by_the_arrow_keys(visit, folder, expect):
    page = visit("/search?name=cnn")
    numbers_there(page)
    search = bk.read(f"sqlite:///{folder}/runs.db", name="cnn")
    page.locator("#chart").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#chart .read strong")).to_have_text("3 trials")
    expect(page.locator("#chart .read")).to_contain_text(said(search, 3))
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#chart .read strong")).to_have_text("2 trials")
    page.keyboard.press("Escape")
    expect(page.locator("#chart .read")).to_be_hidden()


def test_a_name_in_the_legend_switches_its_line_and_it_stays_off(visit, expect):
    page = visit(f"/compare?name=cnn&name={quote(HOSTILE)}")
    numbers_there(page)
    line = page.locator("#chart .on-wide svg > [data-series='1'] [data-part=line]")
    name = page.locator("#chart .on-wide [data-key='1']")
    expect(line).to_be_visible()
    name.click()
    expect(line).to_be_hidden()
    expect(name).to_have_attribute("aria-pressed", "false")
    set_slider(page, 0.9)
    settled(page)
    expect(line).to_be_hidden()
    hover_over(page, 2)
    assert page.locator("#chart .read span").first.text_content() == "cnn"
    assert HOSTILE not in page.locator("#chart .read span").all_text_contents()
    name.focus()
    page.keyboard.press("Enter")
    expect(line).to_be_visible()


def test_the_nearest_trial_is_named(visit, folder, expect):
    page = visit("/search?name=cnn")
    numbers_there(page)
    figure = page.locator("#scatter")
    figure.focus()
    page.keyboard.press("ArrowRight")
    search = bk.read(f"sqlite:///{folder}/runs.db", name="cnn")
    first = min(search.trials, key=lambda t: t.params["x"])
    expect(figure.locator(".read strong")).to_have_text(f"trial {first.number}")


@pytest.mark.parametrize("path", ["/search?name=cnn", f"/compare?name=cnn&name={quote(HOSTILE)}"])
def test_a_phone_shows_the_figure_on_its_first_screen(visit, path):
    page = visit(path, viewport=PHONE)
    drawn(page)
    box = page.locator("#chart .on-narrow svg [data-part=axes]").first.bounding_box()
    assert box["y"] + box["height"] <= PHONE["height"]
    assert box["width"] > 0.6 * PHONE["width"]
    assert not page.locator("#chart .on-wide svg").is_visible()
    order = page.evaluate(
        "[...document.querySelectorAll('#verdict, #chart, [name=confidence], .more')]"
        ".map((e) => e.id || e.name || e.className)"
    )
    assert order == ["verdict", "chart", "confidence", "more"]


@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 900}])
@pytest.mark.parametrize("path", ["/", "/search?name=cnn", "/compare", "/live?name=cnn", "/plan"])
def test_nothing_moves_while_a_page_loads(visit, path, size):
    page = visit(path, viewport=size)
    assert page.evaluate(SHIFT) == 0


def test_figures_follow_the_window(visit, expect):
    page = visit("/search?name=cnn")
    numbers_there(page)
    set_slider(page, 0.8)
    settled(page)
    page.set_viewport_size(PHONE)
    name = page.locator("#chart .on-narrow [data-part=name]").filter(has_text="80 % band")
    expect(name).to_be_visible()


def test_every_figure_has_colours_that_can_be_seen_in_the_dark(visit):
    page = visit("/compare", color_scheme="dark")
    drawn(page)
    more(page)
    inks = page.evaluate(
        "[...document.querySelectorAll('#chart .on-wide [data-part=line]')]"
        ".map((e) => getComputedStyle(e).stroke)"
    )
    assert len(set(inks)) == len(inks) == 3
    for ink in inks:
        assert max(int(v) for v in ink.strip("rgb()").split(",")) > 150
