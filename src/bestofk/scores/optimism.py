"""Validation scores beside test scores: choosing by the one makes it too good, the other tells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.text import format_number
from bestofk._base.types import Direction, FloatArray
from bestofk.errors import marked
from bestofk.scores.names import is_validation, matching_test, validation_of

if TYPE_CHECKING:
    from bestofk.scores.search import Search


def validation_caveats(
    search: Search, name: str, values: FloatArray, direction: Direction
) -> list[Caveat]:
    """Return what is to be known about a metric of trials that have test scores.

    A test score is not to be chosen by while a validation score is there (kind "scored-on-test");
    the best validation score is told with the test score of the same trial ("validation-best").
    Which is which, the search says, or else their names.  `values` are the scores, NaN where a
    trial is left out.
    """
    if name == search.test != search.metric:
        return [_scored_on_test(name, search.metric)]
    validation = validation_of(name, search.metrics)
    if validation is not None:
        return [_scored_on_test(name, validation)]
    test = search.test if name == search.metric else None
    test = test or matching_test(name, search.metrics)
    if test is None or np.isnan(values).all():
        return []
    best = int(np.nanargmax(values) if direction == "maximize" else np.nanargmin(values))
    score, tested = float(values[best]), float(search.metrics[test][best])
    if math.isinf(score) or math.isnan(tested):
        return []
    named = is_validation(name, beside_test=test == search.test)
    what = "validation score" if named else f"`{name}`"
    text = (
        f"the best {what} is {format_number(score)}; the same trial's test score is "
        f"{format_number(tested)}"
    )
    return [Caveat(kind="validation-best", text=text)]


def _scored_on_test(test: str, validation: str) -> Caveat:
    what = "validation score" if is_validation(validation, beside_test=True) else "score"
    text = (
        f"`{test}` is a test score, and choosing by it makes the best of several too good, while "
        f"the {what} `{validation}` is there"
    )
    options = marked(
        f'score="{validation}", test="{test}"',
        f"--score {validation} --test {test}",
        f"score {validation}, test {test}",
    )
    remedy = f"choose by that one: {options}"
    return Caveat(kind="scored-on-test", text=text, remedy=remedy)
