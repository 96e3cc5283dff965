"""Every kind of figure looks as it did when someone looked at it."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

import numpy as np
import pytest

import bestofk
from bestofk._base.result import Drawn
from tests.render.figures import FIGURES
from tests.render.images import (
    FOLDER,
    LIMIT,
    LIMITS,
    difference,
    in_other_colours,
    snapshots,
    stored,
    without_areas,
    without_lines,
)

pytest.importorskip("matplotlib").use("Agg")

result = cache(lambda name: FIGURES[name]())
states = cache(lambda name: snapshots(result(name), without_areas, without_lines))


def limit(name):
    return LIMITS.get(name, LIMIT)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_looks_as_it_did(name, tmp_path):
    found = states(name)[0]
    differs = difference(found, stored(name))
    if differs > limit(name):
        from PIL import Image

        path = tmp_path / f"{name}.png"
        Image.fromarray(found.astype(np.uint8)).save(path)
        pytest.fail(f"{name} differs by {differs:.1f}; look at {path}, then make_images")


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_its_band_or_its_lines_is_another(name):
    """The negative control: most of an image is white, which hides what is missing."""
    whole, bare, empty = states(name)
    chart = result(name).chart().shown()
    shaded = chart.is_shaded and any(s.area is not None for s in chart.series)
    lines = chart.intervals is not None or any(s.line.x.size for s in chart.series)
    assert (difference(whole, bare) > limit(name) + 2) == shaded  # 2: what few colours cost
    assert (difference(bare, empty) > limit(name) + 2) == lines
    assert shaded or lines


@pytest.mark.parametrize("name", ["curve", "band", "importance", "pass-bounds"])
def test_a_figure_in_other_colours_is_another(name):
    before, after = snapshots(result(name), in_other_colours)
    assert difference(before, after) > limit(name) + 2


def test_an_image_of_another_size_is_another():
    assert difference(np.zeros((2, 3, 3)), np.zeros((3, 2, 3))) > LIMIT


def test_every_kind_of_result_with_a_figure_has_an_image():
    for module in pkgutil.walk_packages(bestofk.__path__, "bestofk."):
        if not module.name.startswith(("bestofk.web", "bestofk.cli", "bestofk.__main__")):
            import_module(module.name)
    kinds = [Drawn]
    for kind in kinds:
        kinds += kind.__subclasses__()
    drawn = {k for k in kinds if k.__module__.startswith("bestofk.") and "chart" in vars(k)}
    missing = drawn - {Drawn} - {type(result(name)) for name in FIGURES}
    assert not {kind.__name__ for kind in missing}


def test_the_images_are_small_and_each_has_its_figure():
    files = list(FOLDER.iterdir())
    assert {file.stem for file in files} == set(FIGURES)
    assert sum(file.stat().st_size for file in files) < 400_000
