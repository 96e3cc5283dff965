"""The worked example, and two kinds of curves."""

from __future__ import annotations

import bestofk as bk

YS = [0.72, 0.83, 0.92, 0.68, 0.75]


def selected_test(scores, **options):
    return bk.tuning_curve(scores, of="test score", statistic="mean", **options)


def running_best(scores, **options):
    return bk.tuning_curve(scores, statistic="running best", **options)
