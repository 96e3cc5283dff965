"""``bestofk passk`` and attempts on the command line."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import bestofk as bk
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
        "pass@10 = .927 (95 % band over all k from 1 to 10: .851 to .972; 164 problems as a "
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
    assert (code, err) == (0, "report: r.md\n")
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
