"""The report: one file with every section, nothing of the user's taken for markup."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from dataclasses import fields
from html.parser import HTMLParser

import numpy as np
import pytest

import bestofk as bk
from bestofk.pages.record import of_search
from bestofk.pages.report import ReportPage, report_page
from bestofk.pages.view import View

HOSTILE = "<script>alert('x')</script>\\input{/etc/passwd} ${x}$ | `a` ../../b"
SECTIONS = ["Verdict", "Figures", "By budget", "How the searches were run",
            "Assumptions and caveats", "Methods paragraph", "How to reproduce"]  # fmt: skip


def searches(rng, n=30, label="cnn"):
    def one(name, shift):
        values = rng.beta(2 + shift, 2, n)
        return bk.Search(
            {"acc": values, "test": values - 0.01}, metric="acc", test="test", label=name,
            params={"lr": rng.uniform(size=n).tolist(), HOSTILE: ["<b>"] * n}, costs=np.ones(n),
            bounds=(0, 1),
        )  # fmt: skip

    return [one(label, 0), one("b", 3)]


class Outline(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in ("src", "href")]

    def handle_data(self, data):
        self.text.append(data)


def outline(page):
    found = Outline()
    found.feed(page)
    return found


def test_html_is_whole_and_asks_for_nothing_from_outside(rng, tmp_path):
    text = bk.report(searches(rng), tmp_path / "r.html").read_text()
    page = outline(text)
    assert "script" not in page.tags
    assert all(link.startswith("data:image/svg+xml;base64,") for link in page.links)
    pictures = [base64.b64decode(link.partition(",")[2]) for link in page.links]
    assert len(pictures) == 4  # curves, cost, CDF, test
    assert all(p.startswith(b"<?xml") for p in pictures)
    words = "".join(page.text)
    assert all(section in words for section in SECTIONS)
    assert bk.compare(searches(np.random.default_rng(0))).labels[1] in words


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_every_form_has_every_section_and_the_numbers_of_the_library(rng, tmp_path, form):
    two = searches(rng)
    text = bk.report(two, tmp_path / f"r.{form}", budgets=[1, 5], confidence=0.8).read_text()
    assert all(section in text for section in SECTIONS)
    duel = bk.compare(two, confidence=0.8, budgets=[1, 5])
    row = duel.ranking(5)[0]
    assert f"{row['estimate']:.4g}" in text
    assert f"{row['lower']:.4g}, {row['upper']:.4g}" in text
    assert "80 \\%" in text if form == "tex" else "80 %" in text
    assert "@inproceedings{lourie2024" in text
    assert "not known" in text  # the caveat about sampling


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_names_are_harmless(rng, tmp_path, form):
    text = bk.report(
        searches(rng, label=HOSTILE), tmp_path / f"r.{form}", title=HOSTILE, command=HOSTILE
    ).read_text()
    assert "<script>" not in text
    assert "\\input{/etc" not in text or form != "tex"
    if form == "html":
        assert "alert('x')" not in text
        assert HOSTILE in "".join(outline(text).text)
    assert sorted(p.name for p in tmp_path.iterdir())[-1] == f"r.{form}"


def test_the_verdict_of_one_search_is_its_band(rng, tmp_path):
    one = searches(rng)[0]
    page = report_page([of_search("cnn", one)], View(confidence=0.8))
    band = bk.tuning_band(one, confidence=0.8)
    at = band.at(10)
    assert f"between {at.lower:.4g} and {at.upper:.4g} (estimate {at.estimate:.4g})" in page.verdict
    assert "best of 10 trials of cnn" in page.verdict
    assert page.table.head == ("budgets", "estimate", "lower", "upper")


def test_the_unbiased_estimator_has_no_band(rng, tmp_path):
    page = report_page(
        [of_search(s.label, s) for s in searches(rng)], View(statistic="mean", estimator="u")
    )
    assert [f.name for f in page.figures] == ["curves", "test"]
    assert "tang2020" in page.bibtex
    assert page.table.head == ("budgets", "method", "values")


def test_failed_trials_are_told(rng, tmp_path):
    search = bk.Search({"acc": [0.1, np.nan, 0.3]}, sampling="iid", label="x")
    with pytest.raises(bk.DataError, match="Pass failed="):
        bk.report(search, tmp_path / "r.md")
    text = bk.report(search, tmp_path / "r.md", failed="worst").read_text()
    assert "Trials that failed or were pruned count as the worst score." in text
    assert "1 of 3 trials failed" in text


def test_a_figure_beside_the_text_is_where_the_text_says(rng, tmp_path):
    text = bk.report(searches(rng), tmp_path / "my report.md").read_text()
    named = re.findall(r"!\[Figure \d\]\((.*?)\)", text)
    assert named
    assert all((tmp_path / name).read_text().startswith("<?xml") for name in named)


def test_every_field_of_the_page_says_what_it_is():
    assert all(f.metadata["help"] for f in fields(ReportPage))


@pytest.mark.parametrize(
    ("path", "kind", "message"),
    [("r.pdf", bk.ArgumentError, "must end in .html, .md or .tex; got 'r.pdf'"),
     ("none/r.md", bk.DataError, "there is no folder")],
)  # fmt: skip
def test_a_file_that_cannot_be_written_is_refused_first(tmp_path, path, kind, message):
    with pytest.raises(kind, match=message):
        bk.report([], tmp_path / path)


def test_nothing_to_report_is_refused(tmp_path):
    with pytest.raises(bk.ArgumentError, match="one or more searches with a finished trial"):
        bk.report([], tmp_path / "r.md")


def test_latex_sets(rng, tmp_path):
    """The report is set without an error, hostile names included."""
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here (apt-get install texlive-latex-recommended)")
    bk.report(searches(rng, label=HOSTILE), tmp_path / "r.tex")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"],
        cwd=tmp_path, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


def test_the_page_can_be_plain(rng):
    page = report_page([of_search(s.label, s) for s in searches(rng)], View())
    json.dumps([page.verdict, page.table.rows, page.searches[0].facts], allow_nan=False)
