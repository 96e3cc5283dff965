"""Escaping: what the user wrote is shown as it is, in HTML, Markdown and LaTeX."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.render.jinja import Raw, in_code, to_latex, to_markdown

NASTY = st.text(alphabet=r"""\{}$&#%_^~<>|"`'-*[]()!+=1. a""" + "\n\r\0\u2028é", max_size=30)


@given(NASTY)
def test_latex_has_no_command_but_our_own(text):
    found = to_latex(text)
    names = "backslash|asciicircum|asciitilde|less|greater|bar|quotedbl|asciigrave"
    own = rf"\\(text({names})\{{\}}|[{{}}$&#%_])"
    rest = re.sub(own, "", found)
    assert not re.search(r"[\\$&#%_^~\n\r\0]", rest)
    assert rest.count("{") == rest.count("}")


@given(NASTY)
def test_markdown_keeps_to_its_line_and_cell(text):
    found = to_markdown(text)
    assert not re.search(r"[\n\r\0\u2028<>]", found)
    assert not re.search(r"(?<!\\)(\\\\)*[|`*_\[\]$]", found)


def test_markdown_does_not_begin_a_list():
    assert to_markdown("1. x") == "&#49;. x"
    assert to_markdown("- x") == r"\- x"
    assert to_markdown("---") == r"\---"
    assert to_markdown("0.95 (b)") == "0.95 (b)"


@pytest.mark.parametrize("escape", [to_latex, to_markdown])
def test_numbers_are_left_alone(escape):
    assert escape(12) == "12"
    assert escape("0.95") == "0.95"
    assert to_markdown("-0.95") == "-0.95"


def test_latex_knows_greek():
    assert to_latex("β₁ λ Ω µ") == r"$\beta$$_1$ $\lambda$ $\Omega$ $\mu$"


def test_code_cannot_close_its_fence():
    assert "```" not in in_code("a\n```\n<script>")
    assert isinstance(in_code("x"), Raw)
