"""What is void is described: no report of it claims anything, in any form and view."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import bestofk as bk
from bestofk._base.caveat import Caveat
from bestofk.errors import in_report, on_command_line
from bestofk.render.findings import Costs
from bestofk.render.record import of_search
from bestofk.render.report.content import report_page
from bestofk.render.view import View
from bestofk.render.words import standing

# Words of a guarantee.  What may speak of confidence: that there is none, and titles of papers.
CLAIMS = re.compile(
    r"certified|\d \\?% |with 9|confiden|simultaneous|at least that|conservative", re.I
)
NO_CLAIM = [
    r"No confidence statement is possible",
    r"Confidence statements would need",
    r"@\w+\{.*?\n\}",
]
VOID = {
    "adaptive": {"sampling": "adaptive"},
    "grid": {"sampling": "without-replacement"},
    "proven by the records": {
        "sampling": "iid",
        "caveats": [Caveat(kind="enqueued", text="9 trials were enqueued", validity="void")],
    },
}
VIEWS = [
    View(),
    View(statistic="mean"),
    View(statistic=0.9, band="dkw"),
    View(statistic="mean", estimator="u"),
]


def claims(text):
    """Return what a text claims, as far as words tell."""
    for said in NO_CLAIM:
        text = re.sub(said, "", text, flags=re.DOTALL)
    return CLAIMS.findall(text)


def search(label="x", shift=0.0, n=48, **options):
    rng = np.random.default_rng(round(10 * shift))
    # rounded: with ties, of which a note would say that the band is conservative
    values = rng.beta(2 + shift, 2, n).round(2)
    settings = {"sampling": "iid", "bounds": (0, 1), "costs": rng.exponential(size=n), **options}
    return bk.Search({"acc": values}, label=label, **settings)


def visible(text):
    """Return what a reader of a report sees: no style sheet, no drawing."""
    text = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    figures = " ".join(re.findall(r"<text[^>]*>(.*?)</text>", text, flags=re.DOTALL))
    return re.sub(r"<[^>]+>", " ", text) + figures


@pytest.mark.parametrize("form", ["html", "md", "tex"])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("kind", VOID)
def test_a_report_of_a_void_search_claims_nothing(tmp_path, kind, view, form):
    options = {n: getattr(view, n) for n in ("statistic", "band", "estimator")}
    written = bk.report(search(**VOID[kind]), tmp_path / f"r.{form}", **options)
    assert claims(visible(written.read_text(encoding="utf-8"))) == []
    for drawn in tmp_path.glob("*.svg"):
        assert claims(drawn.read_text(encoding="utf-8")) == []
    sound = bk.report(search(), tmp_path / f"s.{form}", **options)
    said = {found.lower() for found in claims(visible(sound.read_text(encoding="utf-8")))}
    assert not view.with_band or said >= {"confiden", "simultaneous"}


@pytest.mark.parametrize("kind", VOID)
def test_the_first_line_says_why_and_what_to_do(kind):
    void = search(**VOID[kind])
    page = report_page([of_search("x", void)], View())
    assert page.verdict.startswith("No confidence statement is possible: ")
    assert page.verdict.endswith("Median best of 10 trials: 0.79 (estimate).")
    assert page.validity == "void"
    assert page.reasons == tuple(in_report(c.sentence()) for c in bk.tuning_band(void).caveats)
    assert page.table.head == ("budget", "estimate")
    assert all(s.area is None for f in page.figures for s in f.chart.series)
    sound = report_page([of_search("x", search())], View())
    assert sound.validity == "holds"
    assert any(s.area is not None for f in sound.figures for s in f.chart.series)


def of(*searches, **options):
    records = [of_search(s.label, s) for s in searches]
    return report_page(records, View(**options))


def test_two_void_searches_are_described():
    page = of(search("a", sampling="adaptive"), search("b", 3, sampling="adaptive"))
    words = " ".join([page.verdict, page.table_caption, *(f.caption for f in page.figures),
                      *page.notes, *page.assumptions, *(p.text for p in page.methods)])  # fmt: skip
    assert claims(words.replace("to certify at", "")) == []
    assert page.table.head == ("trials", "a", "b")
    assert all("[" not in cell for row in page.table.rows for cell in row)
    assert all(f.chart.ribbon is None for f in page.figures)
    assert all(s.area is None for f in page.figures for s in f.chart.series)
    sound = of(search("a"), search("b", 3))
    assert sound.table.head == ("trials", "a", "b", "certified best")
    assert sound.figures[0].chart.ribbon is not None


def test_sound_methods_keep_their_statements_beside_a_void_one():
    svm, forest, tpe = search("svm", 9), search("forest"), search("tpe", 4, sampling="adaptive")
    page = of(svm, forest, tpe)
    assert page.verdict.startswith("No confidence statement is possible for tpe: ")
    assert "svm beats forest" in page.verdict
    curves = page.figures[0].chart
    assert [s.area is not None for s in curves.series] == [True, True, False]
    assert curves.ribbon.stretches
    assert all("[" in row[1] and "[" in row[2] and "[" not in row[3] for row in page.table.rows)
    assert [row[0] for row in page.ranks.rows] == ["svm", "forest", "tpe"]
    assert page.ranks.rows[0][1] == "1"  # of the two that can be ranked
    assert set(page.ranks.rows[2][1:]) == {"–"}
    for text in (page.table_caption, page.ranks_caption, page.figures[0].caption):
        assert "tpe" in text
        assert "95 %" in text
    methods = "".join(p.text for p in page.methods)
    assert "Each of the 2 bands covers" in methods
    assert "98.33 % confidence" in methods  # the error is divided by three
    assert "The analysis of tpe is descriptive, because the settings were chosen" in methods
    assert "Those of tpe are not." in page.assumptions[0]


def test_at_estimated_mean_costs_nothing_is_claimed():
    two = [search("a", 9), search("b")]

    def cost(**options):
        records = [of_search(s.label, s) for s in two]
        page = report_page(records, View(), **options)
        return page, next(f for f in page.figures if f.name == "cost")

    page, figure = cost()
    assert page.validity == "holds"  # in trials
    assert all(s.area is None for s in figure.chart.series)
    assert figure.chart.ribbon is None
    assert "Not certified: mean costs are estimates" in figure.caption
    assert "cost_limit" not in figure.caption
    assert "is descriptive" in "".join(p.text for p in page.methods)
    for costs, said in [
        (Costs(limit=20.0), "for every c in an interval"),
        (Costs(unit={"a": 1, "b": 2}), "which is stated"),
    ]:
        page, figure = cost(costs=costs)
        assert all(s.area is not None for s in figure.chart.series)
        assert "(95 %)" in figure.caption
        assert figure.chart.ribbon is not None
        assert said in "".join(p.text for p in page.methods)
        assert any("mean cost" in n or "stated to cost" in n for n in page.notes)


def test_costs_belong_to_a_comparison(tmp_path):
    with pytest.raises(bk.ArgumentError, match="`cost_limit` belongs to a comparison of two"):
        bk.report(search(), tmp_path / "r.md", cost_limit=3)
    with pytest.raises(bk.DataError, match="needs the cost of every trial"):
        bk.report([search("a", costs=None), search("b")], tmp_path / "r.md", cost_limit=30)


def words_of(page):
    tables = [text for table in page.searches for fact in table.facts for text in fact]
    captions = [figure.caption for figure in page.figures]
    return "\n".join([page.verdict, *page.notes, *page.reasons, *captions, *tables])


def test_a_report_states_facts_and_leaves_out_how_to_call(tmp_path):
    two = [of_search(s.label, s) for s in (search("a", sampling="unknown"), search("b", 9))]
    calls = r"sampling[= ]|cost[_-]limit|independent[= ]True|--|bk\.|\bread\(|params="
    stated = report_page(two, View())
    assert not re.search(calls, words_of(stated))
    assert stated.verdict.startswith("If the trials of a are independent draws (nothing says so): ")
    assert any("joint bands are used, which hold whatever" in note for note in stated.notes)
    assert "Not certified: mean costs are estimates." in words_of(stated)
    asked = report_page(two, View(), worded=on_command_line)
    assert "State it with --sampling iid." in asked.verdict
    assert all(f"({option})" in words_of(asked) for option in ("--cost-limit", "--unit-costs"))
    assert [c.remedy for c in stated.caveats] == [c.remedy for c in asked.caveats]


def test_what_a_reader_can_do_without_bestofk_is_kept():
    page = of(search(sampling="adaptive"))
    assert "repeat the whole search with nine or more new seeds" in page.verdict
    assert not re.search(r"read_repeats|docs/", words_of(page))
    grid = of(search(sampling="without-replacement"))
    assert "To get guarantees, draw the settings independently at random." in grid.verdict


def test_assumed_is_said_once_and_briefly():
    page = of(search(sampling="unknown"))
    said = " ".join([page.verdict, *page.notes, *page.assumptions, page.table_caption])
    assert said.count("nothing says so") == 1
    assert page.validity == "assumed"
    methods = "".join(p.text for p in page.methods)
    assert methods.startswith("We assume that trials are independent draws from one search space;")
    assert methods.count("independent draws") == 1


def test_test_scores_are_told_beside_the_validation_best():
    values = np.random.default_rng(0).beta(2, 2, 40)
    tested = bk.Search({"acc": values, "test": values - 0.1}, metric="acc", test="test",
                       label="x", sampling="iid")  # fmt: skip
    page = of(tested)
    assert any("the same trial's test score is" in note for note in page.notes)


def test_an_early_look_at_a_void_search_has_no_confidence_to_lose():
    early = replace(of_search("x", search(sampling="adaptive")), planned=100)
    assert not any("loses the stated confidence" in n for n in report_page([early], View()).notes)
    sound = replace(of_search("x", search()), planned=100)
    page = report_page([sound], View())
    assert any("loses the stated confidence" in note for note in page.notes)
    assert page.validity == "assumed"


def test_a_few_words_on_what_a_page_may_claim():
    assert standing("holds", [], ["a"]) == ""
    assert standing("assumed") == "assumed"
    assert standing("void", ["a", "b"], ["a", "b"]) == "void: descriptive only"
    assert standing("void", ["a", "c"], ["a", "b", "c"]) == "void for a and c: descriptive only"


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with two tables of scores; return its exit code and remarks."""
    monkeypatch.chdir(tmp_path)
    for name, shift in (("a", 0), ("b", 9)):
        found = search(name, shift)
        rows = [f"{t.score},{t.cost}" for t in found.trials]
        (tmp_path / f"{name}.csv").write_text("\n".join(["acc,seconds", *rows]), encoding="utf-8")

    def go(line):
        from bestofk.cli.main import main

        monkeypatch.setattr("sys.argv", ["bestofk", *line.split()])
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = ended.code or 0
        return code, capsys.readouterr().err

    return go


