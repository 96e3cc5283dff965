"""The controls of a page as a person uses them, in headless Chromium."""

from __future__ import annotations

import math
import re
from urllib.parse import parse_qs, quote, urlsplit

import pytest

import bestofk as bk
from bestofk.errors import on_page
from tests.browser.conftest import Served
from tests.browser.hands import drawn, more, set_slider, settled
from tests.web.conftest import HOSTILE, make_file

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow


def y_scale(page):
    """Return the score at a pixel of the figure, by the words at its vertical axis."""
    marks = page.locator("#chart .on-wide [data-part=y-tick]").all()
    found = [(float(m.get_attribute("y")) - 4, float(m.text_content())) for m in marks]
    (p0, v0), (p1, v1) = found[0], found[-1]
    name = page.locator("#chart .on-wide [data-part=name]").nth(1).text_content()
    if name.startswith("1 − "):  # what is left to 1, on a logarithmic axis
        v0, v1 = math.log(v0), math.log(v1)
        return lambda pixel: 1 - math.exp(v0 + (pixel - p0) * (v1 - v0) / (p1 - p0))
    return lambda pixel: v0 + (pixel - p0) * (v1 - v0) / (p1 - p0)


def outline_of_band(page):
    """Return the corners of the drawn band, in pixels across and in scores."""
    path = page.locator("#chart .on-wide [data-part=area]").first.get_attribute("d")
    score, found, x, y = y_scale(page), [], 0.0, 0.0
    for command, numbers in re.findall(r"([MLHV])([-\d. ]+)", path):
        parts = [float(v) for v in numbers.split()]
        x = x if command == "V" else parts[0]
        y = y if command == "H" else parts[-1]
        found.append((x, score(y)))
    return found


def test_the_band_follows_the_slider_and_equals_the_librarys_numbers(visit, folder, expect):
    page = visit("/search?name=cnn")
    drawn(page)
    search = bk.read(f"sqlite:///{folder}/runs.db", name="cnn")
    seen = []
    for confidence in (0.95, 0.8):
        set_slider(page, confidence)
        expect(page.locator("#verdict")).to_contain_text(f"({100 * confidence:g} % band")
        expect(page.locator("#confidence-shown")).to_have_text(f"{100 * confidence:g} %")
        band = bk.tuning_band(search, confidence=confidence)
        row = page.locator("#table tbody tr").nth(2).locator("th, td").all_text_contents()
        at = band.at(5)
        assert row == ["5", *(f"{v:.4g}" for v in (at.estimate, at.lower, at.upper))]
        settled(page)
        corners = outline_of_band(page)
        first = sorted(y for x, y in corners if x == corners[0][0])
        last = [y for x, y in corners if x == max(x for x, _ in corners)]
        # a hundredth of a pixel is about 1e-4 of the axis
        assert first[0] == pytest.approx(band.at(1).lower, abs=0.001)
        assert first[-1] == pytest.approx(band.at(1).upper, abs=0.001)
        assert min(last, key=lambda y: abs(y - band.lower[-1])) == pytest.approx(
            band.lower[-1], abs=0.001
        )
        seen.append(first[-1] - first[0])
    assert seen[1] < seen[0] - 0.02


def test_the_address_bar_holds_the_state_and_back_brings_it_back(visit, served, expect):
    page = visit("/search?name=cnn")
    drawn(page)
    set_slider(page, 0.9)
    expect(page.locator("#verdict")).to_contain_text("(90 % band")
    more(page)
    page.get_by_label("Statistic").select_option("mean")
    expect(page.locator("#verdict")).to_contain_text("Mean best of")
    words = parse_qs(urlsplit(page.url).query)
    assert (words["confidence"], words["statistic"], words["name"]) == (["0.9"], ["mean"], ["cnn"])
    page.go_back()
    expect(page.locator("#verdict")).to_contain_text("Median best of")
    expect(page.get_by_label("Statistic")).to_have_value("median")
    page.go_forward()
    expect(page.locator("#verdict")).to_contain_text("Mean best of")
    link = page.url
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator("#verdict")).to_have_text(page.locator("#verdict").text_content())
    expect(other.get_by_label("Statistic")).to_have_value("mean")


def test_comparing(visit, folder, expect):
    page = visit(f"/compare?name=cnn&name={quote(HOSTILE)}")
    drawn(page)
    both = bk.read_all(f"sqlite:///{folder}/runs.db", by="name")
    verdict = on_page(bk.compare(both, confidence=0.95).marked_verdict)
    assert page.locator("#verdict").text_content() == verdict
    expect(page.locator("#chart .on-wide [data-part=legend]").nth(1)).to_contain_text(
        "<script>alert('x'"
    )
    expect(page.locator("#ranking")).to_be_hidden()
    page.get_by_label("svm", exact=True).check()
    expect(page.locator("#table thead th")).to_have_count(4)
    expect(page.locator("#ranks tbody tr")).to_have_count(3)
    expect(page.locator("#ranking caption")).to_contain_text("Best and worst rank")
    expect(page.locator("#chart .on-wide [data-part=legend]")).to_have_count(3)
    page.get_by_label("cnn", exact=True).uncheck()
    page.get_by_label("svm", exact=True).uncheck()
    expect(page.locator("#problem")).to_contain_text("needs two or more searches")
    page.get_by_label("cnn", exact=True).check()
    expect(page.locator("#problem")).to_be_hidden()


