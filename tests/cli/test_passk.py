"""``bestofk passk`` and attempts on the command line."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest

import bestofk as bk
from bestofk.cli import output
from bestofk.datasets.attempts import SEED, simulated_attempts
from tests import schema
from tests.cli import test_cli
from tests.sources import attempt_files

run = test_cli.run
NAMED = "attempts.csv --problem task_id --score passed --by model"


@pytest.fixture
def somewhere(run, tmp_path):
    """A folder with simulated attempts of two models."""
    (tmp_path / "attempts.csv").write_text(simulated_attempts())
    return run


def test_the_first_line_can_be_pasted(somewhere):
    code, out, err = somewhere(f"passk {NAMED}")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == (
        "small: pass@10 = .927 (95 % band over all k from 1 to 10: .851 to .972; 164 problems as a "
        "sample, 10 attempts each)."
    )
    assert lines[1].startswith("PassBand 'small': pass@k, 164 problems as a sample")
    assert lines[2].split() == ["budget", "estimate", "lower", "upper"]
    assert err.startswith("note: small, large: the problems are taken as independent draws")


def test_it_prints_what_the_library_says(somewhere):
    wanted = bk.read_attempts("attempts.csv", problem="task_id", score="passed", by="model")
    words = "--pick worst --k 1,2,4 --confidence 0.9 --band all-counts --format json"
    found = json.loads(somewhere(f"passk {NAMED} {words}")[1])
    for plain, attempts in zip(found, wanted.values(), strict=True):
        band = bk.pass_band(
            attempts, pick="worst", budgets=[1, 2, 4], confidence=0.9, band="all-counts"
        )
        assert plain == band.to_dict()
        schema.validate(plain)
        assert plain["kind"] == "pass-band"
    again = somewhere(f"passk {NAMED} {words.replace('--k', '--budgets')}")[1]
    assert json.loads(again) == found


def test_csv_has_every_method_and_k(somewhere):
    rows = list(csv.DictReader(io.StringIO(somewhere(f"passk {NAMED} --format csv")[1])))
    assert [row["label"] for row in rows] == ["small"] * 10 + ["large"] * 10
    assert rows[0]["pick"] == "best"


def test_the_scope_and_the_dirichlet_band(somewhere):
    out = somewhere(f"passk {NAMED} --scope benchmark --k 1,5")[1]
    assert "these 164 problems only" in out
    out = somewhere(f"passk {NAMED} --band dirichlet --k 1,5")[1]
    assert "measured, not proven" in out
    other = somewhere(f"passk {NAMED} --band dirichlet --k 1,5 --seed 1")[1]
    assert out != other
    assert out == somewhere(f"passk {NAMED} --band dirichlet --k 1,5")[1]


def test_a_figure(somewhere, tmp_path):
    pytest.importorskip("matplotlib")
    assert somewhere(f"passk {NAMED} --plot f.png")[0] == 0
    assert (tmp_path / "f.png").stat().st_size > 3000


def test_the_simulated_attempts_have_a_stated_seed():
    text = simulated_attempts()
    assert text == simulated_attempts(SEED) != simulated_attempts(SEED + 1)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 164 * 10
    means = [
        np.mean([int(r["passed"]) for r in rows if r["model"] == m]) for m in ("small", "large")
    ]
    # E p = 1.2 / 1.5 and E p^2 = 1.2 x 2.2 / (1.5 x 2.5), each within 5 standard errors
    assert means == pytest.approx([0.704, 0.8], abs=5 * 0.35 / np.sqrt(164))


def test_a_file_of_a_known_tool_needs_no_options(run, tmp_path):
    for name in ("he_eval_results.json", "tau2.json", "log.json", "counts.csv"):
        (tmp_path / name).write_bytes(attempt_files.files()[name])
        code, out, _ = run(f"passk {name}")
        assert code == 0
        assert out.startswith("pass@2 = ")


def test_reports_of_swe_bench_are_attempts(run, tmp_path):
    for i in range(4):
        (tmp_path / f"m.run{i}.json").write_text(json.dumps(attempt_files.swebench(i)))
    found = json.loads(
        run("passk m.run0.json m.run1.json m.run2.json m.run3.json --format json")[1]
    )
    assert found["label"] == "m"
    assert found["n_attempts"] == 4
    assert found["estimate"] == pytest.approx([1 / 2, (1 + 5 / 6) / 3, 2 / 3, 2 / 3])


def test_several_files_are_several_methods(run, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text(attempt_files.csv_rows())
    found = json.loads(run("passk a.csv b.csv --format json")[1])
    assert [plain["label"] for plain in found] == ["a", "b"]
    assert "came more often" in run("passk a.csv ./a.csv")[2]


def test_attempts_without_a_score(run, tmp_path):
    (tmp_path / "r.csv").write_text(attempt_files.csv_rows().replace("one,0,1", "one,0,"))
    code, _, err = run("passk r.csv")
    assert code == 1
    assert "Pass --failed worst to count it" in err
    code, _, err = run("passk r.csv --failed worst --format json")
    assert code == 0
    assert "1 of 12 attempts have no score and count as the worst score" in err


# --- beyond the number of attempts


def test_beyond_the_attempts_there_are_bounds_and_no_estimate(somewhere):
    code, out, err = somewhere(f"passk {NAMED} --k 1,10,1000")
    assert code == 0
    band, bounds = out.split("\n\n")[:2]
    assert band.startswith("small: pass@10 = .927")
    assert "1000" not in band
    assert bounds.startswith("small: pass@1000 is between .851 and 1.000 (95 %; 164 problems")
    assert bounds.splitlines()[2].split() == ["budget", "lower", "upper"]
    assert "beyond 10 attempts there is no estimate" in err
    assert err.count("are taken as independent draws") == 1  # said once for both


def test_bounds_beyond_are_the_librarys_and_in_the_same_document(somewhere):
    found = json.loads(somewhere(f"passk {NAMED} --budgets 1,10,1000 --format json")[1])
    assert [(r["kind"], r["label"], r["budget"]) for r in found] == [
        ("pass-band", "small", [1, 10]), ("pass-bounds", "small", [1000]),
        ("pass-band", "large", [1, 10]), ("pass-bounds", "large", [1000]),
    ]  # fmt: skip
    small = bk.read_attempts("attempts.csv", by="model")["small"]
    assert found[1] == bk.pass_bounds(small, budgets=[1000]).to_dict()
    for plain in found:
        schema.validate(plain)
    only = json.loads(somewhere(f"passk {NAMED} --pick worst --k 50,20 --format json")[1])
    assert [(r["kind"], r["budget"]) for r in only] == [("pass-bounds", [20, 50])] * 2
    rows = list(csv.DictReader(io.StringIO(somewhere(f"passk {NAMED} --k 1,99 --format csv")[1])))
    assert [(row["budget"], bool(row["estimate"])) for row in rows] == [
        ("1", True), ("99", False), ("1", True), ("99", False)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--k 1,11 --scope benchmark", "--budgets must be at most 10, the number of attempts"),
        ("--k 1:500", "must be at most 200 numbers beyond those that were tried; got 490."),
        ("--k 1,1000.5", "--budgets must be whole numbers of attempts; got 1000.5."),
        ("--k 0,1000", "--budgets must be positive and finite; got 0."),
        ("--k 1000 --confidence 1", "strictly between 0 and 1"),
    ],
)
def test_what_has_no_bounds_says_what_has(somewhere, words, said):
    code, out, err = somewhere(f"passk {NAMED} {words}")
    assert (code, out) == (2, "")
    assert said in err
    assert ("bounds on the best or worst of k" in err) == ("benchmark" in words)


def test_compare_names_the_command_with_bounds(somewhere):
    code, _, err = somewhere(f"compare {NAMED} --budgets 1,20")
    assert code == 2
    assert "as many attempts at each problem: bestofk passk." in err


# --- problems or attempts


def test_a_plan_from_a_file_is_the_librarys(somewhere):
    words = f"plan-attempts {NAMED} --budget 5 --half-width 0.03 --problem-cost 2"
    found = json.loads(somewhere(f"{words} --format json")[1])
    wanted = bk.read_attempts("attempts.csv", by="model")
    assert found == [
        bk.plan_attempts(one, budget=5, half_width=0.03, problem_cost=2).to_dict()
        for one in wanted.values()
    ]
    first = somewhere(words)[1].splitlines()[0]
    assert "are the cheapest way to pass@5 ± .030" in first
    assert "no number of attempts gets below about ± .037" in first


def test_a_plan_from_rates(run):
    code, out, _ = run("plan-attempts --rates 0x18,.4x12 --budget 4 --half-width 0.05")
    assert code == 0
    assert out.startswith(
        "359 problems with 4 attempts each (1,436 attempts) are the cheapest way to pass@4 ± .050 "
        "(95 %, approximate), if the rates are right. With 30 such problems no number of attempts "
        "gets below about ± .155."
    )
    found = json.loads(
        run("plan-attempts --rates 0.1,0.9 --budget 1 --pick worst --half-width .1 --format json")[
            1
        ]
    )
    assert (found["kind"], found["n"], found["n_attempts"]) == ("attempts-plan", 2, None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--budget 5", "a plan needs either a file with a pilot or --rates"),
        ("attempts.csv --rates 0,1 --budget 5", "a plan needs either a file with a pilot or"),
        ("--rates 0,1 --budget 5", "state --half-width."),
        ("--rates 0,x,1 --budget 5", "--rates must look like 0.1,0.5,0.9 or 0x18,0.4x12"),
        ("--rates 0x9999999999,1 --budget 5", "--rates must look like"),
        ("--rates 0,50 --budget 1 --half-width 0.1", "--rates must be the chance of a success"),
        (f"{NAMED} --budget 6", "Use --budget 5 or less, or try more."),
        (f"{NAMED} --budget 1 --half-width 1e-300", "--half-width must be from 0.0001 to 1"),
        (f"{NAMED} --budget 1 --problem-cost nan", "--problem-cost must be a number of attempts"),
        ("--rates 0,1 --budget 0 --half-width 0.1", "--budget must be"),
    ],
)
def test_no_plan(somewhere, words, said):
    code, out, err = somewhere(f"plan-attempts {words}")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


# --- compare


def test_compare_is_paired_by_problem(somewhere):
    code, out, _ = somewhere(f"compare {NAMED} --budgets 1,5,10 --format json")
    assert code == 0
    found = json.loads(out)
    wanted = bk.compare(
        bk.read_attempts("attempts.csv", problem="task_id", score="passed", by="model"),
        budgets=[1, 5, 10],
    )
    assert found == wanted.to_dict()
    assert found["paired"]
    unpaired = json.loads(somewhere(f"compare {NAMED} --unpaired --budgets 1 --format json")[1])
    assert not unpaired["paired"]
    assert unpaired["upper"][0] - unpaired["lower"][0] > found["upper"][0] - found["lower"][0]


COUNTED = "told.csv --problem question --n tries --correct right --by who"


def counted(folder):
    rows = [f"q{i},{who},6,{min(6, (i * step) % 8)}" for i in range(40) for who, step in WHO]
    (folder / "told.csv").write_text("\n".join(["question,who,tries,right", *rows]))


WHO = [("small", 3), ("large", 5)]


def test_compare_report_and_serve_take_counts_under_any_names(run, tmp_path):
    counted(tmp_path)
    wanted = bk.read_attempts("told.csv", problem="question", n="tries", correct="right", by="who")
    found = json.loads(run(f"compare {COUNTED} --budgets 1,6 --format json")[1])
    assert found == bk.compare(wanted, budgets=[1, 6]).to_dict()
    # the names of the counts alone say that these are attempts
    assert (
        json.loads(
            run("compare told.csv --n tries --correct right --by who --budgets 1,6 --format json")[
                1
            ]
        )
        == found
    )
    pytest.importorskip("jinja2")
    assert run(f"report {COUNTED} -o r.md")[0] == 0
    assert bk.pass_band(wanted["large"]).summary in (tmp_path / "r.md").read_text()
    pytest.importorskip("starlette")
    assert run(f"serve {COUNTED} --check")[1].split() == ["small", "large"]


def test_clusters_reach_the_comparison(run, tmp_path):
    counted(tmp_path)
    code, _, _ = run(f"compare {COUNTED} --cluster question --budgets 1 --format json")
    assert code == 2  # a column is one thing only
    rows = (tmp_path / "told.csv").read_text().splitlines()
    (tmp_path / "told.csv").write_text(
        "\n".join([f"{rows[0]},repo", *(f"{row},{i // 8}" for i, row in enumerate(rows[1:]))])
    )
    found = json.loads(run(f"compare {COUNTED} --cluster repo --budgets 1 --format json")[1])
    assert found["validity"] == "void"


def test_a_claim_about_attempts_can_be_required(somewhere):
    assert somewhere(f'compare {NAMED} --budgets 1,5 --require "large>small@1"')[0] == 0
    code, _, err = somewhere(f'compare {NAMED} --budgets 1,5 --require "small>large@1"')
    assert code == 3
    assert "required: small>large@1: not certified" in err


def test_compare_knows_files_of_a_tool_without_problem(run, tmp_path):
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text(attempt_files.humaneval())
    code, out, _ = run("compare a.jsonl b.jsonl --format json")
    assert code == 0
    assert json.loads(out)["kind"] == "attempts-comparison"


@pytest.mark.parametrize("command", ["compare", "curve", "report", "check"])
def test_counts_are_no_search_and_name_passk(run, tmp_path, command):
    (tmp_path / "counts.csv").write_text(attempt_files.counts())
    code, _, err = run(f"{command} counts.csv")
    assert code == 1
    assert "counts.csv holds how many attempts at each problem (problem) were correct" in err
    assert "Use: bestofk passk counts.csv --problem problem" in err


def test_one_method_is_told_how_there_could_be_two(run, tmp_path):
    (tmp_path / "counts.csv").write_text(attempt_files.counts())
    err = run("compare counts.csv --problem problem")[2]
    assert "got 1. Name the column that tells them apart (--by), or pass a second file." in err


@pytest.mark.parametrize("command", ["compare", "curve", "power", "importance", "check", "report"])
def test_what_is_no_search_names_passk(somewhere, command):
    more = {"power": "--trials 5", "importance": "--params attempt"}.get(command, "")
    code, _, err = somewhere(f"{command} attempts.csv --score passed --by model {more}")
    assert code == 1
    assert "bestofk passk attempts.csv --problem task_id --score passed" in err


def test_serve_names_passk(somewhere):
    err = somewhere("serve attempts.csv --score passed --check")[2]
    assert "bestofk passk attempts.csv --problem task_id --score passed" in err


def test_a_report_and_a_page_of_attempts(somewhere, tmp_path):
    pytest.importorskip("jinja2")
    code, _, err = somewhere(f"report {NAMED} -o r.md")
    assert (code, err) == (
        0,
        "report: r.md\nnote: the problems are taken as independent draws of such problems and the "
        "attempts at each as independent: problems that share a source or a template are not "
        "(bestofk passk --scope benchmark is about these problems only)\n",
    )
    text = (tmp_path / "r.md").read_text()
    assert "pass@10 = .927 (95 % band over all k from 1 to 10: .851 to .972" in text
    assert "large is ahead of small at k = 1, 5 and 10 (95 %)" in text
    assert "## What was attempted" in text
    assert f"bestofk report {NAMED} -o r.md" in text.replace("\\", "")
    assert {p.name for p in tmp_path.glob("r-*.svg")} == {
        "r-curves.svg", "r-difference.svg", "r-floor.svg"
    }  # fmt: skip
    pytest.importorskip("starlette")
    code, out, _ = somewhere(f"serve {NAMED} --check")
    assert (code, out.split()) == (0, ["small", "large"])


def test_a_report_in_every_form(somewhere, tmp_path):
    pytest.importorskip("jinja2")
    for name in ("r.html", "r.tex"):
        assert somewhere(f"report {NAMED} --pick worst --budgets 1,2,5 -o {name}")[0] == 0
        text = (tmp_path / name).read_text()
        assert "What was attempted" in text
        assert "{{" not in text.replace("{{bestofk}", "").replace("{{The", "")


def test_options_about_searches_are_refused(somewhere):
    code, _, err = somewhere(f"compare {NAMED} --sampling iid")
    assert code == 2
    assert "--sampling is about searches; these are attempts at problems." in err


# --- real data


def test_the_sentence_of_gpt_4(run, data_folder, tmp_path):
    path = data_folder / "attempts" / "humaneval_counts.csv"
    rows = path.read_text().splitlines()
    (tmp_path / "gpt4.csv").write_text(
        "\n".join([rows[0], *(r for r in rows if r.startswith("gpt-4,"))])
    )
    assert run("passk gpt4.csv")[1].splitlines()[0] == (
        "pass@10 = .909 (95 % band over all k from 1 to 10: .828 to .960; 164 problems as a sample,"
        " 10 attempts each)."
    )


def test_bounds_are_drawn_with_the_curve_of_their_model(somewhere, tmp_path):
    """They had a colour of their own, and a figure of their own if there were many."""
    code, _, err = somewhere(f"passk {NAMED} --budgets 1,10,100 --plot a.png")
    assert code == 0
    assert "figure: a.png" in err
    model = bk.Attempts.of_counts(range(9), 4, [0, 1, 2, 3, 4] + [2] * 4)
    charts = []
    for label in ("a", "b", "c", "d", "e"):
        one = replace(model, label=label)
        charts += [bk.pass_band(one).chart(), bk.pass_bounds(one, budgets=[9]).chart()]
    found = output._with_bounds(charts)
    assert [c.series[0].line.label for c in found] == ["a", "b", "c", "d", "e"]
    assert {len(c.series) for c in found} == {2}
    assert {c.places for c in found} == {(0, 0)}
    assert len(output._with_bounds([charts[1], charts[3]])) == 2  # of different models
