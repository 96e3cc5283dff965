"""The monitor: schedule, what it spends, snapshots, waiting, intersection, rules, refusals."""

from __future__ import annotations

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores, Search
from bestofk.monitor import Monitor, StopWhen
from bestofk.monitor.schedule import make_schedule
from tests.contracts import ResultContract

NAN = math.nan
BANDS = ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]


def uniform(n, seed=0):
    return np.random.default_rng(seed).random(n)


def running(values, unfinished, **options):
    """A search in which the trials at these places are still running."""
    values = np.array(values, dtype=float)
    states = ["complete"] * values.size
    for i in unfinished:
        values[i], states[i] = NAN, "running"
    return Search({"score": values}, states=tuple(states), sampling="iid", **options)


def scheduled(**options):
    defaults = {"horizon": None, "looks": None, "first": 10, "spacing": "geometric"}
    return make_schedule(**{**defaults, "schedule": None, **options})


class TestSchedule:
    def test_open_end_doubles_for_ever(self):
        plan = Monitor(first=8).schedule
        assert [plan.size(m) for m in range(1, 6)] == [8, 16, 32, 64, 128]
        assert plan.horizon is None
        assert repr(plan) == "looks at 8, 16, 32, 64, … trials"

    @pytest.mark.parametrize(
        ("options", "sizes"),
        [
            ({"horizon": 160}, (10, 20, 40, 80, 160)),
            ({"horizon": 48, "looks": 3}, (10, 22, 48)),
            ({"horizon": 48, "looks": 1}, (48,)),
            ({"horizon": 50, "looks": 5, "spacing": "even"}, (10, 20, 30, 40, 50)),
            ({"horizon": 13, "looks": 4}, (10, 11, 12, 13)),
            ({"horizon": 6, "looks": 6, "first": 1}, (1, 2, 3, 4, 5, 6)),
            ({"horizon": 10}, (10,)),
            ({"schedule": [5, 7, 30]}, (5, 7, 30)),
        ],
    )
    def test_planned_looks_end_at_the_horizon(self, options, sizes):
        plan = scheduled(**options)
        assert plan.sizes == sizes
        assert plan.horizon == sizes[-1]
        assert plan.size(len(sizes) + 1) is None

    @given(st.integers(1, 40), st.integers(0, 2000), st.data())
    def test_any_number_of_looks_that_fits_is_kept(self, first, room, data):
        looks = data.draw(st.integers(2, room + 1)) if room else 1
        spacing = data.draw(st.sampled_from(["geometric", "even"]))
        sizes = scheduled(first=first, horizon=first + room, looks=looks, spacing=spacing).sizes
        assert len(sizes) == looks
        assert sizes[0] == first
        assert sizes[-1] == first + room
        assert (np.diff(sizes) > 0).all()

    @pytest.mark.parametrize(
        "options", [{}, {"horizon": 500}, {"schedule": range(10, 49)}, {"methods": ["a", "b", "c"]}]
    )
    @pytest.mark.parametrize("confidence", [0.8, 0.95])
    def test_all_looks_at_all_methods_spend_no_more_than_allowed(self, options, confidence):
        monitor = Monitor(confidence=confidence, **options)
        open_ended = monitor.schedule.open_ended
        looks = 20_000 if open_ended else len(monitor.schedule.sizes)
        spent = len(monitor.methods) * math.fsum(1 - monitor.level(m) for m in range(1, looks + 1))
        assert spent <= (1 - confidence) * (1 + 1e-9)  # 20,000 roundings of 1 - alpha
        assert spent == pytest.approx(1 - confidence, rel=1e-4 if open_ended else 1e-9)

    def test_open_end_spends_as_the_inverse_square(self):
        monitor = Monitor(confidence=0.9)
        for m in (1, 2, 7):
            assert 1 - monitor.level(m) == pytest.approx(0.1 * 6 / (math.pi * m) ** 2, rel=1e-12)

    def test_it_is_shown_before_the_data(self):
        assert "looks at 10, 20, 40, 80, … trials" in repr(Monitor())
        assert "39 looks at 10 to 48 trials" in repr(Monitor(schedule=range(10, 49)))
        assert "one look at 48 trials" in repr(Monitor(schedule=[48]))

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"looks": 3}, "`looks` needs a planned number of trials"),
            ({"schedule": [5], "horizon": 9}, "leave out `horizon` and `looks`"),
            ({"schedule": [5, 5]}, "increasing whole numbers of trials; got 5 after 5"),
            ({"schedule": []}, "increasing whole numbers of trials; got none"),
            ({"schedule": 5}, "increasing whole numbers of trials; got 5"),
            ({"schedule": [2.5]}, "`schedule` must be a whole number"),
            (
                {"horizon": 12, "looks": 4},
                "4 looks from `first` = 10 on must fit into `horizon` = 12",
            ),
            ({"horizon": 0}, "`horizon` must be a whole number of at least 1"),
            ({"first": 0}, "`first` must be a whole number of at least 1"),
            ({"horizon": 40, "spacing": "log"}, "`spacing` must be one of 'geometric', 'even'"),
        ],
    )
    def test_bad_schedules(self, options, message):
        with pytest.raises(ArgumentError, match=message):
            Monitor(**options)


