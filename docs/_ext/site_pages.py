"""What the pages of the site need beyond Markdown: cards, and links that leave docs/."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any, ClassVar

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

OUTSIDE = re.compile(r"\]\(((?:\.\./)+[^)#\s]+)")


class Cards(SphinxDirective):
    """Cards, one per line `page | title | text | image`, and the pages in the table of contents.

    A page that is not there is an error, unless its line begins with a question mark.
    """

    has_content = True
    option_spec: ClassVar = {"columns": str, "toctree": lambda text: True}

    def run(self) -> list[nodes.Node]:
        lines = [f"::::{{grid}} {self.options.get('columns', '1 2 2 3')}", ":gutter: 3", ""]
        there = []
        for line in self.content:
            page, title, text, *image = (part.strip() for part in line.lstrip("? ").split("|"))
            if line.startswith("?") and page not in self.env.found_docs:
                continue
            there.append(page)
            options = [f":link: /{page}", ":link-type: doc", *(f":img-top: {i}" for i in image)]
            lines += [f":::{{grid-item-card}} {title}", *options, "", text, ":::"]
        if not there:
            return []
        lines += ["::::", ""]
        if "toctree" in self.options:
            lines += ["```{toctree}", ":hidden:", "", *(f"/{page}" for page in there), "```"]
        node = nodes.container()
        self.state.nested_parse(StringList(lines, source=self.env.docname), 0, node)
        return node.children


def leave(app: Sphinx, docname: str, source: list[str]) -> None:
    """Let relative links to files outside docs/ lead to the repository.

    And leave out the empty line that ends an example for doctest.
    """
    folder = PurePosixPath("docs", docname).parent

    def absolute(match: re.Match[str]) -> str:
        parts: list[str] = []
        for part in (folder / match[1]).parts:
            parts = parts[:-1] if part == ".." else [*parts, part]
        if parts[0] == "docs":
            return match[0]
        return f"]({app.config.site_repository}{'/'.join(parts)}"

    source[0] = OUTSIDE.sub(absolute, source[0]).replace("\n\n```\n", "\n```\n")


def include(app: Sphinx, path: Any, docname: str, content: list[str]) -> None:
    """Let the links of CHANGELOG.md, which stand as seen from the root, be those of a page."""
    text = content[0].replace("](docs/schema)", "](json.md)").replace("](docs/", "](")
    content[0] = re.sub(r"\]\((?=[A-Z]\w+\.)", f"]({app.config.site_repository}", text)


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_config_value("site_repository", "", "env")
    app.add_directive("cards", Cards)
    app.connect("source-read", leave)
    app.connect("include-read", include)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
