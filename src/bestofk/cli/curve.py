"""``bestofk curve``: tuning curves of the searches in files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bestofk.cli.options import (
    BandOption,
    BoundsOption,
    BudgetsOption,
    By,
    ConfidenceOption,
    Cost,
    DataOptions,
    DirectionOption,
    EstimatorOption,
    FailedOption,
    Files,
    Format,
    FormatOption,
    Params,
    PlotOption,
    SamplingOption,
    Score,
    StatisticOption,
    Test,
    parse_budgets,
    parse_statistic,
)
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from bestofk._result import Result


def curve(
    files: Files,
    score: Score = None,
    by: By = None,
    direction: DirectionOption = "maximize",
    statistic: StatisticOption = "median",
    estimator: EstimatorOption = None,
    confidence: ConfidenceOption = None,
    band: BandOption = None,
    budgets: BudgetsOption = None,
    bounds: BoundsOption = None,
    failed: FailedOption = "raise",
    cost: Cost = None,
    test: Test = None,
    params: Params = None,
    sampling: SamplingOption = None,
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
    from bestofk import bands, curves, plotting
    from bestofk.cli import output

    options = DataOptions(
        score=score,
        by=by,
        cost=cost,
        test=test,
        params=params,
        direction=direction,
        bounds=bounds,
        sampling=sampling,
    )
    wanted = parse_budgets(budgets)
    if plot is not None:
        plotting.check_path(plot)
    of_mean = parse_statistic(statistic) == "mean"
    found: list[Result] = []
    for search in options.searches(files).values():
        scores = search.scores(failed=failed)  # type: ignore[arg-type]
        if confidence is None and band is None:
            found.append(
                curves.tuning_curve(
                    scores,
                    statistic=parse_statistic(statistic),
                    # with --test the estimator may be meant for the test curve alone
                    estimator=estimator if of_mean or test is None else None,  # type: ignore[arg-type]
                    budgets=wanted,
                )
            )
        elif estimator not in (None, "v"):
            raise ArgumentError(
                f"a band is drawn around the plug-in estimate V; got --estimator {estimator}. "
                "Leave out --estimator, or --confidence and --band."
            )
        else:
            found.append(
                bands.tuning_band(
                    scores,
                    statistic=parse_statistic(statistic),
                    confidence=0.95 if confidence is None else confidence,
                    method=band or "ld-highest-density",  # type: ignore[arg-type]
                    budgets=wanted,
                )
            )
        if test is not None:
            found.append(
                curves.selected_test_curve(
                    scores,
                    estimator=estimator or "v",  # type: ignore[arg-type]
                    budgets=wanted,
                )
            )
    output.show(found, format, every=wanted is not None)
    if plot is not None:
        output.remark(f"figure: {plotting.save_plot(found, plot)}")
