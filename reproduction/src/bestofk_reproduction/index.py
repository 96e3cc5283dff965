"""Write the page that shows every figure beside the paper's claim, and the page of the docs."""

from __future__ import annotations

import html
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bestofk_reproduction.verdicts import Check, Verdict, shown

PAPERS = {
    "dodge2021": "Dodge, Gururangan, Card, Schwartz, Smith. Expected Validation Performance and "
    "Estimation of a Random Variable's Maximum. Findings of EMNLP 2021.",
    "tang2020": "Tang, Lee, Xin, Liu, Yu, Lin. Showing Your Work Doesn't Always Work. ACL 2020.",
    "lourie2024": "Lourie, Cho, He. Show Your Work with Confidence: Confidence Bands for Tuning "
    "Curves. NAACL 2024.",
    "moss2018": "Moss, Leslie, Rayson. Using J-K-fold Cross Validation to Reduce Variance When "
    "Tuning NLP Models. COLING 2018.",
}
WORDS = {True: "holds", False: "does not hold", None: "not available"}
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem; }
section { border-top: 1px solid #999; padding: 1rem 0; }
.pair { display: flex; flex-wrap: wrap; gap: 1.5rem; } .pair > * { flex: 1 1 24rem; }
img { max-width: 100%; height: auto; } table { border-collapse: collapse; font-size: 13px; }
td, th { border-bottom: 1px solid #ccc; padding: 2px 8px; text-align: left; }
.holds { color: #00634a; } .fails { color: #a23b00; } .none { color: #555; }
@media (prefers-color-scheme: dark) { body { background: #1b1b1b; color: #e6e6e6; }
 img { background: #fff; }
 .holds { color: #4cc9a0; } .fails { color: #ff9b66; } .none { color: #aaa; } }
"""


def summary(verdicts: Sequence[Verdict]) -> str:
    """Return one sentence that says how many claims hold.

    Examples
    --------
    >>> summary([])
    '0 of 0 figures and tables hold.'
    """
    count = {word: sum(v.holds is word for v in verdicts) for word in (True, False, None)}
    said = f"{count[True]} of {len(verdicts)} figures and tables hold"
    if count[False]:
        said += f"; {count[False]} {'does' if count[False] == 1 else 'do'} not"
    if count[None]:
        said += f"; {count[None]} cannot be checked, since data are missing"
    return said + "."


def write(verdicts: Sequence[Verdict], folder: Path) -> Path:
    """Write ``index.html`` and ``verdicts.json`` into a folder of reproductions.

    Returns the path of the page.
    """
    page = folder / "index.html"
    page.write_text(html_page(verdicts, folder), encoding="utf-8")
    plain = [{k: v for k, v in x.to_dict().items() if k != "seconds"} for x in verdicts]
    text = json.dumps(plain, indent=1, allow_nan=False, ensure_ascii=False)
    (folder / "verdicts.json").write_text(text + "\n", encoding="utf-8")
    return page


def read(path: Path) -> list[Verdict]:
    """Read the verdicts of a ``verdicts.json``, of this version or an earlier one."""
    plain = json.loads(path.read_text(encoding="utf-8"))
    return [Verdict.from_dict(one) for one in plain]


def html_page(verdicts: Sequence[Verdict], folder: Path) -> str:
    """Return the index page of a folder of reproductions."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>bestofk reproduce</title><style>{_STYLE}</style></head><body>",
        "<h1>The papers' figures and tables</h1>",
        f"<p>{html.escape(summary(verdicts))}</p>",
    ]
    for paper, cited in PAPERS.items():
        of_paper = [v for v in verdicts if v.id.startswith(f"{paper}-")]
        if of_paper:
            parts.append(f"<h2>{html.escape(cited)}</h2>")
            parts += [_section(v, folder) for v in of_paper]
    return "\n".join([*parts, "</body></html>\n"])


def _section(verdict: Verdict, folder: Path) -> str:
    kind = {True: "holds", False: "fails", None: "none"}[verdict.holds]
    figure = f"{verdict.id}/figure.png"
    image = (
        f"<a href='{verdict.id}/figure.pdf'><img src='{figure}' "
        f"alt='{html.escape(verdict.title_of, quote=True)}'></a>"
        if (folder / figure).is_file()
        else ""
    )
    head, rows = verdict.table()
    cells = "".join(f"<th>{html.escape(h)}</th>" for h in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows
    )
    notes = [*map(str, verdict.caveats), *([verdict.missing] if verdict.missing else [])]
    remarks = "".join(f"<li>{html.escape(n)}</li>" for n in notes)
    table = f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>" if rows else ""
    return (
        f"<section id='{verdict.id}'><h3>{verdict.id}: {html.escape(verdict.title_of)}</h3>"
        f"<div class='pair'><div>{image}</div><div><p>{html.escape(verdict.claim)}</p>"
        f"<p class='{kind}'><strong>{WORDS[verdict.holds]}</strong>"
        f"{' (paper size)' if verdict.full else ''}</p>{table}"
        f"{f'<ul>{remarks}</ul>' if remarks else ''}</div></div></section>"
    )


def markdown_page(verdicts: Sequence[Verdict]) -> str:
    """Return the verdicts as Markdown: each claim of each paper, whether it holds, its checks."""
    failed = ", ".join(f"`{v.id}`" for v in verdicts if v.holds is False)
    lines = [summary(verdicts) + (f" Does not hold: {failed}." if failed else ""), ""]
    for paper, cited in PAPERS.items():
        of_paper = [v for v in verdicts if v.id.startswith(f"{paper}-")]
        lines += [f"## {cited}", ""]
        told = Counter(note for v in of_paper for note in _notes(v))
        common = [note for note, times in told.items() if times >= 3]
        for note in common:
            about = [f"`{v.id}`" for v in of_paper if note in _notes(v)]
            where = "all of them" if len(about) == len(of_paper) else ", ".join(about)
            lines += [f"- {note} ({where})", ""]
        for v in of_paper:
            size = ", paper size" if v.full else ""
            verdict = f"**{WORDS[v.holds].capitalize()}{size}**: {v.claim}"
            lines += [f"### `{v.id}`: {v.title_of}", "", verdict, "", *_tables(v.checks)]
            notes = [f"- {note}" for note in _notes(v) if note not in common]
            lines += [*notes, ""] if notes else []
    return "\n".join(lines)


def _notes(verdict: Verdict) -> list[str]:
    return [*map(str, verdict.caveats), *([verdict.missing] if verdict.missing else [])]


def _tables(checks: Sequence[Check]) -> list[str]:
    """Return the checks as tables: with a column for each case where they repeat, then the rest."""
    cases = _cases(checks)
    lines = []
    if cases:
        lines += [
            f"| check | {' | '.join(map(_cell, cases))} | wanted |",
            f"|{' --- |' * (len(cases) + 2)}",
        ]
        for row in zip(*cases.values(), strict=True):
            wanted = list(dict.fromkeys(check.wanted for check in row))
            if len(wanted) > 1:
                wanted = [check.wanted for check in row]
            cells = [_cell(row[0].says.partition(": ")[2]), *map(_ours, row)]
            lines.append(f"| {' | '.join(cells)} | {_cell(' / '.join(wanted))} |")
        lines.append("")
    rest = [c for c in checks if not any(c in column for column in cases.values())]
    if rest:
        lines += ["| check | ours | wanted |", "| --- | --- | --- |"]
        lines += [f"| {_cell(c.says)} | {_ours(c)} | {_cell(c.wanted)} |" for c in rest]
        lines.append("")
    return lines


def _cases(checks: Sequence[Check]) -> dict[str, list[Check]]:
    """Return the checks that are made of several cases, "LSTM: ..." and "MLP: ...", by case."""
    split = [(*c.says.partition(": ")[::2], c) for c in checks]
    times = Counter(says for _, says, _ in split if says)
    cases: dict[str, list[Check]] = {}
    for case, says, check in split:
        if times[says] > 1:
            cases.setdefault(case, []).append(check)
    same = {tuple(c.says.partition(": ")[2] for c in column) for column in cases.values()}
    return cases if len(same) == 1 else {}


def _ours(check: Check) -> str:
    return shown(check.ours) if check.holds else f"{shown(check.ours)} (**no**)"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
