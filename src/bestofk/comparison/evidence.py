"""The heuristic evidence of Lourie et al. 2024, section 2, which guarantees nothing.

From bands that each have the stated confidence: weak, one band excludes the other's estimate; fair,
each does; strong, the bands do not overlap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.types import FloatArray
from bestofk.comparison.pair import Pair

# Two methods with the same law reach "weak" or more on a twentieth of the axis in so many of 100
# comparisons of so many trials, with 95 % bands: tests/statistical/test_certified.py simulates it.
BASE_RATES = {(48, 48): 11, (200, 50): 37}
_HEURISTIC = Caveat(
    kind="heuristic",
    text="a rule of thumb without a guarantee: methods that do not differ are called weak or more "
    "in about "
    + " and ".join(
        f"{r} of 100 comparisons of {a} trials with {b}" for (a, b), r in BASE_RATES.items()
    )
    + " (95 % bands)",
    validity="assumed",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Evidence(
    Result, columns="first=pairs.first second=pairs.second level leader weak fair strong"
):
    """The level of evidence for each pair of methods, and the share of the axis at each level.

    Attributes
    ----------
    pairs : tuple of Pair
        The pairs.
    caveats : tuple of Caveat
        What a reader has to know: it is a heuristic.
    """

    pairs: tuple[Pair, ...]
    caveats: tuple[Caveat, ...]

    @property
    def level(self) -> NDArray[np.object_]:
        """The highest level reached on a twentieth of the axis."""
        return np.array([pair.evidence for pair in self.pairs], dtype=object)

    @property
    def leader(self) -> NDArray[np.object_]:
        """Whom it is for: who leads wherever the level is reached; empty if both do somewhere."""
        found = []
        for pair in self.pairs:
            at = {who for (level, who) in pair.evidence_stretches() if level == pair.evidence}
            whom = sorted(at - {""})
            found.append(whom[0] if len(whom) == 1 and pair.evidence != "none" else "")
        return np.array(found, dtype=object)

    def _share(self, level: str) -> FloatArray:
        return np.array([pair.evidence_shares[level] for pair in self.pairs])

    @property
    def weak(self) -> FloatArray:
        """The share of the axis at which it is weak."""
        return self._share("weak")

    @property
    def fair(self) -> FloatArray:
        """The share of the axis at which it is fair."""
        return self._share("fair")

    @property
    def strong(self) -> FloatArray:
        """The share of the axis at which it is strong."""
        return self._share("strong")

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return "Evidence by the rule of thumb of Lourie et al. (2024), and shares of the axis"


def evidence_of(pairs: tuple[Pair, ...], caveats: tuple[Caveat, ...]) -> Evidence:
    """Return the evidence for pairs of methods that are not void, with the caveats of all."""
    sound = tuple(pair for pair in pairs if not pair.is_void)
    return Evidence(pairs=sound, caveats=(_HEURISTIC, *caveats))
