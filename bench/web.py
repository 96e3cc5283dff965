"""What the page and the report cost: slider to figure, first paint, report, a search beside it."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from table import show

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.browser.conftest import Served
from tests.browser.hands import SHIFT
from tests.web.test_serve import pace, run_loaded, searching

RESULTS = "bench/results/web.md"
LEVELS = [0.5 + 0.005 * i for i in range(0, 99, 2)]

# One step of the slider, until the frame after the one in which the new band is in the page.
STEP = """(level) => new Promise((done) => {
  const chart = document.getElementById("chart");
  const slider = document.querySelector("[name=confidence]");
  const start = performance.now();
  const seen = new MutationObserver(() => {
    seen.disconnect();
    requestAnimationFrame(() => done(performance.now() - start));
  });
  seen.observe(chart, { attributes: true, attributeFilter: ["data-drawn"] });
  slider.value = level;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
NOW = "() => performance.now()"


def study(folder: Path) -> Path:
    """Write four methods of 1,024 trials each."""
    rng = np.random.default_rng(0)
    path = folder / "study.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["method", "accuracy", "seconds", "lr"])
        for i in range(4):
            rows = zip(
                rng.beta(2 + i, 2, 1024), rng.uniform(1, 2, 1024), rng.random(1024), strict=True
            )
            writer.writerows([f"method {i}", *map(float, row)] for row in rows)
    return path


def spread(times: list[float]) -> str:
    return f"{np.median(times):.0f} / {np.percentile(times, 95):.0f}"


def in_browser(path: Path) -> list[list[str]]:
    from playwright.sync_api import sync_playwright

    server = Served(str(path), "--score", "accuracy", "--by", "method", "--cost", "seconds",
                    "--params", "lr")  # fmt: skip
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            paints, charts, ready, shifts = [], [], [], []
            for _ in range(5):
                page = browser.new_context().new_page()
                page.goto(f"{server.root}/compare?token={server.token}")
                page.locator("#chart .on-wide svg").wait_for()
                charts.append(page.evaluate(NOW))
                page.locator("#chart[data-drawn]").wait_for()
                ready.append(page.evaluate(NOW))
                paints.append(page.evaluate(PAINT))
                shifts.append(page.evaluate(SHIFT))
            for level in LEVELS[::5]:  # the browser compiles what it runs often
                page.evaluate(STEP, level - 0.005 if level > 0.5 else 0.995)
            cold = [page.evaluate(STEP, level) for level in LEVELS]
            warm = [page.evaluate(STEP, level) for level in LEVELS]
            browser.close()
        direct = at_server(server)
    finally:
        server.close()
    return [
        ["slider step to drawn band, new confidence", spread(cold), "60 / 150"],
        ["slider step to drawn band, seen before", spread(warm), "60 / 150"],
        ["server part, new confidence", spread(direct[0]), ""],
        ["server part, warm", spread(direct[1]), "– / 15"],
        ["first paint of text and table", spread(paints), "1500"],
        ["first chart", spread(charts), "700"],
        ["first chart that answers the pointer", spread(ready), ""],
        ["cumulative layout shift while loading", f"{max(shifts):g}", "0"],
    ]


def at_server(server: Served) -> tuple[list[float], list[float]]:
    """Return the milliseconds of an answer: at first, and again."""
    import httpx

    found: tuple[list[float], list[float]] = ([], [])
    with httpx.Client(base_url=server.root) as http:
        http.headers["authorization"] = f"Bearer {server.token}"
        for times in found:
            for level in LEVELS:
                start = time.perf_counter()
                words = f"confidence={level + 0.001:.4f}&fields=svg&draw=wide"
                http.get(f"/compare.json?{words}").raise_for_status()
                times.append(1e3 * (time.perf_counter() - start))
    return found


def of_report(path: Path) -> list[list[str]]:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "bestofk", "report", str(path), "--score", "accuracy", "--by",
             "method", "--cost", "seconds", "--params", "lr", "-o", str(path.parent / "r.html")],
            check=True, capture_output=True,
        )  # fmt: skip
        times.append(1e3 * (time.perf_counter() - start))
    return [["`bestofk report`, start of Python included", spread(times), "3000"]]


def beside_a_search(folder: Path) -> list[list[str]]:
    with searching(folder, "alone", 330) as process:
        process.wait()
    alone, _ = pace(f"sqlite:///{folder}/alone.db")
    found, loaded = run_loaded(folder, 330, seconds=30, clients=50)
    words = f"{found['answers']} answers, {found['events']} events, statuses {found['status']}"
    return [["search of 330 trials of 0.2 s beside 50 clients for 30 s, slower by",
             f"{100 * (loaded / alone - 1):.1f} % ({words})", "5 %"]]  # fmt: skip


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = study(folder)
        rows = in_browser(path) + of_report(path) + beside_a_search(folder)
    title = "Four methods of 1,024 trials, headless Chromium; ms, median / 95th percentile"
    show(RESULTS, title, ["what", "measured", "wanted, at most"], rows)


if __name__ == "__main__":
    main()
