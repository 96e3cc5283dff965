"""More that can be read: JSON of all layouts, percentages, UTF-16, folders, W&B by its address."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError, on_command_line
from bestofk.sources.files import json_files
from bestofk.sources.tools import wandb_runs
from tests.contracts import SourceContract
from tests.sources import recorded
from tests.sources.said import said
from tests.sources.test_sources import records

ROWS = [
    {"acc": 1 / 3, "method": "svm", "config": {"lr": 0.1}},
    {"acc": None, "method": "svm", "config": {"lr": 0.2}},
    {"acc": 2 / 3, "method": "forest", "config": {"lr": 0.3}},
]


def written(folder, name, text):
    path = folder / name
    path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
    return path


def test_an_array_of_records(tmp_path):
    path = written(tmp_path, "runs.json", json.dumps(ROWS, indent=1))
    search = bk.read(path, score="acc")
    assert search.label == "runs"
    assert [t.score for t in search.trials] == [1 / 3, None, 2 / 3]
    assert search.params["lr"] == (0.1, 0.2, 0.3)
    assert list(bk.read_all(path, score="acc", by="method")) == ["svm", "forest"]


def test_records_are_the_same_read_in_parts(tmp_path, monkeypatch):
    path = written(tmp_path, "runs.json", json.dumps(ROWS))
    whole = bk.read(path, score="acc")
    monkeypatch.setattr(json_files, "_CHUNK", 1)
    assert bk.read(path, score="acc").trials == whole.trials


@pytest.mark.parametrize("orient", ["records", "split", "table", "columns", "index"])
def test_frames_as_pandas_writes_them(orient, tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"acc": [0.25, None, 0.75], "config.lr": [0.1, 0.2, 0.3]})
    frame.to_json(tmp_path / "runs.json", orient=orient)
    search = bk.read(tmp_path / "runs.json", score="acc")
    assert search.metrics["acc"].tolist()[::2] == [0.25, 0.75]
    assert search.states == ("complete", "failed", "complete")
    assert search.params == {"lr": (0.1, 0.2, 0.3)}


def test_an_array_of_scores_and_columns_by_name(tmp_path):
    assert bk.read(written(tmp_path, "a.json", "[0.5, 0.25]")).scores().values.tolist() == [
        0.5,
        0.25,
    ]
    path = written(tmp_path, "b.json", '{"acc": [0.5, 0.25], "lr": [1, 2]}')
    assert bk.read(path, score="acc").metrics["acc"].tolist() == [0.5, 0.25]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[[1, 2], [3, 4]]", "its rows have no column names"),
        ("[]", "it is empty"),
        ("{}", "it holds neither"),
        ('{"acc": 0.5}', "it holds neither"),
        ('[{"acc": 1}, 2]', "row 2: must be an object"),
        ('[{"acc": 1}', r"line 1: must be JSON; .* Was the file cut short"),
        ('[{"acc": 1}] x', "Extra data"),
        ('{"acc": 1}\n{"acc": 2}\n', r"is it JSON lines \(.jsonl\)"),
        ('[{"acc": 1, "acc": 2}]', "'acc' comes more than once"),
        ('{"a": {"x": 1}, "b": {"x": 2}}', r"rows or columns cannot be told.*orient=.records"),
        ('{"columns": ["a", "b"], "data": [[1]]}', "each row must have 2 cells"),
        ('{"columns": ["a", "a"], "data": [[1, 2]]}', "column names must be different"),
        ('{"a": [1], "b": [1, 2]}', "must have the same length"),
        ('{"a": {"0": 1}, "b": {"1": 1}}', "must have the same rows"),
    ],
)
def test_other_json_is_refused_with_what_it_may_be(text, why, tmp_path):
    with pytest.raises(DataError, match=why):
        bk.read(written(tmp_path, "runs.json", text))


class TestJsonFile(SourceContract):
    source = json_files

    def write(self, columns, tmp_path):
        return written(tmp_path, "runs.json", json.dumps(records(columns)))

    def test_no_rows_are_refused(self, tmp_path):
        with pytest.raises(DataError, match="it is empty"):
            self.read({"accuracy": []}, tmp_path, score="accuracy")


def test_percentages_are_fractions_and_it_is_said(tmp_path):
    path = written(tmp_path, "runs.csv", "acc,drop\n83.2%,5%\n,10%\n 7 %,20%\n")
    search = bk.read(path, score="acc")
    assert search.metrics["acc"].tolist()[::2] == [0.832, 0.07]
    assert search.metrics["drop"].tolist() == [0.05, 0.1, 0.2]
    said(search, "percent", "`acc` is written in percent: 83.2% is read as 0.832")
    assert bk.read([{"acc": "12.5%"}, {"acc": "1e1%"}]).metrics["acc"].tolist() == [0.125, 0.1]


def test_a_column_that_is_in_percent_only_here_and_there_is_refused(tmp_path):
    path = written(tmp_path, "runs.csv", "acc\n83.2%\n0.7\n")
    with pytest.raises(DataError, match=r"row 1 \(line 2\): `acc` must be a number; got '83.2%'"):
        bk.read(path, score="acc")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_a_byte_order_mark_says_the_encoding(name, encoding, tmp_path):
    text = {"a.csv": "score,µ\n1,é\n2,x\n", "a.jsonl": '{"score": 1}\n{"score": 2}\n'}
    text["a.json"] = '[{"score": 1}, {"score": 2}]'
    path = written(tmp_path, name, text[name].encode(encoding))
    assert bk.read(path, score="score").metrics["score"].tolist() == [1, 2]


@pytest.fixture
def lightning(tmp_path):
    """What lightning 2.6.0 left: three trials of three epochs, then a test."""
    pytest.importorskip("yaml")
    recorded.unpack("lightning", tmp_path)
    return tmp_path / "lightning_logs"


def test_lightning_logs_are_trials_of_several_epochs(lightning):
    with pytest.raises(
        DataError, match='has 3 rows for each trial. Pass trial="trial", take="last"'
    ):
        bk.read(lightning, score="val_acc")
    search = bk.read(lightning, score="val_acc", test="test_acc", trial="trial", take="last")
    assert search.metrics["val_acc"].tolist() == [0.6875, 1.0, 0.921875]
    assert search.metrics["test_acc"].tolist() == [0.6875, 1.0, 0.921875]
    assert search.params == {
        "lr": (0.01, 0.3, 0.1), "net.width": (3, 5, 4), "net.act": ("relu",) * 3
    }  # fmt: skip
    assert search.metrics["epoch"].tolist() == [2, 2, 2]
    assert search.caveats == ()
    best = bk.read(lightning, score="val_acc", trial="trial", take="best")
    said(best, "best-step", "`val_acc`")


def test_a_version_of_lightning_that_left_nothing_failed(lightning):
    (lightning / "version_1" / "metrics.csv").unlink()
    search = bk.read(lightning, score="val_acc", trial="trial", take="last")
    assert search.states == ("complete", "failed", "complete")
    assert search.params["lr"] == (0.01, 0.3, 0.1)


def test_a_folder_of_csv_files_asks_what_a_file_is(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    written(folder, "svm.csv", "epoch,acc\n1,0.5\n2,0.6\n")
    written(folder, "forest.csv", "epoch,acc\n1,0.25\n2,0.75\n")
    with pytest.raises(DataError) as error:
        bk.read(folder, score="acc")
    assert str(error.value) == (
        'runs holds 2 CSV files. If each is a method, read it with read_all(..., by="file"); if '
        'each is the log of one trial, pass trial="file", take="last" (or "best").'
    )
    assert "--by file" in on_command_line(error.value.text)
    assert "--trial file --take last" in on_command_line(error.value.text)
    methods = bk.read_all(folder, score="acc", by="file")
    assert {k: s.metrics["acc"].tolist() for k, s in methods.items()} == {
        "forest": [0.25, 0.75], "svm": [0.5, 0.6]
    }  # fmt: skip
    trials = bk.read(folder, score="acc", trial="file", take="last")
    assert trials.metrics["acc"].tolist() == [0.75, 0.6]
    assert trials.label == "runs"


def test_a_cell_of_a_folder_is_named_by_its_file(tmp_path):
    written(tmp_path, "a.csv", "acc\n1\n")
    written(tmp_path, "b.csv", "acc,lr\n1,2\nx,3\n")
    with pytest.raises(
        DataError, match=r"b.csv, row 2 \(line 3\): `acc` must be a number; got 'x'"
    ):
        bk.read_all(tmp_path, score="acc", by="file")


def test_words_of_an_arrow_table_keep_what_is_missing():
    pa = pytest.importorskip("pyarrow")
    words = pa.array(["a", None, "b"]).dictionary_encode()
    search = bk.read(pa.table({"acc": [1.0, 2.0, 3.0], "word": words}), score="acc", params="word")
    assert search.params["word"] == ("a", None, "b")


def test_a_score_is_suggested_by_its_end(tmp_path):
    columns = {"metrics.val.acc": [1.0, 2.0], "lr": [1, 2]}
    with pytest.raises(ArgumentError, match=r"Did you mean 'metrics.val.acc'\?"):
        bk.read(columns, score="acc")
    with pytest.raises(ArgumentError, match="Did you mean one of 'train_acc', 'val_acc'"):
        bk.read({"train_acc": [1.0], "val_acc": [1.0]}, score="acc")


def test_a_column_that_may_name_the_method_is_suggested():
    columns = {"model": ["a", "b", "a"], "acc": [1.0, 2.0, 3.0], "loss": [1.0, 2.0, 3.0]}
    with pytest.raises(ArgumentError) as error:
        bk.read(columns)
    assert 'read_all(..., by="model")' in str(error.value)
    assert "--by model" in on_command_line(error.value.text)


def test_a_frame_is_read_before_it_is_analysed():
    pd = pytest.importorskip("pandas")
    with pytest.raises(DataError, match=r"Read it with bk.read\(frame, score=…\)"):
        bk.tuning_curve(pd.DataFrame({"acc": [1.0, 2.0]}))
    assert bk.tuning_curve(pd.Series([1.0, 2.0])).n == 2


class Service:
    """W&B's server: GraphQL in, and out what its fields are, as wandb 0.31 asks for them."""

    def __init__(self, sweeps=("s",), n=5, most=2):
        self.asked, self.most = [], most
        self.nodes = [self.node(i, sweeps[i % len(sweeps)]) for i in range(n)]

    @staticmethod
    def node(i, sweep):
        summary = {"acc": i / 7, "_runtime": 3.5, "_step": 9, "_wandb": {"runtime": 3}}
        summary |= {"acc": "NaN"} if i == 4 else {}
        config = {"lr": {"value": i / 3, "desc": None}, "net": {"value": {"depth": i}},
                  "_wandb": {"value": {"cli_version": "0.31.0"}}}  # fmt: skip
        return {"projectId": "7", "id": f"UnVu{i}", "name": f"r{i}", "displayName": f"sun-{i}",
                "sweepName": sweep, "state": "finished", "createdAt": f"2026-01-0{i + 1}T00:00:00Z",
                "config": json.dumps(config), "summaryMetrics": json.dumps(summary),
                "systemMetrics": "{}", "tags": [], "group": None, "jobType": None,
                "user": {"name": "Ann", "username": "ann"}, "historyLineCount": 10}  # fmt: skip

    def execute_graphql(self, query, variables=None, **_):
        kind = re.search(r"query (\w+)", query)[1]
        self.asked.append((kind, dict(variables)))
        if kind == "Run":
            (node,) = [n for n in self.nodes if n["name"] == variables["name"]]
            return {"project": {"run": self.fields(node, query)}}
        if kind == "GetSweep":
            if variables["name"] not in {n["sweepName"] for n in self.nodes}:
                return {"project": {"sweep": None}}
            config = "method: random\nmetric:\n  goal: minimize\n  name: acc\n"
            return {"project": {"sweep": {"id": "U3dl", "name": variables["name"],
                                          "config": config, "state": "FINISHED"}}}  # fmt: skip
        assert kind == "Runs"
        wanted = json.loads(variables["filters"]).get("$and", [{}])[0].get("sweep")
        found = [n for n in self.nodes if wanted in (None, n["sweepName"])]
        start = int(variables["cursor"] or -1) + 1
        page = found[start : start + min(self.most, variables["perPage"])]
        edges = [{"node": self.fields(n, query), "cursor": str(start + i)}
                 for i, n in enumerate(page)]  # fmt: skip
        more = start + len(page) < len(found)
        runs = {"edges": edges, "pageInfo": {"endCursor": None, "hasNextPage": more}}
        return {"project": {"internalId": "7", "runCount": len(found), "runs": runs}}

    @staticmethod
    def fields(node, query):
        heavy = ("config", "summaryMetrics", "systemMetrics")
        return {k: v for k, v in node.items() if "LightweightRunFragment" not in query
                or k not in heavy}  # fmt: skip


