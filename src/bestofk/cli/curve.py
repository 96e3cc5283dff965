"""``bestofk curve``: tuning curves of the searches in files."""

from __future__ import annotations

from bestofk.cli.options import (
    BoundsOption,
    BudgetsOption,
    By,
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


def curve(
    files: Files,
    score: Score = None,
    by: By = None,
    direction: DirectionOption = "maximize",
    statistic: StatisticOption = "median",
    estimator: EstimatorOption = None,
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

    Several files are several methods, and so are the values of --by in one file.
    Data go to standard output, remarks to standard error. JSON of one method
    is an object, of several a list of objects.

    Example: bestofk curve bestofk-demo/example.csv --score accuracy --by method --budgets 1,2,5,20
    """
    from bestofk import curves
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
    found: list[curves.Curve] = []
    for search in options.searches(files).values():
        scores = search.scores(failed=failed)  # type: ignore[arg-type]
        found.append(
            curves.tuning_curve(
                scores,
                statistic=parse_statistic(statistic),
                estimator=estimator,  # type: ignore[arg-type]
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
        from bestofk import plotting

        output.remark(f"figure: {plotting.save_plot(found, plot)}")
