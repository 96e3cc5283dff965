"""``bestofk check``: are the trials independent draws?"""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli.options import DataOptions, Format, FormatOption, takes_data


@takes_data
def check(
    data: DataOptions,
    false_alarm: Annotated[
        float,
        typer.Option("--false-alarm", help="How often a truly random search may be flagged."),
    ] = 0.02,
    format: FormatOption = Format.table,
) -> None:
    """Test what the data show about whether the trials are independent draws.

    Trends over the start order, repeats beyond chance, neighbours that resemble each other, what is
    known about the sampler, and trials that did not end. Exit code 0 whatever it finds.

    Example: bestofk check bestofk-demo/svm.csv --score accuracy --params C,gamma
    """
    from bestofk.cli import output
    from bestofk.iid import check_iid

    found = [check_iid(search, false_alarm=false_alarm) for search in data.searches().values()]
    output.show(found, format, every=True)