class TestOneLook:
    @pytest.mark.parametrize("band", BANDS)
    @pytest.mark.parametrize("statistic", ["median", 0.9, "mean"])
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_it_is_the_band_at_the_level_of_the_look(self, band, statistic, direction):
        budgets = [0.5, 1, 3, 20]
        common = {
            "band": band, "statistic": statistic, "direction": direction, "bounds": (0, 1),
            "budgets": budgets,
        }  # fmt: skip
        monitor = Monitor(confidence=0.8, schedule=[20, 40], methods=["a", "b"], **common)
        values = uniform(25)
        monitor.update({"a": values})
        ours = monitor.status().band("a")
        wanted = bk.tuning_band(values[:20], confidence=0.95, **common)
        # the mean's own band is widened by a rounding error at most
        rtol = 1e-12 if statistic == "mean" else 0
        np.testing.assert_allclose(ours.lower, wanted.lower, rtol=rtol)
        np.testing.assert_allclose(ours.upper, wanted.upper, rtol=rtol)
        np.testing.assert_array_equal(ours.estimate, wanted.estimate)
        assert monitor.level(1) == pytest.approx(0.95, rel=1e-15)
        np.testing.assert_allclose(ours.at(7)[::2], wanted.at(7)[::2], rtol=rtol)

    def test_a_single_planned_look_is_the_plain_band(self):
        monitor = Monitor(confidence=0.8, schedule=[48])
        monitor.update(uniform(48))
        plain = bk.tuning_band(uniform(48), confidence=0.8)
        band = monitor.status().band()
        assert band.lower.tolist() == plain.lower.tolist()
        assert band.upper.tolist() == plain.upper.tolist()
        assert band.budgets.tolist() == plain.budgets.tolist()


