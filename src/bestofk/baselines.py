"""Methods of the literature, for comparison: intervals that fail to cover, and a guess.

`bootstrap_band` has percentile bootstrap intervals, `noisy_quadratic` a parametric curve without
an interval.
"""

from __future__ import annotations

from bestofk.curves.bootstrap import BootstrapBand, bootstrap_band
from bestofk.curves.noisy_quadratic import NoisyQuadratic, noisy_quadratic

__all__ = ["BootstrapBand", "NoisyQuadratic", "bootstrap_band", "noisy_quadratic"]
