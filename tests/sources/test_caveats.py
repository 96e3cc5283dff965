"""The readers' caveats: each has a kind of its own, and says as much as it takes away."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import bestofk as bk
from bestofk._base.caveat import Caveat, void_line, weakest
from bestofk.errors import in_python, on_command_line
from bestofk.sources import caveats
from bestofk.sources.found import to_search
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools import optuna_samplers, runs, scikit_learn, wandb_runs
from tests.sources import recorded
from tests.sources.said import kinds, said

SOURCE = Path(caveats.__file__).parents[1]


def documented(*, of_store=False):
    """Return the validity of each kind in a table that heads the module."""
    table = re.split(r"^=+ +=+ +=+$", caveats.__doc__, flags=re.M)[5 if of_store else 2]
    found = {}
    for line in table.strip().splitlines():
        names, validity = re.fullmatch(r"([a-z, -]+?)  +(\w+) +.*", line).groups()
        found |= dict.fromkeys(names.split(", "), validity)
    return found


class Trial:
    """As much of Optuna's trials as is looked at."""

    def __init__(self, number, **system_attrs):
        self.number, self.system_attrs = number, system_attrs
        self.params, self.distributions = {"x": 0.5}, {"x": FloatDistribution()}


class FloatDistribution:
    step = None

    def single(self):
        return False


def of_optuna():
    trials = [Trial(i) for i in range(3)]
    for sampler in (None, *optuna_samplers.SAMPLERS, "MySampler"):
        yield from optuna_samplers.how_drawn(trials, sampler, {})[1]
    for key in ("tpe:x", "gp:x", "cma:x", "grid_id", "NSGAIISampler:generation"):
        yield from optuna_samplers.how_drawn([Trial(0, **{key: 1})], "RandomSampler", {})[1]
    yield from optuna_samplers.how_drawn([], None, {"qmc:x": 1})[1]
    asked = [Trial(0, fixed_params={}), Trial(1, failed_trial=0)]
    yield from optuna_samplers.how_drawn(asked, "RandomSampler", {})[1]


def of_tables():
    mlflow = {"run_id": list("abcd"), "experiment_id": list("0111"), "metrics.s": [1.0] * 4,
              "status": ["KILLED", "FINISHED", "FINISHED", "FINISHED"],
              "tags.mlflow.parentRunId": ["b", "", "", ""],
              "params.x": list("1122"), "params.y": list("1212")}  # fmt: skip
    optuna = {"number": [0], "state": ["COMPLETE"], "datetime_start": [""], "value": [1.0],
              "datetime_complete": [""]}  # fmt: skip
    wandb = {"Name": ["a"], "State": ["killed"], "Created": [""], "Runtime": [1], "Sweep": ["s"],
             "s": [1.0]}  # fmt: skip
    ray = {"trial_id": ["a", "b"], "training_iteration": [1, 2], "time_total_s": [1, 1],
           "s": [1.0, 2.0]}  # fmt: skip
    allentune = {"training_duration": [1], "best_epoch": [1], "best_validation_s": [1.0]}
    halving = {"params": ["a", "a"], "mean_fit_time": [1, 1], "mean_test_score": [1.0, 2.0],
               "iter": [0, 1], "n_resources": [1, 2]}  # fmt: skip
    grid = {name: column for name, column in mlflow.items() if not name.startswith("tags")}
    for columns in (mlflow, grid, optuna, wandb, ray):
        yield from bk.read(columns, score="value" if columns is optuna else "s").caveats
    yield from bk.read(allentune, score="best_validation_s").caveats
    # a dict with the keys of cv_results_ is taken for one
    table = [dict(zip(halving, row, strict=True)) for row in zip(*halving.values(), strict=True)]
    yield from bk.read(table).caveats
    for search in bk.read_all(table, by="iter").values():
        yield from search.caveats


def of_logs():
    log = {"run": [*"aaabbbccc"], "epoch": [1, 2, 3] * 2 + [2, 4, 6], "seconds": range(1, 10),
           "acc": [0.1 * i for i in range(9)]}  # fmt: skip
    for take in ("last", "best"):
        yield from bk.read(log, score="acc", trial="run", take=take, cost="seconds").caveats
    del log["epoch"]
    yield from bk.read(log, score="acc", trial="run", take="last").caveats
    drawn = {"lr": [0.123456, 0.345678] * 2, "seconds": [1.23456, 2.34567] * 2, "acc": [0.5] * 4}
    yield from bk.read(drawn, score="acc", params="lr", cost="seconds").caveats
    yield from bk.read(drawn, score="acc").caveats
    yield from bk.read({"method": [*"ab"] * 5, "acc": range(10)}, score="acc").caveats