class TestManyLooks:
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("ties", [False, True])
    def test_it_is_what_the_bands_of_all_looks_share(self, direction, ties):
        budgets = [0.7, 1, 2, 5, 11]
        values = uniform(80, 3)
        values = np.round(values, 1) if ties else values
        monitor = Monitor(
            confidence=0.8, schedule=[10, 20, 40, 80], direction=direction, budgets=budgets
        )
        monitor.update(values)
        looks = [
            bk.tuning_band(values[:n], confidence=0.95, direction=direction, budgets=budgets)
            for n in (10, 20, 40, 80)
        ]
        band = monitor.status().band()
        np.testing.assert_array_equal(band.lower, np.max([b.lower for b in looks], axis=0))
        np.testing.assert_array_equal(band.upper, np.min([b.upper for b in looks], axis=0))
        for k in (0.3, 1.5, 30):  # any budget, not only those shown
            assert band.at(k).lower == max(b.at(k).lower for b in looks)
            assert band.at(k).upper == min(b.at(k).upper for b in looks)
            assert band.at(k).estimate == looks[-1].at(k).estimate

    def test_of_a_mean_it_is_at_least_as_narrow(self):
        values = uniform(40, 5)
        common = {"statistic": "mean", "bounds": (0, 1), "budgets": [1, 4, 20]}
        monitor = Monitor(confidence=0.8, schedule=[10, 40], **common)
        monitor.update(values)
        looks = [bk.tuning_band(values[:n], confidence=0.9, **common) for n in (10, 40)]
        band = monitor.status().band()
        assert (band.lower >= np.max([b.lower for b in looks], axis=0) - 1e-12).all()
        assert (band.upper <= np.min([b.upper for b in looks], axis=0) + 1e-12).all()

    def test_feeding_at_once_or_one_by_one_makes_no_difference(self):
        values = uniform(45, 1)
        at_once, one_by_one, in_parts = (Monitor(horizon=40) for _ in range(3))
        at_once.update(values)
        for score in values:
            one_by_one.add(score)
        for n in (3, 17, 30, 45):
            in_parts.update(Scores(values[:n]))
        assert at_once.status().to_dict() == one_by_one.status().to_dict()
        assert at_once.status().to_dict() == in_parts.status().to_dict()

    def test_between_looks_the_last_stands(self):
        monitor = Monitor()
        monitor.update(uniform(10))
        before = monitor.status().band()
        monitor.update(uniform(19))
        after = monitor.status()
        assert after.band().upper.tolist() == before.upper.tolist()
        assert (after.methods[0].seen, after.methods[0].used) == (19, 10)
        assert after.methods[0].next_look == 20

    def test_bands_only_get_narrower(self):
        monitor = Monitor(schedule=range(5, 61, 5), budgets=[1, 2, 5])
        lower, upper = np.full(3, -np.inf), np.full(3, np.inf)
        for score in uniform(60, 8):
            monitor.add(score)
            band = monitor.status().band()
            assert (band.lower >= lower).all()
            assert (band.upper <= upper).all()
            lower, upper = band.lower, band.upper

    @pytest.mark.parametrize("made", ["whole", "real"])
    def test_an_estimate_outside_the_band_is_kept_and_said(self, made):
        """The first ten are good and the next thirty bad, not so much that nothing is left."""
        values = np.concatenate([0.3 + 0.7 * uniform(10, 2), uniform(30, 2) * 0.6])
        monitor = Monitor(confidence=0.8, schedule=[10, 40], budgets=[1, 2, 3], simultaneous=made)
        monitor.update(values)
        status = monitor.status()
        band = status.band()
        assert band.common is not None
        assert (
            band.estimate.tolist() == bk.tuning_curve(values, budgets=[1, 2, 3]).estimate.tolist()
        )
        assert ((band.estimate < band.lower) | (band.estimate > band.upper)).any()
        (outside,) = (c for c in status.caveats if c.kind == "estimate-outside")
        assert "lies outside the band" in str(outside)


