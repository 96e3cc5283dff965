"""Debian's Chromium driven by Playwright, and pages served by the real command."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from tests.web.conftest import make_file, make_store

PATIENCE = 120_000  # ms: a busy machine is waited for; only a fault takes longer


@pytest.fixture(scope="session")
def chromium():
    """A headless browser; everything it runs is on this machine."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("no chromium here (apt-get install chromium)")
    api = pytest.importorskip("playwright.sync_api")
    api.expect.set_options(timeout=PATIENCE)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def expect(chromium):
    """What is waited for, as long as it takes."""
    from playwright.sync_api import expect

    return expect


class Served:
    """`bestofk serve` in a process of its own."""

    def __init__(self, *words):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bestofk", "serve", *words, "--port", "0"],
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        line = self.process.stderr.readline()
        found = re.fullmatch(r"page: (http://127\.0\.0\.1:\d+)/\?token=(\S+)\n", line)
        assert found, line + self.process.stderr.read()
        self.root, self.token = found.groups()

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE / 1000)
        self.process.stderr.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("browser")


@pytest.fixture(scope="session")
def served(chromium, folder):
    server = Served(make_store(folder), make_file(folder), "--score", "accuracy")
    yield server
    server.close()


@pytest.fixture
def visit(chromium, served):
    """Open a path of the page; at the end there must have been no error in the console.

    Where `refused` is expected, the browser's own line about an answer of 4xx is none.
    """
    said, contexts = [], []

    def go(path, server=served, *, refused=False, **options):
        context = chromium.new_context(**{"viewport": {"width": 1100, "height": 900}, **options})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        own = "Failed to load resource: the server responded with a status of 4"
        page.on("console", lambda m: said.append(m.text) if m.type == "error" and not (
            refused and m.text.startswith(own)) else None)  # fmt: skip
        page.on("pageerror", lambda e: said.append(str(e)))
        page.on("request", lambda r: None if r.url.startswith(server.root) or r.url.startswith(
            ("data:", "blob:")) else said.append(f"asked for {r.url}"))  # fmt: skip
        page.goto(f"{server.root}{path}{'&' if '?' in path else '?'}token={server.token}")
        return page

    yield go
    for context in contexts:
        context.close()
    assert said == []
