"""The rule-of-thumb evidence: by its definition, and on recorded searches."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk import Scores
from tests.comparison.duels import duel


class TestEvidence:
    """The heuristic of Lourie et al. 2024, section 2, by its definition at each budget."""

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_it_is_what_the_bands_and_estimates_say(self, rng, direction):
        seen = set()
        for shift in (0.0, 0.3, 0.6, 1.0, 2.0):
            found = duel(
                rng.normal(size=40), rng.normal(shift, 1, 40), direction=direction,
                budgets=np.arange(1, 30),
            )  # fmt: skip
            a, b = found.paper_bands
            for i, level in enumerate(found.pairs[0].evidence_at(found.budgets)):
                a_excludes = not a.lower[i] <= b.estimate[i] <= a.upper[i]
                b_excludes = not b.lower[i] <= a.estimate[i] <= b.upper[i]
                apart = a.lower[i] > b.upper[i] or b.lower[i] > a.upper[i]
                expected = "none"
                if a_excludes or b_excludes:
                    expected = "weak"
                if a_excludes and b_excludes:
                    expected = "fair"
                if apart:
                    expected = "strong"
                assert level == expected
                seen.add(level)
        assert seen == {"none", "weak", "fair", "strong"}

    def test_bands_have_the_stated_confidence_each(self, example):
        found = bk.compare(example, confidence=0.7)
        assert [b.confidence for b in found.bands] == [0.7, 0.7]

    def test_shares_cover_the_axis(self, example):
        shares = bk.compare(example, confidence=0.8).pairs[0].evidence_shares
        assert sum(shares.values()) == pytest.approx(1)

    def test_verdict_is_the_highest_level_on_a_nontrivial_portion(self, rng):
        x = rng.normal(size=200)
        assert duel(x, x + 5).pairs[0].evidence == "strong"
        assert duel(x, x).pairs[0].evidence == "none"


@pytest.fixture(scope="module")
def searches(data_folder):
    return {
        name: bk.read(
            data_folder / "deberta_mnli" / f"{name}.csv", score="matched_best", sampling="iid"
        )
        for name in ("deberta", "debertav3")
    }


class TestDeberta:
    """Lourie et al. 2024, Figures 3, 4 and 20, on their data."""

    def test_evidence_of_the_first_48(self, searches):
        first = [Scores(s.scores().values[:48], label=name) for name, s in searches.items()]
        pair = bk.compare(first, confidence=0.8).pairs[0]
        strong = [r for r in pair.evidence_ranges if r.what == "strong"]
        assert len(strong) == 1
        assert strong[0].low == pytest.approx(2.1, abs=0.05)
        assert strong[0].high == pytest.approx(8.154, abs=0.001)
        before = {r.what for r in pair.evidence_ranges if r.high <= strong[0].low}
        after = {r.what for r in pair.evidence_ranges if r.low >= strong[0].high}
        assert before <= {"weak", "fair"}
        assert after == {"weak"}
        assert pair.evidence == "strong"
        assert set(pair.leader_at(np.arange(1, 49))) == {"debertav3"}

    def test_evidence_of_all(self, searches):
        pair = bk.compare(searches, confidence=0.8).pairs[0]
        low, high, level = pair.evidence_ranges[0]
        assert (low, level) == (1.0, "strong")
        assert high == pytest.approx(140.13, abs=0.01)


def test_evidence_on_a_small_part_of_the_axis_is_not_called_none():
    """Certified at a few trials of 128: the heuristic, which asks for a twentieth, agrees there."""
    good, bad = np.linspace(0.90, 0.91, 128), np.linspace(0.1, 0.2, 128)
    halves = np.concatenate([bad[:90], good[90:]])
    duel = bk.compare({"a": good, "b": halves}, confidence=0.8, bounds=(0, 1))
    (pair,) = duel.pairs
    assert pair.evidence == "none"
    assert pair.evidence_at(1) != "none"
    assert duel.evidence.level.tolist() == ["none"]
    assert duel.evidence.strong[0] > 0