class TestNothingCertified:
    def test_before_the_first_look(self):
        for bounds, shown in ((None, (-math.inf, math.inf)), ((0, 1), (0, 1))):
            monitor = Monitor(
                bounds=bounds, methods=["a", "b"], rule=StopWhen.width(budget=1, at_most=5)
            )
            monitor.update({"a": uniform(9)})
            status = monitor.status()
            band = status.band("a")
            assert (band.lower[0], band.upper[0]) == shown
            assert band.at(3) == (shown[0], None, shown[1])
            assert band.estimate is None
            assert not status.certified
            assert not status.stop
            assert (
                "a: 9 trials seen, 9 ended; no look yet; next look at 10 trials." in status.summary
            )
            assert "b: 0 trials seen" in status.summary
            plain = json.loads(json.dumps(status.to_dict(), allow_nan=False))["methods"][0]["band"]
            assert plain["lower"][0] == (None if bounds is None else 0)
            assert plain["upper"][0] == (None if bounds is None else 1)

    @pytest.mark.parametrize("made", ["whole", "real"])
    def test_trials_that_are_not_iid_empty_the_intersection(self, made):
        """Sorted scores: the later looks contradict the first."""
        rule = StopWhen.width(budget=1, at_most=10)
        monitor = Monitor(
            confidence=0.8, methods=["a", "b"], rule=rule, bounds=(0, 9), budgets=[1, 2],
            simultaneous=made,
        )  # fmt: skip
        monitor.update({"a": np.sort(uniform(160)), "b": 5 + uniform(160)})
        status = monitor.status()
        assert not status.certified
        assert not status.stop
        assert status.band("a").lower.tolist() == [0, 0]
        assert status.band("a").upper.tolist() == [9, 9]
        assert status.band("a").estimate is not None
        (empty,) = (c for c in status.caveats if c.kind == "looks-disagree")
        assert empty.about == ("a",)
        assert "trials not IID, or the rare event of at most 20 %" in str(empty)
        monitor.update({"a": np.concatenate([np.sort(uniform(160)), uniform(500)])})
        assert monitor.status().band("a").common is None  # for good

    def test_after_the_horizon_later_trials_are_ignored(self):
        monitor = Monitor(horizon=20, looks=2)
        monitor.update(uniform(20))
        before = monitor.status()
        assert before.is_over
        monitor.update(np.concatenate([uniform(20), [NAN, 7.0]]))
        monitor.add(NAN)
        after = monitor.status()
        assert after.methods[0].seen == 23
        assert "nothing new will be certified; 3 later trials ignored" in after.summary
        assert after.band().to_dict() == before.band().to_dict()


class TestWaiting:
    def test_a_look_waits_for_a_slow_early_trial(self):
        values = uniform(30)
        monitor = Monitor()
        monitor.update(running(values, [3]))
        status = monitor.status().methods[0]
        assert (status.seen, status.ended, status.used, status.looks) == (30, 29, 0, 0)
        assert status.waits_for == 3
        assert "waiting for trial 3" in str(status)
        monitor.update(running(values, []))
        done = Monitor()
        done.update(bk.Scores(values, sampling="iid"))
        assert monitor.status().band().to_dict() == done.status().band().to_dict()
        assert monitor.status().methods[0].looks == 2

    def test_finished_trials_after_the_look_do_not_count(self):
        values = uniform(30)
        monitor = Monitor()
        monitor.update(running(values, [15]))
        other = Monitor()
        other.update(values[:10])
        assert monitor.status().band().lower.tolist() == other.status().band().lower.tolist()
        assert monitor.status().methods[0].used == 10

    def test_a_trial_that_is_missing_from_the_numbers_is_waited_for(self):
        """A log of finished trials: number 2 is not in it yet."""
        values = uniform(12)
        here = np.delete(np.arange(12), 2)
        monitor = Monitor()
        monitor.update(Search({"score": values[here]}, numbers=here))
        assert monitor.status().methods[0].looks == 0
        assert monitor.status().methods[0].waits_for == 2
        monitor.update(Search({"score": values[::-1]}, numbers=np.arange(12)[::-1]))
        expected = bk.tuning_band(values[:10], confidence=monitor.level(1))
        assert monitor.status().band().lower.tolist() == expected.lower.tolist()

    def test_numbers_count_from_zero(self):
        """Otherwise nobody could tell whether trial 0 is missing because it is slow."""
        monitor = Monitor(first=2)
        monitor.update(Search({"score": [1, 2, 3]}, numbers=np.array([1, 2, 3])))
        assert "waiting for trial 0, counted from 0" in monitor.status().summary
        with pytest.raises(DataError, match="numbered from 0 in start order; got -1"):
            monitor.update(Search({"score": [1, 2]}, numbers=np.array([-1, 0])))

    def test_start_order_decides_not_the_order_of_rows(self):
        values = uniform(20)
        order = np.random.default_rng(1).permutation(20)
        monitor, plain = Monitor(schedule=[10]), Monitor(schedule=[10])
        monitor.update(Search({"score": values[order]}, numbers=order, sampling="iid"))
        plain.update(bk.Scores(values, sampling="iid"))
        assert monitor.status().to_dict() == plain.status().to_dict()

    def test_failed_and_pruned_trials_have_ended(self):
        values = uniform(10)
        states = ["complete"] * 10
        states[2], states[5], values[2] = "failed", "pruned", NAN
        search = Search({"score": values}, states=tuple(states), bounds=(0, 1), sampling="iid")
        monitor = Monitor(failed="worst")
        monitor.update(search)
        status = monitor.status()
        worst = np.where(np.isin(np.arange(10), [2, 5]), 0.0, values)
        expected = bk.tuning_band(worst, confidence=monitor.level(1), bounds=(0, 1))
        assert status.band().lower.tolist() == expected.lower.tolist()
        assert any("2 of 10 trials failed or were pruned" in str(c) for c in status.caveats)
        with pytest.raises(
            DataError, match=r'trial 2 has ended without a score \(2 in all\).*"worst"'
        ):
            Monitor().update(search)

    def test_a_failed_trial_of_an_array_is_nan(self):
        monitor = Monitor(failed="worst", first=3, direction="minimize", simultaneous="real")
        monitor.add(0.5)
        monitor.add(NAN)
        monitor.add(0.25)
        assert monitor.status().band().cdf.values.tolist() == [0.25, 0.5, math.inf]


