"""Take screenshots of all that people look at; `make shots` runs it.

Every page, report, kind of figure (as SVG and by matplotlib) and what a notebook shows, light and
dark, on a phone and a laptop, go to build/shots, with an index.html to look through.  Words after
it choose those whose names contain one of them.  With --docs, those that docs/page.md shows are
taken too.  Needs Debian's chromium, and what `bestofk demo` leaves in bestofk-demo.
"""

from __future__ import annotations

import html
import itertools
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import shots_of_files as of_files

ROOT = Path(__file__).parents[1]
DEMO, SHOTS, DOCS = ROOT / "bestofk-demo", ROOT / "build/shots", ROOT / "docs/images"
FILES = SHOTS / "files"
PAPER = (720, 1000)  # pixels: the width of A4 between its margins
SIZES = {"laptop": (1280, 900), "phone": (390, 844)}
SCHEMES = ("light", "dark")
STORE = (str(DEMO / "bestofk.db"),)
TABLE = (str(DEMO / "example.csv"), "--score", "accuracy", "--by", "method", "--cost",
         "fit_seconds", "--params", "C,gamma")  # fmt: skip
ATTEMPTS = (
    str(DEMO / "attempts.csv"),
    "--problem",
    "task_id",
    "--score",
    "passed",
    "--by",
    "model",
)
REPEATS = (str(DEMO / "repeats.csv"), "--repeat", "seed", "--by", "method")


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
    "attempts": (ATTEMPTS, "/", nothing, True),
    "repeats": (REPEATS, "/", nothing, True),
}
# For the documentation: the page, the size of the window, light or dark.
SHOWN = {
    "page-start": ("/", (1000, 640), "light"),
    "page-compare": ("/compare?name=ridge&name=network", (1000, 900), "light"),
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


def take_pages(browser: Any, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Serve the pages and take them; yield their names."""
    for source in (STORE, TABLE, ATTEMPTS, REPEATS):
        chosen = {n: page for n, page in PAGES.items() if page[0] == source and wanted(n)}
        documented = SHOWN if "--docs" in sys.argv and source == STORE else {}
        if not chosen and not documented:
            continue
        with served(source) as at:
            for name, (_, path, act, whole) in chosen.items():
                for size, scheme in itertools.product(SIZES, SCHEMES):
                    to = SHOTS / f"{name}-{size}-{scheme}.png"
                    take(browser, at(path), to, SIZES[size], scheme, act, whole=whole)
                yield name
            for name, (path, window, scheme) in documented.items():
                take(browser, at(path), DOCS / f"{name}.png", window, scheme)


def take_files(browser: Any, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Take reports, also as printed, and what a notebook shows; yield their names."""
    names = [*of_files.write_reports(FILES), *of_files.write_notebook(FILES, of_files.results())]
    for name in filter(wanted, names):
        address = (FILES / f"{name}.html").as_uri()
        for size, scheme in itertools.product(SIZES, SCHEMES):
            to = SHOTS / f"{name}-{size}-{scheme}.png"
            take(browser, address, to, SIZES[size], scheme, whole=True)
        if name.startswith("report"):
            to = SHOTS / f"{name}-printed.png"
            take(browser, address, to, PAPER, "dark", print_it, whole=True)
        yield name


def print_it(page: Any) -> None:
    """Show what would be printed, which is light in the dark as well."""
    page.emulate_media(media="print", color_scheme="dark")


def take_figures(browser: Any, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Take every kind of figure as SVG, and draw it with matplotlib; yield their names."""
    found = {f"figure-{n}": one for n, one in of_files.results().items() if wanted(f"figure-{n}")}
    if not found:
        return
    of_files.draw_with_matplotlib(SHOTS, found)
    list(of_files.write_figures(FILES, found))
    for size, scheme in itertools.product(SIZES, SCHEMES):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        page = context.new_page()
        page.goto((FILES / f"figures-{size}.html").as_uri())
        for name in found:
            page.locator(f"#{name}").screenshot(path=SHOTS / f"{name}-{size}-{scheme}.png")
        context.close()
    yield from found


def write_index(names: list[str]) -> None:
    """Write a page with all screenshots, a row for each thing."""
    rows = []
    for name in names:
        kinds = [*SIZES, "matplotlib"] if name.startswith("figure") else SIZES
        cells = [f"{name}-{kind}-{scheme}.png" for kind in kinds for scheme in SCHEMES]
        cells += [f"{name}-printed.png"] if name.startswith("report") else []
        shown = "".join(
            f'<a href="{c}"><img src="{c}" alt="{c}" loading="lazy"></a>' for c in cells
        )
        height = "figure" if name.startswith("figure") else "page"
        rows.append(f'<h2>{html.escape(name)}</h2>\n<div class="{height}">{shown}</div>')
    style = "body{font:16px system-ui;margin:2rem} div{display:flex;gap:1rem;overflow-x:auto} "
    style += "img{height:26rem;border:1px solid #999;object-fit:cover;object-position:top} "
    style += ".figure img{height:15rem}"
    text = f"<!doctype html><meta charset=utf-8><title>Shots</title><style>{style}</style>"
    (SHOTS / "index.html").write_text("\n".join([text, *rows, ""]))


def main() -> None:
    from playwright.sync_api import sync_playwright

    if not DEMO.exists():
        subprocess.run([sys.executable, "-m", "bestofk", "demo"], cwd=ROOT, check=True)
    FILES.mkdir(parents=True, exist_ok=True)
    words = [word for word in sys.argv[1:] if not word.startswith("--")]

    def wanted(name: str) -> bool:
        return not words or any(word in name for word in words)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        names = [
            name
            for taken in (take_pages, take_files, take_figures)
            for name in taken(browser, wanted)
        ]
        browser.close()
    write_index(names)
    print(SHOTS / "index.html")


if __name__ == "__main__":
    main()
