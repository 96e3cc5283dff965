"""Names of types that the whole package shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Direction: TypeAlias = Literal["maximize", "minimize"]
Estimator: TypeAlias = Literal["v", "u", "w", "m"]
Failed: TypeAlias = Literal["raise", "worst", "drop"]
BandKind: TypeAlias = Literal["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]
TailName: TypeAlias = Literal["increasing-hazard"]
Axis: TypeAlias = Literal["trials", "cost"]
Simultaneous: TypeAlias = Literal["whole", "real", "range", "listed"]
Scale: TypeAlias = Literal["score", "error"]
Sides: TypeAlias = Literal["both", "lower", "upper"]
Pick: TypeAlias = Literal["best", "worst", "majority", "reward"]
Scope: TypeAlias = Literal["population", "benchmark"]
AskedBand: TypeAlias = Literal["all-counts", "clopper-pearson", "listed", "dirichlet"]
Statistic: TypeAlias = str | float
Bounds: TypeAlias = tuple[float, float]
FloatArray: TypeAlias = NDArray[np.float64]
Many: TypeAlias = Sequence[Any] | NDArray[Any]  # several numbers, of any shape
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)

DIRECTIONS: tuple[Direction, ...] = ("maximize", "minimize")
ESTIMATORS: tuple[Estimator, ...] = ("v", "u", "w", "m")
FAILED: tuple[Failed, ...] = ("raise", "worst", "drop")
BANDS: tuple[BandKind, ...] = ("ld-highest-density", "ld-equal-tailed", "ks", "dkw")
TAILS: tuple[TailName, ...] = ("increasing-hazard",)
AXES: tuple[Axis, ...] = ("trials", "cost")
SIMULTANEOUS: tuple[Simultaneous, ...] = ("whole", "real", "range", "listed")
SCALES: tuple[Scale, ...] = ("score", "error")
SIDES: tuple[Sides, ...] = ("both", "lower", "upper")
