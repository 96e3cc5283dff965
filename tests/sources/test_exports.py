"""Export: every trial, to the last digit, and back again."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk._base.caveat import VALIDITIES, Caveat
from bestofk.errors import ArgumentError, DataError
from bestofk.scores.trial import SAMPLINGS, STATES
from bestofk.sources.caveats import split_by

nan = math.nan


def search(**options):
    return bk.Search(
        {
            "acc": [0.1 + 0.2, nan, 1 / 3, 0.5, nan, math.inf],
            "test": [1 / 7, nan, 0.3, nan, nan, 0.1],
        },
        **{
            "metric": "acc",
            "test": "test",
            "params": {
                "lr": [1e-5, 0.25, 3.0, 1e300, 0.1, 5e-324],
                "layers": [1, 2, 3, 2**60, -1, 0],
                "act": ["relu", None, 'a,"b\n', "ü", "x", "1"],
                "bias": [True, False, True, None, True, False],
            },
            "costs": [1.5, nan, 0.1 + 0.2, 1e-7, 3.0, 12345678.9],
            "states": ("complete", "failed", "complete", "pruned", "running", "complete"),
            "numbers": [2, 3, 5, 7, 11, 13],
            "direction": "minimize",
            "bounds": (0, math.inf),
            "label": "cnn",
            "sampling": "without-replacement",
            "notes": {3: "it blew up"},
            "caveats": (
                "a user's own words",
                Caveat(kind="sampler-traces", text="it learns", about=("cnn",), validity="void"),
                Caveat(kind="ties", text="3 scores tie", remedy="none", validity="assumed"),
            ),
            **options,
        },
    )


def same(a, b):
    """Assert that two searches are the same in every field, to the kind and last digit."""
    for name in ("metric", "test", "direction", "bounds", "label", "sampling", "caveats", "notes"):
        assert getattr(a, name) == getattr(b, name), name
    assert a.states == b.states
    assert a.numbers.tolist() == b.numbers.tolist()
    assert [(k, repr(v.tolist())) for k, v in a.metrics.items()] == [
        (k, repr(v.tolist())) for k, v in b.metrics.items()
    ]
    assert [(k, repr(v)) for k, v in a.params.items()] == [
        (k, repr(v)) for k, v in b.params.items()
    ]
    assert (a.costs is None) == (b.costs is None)
    assert a.costs is None or repr(a.costs.tolist()) == repr(b.costs.tolist())


def test_optuna_and_back_is_the_identity(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path}/study.db"
    bk.export(search(), url)
    same(bk.read(url), search())
    bk.export(search(label="rnn", costs=None, test=None), url)
    same(bk.read_all(url, by="study")["rnn"], search(label="rnn", costs=None, test=None))
    bk.export(search(label=""), f"sqlite:///{tmp_path}/unnamed.db")  # to which Optuna gives a name
    same(bk.read(tmp_path / "unnamed.db"), search(label=""))


NAMES = st.text(max_size=5) | st.sampled_from(
    ["bestofk", "value", "acc", "lr", "number", "user_attrs_acc", "state", "params", "ü \n'"]
)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
PARAMS = st.recursive(
    PLAIN,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=2)
    ),
    max_leaves=4,
)
CAVEATS = st.builds(
    Caveat,
    kind=NAMES,
    text=NAMES,
    about=st.lists(NAMES, max_size=2).map(tuple),
    remedy=NAMES,
    validity=st.sampled_from(VALIDITIES),
)
KINDS = [st.floats(), st.integers(), st.booleans(), st.text(max_size=5), PLAIN, PARAMS]


@st.composite
def searches(draw):
    n = draw(st.integers(1, 5))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    names = draw(st.lists(NAMES.filter(bool), min_size=1, max_size=4, unique=True))
    metrics = {name: column(st.floats() | st.just(nan)) for name in names}
    metric = draw(st.sampled_from(names))
    scores = metrics[metric]
    ended = st.sampled_from(STATES)
    badly = ended.filter(lambda state: state != "complete")
    states = [draw(badly if math.isnan(score) else ended) for score in scores]
    known = st.floats(0, 1e300)
    costs = [draw(known if s == "complete" else known | st.just(nan)) for s in states]
    inside = [score for score in scores if not math.isnan(score)]
    low = draw(st.just(-math.inf) | st.floats(max_value=min(inside, default=0), allow_nan=False))
    high = draw(st.just(math.inf) | st.floats(min_value=max(inside, default=0), allow_nan=False))
    numbers = draw(
        st.lists(st.integers(-(2**62), 2**62), min_size=n, max_size=n, unique=True)
        | st.just(list(range(n)))
    )
    return bk.Search(
        metrics,
        metric=metric,
        test=draw(st.none() | st.sampled_from(names)),
        params={
            name: column(st.none() | draw(st.sampled_from(KINDS)))
            for name in draw(st.lists(NAMES, max_size=3, unique=True))
        },
        costs=draw(st.sampled_from([None, costs])),
        states=tuple(states),
        numbers=numbers,
        direction=draw(st.sampled_from(["maximize", "minimize"])),
        bounds=(low, high) if low < high else None,
        label=draw(NAMES),
        sampling=draw(st.sampled_from(SAMPLINGS)),
        notes=draw(st.dictionaries(st.sampled_from([*numbers, 99]), NAMES, max_size=2)),
        caveats=tuple(draw(st.lists(NAMES.filter(bool) | CAVEATS, max_size=2))),
    )


@pytest.fixture(scope="module")
def storages(tmp_path_factory):
    optuna = pytest.importorskip("optuna")
    from optuna.storages import JournalStorage, RDBStorage
    from optuna.storages.journal import JournalFileBackend

    folder = tmp_path_factory.mktemp("storages")
    return {
        "memory": optuna.storages.InMemoryStorage(),
        "sqlite": RDBStorage(f"sqlite:///{folder}/study.db"),
        "journal": JournalStorage(JournalFileBackend(str(folder / "journal.log"))),
    }


@pytest.mark.parametrize(
    "kind", ["memory", pytest.param("sqlite", marks=pytest.mark.slow), "journal"]
)
def test_every_search_goes_through_optuna_unchanged(storages, kind):
    storage = storages[kind]

    @given(searches())
    def check(given):
        bk.export(given, storage)
        try:
            same(bk.read(storage), given)
        finally:
            (study,) = storage.get_all_studies()
            storage.delete_study(study._study_id)

    check()


def test_caveats_are_kept_as_plain_data_and_sentences_of_0_1_0_are_read():
    optuna = pytest.importorskip("optuna")
    storage = optuna.storages.InMemoryStorage()
    bk.export(search(), storage)
    study = optuna.load_study(study_name="cnn", storage=storage)
    kept = study.user_attrs["bestofk"]
    assert kept["caveats"] == [c.to_dict() for c in search().caveats]
    study.set_user_attr("bestofk", {**kept, "caveats": ["a sentence", kept["caveats"][1]]})
    assert bk.read(storage).caveats == (
        Caveat(kind="stated", text="a sentence"),
        search().caveats[1],
    )
    newer = {"kind": "new", "text": "a sentence", "validity": "doubtful"}
    study.set_user_attr("bestofk", {**kept, "caveats": [newer]})
    assert bk.read(storage).caveats == (Caveat(kind="new", text="a sentence", validity="void"),)


def test_an_argument_named_in_a_caveat_is_kept_in_the_words_of_python():
    optuna = pytest.importorskip("optuna")
    storage = optuna.storages.InMemoryStorage()
    given = Caveat(kind="mixed-rounds", text="mixed", remedy=split_by("iter"), validity="void")
    bk.export(bk.Search({"s": [1.0]}, caveats=(given,)), storage)
    (back,) = bk.read(storage).caveats
    assert str(back) == str(given) == 'mixed (read_all(..., by="iter"))'
    assert given.on_command_line() == "mixed (--by iter)"


def test_the_example_goes_through_optuna_unchanged(tmp_path):
    optuna = pytest.importorskip("optuna")
    svm = bk.datasets.load_example()["svm"]
    storage = optuna.storages.InMemoryStorage()
    bk.export(svm, storage)
    same(bk.read(storage), svm)


def test_optuna_shows_what_was_exported(tmp_path):
    optuna = pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path}/study.db"
    bk.export(search(), url)
    study = optuna.load_study(study_name="cnn", storage=url)
    assert study.direction.name == "MINIMIZE"
    assert study.metric_names == ["acc"]
    assert [t.state.name for t in study.trials] == [
        "COMPLETE", "FAIL", "COMPLETE", "PRUNED", "RUNNING", "COMPLETE"
    ]  # fmt: skip
    assert study.best_value == 0.1 + 0.2
    assert study.best_params["lr"] == 1e-5
    assert study.trials[0].user_attrs["test"] == 1 / 7
    assert study.trials[0].duration.total_seconds() == 1.5


def test_a_study_that_exists_is_not_written_over(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path}/study.db"
    bk.export(search(), url)
    with pytest.raises(DataError, match="already a study 'cnn'"):
        bk.export(search(), url)


def test_what_optuna_cannot_hold_is_refused_and_leaves_nothing(tmp_path):
    optuna = pytest.importorskip("optuna")
    storage = optuna.storages.InMemoryStorage()
    with pytest.raises(DataError, match=r"`p` holds .*object.* Write it as text"):
        bk.export(bk.Search({"acc": [1.0]}, params={"p": [object()]}), storage)
    storage = optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/study.db")
    with pytest.raises(DataError, match="cannot be written: .*surrogates not allowed"):
        bk.export(bk.Search({"acc": [1.0]}, params={"\ud800": [1]}), storage)
    assert not storage.get_all_studies()


def test_optuna_shows_parameters_it_cannot_hold_as_text_or_attributes():
    optuna = pytest.importorskip("optuna")
    storage = optuna.storages.InMemoryStorage()
    n = 1001
    given = bk.Search(
        {"acc": np.linspace(0, 1, n)},
        params={
            "layers": [(32, 16)] + [(8,)] * (n - 1),
            "share": [1] + [0.5] * (n - 1),
            "id": [f"run {i}" for i in range(n)],  # too many for Optuna, which keeps all with each
        },
    )
    bk.export(given, storage)
    first = optuna.load_study(study_name="search", storage=storage).trials[0]
    assert first.params == {"layers": "(32, 16)", "share": 1.0}
    assert first.user_attrs["id"] == "run 0"
    same(bk.read(storage), given)


def test_another_metric_of_an_exported_search_has_no_bounds(tmp_path):
    optuna = pytest.importorskip("optuna")
    storage = optuna.storages.InMemoryStorage()
    bk.export(bk.Search({"acc": [0.5], "loss": [7.0]}, metric="acc", bounds=(0, 1)), storage)
    assert bk.read(storage).bounds == (0, 1)
    assert bk.read(storage, score="loss", direction="minimize").bounds == (-math.inf, math.inf)


@pytest.mark.parametrize("end", ["csv", "jsonl", "parquet"])
def test_files_come_back_to_the_last_digit(tmp_path, end):
    if end == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"cnn.{end}"
    given = search()
    bk.export(given, path)
    back = bk.read(
        path, score="acc", test="test", params=["lr", "layers", "act", "bias"], cost="cost",
        number="number", direction="minimize", bounds=(0, None),
    )  # fmt: skip
    assert back.label == "cnn"
    assert np.array_equal(back.metrics["acc"], given.metrics["acc"], equal_nan=True)
    assert np.array_equal(back.metrics["test"], given.metrics["test"], equal_nan=True)
    assert np.array_equal(back.costs, given.costs, equal_nan=True)
    assert back.states == given.states
    assert back.numbers.tolist() == given.numbers.tolist()
    assert back.params["lr"] == given.params["lr"]
    assert back.params["layers"] == given.params["layers"]
    if end != "csv":  # CSV has no kinds: an empty cell is empty, "1" is a number, True is text
        assert back.params["act"] == given.params["act"]
        assert back.params["bias"] == given.params["bias"]


def test_columns_are_in_the_order_promised():
    file = io.StringIO()
    bk.export(search(), file, format="csv")
    assert file.getvalue().splitlines()[0] == "number,state,lr,layers,act,bias,acc,test,cost"


def test_json_lines_are_strict():
    file = io.StringIO()
    bk.export(search(), file, format="jsonl")

    def refuse(name):
        raise ValueError(name)

    rows = [json.loads(line, parse_constant=refuse) for line in file.getvalue().splitlines()]
    assert rows[1]["acc"] is None
    assert rows[5]["acc"] == "inf"


@pytest.mark.parametrize("name", ["acc", "state", "number", "cost"])
def test_a_clash_of_names_is_refused(name):
    clash = bk.Search({"acc": [1.0]}, params={name: [2]}, costs=[1.0])
    with pytest.raises(DataError, match=f"must have different names; '{name}'"):
        bk.export(clash, io.StringIO(), format="csv")


def test_nothing_is_written_over_and_nothing_is_left_half(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("mine")
    with pytest.raises(DataError, match="already such a file"):
        bk.export(search(), path)
    assert path.read_text() == "mine"
    mixed = bk.Search({"acc": [1.0, 2.0]}, params={"p": [1, "a"]})
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="values of one kind; `p` holds several"):
        bk.export(mixed, tmp_path / "x.parquet")
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]
    with pytest.raises(DataError, match="cannot be written"):
        bk.export(search(), tmp_path / "none" / "x.csv")


def test_formats_and_targets_are_checked():
    with pytest.raises(ArgumentError, match="cannot be told from 'x.xlsx'"):
        bk.export(search(), "x.xlsx")
    with pytest.raises(ArgumentError, match="`format` must be one of"):
        bk.export(search(), "x.csv", format="excel")
    with pytest.raises(ArgumentError, match="export\\(\\) takes a Search"):
        bk.export([1, 2], "x.csv")


def test_a_password_is_never_shown():
    pytest.importorskip("optuna")
    with pytest.raises(DataError) as error:
        bk.export(search(), "postgresql://ann:s3cr3t@127.0.0.1:9/x")
    assert "s3cr3t" not in str(error.value)
