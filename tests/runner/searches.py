"""What the tests of run_search share: a space, a command, and the parameters to expect."""

from __future__ import annotations

from bestofk.space.sampler import trial_params
from bestofk.space.space import Space
from tests.runner import objectives

SPACE = Space(objectives.SPACE)
ECHO = ["echo", '{{"score": {x}}}']


def params_of(found):
    return {t.number: dict(t.params) for t in found.trials}


def expected(n):
    return {i: trial_params(SPACE, 7, i) for i in range(n)}
