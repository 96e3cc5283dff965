"""Verdicts, the files they are written to, and the pages made of them."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from bestofk_reproduction import files, index, registry
from bestofk_reproduction.figures import (
    Area,
    Bars,
    Boxes,
    Figure,
    Grid,
    Line,
    Panel,
    Points,
    Rule,
    Words,
)
from bestofk_reproduction.verdicts import (
    Check,
    Numbers,
    Verdict,
    at_least,
    at_most,
    everywhere,
    make_verdict,
    near,
    within,
)

from bestofk import ArgumentError
from tests.conftest import ROOT
from tests.contracts import HOSTILE, ResultContract

CHECKS = (at_least("a", 2, 1), near("b", 0.5, 0.4, 0.05))


def verdict(name="tang2020-fig3", checks=CHECKS, missing="", **options):
    numbers = Numbers(figures={"a": 1.5, "b": [1, 2]}, remarks=["a remark"], missing=missing)
    return make_verdict(
        id=name, title="Something", claim="It is so.", numbers=numbers, checks=checks,
        full=False, seconds=0.25, **options,
    )  # fmt: skip


def test_it_holds_if_every_check_does():
    assert verdict(checks=CHECKS[:1]).holds is True
    assert verdict().holds is False
    assert verdict(checks=(), missing="no data").holds is None


@pytest.mark.parametrize(
    ("check", "inside", "outside"),
    [
        (lambda v: at_least("x", v, 1.0), 1.0, 0.99),
        (lambda v: at_most("x", v, 1.0), 1.0, 1.01),
        (lambda v: within("x", v, 0.0, 1.0), 0.0, 1.01),
        (lambda v: near("x", v, 1.0, 0.1), 1.05, 1.2),
        (lambda v: everywhere("x", v), np.ones(3), np.array([1, 0, 1])),
        (lambda v: everywhere("x", v, 0.5), np.array([1, 0]), np.array([0, 0])),
        (lambda v: at_most("x", v, 1.0), -np.inf, np.nan),
    ],
)
def test_checks(check, inside, outside):
    assert check(inside).holds is True
    assert check(outside).holds is False


class TestVerdictContract(ResultContract):
    def make(self, label="cnn"):
        return verdict(checks=(Check(f"{label} is ahead", 0.5, "yes", True), *CHECKS))

    # It is about a claim, not about n scores in one direction.
    test_dict_says_what_made_it_and_what_to_doubt = None

    def test_dict_begins_with_its_kind_and_fits_its_schema(self):
        """Its schema is not one of bestofk's own in docs/schema."""
        plain = self.make().to_dict()
        assert list(plain)[:4] == ["kind", "schema", "validity", "reasons"]
        assert plain["kind"] == "verdict"
        assert plain["schema"] == 1

    def test_dict_has_claim_figures_and_whether_it_holds(self):
        plain = self.make().to_dict()
        assert plain["claim"] == "It is so."
        assert plain["figures"] == {"a": 1.5, "b": [1, 2]}
        assert plain["holds"] is False
        assert plain["caveats"] == [
            {"kind": "remark", "about": [], "text": "a remark", "remedy": "", "validity": "holds"}
        ]

    def test_it_can_be_read_back(self):
        plain = self.make().to_dict()
        assert Verdict.from_dict(plain).to_dict() == plain


# As in docs/verdicts.json of version 0.1.0: caveats are plain sentences, `seconds` is left out.
OF_0_1_0 = {
    "id": "dodge2021-fig1",
    "title": "Expected value, variance and MSE of U, V and W",
    "claim": "V has the lowest MSE.",
    "figures": {"maximum": 0.93},
    "holds": True,
    "missing": "",
    "full": False,
    "checks": [{"says": "bias of U", "ours": 2.25, "wanted": "at most 4", "holds": True}],
    "caveats": ["the true curve is a sum over the bag, where the paper averages 50,000 maxima"],
}


def test_a_verdict_of_version_0_1_0_is_read():
    read = Verdict.from_dict(OF_0_1_0)
    plain = read.to_dict()
    assert {name: plain[name] for name in OF_0_1_0 if name != "caveats"} == {
        name: value for name, value in OF_0_1_0.items() if name != "caveats"
    }
    assert [str(caveat) for caveat in read.caveats] == OF_0_1_0["caveats"]
    assert [caveat.kind for caveat in read.caveats] == ["remark"]
    assert read.validity == "holds"
    assert Verdict.from_dict(plain).to_dict() == plain


def test_verdicts_files_of_both_versions_are_read(tmp_path):
    old = tmp_path / "verdicts.json"
    old.write_text(json.dumps([OF_0_1_0]))
    verdicts = index.read(old)
    folder = tmp_path / "new"
    folder.mkdir()
    index.write(verdicts, folder)
    again = index.read(folder / "verdicts.json")
    assert [v.to_dict() for v in again] == [v.to_dict() for v in verdicts]
    assert index.markdown_page(again) == index.markdown_page(verdicts)


def test_the_verdicts_in_the_docs_are_read():
    path = ROOT / "docs" / "verdicts.json"
    plain, read = json.loads(path.read_text()), index.read(path)
    assert [v.id for v in read] == list(registry.reproductions())
    assert [v.holds for v in read] == [one["holds"] for one in plain]
    texts = [[c if isinstance(c, str) else c["text"] for c in one["caveats"]] for one in plain]
    assert [[str(c) for c in v.caveats] for v in read] == texts


