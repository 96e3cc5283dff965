"""The calls of tools/record_golden.py with today's names."""

from __future__ import annotations

from typing import Any

import numpy as np

BANDS = ("ld-highest-density", "ld-equal-tailed", "ks", "dkw")
BUDGETS = [1, 1.5, 2, 3, 5, 8, 13, 24, 48, 100]
WHOLE = [1, 2, 3, 5, 8, 13, 24, 48]
COSTS = [0.5, 1, 2, 5]
REAL: dict[str, Any] = {"simultaneous": "real"}  # what 0.1.0 had no other of


def verbs() -> dict[str, Any]:
    """Return the plain results of every verb on the shipped data."""
    import bestofk as bk
    from bestofk.curves.estimate import expected_best
    from bestofk.scores.scores import Scores

    example, sst5 = bk.datasets.load_example(), bk.datasets.load_sst5()
    svm, forest = example["svm"].scores(), example["forest"].scores()
    few = Scores(svm.values[:40], label="few", bounds=(0, 1), costs=svm.costs[:40])
    loss = Scores(
        1 - forest.values[:60], direction="minimize", bounds=(0, 1), label="loss",
        costs=forest.costs[:60], test=1 - forest.test[:60],
    )  # fmt: skip
    open_loss = Scores(1 - svm.values[:60], direction="minimize", label="open")
    found: dict[str, Any] = {}
    for name, sample in (("svm", svm), ("few", few), ("loss", loss), ("cnn", sst5["cnn"])):
        found[f"curve-median-{name}"] = bk.tuning_curve(sample, statistic="median")
        found[f"curve-0.9-{name}"] = bk.tuning_curve(sample, statistic=0.9, budgets=BUDGETS)
        found[f"band-{name}"] = bk.tuning_band(sample, confidence=0.95, statistic="median", **REAL)
        for estimator in ("v", "u", "w"):
            if name == "few" and estimator == "u":
                continue
            found[f"curve-mean-{estimator}-{name}"] = bk.tuning_curve(
                sample, statistic="mean", estimator=estimator, budgets=WHOLE
            )
    for band in BANDS:
        for statistic in ("median", "mean", 0.25):
            for name, sample in (("few", few), ("loss", loss), ("open", open_loss)):
                found[f"band-{band}-{statistic}-{name}"] = bk.tuning_band(
                    sample, confidence=0.8, statistic=statistic, band=band, budgets=BUDGETS, **REAL
                )
        for sides in ("both", "lower", "upper"):
            found[f"cdf-{band}-{sides}"] = bk.cdf_band(few, confidence=0.9, band=band, sides=sides)
    found["test-svm"] = bk.tuning_curve(
        svm, of="test score", statistic="mean", budgets=WHOLE, estimator="v"
    )
    found["test-loss"] = bk.tuning_curve(
        loss, of="test score", statistic="mean", budgets=WHOLE, estimator="u"
    )
    found["running-few"] = bk.tuning_curve(few, statistic="running best")
    found["running-loss"] = bk.tuning_curve(loss, statistic="running best")
    found["bootstrap-few"] = bk.baselines.bootstrap_band(
        few, confidence=0.95, estimator="v", budgets=WHOLE[:6], n_resamples=500, rng=0
    )
    found["cost-few"] = bk.cost_curve(few, n_resamples=300, rng=0)
    found["cost-loss"] = bk.cost_curve(loss, n_resamples=300, rng=1, budgets=COSTS)
    found["cost-equal"] = bk.cost_curve([3, 1, 2, 5], costs=[2, 2, 2, 2], budgets=[2, 5, 8], rng=0)
    found["compare-example"] = bk.compare(example, confidence=0.95, budgets=WHOLE, **REAL)
    found["compare-default"] = bk.compare([few, forest], confidence=0.8, **REAL)
    found["compare-mean"] = bk.compare(
        example, confidence=0.8, statistic="mean", band="ks", budgets=WHOLE
    )
    three = {
        "a": 1 - svm.values[:50], "b": 1 - forest.values[:70], "c": 1 - forest.values[90:150]
    }  # fmt: skip
    many = bk.compare(
        three, confidence=0.9, direction="minimize", bounds=(0, 1), budgets=WHOLE, **REAL
    )
    found["compare-three"] = many
    found["ranking-three"] = {f"{k}": many.ranking(k) for k in WHOLE}
    found["compare-sst5"] = bk.compare(sst5, confidence=0.95, budgets=WHOLE, **REAL)
    found["effect"] = bk.compare(
        example["forest"], by="min_samples_leaf", n_bins=3, axis="trials", confidence=0.8,
        budgets=WHOLE, **REAL,
    )  # fmt: skip
    for budget in (1, 5, 20, 50):
        for band in BANDS:
            found[f"plan-{budget}-{band}"] = bk.plan(
                budget=budget, confidence=0.8, band=band, **REAL
            )
    found["plan-trials"] = bk.plan(
        trials=48,
        confidence=0.95,
        statistic=0.9,
        direction="minimize",
        band="ld-equal-tailed",
        **REAL,
    )
    found["power-trials"] = bk.power(
        svm, forest, budget=5, trials=50, confidence=0.8, n_resamples=2000, rng=0, **REAL
    )
    found["power-wanted"] = bk.power(
        few, forest, budget=3, wanted=0.8, confidence=0.8, n_resamples=1000, rng=0, **REAL
    )
    found["power-mean"] = bk.power(
        few, forest, budget=3, trials=40, confidence=0.8, statistic="mean", n_resamples=300, rng=0
    )
    for name, search in (*example.items(), *sst5.items()):
        found[f"check-{name}"] = bk.check_iid(search, false_alarm=0.02, rng=0)
    found |= monitors(bk, svm, forest)
    found |= tuning(bk)
    plain = {
        name: result if isinstance(result, dict) else plain_of(result)
        for name, result in found.items()
    }
    plain["expected-best"] = {
        e: expected_best(few, [1, 2, 5, 20], estimator=e).tolist() for e in ("v", "u", "w")
    }
    plain["at"] = {
        "curve": bk.tuning_curve(svm).at([1, 2.5, 7]).tolist(),
        "band": [
            list(map(float, x)) for x in bk.tuning_band(few, confidence=0.8, **REAL).at([1, 2.5, 7])
        ],
        "cdf": [list(map(float, x)) for x in bk.cdf_band(few, confidence=0.8).at([0.2, 0.9, 0.97])],
    }
    return plain


