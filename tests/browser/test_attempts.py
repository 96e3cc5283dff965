"""The page of attempts as a person uses it, in headless Chromium."""

from __future__ import annotations

import csv
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import bestofk as bk
from bestofk.datasets.attempts import simulated_attempts
from tests.browser.conftest import Served
from tests.browser.hands import drawn, set_slider, settled

pytestmark = pytest.mark.slow  # a real browser: runs in make test-slow


def opened(page):
    """Unfold the controls that are not the most used one."""
    page.evaluate("document.querySelector('.more').open = true")


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    found = tmp_path_factory.mktemp("attempts") / "attempts.csv"
    found.write_text(simulated_attempts())
    return found


@pytest.fixture(scope="module")
def two(chromium, path):
    server = Served(str(path), "--problem", "task_id", "--score", "passed", "--by", "model")
    yield server
    server.close()


@pytest.fixture(scope="module")
def answered(chromium, tmp_path_factory):
    """One model with answers, and an attempt without a score."""
    found = tmp_path_factory.mktemp("answers") / "votes.csv"
    rng = np.random.default_rng(7)
    with found.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["task_id", "answer", "passed"])
        for problem in range(20):
            for attempt in range(8):
                answer = "right" if rng.random() < 0.6 else "other"
                score = "" if (problem, attempt) == (3, 1) else int(answer == "right")
                rows.writerow([f"p{problem}", answer, score])
    server = Served(
        str(found), "--problem", "task_id", "--score", "passed", "--answer", "answer",
        "--failed", "worst",
    )  # fmt: skip
    yield server
    server.close()


def row_at(page, k):
    cells = page.locator(f"#table tbody tr:has(th:text-is('{k}'))").locator("th, td")
    return cells.all_text_contents()


def test_the_slider_moves_the_numbers_without_a_reload(visit, two, path, expect):
    page = visit("/", two)
    drawn(page)
    opened(page)
    page.evaluate("window.stayed = true")
    set_slider(page, 0.8)
    expect(page.locator("#verdict")).to_contain_text("(80 % band over all k from 1 to 10")
    expect(page.locator("#confidence-shown")).to_have_text("80 %")
    settled(page)
    band = bk.pass_band(bk.read_attempts(path, by="model")["small"], confidence=0.8)
    low, middle, high = (f"{v:.4g}" for v in band.at(5))
    assert row_at(page, 5)[1] == f"{middle} [{low}, {high}]"
    assert page.evaluate("window.stayed")
    assert parse_qs(urlsplit(page.url).query)["confidence"] == ["0.8"]
    for figure in ("#chart", "#difference", "#floor"):
        assert drawn(page, f"{figure}[data-drawn]") > 0


def test_pick_scope_and_back(visit, two, expect):
    page = visit("/", two)
    drawn(page)
    opened(page)
    page.get_by_label("Pick").select_option("worst")
    expect(page.locator("#verdict")).to_contain_text("pass^10")
    page.get_by_label("Scope").select_option("benchmark")
    expect(page.locator("#verdict")).to_contain_text("these 164 problems only")
    expect(page.locator("#difference-part")).to_be_hidden()
    expect(page.locator("#floor-part")).to_be_hidden()
    page.go_back()
    expect(page.locator("#verdict")).to_contain_text("164 problems as a sample")
    expect(page.get_by_label("Scope")).to_have_value("population")
    expect(page.locator("#difference-part")).to_be_visible()
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator("[name=pick]")).to_have_value("worst")
    expect(other.locator("#verdict")).to_have_text(page.locator("#verdict").text_content())


def test_k_chosen_on_the_page_are_said_to_be(visit, two, expect):
    page = visit("/", two, refused=True)
    drawn(page)
    opened(page)
    expect(page.locator("#verdict")).to_contain_text("at k = 1, 5 and 10 (95 %)")
    listed = page.get_by_label("Budgets (k)")
    listed.fill("2, 4")
    expect(page.locator("#verdict")).to_contain_text("at k = 1, 5 and 10")  # half typed: nothing
    listed.press("Enter")
    expect(page.locator("#verdict")).to_contain_text("If these k were chosen before anybody looked")
    expect(page.locator("#verdict")).to_contain_text("at k = 2 and 4 (95 %)")
    expect(page.locator("#difference-caption")).to_contain_text("nothing is said about the k there")
    page.get_by_label("Who is ahead").select_option("whole")
    expect(page.locator("#verdict")).not_to_contain_text("If these k")
    listed.fill("2, 400")
    listed.press("Enter")
    expect(page.locator("#problem")).to_contain_text("must be at most 10")
    listed.fill("")
    listed.press("Enter")
    expect(page.locator("#problem")).to_be_hidden()


def test_one_model_alone_and_none(visit, two, expect):
    page = visit("/", two)
    drawn(page)
    opened(page)
    page.get_by_label("small", exact=True).uncheck()
    expect(page.locator("#table thead th")).to_have_count(2)
    expect(page.locator("#difference-part")).to_be_hidden()
    expect(page.locator("#verdict")).to_contain_text("± ")
    page.get_by_label("large", exact=True).uncheck()
    expect(page.locator("#problem")).to_contain_text("tick one model")


def test_what_cannot_be_shown_is_a_sentence_and_a_choice(visit, answered, expect):
    page = visit("/", answered, refused=True)
    drawn(page)
    opened(page)
    problem, failed = page.locator("#problem"), page.get_by_label("Failed attempts")
    expect(page.locator("#caveats")).to_contain_text("count as the worst score")
    expect(page.get_by_label("Pick").locator("option")).to_have_count(3)
    page.get_by_label("Pick").select_option("majority")
    expect(problem).to_contain_text("a vote needs one score for each answer")
    page.get_by_label("Pick").select_option("best")
    expect(problem).to_be_hidden()
    failed.select_option("raise")
    expect(problem).to_contain_text("every attempt must have a score")
    failed.select_option("worst")
    expect(problem).to_be_hidden()


def test_everything_can_be_reached_with_the_keyboard(visit, two):
    page = visit("/", two)
    drawn(page)
    opened(page)
    reached = []
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.name || document.activeElement.value"))
    order = [n for n in reached if n in ("confidence", "pick", "scope", "budgets", "simultaneous")]
    assert order == ["confidence", "pick", "scope", "budgets", "simultaneous"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_telephone_shows_it_without_scrolling_sideways(visit, two, scheme):
    page = visit("/", two, viewport={"width": 390, "height": 800}, color_scheme=scheme)
    drawn(page)
    assert page.locator("#chart").bounding_box()["y"] < 700  # it begins on the first screen
    opened(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
