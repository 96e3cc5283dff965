"""``bestofk curve``: tuning curves of the searches in files."""

from __future__ import annotations

from bestofk._result import Result
from bestofk.cli.options import (
    BandOption,
    BudgetsOption,
    ConfidenceOption,
    DataOptions,
    EstimatorOption,
    Format,
    FormatOption,
    PlotOption,
    StatisticOption,
    parse_budgets,
    parse_statistic,
    takes_data,
)
from bestofk.errors import ArgumentError


@takes_data
def curve(
    data: DataOptions,
    statistic: StatisticOption = "median",
    estimator: EstimatorOption = None,
    confidence: ConfidenceOption = None,
    band: BandOption = None,
    budgets: BudgetsOption = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Print how good the best of k trials is, for every budget k.

    With --confidence or --band (then 0.95), a band that holds at every budget at once.
    Several files are several methods, and so are the values of --by in one file.
    Data go to standard output, remarks to standard error. JSON of one method
    is an object, of several a list of objects.

    Example: bestofk curve bestofk-demo/example.csv --score accuracy --by method --confidence 0.95
    """
    from bestofk import curves
    from bestofk.cli import output

    output.check_figure(plot)
    wanted, of_best = parse_budgets(budgets), parse_statistic(statistic)
    with_band = confidence is not None or band is not None
    if with_band and estimator not in (None, "v"):
        raise ArgumentError(
            f"a band is drawn around the plug-in estimate V; got --estimator {estimator}. "
            "Leave out --estimator, or --confidence and --band."
        )
    found: list[Result] = []
    for scores in data.scores().values():
        if with_band:
            from bestofk import bands  # only now: it loads scipy

            found.append(
                bands.tuning_band(
                    scores,
                    statistic=of_best,
                    confidence=0.95 if confidence is None else confidence,
                    method=band or "ld-highest-density",  # type: ignore[arg-type]
                    budgets=wanted,
                )
            )
        else:
            # with --test the estimator may be meant for the test curve alone
            meant = of_best == "mean" or data.test is None
            found.append(
                curves.tuning_curve(
                    scores,
                    statistic=of_best,
                    estimator=estimator if meant else None,  # type: ignore[arg-type]
                    budgets=wanted,
                )
            )
        if data.test is not None:
            found.append(
                curves.selected_test_curve(
                    scores,
                    estimator=estimator or "v",  # type: ignore[arg-type]
                    budgets=wanted,
                )
            )
    output.show(found, format, every=wanted is not None)
    output.save(found, plot)
