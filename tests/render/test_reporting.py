"""The report: one file with every section, nothing of the user's taken for markup."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields, replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import bestofk as bk
from bestofk._base.chart.data import COLOURS
from bestofk.errors import MissingPackageError, in_python, in_report, on_command_line
from bestofk.render.findings import Costs, Table
from bestofk.render.library import records_in
from bestofk.render.record import of_search
from bestofk.render.report.content import ReportPage, report_page
from bestofk.render.report.search_table import search_table
from bestofk.render.view import View
from bestofk.render.words import capital
from bestofk.scores.trial import SAMPLING_CAVEATS
from bestofk.web.pages.compare import compare_page
from bestofk.web.pages.search import search_page

HOSTILE = "<script>alert('x')</script>\\input{/etc/passwd} ${x}$ | `a` ../../b"
SECTIONS = ["Verdict", "By budget", "Caveats", "Assumptions", "Methods paragraph", "More figures",
            "How the searches were run", "How to reproduce"]  # fmt: skip


def searches(rng, n=30, label="cnn"):
    def one(name, shift):
        values = rng.beta(2 + shift, 2, n)
        return bk.Search(
            {"acc": values, "test": values - 0.01}, metric="acc", test="test", label=name,
            params={"lr": rng.uniform(size=n).tolist(), HOSTILE: ["<b>"] * n}, costs=np.ones(n),
            bounds=(0, 1),
        )  # fmt: skip

    return [one(label, 0), one("b", 3)]


# What a browser would fetch or run: elements, attributes, and words of a style sheet.
FETCHED = {"script", "link", "base", "img", "image", "iframe", "frame", "object", "embed", "use",
           "foreignobject", "video", "audio", "source", "track", "form", "input", "button",
           "animate", "set", "a"}  # fmt: skip
LINKS = ("src", "srcset", "href", "xlink:href", "data", "action", "poster", "background", "ping")


class Outline(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links, self.text, self.styles = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [v for k, v in attrs if k in LINKS or k.startswith("on")]
        self.styles += [v for k, v in attrs if k == "style"]

    def handle_data(self, data):
        (self.styles if self.tags[-1:] == ["style"] else self.text).append(data)

    def outside(self):
        """Return what the page asks for, or would run."""
        asked = [s for s in self.styles if re.search(r"url\s*\(|@import|image-set|expression", s)]
        return [*sorted(FETCHED & set(self.tags)), *self.links, *asked]


def outline(page):
    found = Outline()
    found.feed(page)
    return found


def parts(figure, name):
    return [e for e in figure.iter() if e.get("data-part") == name]


@pytest.mark.parametrize(
    "text",
    [
        "<script>1</script>",
        '<img src="http://x/y.png">',
        '<svg><image xlink:href="http://x/y.png"/></svg>',
        '<svg><a href="x"></a></svg>',
        '<p style="background: url(http://x)">',
        "<style>@import 'x.css';</style>",
        '<p onclick="x()">',
    ],
)
def test_what_asks_for_something_from_outside_is_seen(text):
    assert outline(text).outside()


def test_html_is_whole_and_asks_for_nothing_from_outside(rng, tmp_path):
    text = bk.report(searches(rng), tmp_path / "r.html").read_text(encoding="utf-8")
    page = outline(text)
    assert page.outside() == []
    assert "default-src 'none'" in text  # nor would a browser ask
    drawn = [ET.fromstring(found) for found in re.findall(r"<svg.*?</svg>", text, re.DOTALL)]
    assert len(drawn) == page.tags.count("svg") == 8  # four, for a wide window and for a phone
    counts = (3, 3, 3, 3, 2, 2, 2, 2)  # curves and cost have the difference below; CDF; test
    for figure, lines in zip(drawn, counts, strict=True):
        assert len(parts(figure, "line")) == lines
        assert [e.text for e in parts(figure, "legend")] == ["cnn", "b"]
    words = "".join(page.text)
    places = [words.index(section) for section in [*SECTIONS, "References"]]
    assert places == sorted(places)
    assert bk.compare(searches(np.random.default_rng(0))).labels[1] in words


def test_words_of_a_figure_stand_out_from_its_ground_by_night_as_well(rng, tmp_path):
    """They take the page's colour, light at night: a ground of its own needs its own colour."""
    text = bk.report(searches(rng), tmp_path / "r.html").read_text(encoding="utf-8")
    assert "currentColor" in text
    (rule,) = re.findall(r"figure svg \{(.*?)\}", text)
    named = {part.partition(":")[0].strip() for part in rule.split(";")}
    assert ("background" in named) == ("color" in named)


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_every_form_has_every_section_and_the_numbers_of_the_library(rng, tmp_path, form):
    two = searches(rng)
    text = bk.report(two, tmp_path / f"r.{form}", budgets=[1, 5], confidence=0.8).read_text(
        encoding="utf-8"
    )
    assert all(section in text for section in SECTIONS)
    duel = bk.compare(two, confidence=0.8, budgets=[1, 5])
    row = duel.ranking(5)[0]
    assert f"{row['estimate']:.4g}" in text
    assert f"{row['lower']:.4g}, {row['upper']:.4g}" in text
    assert "80 \\%" in text if form == "tex" else "80 %" in text
    beside = (tmp_path / "r.bib").read_text(encoding="utf-8") if form == "tex" else text
    assert "@inproceedings{lourie2024" in beside
    assert "independent draws" in text


