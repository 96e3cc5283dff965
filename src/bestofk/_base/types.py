"""Names of types that the whole package shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Direction: TypeAlias = Literal["maximize", "minimize"]
Estimator: TypeAlias = Literal["v", "u", "w"]
Failed: TypeAlias = Literal["raise", "worst", "drop"]
BandKind: TypeAlias = Literal["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]
Axis: TypeAlias = Literal["trials", "cost"]
Statistic: TypeAlias = str | float
Bounds: TypeAlias = tuple[float, float]
FloatArray: TypeAlias = NDArray[np.float64]
Many: TypeAlias = Sequence[Any] | NDArray[Any]  # several numbers, of any shape
FloatOrArray = TypeVar("FloatOrArray", float, FloatArray)

DIRECTIONS: tuple[Direction, ...] = ("maximize", "minimize")
ESTIMATORS: tuple[Estimator, ...] = ("v", "u", "w")
FAILED: tuple[Failed, ...] = ("raise", "worst", "drop")
BANDS: tuple[BandKind, ...] = ("ld-highest-density", "ld-equal-tailed", "ks", "dkw")
AXES: tuple[Axis, ...] = ("trials", "cost")
