"""The command line as a user meets it: data on stdout, remarks on stderr, exit codes."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import bestofk as bk
from bestofk.cli import main as program
from bestofk.cli.demo import _write_data
from tests import schema
from tests.conftest import ROOT

COMMANDS = [
    "curve",
    "compare",
    "passk",
    "repeats",
    "plan",
    "power",
    "more-trials",
    "plan-attempts",
    "plan-repeats",
    "importance",
    "check",
    "demo",
]
COMMANDS += ["report", "serve"]
COMMANDS += ["search", "resume", "status", "list", "export", "merge", "remove"]
STUDIES = ["coverage", "error", "underestimates", "wrong-model", "width", "attempts"]
STUDIES += ["reach", "tuning"]


@pytest.fixture
def run(tmp_path, monkeypatch, invoke):
    """Run the program in an empty folder with a few files, in this process."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ys.csv").write_text("score\n0.72\n0.83\n0.92\n0.68\n0.75\n")
    (tmp_path / "other.csv").write_text("score\n0.5\n0.6\n")
    (tmp_path / "failed.csv").write_text("score,test,seconds\n0.5,0.4,1\nN/A,,\n0.7,0.6,3\n")

    return invoke


def test_table(run):
    code, out, err = run("curve ys.csv --budgets 1,2,4")
    assert code == 0
    assert out.splitlines() == [
        "Median best of 4 trials: 0.92 (estimate; --confidence 0.95 adds a confidence band).",
        "Curve 'ys': median of the best of k, n = 5, maximize",
        "budget  estimate",
        "     1      0.75",
        "     2      0.83",
        "     4      0.92",
    ]
    assert err.startswith("note: how the trials were drawn is not known")


def test_json_of_one_method_is_an_object_and_of_several_a_list(run):
    one = json.loads(run("curve ys.csv --format json --budgets 1:3")[1])
    assert one["label"] == "ys"
    assert one["estimate"] == [0.75, 0.83, 0.83]
    assert one["caveats"]
    two = json.loads(run("curve ys.csv other.csv --format json")[1])
    assert [c["label"] for c in two] == ["ys", "other"]


def test_json_begins_with_what_it_is_and_what_it_may_claim(run, demo_files, tmp_path):
    """And fits the schema of its kind; every command that prints a result."""
    shutil.copytree(demo_files, tmp_path / "bestofk-demo")
    svm = "bestofk-demo/svm.csv --score accuracy"
    kinds = {
        "curve ys.csv": "curve",
        "curve ys.csv --confidence 0.8": "band",
        "compare ys.csv other.csv": "comparison",
        "importance bestofk-demo/svm.csv --score accuracy --params C,gamma": "importance-table",
        f"importance {svm} --params C,gamma --param C": "importance",
        "check ys.csv": "iid-check",
        "plan --budget 3": "plan",
        "power ys.csv other.csv --trials 5 --resamples 20": "power",
        "more-trials ys.csv --more 5": "more-trials",
        "study reach": "study",
        "study error ys.csv --n 3 --samples 20 --jobs 1": "study",
        "study tuning bestofk-demo/repetitions.csv --score accuracy --params n_neighbors": "study",
    }
    for line, kind in kinds.items():
        plain = json.loads(run(f"{line} --format json")[1])
        assert list(plain)[:4] == ["kind", "schema", "validity", "reasons"]
        assert plain["kind"] == kind
        schema.validate(plain)
        assert (plain["validity"] == "holds") == (plain["reasons"] == [])


def test_csv_is_whole(run):
    out = run("curve ys.csv other.csv --format csv --statistic mean --estimator u")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [r["label"] for r in rows] == ["ys"] * 5 + ["other"] * 2
    assert float(rows[4]["estimate"]) == 0.92
    assert rows[0]["estimator"] == "u"
    assert rows[0]["n"] == "5"
    assert rows[0]["budget"] == "1"


def test_csv_keeps_infinite_values(run):
    out = run("curve failed.csv --score score --failed worst --statistic 0.1 --format csv")[1]
    assert next(csv.DictReader(io.StringIO(out)))["estimate"] == "-inf"


def test_band_of_a_grid(run):
    out = run("curve ys.csv --confidence 0.8 --grid 6 --budgets 1,2,6 --format json")[1]
    band = bk.tuning_band(bk.read("ys.csv", grid=6), confidence=0.8, budgets=[1, 2, 6])
    assert json.loads(out) == band.to_dict()
    assert band.validity == "holds"
    assert "different settings of the grid of 6" in run("curve ys.csv --confidence 0.8 --grid 6")[1]
    code, _, err = run("curve ys.csv --confidence 0.8 --grid 4")
    assert code == 1
    assert "--grid must be at least the number of trials, 5" in err