def plain_of(result: Any) -> dict[str, Any]:
    """Return a result as plain data; of a comparison with the evidence, which JSON has no more."""
    plain = result.to_dict()
    for pair, data in zip(getattr(result, "pairs", ()), plain.get("pairs", ()), strict=True):
        data |= {
            "evidence": pair.evidence_at(result.budgets).tolist(),
            "evidence_ranges": [r._asdict() for r in pair.evidence_ranges],
            "evidence_shares": pair.evidence_shares,
            "verdict_evidence": pair.evidence,
        }
    return plain


def monitors(bk: Any, svm: Any, forest: Any) -> dict[str, Any]:
    one = bk.Monitor(
        confidence=0.8, horizon=80, bounds=(0, 1), budgets=WHOLE,
        rule=bk.StopWhen.width(budget=2, at_most=0.1), **REAL,
    )  # fmt: skip
    one.update(svm.values[:50])
    two = bk.Monitor(
        confidence=0.8, methods=["svm", "forest"], first=10, bounds=(0, 1), budgets=WHOLE,
        band="ld-equal-tailed", rule=bk.StopWhen.beats("svm", "forest", budget=5), **REAL,
    )  # fmt: skip
    two.update({"svm": svm.values[:100], "forest": forest.values[:90]})
    return {"monitor-one": one.status(), "monitor-two": two.status()}


def repetitions() -> Any:
    from importlib.resources import files

    lines = (files("bestofk.datasets") / "repetitions.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines]
    candidates = len({row[1] for row in rows})
    return np.array([float(row[2]) for row in rows]).reshape(-1, candidates)


def tuning(bk: Any) -> dict[str, Any]:
    table = repetitions()
    params = [{"n_neighbors": i} for i in range(table.shape[1])]
    return {
        "variability": bk.cv.variability(table[:8], params=params, n_resamples=500, rng=0),
        "recommend": bk.cv.recommend(
            table[:6], n_folds=5, n_repeats=8, tolerance=0.001, n_resamples=300, rng=0
        ),
        "recommend-rule": bk.cv.recommend(n_folds=10, n_repeats=20, budget=20),
        "replay-full": bk.cv.replay(table, n_repeats=4, n_replays=50, rng=0),
        "replay-race": bk.cv.replay(
            table, n_repeats=6, n_replays=50, rng=0, strategy="race", smooth="auto", params=params
        ),
    }
