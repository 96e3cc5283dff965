"""Templates to HTML, Markdown and LaTeX.  Every value is escaped unless it is marked `Raw`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from bestofk.errors import needing

Form = Literal["html", "md", "tex"]


class Raw(str):
    """Text that a template takes as it is: our own, never the user's."""

    __slots__ = ()


# What could be markup for somebody; control characters and line breaks become a space.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#!|$~^]|^[-+=](?=[-+=\s]|$)|^\d+(?=[.)](?:\s|$)))")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"{'}",
    "-": r"{-}",  # two or three in a row would become a dash
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "−": "$-$",
    "µ": r"$\mu$",
}
for _letter in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ":
    _name = unicodedata.name(_letter).split()[-1].replace("LAMDA", "LAMBDA")  # as Unicode spells
    _LATEX[_letter] = rf"$\{_name.lower() if _letter.islower() else _name.title()}$"
_LATEX |= {chr(0x2080 + i): f"$_{i}$" for i in range(10)}


def to_markdown(value: object) -> str:
    r"""Return text that Markdown shows as it is, also inside a table.

    Examples
    --------
    >>> print(to_markdown("a|b <script>"))
    a\|b &lt;script&gt;
    """
    text = _CONTROLS.sub(" ", str(value)).replace("&", "&amp;")
    text = _MARKDOWN.sub(lambda m: _backslashed(m[1]), text)
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _backslashed(found: str) -> str:
    """Escape one character, or the number that would begin a list by the mark after it."""
    return f"&#{ord(found[0])};{found[1:]}" if found[0].isdigit() else f"\\{found}"


def to_latex(value: object) -> str:
    r"""Return text that LaTeX sets as it is.

    Examples
    --------
    >>> print(to_latex(r"50 % of \input{x}"))
    50 \% of \textbackslash{}input\{x\}
    """
    text = _CONTROLS.sub(" ", str(value))
    return "".join(_LATEX.get(c, c) for c in text)


def in_code(value: object) -> Raw:
    """Return text for a fenced block of Markdown: nothing in it can close the fence."""
    return Raw(str(value).replace("`", "'"))


_ESCAPES: dict[str, Callable[[object], str]] = {"md": to_markdown, "tex": to_latex}


@cache
def environment(form: Form) -> Any:
    """Return the templates of one kind of text."""
    with needing("a report or page", "jinja2", "show"):
        import jinja2
    options: dict[str, Any] = {"autoescape": True}
    if form != "html":
        escape = _ESCAPES[form]

        def finalize(value: object) -> str:
            return value if isinstance(value, Raw) else escape(value)

        options = {"autoescape": False, "finalize": finalize}
    if form == "tex":  # braces and percent signs mean something there
        options |= {
            "block_start_string": "<%",
            "block_end_string": "%>",
            "variable_start_string": "<<",
            "variable_end_string": ">>",
            "comment_start_string": "<#",
            "comment_end_string": "#>",
        }
    return jinja2.Environment(
        loader=jinja2.PackageLoader("bestofk.render", "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **options,
    )


def compiled() -> None:
    """Compile the templates of pages, so that whoever comes first does not wait for it."""
    templates = environment("html")
    for name in templates.list_templates(extensions=["html"]):
        templates.get_template(name)


def render(name: str, form: Form, /, **context: Any) -> str:
    """Return the template `name` of this form, filled."""
    text: str = environment(form).get_template(f"{name}.{form}").render(**context)
    return text