def test_band(run):
    out = run("curve ys.csv --confidence 0.8 --budgets 1,2 --format json")[1]
    band = bk.tuning_band(bk.read("ys.csv"), confidence=0.8, budgets=[1, 2])
    assert json.loads(out) == band.to_dict()
    ks = json.loads(run("curve ys.csv --band ks --format json")[1])
    assert ks["band"] == "ks"
    assert ks["confidence"] == 0.95
    table = run("curve ys.csv --confidence 0.8 --budgets 1,2")[1]
    assert "80 % confidence at all whole budgets" in table
    assert "estimate  lower  upper" in table


@pytest.mark.parametrize("chosen", ["whole", "real", "range", "listed"])
def test_what_a_band_holds_for(run, chosen):
    """On every command that makes bands, as the argument of the same name."""
    asked = {"budgets": [1, 2], "simultaneous": chosen}
    line = f"--budgets 1,2 --simultaneous {chosen} --format json"
    band = bk.tuning_band(bk.read("ys.csv"), **asked)
    assert json.loads(run(f"curve ys.csv {line}")[1]) == band.to_dict()
    planned = bk.plan(budget=3, simultaneous=chosen)
    line = f"--budget 3 --simultaneous {chosen} --format json"
    assert json.loads(run(f"plan {line}")[1]) == planned.to_dict()
    _write_data(Path("bestofk-demo"))
    files = "bestofk-demo/example.csv --score accuracy --by method"
    two = bk.read_all("bestofk-demo/example.csv", score="accuracy", by="method")
    compared = bk.compare(two, **asked)
    line = f"--budgets 1,2 --simultaneous {chosen} --format json"
    assert json.loads(run(f"compare {files} {line}")[1]) == compared.to_dict()


@pytest.mark.parametrize("chosen", ["real", "listed"])
def test_what_bands_behind_other_answers_hold_for(run, chosen):
    _write_data(Path("bestofk-demo"))
    files = "bestofk-demo/example.csv --score accuracy --by method"
    line = f"--simultaneous {chosen} --format json"
    code, out, _ = run(f"power {files} --budget 2 --trials 30 {line}")
    assert code == 0
    assert json.loads(out)["simultaneous"] == chosen
    assert run(f"report {files} --budgets 1,2 --simultaneous {chosen} -o r.md")[0] == 0
    one = "bestofk-demo/svm.csv --score accuracy --n 8 --samples 50"
    line = f"--budgets 1,2 {line}"
    code, out, _ = run(f"study coverage {one} {line}")
    assert code == 0
    where = "at" if chosen != "real" else "of"
    assert json.loads(out)["what"].startswith(f"coverage {where} ")
    assert run(f"study width {one} {line}")[0] == 0


def test_a_list_needs_the_budgets_that_were_chosen(run):
    code, _, err = run("curve ys.csv --simultaneous listed")
    assert code == 2
    assert "--simultaneous listed is about the budgets that were chosen before looking" in err
    assert "Pass --budgets." in err
    code, _, err = run("plan --trials 20 --simultaneous listed")
    assert code == 2
    assert "Pass --budget." in err
    code, _, err = run("curve ys.csv --simultaneous whole --statistic mean")
    assert code == 2
    assert "a band of the mean holds at all real budgets; got --simultaneous whole" in err


