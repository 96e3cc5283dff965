"""Finding the papers' data: a folder, a download that is checked, or a message."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import json
import pickle
import threading
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from bestofk_reproduction import convert, data, download

from bestofk import DataError

pytest.importorskip("pooch")

HEDWIG = (
    "model_name\tdataset_name\t--seed\tset_type\tf1\n"
    "reg_lstm\tReuters\t5\tdev\t0.5\nmlp\tReuters\t6\tdev\t0.75\n"
)
TIDY = "model,dataset,seed,split,f1\nlstm,reuters,5,dev,0.5\nmlp,reuters,6,dev,0.75\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A local server in place of the public one; gives its folder."""
    folder = tmp_path / "site"
    folder.mkdir()
    handler = partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        thread = threading.Thread(target=served.serve_forever)
        thread.start()
        monkeypatch.setattr(download, "BASE", f"http://127.0.0.1:{served.server_port}")
        monkeypatch.setenv("BESTOFK_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("BESTOFK_DATA", raising=False)
        yield folder
        served.shutdown()
        thread.join()


def put(folder, source, contents):
    for url, content in zip(source.urls, contents, strict=True):
        path = folder / url
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def expect(monkeypatch, name, text):
    """Let a source expect this tidy text."""
    digest = hashlib.sha256(text.encode()).hexdigest()
    changed = replace(download.SOURCES[name], sha256=digest, hashes=())
    monkeypatch.setitem(download.SOURCES, name, changed)
    return changed


def test_a_file_is_downloaded_converted_checked_and_kept(server, monkeypatch):
    source = expect(monkeypatch, "reuters_hedwig.csv", TIDY)
    put(server, source, [HEDWIG.encode()])
    path = data.find("reuters_hedwig.csv")
    assert path.read_text() == TIDY
    assert data.reuters_scores(path)["mlp"].tolist() == [0.75]
    (server / source.urls[0]).unlink()
    assert data.find("reuters_hedwig.csv") == path  # from the cache


def test_a_changed_file_is_refused(server, monkeypatch):
    source = download.SOURCES["reuters_hedwig.csv"]
    put(server, source, [HEDWIG.encode()])  # its own checksum is another
    with pytest.raises(data.NotThereError, match="could not be downloaded"):
        data.find("reuters_hedwig.csv")
    monkeypatch.setitem(download.SOURCES, "reuters_hedwig.csv", replace(source, hashes=()))
    with pytest.raises(DataError, match="must have the checksum 6194c240f1b7.* in their tidy form"):
        data.find("reuters_hedwig.csv")
    assert not (download.cache_folder() / "reuters_hedwig.csv").exists()


def test_something_else_is_refused(server, monkeypatch):
    source = download.SOURCES["jkfold_cv/lstm_width.csv.gz"]
    put(server, source, [b"<html>not found</html>"] * 2)
    with pytest.raises(DataError, match="the download is not what was expected"):
        data.find("jkfold_cv/lstm_width.csv.gz")


def test_a_missing_file_gives_the_way_out(server):
    with pytest.raises(data.NotThereError, match="could not be downloaded.*set BESTOFK_DATA"):
        data.find("deberta_mnli/deberta.csv")


def test_texts_cannot_be_downloaded(server):
    with pytest.raises(data.NotThereError, match="cannot be downloaded; set BESTOFK_DATA"):
        data.find("text/imdb_10k/imdb_10k.jsonl.gz")


def test_a_folder_is_used_as_it_is(tmp_path, monkeypatch):
    (tmp_path / "reuters_hedwig.csv").write_text(TIDY)
    monkeypatch.setenv("BESTOFK_DATA", str(tmp_path))
    assert data.find("reuters_hedwig.csv") == tmp_path / "reuters_hedwig.csv"
    with pytest.raises(data.NotThereError, match="there is no such file; BESTOFK_DATA must name"):
        data.find("deberta_mnli/deberta.csv")


def test_every_source_has_a_pinned_commit_and_a_checksum():
    for source in download.SOURCES.values():
        assert len(source.sha256) == 64
        for url in source.urls:
            assert len(url.split("/")[2]) == 40, url


def test_deberta_keeps_the_last_and_the_best_of_each_curve():
    record = {
        "iteration": 1, "num_train_epochs": 2, "train_batch_size": 16, "total_model_steps": 3000,
        "learning_rate": 1e-06, "warmup_steps": 150, "cls_drop_out": 0.1,
        "learning_curves": {
            "matched": [[1000, 0.5], [2000, 0.75], [3000, 0.75]],
            "mismatched": [[1000, 0.875], [2000, 0.5], [3000, 0.25]],
        },
    }  # fmt: skip
    row = convert.deberta([json.dumps(record).encode()]).splitlines()[1]
    assert row == "1,2,16,1e-06,0.1,0.100000,150,3000,0.75,0.25,0.75,0.875,2000,1000,3"


def test_pickles_of_numbers_are_read_and_others_refused():
    table = [[np.float64(0.5), 1.0], [np.float64(0.25), 2.0]]
    assert convert.read_pickle(pickle.dumps(table)) == [[0.5, 1], [0.25, 2]]
    assert convert.read_pickle(pickle.dumps(np.ones((1, 2)))) == [[1, 1]]
    with pytest.raises(ValueError, match="must not name builtins.print"):
        convert.read_pickle(pickle.dumps(print))


def raw_files(name, folder):
    """Rebuild what the repository holds from the tidy file."""
    rows = data.read_rows(folder / name)
    if "partition" not in rows[0]:
        return None
    parts = []
    for k in dict.fromkeys(r["k_folds"] for r in rows):
        table: dict[str, list[float]] = {}
        for r in rows:
            if r["k_folds"] == k:
                table.setdefault(r["partition"], []).append(float(r["accuracy"]))
        lists = list(table.values())
        if "lstm" in name:
            parts.append("".join(f"{values}text\n" for values in lists).encode())
        else:
            parts.append(pickle.dumps([[np.float64(v) for v in values] for values in lists]))
    return parts


LARGE = {"jkfold_cv/imdb_rf.csv.gz", "jkfold_cv/reuters_svm.csv.gz"}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in LARGE else ())
        for name in download.SOURCES
        if name.startswith("jkfold_cv")
    ],
)
def test_conversion_gives_the_tidy_files(name, data_folder, server):
    """The tidy files, back to the form of the repository, served, fetched: the same checksum."""
    source = download.SOURCES[name]
    parts = raw_files(name, data_folder)
    rows = data.read_rows(data_folder / name)
    if "truth" in name:
        parts = [pickle.dumps([float(r["accuracy"]) for r in rows])]
    elif parts is None:
        by_task: dict[tuple[str, str], list[str]] = {}
        for r in rows:
            by_task.setdefault((r["task"], r["k_folds"]), []).append(r["accuracy"])
        parts = [
            "".join(f"[{', '.join(v)}]\n" for (t, _), v in by_task.items() if t == task).encode()
            for task in ("pos_lr", "reuters_svm")
        ]
        parts += ["\n".join(v).encode() for (t, _), v in by_task.items() if t == "lstm"]
    put(server, source, parts)
    found = download.fetch(name)
    opened = gzip.open if name.endswith(".gz") else open
    with opened(found, "rt") as a, opened(data_folder / name, "rt") as b:
        assert a.read() == b.read()
