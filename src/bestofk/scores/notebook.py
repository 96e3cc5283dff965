"""What a notebook shows of a search: trials, best, failed, how drawn, and its scores."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

import numpy as np

from bestofk._base import notebook
from bestofk._base.caveat import grouped, weakest
from bestofk._base.text import format_number
from bestofk.scores.trial import STATES, Sampling, with_sampling

if TYPE_CHECKING:
    from bestofk.scores.search import Search

_DRAWN: dict[Sampling, str] = {
    "iid": "independent draws (random search)",
    "without-replacement": "drawn without replacement (a grid or a list)",
    "adaptive": "adaptive: later settings depend on earlier scores",
    "unknown": "not known",
}


def search_html(search: Search) -> str:
    """Return a search as HTML, with a strip of its scores in start order."""
    is_complete = np.array([state == "complete" for state in search.states], dtype=bool)
    values = np.where(is_complete, search.metrics[search.metric], np.nan)
    up = search.direction == "maximize"
    counts = [f"{search.states.count(s):,} {s}" for s in STATES if s in search.states]
    facts = {
        "trials": f"{search.n:,} ({', '.join(counts)})",
        "score": f"{search.metric}, {search.direction}",
        "best": "none: no trial is complete",
        "how drawn": _DRAWN[search.sampling],
    }
    best = None
    if is_complete.any():
        worst = -np.inf if up else np.inf
        known = np.where(is_complete, values, worst)
        best = (np.maximum if up else np.minimum).accumulate(known)
        at = int(known.argmax() if up else known.argmin())
        trial = int(search.numbers[at])
        facts["best"] = f"{format_number(float(known[at]))} (trial {trial}, counted from 0)"
    if search.params:
        facts["hyperparameters"] = ", ".join(search.params)
    # What is drawn from a grid of known size has a band of its own.
    own = search.caveats
    own = with_sampling(own, search.sampling) if search.grid is None else own
    validity = weakest(c.validity for c in own)
    reasons = [str(c) for c in own if c.validity != "holds"]
    title = f"{search.metric} by trial, in start order; the line is the best so far"
    rows = "".join(
        f'<tr><th style="text-align:left">{html.escape(name)}</th>'
        f'<td style="text-align:left">{html.escape(text)}</td></tr>'
        for name, text in facts.items()
    )
    mark = notebook.badge(validity, reasons)
    return "".join(
        [
            f"<p style='margin:.4em 0'><strong>Search {html.escape(repr(search.label))}</strong> ",
            f"{mark}</p>{notebook.strip(title, values, best)}{notebook.small(title)}",
            f"<table><tbody>{rows}</tbody></table>",
            notebook.caveats(grouped(own), is_open=validity != "holds"),
        ]
    )