class TestSnapshots:
    def test_a_trial_that_changed_is_refused_and_nothing_is_taken_note_of(self):
        monitor = Monitor(methods=["a", "b"])
        monitor.update({"a": uniform(12), "b": uniform(12, 1)})
        before = monitor.status().to_dict()
        changed = uniform(25)
        changed[4] = 0.5
        with pytest.raises(
            DataError, match=r"a: trial 4 had ended with the score .*, now with the score 0\.5"
        ):
            monitor.update({"b": uniform(25, 1), "a": changed})
        assert monitor.status().to_dict() == before

    def test_trials_that_ended_may_not_vanish_or_run_again(self):
        monitor = Monitor()
        monitor.update(uniform(12))
        with pytest.raises(DataError, match="trial 11 had ended and is missing or running now"):
            monitor.update(uniform(11))
        with pytest.raises(DataError, match="trial 5 had ended and is missing or running now"):
            monitor.update(running(uniform(12), [5]))
        search = Search({"score": [0.5]}, numbers=np.array([7]))
        with pytest.raises(DataError, match="trial 0 had ended and is missing"):
            monitor.update(search)

    def test_a_failed_trial_may_not_come_back_with_a_score(self):
        monitor = Monitor(failed="worst")
        monitor.update([0.5, NAN])
        monitor.update([0.5, NAN, 0.25])
        with pytest.raises(
            DataError, match="trial 1 had ended with no score, now with the score 0.7"
        ):
            monitor.update([0.5, 0.7, 0.25])

    def test_running_trials_may_end_or_be_joined_by_others(self):
        monitor = Monitor(first=2)
        monitor.update(running([1, 2, 3], [0, 1, 2]))
        monitor.update(running([1, 2, 3, 4], [0, 3]))
        monitor.update(running([1, 2, 3, 4], []))
        assert monitor.status().methods[0].looks == 2

    def test_add_needs_trials_that_end_in_start_order(self):
        monitor = Monitor()
        monitor.update(running([1, 2, 3], [1]))
        with pytest.raises(DataError, match="trial 1 of the last snapshot has not ended"):
            monitor.add(4)

    def test_direction_must_agree(self):
        with pytest.raises(
            DataError, match='monitor is set to maximize.*Pass direction="minimize"'
        ):
            Monitor().update(Scores([1, 2], direction="minimize"))

    def test_bounds_are_kept_to(self):
        monitor = Monitor(bounds=(0, 1))
        with pytest.raises(
            DataError, match="search, trial 1: `score` must lie within the bounds 0 to 1"
        ):
            monitor.update([0.5, 2.0])
        with pytest.raises(DataError, match="within the bounds"):
            monitor.add(2.0)
        own = Monitor(first=2)
        own.update(Scores([0.5, 0.6], bounds=(0, 1)))
        assert own.status().band().at(50).upper == 1

    def test_weights_are_refused(self):
        with pytest.raises(DataError, match="unweighted"):
            Monitor().update(Scores([1, 2], weights=[0.5, 0.5]))

    def test_how_trials_were_drawn_travels_along(self):
        monitor = Monitor(first=2)
        monitor.update(Search({"s": [1, 2]}, sampling="adaptive", caveats=("from a tweet",)))
        caveats = monitor.status().caveats
        assert any("adaptively" in str(c) for c in caveats)
        assert "from a tweet" in map(str, caveats)
        assert monitor.status().validity == "void"