def test_band_and_test_curve_share_a_csv_and_a_figure(run, tmp_path):
    out = run(
        "curve failed.csv --score score --test test --failed drop --confidence 0.8 --format csv "
        "--plot both.png"
    )[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [bool(r["lower"]) for r in rows] == [True, True, False, False]
    assert (tmp_path / "both.png").exists()


def test_the_estimator_reaches_the_test_curve_whatever_the_statistic(run):
    out = run(
        "curve failed.csv --score score --test test --failed drop --estimator u --format json"
    )[1]
    valid, test = json.loads(out)
    assert valid["estimator"] is None
    assert test["estimator"] == "u"


def test_options_reach_the_library(run):
    out = run(
        "curve failed.csv --score score --direction minimize --bounds 0,1 --failed worst "
        "--sampling iid --statistic mean --estimator w --budgets 1,2 --format json"
    )[1]
    scores = bk.Scores([0.5, 1.0, 0.7], direction="minimize", bounds=(0, 1))
    expected = bk.tuning_curve(scores, statistic="mean", estimator="w", budgets=[1, 2])
    assert json.loads(out)["estimate"] == expected.to_dict()["estimate"]
    (caveat,) = json.loads(out)["caveats"]
    assert caveat["text"] == "1 of 3 trials failed or were pruned and count as the worst score (1)"


def test_compare_csv_holds_rows_and_plain_facts_only(run):
    out = run("compare ys.csv other.csv --format csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert "verdict" not in rows[0]
    assert not any(value.startswith(("[", "{")) for value in rows[0].values())
    assert rows[0]["first"] == "ys"


def test_importance_table_can_be_drawn(run, tmp_path):
    _write_data(Path("bestofk-demo"))
    line = "importance bestofk-demo/svm.csv --score accuracy --params C,gamma --plot i.png"
    assert run(line)[0] == 0
    assert (tmp_path / "i.png").exists()


def test_messages_speak_of_options(run):
    err = run("compare ys.csv other.csv --axis cost")[2]
    assert err.endswith("Pass --cost COLUMN, or state what a trial costs with --unit-costs.\n")


def test_test_scores_add_the_test_curve(run):
    out = run(
        "curve failed.csv --score score --test test --cost seconds --failed drop --format json"
    )[1]
    valid, test = json.loads(out)
    assert valid["of"] == "score"
    assert test["of"] == "test score"
    assert test["statistic"] == "mean"
    assert test["estimate"][0] == pytest.approx(0.5)


def test_a_long_table_shows_landmarks_and_says_so(run):
    _write_data(Path("bestofk-demo"))
    code, out, err = run("curve bestofk-demo/example.csv --score accuracy --by method")
    assert code == 0
    assert len(out.splitlines()) < 30
    assert "a selection of budgets" in err
    assert "a selection of budgets" not in run("curve ys.csv")[2]


def test_figure(run, tmp_path):
    code, out, err = run("curve ys.csv other.csv --budgets 1,2 --plot out.svg")
    assert code == 0
    assert "figure: out.svg" in err
    assert "figure" not in out
    assert (tmp_path / "out.svg").read_text().startswith("<?xml")


CROSSING = (
    "It depends on the budget: ridge is ahead from 1 to 2 trials and network is ahead from 8 to 30 "
    "trials (95 %)."
)


def test_demo_ends_with_a_crossing_the_figure_and_what_is_next(run, tmp_path):
    code, out, _ = run("demo")
    assert code == 0
    assert out.startswith("Comparison of ridge (n = 256), network (n = 256)")
    verdict, between, figure, following = out.splitlines()[-4:]
    assert verdict.startswith(CROSSING)
    assert "They cross between 2 and 8 trials" in verdict
    assert (between, figure) == ("", "figure: bestofk-demo/comparison.png")
    assert (tmp_path / "bestofk-demo" / "comparison.png").stat().st_size > 3000
    line = re.fullmatch(r"next:   .*\bbestofk (serve .*)", following)[1]
    assert run(f"{line} --check") == (0, "ridge\nnetwork\n", "")
    shown = (ROOT / "README.md").read_text()
    assert f"```\n{verdict}\n\n{figure}\nnext:   .venv/bin/bestofk {line}\n```" in shown


def test_demo_without_the_page_goes_on_with_the_status(monkeypatch, run, tmp_path):
    from bestofk.cli.demo import _following

    monkeypatch.setitem(sys.modules, "starlette", None)
    store = f"sqlite:///{tmp_path / 'bestofk.db'}"
    bk.run_search(
        "bestofk.datasets.moons:network", {"lr": [1], "hidden": [2], "activation": ["relu"],
        "momentum": [0]}, n_trials=1, seed=1, score="accuracy", name="network", store=store,
        n_workers=0,
    )  # fmt: skip
    line = _following(tmp_path)
    assert line.startswith("status network --store")
    assert "best_params" in run(line)[1]


def test_demo_names_a_command_that_works_where_it_is_typed(tmp_path, monkeypatch):
    from bestofk.cli.demo import _following, _program

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "env" / "bin" / "bestofk"), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _program() == "env/bin/bestofk"  # as `make demo` runs it
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "src" / "bestofk" / "__main__.py"), "demo"])
    assert shlex.split(_program()) == [sys.executable, "-m", "bestofk"]
    (tmp_path / "bestofk").touch(mode=0o755)
    assert _program() == "bestofk"
    assert "'my demo/bestofk.db'" in _following(Path("my demo"))


