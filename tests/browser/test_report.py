"""Reports in a browser: they can be read, and fit."""

from __future__ import annotations

import re

import pytest

import bestofk as bk

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow

INK = """() => [...document.querySelectorAll("figure svg text")].map((text) => {
  const ground = (e) => e && getComputedStyle(e).backgroundColor;
  let behind = text;
  while (["rgba(0, 0, 0, 0)", "transparent"].includes(ground(behind))) {
    behind = behind.parentElement;
  }
  const style = getComputedStyle(text);
  return [style.fill, ground(behind), Number(style.opacity) * Number(style.fillOpacity)];
})"""


@pytest.fixture(scope="module")
def report(chromium, folder, served):
    """A report with names that are markup, or long."""
    searches = bk.read_all(f"sqlite:///{folder}/runs.db", by="name")
    searches["long" * 50] = searches["cnn"]
    return bk.report(searches, folder / "r.html")


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
    region = page.locator(".scroll").first
    assert region.evaluate("e => e.scrollWidth <= e.clientWidth")  # nothing is cut
    page.close()


@pytest.fixture
def two_reported(tmp_path):
    return bk.report(bk.datasets.load_example(), tmp_path / "r.html").as_uri()


def test_a_report_on_a_phone_has_letters_that_can_be_read(chromium, two_reported):
    """Drawn for a laptop they were 6 pixels high there."""
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    page.goto(two_reported)
    heights = page.locator("figure svg text >> visible=true").evaluate_all(
        "found => found.map(e => parseFloat(getComputedStyle(e).fontSize)"
        " * e.ownerSVGElement.clientWidth / e.ownerSVGElement.viewBox.baseVal.width)"
    )
    assert min(heights) >= 9
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()


def test_a_report_is_dark_at_night_and_light_on_paper(chromium, two_reported):
    page = chromium.new_page(viewport={"width": 720, "height": 1000}, color_scheme="dark")
    page.goto(two_reported)
    line, ground = page.locator("path[data-part=line]").first, "document.body"
    ink = "e => getComputedStyle(e).stroke"
    back = f"getComputedStyle({ground}).backgroundColor"
    assert (line.evaluate(ink), page.evaluate(back)) == ("rgb(79, 168, 224)", "rgb(20, 23, 27)")
    page.emulate_media(media="print", color_scheme="dark")
    assert (line.evaluate(ink), page.evaluate(back)) == ("rgb(0, 114, 178)", "rgb(255, 255, 255)")
    assert page.locator("pre").is_visible()  # what is folded on the screen
    assert page.evaluate("document.documentElement.scrollWidth") <= 720  # no table is cut
    page.close()