@pytest.mark.parametrize("form", ["html", "md", "tex"])
def test_names_are_harmless(rng, tmp_path, form):
    text = bk.report(
        searches(rng, label=HOSTILE), tmp_path / f"r.{form}", title=HOSTILE, command=HOSTILE
    ).read_text(encoding="utf-8")
    assert "<script>" not in text
    assert "\\input{/etc" not in text or form != "tex"
    if form == "html":
        assert "alert('x')" not in text
        assert HOSTILE in "".join(outline(text).text)
        assert outline(text).outside() == []
    for figure in tmp_path.glob("*.svg"):
        assert outline(figure.read_text(encoding="utf-8")).outside() == []
    assert sorted(p.name for p in tmp_path.iterdir())[-1] == f"r.{form}"


def test_the_verdict_of_one_search_is_its_band(rng, tmp_path):
    one = searches(rng)[0]
    page = report_page([of_search("cnn", one)], View(confidence=0.8))
    band = bk.tuning_band(one, confidence=0.8)
    at = band.at(5)  # the largest of 1, 2, 5, ... that 30 trials can bound
    said = (
        f"If the trials are independent draws (nothing says so): median best of 5 trials: "
        f"{at.estimate:.4g} (80 % band over all budgets {at.lower:.4g} to {at.upper:.4g}). "
        f"30 trials bound it from above up to a budget of {int(band.reach)}."
    )
    assert page.verdict == said
    remedy = in_python(SAMPLING_CAVEATS["unknown"].remedy)
    assert band.summary == f"{said} {capital(remedy)}."  # which a reader of a report cannot follow
    stated = report_page([of_search("cnn", replace(one, sampling="iid"))], View(confidence=0.8))
    assert stated.verdict.startswith("Median best of 5 trials: ")
    assert stated.verdict.endswith(f"from above up to a budget of {int(band.reach)}.")
    assert (page.validity, stated.validity) == ("assumed", "holds")
    assert page.table.head == ("budget", "estimate", "lower", "upper")


def test_the_unbiased_estimator_has_no_band(rng, tmp_path):
    page = report_page(
        [of_search(s.label, s) for s in searches(rng)], View(statistic="mean", estimator="u")
    )
    assert [f.name for f in page.figures] == ["curves", "test"]
    assert "tang2020" in page.bibtex
    assert page.table.head == ("budget", "method", "estimate")


def test_failed_trials_are_told(rng, tmp_path):
    search = bk.Search({"acc": [0.1, np.nan, 0.3]}, sampling="iid", label="x")
    with pytest.raises(bk.DataError, match="Pass failed="):
        bk.report(search, tmp_path / "r.md")
    text = bk.report(search, tmp_path / "r.md", failed="worst").read_text(encoding="utf-8")
    assert "Trials that failed or were pruned count as the worst score." in text
    assert "1 of 3 trials failed" in text


def words(page):
    return "".join(piece.text for piece in page.methods)