def test_at_equal_cost_nothing_is_claimed_until_a_limit_is_declared(visit, expect):
    page = visit(f"/compare?name=cnn&name={quote(HOSTILE)}&low=3&high=20")
    drawn(page)
    more(page)
    limit, slider = page.get_by_label("Cost limit"), page.locator("input[name=confidence]")
    expect(limit).to_be_disabled()
    expect(page.locator("#validity")).to_be_hidden()
    page.get_by_label("Budget in").select_option("cost")
    expect(page.locator("#verdict")).to_contain_text("At the estimated mean costs")
    expect(page.locator("#validity")).to_have_text("void: descriptive only")
    expect(page.get_by_label("From")).to_have_value("")  # a range of trials is none of costs
    expect(slider).to_be_hidden()
    expect(page.locator("#problem")).to_be_hidden()
    expect(page.locator("#table caption")).to_contain_text("at the estimated mean costs")
    limit.fill("1000")
    page.keyboard.press("Enter")
    expect(page.locator("#validity")).to_be_hidden()
    expect(slider).to_be_visible()
    expect(page.locator("#table caption")).to_contain_text("all bands together")
    assert parse_qs(urlsplit(page.url).query)["cost_limit"] == ["1000"]
    page.go_back()
    expect(page.locator("#validity")).to_have_text("void: descriptive only")
    expect(limit).to_have_value("")


def test_a_void_search_is_described(visit, chromium, tmp_path, expect):
    server = Served(make_file(tmp_path), "--score", "accuracy", "--sampling", "adaptive")
    try:
        page = visit("/search?name=svm", server)
        drawn(page)
        expect(page.locator("#validity")).to_have_text("void: descriptive only")
        expect(page.locator("#verdict")).to_contain_text("No confidence statement is possible")
        expect(page.locator("input[name=confidence]")).to_be_hidden()
        for part, count in (("line", 1), ("area", 0), ("fade", 0)):  # the line alone
            expect(page.locator(f"#chart .on-wide [data-part={part}]")).to_have_count(count)
        more(page)
        page.get_by_label("Statistic").select_option("mean")
        expect(page.locator("#verdict")).to_contain_text("Mean best of 10 trials: ")
        expect(page.locator("#validity")).to_be_visible()
        axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()
        page.close()
    finally:
        server.close()


def test_back_ticks_the_searches_that_are_shown_again(visit, expect):
    """Also where the address named none: then the first ones are shown."""
    page = visit("/compare")
    drawn(page)
    page.get_by_label("svm", exact=True).uncheck()
    expect(page.locator("#ranking")).to_be_hidden()
    settled(page)
    page.go_back()
    expect(page.locator("#ranks tbody tr")).to_have_count(3)
    expect(page.get_by_label("svm", exact=True)).to_be_checked()


def test_planning(visit, expect):
    page = visit("/plan")
    page.get_by_label("Bound the curve up to the budget").fill("30")
    page.keyboard.press("Enter")
    trials = bk.plan(budget=30, confidence=0.95).trials
    expect(page.locator("#verdict")).to_contain_text(f"{trials} trials")


def test_the_slider_is_dragged_by_the_mouse_and_back_undoes_it_at_once(visit, expect):
    """While it is dragged the figure follows; in the history it is one step."""
    page = visit("/search?name=cnn")
    before = drawn(page)
    settled(page)
    slider = page.locator("input[name=confidence]")
    box = slider.bounding_box()
    across, y = box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2
    page.mouse.move(across, y)
    page.mouse.down()
    for part in (0.8, 0.6, 0.4, 0.2):
        page.mouse.move(box["x"] + part * box["width"], y)
        page.wait_for_function(
            "(old) => Number(document.getElementById('chart').dataset.drawn) > old", arg=before
        )
        before = drawn(page)
    expect(page.locator("#verdict")).to_contain_text("(95 % band")  # words wait for the end
    page.mouse.up()
    level = float(slider.input_value())
    assert 0.5 < level < 0.7
    expect(page.locator("#verdict")).to_contain_text(f"({100 * level:g} % band")
    page.go_back()
    expect(page.locator("#verdict")).to_contain_text("(95 % band")
    expect(slider).to_have_value("0.95")


def test_how_many_trials_tell_two_apart(visit, folder, expect):
    page = visit("/compare?name=cnn&name=svm", refused=True)
    drawn(page)
    settled(page)
    place = page.locator(".ask[data-about=power]")
    reply = place.locator(".reply .verdict")
    expect(page.locator("#verdict")).to_contain_text("see “Ask more”")
    place.locator("summary").click()
    pilots = (
        bk.read(f"sqlite:///{folder}/runs.db", name="cnn"),
        bk.read(folder / "svm.csv", score="accuracy"),
    )

    def said(budget, confidence=0.95):
        return bk.power(*pilots, budget=budget, confidence=confidence).verdict.removesuffix(".")

    usual = float(page.locator("#budget").input_value())
    expect(reply).to_contain_text(said(usual))
    expect(place.locator("svg")).to_be_visible()
    assert parse_qs(urlsplit(page.url).query)["open"] == ["power"]
    page.locator("#budget").fill("3")
    page.keyboard.press("Enter")
    expect(reply).to_contain_text(said(3))
    set_slider(page, 0.8)
    expect(reply).to_contain_text(said(3, 0.8))
    other = page.context.new_page()  # the address has it all
    other.goto(page.url)
    expect(other.locator(".ask .reply .verdict")).to_contain_text(said(3, 0.8))
    expect(other.locator("#budget")).to_have_value("3")
    other.close()
    more(page)
    page.get_by_label("Statistic").select_option("mean")
    expect(place.locator(".refused")).to_contain_text("for the mean this takes minutes")
    page.get_by_label("Statistic").select_option("median")
    expect(reply).to_contain_text(said(3, 0.8))
    page.locator("#names input").nth(1).check()
    expect(place).to_be_hidden()
    settled(page)
    page.go_back()
    expect(reply).to_contain_text(said(3, 0.8))
    place.locator("summary").click()
    page.wait_for_function("!location.search.includes('open=')")
