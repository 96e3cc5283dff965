"""Command templates: values arrive verbatim, one argument each; nothing is evaluated."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk.runner.work.command import check_template, render

HOSTILE = [
    "two words", 'a "quote"', "it's", "; touch evil", "$(touch evil)", "`touch evil`", "a\nb", "*",
    "$HOME", "&& touch evil", "| cat", "\\n", "ü€😀", "--option", "", " ", "{x}", "{{", "%s", "#",
    "~", "a\tb\r", "-", "!!", "> evil",
]  # fmt: skip
TELL = """
import json, os, sys
print(json.dumps(dict(score=1, n=len(sys.argv))))
with open(os.environ["BESTOFK_FOLDER"] + "/got", "w") as file:
    file.write(json.dumps([sys.argv[1:], os.environ["v"]]))
"""


def tell(*words):
    return [sys.executable, "-c", TELL, *words]


def test_hostile_values_arrive_verbatim(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    n = 80
    found = bk.run_search(
        tell("{v}", "--v={v}"),
        {"v": HOSTILE},
        n_trials=n, seed=1, name="hostile", n_workers=2,
    )  # fmt: skip
    assert set(found.states) == {"complete"}, found.notes
    seen = set()
    for trial in found.trials:
        value = trial.params["v"]
        folder = tmp_path / "hostile" / "trials" / f"{trial.number:06d}" / "1"
        arguments, variable = json.loads((folder / "got").read_text())
        assert arguments == [value, f"--v={value}"]
        assert variable == value
        seen.add(value)
    assert seen == set(HOSTILE)  # all of them were drawn
    new = {p.name for p in set(tmp_path.iterdir()) - before}
    assert new <= {"hostile", "bestofk.db", "bestofk.db-wal", "bestofk.db-shm", "bestofk.db.lock"}


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_text_is_one_argument(value):
    assert render(["a", "{v}", "x{v}y"], {"v": value}) == ["a", value, f"x{value}y"]


def test_values_other_than_text_are_written_as_json():
    values = {"a": 1e-05, "b": True, "c": None, "d": [1, "x"], "e": 3}
    assert render(["{a}", "{b}", "{c}", "{d}", "{e}"], values) == [
        "1e-05", "true", "null", '[1, "x"]', "3",
    ]  # fmt: skip


def test_a_parameter_that_a_trial_lacks_takes_its_option_along():
    words = ["train", "--lr", "{lr}", "--momentum", "{m}", "--decay={m}", "-v", "{m}x"]
    assert render(words, {"lr": 1}) == ["train", "--lr", "1"]
    assert render(words, {"lr": 1, "m": 2})[3:] == ["--momentum", "2", "--decay=2", "-v", "2x"]


def test_what_a_trial_is_can_be_used_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bk.run_search(
        tell("{trial.number}", "{trial.seed}", "{trial.folder}", "{trial.slot}"),
        {"v": ["a"]}, n_trials=1, seed=3, name="facts",
    )  # fmt: skip
    folder = tmp_path / "facts" / "trials" / "000000" / "1"
    number, seed, path, slot = json.loads((folder / "got").read_text())[0]
    assert (number, path, slot) == ("0", str(folder), "0")
    assert int(seed) >= 0
    assert json.loads((folder / "metrics.json").read_text()) == {"score": 1.0, "n": 5.0}


@pytest.mark.parametrize(
    ("printed", "score"),
    [
        ('{"score": 1}\nbye\n', 1.0),
        ('{"score": 1}\n{"score": 2}\n', 2.0),
        ('{"score": 1}\n{not json}\n', 1.0),
        ('[1]\n3\n{"score": 0.5, "name": "x"}', 0.5),
    ],
)
def test_the_score_is_in_the_last_json_line(tmp_path, monkeypatch, printed, score):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text(printed)
    found = bk.run_search(["cat", "text"], {"v": [1]}, n_trials=1, seed=3, name="cat")
    assert found.scores().values.tolist() == [score]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["true"], 'no JSON line such as {"score": 0.9} on standard output'),
        (["echo", '{{"loss": 1}}'], "no number under 'score' (the score) among 'loss'"),
        (["echo", '{{"score": NaN}}'], "the score 'score' is NaN"),
        (["echo", '{{"score": "high"}}'], "no number under 'score'"),
        (["false"], "the command ended with exit status 1"),
        (["sh", "-c", "kill -9 $$"], "the command was killed by SIGKILL (out of memory?)"),
        (["/no/such/program"], "the command cannot be started"),
        (["sh", "-c", "rm -r $BESTOFK_FOLDER"], "No such file or directory"),
    ],
)
def test_a_command_that_fails_says_why(tmp_path, monkeypatch, words, reason):
    monkeypatch.chdir(tmp_path)
    for name, options in {"bad": {}, "watched": {"thresholds": {1: 0.5}}}.items():
        found = bk.run_search(words, {"v": [1]}, n_trials=1, seed=3, name=name, **options)
        assert found.states == ("failed",)
        assert reason in found.notes[0]


def test_a_command_that_takes_too_long_has_failed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = bk.run_search(["sleep", "600"], {"v": [1]}, n_trials=1, seed=3, name="bad", timeout=0.5)
    assert found.notes[0] == "bad, trial 0: failed: timed out after 0.5 s"


@pytest.mark.parametrize(
    ("end", "state"),
    [
        pytest.param("wait", "failed", marks=pytest.mark.slow),
        ("exit 1", "failed"),
        ("echo '{{\"score\": 1}}'", "complete"),
    ],
)
def test_what_a_command_started_ends_with_it(tmp_path, monkeypatch, end, state):
    """By a timeout, by its failure, and if it ends well."""
    from tests.runner.drivers import is_alive, wait_for

    monkeypatch.chdir(tmp_path)
    script = f"sleep 600 & echo $! > $BESTOFK_FOLDER/pid; {end}"
    found = bk.run_search(
        ["sh", "-c", script], {"v": [1]}, n_trials=1, seed=3, name="tree", timeout=5
    )
    assert found.states == (state,)
    pid = int((tmp_path / "tree/trials/000000/1/pid").read_text())
    wait_for(lambda: not is_alive(pid))


def test_the_metrics_can_come_from_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = 'echo \'{{"score": 3, "loss": 2}}\' > $BESTOFK_FOLDER/m.json; echo \'{{"score": 1}}\''
    found = bk.run_search(
        ["sh", "-c", script], {"v": [1]}, n_trials=1, seed=3, name="file", metrics_file="m.json"
    )
    assert found.scores().values.tolist() == [3.0]
    missing = bk.run_search(
        ["true"], {"v": [1]}, n_trials=1, seed=3, name="none", metrics_file="m.json"
    )
    assert "m.json cannot be read" in missing.notes[0]
    for shared in ("/tmp/m.json", "../m.json"):
        with pytest.raises(bk.ArgumentError, match="inside the folder of each trial"):
            bk.run_search(["true"], {"v": [1]}, n_trials=1, seed=3, name="bad", metrics_file=shared)


def test_values_that_no_command_can_take_fail_their_trial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = bk.run_search(["echo", "{v}"], {"v": ["a\0b"]}, n_trials=1, seed=3, name="nul")
    assert "embedded null byte" in found.notes[0]


def test_names_that_would_change_how_commands_are_found_are_refused():
    with pytest.raises(bk.ArgumentError, match="none can be called PATH"):
        check_template(["echo", "{PATH}"], ["PATH"])
