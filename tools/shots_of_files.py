"""What `make shots` looks at beside the served pages: reports, notebooks and figures, as files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from matplotlib import style as styles

import bestofk as bk
from bestofk._base.chart.matplotlib import draw
from bestofk._base.chart.svg import to_svg
from bestofk._base.result import Drawn

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.render.figures import FIGURES, attempts, many  # noqa: E402

HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width"><title>Shots</title>'
)
# A notebook's own colours on light and dark, as Jupyter has them; nothing of ours.
NOTEBOOK = """<style>
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui; margin: 1rem; background: #fff; color: #212121; }
@media (prefers-color-scheme: dark) { body { background: #111; color: #e0e0e0; } }
table { border-collapse: collapse; font-size: 12px; } th, td { padding: .3em .6em; }
pre { opacity: .7; margin: 1.5rem 0 .3rem; font-size: 12px; white-space: pre-wrap; }
</style>"""
WIDTHS = {"laptop": (680, 340), "phone": (360, 260)}  # pixels of a figure


def results() -> dict[str, Drawn]:
    """Return a result of every kind that has a figure."""
    return {name: make() for name, make in FIGURES.items()}


def write_reports(folder: Path) -> list[str]:
    """Write the reports, and return their names."""
    example = bk.datasets.load_example()
    scores = example["svm"].scores().values
    told = {
        "report-two": example,
        "report-one": {"svm": example["svm"]},
        "report-many": many(),
        "report-void": {"tpe": bk.Search({"accuracy": scores}, sampling="adaptive")},
        "report-attempts": [attempts("large model", 0.9), attempts("small model", 1.8, 1)],
        "report-repeats": bk.datasets.load_repeats(),
    }
    for name, given in told.items():
        bk.report(given, folder / f"{name}.html", command=f"bestofk report … --output {name}.html")
    return list(told)


def write_notebook(folder: Path, found: dict[str, Drawn]) -> list[str]:
    """Write one page with what a notebook shows of several results, and return its name."""
    shown = {
        "search": bk.datasets.load_example()["svm"],
        "search with failed trials": bk.Search({"score": [0.5, None, 0.7, 0.6, None, 0.9]}),
        "void": bk.tuning_band(bk.Scores([0.5, 0.7, 0.9], sampling="adaptive", label="tpe")),
        "attempts": attempts("large model", 0.9),
        "repeats": bk.datasets.load_repeats()["tpe"],
        **found,
    }
    cells = [f"<pre>{name}</pre>{_shown(thing)}" for name, thing in shown.items()]
    text = "\n".join([HEAD, NOTEBOOK, "<main>", *cells, "</main></html>"])
    (folder / "notebook.html").write_text(text)
    return ["notebook"]


def _shown(thing: object) -> str:
    made = getattr(thing, "_repr_html_", None)
    return f"<pre>{thing!r}</pre>" if made is None else str(made())


def write_figures(folder: Path, found: dict[str, Drawn]) -> Iterator[str]:
    """Write a page of all figures for each size of window, and yield their names."""
    look = (ROOT / "src/bestofk/render/templates/look.css").read_text()
    for size, (width, height) in WIDTHS.items():
        own = f"body {{ margin: 0; }} figure {{ margin: 0; padding: 8px; width: {width + 16}px; }}"
        drawn = [
            f'<figure id="{name}">{to_svg(one.chart(), width=width, height=height)}</figure>'
            for name, one in found.items()
        ]
        head = [HEAD, f"<style>{look}\n{own}</style>", "<main>"]
        (folder / f"figures-{size}.html").write_text("\n".join([*head, *drawn, "</main></html>"]))
        yield f"figures-{size}"


def draw_with_matplotlib(folder: Path, found: dict[str, Drawn]) -> None:
    """Draw all figures with matplotlib, in its own style and in its dark one."""
    for look, scheme in (("default", "light"), ("dark_background", "dark")):
        with styles.context(look):
            for name, one in found.items():
                draw(one.chart(), folder / f"{name}-matplotlib-{scheme}.png", "png")
