"""What somebody who has only the README and the command line runs into first."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

import bestofk as bk
from tests.conftest import ROOT
from tests.runner import objectives


@pytest.fixture
def run(tmp_path, monkeypatch, invoke):
    """Run the program in a folder with two small searches of one table each."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    for name in ("a", "b"):
        rows = [f"{score:.6f},{lr:.6f}" for score, lr in rng.random((12, 2))]
        (tmp_path / f"{name}.csv").write_text("\n".join(["accuracy,lr", *rows]) + "\n")
    return invoke


def test_an_infinite_bound_is_explained(run):
    """The table said inf, and nothing said why."""
    _, out, err = run("curve a.csv --score accuracy --confidence 0.9")
    assert "inf" in out
    assert (
        "note: where the table says inf, 12 trials are too few to bound the curve from above (if "
        "no score can leave 0 to 1, pass --bounds 0,1; bestofk plan --budget 12 --confidence 0.9 "
        "says how many trials bound it from above)"
    ) in err
    _, out, err = run("curve a.csv --score accuracy --confidence 0.9 --bounds 0,1")
    assert "inf" not in out + err
    _, out, err = run("compare a.csv b.csv --score accuracy")
    assert " 12 trials each bound both curves from above only up to 1 trial. " in out
    assert "says inf, 12 trials each are too few to bound both curves (if no score can lea" in err
    assert (
        "bestofk plan --budget 12 --confidence 0.975 says how many trials bound each from above)"
        in err
    )
    _, _, err = run("compare a.csv b.csv --score accuracy --independent")
    assert "where the table says inf, the two-sample test gives no bound (if no score can" in err


def test_python_speaks_of_arguments():
    band = bk.tuning_band(bk.Scores([-3, 1, 2.0], sampling="iid", direction="minimize"))
    assert (
        "! where the table says inf, 3 trials are too few to bound the curve from below and above "
        "(if no score can leave some limits, pass bounds=(low, high); bk.plan(budget=3, "
        'direction="minimize") says how many trials bound it from below)'
    ) in repr(band)
    assert "says inf" not in repr(bk.tuning_band([1, 2.0], bounds=(0, 3)))
    assert "confidence=0.99999)" in repr(bk.tuning_band([1, 2.0], confidence=0.99999))
    assert "says inf" not in repr(bk.tuning_band([1, 2.0], statistic="mean"))  # says so itself


def test_a_plan_is_pointed_to_only_for_what_it_answers():
    """A plan bounds one side, and refuses budgets that no affordable search bounds."""
    scores = bk.Scores(np.arange(30.0), sampling="iid")
    said = repr(bk.tuning_band(scores, statistic=0.01))
    assert "from below and above (" in said
    assert "bk.plan(budget=30, statistic=0.01) says how many trials bound it from above)" in said
    n = bk.plan(budget=30, statistic=0.01).trials
    many = bk.tuning_band(bk.Scores(np.arange(float(n))), statistic=0.01, budgets=[1, 30])
    assert np.isfinite(many.upper).all()
    assert np.isinf(many.lower).any()  # what the words must not deny
    for asked in ({"statistic": 0.99, "budgets": [1, 1000]}, {"budgets": [1, 5000]}):
        said = repr(bk.tuning_band(scores, **asked))
        assert "; more trials bound it too)" in said
        with pytest.raises(bk.errors.ArgumentError, match="within the reach"):
            bk.plan(budget=asked["budgets"][1], statistic=asked.get("statistic", "median"))


def test_a_comparison_says_which_bound_is_missing():
    few = [bk.Scores([x], sampling="iid", label=str(x)) for x in (0.4, 0.5)]
    said = repr(bk.compare(*few))
    assert "where the table says inf, 1 trial each is too few to bound both curves (" in said
    said = repr(bk.compare(*few, statistic=0.1, confidence=0.1))  # bounded from above already
    assert "pass bounds=(0, 1); more trials bound them too)" in said


def test_infinite_scores_are_not_put_down_to_few_trials():
    scores = bk.Scores([-np.inf] * 20 + [1.0] * 40, sampling="iid")
    assert "says inf" not in repr(bk.tuning_band(scores, budgets=[1, 2]))


def test_one_side_that_was_not_asked_for_needs_no_reason():
    scores = bk.Scores(np.arange(30.0), sampling="iid")
    assert "says inf" not in repr(bk.tuning_band(scores, sides="lower"))
    assert "from above (" in repr(bk.tuning_band(scores, sides="upper"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("", "(estimate; --confidence 0.95 adds a confidence band)."),
        ("--statistic 0.9", "(estimate; --confidence 0.95 adds a confidence band)."),
        (
            "--statistic mean",
            "(estimate; --confidence 0.95 with --bounds LOW,HIGH adds a confidence band).",
        ),
        ("--statistic mean --bounds 0,1", "(estimate; --confidence 0.95 adds a confidence band)."),
        ("--statistic mean --estimator u", "(estimate).\n"),
        ("--sampling adaptive", "(estimate).\n"),  # no band says anything
    ],
)
def test_a_curve_answers_in_words(run, options, said):
    code, out, _ = run(f"curve a.csv --score accuracy {options}")
    assert code == 0
    assert " best of 10 trials: 0." in out
    assert said in out


