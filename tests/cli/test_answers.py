"""The answers of the command line: exit codes, what must be certified, what is void."""

from __future__ import annotations

import json

import numpy as np
import pytest

rng = np.random.default_rng(15)
METHODS = {
    "good": rng.normal(0.9, 0.01, 60),
    "poor": rng.normal(0.7, 0.01, 60),
    "odd > name @ 5": rng.normal(0.8, 0.01, 60),
}


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f'"{m}",{x!r},{1 + (i % 3)}'
        for m, values in METHODS.items()
        for i, x in enumerate(values.tolist())
    ]
    (tmp_path / "runs.csv").write_text("method,acc,seconds\n" + "\n".join(rows) + "\n")
    return "runs.csv"


COMPARE = ("compare", "runs.csv", "--score", "acc", "--by", "method", "--sampling", "iid")


@pytest.mark.usefixtures("table")
class TestRequire:
    @pytest.mark.parametrize(
        ("claim", "code"),
        [
            ("good>poor@3", 0),
            ("good > poor @ 3", 0),
            ("poor>good@3", 3),
            ("good>poor@50", 3),  # beyond what 60 trials bound
            ("good>odd > name @ 5@2", 0),
            ("odd > name @ 5>good@2", 3),
        ],
    )
    def test_it_exits_with_3_unless_certified(self, invoke, claim, code):
        got, out, err = invoke(*COMPARE, "--require", claim)
        assert got == code
        assert f"required: {claim}: {'not certified' if code else 'certified'} (" in err
        assert "good is" in out  # the answer is printed all the same

    def test_an_assumption_is_named(self, invoke):
        _, _, err = invoke(*COMPARE[:-2], "--require", "good>poor@3")
        assert "certified, if the trials are independent draws (good - poor is 0.1" in err

    def test_all_of_several_must_hold(self, invoke):
        claims = ("--require", "good>poor@3", "--require", "poor>good@3")
        assert invoke(*COMPARE, *claims)[0] == 3

    @pytest.mark.parametrize(
        ("claim", "message"),
        [
            ("good>nobody@3", "--require must be WINNER>LOSER@BUDGET"),
            ("good>poor", "--require must be WINNER>LOSER@BUDGET"),
            ("good>poor@0", "--require must name a positive budget"),
            ("good>poor@many", "--require must be WINNER>LOSER@BUDGET"),
        ],
    )
    def test_a_claim_that_cannot_be_read_is_wrong_usage(self, invoke, claim, message):
        code, _, err = invoke(*COMPARE, "--require", claim)
        assert code == 2
        assert message in err


@pytest.mark.usefixtures("table")
class TestStrict:
    @pytest.mark.parametrize(
        "command",
        [
            ("compare", "runs.csv", "--score", "acc", "--by", "method"),
            ("curve", "runs.csv", "--score", "acc", "--by", "method", "--confidence", "0.95"),
        ],
    )
    def test_void_exits_with_3_and_only_then(self, invoke, command):
        assert invoke(*command, "--strict", "--sampling", "adaptive")[0] == 3
        assert invoke(*command, "--sampling", "adaptive")[0] == 0
        assert invoke(*command, "--strict", "--sampling", "iid")[0] == 0
        assert invoke(*command, "--strict")[0] == 0  # assumed

    def test_the_first_line_says_why(self, invoke):
        _, out, _ = invoke(*COMPARE[:-1], "adaptive")
        assert out.startswith("No confidence statement is possible for good, poor and odd > name")
        assert "95 %" not in out
        assert "certified" not in out

    def test_estimated_costs_are_void(self, invoke):
        code, out, _ = invoke(*COMPARE, "--axis", "cost", "--cost", "seconds", "--strict")
        assert code == 3
        assert out.startswith("At the estimated mean costs (2, 2 and 2 a trial)")
        assert "--cost-limit" in out
        for stated in (
            ("--cost-limit", "4"),
            ("--unit-costs", "2"),
            ("--cost-limit", "good=4,poor=4,odd > name @ 5=3"),
        ):
            words = ("--axis", "cost", "--cost", "seconds", "--strict", *stated)
            assert invoke(*COMPARE, *words)[0] == 0


@pytest.mark.usefixtures("table")
class TestEvidence:
    def test_it_is_shown_only_if_asked_for(self, invoke):
        _, plain, _ = invoke(*COMPARE)
        assert "rule of thumb" not in plain
        _, out, err = invoke(*COMPARE, "--evidence")
        assert "rule of thumb of Lourie et al." in out
        assert "37 of 100 comparisons" in err
        both = json.loads(invoke(*COMPARE, "--evidence", "--format", "json")[1])
        assert [r["kind"] for r in both] == ["comparison", "evidence"]
        assert both[1]["validity"] == "assumed"


@pytest.mark.usefixtures("table")
def test_many_methods_are_ranked_by_budget(invoke):
    _, out, _ = invoke(*COMPARE, "--budgets", "1,5", "--format", "csv")
    head, *rows = out.splitlines()
    assert head.split(",")[-7:] == [
        "budget", "method", "estimate", "lower", "upper", "best_rank", "worst_rank",
    ]  # fmt: skip
    assert len(rows) == 2 * 3
    assert rows[0].endswith("1,1")


@pytest.mark.usefixtures("table")
def test_an_optuna_study_by_tpe_claims_nothing(invoke, tmp_path):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = f"sqlite:///{tmp_path}/tpe.db"
    study = optuna.create_study(
        storage=storage, study_name="tpe", sampler=optuna.samplers.TPESampler(seed=1),
        direction="maximize",
    )  # fmt: skip
    study.optimize(lambda t: -((t.suggest_float("x", -1, 1) - 0.3) ** 2), n_trials=30)
    for stated in ((), ("--sampling", "iid")):
        code, out, _ = invoke(
            "curve", tmp_path / "tpe.db", "--confidence", "0.95", "--strict", *stated
        )
        if code == 0:  # nothing in the storage proves TPE: the user's word counts, with a caveat
            assert stated
            continue
        assert code == 3
        assert out.startswith("No confidence statement is possible: ")
        assert (
            "repeat the whole search with nine or more new seeds, unless these are such "
            "repeats already, and read them with bestofk "
            "repeats" in out
        )
        assert "95 %" not in out
