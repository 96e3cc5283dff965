"""The documentation site, opened from a folder: nothing from the net, search, dark mode."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def site(chromium, tmp_path_factory):
    """The pages as `make docs-check` builds them, but for the notebooks, which are not run."""
    folder = tmp_path_factory.mktemp("site")
    words = ["--quiet", "--doctree-dir", folder / "trees", "--define", "nb_execution_mode=off"]
    command = [sys.executable, "-m", "sphinx", *words, ROOT / "docs", folder / "html"]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "html").as_uri()


@pytest.fixture
def page(chromium, request):
    context = chromium.new_context(color_scheme=getattr(request, "param", "light"))
    opened, asked = context.new_page(), []
    opened.on("request", lambda one: asked.append(one.url))
    yield opened
    context.close()
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []


@pytest.mark.parametrize("name", ["index", "api/bestofk.compare", "gallery/index", "attempts"])
def test_pages_open_from_a_folder(site, page, expect, name):
    page.goto(f"{site}/{name}.html")
    expect(page.locator("h1")).to_be_visible()
    broken = "[...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
    assert page.evaluate(broken) == []


def test_search_finds_a_function_without_a_server(site, page, expect):
    page.goto(f"{site}/search.html?q=tuning_band")
    expect(page.locator("#search-results li a").first).to_contain_text("tuning_band")


@pytest.mark.parametrize("page", ["dark"], indirect=True)
def test_it_is_dark_where_the_reader_wants_that(site, page):
    page.goto(f"{site}/index.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(int(part) for part in colour.strip("rgba()").split(",")[:3]) < 150
