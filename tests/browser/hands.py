"""What hands do on a page: open, drag, point, wait; and a search that waits for them."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

import bestofk as bk

CHART = "#chart[data-drawn]"


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


def numbers_there(page):
    """Wait until the numbers behind the figures have come."""
    drawn(page)
    page.locator("main[aria-busy=false]").wait_for()


def hover_over(page, budget):
    """Move the pointer to a budget, by the words at the horizontal axis."""
    page.evaluate("scrollTo(0, 0)")
    marks = page.locator("#chart .on-wide svg > [data-part=x-tick]").all()
    boxes = [(mark.bounding_box(), float(mark.text_content())) for mark in marks]
    (x0, v0), (x1, v1) = ((b["x"] + b["width"] / 2, v) for b, v in (boxes[0], boxes[-1]))
    across = x0 + (budget - v0) * (x1 - x0) / (v1 - v0)
    page.mouse.move(across, page.locator("#chart").bounding_box()["y"] + 60)


# How far what is seen has moved while the page was loading.
SHIFT = """() => new Promise((done) => {
  let total = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) total += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(total), 300);
})"""
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


def _begun(store):
    try:
        return bk.read(store, name="live").n > 0
    except (bk.DataError, bk.ArgumentError):
        return False
