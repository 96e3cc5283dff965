"""What a search tells at once: failures, a dry run, when it stops; and how a store is tidied."""

from __future__ import annotations

import json
import logging
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bestofk as bk
from bestofk._base import remarks
from bestofk.runner.interrupts import Interrupts
from tests.runner.drivers import recorded, wait_for

SPACE = """
x = { kind = "uniform", low = 0, high = 1 }
word = { kind = "choice", values = ["a b", "c;d"] }
"""
SEARCH = "search --name cnn --space space.toml --trials 8 --seed 7 "
ECHO = """-- echo '{{"score": {x}, "loss": 0.5}}'"""
NO_FILE = f"-- {sys.executable} /nowhere/{{trial.number}}/trian.py"


@pytest.fixture
def run(tmp_path, monkeypatch, invoke):
    """Run the program in an empty folder with a space, in this process."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(SPACE)

    return invoke


def flaky(params, trial):
    """Fails from the second trial on, each time in the same words."""
    if trial.number > 1:
        raise ValueError(f"x of {params['x']} is too small for trial {trial.number}")
    return params["x"]


def never(params, trial):
    raise FileNotFoundError(f"/data/{trial.number}/train-{trial.number}.npz is not there")


def quarrelsome(params, trial):
    """Fails in a new way each time."""
    raise RuntimeError("abcdefgh"[trial.number] * 3)


def until_told(params, trial):
    """Fails until a file is there."""
    import pathlib

    if not pathlib.Path("ready").exists() and trial.number in (1, 3):
        raise OSError(f"no connection {trial.number}")
    return params["x"]


def test_the_first_failure_is_told_when_it_happens_and_once(run, monkeypatch):
    said = []
    monkeypatch.setattr("bestofk.runner.progress._write", said.append, raising=False)
    run(SEARCH + "tests.cli.test_told:flaky")
    told = [text for text in said if "failed" in text and "of 8 trials" not in text]
    assert len(told) == 1
    assert told[0].startswith("cnn: trial 2 failed: ValueError: x of 0.")
    assert "8 of 8" in said[-1]
    assert "8 of 8" not in "".join(said[: said.index(told[0])])


def test_three_first_failures_alike_stop_a_search_and_leave_nothing(run, tmp_path):
    code, out, err = run(SEARCH + NO_FILE)
    assert (code, out) == (1, "")
    assert "all 3 first trials failed alike: the command ended with exit status 2" in err
    assert "can't open file" in err
    assert "--keep-going" in err
    assert "status" not in err.replace("exit status", "")
    assert "holds no search" in run("status cnn")[2] or "got 'cnn'" in run("status cnn")[2]
    code, out, _ = run(SEARCH + ECHO)  # under the same name, with a command that is there
    assert code == 0
    assert "8 trials (8 complete)" in out


def test_failures_are_alike_whatever_their_digits_and_paths(run):
    code, _, err = run(SEARCH + "--workers 0 tests.cli.test_told:never")
    assert code == 1
    assert "all 3 first trials failed alike: FileNotFoundError: /data/" in err


def test_failures_of_several_kinds_and_those_after_a_success_do_not_stop_it(run):
    code, _, err = run(SEARCH + "--workers 0 tests.cli.test_told:quarrelsome")
    assert code == 1
    assert "nothing completed: all 8 trials failed" in err
    assert bk.read("bestofk.db").states == ("failed",) * 8
    code, out, _ = run(SEARCH.replace("cnn", "b") + "--workers 0 tests.cli.test_told:flaky")
    assert code == 0
    assert "6 failed" in out


def test_keep_going_runs_them_all_and_still_exits_with_1(run):
    code, out, err = run(SEARCH + "--keep-going -- false")
    assert code == 1
    assert "8 trials (8 failed)" in out
    assert "nothing completed: all 8 trials failed" in err
    assert run("resume cnn --trials 10")[0] == 1  # it is remembered
    assert bk.read("bestofk.db").n == 10


def test_an_earlier_success_counts(run, tmp_path):
    (tmp_path / "t.sh").write_text('[ $BESTOFK_TRIAL -lt 2 ] && echo "{\\"score\\": 1}"')
    run(SEARCH.replace("8", "2") + "-- sh t.sh")
    code, out, _ = run(SEARCH + "-- sh t.sh")
    assert code == 0
    assert "8 trials (2 complete, 6 failed)" in out


def test_a_dry_run_shows_one_trial_and_records_nothing(run, tmp_path):
    code, out, err = run(SEARCH + "--dry-run " + ECHO)
    assert code == 0, err
    assert "command" in out
    assert 'echo \'{"score": 0.' in out
    assert "the last JSON line of standard output (line 1)" in out
    assert '"loss": 0.5' in out
    assert "nothing was recorded" in err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["space.toml"]


def test_a_dry_run_of_a_failing_command_exits_with_1(run, tmp_path):
    code, out, _ = run(SEARCH + "--dry-run " + NO_FILE)
    assert code == 1
    assert "exit status 2" in out
    assert "can't open file" in out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["space.toml"]


def test_a_dry_run_of_a_function_and_of_another_trial(run):
    code, out, _ = run(SEARCH + "--dry-run --workers 0 --only 2 tests.cli.test_told:flaky")
    assert code == 1
    assert "trial 2" in out
    assert "ValueError: x of" in out
    code, out, _ = run(SEARCH + "--dry-run tests.cli.test_told:flaky")
    assert code == 0
    assert "what tests.cli.test_told:flaky returned" in out


@pytest.mark.parametrize("stream", ["", ">&2"])
def test_a_score_is_found_by_a_pattern(run, tmp_path, stream):
    (tmp_path / "t.sh").write_text(
        f'echo "epoch 1 val_acc=0.2" {stream}\necho "epoch 2 val_acc: 0.$BESTOFK_TRIAL." {stream}'
    )
    pattern = "--score-pattern 'val_acc[=:] *([0-9.]+)' "
    code, out, err = run(SEARCH + "--score val_acc " + pattern + "-- sh t.sh")
    assert code == 0, err
    assert "8 trials (8 complete), score 'val_acc'" in out
    assert bk.read("bestofk.db").scores().values.tolist() == [i / 10 for i in range(8)]
    assert "10 trials (10 complete)" in run("resume cnn --trials 10")[1]
    shown = run(SEARCH + "--score val_acc --dry-run " + pattern + "-- sh t.sh")[1]
    assert "line 2 of standard" in shown


@pytest.mark.parametrize(
    ("pattern", "what", "message"),
    [
        ("acc", "-- true", "with the score as its only group"),
        ("(a)(b)", "-- true", "which has 2 groups"),
        ("(", "-- true", "--score-pattern must be a regular expression"),
        ("(a)", "tests.cli.test_told:flaky", "--score-pattern must go with a command"),
    ],
)
def test_a_pattern_that_cannot_find_a_score_is_refused(run, pattern, what, message):
    code, _, err = run(SEARCH + f"--score-pattern '{pattern}' {what}")
    assert code == 2
    assert message in err


def test_no_match_is_a_failed_trial_that_says_so(run):
    code, _, err = run(SEARCH + "--score-pattern 'acc=(.*)' -- echo accuracy")
    assert code == 1
    assert "no match of 'acc=(.*)'" in err


def test_failed_trials_are_retried_when_asked_and_it_is_said(run, tmp_path):
    run(SEARCH + "--workers 0 tests.cli.test_told:until_told")
    before = bk.read("bestofk.db")
    assert before.states.count("failed") == 2
    assert not before.caveats
    run("resume cnn")
    assert bk.read("bestofk.db").states.count("failed") == 2
    (tmp_path / "ready").touch()
    code, out, err = run("resume cnn --retry-failed")
    assert code == 0, err
    assert "8 trials (8 complete)" in out
    after = bk.read("bestofk.db")
    (caveat,) = after.caveats
    assert caveat.kind == "retried"
    assert "2 failed trials were run again on request (trials 1 and 3)" in str(caveat)
    assert [t.params for t in after.trials] == [t.params for t in before.trials]
    run("resume cnn --trials 9")
    assert caveat in bk.read("bestofk.db").caveats  # it stays
    assert "retried" in json.loads(run("status cnn --format json")[1])
    assert "2 failed trials were run again" in run("curve bestofk.db")[2]


def test_the_page_sees_that_failed_trials_were_run_again(run, tmp_path):
    from bestofk.render.library import records_in

    run(SEARCH + "--workers 0 tests.cli.test_told:until_told")
    before = records_in("bestofk.db")
    assert records_in("bestofk.db", before=before)[0] is before[0]
    (tmp_path / "ready").touch()
    run("resume cnn --retry-failed")
    (after,) = records_in("bestofk.db", before=before)
    assert after.search.states == ("complete",) * 8
    assert records_in("bestofk.db", before=[after])[0] is after


def test_a_search_is_removed_by_name(run):
    run(SEARCH + ECHO)
    run(SEARCH.replace("cnn", "other") + ECHO)
    code, _, err = run("remove cnn")
    assert code == 2
    assert "--yes" in err
    assert len(json.loads(run("list --format json")[1])) == 2
    code, out, _ = run("remove cnn --yes")
    assert code == 0
    assert "8 trials" in out
    assert [r["name"] for r in json.loads(run("list --format json")[1])] == ["other"]
    assert run("remove cnn --yes")[0] == 1
    assert run(SEARCH.replace("--seed 7", "--seed 8") + ECHO)[0] == 0  # the name is free


def test_a_store_is_named_by_its_path_too(run, tmp_path):
    assert run(SEARCH + "--store runs.db " + ECHO)[0] == 0
    for line in ("list", "status cnn", "export cnn", "resume cnn"):
        code, out, err = run(f"{line} --store {tmp_path}/runs.db")
        assert code == 0, err
        assert "cnn" in out or line == "export cnn"
    assert run("list --store nowhere.db")[0] == 1
    assert not (tmp_path / "nowhere.db").exists()


def test_cost_has_its_unit(run):
    run(SEARCH + ECHO)
    run(SEARCH.replace("cnn", "loss") + "--cost loss " + ECHO)
    facts = json.loads(run("status cnn --format json")[1])
    assert facts["cost_unit"] == "s"
    assert facts["cost"] > 0
    assert f"cost         {facts['cost']:.4g} s" in run("status cnn")[1]
    facts = json.loads(run("status loss --format json")[1])
    assert (facts["cost"], facts["cost_unit"]) == (4.0, "loss")
    assert "cost         4 loss" in run("status loss")[1]


def test_a_search_stops_when_its_band_is_narrow(run):
    line = SEARCH.replace("8", "200") + "--workers 0 --bounds 0,1 tests.cli.test_told:steady "
    code, _, err = run(line + "--stop-when 'width<0.9@2'")
    assert code == 0, err
    assert "stopped by its rule: the band of 'cnn' is" in err
    assert "wide at budget 2, at most 0.9" in err
    found = bk.read("bestofk.db")
    assert found.n in (10, 20, 40, 80)  # a look, and no later trial
    (caveat,) = found.caveats
    assert caveat.kind == "stopped-when"
    again = run("resume cnn")
    assert "stopped by its rule" in again[2]
    assert bk.read("bestofk.db").n == found.n


def steady(params, trial):
    return params["x"]


def better(params, trial):
    return 1 + params["x"]


def test_a_search_stops_when_it_beats_another(run):
    line = SEARCH.replace("8", "80") + "--workers 0 "
    run(line.replace("cnn", "old") + "tests.cli.test_told:steady")
    code, _, err = run(line + "tests.cli.test_told:better --stop-when 'this>old@2'")
    assert code == 0
    assert "stopped by its rule: 'cnn' is certified to beat 'old' at budget 2" in err
    assert bk.read("bestofk.db", name="cnn").n < 80
    same = line.replace("cnn", "c") + "tests.cli.test_told:steady "
    code, _, err = run(same + "--stop-when 'this>old@2'")
    assert code == 0
    assert bk.read("bestofk.db", name="c").n == 80
    assert "its rule was not met" in err


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("width<a@2", "--stop-when must be 'width<NUMBER@BUDGET' or 'this>OTHER@BUDGET'"),
        ("width<0.1", "--stop-when must be"),
        ("cnn>old@2", "--stop-when must be"),
        ("this>nobody@2", "must name another search of the store"),
        ("this>cnn@2", "must name another search of the store"),
        ("width<0.1@0", "--stop-when"),
    ],
)
def test_a_rule_that_cannot_be_read_is_refused(run, rule, message):
    code, _, err = run(SEARCH + f"--stop-when '{rule}' --workers 0 tests.cli.test_told:steady")
    assert code == 2
    assert message in err


def test_the_library_says_it_to_its_logger_and_prints_nothing(tmp_path, capfd, caplog):
    with caplog.at_level(logging.INFO, logger="bestofk"):
        bk.run_search(
            flaky, {"x": bk.space.uniform(0, 1)}, n_trials=8, seed=7, name="cnn", n_workers=0,
            store=f"sqlite:///{tmp_path}/r.db", progress=False,
        )  # fmt: skip
    assert capfd.readouterr() == ("", "")
    assert [r.name for r in caplog.records] == ["bestofk"]
    assert "trial 2 failed: ValueError: x of" in caplog.text


def test_a_script_without_logging_prints_nothing(tmp_path):
    code = (
        "import bestofk as bk\n"
        "from tests.cli.test_told import flaky\n"
        "bk.run_search(flaky, {'x': bk.space.uniform(0, 1)}, n_trials=8, seed=7, name='a',"
        f" n_workers=0, store='sqlite:///{tmp_path}/r.db')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")


def test_only_progress_and_the_command_line_print():
    source = Path(bk.__file__).parent
    writes = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"std(err|out)\.write\(|^ *print\(", path.read_text("utf-8"), re.MULTILINE)
    }
    assert {name for name in writes if not name.startswith("cli/")} == {"runner/progress.py"}


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_answered_to_the_logger_and_nothing_is_printed(sent, capfd, caplog):
    with Interrupts(inline=False) as interrupts:
        signal.raise_signal(sent)
    assert interrupts.stopping
    assert capfd.readouterr() == ("", "")
    assert "no new trials" in caplog.text


def test_a_signal_while_something_is_printed_still_counts():
    def busy(text):
        raise RuntimeError("reentrant call inside <_io.BufferedWriter name='<stderr>'>")

    with Interrupts(inline=False) as interrupts:
        interrupts.say = busy
        signal.raise_signal(signal.SIGINT)
    assert interrupts.stopping


def test_a_cluster_without_workers_is_told_to_the_logger_once(capfd, caplog):
    from bestofk.runner.engines.cluster import DaskEngine

    engine = DaskEngine.__new__(DaskEngine)
    engine._slots, engine._resources, engine._say = 0, {"TPU": 1.0}, remarks.say
    engine._alone = time.monotonic() - 60
    for _ in range(2):
        engine._say_if_alone()
    assert caplog.messages == ["waiting for Dask workers that offer {'TPU': 1.0}"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        (signal.SIGINT, 130, "no new trials; waiting for the running ones to finish"),
        (signal.SIGTERM, 143, "SIGTERM: no new trials; the running ones have 30 s to finish"),
    ],
)
def test_the_command_line_answers_a_signal(tmp_path, sent, status, told):
    (tmp_path / "space.toml").write_text(SPACE)
    words = SEARCH.replace("--trials 8", "--trials 500") + "--workers 1 -- sh -c"
    command = [sys.executable, "-m", "bestofk", *words.split()]
    command.append("""sleep 0.2; echo '{{"score": 1}}'""")
    driver = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    store = tmp_path / "bestofk.db"
    wait_for(lambda: store.exists() and recorded(store))
    driver.send_signal(sent)
    _, err = driver.communicate(timeout=60)
    assert driver.returncode == status
    assert err.count(told) == 1
    assert "Traceback" not in err
