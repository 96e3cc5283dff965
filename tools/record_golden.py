"""Record what version 0.1.0 (commit 2c370d5) computes into tests/golden/.

It speaks the names of 0.1.0 and runs against a checkout of that commit only:

    git worktree add ../v010 2c370d5
    PYTHONPATH=../v010/src python tools/record_golden.py

tests/golden/test_golden.py makes the same calls with today's names and compares every number.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "tests/golden"
METHODS = ("ld-highest-density", "ld-equal-tailed", "ks", "dkw")
BUDGETS = [1, 1.5, 2, 3, 5, 8, 13, 24, 48, 100]
WHOLE = [1, 2, 3, 5, 8, 13, 24, 48]
COSTS = [0.5, 1, 2, 5]


def verbs() -> dict[str, Any]:
    """Return the plain results of every verb on the shipped data."""
    from bestofk.estimates import expected_best
    from bestofk.scores.sample import Scores

    import bestofk as bk

    example, sst5 = bk.load_example(), bk.load_sst5()
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
        found[f"band-{name}"] = bk.tuning_band(sample, confidence=0.95, statistic="median")
        for estimator in ("v", "u", "w"):
            if name == "few" and estimator == "u":
                continue
            found[f"curve-mean-{estimator}-{name}"] = bk.tuning_curve(
                sample, statistic="mean", estimator=estimator, budgets=WHOLE
            )
    for method in METHODS:
        for statistic in ("median", "mean", 0.25):
            for name, sample in (("few", few), ("loss", loss), ("open", open_loss)):
                found[f"band-{method}-{statistic}-{name}"] = bk.tuning_band(
                    sample, confidence=0.8, statistic=statistic, method=method, budgets=BUDGETS
                )
        for sides in ("both", "lower", "upper"):
            found[f"cdf-{method}-{sides}"] = bk.cdf_band(
                few, confidence=0.9, method=method, sides=sides
            )
    found["test-svm"] = bk.selected_test_curve(svm, budgets=WHOLE, estimator="v")
    found["test-loss"] = bk.selected_test_curve(loss, budgets=WHOLE, estimator="u")
    found["running-few"] = bk.running_best(few)
    found["running-loss"] = bk.running_best(loss)
    found["bootstrap-few"] = bk.bootstrap_band(
        few, confidence=0.95, estimator="v", budgets=WHOLE[:6], n_resamples=500, rng=0
    )
    found["cost-few"] = bk.cost_curve(few, n_orders=300, rng=0)
    found["cost-loss"] = bk.cost_curve(loss, n_orders=300, rng=1, budgets=COSTS)
    found["cost-equal"] = bk.cost_curve([3, 1, 2, 5], costs=[2, 2, 2, 2], budgets=[2, 5, 8], rng=0)
    found["compare-example"] = bk.compare(example, confidence=0.95, budgets=WHOLE)
    found["compare-default"] = bk.compare([few, forest], confidence=0.8)
    found["compare-cost"] = bk.compare(example, confidence=0.8, axis="cost", budgets=COSTS)
    found["compare-known"] = bk.compare(
        example, confidence=0.8, axis="cost", costs_known=True, budgets=COSTS
    )
    found["compare-mean"] = bk.compare(
        example, confidence=0.8, statistic="mean", method="ks", budgets=WHOLE
    )
    three = {
        "a": 1 - svm.values[:50], "b": 1 - forest.values[:70], "c": 1 - forest.values[90:150]
    }  # fmt: skip
    many = bk.compare(three, confidence=0.9, direction="minimize", bounds=(0, 1), budgets=WHOLE)
    found["compare-three"] = many
    found["ranking-three"] = {f"{k}": many.ranking(k) for k in WHOLE}
    found["compare-sst5"] = bk.compare(sst5, confidence=0.95, budgets=WHOLE)
    found["effect"] = bk.effect(
        example["forest"], "min_samples_leaf", n_bins=3, axis="trials", confidence=0.8,
        budgets=WHOLE,
    )  # fmt: skip
    found["importance-gamma"] = bk.importance(
        example["svm"], "gamma", default=0.05, axis="trials", confidence=0.8, budgets=WHOLE
    )
    found["importance-forest"] = bk.importance(
        example["forest"], axis="trials", confidence=0.8, budget=10
    )
    for budget in (1, 5, 20, 50):
        for method in METHODS:
            found[f"plan-{budget}-{method}"] = bk.plan(budget=budget, confidence=0.8, method=method)
    found["plan-trials"] = bk.plan(
        trials=48, confidence=0.95, statistic=0.9, direction="minimize", method="ld-equal-tailed"
    )
    found["power-trials"] = bk.power(
        svm, forest, budget=5, trials=50, confidence=0.8, n_simulations=2000, rng=0
    )
    found["power-wanted"] = bk.power(
        few, forest, budget=3, wanted=0.8, confidence=0.8, n_simulations=1000, rng=0
    )
    found["power-mean"] = bk.power(
        few, forest, budget=3, trials=40, confidence=0.8, statistic="mean", n_simulations=300, rng=0
    )
    for name, search in (*example.items(), *sst5.items()):
        found[f"check-{name}"] = bk.check_iid(search, false_alarm=0.02, seed=0)
    found |= monitors(bk, svm, forest)
    found |= tuning(bk)
    plain = {
        name: result if isinstance(result, dict) else result.to_dict()
        for name, result in found.items()
    }
    plain["expected-best"] = {
        e: expected_best(few, [1, 2, 5, 20], estimator=e).tolist() for e in ("v", "u", "w")
    }
    plain["at"] = {
        "curve": bk.tuning_curve(svm).at([1, 2.5, 7]).tolist(),
        "band": [list(map(float, x)) for x in bk.tuning_band(few, confidence=0.8).at([1, 2.5, 7])],
        "cdf": [list(map(float, x)) for x in bk.cdf_band(few, confidence=0.8).at([0.2, 0.9, 0.97])],
    }
    return plain


def monitors(bk: Any, svm: Any, forest: Any) -> dict[str, Any]:
    one = bk.Monitor(
        confidence=0.8, horizon=80, bounds=(0, 1), budgets=WHOLE,
        rule=bk.StopWhen.width(budget=2, at_most=0.1),
    )  # fmt: skip
    one.update(svm.values[:50])
    two = bk.Monitor(
        confidence=0.8, methods=["svm", "forest"], first=10, bounds=(0, 1), budgets=WHOLE,
        method="ld-equal-tailed", rule=bk.StopWhen.beats("svm", "forest", budget=5),
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
        "variability": bk.variability(table[:8], params=params, n_resamples=500, rng=0),
        "recommend": bk.recommend(
            table[:6], n_folds=5, n_repeats=8, tolerance=0.001, n_resamples=300, rng=0
        ),
        "recommend-rule": bk.recommend(n_folds=10, n_repeats=20, budget=20),
        "replay-full": bk.replay(table, n_repeats=4, n_replays=50, rng=0),
        "replay-race": bk.replay(
            table, n_repeats=6, n_replays=50, rng=0, strategy="race", smooth="auto", params=params
        ),
    }


# Every option whose default may change is given.
COMMANDS = {
    "curve": "curve example.csv --score accuracy --by method --statistic median",
    "curve-band": "curve example.csv --score accuracy --by method --confidence 0.95 --budgets 1:12",
    "curve-test": "curve svm.csv --score accuracy --test test_accuracy --statistic mean "
    "--estimator u --budgets 1,2,5",
    "curve-ks": "curve svm.csv --score accuracy --confidence 0.8 --band ks --bounds 0,1 "
    "--budgets 1,2,5,60",
    "compare": "compare example.csv --score accuracy --by method --confidence 0.95 --budgets 1:30",
    "compare-cost": "compare example.csv --score accuracy --by method --confidence 0.8 "
    "--cost fit_seconds --axis cost --budgets 0.5,1,2,5",
    "plan": "plan --budget 20 --confidence 0.8",
    "plan-trials": "plan --trials 100 --confidence 0.95 --statistic 0.9 --direction minimize",
    "power": "power example.csv --score accuracy --by method --trials 50 --budget 5 "
    "--confidence 0.8 --simulations 1000 --seed 0",
    "importance": "importance svm.csv --score accuracy --params C,gamma --confidence 0.8 "
    "--axis trials",
    "importance-one": "importance svm.csv --score accuracy --params C,gamma --param gamma "
    "--default 0.05 --confidence 0.8 --axis trials",
    "check": "check svm.csv --score accuracy --params C,gamma --false-alarm 0.02",
    "study-coverage": "study coverage svm.csv --score accuracy --n 20 --method ks --samples 200 "
    "--confidence 0.8 --budgets 1,5,20 --seed 0 --jobs 1",
    "study-bootstrap": "study coverage svm.csv --score accuracy --n 20 --method bootstrap "
    "--samples 60 --resamples 100 --confidence 0.8 --budgets 1,5,20 --seed 0 --jobs 1",
    "study-error": "study error svm.csv --score accuracy --n 20 --budgets 5,20 --samples 500 "
    "--seed 0 --jobs 1",
    "study-underestimates": "study underestimates svm.csv --score accuracy --n 20 --budgets 5,20 "
    "--samples 500 --seed 0 --jobs 1",
    "study-wrong-model": "study wrong-model example.csv --score accuracy --by method "
    "--budgets 15:18 --samples 500 --seed 0 --jobs 1",
    "study-width": "study width svm.csv --score accuracy --bounds 0,1 --budgets 1,2,5 "
    "--samples 100 --confidence 0.8 --seed 0 --jobs 1",
    "study-reach": "study reach --sizes 6,20,48 --confidence 0.8",
    "study-tuning": "study tuning repetitions.csv --score accuracy --params n_neighbors "
    "--repeats 1,2 --seed 0",
    "status": "status ridge --store sqlite:///store.db",
    "list": "list --store sqlite:///store.db",
}


def commands(folder: Path) -> dict[str, Any]:
    """Return the JSON of every analysing command, run in a folder with the data."""
    from bestofk.cli.main import app

    found = {}
    with contextlib.chdir(folder):
        for name, line in COMMANDS.items():
            text = io.StringIO()
            with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
                app([*line.split(), "--format", "json"])
            found[name] = {"line": line, "output": json.loads(text.getvalue())}
    return found


def main() -> None:
    import bestofk as bk
    from bestofk.cli.demo import _write_data

    assert bk.__version__.startswith("0.1.0"), bk.__file__
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_data(folder)
        search = bk.run_search(
            "bestofk.datasets.moons:ridge", folder / "ridge.toml", n_trials=24, seed=1,
            name="ridge", store=f"sqlite:///{folder}/store.db", score="accuracy", bounds=(0, 1),
            n_workers=0,
        )  # fmt: skip
        with contextlib.suppress(FileNotFoundError):
            shutil.copy(folder / "store.db", FOLDER / "store.db")
        bk.export(search, FOLDER / "export.csv", format="csv")
        bk.report(
            bk.load_example(), FOLDER / "report.md", confidence=0.95, budgets=WHOLE,
            title="Recorded", statistic="median",
        )  # fmt: skip
        for figure in FOLDER.glob("report-*.svg"):
            figure.unlink()
        write("verbs.json", verbs())
        write("commands.json", commands(folder))


def write(name: str, found: Any) -> None:
    text = json.dumps(found, allow_nan=False, separators=(",", ":"))
    (FOLDER / name).write_text(text.replace('},"', '},\n"') + "\n")


if __name__ == "__main__":
    sys.exit(main())
