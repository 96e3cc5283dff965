"""``bestofk curve``: tuning curves of the searches in files."""

from __future__ import annotations

import math

from bestofk._base.result import Drawn
from bestofk.cli import options as opts
from bestofk.errors import ArgumentError


@opts.takes_data
def curve(
    data: opts.DataOptions,
    statistic: opts.StatisticOption = "median",
    estimator: opts.EstimatorOption = None,
    confidence: opts.BandConfidence = None,
    band: opts.BandOption = None,
    simultaneous: opts.SimultaneousOption = None,
    tail: opts.TailOption = None,
    resolution: opts.ResolutionOption = None,
    budgets: opts.BudgetsOption = None,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
    scale: opts.ScaleOption = None,
    log_x: opts.LogXOption = None,
) -> None:
    """Print how good the best of k trials is, for every budget k.

    With --confidence, --band or --simultaneous (then 0.95), a band that holds at every number
    of trials at once; with --tail one that is bounded at every budget, if its assumption is
    true.
    Several files are several methods, and so are the values of --by in one file.
    Data go to standard output, remarks to standard error. JSON of one method
    is an object, of several a list of objects.

    Example: bestofk curve bestofk-demo/example.csv --score accuracy --by method --confidence 0.95
    """
    from bestofk.cli import output
    from bestofk.curves import tuning

    output.check_figure(plot)
    wanted, of_best = opts.parse_budgets(budgets), opts.parse_statistic(statistic)
    of_band = (confidence, band, simultaneous, tail, resolution)
    with_band = any(option is not None for option in of_band)
    if with_band and estimator not in (None, "v"):
        raise ArgumentError(
            f"a band is drawn around the plug-in estimate V; got --estimator {estimator}. "
            "Leave out --estimator, or --confidence, --band and --simultaneous."
        )
    found: list[Drawn] = []
    for scores in data.scores().values():
        if with_band:
            from bestofk.curves.make_band import tuning_band  # only now: it loads scipy

            found.append(
                tuning_band(
                    scores,
                    statistic=of_best,
                    confidence=0.95 if confidence is None else confidence,
                    band=band or opts.DEFAULT_BAND,
                    simultaneous=simultaneous,
                    budgets=wanted,
                    tail=tail,
                    resolution=resolution,
                )
            )
        else:
            # with --test the estimator may be meant for the test curve alone
            meant = of_best == "mean" or data.test is None
            found.append(
                tuning.tuning_curve(
                    scores,
                    statistic=of_best,
                    estimator=estimator if meant else None,
                    budgets=wanted,
                )
            )
        if data.test is not None:
            found.append(
                tuning.tuning_curve(
                    scores, statistic="mean", of="test score", estimator=estimator, budgets=wanted
                )
            )
    output.check_scale(found, plot, scale)
    answers = [_answer(result) for result in found]
    output.show(found, format, every=wanted is not None, answers=answers)
    output.save(found, plot, scale, log_x)
    output.refuse_void(found, strict=data.strict)


def _answer(result: Drawn) -> str:
    """Return what a curve without a band says, and how to get one; a band speaks for itself."""
    from bestofk.curves.tuning import Curve

    if not isinstance(result, Curve):
        return ""
    if result.is_void or result.of != "score" or result.estimator not in (None, "v"):
        return result.summary  # there is no band of these
    if result.statistic == "mean" and any(map(math.isinf, result.scores.bounds)):
        return result.said(
            "estimate; --confidence 0.95 with --bounds LOW,HIGH adds a confidence band"
        )
    return result.said("estimate; --confidence 0.95 adds a confidence band")