def named(*labels, n=20, sampling="iid", **options):
    rng = np.random.default_rng(1)
    return [
        of_search(label, bk.Search({"acc": rng.beta(2, 2, n)}, label=label, sampling=sampling,
                                   **options))
        for label in labels
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("n", "bounds", "direction", "said"),
    [
        (1, None, "maximize", "Median best of 1 trial: 0.9 (95 % band over all budgets: not "
                              "bounded). 1 trial cannot bound it from above, not even for 1 "
                              "trial."),
        (10, None, "maximize", "Median best of 8 trials: 0.9 (95 % band over all budgets: at least "
                               "0.5)."),
        (10, None, "minimize", "Median best of 8 trials: 0 (95 % band over all budgets: at most "
                               "0.4)."),
        (10, (0, 1), "maximize", "Median best of 8 trials: 0.9 (95 % band over all budgets 0.5 to "
                                 "1)."),
        (9, None, "minimize", "9 trials bound it from below up to a budget of 1."),
    ],
)  # fmt: skip
def test_the_verdict_names_no_bound_that_is_none(n, bounds, direction, said):
    values = (np.arange(n)[::-1] + 10 - n) / 10
    search = bk.Search(
        {"acc": values}, bounds=bounds, direction=direction, label="x", sampling="iid"
    )
    budgets = [8] if n == 10 else None  # more than ten trials can bound
    view = View(simultaneous="real")
    verdict = report_page([of_search("x", search)], view, budgets=budgets).verdict
    assert "inf" not in verdict
    assert said in verdict
    assert "inf" not in report_page([of_search("x", search)], View(), budgets=budgets).verdict


@pytest.mark.parametrize(
    ("view", "said"),
    [
        (View(statistic=0.9), "0.9-quantile of the best of 1 trial: "),
        (View(statistic="mean"), "Mean best of 2 trials: "),
        (View(statistic="mean", estimator="u"), "Mean best of 10 trials: "),
    ],
)
def test_the_verdict_names_its_statistic(view, said):
    verdict = report_page(named("a"), view).verdict
    assert verdict.startswith(said)
    assert ("band" in verdict) == view.with_band


def test_the_budget_of_a_verdict_does_not_depend_on_the_scores(rng):
    def at(values, **options):
        search = bk.Search({"acc": values}, sampling="iid", label="x")
        return report_page([of_search("x", search)], View(confidence=0.8), **options).verdict[:30]

    said = {at(rng.beta(a, 2, 48)).partition(":")[0] for a in (0.5, 2, 9)}
    assert said == {"Median best of 10 trials"}  # 48 trials reach 11
    assert at(rng.uniform(size=48), budgets=[1, 3, 20]).startswith("Median best of 3 trials")
    assert at(rng.uniform(size=48), budgets=[20]).startswith("Median best of 20 trials")


def test_many_methods_stand_below_each_other(rng):
    page = report_page(named(*"abcdef"), View())
    assert page.table.head == ("trials", "1", "2", "5", "10", "20")
    assert [row[0] for row in page.table.rows] == [*"abcdef"]
    few = report_page(named(*"abcd"), View())
    assert few.table.head == ("trials", *"abcd")
    assert page.table.rows[0][1].startswith(few.table.rows[0][1].partition(" ")[0])
    two = report_page(named("a", "b"), View())
    assert two.table.head == ("trials", "a", "b", "certified best")
    assert two.ranks.rows == ()


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_many_methods_are_ranked_by_budget_a_row_each(rng, direction):
    """Not a row for every two of them; ranks are those of the library."""
    sign = 1 if direction == "maximize" else -1
    searches = [
        bk.Search({"acc": sign * rng.normal(shift, 1, 60)}, label=f"m{i}", sampling="iid",
                  direction=direction)
        for i, shift in enumerate(np.linspace(0, 8, 12))
    ]  # fmt: skip
    page = report_page([of_search(s.label, s) for s in searches], View())
    duel = bk.compare(searches)
    assert len(page.ranks.rows) == 12
    assert page.ranks.rows[0][0] == "m11"
    for place, k in enumerate(page.ranks.head[1:], start=1):
        ranks = {r["label"]: (r["best_rank"], r["worst_rank"]) for r in duel.ranking(float(k))}
        for row in page.ranks.rows:
            low, _, high = row[place].partition(" to ")
            assert ranks[row[0]] == (int(low), int(high or low))
    assert any(row[1] != "1 to 12" for row in page.ranks.rows)
    assert "95 % confidence" in page.ranks_caption