class TestOrderAndRules:
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize(("made", "last"), [("real", 3), ("whole", 4)])
    def test_a_clear_winner_is_certified(self, direction, made, last):
        good, bad = (1 + uniform(40), uniform(40, 1))
        if direction == "minimize":
            good, bad = bad, good
        monitor = Monitor(
            confidence=0.8, methods=["good", "bad", "new"], direction=direction,
            budgets=[1, 2, 3, 500], rule=StopWhen.beats("good", "bad", budget=1.5),
            simultaneous=made,
        )  # fmt: skip
        monitor.update({"good": good, "bad": bad})
        status = monitor.status()
        (only,) = status.certified
        assert (only.winner, only.loser, only.ranges) == ("good", "bad", ((1.0, last),))
        assert str(only) == f"'good' beats 'bad' at budgets 1 to {last}"
        assert f"Certified: 'good' beats 'bad' at budgets 1 to {last}." in status.summary
        assert status.stop
        assert status.reason == "'good' is certified to beat 'bad' at budget 1.5"
        assert "Stop: 'good' is certified" in status.summary

    def test_an_undecided_pair(self):
        rule = StopWhen.beats("a", "b", budget=1)
        monitor = Monitor(confidence=0.8, methods=["a", "b"], rule=rule)
        monitor.update({"a": uniform(40), "b": uniform(40, 1)})
        status = monitor.status()
        assert not status.certified
        assert not status.stop
        assert "Nothing is certified about which method is better." in status.summary
        assert "Go on: 'a' is not certified to beat 'b' at budget 1." in status.summary

    def test_the_width_of_one_or_of_all(self):
        data = {"a": uniform(40), "b": 10 * uniform(40, 1)}
        width = StopWhen.width(budget=1, at_most=1, label="a")
        for rule, stop in ((width, True), (StopWhen.width(budget=1, at_most=1), False)):
            monitor = Monitor(confidence=0.8, methods=["a", "b"], rule=rule)
            monitor.update(data)
            status = monitor.status()
            assert status.stop is stop
            word = "'a' is 0." if stop else "'b' is "
            assert f"the band of {word}" in status.reason
            assert ("at most 1" if stop else "more than 1") in status.reason

    def test_an_infinite_band_is_not_narrow(self):
        monitor = Monitor(rule=StopWhen.width(budget=1000, at_most=1e300))
        monitor.update(uniform(40))
        assert monitor.status().reason == "nothing bounds the curve of 'search' at budget 1000"

    def test_without_a_rule(self):
        status = Monitor().status()
        assert not status.stop
        assert status.reason == "no stopping rule was given"

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: StopWhen.width(budget=0, at_most=1), "must be positive and finite; got 0"),
            (
                lambda: StopWhen.width(budget=[1, 2], at_most=1),
                "`budget` must be one number; got 2",
            ),
            (lambda: StopWhen.width(budget=1, at_most=-1), "`at_most` must be a width"),
            (lambda: StopWhen.width(budget=1, at_most=NAN), "`at_most` must be a width"),
            (lambda: StopWhen.beats("a", "a", budget=1), "two methods; got 'a' twice"),
            (lambda: Monitor(rule="width"), r"`rule` must be StopWhen.width\(...\) or"),
            (
                lambda: Monitor(methods=["a", "b"], rule=StopWhen.beats("a", "c", budget=1)),
                "`loser` must be one of 'a', 'b'; got 'c'",
            ),
            (
                lambda: Monitor(rule=StopWhen.width(budget=1, at_most=1, label="a")),
                "`label` must be one of 'search'; got 'a'",
            ),
        ],
    )
    def test_bad_rules(self, make, message):
        with pytest.raises(ArgumentError, match=message):
            make()