def test_demo_without_the_extra_shows_what_was_recorded(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    code, out, err = run("demo")
    assert code == 0
    assert 'needs sqlalchemy: pip install "bestofk[search]"' in err
    assert out.splitlines()[-4].startswith(CROSSING)
    following = re.search(r"next:   .*\bbestofk (compare .*)", out)
    code, out, _ = run(following[1])
    assert code == 0
    said = CROSSING[1:].removesuffix("(95 %).")
    assert said in out.splitlines()[0]


def test_demo_in_a_folder_of_another_version_says_what_to_do(run, tmp_path):
    folder = tmp_path / "bestofk-demo"
    folder.mkdir()
    bk.run_search(
        "bestofk.datasets.moons:ridge", {"gamma": [1], "ridge": [1]}, n_trials=1, seed=1,
        score="accuracy", name="ridge", store=f"sqlite:///{folder / 'bestofk.db'}", n_workers=0,
    )  # fmt: skip
    code, out, err = run("demo")
    assert (code, out) == (1, "")
    assert "Remove the folder, or name another with --output." in err


def test_report_of_a_store_and_of_files(run, tmp_path, demo_files):
    shutil.copytree(demo_files, tmp_path / "bestofk-demo")
    assert run("report bestofk-demo/bestofk.db -o moons.md")[0] == 0
    text = (tmp_path / "moons.md").read_text()
    assert "Tuning report: ridge, network" in text
    assert "bestofk report bestofk-demo/bestofk.db -o moons.md" in text
    code, out, err = run("report ys.csv other.csv -o two.tex --confidence 0.8")
    assert (code, out) == (0, "")
    assert "report: two.tex" in err
    assert run("report ys.csv -o r.pdf")[0] == 2
    assert "documentclass" not in (tmp_path / "two.tex").read_text()
    assert run("report ys.csv other.csv -o alone.tex --standalone")[0] == 0
    assert "documentclass" in (tmp_path / "alone.tex").read_text()


@pytest.mark.parametrize(
    "line",
    [
        "report ys.csv --title t -o r.md --confidence 0.8",
        "report ys.csv other.csv --output r.md --budgets 1,2",
        "report --output=r.md ys.csv other.csv third.csv --confidence=0.9",
    ],
)
def test_the_command_that_a_report_names_prints_its_numbers(run, tmp_path, line):
    (tmp_path / "third.csv").write_text((tmp_path / "ys.csv").read_text())
    assert run(line)[0] == 0
    text = (tmp_path / "r.md").read_text().replace("\\", "")
    (named,) = re.findall(r"^Printed by bestofk (.*)$", text, re.MULTILINE)
    code, out, _ = run(named)
    assert code == 0
    table = text.partition("## By budget")[2].partition("Printed by")[0]
    rows = [re.findall(r"-?(?:inf|[\d.]+)", row) for row in re.findall(r"^\| \d.*", table, re.M)]
    assert len(rows) > 1
    if "json" in named:
        found = json.loads(out)["joint"][0]
        assert [f"{x:.4g}" for x in found["estimate"]] == [row[1] for row in rows]
        lower = ["-inf" if x is None else f"{x:.4g}" for x in found["lower"]]
        assert lower == [row[2] for row in rows]
    else:
        assert all(number in out for row in rows for number in row[:4])


@pytest.mark.parametrize(
    "line",
    [
        "plan --budget 5",
        "power ys.csv other.csv --budget 2 --trials 20 --resamples 100",
        "check ys.csv other.csv",
        "more-trials ys.csv other.csv --more 5",
    ],
)
def test_every_answer_with_a_figure_draws_it(run, tmp_path, line):
    pytest.importorskip("matplotlib")
    code, _, err = run(f"{line} --plot figure.svg")
    assert code == 0
    assert "figure: figure.svg" in err
    assert "<svg" in (tmp_path / "figure.svg").read_text()
    assert run(f"{line} --plot figure.txt")[0] == 2


def test_more_than_four_bands_stand_beside_each_other(run, tmp_path):
    image = pytest.importorskip("matplotlib.image")
    rows = [f"m{i},{x / 20 + i / 100}" for i in range(5) for x in range(10)]
    sizes = []
    for name, chosen in (("four", rows[:40]), ("five", rows)):
        (tmp_path / f"{name}.csv").write_text("\n".join(["method,score", *chosen]))
        line = f"curve {name}.csv --score score --by method --confidence 0.8 --plot {name}.png"
        assert run(line)[0] == 0
        sizes.append(image.imread(tmp_path / f"{name}.png").shape[:2])
    assert sizes[1][1] == 4 * sizes[0][1]
    assert run(line.replace("--confidence 0.8", "").replace("five.png", "lines.png"))[0] == 0
    assert image.imread(tmp_path / "lines.png").shape[1] == sizes[0][1]


def test_version(run):
    assert run("--version")[1] == f"bestofk {bk.__version__}\n"


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("curve none.csv", 1, "none.csv: there is no such file."),
        ("curve failed.csv --score score", 1, "row 2 (line 3): `score` is not a number ('N/A')"),
        ("curve failed.csv", 2, "--score must name the column with the scores"),
        ("curve ys.csv --score nope", 2, "there is no 'nope' among 'score'"),
        ("curve ys.csv --budgets 0", 2, "--budgets must be positive and finite; got 0."),
        ("curve ys.csv --budgets 1,x", 2, "--budgets must look like 1,2,5 or 1:50; got '1,x'"),
        ("curve ys.csv --budgets 5:1", 2, "--budgets must look like"),
        ("curve ys.csv --bounds 0", 2, "left out, but not the comma); got '0'"),
        ("curve ys.csv --bounds 0,0.8", 1, "must lie within the bounds 0 to 0.8; got 0.83"),
        ("curve ys.csv --statistic mode", 2, "--statistic must be"),
        ("curve ys.csv --estimator u", 2, "Pass --statistic mean"),
        ("curve ys.csv --direction up", 2, "'up' is not one of 'maximize', 'minimize'"),
        ("curve ys.csv --failed skip", 2, "'skip' is not one of 'raise', 'worst', 'drop'"),
        ("curve ys.csv --format xml", 2, "xml"),
        ("curve ys.csv ./ys.csv", 2, "each file must be given once"),
        ("curve ys.csv --plot x.gif", 2, "must end in .pdf, .png, .svg"),
        ("curve ys.csv --plot no/x.png", 1, "no/x.png: cannot be written: there is no folder no"),
        ("curve ys.csv --budgets 1:100000000000", 2, "at most 1,000,000 numbers"),
        ("curve ys.csv --confidence 95", 2, "got 95.0. Did you mean 0.95?"),
        (
            "curve ys.csv --band bonferroni",
            2,
            "'bonferroni' is not one of 'ld-highest-density', 'ld-equal-tailed', 'ks', 'dkw'",
        ),
        (
            "curve ys.csv --statistic mean --estimator u --confidence 0.9",
            2,
            "the plug-in estimate V",
        ),
        ("curve", 2, "FILE"),
        ("bogus", 2, "bogus"),
    ],
)
def test_failures_say_what_must_hold_and_how(run, line, code, message):
    got, out, err = run(line)
    assert got == code
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_the_message_is_one_line(run):
    err = run("curve failed.csv --score score")[2]
    assert err.count("\n") == 1
    assert "Pass --failed worst to count it as the worst score" in err