def test_what_goes_for_several_methods_is_said_once():
    page = report_page(named("a", "a: b", "c", sampling="unknown"), View())
    assert [str(c)[:36] for c in page.caveats] == [
        "a, a: b, c: how the trials were draw",
        "nothing says that the searches are i",
    ]
    every = report_page(named(*"abcde", sampling="unknown"), View())
    assert [str(c)[:24] for c in every.caveats] == ["all methods: how the tri"]
    assert every.notes == ()  # the verdict says it
    assert every.verdict.count("nothing says so") == 1


def test_notes_are_one_line_a_kind():
    records = [
        of_search(x, bk.Search({"acc": [0.1, 0.1, 0.3, 0.4 + i]}, label=x, sampling="iid",
                               caveats=[f"doubt {i}"]))
        for i, x in enumerate("abc")
    ]  # fmt: skip
    page = report_page(records, View())
    assert len(page.notes) == 3  # ties, what the user said, and whether they are independent
    assert "a: doubt 0; b: doubt 1; c: doubt 2" in page.notes


@pytest.mark.parametrize(
    ("sampling", "said"),
    [
        ("iid", "were drawn independently at random"),
        ("unknown", "We assume that trials are independent draws"),
        ("without-replacement", "of b is descriptive, because the settings were drawn without"),
        ("adaptive", "of b is descriptive, because the settings were chosen adaptively"),
    ],
)  # fmt: skip
def test_the_methods_paragraph_says_how_trials_were_drawn(sampling, said):
    mixed = [*named("a"), *named("b", sampling=sampling)]
    text = words(report_page(mixed, View()))
    assert said in text
    assert ("descriptive" in text) == (sampling not in ("iid", "unknown"))


def test_draws_that_were_only_stated_say_so(tmp_path):
    drawn = "drawn independently at random from a fixed search space"
    assert f"{drawn} (as stated); number of trials" in words(report_page(named("a"), View()))
    url = f"sqlite:///{tmp_path}/runs.db"
    bk.run_search(half, {"x": bk.space.uniform(0, 1)}, n_trials=4, seed=1, name="a", store=url,
                  score="acc", n_workers=0)  # fmt: skip
    stored = records_in(url)
    assert f"{drawn}; number of trials" in words(report_page(stored, View()))
    both = report_page([*stored, *named("b")], View())
    assert f"{drawn} (as stated)" in words(both)


def half(params, trial):
    return {"acc": params["x"] / 2}


@pytest.mark.parametrize(
    ("metric", "test", "called"),
    [("val_acc", None, "validation score"), ("acc", "held_out", "validation score"),
     ("acc", None, "score"), ("test_acc", None, "score"), ("train_acc", "held_out", "score")],
)  # fmt: skip
def test_only_validation_scores_are_called_that(metric, test, called):
    values = {m: np.linspace(0, 1, 9) for m in (metric, test) if m}
    page = report_page([of_search("a", bk.Search(values, metric=metric, test=test))], View())
    assert f"the median of the largest {called} among k trials" in words(page)
    assert all(f"has the best {called} among k." in f.caption for f in page.figures[2:])
    assert len(page.figures) == (3 if test else 2)


def test_a_report_names_its_seed_if_it_has_a_range_from_resampled_pilots(rng):
    def about(*records):
        page = report_page(records, View())
        return page.verdict, dict(page.reproduce)["randomness of this report"]

    a, b = (
        of_search(x, bk.Search({"acc": rng.normal(size=40)}, label=x, sampling="iid")) for x in "ab"
    )
    verdict, randomness = about(a, b)
    assert "resampled pilots" in verdict
    assert randomness == (
        "the numbers of trials that would decide come from resampled pilots, drawn with seed 0; "
        "all others are computed exactly"
    )
    alone, randomness = about(a)
    assert "resampled" not in alone
    assert randomness == "none: all numbers are computed exactly"


