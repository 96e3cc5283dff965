"""Baselines of the literature, for comparison: percentile bootstrap bands, which fail to cover."""

from __future__ import annotations

from bestofk.curves.bootstrap import BootstrapBand, bootstrap_band

__all__ = ["BootstrapBand", "bootstrap_band"]
