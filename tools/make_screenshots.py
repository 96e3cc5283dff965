"""Take the screenshots of the page that docs/page.md shows; needs Debian's chromium.

Run `bestofk demo` first, in the folder where this is called.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs/images"
SHOTS = {
    "page-compare": ("/compare?name=ridge&name=network&confidence=0.9", 1000, 900, "light"),
    "page-search": ("/search?name=network", 1000, 900, "light"),
    "page-live": ("/live?name=ridge", 390, 800, "dark"),
}


def main() -> None:
    from playwright.sync_api import sync_playwright

    server = subprocess.Popen(
        [sys.executable, "-m", "bestofk", "serve", "bestofk-demo/bestofk.db", "--port", "0"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        found = re.search(r"(http://\S+)/\?token=(\S+)", server.stderr.readline())
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            for name, (path, width, height, scheme) in SHOTS.items():
                size = {"width": width, "height": height}
                page = browser.new_page(viewport=size, color_scheme=scheme)
                page.goto(f"{found[1]}{path}&token={found[2]}")
                page.locator("#chart[data-drawn]").wait_for()
                page.screenshot(path=FOLDER / f"{name}.png")
            browser.close()
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