def test_the_methods_paragraph_claims_what_was_computed():
    one = words(report_page(named("a"), View(confidence=0.8, simultaneous="real")))
    assert "covers the curve at all k simultaneously with exactly 80 % confidence" in one
    assert "it comes from a band for the distribution function by highest-density" in one
    two = words(report_page(named("a", "b"), View(confidence=0.8, simultaneous="real")))
    assert "Each of the 2 bands covers" in two
    assert "with exactly 90 % confidence" in two
    assert "Together they hold with at least 80 % confidence" in two
    for view in (View(statistic="mean"), View(band="dkw")):
        assert "with at least 95 % confidence" in words(report_page(named("a"), view))


@pytest.mark.parametrize(
    ("view", "covers"),
    [
        (View(), "at every whole number k of trials simultaneously with at least "),
        (View(simultaneous="real"), "at all k simultaneously with exactly "),
        (View(band="ks"), "at all k simultaneously with exactly "),
        (View(simultaneous="listed"), "at k = 1, 2, 5, chosen in advance, simultaneously with at "),
        (View(simultaneous="range"), "at all k from 1 to 5, chosen in advance, simultaneously with "
                                     "exactly "),
    ],
)  # fmt: skip
def test_a_report_says_at_which_budgets_its_bands_hold(view, covers):
    """At whole or listed budgets the coverage is a step function: what is reached is more."""
    for labels, level in ((("a",), "95 %"), (("a", "b"), "97.5 %")):
        page = report_page(named(*labels), view, budgets=[1, 2, 5])
        text = words(page)
        assert f"the curve {covers}" in text
        assert f"{covers.rpartition(' with ')[2].removeprefix('at ')}{level} confidence" in text
        assert ("distribution function" in text) == (" at all k simul" in text)
        where = {"listed": "at 3 listed budgets, 1 to 5 at once",
                 "range": "at all budgets from 1 to 5 at once",
                 None: "at every whole number of trials at once"}  # fmt: skip
        said = "at every budget at once" if "at all k simul" in text else where[view.simultaneous]
        assert said in page.figures[0].caption


def test_a_list_of_budgets_is_not_one_of_costs(rng):
    """Without a cost asked for there is no figure at equal cost; with one it is refused."""
    records = [of_search(s.label, s) for s in searches(rng)]
    view = View(confidence=0.8, simultaneous="listed")
    page = report_page(records, view, budgets=[1, 2])
    assert "cost" not in [f.name for f in page.figures]
    with pytest.raises(bk.ArgumentError, match="about numbers of trials, not about costs"):
        report_page(records, view, budgets=[1, 2], costs=Costs(limit=60.0))


def test_a_search_before_its_planned_end_has_a_caveat():
    whole, half = named("a", "b")
    records = [replace(whole, planned=20), replace(half, planned=40)]
    caveat, independent = report_page(records, View()).caveats
    assert independent.kind == "independence"
    assert str(caveat).startswith("b: 20 of 40 planned trials have ended")
    assert caveat.about == ("b",)
    assert report_page(records[:1], View()).caveats == ()
    assert search_page(records[0], View()).caveats == ()
    assert search_page(records[1], View()).caveats == (replace(caveat, about=()),)
    assert set(compare_page(records, View()).caveats) == {caveat, independent}


def test_at_equal_cost_there_is_a_verdict_too(rng):
    two = searches(rng)
    page = report_page([of_search(s.label, s) for s in two], View(confidence=0.8))
    (figure,) = [f for f in page.figures if f.name == "cost"]
    duel = bk.compare(two, confidence=0.8, axis="cost")
    assert figure.caption.endswith(in_report(duel.marked_verdict))
    assert "At equal total cost C a method runs floor(C / c) trials" in words(page)
    assert "the same for every trial" in words(page)
    assert "whole number of trials that it pays for" in page.assumptions[-1]
    without = report_page(named("a", "b"), View())
    assert "At equal total cost" not in words(without)
    assert "cost" not in "".join(without.assumptions)


def test_hyperparameters_that_nobody_named_are_missed():
    facts = dict(report_page(named("a"), View()).searches[0].facts)
    assert facts["hyperparameters"] == "not recorded"
    asked = search_table(named("a")[0], in_python).facts
    assert dict(asked)["hyperparameters"] == "not recorded; params= to read() names their columns"
    typed = report_page(named("a"), View(), worded=on_command_line).searches[0].facts
    assert dict(typed)["hyperparameters"] == "not recorded; --params names their columns"
    known = report_page(named("a", params={"lr": list(range(20))}), View())
    assert "hyperparameters" not in dict(known.searches[0].facts)


