"""Verdicts, the files they are written to, and the pages made of them."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from bestofk import ArgumentError
from bestofk.lab import files, index, registry
from bestofk.lab.figures import (
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
from bestofk.lab.verdicts import (
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
from tests.contracts import HOSTILE, ResultContract

CHECKS = (at_least("a", 2, 1), near("b", 0.5, 0.4, 0.05))


def verdict(name="tang2020-fig3", checks=CHECKS, missing="", **options):
    numbers = Numbers(figures={"a": 1.5, "b": [1, 2]}, remarks=["a doubt"], missing=missing)
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

    # It is about a claim, not about n scores in one direction, and its picture is the paper's.
    test_dict_says_what_made_it_and_what_to_doubt = None
    test_plot_draws_on_the_axes_it_is_given = None

    def test_dict_has_claim_figures_and_whether_it_holds(self):
        plain = self.make().to_dict()
        assert plain["claim"] == "It is so."
        assert plain["figures"] == {"a": 1.5, "b": [1, 2]}
        assert plain["holds"] is False
        assert plain["caveats"] == ["a doubt"]

    def test_it_can_be_read_back(self):
        plain = self.make().to_dict()
        assert Verdict.from_dict(plain).to_dict() == plain


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
    assert "Of 3 figures and tables 1 hold, 1 do not, and 1 are not available." in page
    assert "http" not in page


def test_markdown_page_says_what_holds():
    page = index.markdown_page([verdict(), verdict("dodge2021-fig2", checks=(), missing="gone")])
    assert "| `tang2020-fig3` | It is so. | does not hold |" in page
    assert "| b | 0.5 | 0.4 ± 0.05 | **no** |" in page
    assert "- gone" in page
    assert "- a doubt" in page


def test_unknown_names_are_refused_with_a_hint():
    with pytest.raises(
        ArgumentError, match="no figure or table 'tang-fig3'.*Did you mean 'tang2020"
    ):
        registry.find("tang-fig3")


def test_every_mark_can_be_drawn(tmp_path):
    from bestofk.lab import drawing

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