@pytest.fixture
def served(monkeypatch, tmp_path):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))

    def serve(service):
        api = wandb.Api.__new__(wandb.Api)  # without asking who you are
        api.settings = {"entity": "ann", "project": "digits"}
        api._service_api, api._sweeps, api._runs, api.api_key = service, {}, {}, None
        monkeypatch.setattr(wandb, "Api", lambda: api)
        return service

    return serve


def test_wandb_by_its_address(served):
    service = served(Service())
    search = bk.read("wandb:ann/digits/s", score="acc")
    assert [t.score for t in search.trials] == [0, 1 / 7, 2 / 7, 3 / 7, None]
    assert search.states == ("complete",) * 4 + ("failed",)
    assert search.params == {
        "lr": tuple(i / 3 for i in range(5)), "net.depth": tuple(range(5))
    }  # fmt: skip
    assert (search.sampling, search.direction, search.costs[0]) == ("iid", "minimize", 3)
    kinds = [kind for kind, _ in service.asked]
    assert kinds.count("Runs") == 3  # pages of the two that the server gives at most
    assert "Run" not in kinds  # nothing is asked for run by run
    assert service.asked[1][1]["filters"] == '{"$and": [{"sweep": "s"}]}'
    again = bk.read("wandb:ann/digits/sweeps/s", score="acc")
    assert again.trials == search.trials