def test_files(tmp_path):
    table = {"budgets": np.array([1.0, 2.0]), "name": np.array(["a", "b"], dtype=object)}
    numbers = Numbers(figures={"x": np.inf}, tables={"t": table})
    files.write_numbers(verdict(), numbers, tmp_path)
    assert json.loads((tmp_path / "verdict.json").read_text())["holds"] is False
    stored = json.loads((tmp_path / "numbers.json").read_text())
    assert stored == {
        "figures": {"x": None},
        "tables": {"t": {"budgets": [1, 2], "name": ["a", "b"]}},
    }
    rows = list(csv.DictReader((tmp_path / "t.csv").read_text().splitlines()))
    assert rows[1] == {"budgets": "2.0", "name": "b"}


def test_index_page_has_every_claim_escaped_beside_its_figure(tmp_path):
    (tmp_path / "tang2020-fig3").mkdir()
    (tmp_path / "tang2020-fig3" / "figure.png").write_bytes(b"x")
    hostile = verdict("moss2018-fig1", checks=(Check(HOSTILE, 1.0, HOSTILE, True),))
    gone = verdict("dodge2021-fig2", checks=(), missing="no scores")
    page = index.html_page([verdict(), hostile, gone], tmp_path)
    assert "<script>" not in page
    assert "src='tang2020-fig3/figure.png'" in page
    assert "src='moss2018-fig1/figure.png'" not in page
    assert "not available" in page
    assert "no scores" in page
    assert (
        "1 of 3 figures and tables hold; 1 does not; 1 cannot be checked, since data are missing."
        in page
    )
    assert "http" not in page


def test_markdown_page_says_what_holds():
    page = index.markdown_page([verdict(), verdict("dodge2021-fig2", checks=(), missing="gone")])
    assert "since data are missing. Does not hold: `tang2020-fig3`." in page
    assert "### `tang2020-fig3`: Something\n\n**Does not hold**: It is so.\n" in page
    assert "### `dodge2021-fig2`: Something\n\n**Not available**: It is so.\n" in page
    assert "| b | 0.5 (**no**) | 0.4 ± 0.05 |" in page
    assert "- gone" in page
    assert "- a remark" in page


def test_markdown_page_has_a_column_for_each_case():
    checks = [at_least(f"{case}: share", ours, 0.5) for case, ours in (("a|b", 0.75), ("c", 0.25))]
    checks += [near("c: mean", 2, 1, 1), at_most("b", 1, 2)]
    page = index.markdown_page([verdict(checks=tuple(checks))])
    assert "| check | a\\|b | c | wanted |\n| --- | --- | --- | --- |\n" in page
    assert "| share | 0.75 | 0.25 (**no**) | at least 0.5 |" in page
    assert "| c: mean | 2 | 1 ± 1 |\n| b | 1 | at most 2 |" in page
    other = [at_least("a: share", 1, 0.5), at_least("b: share", 1, 0.25)]
    page = index.markdown_page([verdict(checks=tuple(other))])
    assert "| share | 1 | 1 | at least 0.5 / at least 0.25 |" in page


def test_markdown_page_says_once_what_is_true_of_three_figures():
    names = [f"tang2020-fig{i}" for i in range(1, 5)]
    page = index.markdown_page([verdict(name) for name in names])
    assert page.count("a remark") == 1
    assert "- a remark (all of them)" in page
    page = index.markdown_page([*map(verdict, names[:2])])
    assert page.count("- a remark\n") == 2


def test_unknown_names_are_refused_with_a_hint():
    with pytest.raises(
        ArgumentError, match="no figure or table 'tang-fig3'.*Did you mean 'tang2020"
    ):
        registry.find("tang-fig3")


def test_every_mark_can_be_drawn(tmp_path):
    from bestofk_reproduction import drawing

    x = np.array([1.0, 2.0, 3.0])
    marks = [
        Line(x=x, y=np.array([1, np.inf, 2]), label="$_line", step=True),
        Area(x=x, lower=np.array([0, -np.inf, 0]), upper=np.array([np.inf, 2, 2])),
        Points(x=x, y=x, lower=x - 1, upper=x + 1, label="points"),
        Bars(x=x, heights=x, width=0.5, label="bars"),
        Boxes(x=[1.0, 2.0], samples=[x, x]),
        Rule(at=1.5),
        Rule(at=1.5, vertical=True, label="rule"),
    ]
    grid = Grid(shares=np.array([[0.2, 0.8]]), rows=["a"], columns=["$b", "c"])
    words = Words(head=["x", "y"], rows=[["1", "$2"]])
    figure = Figure(
        panels=[
            [Panel(title="$a", x_label="x", y_label="y", marks=marks, log_x=True,
                   second=[Line(x=x, y=x)], second_label="right")],
            [Panel(title="b", x_label="x", y_label="y", marks=[grid])],
            [Panel(title="c", x_label="", y_label="", marks=[words])],
        ]
    )  # fmt: skip
    for path in drawing.save_figure(figure, tmp_path / "all"):
        assert path.stat().st_size > 3000
