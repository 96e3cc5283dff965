"""Attempts as files hold them: tables, counts, and what the tools of the field write."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, BestofkError, DataError, on_command_line
from bestofk.sources.attempts.read import is_recognised
from tests.sources import attempt_files, mutated, mutated_attempts, recorded
from tests.sources.attempt_files import PASSED

RECOGNISED = {
    "samples.jsonl_results.jsonl": "samples.jsonl_results",
    "codegen_eval_all.json": "codegen_eval_all",
    "tau.json": "tau",
    "tau2.json": "gpt-x",
    "log.json": "openai/gpt-x",
}


def write(folder, name, held=None):
    path = folder / name
    if held is None:
        path.write_bytes(attempt_files.files()[name])
    elif isinstance(held, str):
        path.write_text(held)
    else:
        path.write_text(json.dumps(held))
    return path


def one(source, **options):
    (attempts,) = bk.read_attempts(source, **options).values()
    return attempts


def scores(attempts):
    return {p: s.tolist() for p, s in zip(attempts.problems, attempts.scores, strict=True)}


def refused(source, kind=DataError, **options):
    with pytest.raises(kind) as error:
        bk.read_attempts(source, **options)
    assert len(str(error.value)) <= 400
    assert len(on_command_line(error.value.text)) <= 400
    return str(error.value)


# --- formats that need no options


@pytest.mark.parametrize("name", RECOGNISED)
def test_a_format_is_known_without_options(name, tmp_path):
    path = write(tmp_path, name)
    assert is_recognised(path)
    ((label, attempts),) = bk.read_attempts(path).items()
    assert label == attempts.label == RECOGNISED[name]
    wanted = {str(i): each for i, each in enumerate(PASSED.values())}
    assert scores(attempts) == (wanted if name == "tau.json" else PASSED)


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl", "records.json"])
def test_a_table_with_plain_names_needs_no_options_but_is_not_unmistakable(name, tmp_path):
    path = write(tmp_path, name)
    assert not is_recognised(path)
    assert scores(one(path)) == PASSED
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert scores(one(packed)) == PASSED


def test_the_order_is_that_of_the_attempts_not_of_the_rows(tmp_path):
    head, *rest = attempt_files.csv_rows().splitlines()
    path = write(tmp_path, "r.csv", "\n".join([head, *reversed(rest)]))
    assert scores(one(path))["two"] == PASSED["two"]


def test_counts(tmp_path):
    attempts = one(write(tmp_path, "counts.csv"))
    assert attempts.correct.tolist() == [4, 2, 0]
    assert attempts.sizes.tolist() == [4, 4, 4]
    assert not attempts.ordered
    text = attempt_files.counts().replace("n,correct", "tries,right").replace("problem", "name")
    named = one(write(tmp_path, "c.csv", text), problem="name", n="tries", correct="right")
    assert named.correct.tolist() == [4, 2, 0]


def test_frames_parquet_and_columns(tmp_path):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = attempt_files.rows()
    columns = {"task": [p for p, _, _ in rows], "passed": [y for _, _, y in rows]}
    assert scores(one(columns)) == PASSED
    assert scores(one(pd.DataFrame(columns))) == PASSED
    frame = pl.DataFrame(columns).with_columns(pl.col("passed").cast(pl.Boolean))
    assert scores(one(frame)) == PASSED
    pytest.importorskip("pyarrow")
    frame.write_parquet(tmp_path / "a.parquet")
    assert scores(one(tmp_path / "a.parquet")) == PASSED
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert scores(one(records)) == PASSED


def test_truth_values_among_numbers(tmp_path):
    """As several scripts wrote them into one file."""
    rows = [
        {"problem": p, "score": [y, bool(y), str(y), str(bool(y))][i]}
        for p, i, y in attempt_files.rows()
    ]
    assert scores(one(write(tmp_path, "m.jsonl", attempt_files.lines(rows)))) == PASSED
    text = "problem,score\n" + "".join(f"{r['problem']},{r['score']}\n" for r in rows)
    assert scores(one(write(tmp_path, "m.csv", text))) == PASSED
    wrong = attempt_files.lines([*rows, {"problem": "one", "score": "yes"}])
    error = refused(write(tmp_path, "w.jsonl", wrong))
    assert "row 13 (line 13): `score` must be a number, true or false; got 'yes'." in error
    assert "trial" not in error


# --- evalplus


def test_evalplus_counts_the_extra_tests_unless_told_otherwise(tmp_path):
    path = write(tmp_path, "he_eval_results.json")
    attempts = one(path)
    assert scores(attempts) == PASSED | {"one": [1, 0, 1, 0]}
    assert 'score="base" counts the base tests alone' in str(attempts.caveats[0])
    assert scores(one(path, score="base")) == PASSED
    base_only = one(write(tmp_path, "b.json", attempt_files.evalplus(plus=False)))
    assert scores(base_only) == PASSED
    assert base_only.caveats == ()


def test_evalplus_before_version_0_2(tmp_path):
    assert scores(one(write(tmp_path, "before_eval_results.json"))) == PASSED


def test_an_extra_test_passed_without_the_base_tests_counts_for_nothing(tmp_path):
    held = attempt_files.evalplus()
    held["eval"]["three"][0]["plus_status"] = "pass"
    assert scores(one(write(tmp_path, "e.json", held)))["three"] == [0, 0, 0, 0]


# --- inspect_ai


def recorded_logs(folder):
    recorded.unpack("inspect", folder)
    return [folder / "sums.json", folder / "sums.eval"]


def test_logs_of_inspect_in_both_formats(tmp_path):
    pytest.importorskip("pyarrow")
    for path in recorded_logs(tmp_path):
        assert is_recognised(path)
        ((label, attempts),) = bk.read_attempts(path).items()
        assert label == "mockllm/model"
        assert scores(attempts) == PASSED
        answers = dict(zip(attempts.problems, attempts.answers, strict=True))
        assert answers["two"] == ("4", "5", "4", "5")
        assert bk.pass_curve(attempts, budgets=[1, 2]).estimate.tolist() == pytest.approx(
            [1 / 2, (1 + 5 / 6) / 3]
        )


@pytest.mark.slow
def test_logs_that_inspect_writes_today(tmp_path_factory):
    pytest.importorskip("inspect_ai")
    folder = recorded.made_once("inspect", tmp_path_factory.getbasetemp())
    for name in ("sums.json", "sums.eval"):
        assert scores(one(folder / name)) == PASSED


def logs(folder, *changes):
    """Write logs of one model and task, each with its own changes."""
    folder.mkdir(exist_ok=True)
    for i, change in enumerate(changes):
        held = attempt_files.inspect_log()
        held["eval"] |= {"task_id": f"t{i}", "eval_id": f"e{i}", "created": f"2026-01-0{i + 1}"}
        held["eval"] |= change.get("eval", {})
        held |= {name: value for name, value in change.items() if name != "eval"}
        write(folder, f"{i}.json", held)
    return folder


def test_a_folder_of_logs_has_a_method_per_model(tmp_path):
    folder = logs(tmp_path / "logs", {}, {"eval": {"model": "other/m"}})
    assert is_recognised(folder)
    found = bk.read_attempts(folder)
    assert list(found) == ["openai/gpt-x", "other/m"]
    assert all(scores(a) == PASSED for a in found.values())
    with pytest.raises(ArgumentError, match="a label names the attempts of one file"):
        bk.read_attempts(folder, label="x")


def test_logs_of_both_formats_in_a_folder(tmp_path):
    pytest.importorskip("pyarrow")
    recorded_logs(tmp_path)
    ((label, attempts),) = bk.read_attempts(tmp_path).items()
    assert label == "mockllm/model"
    assert {p: s[:4] for p, s in scores(attempts).items()} == PASSED  # two runs, 4 + 4 epochs
    assert attempts.sizes.tolist() == [8, 8, 8]
    (note,) = attempts.caveats
    assert (note.kind, note.validity) == ("joined-logs", "assumed")
    assert "2 logs of mockllm/model on sums are joined, 4 + 4 epochs" in note.text


def test_runs_that_are_alike_are_joined_in_the_order_of_their_creation(tmp_path):
    late = attempt_files.inspect_log({"two0": "I"})["samples"]
    folder = logs(tmp_path / "logs", {"eval": {"created": "2026-02-01"}, "samples": late}, {}, {})
    attempts = one(folder)
    assert scores(attempts)["two"] == [*PASSED["two"] * 2, 0, 0, 1, 0]
    assert "4 + 4 + 4 epochs" in attempts.caveats[0].text


def test_a_retried_log_stands_for_those_that_it_retried(tmp_path):
    failed = {"eval": {"task_id": "t1"}, "status": "error"}
    attempts = one(logs(tmp_path / "logs", failed, {}))
    assert scores(attempts) == PASSED
    assert [c.kind for c in attempts.caveats] == ["retried-log"]


def test_several_tasks_of_a_model_are_told_apart(tmp_path):
    found = bk.read_attempts(logs(tmp_path / "logs", {}, {"eval": {"task": "more"}}))
    assert list(found) == ["openai/gpt-x on more", "openai/gpt-x on sums"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"eval": {"model_generate_config": {"temperature": 0.2}}}, "`model_generate_config`"),
        ({"eval": {"task_args": {"shots": 5}}}, "differ in `task_args`"),
        ({"eval": {"config": {"message_limit": 5}}}, "differ in `message_limit`"),
        ({"plan": {"steps": [{"solver": "react"}]}}, "differ in `plan`"),
        ({"status": "cancelled"}, "differ: 1.json ended as 'cancelled'"),
        ({"eval": {"task_id": "t0"}}, "are tries of one run, of which 2 succeeded"),
        ({"eval": {"task_id": "t0", "eval_id": "e0"}}, "are one log twice"),
        ({"samples": attempt_files.inspect_log()["samples"][:-1:3]}, "tried other samples"),
    ],
)
def test_logs_that_do_not_clearly_belong_together_are_refused(tmp_path, change, why):
    error = refused(logs(tmp_path / "logs", {}, change))
    assert "0.json and 1.json are of one model and task, but" in error
    assert why in error
    assert error.endswith("Name the one that counts, or both to compare them.")
    both = bk.read_attempts([tmp_path / "logs" / "0.json", tmp_path / "logs" / "1.json"])
    assert len(both) == 2  # files that are named are methods


def test_logs_with_other_scorers_are_refused(tmp_path):
    held = attempt_files.inspect_log()["samples"]
    for sample in held:
        sample["scores"] = {"judge": sample["scores"]["match"]}
    assert "have other scorers" in refused(logs(tmp_path / "logs", {}, {"samples": held}))


def test_a_folder_of_several_tools_is_refused(tmp_path):
    folder = logs(tmp_path / "logs", {})
    write(folder, "tau2.json")
    assert "must hold files of one tool; it holds those of several" in refused(folder)


def test_a_file_and_its_folder_are_not_both_read(tmp_path):
    folder = logs(tmp_path / "logs", {})
    assert "a file must be named once; its folder is named, too" in refused(
        [folder, folder / "0.json"]
    )


def test_a_folder_of_results_has_a_method_per_file(tmp_path):
    for name in ("a", "b"):
        write(tmp_path, f"{name}_eval_results.json", attempt_files.evalplus())
    assert list(bk.read_attempts(tmp_path)) == ["a_eval_results", "b_eval_results"]


def test_a_file_is_read_once(tmp_path, monkeypatch):
    """It is looked at to know what it is, and then used; the next time it is read anew."""
    from bestofk.cli.passk import EitherOptions
    from bestofk.sources.attempts import opened

    path = write(tmp_path, "tau2.json")
    read = []
    whole = opened.bounded_text
    monkeypatch.setattr(opened, "bounded_text", lambda *a, **k: read.append(a) or whole(*a, **k))
    options = EitherOptions(files=[str(path)])
    assert options.of_attempts()
    first = options.read_attempts()
    assert len(read) == 1
    write(tmp_path, "tau2.json", attempt_files.tau2() | {"info": {"agent_info": {"llm": "new"}}})
    assert [list(first), list(options.read_attempts())] == [["gpt-x"], ["new"]]


def test_without_pyarrow_a_log_can_be_converted(tmp_path, monkeypatch):
    path = recorded_logs(tmp_path)[1]
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(BestofkError, match=r"inspect log convert --to json\) needs pyarrow: pip"):
        bk.read_attempts(path)


def test_partially_correct_is_asked_for(tmp_path):
    path = write(tmp_path, "p.json", attempt_files.inspect_log({"two0": "P", "two1": "N"}))
    error = refused(path, ArgumentError)
    assert "1 attempts are partially correct (P) by `match`" in error
    assert scores(one(path, partial=0.5))["two"] == [0.5, 0, 1, 0]
    assert scores(one(path, partial=1))["two"] == [1, 0, 1, 0]
    assert "`partial` must be a number from 0 to 1" in refused(path, ArgumentError, partial=2)


def test_a_scorer_is_named_where_there_are_several(tmp_path):
    held = attempt_files.inspect_log()
    for sample in held["samples"]:
        sample["scores"]["judge"] = {"value": {"style": 0.5, "truth": 1}}
    path = write(tmp_path, "several.json", held)
    error = refused(path, ArgumentError)
    assert "`score` must name one of the scorers 'match', 'judge.style', 'judge.truth'" in error
    assert scores(one(path, score="match")) == PASSED
    assert scores(one(path, score="judge.style"))["one"] == [0.5] * 4


def test_a_sample_without_a_score_has_none(tmp_path):
    held = attempt_files.inspect_log(status="cancelled")
    held["samples"][0] |= {"scores": None, "error": {"message": "boom"}}
    path = write(tmp_path, "e.json", held)
    attempts = one(path)
    assert np.isnan(attempts.scores[0][0])
    assert attempts.caveats[0].kind == "unfinished"
    with pytest.raises(DataError, match="every attempt must have a score"):
        bk.pass_curve(attempts)
    assert scores(one(path, failed="worst"))["one"] == [0, 1, 1, 1]


def test_an_unfinished_eval_file_has_its_journal(tmp_path):
    held = attempt_files.inspect_log()
    path = tmp_path / "j.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        start = {name: held[name] for name in ("version", "eval")}
        packed.writestr("_journal/start.json", json.dumps(start))
        for number, part in enumerate((held["samples"][:6], held["samples"][6:]), start=1):
            packed.writestr(f"_journal/summaries/{number}.json", json.dumps(part))
    attempts = one(path)
    assert scores(attempts) == PASSED
    assert [c.kind for c in attempts.caveats] == ["unfinished"]


def test_bombs_in_a_log_are_not_unpacked(tmp_path):
    path = tmp_path / "b.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("header.json", json.dumps({"version": 2, "eval": {}}))
        packed.writestr("summaries.json", b"[" + b" " * 60_000_000 + b"]")
    assert path.stat().st_size < 100_000
    assert "summaries.json: is too large" in refused(path)
    path.write_bytes(b"PK" + b"\0" * 100)
    assert "must be a log of inspect_ai, a zip file" in refused(path)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("a.txt", "a")
    assert "it has no header.json" in refused(path)


def test_a_bomb_of_zstd_is_not_unpacked(tmp_path):
    pa = pytest.importorskip("pyarrow")
    packed = bytes(pa.Codec("zstd").compress(b"[" + b" " * 60_000_000 + b"]", asbytes=True))
    text = io.BytesIO()
    with zipfile.ZipFile(text, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 2, "eval": {}}))
        archive.writestr("summaries.json", packed)
    data = bytearray(text.getvalue())
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):  # the method of the second member
        at = data.index(mark, data.index(mark) + 1) + place
        data[at : at + 2] = (93).to_bytes(2, "little")
    path = tmp_path / "z.eval"
    path.write_bytes(data)
    assert len(data) < 100_000
    assert "summaries.json: is too large" in refused(path)


# --- tau-bench and tau2-bench


def test_tau2_leaves_simulations_that_never_ended_without_a_score(tmp_path):
    held = attempt_files.tau2()
    held["simulations"][0]["termination_reason"] = "infrastructure_error"
    held["simulations"][1]["reward_info"] = None
    attempts = one(write(tmp_path, "t.json", held))
    assert np.isnan(attempts.scores[0][0])
    assert np.isnan(attempts.scores[1][0])
    assert attempts.costs[0].tolist() == [0.25] * 4


def tau2_folder(folder, index=True, without=()):
    """As tau2-bench writes it with format "dir"."""
    held = attempt_files.tau2()
    runs = held.pop("simulations")
    (folder / "simulations").mkdir(parents=True)
    for run in runs:
        if run["id"] not in without:
            write(folder / "simulations", f"{run['id']}.json", run)
    entries = [
        {"id": r["id"], "task_id": r["task_id"], "trial": r["trial"], "agent_cost": 0.25,
         "reward": r["reward_info"]["reward"], "termination_reason": "user_stop"}
        for r in runs
    ]  # fmt: skip
    write(folder, "results.json", held | {"simulation_index": entries if index else None})
    return folder


@pytest.mark.parametrize("index", [True, False])
def test_tau2_folders_with_and_without_an_index(tmp_path, index):
    folder = tau2_folder(tmp_path / "run", index)
    for path in (folder, folder / "results.json"):
        assert is_recognised(path)
        attempts = one(path)
        assert attempts.label == "gpt-x"
        assert scores(attempts) == PASSED
        assert attempts.costs[0].tolist() == [0.25] * 4


def test_a_tau2_folder_without_a_model_is_called_as_it_is(tmp_path):
    folder = tau2_folder(tmp_path / "run7", False)
    held = json.loads((folder / "results.json").read_text()) | {"info": {}}
    write(folder, "results.json", held)
    assert list(bk.read_attempts(folder)) == ["run7"]


def test_an_index_that_does_not_fit_its_folder_is_refused(tmp_path):
    folder = tau2_folder(tmp_path / "run", without=["two-3"])
    error = refused(folder)
    assert "1 of them are in one only. Run tau2-bench to the end, or set the index to null" in error
    folder = tau2_folder(tmp_path / "rest", index=False, without=["two-3"])
    assert one(folder).sizes.tolist() == [4, 4, 3]  # what the files have
    for path in (folder / "simulations").iterdir():
        path.unlink()
    assert "must list simulations, or have them in a folder simulations/" in refused(folder)


def test_tau2_in_folders_has_an_index(tmp_path):
    held = attempt_files.tau2()
    index = [
        {"id": r["id"], "task_id": r["task_id"], "trial": r["trial"],
         "reward": r["reward_info"]["reward"]} for r in held.pop("simulations")
    ]  # fmt: skip
    assert scores(one(write(tmp_path, "t.json", held | {"simulation_index": index}))) == PASSED


def test_a_reward_that_is_1_but_for_rounding_is_1(tmp_path):
    held = attempt_files.tau()
    held[0]["reward"] = 1 - 1e-9
    held[3] |= {"info": {"error": "boom"}, "reward": 0.0}
    attempts = one(write(tmp_path, "t.json", held))
    assert attempts.scores[0].tolist() == [1, 0, 1, 1]
    assert attempts.is_binary
    assert str(attempts.caveats[0]).startswith("1 attempts ended in an error")


# --- SWE-bench


def test_a_folder_of_reports_is_one_attempt_each(tmp_path):
    paths = [write(tmp_path, f"gpt-4.1.run_{i + 9}.json", attempt_files.swebench(i))
             for i in range(4)]  # fmt: skip
    attempts = one(tmp_path)
    assert attempts.label == "gpt-4.1"
    assert scores(attempts) == PASSED  # run_10 after run_9; `four` was not submitted
    assert scores(one(paths)) == PASSED
    assert scores(one(paths[0])) == {p: each[:1] for p, each in PASSED.items()}
    assert is_recognised(tmp_path)


def test_reports_of_two_models_are_not_attempts_of_one(tmp_path):
    for model in ("gpt-4.1", "gpt-4.5"):
        write(tmp_path, f"{model}.a.json", attempt_files.swebench(0))
    assert "these are of 2 ('gpt-4.1', 'gpt-4.5')" in refused(tmp_path)


def test_an_instance_that_ended_in_an_error_has_no_score(tmp_path):
    held = attempt_files.swebench(0) | {"unresolved_ids": [], "error_ids": ["three"]}
    attempts = one(write(tmp_path, "m.a.json", held))
    assert np.isnan(attempts.scores[attempts.problems.index("three")][0])
    held["resolved_ids"].append("three")
    assert "'three' must have ended in one way" in refused(write(tmp_path, "m.b.json", held))


# --- what is refused


def test_lm_eval_keeps_one_score_per_document(tmp_path):
    path = write(tmp_path, "lm_eval.jsonl")
    error = refused(path)
    assert "keep one score per document, not one per repeat" in error
    with pytest.raises(DataError, match="keep one score per document"):
        bk.read(path, score="acc")


def test_several_models_are_not_one(tmp_path):
    text = "model,task_id,passed\n" + "".join(
        f"{m},{p},{y}\n" for m in "ab" for p, _, y in attempt_files.rows()
    )
    path = write(tmp_path, "m.csv", text)
    error = refused(path)
    assert error == (
        "m.csv holds attempts of 2 methods (`model`: 'a', 'b'), which one curve cannot show. Pass "
        'by="model".'
    )
    found = bk.read_attempts(path, by="model")
    assert list(found) == ["a", "b"]
    assert all(scores(attempts) == PASSED for attempts in found.values())


def test_counts_of_several_rows_for_a_problem_need_to_be_split(tmp_path):
    text = "temperature,problem,n,correct\n0.2,a,4,1\n0.8,a,4,2\n"
    error = refused(write(tmp_path, "c.csv", text))
    assert "counts must have one row per problem; 'a' has several" in error
    assert set(bk.read_attempts(tmp_path / "c.csv", by="temperature")) == {"0.2", "0.8"}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n", {}, "`problem` must name the column that tells the problems apart; no name"),
        ("task_id,qid,passed\n1,2,1\n", {}, "more than one name says so"),
        ("task_id,b\n1,2\n", {}, "`score` must name the column with the score of each attempt"),
        ("task_id,passed\n1,2\n", {"problem": "task"}, "Did you mean 'task_id'?"),
        ("task_id,passed\n,1\n", {}, "row 1 (line 2): `task_id` must name the problem"),
        ("task_id,passed\na,C\n", {}, "`passed` must be a number, true or false; got 'C'"),
        ("task_id,passed\na,2\n", {}, "must lie within the bounds 0 to 1; got 2"),
        ("task_id,attempt,passed\na,1,1\na,1,0\n", {}, "attempt 1 at problem 'a' is there twice"),
        ("problem,n,correct\na,2,3\n", {}, "`correct` must be at most `n`"),
        ("problem,n,correct\na,,3\n", {}, "row 1 (line 2): `n` must be a whole number"),
        ("problem,n,correct\na,2.5,1\n", {}, "`n` must be a whole number that is not negative"),
        ("problem,n,correct\na,3000000000,3\n", {}, "must add up to at most 50,000,000"),
        ("task_id,passed\n", {}, "there must be at least one attempt"),
    ],
)  # fmt: skip
def test_one_sentence_says_what_is_wrong(tmp_path, text, options, message):
    error = refused(write(tmp_path, "r.csv", text), BestofkError, **options)
    assert message in error
    assert error.startswith("r.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problem": 3}, "`problem` must be the name of a column; got 3"),
        ({"problem": "a", "score": "a"}, "a column can be one thing only"),
        ({"score": "a", "n": "b"}, "name either"),
        ({"by": "m", "label": "x"}, "names a single method"),
        ({"stopped": "often"}, "`stopped` must be one of"),
        ({"stopped": "success", "attempts": 3}, "state one of them"),
        ({"attempts": 0}, "`attempts` must be a whole number"),
        ({"failed": "x"}, "`failed` must be one of"),
    ],
)
def test_arguments_are_checked(options, message):
    assert message in refused({"task_id": ["a"], "passed": [1]}, ArgumentError, **options)


@pytest.mark.parametrize("source", [3, None, "none.csv", "a.xyz", b"x", [0.5, 0.6], np.eye(3)])
def test_what_is_no_source_of_attempts_is_said(source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.xyz").write_text("")
    refused(source, BestofkError)


def test_why_the_number_varies_reaches_the_attempts(tmp_path):
    path = write(tmp_path, "rows.csv")
    assert one(path, stopped="unrelated").stopped == "unrelated"
    assert one(path, attempts=2).planned == 2
    assert one(path, label="mine").label == "mine"


def test_names_of_problems_stay_as_written(tmp_path):
    path = write(tmp_path, "r.csv", "task_id,passed\n007,1\n7,0\n")
    assert one(path).problems == ("007", "7")
    numbered = one({"task_id": np.array([1.0, 1.0, 2.0]), "passed": [1, 0, 1]})
    assert numbered.problems == ("1", "2")


# --- one search they are not


@pytest.mark.parametrize(
    "name", ["he_eval_results.json", "log.json", "codegen_eval_all.json", "gpt-x.run_1.json",
             "tau.json", "tau2.json"],
)  # fmt: skip
def test_what_tools_record_of_attempts_is_not_one_search(name, tmp_path):
    with pytest.raises(DataError, match="not one search") as error:
        bk.read(write(tmp_path, name))
    assert f"bestofk passk {name}" in on_command_line(error.value.text)


def test_an_eval_log_is_not_one_search(tmp_path):
    path = recorded_logs(tmp_path)[1]
    with pytest.raises(DataError, match="as inspect_ai records them, not one search"):
        bk.read(path)


# --- real data


def test_the_published_values(data_folder):
    folder = data_folder / "attempts"
    tau = one(folder / "tau_airline_gpt4o.csv")
    curve = bk.pass_curve(tau, pick="worst")
    assert np.round(curve.estimate, 4).tolist() == [0.42, 0.2733, 0.22, 0.2]
    models = bk.read_attempts(folder / "humaneval_counts.csv", by="model")
    found = [round(float(bk.pass_curve(a).at(1)), 4) for a in models.values()]
    assert found == [0.4512, 0.7695, 0.8482]


# --- whatever a file holds


def test_a_few_hundred_mutated_files_of_attempts():
    pytest.importorskip("pyarrow")
    found = mutated_attempts.run(mutated_attempts.SEED, 0, 250)
    assert found["wrong"] == []
    assert len(found["kinds"]) > 12
    assert found["slowest"][0] < mutated.LONGEST


@pytest.mark.slow
def test_thousands_of_mutated_files_of_attempts():
    pytest.importorskip("pyarrow")
    found = mutated_attempts.run(mutated_attempts.SEED, 0, 5_000)
    assert found["wrong"] == []
    assert found["slowest"][0] < mutated.LONGEST
