"""Check the built site: every link and image leads somewhere, nothing is loaded from the net.

python tools/check_site.py build/docs
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[1]
REPOSITORY = "https://github.com/bestofk/bestofk/blob/main/"
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}
LOADING_LINKS = {"stylesheet", "preload", "icon", "modulepreload", "preconnect"}
IN_STYLE = re.compile(r"(?:url\(|@import)\s*[\"']?(https?:|//)")


class Page(HTMLParser):
    """What one page links to, loads and can be linked at."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take down what a tag links to, loads or names."""
        has = {name: value or "" for name, value in attrs}
        self.anchors |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        if tag == "link" and LOADING_LINKS & {*has.get("rel", "").split()}:
            self.loaded.append(has["href"])
        if LOADED.get(tag, "") in has:
            self.loaded.append(has[LOADED[tag]])
        if IN_STYLE.search(has.get("style", "")):
            self.loaded.append(has["style"])


def is_elsewhere(link: str) -> bool:
    return link.startswith(("http:", "https:", "//", "mailto:"))


def wrong(folder: Path, root: Path = ROOT) -> list[str]:
    """Return a line for each link that leads nowhere and each thing loaded from elsewhere."""
    paths = [p for p in sorted(folder.resolve().rglob("*.html")) if "_static" not in p.parts]
    pages = {path: Page(path.read_text()) for path in paths}
    found = [] if pages else [f"{folder}: there is no page"]
    for path, page in pages.items():
        name = path.relative_to(folder.resolve())
        found += [f"{name} loads {link}" for link in page.loaded if is_elsewhere(link)]
        inside = [link for link in page.links + page.loaded if not is_elsewhere(link)]
        for link in dict.fromkeys(inside):
            if link.startswith(("data:", "javascript:")):
                continue
            parts = urlsplit(link)
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                found.append(f"{name} links to {link}, which is not there")
            elif target in pages and unquote(parts.fragment) not in pages[target].anchors:
                found.append(f"{name} links to {link}, which has no such place")
        ours = [link for link in page.links if link.startswith(REPOSITORY)]
        for link in dict.fromkeys(ours):
            if not (root / urlsplit(link.removeprefix(REPOSITORY)).path).exists():
                found.append(f"{name} links to {link}, which is not in the repository")
    for sheet in folder.rglob("*.css"):
        if IN_STYLE.search(sheet.read_text()):
            found.append(f"{sheet.relative_to(folder)} loads from the net")
    return found


def main(folder: str) -> int:
    found = wrong(Path(folder))
    print("\n".join(found) or "docs: every link of the site leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