def test_a_figure_beside_the_text_is_where_the_text_says(rng, tmp_path):
    text = bk.report(searches(rng), tmp_path / "my report.md").read_text(encoding="utf-8")
    named = re.findall(r"!\[Figure \d\]\((.*?)\)", text)
    assert len(named) == 4
    for name in named:
        figure = ET.fromstring((tmp_path / name).read_text(encoding="utf-8"))
        assert figure.tag == "{http://www.w3.org/2000/svg}svg"
        assert len(parts(figure, "line")) in (2, 3)


@pytest.mark.parametrize("form", ["html", "md"])
def test_figures_for_the_screen_need_no_matplotlib(rng, tmp_path, monkeypatch, form):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert bk.report(searches(rng), tmp_path / f"r.{form}").read_text(encoding="utf-8")
    with pytest.raises(MissingPackageError, match="needs matplotlib"):
        bk.report(searches(rng), tmp_path / "r.tex")


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


@pytest.mark.parametrize("standalone", [True, False])
def test_latex_sets(rng, tmp_path, standalone):
    """The report is set without an error, hostile names included."""
    if shutil.which("pdflatex") is None:
        pytest.skip("no pdflatex here (apt-get install texlive-latex-recommended)")
    several = [*searches(rng, label=f"{HOSTILE} β₁"), *searches(rng), *searches(rng, label="d")]
    named = {s.label + str(i): s for i, s in enumerate(several)}
    bk.report(named, tmp_path / "r.tex", standalone=standalone)
    if not standalone:
        part = (tmp_path / "r.tex").rename(tmp_path / "part.tex")
        head = r"\documentclass[twocolumn]{article}\usepackage[T1]{fontenc}\usepackage{textcomp}"
        packages = r"\usepackage{booktabs,graphicx,tabularx}\begin{document}"
        tail = r"\bibliographystyle{plain}\bibliography{r}\end{document}"
        document = f"{head}{packages}\n\\input{{{part.stem}}}\n{tail}"
        (tmp_path / "r.tex").write_text(document, encoding="utf-8")
    line = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "r.tex"]
    for words in (line, ["bibtex", "r"], line):
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
        said = done.stdout.decode(errors="replace")
        assert done.returncode == 0, said[-2000:]
        assert "warning" not in said.lower() or words is line, said


def test_the_page_can_be_plain(rng):
    two = searches(rng)
    page = report_page([of_search(s.label, s) for s in two], View(confidence=0.8))
    plain = [page.verdict, page.table.rows, page.searches[0].facts]
    verdict, rows, facts = json.loads(json.dumps(plain, allow_nan=False))
    duel = bk.compare(two, confidence=0.8)
    assert verdict == in_report(duel.marked_verdict)
    assert [row[0] for row in rows] == ["1", "2", "5", "10", "20", "30"]
    for row in rows:
        shown = {r["label"]: f"{r['estimate']:.4g}" for r in duel.ranking(float(row[0]))}
        assert [cell.partition(" ")[0] for cell in row[1:3]] == [shown["cnn"], shown["b"]]
    assert dict(facts)["number of search trials"] == "30 (30 complete)"


class TestLatex:
    def test_it_is_a_part_of_a_document_with_its_references_beside(self, rng, tmp_path):
        text = bk.report(searches(rng), tmp_path / "my report.tex").read_text(encoding="utf-8")
        assert "documentclass" not in text
        assert "\\begin{document}" not in text
        assert "clearpage" not in text
        assert "my-report.bib" in text.partition("\\subsection")[0]
        cited = {k for keys in re.findall(r"\\cite\{(.*?)\}", text) for k in keys.split(",")}
        beside = (tmp_path / "my-report.bib").read_text(encoding="utf-8")
        assert cited == set(re.findall(r"^@\w+\{(\w+),", beside, re.MULTILINE))
        for name in re.findall(r"includegraphics\{(.*?)\}", text):
            assert (tmp_path / name).exists()

    def test_standalone_is_a_document_with_everything_in_it(self, rng, tmp_path):
        text = bk.report(searches(rng), tmp_path / "r.tex", standalone=True).read_text(
            encoding="utf-8"
        )
        assert text.startswith("\\begin{filecontents*}")
        assert "\\documentclass{article}" in text
        assert text.endswith("\\end{document}\n")
        assert not (tmp_path / "r.bib").exists()
        part = bk.report(searches(rng), tmp_path / "part.tex").read_text(encoding="utf-8")
        assert "\\subsection*{Caveats}" in part
        assert "\\subsection*{Caveats}" in text


