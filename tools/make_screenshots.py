"""Take screenshots of every page, light and dark, on a phone and a laptop; `make shots` runs it.

They go to build/shots, with an index.html to look through.  With --docs, those that docs/page.md
shows are taken too.  Needs Debian's chromium, and what `bestofk demo` leaves in bestofk-demo.
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
DEMO, SHOTS, DOCS = ROOT / "bestofk-demo", ROOT / "build/shots", ROOT / "docs/images"
SIZES = {"laptop": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
STORE = (str(DEMO / "bestofk.db"),)
TABLE = (str(DEMO / "example.csv"), "--score", "accuracy", "--by", "method", "--cost",
         "fit_seconds", "--params", "C,gamma")  # fmt: skip


def nothing(page: Any) -> None:
    """Do nothing."""


def hover(page: Any) -> None:
    """Put the pointer on the figure."""
    box = page.locator("#chart").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 80)


def open_more(page: Any) -> None:
    """Open the controls that few need."""
    page.locator(".more > summary").click()


def open_trial(page: Any) -> None:
    """Open a trial's row."""
    page.locator("#trials tbody th a").nth(2).click()
    page.locator("tr.opened").wait_for()


def ask(page: Any) -> None:
    """Open the questions."""
    for place in page.locator(".ask").all():
        place.locator("summary").click()
        place.locator(".verdict").wait_for()


# What is served, the page, what is done on it, and whether all of it is shown or the first screen.
PAGES: dict[str, tuple[tuple[str, ...], str, Callable[[Any], None], bool]] = {
    "start": (STORE, "/", nothing, False),
    "search": (STORE, "/search?name=network", nothing, True),
    "search-first-screen": (STORE, "/search?name=network", hover, False),
    "search-trial": (STORE, "/search?name=network", open_trial, True),
    "search-asked": (STORE, "/search?name=network", ask, True),
    "trial": (STORE, "/trial?name=network&trial=3", nothing, True),
    "compare": (STORE, "/compare?name=ridge&name=network&confidence=0.9", hover, False),
    "compare-more": (STORE, "/compare?name=ridge&name=network", open_more, True),
    "live": (STORE, "/live?name=ridge", nothing, False),
    "plan": (STORE, "/plan", nothing, False),
    "error": (STORE, "/search?name=nobody", nothing, False),
    "start-of-a-file": (TABLE, "/", nothing, False),
    "search-of-a-file": (TABLE, "/search?name=svm", nothing, True),
    "compare-of-a-file": (TABLE, "/compare", hover, True),
}
# For the documentation: the page, the size of the window, light or dark.
SHOWN = {
    "page-start": ("/", (1000, 640), "light"),
    "page-compare": ("/compare?name=ridge&name=network&confidence=0.9", (1000, 900), "light"),
    "page-search": ("/search?name=network", (1000, 900), "light"),
    "page-live": ("/live?name=ridge", (390, 800), "dark"),
}


@contextmanager
def served(words: tuple[str, ...]) -> Iterator[Callable[[str], str]]:
    """Serve sources; give what turns a path into an address."""
    server = subprocess.Popen(
        [sys.executable, "-m", "bestofk", "serve", *words, "--port", "0"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert server.stderr is not None
        found = re.search(r"(http://\S+)/\?token=(\S+)", server.stderr.readline())
        assert found is not None
        root, token = found.groups()
        yield lambda path: f"{root}{path}{'&' if '?' in path else '?'}token={token}"
    finally:
        server.terminate()
        server.wait(10)


def take(
    browser: Any, address: str, to: Path, size: tuple[int, int], scheme: str,
    act: Callable[[Any], None] = nothing, *, whole: bool = False,
) -> None:  # fmt: skip
    """Take one screenshot of a page that has come to rest."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(address)
    page.locator("main:not([aria-busy=true])").wait_for()
    page.wait_for_load_state("load")
    page.wait_for_timeout(300)
    act(page)
    page.screenshot(path=to, full_page=whole)
    context.close()


def write_index(names: list[str]) -> None:
    """Write a page with all screenshots, a row a page."""
    rows = []
    for name in names:
        cells = [f"{name}-{size}-{scheme}.png" for size in SIZES for scheme in SCHEMES]
        shown = "".join(
            f'<a href="{c}"><img src="{c}" alt="{c}" loading="lazy"></a>' for c in cells
        )
        rows.append(f"<h2>{html.escape(name)}</h2>\n<div>{shown}</div>")
    style = "body{font:16px system-ui;margin:2rem} div{display:flex;gap:1rem;overflow-x:auto} "
    style += "img{height:26rem;border:1px solid #999;object-fit:cover;object-position:top}"
    text = f"<!doctype html><meta charset=utf-8><title>Shots</title><style>{style}</style>"
    (SHOTS / "index.html").write_text("\n".join([text, *rows, ""]))


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not DEMO.exists():
        subprocess.run([sys.executable, "-m", "bestofk", "demo"], cwd=ROOT, check=True)
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for source in (STORE, TABLE):
            with served(source) as at:
                for name, (of, path, act, whole) in PAGES.items():
                    for size, scheme in ((s, c) for s in SIZES for c in SCHEMES if of == source):
                        to = SHOTS / f"{name}-{size}-{scheme}.png"
                        take(browser, at(path), to, SIZES[size], scheme, act, whole=whole)
                if "--docs" in sys.argv and source == STORE:
                    for name, (path, window, scheme) in SHOWN.items():
                        take(browser, at(path), DOCS / f"{name}.png", window, scheme)
        browser.close()
    write_index(list(PAGES))
    print(SHOTS / "index.html")


if __name__ == "__main__":
    main()