def test_missing_columns_are_listed_with_a_guess(run):
    for line in ("check a.csv", "importance a.csv --params lr", "curve a.csv"):
        code, _, err = run(f"{line} --score acc")
        assert code == 2
        assert "no 'acc' among 'accuracy', 'lr'. Did you mean 'accuracy'?" in err
    assert "Did you mean 'lr'?" in run("check a.csv --score accuracy --params LR")[2]
    assert (
        "has no hyperparameters. Pass --params with some of the columns 'lr'."
        in run("importance a.csv --score accuracy")[2]
    )
    assert "(pass --params with some of the columns 'lr')" in run("check a.csv --score accuracy")[2]


@pytest.mark.parametrize("command", ["curve a.csv", "compare a.csv b.csv"])
def test_a_scale_that_is_refused_is_refused_before_the_answer(run, tmp_path, command):
    code, out, err = run(f"{command} --score accuracy --plot a.png --scale error")
    assert (code, out) == (2, "")
    assert "--scale error shows what is left" in err
    assert not (tmp_path / "a.png").exists()


def test_a_logarithmic_axis_is_an_option(run, tmp_path, monkeypatch):
    from bestofk._base.chart import matplotlib

    drawn = []
    monkeypatch.setattr(matplotlib, "draw", lambda content, *to: drawn.append(content.log_x))
    for option in ("--log-x", "--no-log-x", ""):
        assert run(f"curve a.csv --score accuracy --plot a.png {option}")[0] == 0
    assert drawn == [True, False, None]


def test_a_store_is_named_alike_for_status_and_serve(run, tmp_path):
    for store, name in (("one.db", "cnn"), ("two.db", "cnn"), ("two.db", "rnn")):
        url = f"sqlite:///{tmp_path / store}"
        bk.run_search(
            objectives.plain, objectives.SPACE, seed=7, name=name, n_trials=1, n_workers=0,
            store=url,
        )  # fmt: skip
    said = [
        json.loads(run(f"status {words} --format json")[1])["name"]
        for words in (
            "cnn --store one.db", "one.db cnn", "one.db", "--store one.db", "sqlite:///one.db",
            "two.db cnn", "cnn --store sqlite:///two.db",
        )
    ]  # fmt: skip
    assert said == ["cnn"] * 7
    assert run("list two.db")[1] == run("list --store two.db")[1] != ""
    assert run("serve two.db --check")[1] == run("serve --store two.db --check")[1] == "cnn\nrnn\n"
    code, _, err = run("status two.db")
    assert code == 2
    assert "it holds 2: 'cnn', 'rnn'. Add a name: bestofk status two.db cnn" in err
    assert "takes one store" in run("status one.db cnn --store two.db")[2]
    assert run("status none.db")[2] == "bestofk: sqlite:///none.db: there is no such store.\n"
    assert run("remove rnn --store two.db --yes")[1] == "removed rnn: 1 trial\n"
    code, _, err = run("serve --check")
    assert (code, err) == (2, "bestofk: serve needs a file, a folder or a store; name one.\n")


def test_where_all_trials_failed_there_is_no_best_to_match(run, tmp_path):
    (tmp_path / "s.toml").write_text("lr = [1, 2]\n")
    program = f"{sys.executable} -c exit(1)"
    run(f"search --name bad --space s.toml --trials 1 --seed 1 --score x --keep-going -- {program}")
    assert "  Nothing is certified yet; no trial is complete.\n" in run("status bad")[1]


def test_power_says_what_it_counts(run):
    line = "power a.csv b.csv --score accuracy --budget 2 --trials 30 --resamples 50"
    _, _, err = run(line)
    assert "note: counted is what joint bands certify, which hold whatever the two searc" in err
    assert "two-sample test of compare with --independent took 6 to 38 % fewer trials in" in err
    assert "--independent" not in run(f"{line} --simultaneous listed")[2]
    assert "joint" not in run(f"{line} --statistic mean --bounds 0,1")[2]
    assert "joint" not in run(f"{line} --sampling adaptive")[2]  # nothing is counted
    _, out, err = run("power a.csv b.csv --score accuracy --budget 2 --trials 1 --resamples 50")
    assert ": 1 trial each, compared" in out
    assert "note: 1 trial reaches only a budget of 0" in err


def test_generated_pages_need_the_reproduction(monkeypatch):
    """It ended in an AssertionError."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import make_docs

    monkeypatch.setattr(make_docs, "commands", lambda: ["curve"])
    with pytest.raises(SystemExit, match=r"needs the commands .* --editable ./reproduction"):
        make_docs.cli_page()
    sys.modules.pop("make_docs")


def test_costs_that_are_read_but_not_compared_are_said(invoke, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{m},{0.5 + i / 40},{i + 1}" for m in ("a", "b") for i in range(12)]
    Path("runs.csv").write_text("m,acc,s\n" + "\n".join(rows) + "\n", encoding="utf-8")
    line = "compare runs.csv --score acc --by m --cost s --sampling iid"
    note = "note: at equal trials; --axis cost compares at equal cost (--cost)"
    assert note in invoke(line)[2]
    assert note not in invoke(f"{line} --axis cost")[2]


def test_importance_of_several_methods_says_to_pick_one():
    with pytest.raises(bk.BestofkError, match=r"hyperparameters; got dict\. Pick one of them\."):
        bk.importance(bk.datasets.load_example())


def test_no_message_names_a_file_that_only_a_checkout_has():
    printed = re.compile(r"""["'>][^"'\n]*\bdocs/[\w-]+\.md""")
    for path in (ROOT / "src/bestofk").rglob("*"):
        if path.suffix in (".py", ".html"):
            text = re.sub(r'"""(.|\n)*?"""|#.*', "", path.read_text(encoding="utf-8"))
            assert not printed.search(text), path.name