def test_searches_are_folded_where_nothing_was_recorded(tmp_path):
    """Also the negative control: what is known is open."""
    bare = bk.Search({"acc": [0.1, 0.2, 0.3]}, label="x")
    known = replace(bare, params={"lr": (1, 2, 3)})
    folded = '<details><summary><h2 id="searches">'
    opened = '<details open><summary><h2 id="searches">'
    for search, mark in ((bare, folded), (known, opened)):
        text = bk.report(search, tmp_path / "r.html").read_text(encoding="utf-8")
        assert mark in text
        assert (folded in text) != (opened in text)


@pytest.mark.parametrize(
    ("sampling", "standing"),
    [("iid", "holds"), ("unknown", "assumed"), ("adaptive", "void: descriptive only")],
)
def test_validity_stands_beside_the_title(tmp_path, sampling, standing):
    search = bk.Search({"acc": [0.1, 0.2, 0.3]}, label="x", sampling=sampling)
    text = bk.report(search, tmp_path / "r.html").read_text(encoding="utf-8")
    (badge,) = re.findall(r'<span class="badge".*?>(.*?)</span>', text)
    assert badge == standing


def test_a_figure_of_many_methods_is_said_to_be_what_it_is(rng):
    few, many = (report_page(named(*"abcdef"[:n]), View()) for n in (4, 5))
    assert "Shaded: 95 % bands" in few.figures[0].caption
    assert "Shaded" not in many.figures[0].caption
    assert "which ranks it can have" in many.figures[0].caption
    assert "bands" in few.figures[1].caption
    assert "bands" not in many.figures[1].caption


def sizes_in(text):
    return [tuple(map(int, s)) for s in re.findall(r'<svg[^>]*?width="(\d+)" height="(\d+)"', text)]


def test_the_first_figure_is_wide_whatever_it_is_called(tmp_path):
    """That of repeats, their comparison, was drawn half as wide."""
    rng = np.random.default_rng(0)
    two = {
        label: bk.Repeats.of_array(rng.random((9, 8)) + i, seeds=range(9), label=label)
        for i, label in enumerate("ab")
    }
    text = bk.report(two, tmp_path / "r.html").read_text(encoding="utf-8")
    first, phone, *others = [width for width, _ in sizes_in(text)]
    assert first > others[0] > phone
    assert others[1::2] == [phone] * len(others[1::2])  # each figure is drawn for a phone as well


def test_a_report_and_the_page_share_one_look(rng, tmp_path):
    from importlib.resources import files

    look = (files("bestofk.render") / "templates" / "look.css").read_text(encoding="utf-8")
    text = bk.report(searches(rng), tmp_path / "r.html").read_text(encoding="utf-8")
    assert look.strip() in text
    for colour in COLOURS:  # data can be read in the dark
        assert f'[stroke="{colour}"]' in look
        assert f'[fill="{colour}"]' in look
    assert "@media screen and (prefers-color-scheme: dark)" in look  # print is light
    app = (files("bestofk.web") / "static" / "app.css").read_text(encoding="utf-8")
    for token in re.findall(r"(--[\w]+):", look):
        assert f"{token}:" not in app
    for rule in (".verdict {", ".badge {", "[stroke=", "table {"):
        assert rule in look
        assert f"\n{rule}" not in app


def test_a_table_that_would_be_cut_beside_the_figure_stands_under_it(tmp_path):
    short, long = Table(head=("k", "a"), rows=(("1", "0.5"),)), "x > y; x > z; y > z"
    wide = Table(head=("k", "certified ahead"), rows=(("1", 4 * long),))
    assert short.letters == 4
    assert wide.letters == 1 + 4 * len(long)
    assert Table(head=("k", "certified ahead"), rows=()).letters == 1 + len("certified")
