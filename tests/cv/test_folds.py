"""Partitions: seeds by number, splitters copied, those that cannot be reshuffled refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.cv.folds import Chained, repeated, repetition_seed
from bestofk.errors import ArgumentError


class Splitter:
    """Half and half, at random."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def split(self, X, y=None, groups=None):
        order = np.random.default_rng(self.random_state).permutation(len(X))
        half = len(X) // 2
        yield order[:half], order[half:]
        yield order[half:], order[:half]

    def get_n_splits(self, X=None, y=None, groups=None):
        return 2


class Fixed:
    def split(self, X, y=None):
        yield [0], [1]

    def __repr__(self):
        return "Fixed()"


@given(st.integers(0, 2**32 - 1))
def test_seeds_of_repetitions_differ_and_fit_scikit_learn(seed):
    seeds = [repetition_seed(seed, j) for j in range(50)]
    assert seeds[0] == seed
    assert all(0 <= s < 2**32 for s in seeds)
    assert len(set(seeds)) >= 49  # two of fifty may meet, once in four million


def test_neighbouring_seeds_share_no_partition():
    seeds = [{repetition_seed(s, j) for j in range(1, 20)} for s in range(50)]
    assert len(set.union(*seeds)) == 50 * 19


def test_splitters_are_copies():
    given_splitter = Splitter()
    made = repeated(given_splitter, n_repeats=3, seed=5, seeded=True)
    assert given_splitter.random_state is None
    assert [s.random_state for s in made] == [repetition_seed(5, j) for j in range(3)]


@pytest.mark.parametrize("own", [np.random.default_rng(0), None])
def test_a_splitters_generator_is_replaced_by_numbers(own):
    made = repeated(Splitter(own), n_repeats=2, seed=5, seeded=False)
    assert [s.random_state for s in made] == [5, repetition_seed(5, 1)]


def test_more_repetitions_leave_the_first_ones_as_they_were():
    few, many = (repeated(Splitter(), n_repeats=n, seed=1, seeded=True) for n in (2, 9))
    assert [s.random_state for s in few] == [s.random_state for s in many[:2]]


def test_a_splitter_that_cannot_be_reshuffled_serves_once():
    splitter = Fixed()
    assert repeated(splitter, n_repeats=1, seed=0, seeded=True) == [splitter]
    message = r"`cv` must split anew for each repetition.*got Fixed\(\).*n_repeats=1"
    with pytest.raises(ArgumentError, match=message):
        repeated(splitter, n_repeats=2, seed=0, seeded=True)


def test_chained_folds_come_in_order():
    parts = repeated(Splitter(), n_repeats=3, seed=0, seeded=True)
    chained = Chained(parts)
    X = np.zeros(6)
    found = [test.tolist() for _, test in chained.split(X)]
    assert found == [test.tolist() for part in parts for _, test in part.split(X)]
    assert chained.get_n_splits(X) == 6
