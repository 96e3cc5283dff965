"""``bestofk check``: are the trials independent draws?"""

from __future__ import annotations

from typing import Annotated

from bestofk.cli.options import DataOptions, FormatOption, PlotOption, opt, takes_data


@takes_data
def check(
    data: DataOptions,
    false_alarm: Annotated[float, opt("How often a truly random search may be flagged.")] = 0.02,
    format: FormatOption = "table",
    plot: PlotOption = None,
) -> None:
    """Test whether the trials look like independent draws.

    Trends over the start order, repeats beyond chance, neighbours that resemble each other, what is
    known about the sampler, and trials that did not end. With --strict, exit code 3 if they do not.

    Example: bestofk check bestofk-demo/svm.csv --score accuracy --params C,gamma
    """
    from bestofk.cli import output
    from bestofk.iid import check_iid

    output.check_figure(plot)
    found = [check_iid(search, false_alarm=false_alarm) for search in data.searches().values()]
    output.show(found, format, every=True)
    output.save_each(found, plot)
    if data.strict and not all(result.passed for result in found):
        output.fail("strict: the trials are not independent draws, see above", 3)