class TestArguments:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"confidence": 80}, "Did you mean 0.8"),
            ({"confidence": 1 - 1e-9}, "must be at most 1 - 1e-6"),
            ({"band": "ld"}, "Did you mean 'ld-highest-density'"),
            ({"statistic": "mode"}, "`statistic` must be"),
            ({"direction": "up"}, "`direction` must be"),
            ({"failed": "drop"}, "dropping trials would change which are the first n"),
            ({"failed": "best"}, "`failed` must be one of 'raise', 'worst'"),
            ({"methods": []}, "`methods` must be different names, one or more"),
            ({"methods": ["a", "a"]}, "`methods` must be different names"),
            ({"budgets": [0]}, "`budgets` must be positive"),
        ],
    )
    def test_bad_arguments(self, options, message):
        with pytest.raises(ArgumentError, match=message):
            Monitor(**options)

    def test_methods_are_named_before_the_data(self):
        with pytest.raises(ArgumentError, match=r"Pass methods=\['a', 'b'\] to Monitor"):
            Monitor().update({"a": [1], "b": [2]})
        two = Monitor(methods=["cnn", "mlp"])
        with pytest.raises(ArgumentError, match="`label` must be one of 'cnn', 'mlp'; got 'cn'"):
            two.update({"cn": [1]})
        with pytest.raises(ArgumentError, match="must map each method to its scores, 'cnn', 'mlp'"):
            two.update([1, 2])
        with pytest.raises(ArgumentError, match="must say whose score it is: one of 'cnn', 'mlp'"):
            two.add(1)
        with pytest.raises(ArgumentError, match="must say whose band: one of 'cnn', 'mlp'"):
            two.status().band()
        two.add(0.5, label="mlp")
        assert two.status().methods[1].seen == 1

    def test_one_named_method_needs_no_mapping(self):
        monitor = Monitor(methods="cnn")
        monitor.update([1, 2])
        monitor.update({"cnn": [1, 2, 3]})
        assert monitor.status().methods[0].seen == 3
        assert monitor.status().band() is not None

    def test_a_pickled_monitor_goes_on(self):
        monitor = Monitor(horizon=40, rule=StopWhen.width(budget=2, at_most=0.5))
        monitor.update(uniform(25))
        copy = pickle.loads(pickle.dumps(monitor))
        for one in (monitor, copy):
            one.update(uniform(40))
        assert copy.status().to_dict() == monitor.status().to_dict()
        assert repr(copy) == repr(monitor)

    @pytest.mark.parametrize(("made", "n"), [("real", 600), ("whole", 100)])
    def test_the_state_does_not_grow_with_the_number_of_looks(self, made, n):
        few, many = (Monitor(schedule=s, simultaneous=made) for s in ([n], range(10, n + 1)))
        for monitor in (few, many):
            monitor.update(uniform(n))
        assert len(pickle.dumps(many)) < 1.5 * len(pickle.dumps(few))


class TestStatusContract(ResultContract):
    def make(self, label="cnn"):
        monitor = Monitor(methods=[label, "mlp"], budgets=[1, 2, 40], horizon=20)
        monitor.update({label: bk.read(list(uniform(22)), label=label), "mlp": uniform(7, 1)})
        return monitor.status()

    def test_dict_has_what_a_page_needs(self):
        plain = self.make().to_dict()
        first, second = plain["methods"]
        assert first["band"]["lower"][0] is not None
        assert first["band"]["upper"][2] is None  # infinite
        assert first["next_look"] is None
        assert second["next_look"] == 10
        assert "estimate" not in second["band"]
        assert plain["schedule"] == {"sizes": [10, 20], "open_ended": False}
        assert plain["stop"] is False
        assert plain["rule"] is None


class TestMonitorBandContract(ResultContract):
    def make(self, label="cnn"):
        monitor = Monitor(methods=[label])
        monitor.update(bk.read(list(uniform(22)), label=label))
        return monitor.status().band()
