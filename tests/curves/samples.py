"""Scores that several files use: opda's README example, and the kinds of bands."""

from __future__ import annotations

import numpy as np

BANDS = ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]


# opda's README example
YS = np.array(
    [
        ".8420",
        ".9292",
        ".8172",
        ".8264",
        ".8851",
        ".8765",
        ".8824",
        ".9221",
        ".9456",
        ".7533",
        ".8141",
        ".9061",
        ".8986",
        ".8287",
        ".8645",
        ".8495",
        ".8134",
        ".8456",
        ".9034",
        ".7861",
        ".8336",
        ".9036",
        ".7796",
        ".9449",
        ".8216",
        ".7520",
        ".9089",
        ".7890",
        ".9198",
        ".9428",
        ".8140",
        ".7734",
    ],
    dtype=float,
).tolist()
