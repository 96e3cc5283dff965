"""Comparisons of two methods that several files make."""

from __future__ import annotations

import bestofk as bk


def duel(a, b, **options):
    return bk.compare({"a": a, "b": b}, **{"confidence": 0.8, **options})