def test_debug_shows_the_traceback(run, monkeypatch):
    for words in (["--debug", "curve", "none.csv"], ["curve", "none.csv", "--debug"]):
        monkeypatch.setattr(sys, "argv", ["bestofk", *words])
        with pytest.raises(bk.DataError):
            program.main()


@pytest.mark.parametrize("command", ["", *COMMANDS, *(f"study {s}" for s in STUDIES)])
def test_help_ends_in_an_example_that_runs(run, command, monkeypatch, demo_files, tmp_path):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    code, out, _ = run(f"{command} --help".strip())
    assert code == 0
    example = " ".join(re.search(r"Example: bestofk (.*?)\n\n", out, flags=re.S)[1].split())
    shutil.copytree(demo_files, tmp_path / "bestofk-demo")
    assert run(example)[0] == 0


def test_every_command_is_tested():
    assert set(typer.main.get_command(program.app).commands) == {*COMMANDS, "study"}
    (study,) = (g.typer_instance for g in program.app.registered_groups)
    assert {c.name or c.callback.__name__ for c in study.registered_commands} == set(STUDIES)


@pytest.mark.parametrize(
    "start", [["-m", "bestofk"], ["-c", "from bestofk.cli.main import main; main()"]]
)
def test_it_runs_as_a_module_and_as_a_script(start, tmp_path):
    (tmp_path / "ys.csv").write_text("score\n0.5\n")
    done = subprocess.run(
        [sys.executable, *start, "curve", "ys.csv", "--format", "json"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["estimate"] == [0.5]