def test_runs_asked_for_one_by_one_would_be_noticed(served, monkeypatch):
    service = served(Service())
    monkeypatch.setattr(wandb_runs, "_whole", lambda runs: runs)
    assert bk.read("wandb:ann/digits/s", score="acc").n == 5
    assert [kind for kind, _ in service.asked].count("Run") == 5


def test_wandb_by_the_address_of_a_project(served):
    service = served(Service(sweeps=("s", "t", None)))
    searches = bk.read_all("wandb:ann/digits", score="acc", by="sweep")
    assert {label: search.n for label, search in searches.items()} == {
        "s": 2, "t": 2, "no sweep": 1
    }  # fmt: skip
    assert {variables["entity"] for _, variables in service.asked} == {"ann"}
    assert "Run" not in [kind for kind, _ in service.asked]


def test_an_address_that_is_none_or_of_no_sweep(served):
    served(Service())
    for address in ("wandb:", "wandb:ann", "wandb:a/b/c/d/e", "wandb://ann/digits"):
        with pytest.raises(DataError, match="must read wandb:ENTITY/PROJECT/SWEEP"):
            bk.read(address, score="acc")
    with pytest.raises(DataError, match="cannot be read from W&B: Could not find sweep"):
        bk.read("wandb:ann/digits/none", score="acc")


def test_what_wandb_answers_otherwise_is_one_sentence(monkeypatch):
    wandb = pytest.importorskip("wandb")

    def fail(*_):
        raise wandb.errors.CommError("404 Not Found:\n  could not find sweep")

    monkeypatch.setattr(wandb, "Api", lambda: SimpleNamespace(sweep=fail, runs=fail))
    with pytest.raises(DataError, match="cannot be read from W&B: 404 Not Found: could not find"):
        bk.read("wandb:ann/digits/abc123", score="acc")


def test_numbers_of_a_folder_stay_to_the_last_digit(tmp_path):
    values = np.random.default_rng(1).random(50)
    written(tmp_path, "a.csv", "acc\n" + "".join(f"{v!r}\n" for v in values.tolist()))
    assert bk.read_all(tmp_path, by="file")["a"].metrics["acc"].tolist() == values.tolist()