def of_tools():
    yield from runs.unfinished(["running"])
    some = [
        runs.Run(state="complete", metrics={"s": 1.0}, params={}, cost=cost) for cost in (1.0, None)
    ]
    yield from to_search(runs.of_runs(some, "x"), ReadOptions()).caveats
    for _, of_method in wandb_runs._METHODS.values():
        yield from of_method
    for name in ("GridSearchCV", "RandomizedSearchCV", "SomeSearchCV"):
        space = {"GridSearchCV": "param_grid", "RandomizedSearchCV": "param_distributions"}
        given = type(name, (), {space.get(name, "other"): {"C": [1]}})()
        yield from scikit_learn._sampling(given)[1]


@pytest.fixture(scope="module")
def of_recordings(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    for tool in ("ray", "mlflow"):
        recorded.unpack(tool, folder)
    places = ["random", "grid", "asha", "searcher", "pbt", "files/mlruns"]
    return [c for place in places for c in bk.read(folder / place, score="acc").caveats]


@pytest.mark.parametrize("source", [of_optuna, of_tables, of_logs, of_tools])
def test_every_caveat_of_a_reader_has_a_documented_kind_and_validity(source):
    found = list(source())
    assert found
    known(found)


def test_caveats_of_recorded_searches_too(of_recordings):
    known(of_recordings)


def known(found):
    for caveat in found:
        assert isinstance(caveat, Caveat)
        assert caveat.kind != "stated"
        assert caveat.validity == documented()[caveat.kind], caveat


def test_a_remedy_can_begin_a_sentence(of_recordings):
    """One that begins with a word that differs by place cannot be made to begin with a capital."""
    found = [c for source in (of_optuna, of_tables, of_logs, of_tools) for c in source()]
    remedies = {c.remedy for c in (*found, *of_recordings) if c.remedy}
    assert len(remedies) > 4
    for remedy in remedies:
        assert re.match("[a-z]+ ", remedy), remedy
    mixed = caveats.mixed("sweeps", 2, by="sweep")
    way_out = in_python(f" Read each by itself with {caveats.split_by('sweep')}.")
    assert in_python(void_line([mixed])).endswith(way_out)


def test_what_was_stopped_early_has_a_remedy_that_says_what_it_states():
    log = {"run": [*"aaabb"], "epoch": [1, 2, 3, 1, 2], "acc": [0.1, 0.2, 0.3, 0.4, 0.5]}
    line = void_line(bk.read(log, score="acc", trial="run", take="last").caveats)
    said = (
        "are descriptive. If each trial was stopped by its own scores alone, whatever the others "
        "did, the last scores are independent draws: state that by passing them "
    )
    assert f"{said}as an array." in in_python(line)
    assert f"{said}in a file with one row per trial." in on_command_line(line)


def test_a_caveat_without_a_kind_would_be_found():
    with pytest.raises(AssertionError):
        known(bk.Search({"s": [1.0]}, caveats=("just words",)).caveats)


def test_the_kinds_met_here_are_almost_all_there_are(of_recordings):
    met = {c.kind for source in (of_optuna, of_tables, of_logs, of_tools) for c in source()}
    met |= {c.kind for c in of_recordings}
    # these need objects of W&B and Optuna, or a table of its own, and are met in their own tests
    elsewhere = {"early-stopping", "mixed-sweeps", "resumed", "pruned", "sampling-stated-otherwise"}
    elsewhere |= {"percent", "tests", "errors-recorded", "unfinished", "joined-logs", "retried-log"}
    # all but the first: of attempts
    elsewhere |= {"stopped-early", "repeats-by-name", "several-searches"}  # of repeats
    assert met | elsewhere == set(documented())
    assert not met & elsewhere


def test_a_statement_settles_what_is_not_recorded_and_nothing_else():
    found = [caveats.unknown("nobody knows"), caveats.GRID]
    stated = caveats.as_stated(found, "unknown", "iid")
    assert [c.validity for c in stated] == ["holds", "void"]
    assert [str(c) for c in stated] == [str(c) for c in found]
    for other in (None, "unknown", "adaptive", "without-replacement"):
        assert caveats.as_stated(found, "unknown", other) == tuple(found)


@pytest.mark.parametrize("sampling", ["adaptive", "without-replacement"])
def test_a_statement_against_the_records_is_told_and_voids(sampling):
    search = bk.Search({"s": [1.0]}, sampling=sampling)
    assert caveats.as_stated(search.caveats, sampling, None) == ()
    assert caveats.as_stated(search.caveats, sampling, sampling) == ()
    (told,) = caveats.as_stated(search.caveats, sampling, "iid")
    assert told.kind == "sampling-stated-otherwise"
    assert told.validity == "void"
    assert str(told) == f"stated to be iid, although the records say {sampling}"


def test_a_plain_table_stated_to_be_iid_claims_everything():
    columns = {"number": [0, 1], "state": ["COMPLETE"] * 2, "datetime_start": ["", ""],
               "datetime_complete": ["", ""], "value": [1.0, 2.0]}  # fmt: skip
    unstated = bk.read(columns).scores()
    assert kinds(unstated) == ["sampler-unknown"]
    assert weakest(c.validity for c in unstated.caveats) == "assumed"
    stated = bk.read(columns, sampling="iid").scores()
    said(stated, "sampler-unknown", "does not say which sampler")
    assert weakest(c.validity for c in stated.caveats) == "holds"


def test_a_remedy_is_worded_for_python_and_for_the_command_line():
    caveat = caveats.void("mixed-sweeps", "mixed", remedy=caveats.split_by("sweep"))
    assert str(caveat).endswith('(read_all(..., by="sweep"))')
    assert caveat.on_command_line().endswith("(--by sweep)")


def made_in(text):
    """Yield the kind and the validity of each caveat that a module makes, as far as it says so."""
    for call in ast.walk(ast.parse(text)):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        given = {k.arg: k.value for k in call.keywords}
        place = {"void": 0, "drawn_by": 2}.get(call.func.id, len(call.args))
        kind = call.args[place] if place < len(call.args) else given.get("kind")
        validity = {"void": "void", "drawn_by": "void", "Caveat": "holds"}.get(call.func.id)
        if validity and isinstance(kind, ast.Constant):
            said = given.get("validity", ast.Constant(validity))
            yield kind.value, said.value if isinstance(said, ast.Constant) else None


@pytest.mark.parametrize("folder", ["sources", "runner"])
def test_the_tables_have_every_kind_that_the_code_makes(folder):
    found = {pair for f in (SOURCE / folder).rglob("*.py") for pair in made_in(f.read_text())}
    table = documented(of_store=folder == "runner")
    assert len(found) >= (4 if folder == "runner" else 15)
    for kind, validity in found:
        assert kind in table, kind
        assert validity in (None, table[kind]), kind
    if folder == "runner":
        assert {kind for kind, _ in found} == set(table)


def test_a_kind_that_is_not_in_the_tables_would_be_found():
    text = """
Caveat(kind="a", text=text)
Caveat(kind="b", text=text, validity="assumed")
f(void("c", text), drawn_by(text, "adaptive", "d"), drawn_by(text, "unknown"))
Caveat(kind=kind, text=text)
"""
    assert sorted(made_in(text)) == [("a", "holds"), ("b", "assumed"), ("c", "void"), ("d", "void")]
    assert not {"a", "b", "c", "d"} & documented().keys()


METHODS = {
    "method": ["svm", "forest"] * 10, "lr": [0.1, 0.2] * 10, "acc": [i / 7 for i in range(20)]
}  # fmt: skip


def test_a_column_that_may_name_the_methods_is_told_once():
    search = bk.read(METHODS, score="acc")
    said(search, "unsplit", "`method`, which has 2 values")
    (caveat,) = search.caveats
    assert in_python(caveat.remedy).endswith('apart: read_all(..., by="method") gives 2 searches')
    assert caveat.on_command_line().endswith("apart: --by method gives 2 searches)")
    both = {**METHODS, "optimizer": ["adam", "sgd"] * 10}
    assert kinds(bk.read(both, score="acc")) == ["unsplit"]  # which of them is called so


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        (METHODS, {"params": ["lr", "method"]}),  # declared to be a hyperparameter
        ({**METHODS, "params_method": METHODS["method"], "method": ["x"] * 20}, {}),  # one value
        ({**METHODS, "method": [f"m{i}" for i in range(20)]}, {}),  # names of the trials
        ({**METHODS, "method": [f"m{i % 13}" for i in range(20)]}, {}),  # too few trials of each
        ({**METHODS, "method": ["1", "2"] * 10}, {}),
        ({**METHODS, "method": ["yes", True] * 10}, {}),
        ({**METHODS, "state": ["complete", "failed"] * 10, "method": ["x"] * 20}, {}),
        (
            {"act": ["relu", "tanh"] * 10, "lr": METHODS["lr"], "acc": METHODS["acc"]},
            {"params": "lr"},
        ),  # left out on purpose
        ({"act": ["relu", "tanh"] * 10, "opt": ["adam", "sgd"] * 10, "acc": METHODS["acc"]}, {}),
    ],
)
def test_what_hardly_names_the_methods_is_not_told(columns, options):
    assert "unsplit" not in kinds(bk.read(columns, score="acc", **options))
    assert "unsplit" in kinds(bk.read(METHODS, score="acc"))


def test_a_table_that_is_split_is_not_told_to_be():
    for search in bk.read_all(METHODS, by="method", score="acc").values():
        assert kinds(search) == []


def test_comparing_one_method_says_how_to_split_it():
    search = bk.read(METHODS, score="acc", label="x")
    for given, way in (
        (search, "Name the column that tells methods apart: --by method gives 2 searches"),
        ([1.0, 2.0], "Name the column that tells them apart with --by"),
    ):
        with pytest.raises(bk.BestofkError) as error:
            bk.compare({"x": given})
        assert on_command_line(error.value.text) == (
            f"compare needs at least two methods, but x holds one. {way}, or pass a second file."
        )
    with pytest.raises(
        bk.BestofkError, match=r'got 1. Name .* apart: read_all\(..., by="method"\)'
    ):
        bk.compare([search])
