"""The page as a person uses it, in headless Chromium."""

from __future__ import annotations

import math
import re
import subprocess
import sys
import time
from urllib.parse import parse_qs, quote, urlsplit

import pytest

import bestofk as bk
from bestofk.errors import on_page
from tests.browser.conftest import Served
from tests.web.conftest import HOSTILE, make_file

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow

CHART = "#chart[data-drawn]"


@pytest.fixture(scope="module")
def expect(chromium):
    from playwright.sync_api import expect

    return expect


def drawn(page, selector=CHART):
    """Wait until a figure is there; return how often it has been drawn."""
    page.locator(selector).wait_for()
    return int(page.locator(selector).get_attribute("data-drawn"))


def set_slider(page, value):
    """Move the slider as a hand would: input while dragging, change at the end."""
    slider = page.locator("input[name=confidence]")
    slider.focus()
    now = float(slider.input_value())
    steps = round((value - now) / 0.005)
    for _ in range(abs(steps)):
        page.keyboard.press("ArrowRight" if steps > 0 else "ArrowLeft")
    assert float(slider.input_value()) == pytest.approx(value)


def settled(page):
    """Wait until the page has followed the controls: words first, figures after them."""
    page.locator("main:not([aria-busy=true])").wait_for()


def more(page):
    """Open the controls that few need."""
    page.locator(".more > summary").click()


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
    for kind in ("SVG", "CSV", "LaTeX"):
        link = page.locator(".downloads a", has_text=kind)
        assert "confidence=0.8" in link.get_attribute("href")
        with page.expect_download() as found:
            link.click()
        assert found.value.suggested_filename.startswith("search-cnn.")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="copy LaTeX table").click()
    expect(page.locator("#copied")).to_have_text("copied")


def test_planning(visit, expect):
    page = visit("/plan")
    page.get_by_label("Bound the curve up to the budget").fill("30")
    page.keyboard.press("Enter")
    trials = bk.plan(budget=30, confidence=0.95).trials
    expect(page.locator("#verdict")).to_contain_text(f"{trials} trials")


GATE = """import time
from pathlib import Path

def slow(params, trial):
    while trial.number >= 15 and not Path('go').exists():
        time.sleep(0.05)
    return {'accuracy': params['x']}
"""


def begin_slow_search(folder, store):
    """Begin a search that waits after 15 of its 40 trials, until a file called `go` is there."""
    (folder / "slow.py").write_text(GATE)
    (folder / "space.toml").write_text("x = { kind = 'uniform', low = 0, high = 1 }\n")
    line = [sys.executable, "-m", "bestofk", "search", "slow:slow", "--name", "live", "--space",
            "space.toml", "--trials", "40", "--seed", "1", "--score", "accuracy", "--store", store,
            "--bounds", "0,1", "--workers", "1"]  # fmt: skip
    search = subprocess.Popen(line, cwd=folder, stderr=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL)  # fmt: skip
    while not (folder / "live.db").exists() or not _begun(store):
        assert search.poll() is None
        time.sleep(0.1)
    return search


def test_a_running_search_is_followed_without_reload(visit, tmp_path, expect):
    store = f"sqlite:///{tmp_path}/live.db"
    search, server = begin_slow_search(tmp_path, store), None
    try:
        server = Served(store)
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
        expect(page.locator("#verdict")).to_contain_text("at least as good as the best so far")
        assert loads == []
        page.close()
    finally:
        search.terminate()
        search.wait(120)
        if server is not None:
            server.close()


def _begun(store):
    try:
        return bk.read(store, name="live").n > 0
    except (bk.DataError, bk.ArgumentError):
        return False


@pytest.mark.parametrize(
    ("path", "scheme"),
    [
        ("/", "light"),
        ("/", "dark"),
        ("/trial?name=cnn&trial=3", "light"),
        ("/trial?name=cnn&trial=3", "dark"),
        ("/search?name=cnn", "light"),
        ("/search?name=cnn", "dark"),
        ("/compare", "light"),
        ("/compare", "dark"),
        ("/plan", "light"),
        ("/live?name=cnn", "light"),
    ],
)
def test_accessibility(visit, path, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(path, color_scheme=scheme)
    if ("name=cnn" in path and "trial" not in path) or "compare" in path:
        drawn(page)
        more(page)
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_a_report_is_accessible_and_fits(chromium, folder, report, scheme, width):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = chromium.new_context(
        color_scheme=scheme, viewport={"width": width, "height": 700}, bypass_csp=True
    )
    page = context.new_page()
    page.goto(report.as_uri())
    found = axe.run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


INK = """() => [...document.querySelectorAll("figure svg text")].map((text) => {
  const ground = (e) => e && getComputedStyle(e).backgroundColor;
  let behind = text;
  while (["rgba(0, 0, 0, 0)", "transparent"].includes(ground(behind))) {
    behind = behind.parentElement;
  }
  const style = getComputedStyle(text);
  return [style.fill, ground(behind), Number(style.opacity) * Number(style.fillOpacity)];
})"""


def luminance(colour):
    """Return the relative luminance of rgb(r, g, b), as WCAG 2 defines it."""
    parts = [int(v) / 255 for v in re.findall(r"\d+", colour)[:3]]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def blended(ink, ground, opacity):
    """Return the colour of words that let their ground through."""
    over, under = ([int(v) for v in re.findall(r"\d+", c)[:3]] for c in (ink, ground))
    parts = [round(opacity * a + (1 - opacity) * b) for a, b in zip(over, under, strict=True)]
    return f"rgb({', '.join(map(str, parts))})"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_words_in_a_reports_figures_can_be_read(chromium, report, scheme):
    """Axe does not look into figures."""
    context = chromium.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(report.as_uri())
    found = page.evaluate(INK)
    context.close()
    assert len(found) > 20
    for ink, ground, opacity in found:
        seen = blended(ink, ground, opacity)
        light, dark = sorted([luminance(seen), luminance(ground)], reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_a_report_on_two_files_fits_on_two_screens(chromium, tmp_path):
    """What is folded is not counted; the figure and its numbers are on the first."""
    searches = {
        label: bk.Search({"accuracy": search.metrics[search.metric]}, label=label)
        for label, search in bk.datasets.load_example().items()
    }
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.goto(bk.report(searches, tmp_path / "r.html").as_uri())
    assert page.evaluate("document.documentElement.scrollHeight") <= 2 * 800
    figure, table = page.locator("figure svg").first, page.locator("table").first
    for box in (figure.bounding_box(), table.bounding_box()):
        assert box["y"] + box["height"] <= 800
    assert figure.bounding_box()["x"] + figure.bounding_box()["width"] <= table.bounding_box()["x"]
    region = page.locator(".wide").first
    assert region.evaluate("e => e.scrollWidth <= e.clientWidth")  # nothing is cut
    page.close()


@pytest.fixture(scope="module")
def report(chromium, folder, served):
    """A report with names that are markup, or long."""
    searches = bk.read_all(f"sqlite:///{folder}/runs.db", by="name")
    searches["long" * 50] = searches["cnn"]
    return bk.report(searches, folder / "r.html")


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
