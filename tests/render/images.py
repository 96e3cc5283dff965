"""Figures as small images: how they are drawn, stored and told apart."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.result import Drawn

FOLDER = Path(__file__).parent / "images"
DPI = 100
LIMIT = 10.0  # of 255: the root mean square of what may differ
# A band that is mostly behind lines is a small part of its image.
LIMITS = {"cdf-band": 8.0, "noisy-quadratic": 5.0, "repeats-band": 4.0}
Pixels = NDArray[np.float64]


@contextmanager
def plain_style() -> Iterator[None]:
    """Draw with matplotlib's own settings and its own letters, whatever the user's are."""
    from matplotlib import style

    own = {"font.family": "DejaVu Sans"}
    with style.context(["default", own], after_reset=True):
        yield


def snapshots(result: Drawn, *changes: Callable[[Any], None]) -> list[Pixels]:
    """Return what `plot()` draws, then what is left of it after each change to the figure."""
    from matplotlib import pyplot as plt

    with plain_style():
        figure = result.plot().figure.get_figure(root=True)
        found = [_snapshot(figure)]
        figure.set_layout_engine("none")  # everything stays where it is
        for change in changes:
            change(figure)
            found.append(_snapshot(figure))
        plt.close(figure)
    return found


def _snapshot(figure: Any) -> Pixels:
    file = io.BytesIO()
    figure.savefig(file, dpi=DPI, format="png")
    return as_pixels(file)


def as_pixels(file: Any) -> Pixels:
    """Return an image's red, green and blue, from 0 to 255."""
    from PIL import Image

    with Image.open(file) as image:
        return np.asarray(image.convert("RGB"), dtype=np.float64)


def stored(name: str) -> Pixels:
    """Return the image that a figure is compared with."""
    return as_pixels(FOLDER / f"{name}.png")


def store(name: str, found: Pixels) -> Path:
    """Write an image in at most 64 colours."""
    from PIL import Image

    image = Image.fromarray(found.astype(np.uint8)).quantize(64, dither=Image.Dither.NONE)
    path = FOLDER / f"{name}.png"
    image.save(path, optimize=True)
    return path


def difference(one: Pixels, other: Pixels) -> float:
    """Return the root mean square of the difference of two images, of 255."""
    if one.shape != other.shape:
        return 255.0
    return float(np.sqrt(np.mean((one - other) ** 2)))


def without_areas(figure: Any) -> None:
    """Take bands, bars and strips out of a figure."""
    for ax in figure.axes:
        for area in list(ax.collections):
            area.remove()


def without_lines(figure: Any) -> None:
    """Take the lines of methods out of a figure, and the intervals."""
    for ax in figure.axes:
        for line in list(ax.lines):
            line.remove()


def in_other_colours(figure: Any) -> None:
    """Draw lines and bands in a colour that is not theirs."""
    for ax in figure.axes:
        for line in ax.lines:
            line.set_color("#E0B000")
        for area in ax.collections:
            area.set_color("#E0B000")