def test_the_terminal_has_the_advice_that_a_report_leaves_out(command, tmp_path):
    line = "report a.csv b.csv --score acc --cost seconds"
    code, err = command(f"{line} -o r.md")
    assert code == 0
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert not re.search(r"--sampling|--independent|limit|params|read\(", text)
    assert "note: a, b: how the trials were drawn is not known" in err
    assert "state it with --sampling iid" in err
    assert "--independent can certify more" in err
    assert command(f"{line} -o s.md --cost-limit 30 --sampling iid")[0] == 0
    limited = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert "Not certified" not in limited
    assert "the mean cost of a trial lies between" in limited
    assert command(f"{line} -o t.md --unit-costs a=1,b=2 --sampling iid")[0] == 0
    assert "which is stated" in (tmp_path / "t.md").read_text(encoding="utf-8")


def test_strict_ends_with_3_where_the_report_is_void(command, tmp_path):
    line = "report a.csv --score acc -o r.md --strict"
    assert command(line)[0] == 0
    code, said = command(f"{line} --sampling adaptive")
    assert code == 3
    assert "void" in said
    assert "No confidence statement" in (tmp_path / "r.md").read_text(
        encoding="utf-8"
    )  # it was written
    line = "serve a.csv --score acc --check --strict"
    assert command(line)[0] == 0
    code, said = command(f"{line} --sampling adaptive")
    assert code == 3
    assert "nothing can be guaranteed about a" in said
