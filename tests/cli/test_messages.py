"""The command line speaks its own words: options that exist, nothing of Python."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache

import pytest
import typer

from bestofk._base import arguments
from bestofk.cli import main as program
from bestofk.errors import ArgumentError, arg, on_command_line
from tests.cli import test_cli
from tests.conftest import ROOT

run = test_cli.run

# Arguments that no command can reach, or not with a wrong value; why.
PYTHON_ONLY = {
    "results": "of plot()",
    "random": "of load_repeats()",
    "temperature": "of load_countdown()",
    "at_most": "of a stopping rule of Monitor",
    "backend": "of to_frame()",
    "bands": "of a study of attempts; the command takes all",
    "basis": "of compare() with Repeats; the command leaves it at its default",
    "block": "of a simulation; the commands leave it at its default",
    "estimators": "of the studies; the commands take all",
    "exact": "of cdf_band()",
    "first": "of Monitor",
    "high": "of the page's range of budgets; of a space it is a key in a file",
    "horizon": "of Monitor",
    "smallest_cost": "of cost_curve()",
    "look": "of Monitor",
    "looks": "of Monitor",
    "loser": "of a stopping rule of Monitor",
    "low": "of the page's range of budgets; of a space it is a key in a file",
    "masses": "of a truth made by hand",
    "max_repeats": "of bestofk.cv",
    "methods": "of Monitor",
    "metrics": "of Search(); a file's columns are of equal length",
    "min_repeats": "of bestofk.cv",
    "n_bins": "of compare() with a hyperparameter",
    "n_candidates": "of bestofk.cv",
    "n_folds": "of bestofk.cv",
    "n_replays": "of bestofk.cv",
    "names": "of Repeats(); a file's column of repeats is checked where it is read",
    "numbers": "of Search(); a file's column of numbers is checked where it is read",
    "points": "of a truth made by hand",
    "rule": "of Monitor",
    "schedule": "of Monitor",
    "scores": "the data of a call; a file's are checked where it is read",
    "search": "the data of importance(); a file gives nothing else",
    "searches": "of Repeats.of_searches()",
    "share": "of importance()",
    "spacing": "of Monitor",
    "states": "of Search(); a file's column of states is checked where it is read",
    "strategy": "of bestofk.cv",
    "table": "the data of a study; a file's are checked where it is read",
    "value": "of Space.to_dict() and back; in a file it is a key",
    "values": "of Scores() and of truths made by hand",
    "weights": "of Scores(); of a space it is a key in a file",
    "winner": "of a stopping rule of Monitor",
}


def called(call):
    """Return the name of what is called, and of what it is an attribute of."""
    if isinstance(call.func, ast.Attribute):
        return getattr(call.func.value, "id", ""), call.func.attr
    return "", getattr(call.func, "id", "")


@cache
def named_arguments():
    """Return where each argument is named: argument=, arg(…), and the checks of `arguments`."""
    checks = {
        name
        for name, check in vars(arguments).items()
        if inspect.isfunction(check) and next(iter(inspect.signature(check).parameters)) == "name"
    }
    assert {"choice", "whole", "vector", "probability", "budget"} <= checks
    found = {}
    for path in sorted((ROOT / "src" / "bestofk").rglob("*.py")):
        for call in ast.walk(ast.parse(path.read_text())):
            if not isinstance(call, ast.Call):
                continue
            owner, name = called(call)
            words = {k.arg: k.value for k in call.keywords}
            said = [words["argument"]] if "argument" in words else []
            if (name == "arg" and "option" not in words) or (
                owner == "arguments" and name in checks
            ):
                said += call.args[:1]
            for constant in said:
                if isinstance(constant, ast.Constant):
                    found.setdefault(constant.value, f"{path.name}:{call.lineno}")
    return found


def options():
    """Return every option and argument of every command."""

    def walk(command):
        for param in command.params:
            shown = [param.metavar or ""] if param.param_type_name == "argument" else param.opts
            yield from (word for text in shown for word in text.split())
        for part in getattr(command, "commands", {}).values():
            yield from walk(part)

    return set(walk(typer.main.get_command(program.app)))


def test_every_argument_in_a_message_is_an_option_that_exists():
    there, named = options(), named_arguments()
    assert len(named) > 60
    wrong = {
        f"{name} ({where})": flag
        for name, where in named.items()
        if name not in PYTHON_ONLY and (flag := on_command_line(arg(name))) not in there
    }
    assert wrong == {}


def test_what_only_python_has_is_in_use_and_no_option():
    there, named = options(), named_arguments()
    assert set(PYTHON_ONLY) <= set(named)
    assert [name for name in PYTHON_ONLY if on_command_line(arg(name)) in there] == []


@pytest.mark.parametrize(
    ("argument", "option"),
    [
        ("n_workers", "--workers"),
        ("costs", "--cost"),
        ("false_alarm", "--false-alarm"),
        ("metric", "--score"),
        ("n_samples", "--samples"),
        ("n_jobs", "--jobs"),
        ("n_repeats", "--repeats"),
        ("n_resamples", "--resamples"),
        ("n_trials", "--trials"),
        ("planned", "--attempts"),
        ("rng", "--seed"),
        ("seeds", "--seed"),
        ("tests", "--test"),
        ("objective", "MODULE:FUNCTION"),
    ],
)
def test_options_that_are_not_spelled_like_their_argument(argument, option):
    error = ArgumentError(argument=argument, must="be right", got="1")
    assert str(error) == f"`{argument}` must be right; got 1."
    assert on_command_line(error.text) == f"{option} must be right; got 1."


# Columns have names that no argument has.
FILES = {
    "acc.csv": "acc\n0.72\n0.83\n0.92\n0.68\n0.75\n",
    "more.csv": "acc\n0.5\n0.6\n",
    "odd.csv": "acc,late,secs\n0.5,0.4,1\nN/A,,\n0.7,0.6,-3\n",
    "two.csv": "model,acc,kind\na,1,x\na,2,y\nb,1,x\nb,3,z\n",
    "same.csv": "acc\n1\n1\n1\n",
    "empty.csv": "",
    "head.csv": "acc\n",
    "cv.csv": "repetition,C,opt,acc\n1,1,a,0.5\n1,2,b,0.6\n2,1,a,0.7\n2,2,b,0.6",
    "tries.csv": "task,ok,who\na,1,x\na,0,x\nb,1,y\nb,,y\n",
    "odd_tries.csv": "task,ok\na,1\na,0\nb,1\n",
    "told.csv": "task,tries,right\na,3,4\nb,3,1\n",
    "again.csv": "go,at,acc\n" + "".join(f"{i // 3},{i % 3},0.{i}1\n" for i in range(6)),
    "alike.csv": "go,at,acc\n" + "".join(f"{i // 3},{i % 3},0.{i % 3}1\n" for i in range(6)),
    "gone.csv": "go,at,acc\n0,1,0.5\n0,3,0.6\n1,1,0.7\n1,2,0.4\n",
    "space.toml": 'x = { kind = "uniform", low = 0, high = 1 }\n',
    "bad.toml": 'x = { kind = "uniform", low = 2, high = 1 }\n',
    "worse.toml": 'x = { kind = "uniform", low = "a", high = 1 }\n',
}
SEARCH = "search --name cnn --space space.toml --trials 2 --seed 7 --workers 0 --score acc"
ECHO = """-- echo '{{"acc": {x}}}'"""
OTHER = "search --name w --space space.toml --trials 2 --seed 7 --score acc"
WRONG = f"""
curve none.csv
curve empty.csv
curve head.csv
curve .
curve foo://a.b/c
curve odd.csv
curve odd.csv --score acc
curve odd.csv --score acc --failed drop --cost secs
curve two.csv --score acc --cost kind
curve two.csv --score acc --test kind
curve two.csv --score acc --params nope
curve two.csv --score acc --by nope
curve two.csv --score acc --test acc
curve two.csv --score ""
curve acc.csv --statistic 2
curve acc.csv --statistic mode
curve acc.csv --statistic mean --estimator u --budgets 9
curve acc.csv --statistic mean --estimator w --budgets 1.5
curve acc.csv --statistic mean --estimator u --confidence 0.9
curve acc.csv --estimator u
curve acc.csv --confidence 95
curve acc.csv --budgets 0
curve acc.csv --budgets 1:0
curve acc.csv --bounds 0,0.8
curve acc.csv --bounds 1,0
curve acc.csv --bounds a,b
curve acc.csv --direction up
curve acc.csv --sampling random
curve acc.csv --plot x.gif
curve acc.csv acc.csv
curve bestofk.db --score nope
curve bestofk.db --cost x
curve bestofk.db --by x
curve bestofk.db --direction minimize
curve bestofk.db --bounds 2,3
compare acc.csv
compare two.csv --score acc
compare acc.csv more.csv --axis cost
compare acc.csv more.csv --confidence 80
compare acc.csv more.csv --budgets 0
compare acc.csv more.csv --band nope
compare odd.csv acc.csv --score acc
compare bestofk.db
compare tries.csv --score ok --by who
compare odd_tries.csv --problem task --score ok
compare odd_tries.csv --problem task --score ok --attempts 1
compare tries.csv --problem task --score ok --by who --failed worst
compare tries.csv --problem task --score ok --by who --failed worst --unpaired
compare tries.csv --problem task --score ok --by who --grid 3
compare tries.csv --problem task --score ok --by who --evidence
compare tries.csv --problem task --score ok --by who --axis cost
compare tries.csv --problem task --score ok --by who --simultaneous range
passk none.csv
passk empty.csv
passk head.csv
passk .
passk acc.csv
passk tries.csv --score ok
passk tries.csv --problem nope
passk tries.csv --problem task --score ok
passk tries.csv --problem task --score ok --by who --k 9
passk tries.csv --problem task --score ok --by who --failed worst
passk tries.csv --problem task --score who --by ok
passk tries.csv --problem task --score task
passk odd_tries.csv --problem task --score ok
passk odd_tries.csv --problem task --score ok --attempts 2
passk odd_tries.csv --problem task --score ok --attempts 0
passk odd_tries.csv --problem task --score ok --attempts 1 --stopped success
passk odd_tries.csv --problem task --score ok --attempts 1 --k 2 --scope benchmark
passk odd_tries.csv --problem task --score ok --attempts 1 --confidence 95
passk odd_tries.csv --problem task --score ok --attempts 1 --pick majority
passk odd_tries.csv --problem task --score ok --attempts 1 --pick reward
passk odd_tries.csv --problem task --score ok --attempts 1 --scope benchmark
passk odd_tries.csv --problem task --score ok --attempts 1 --bounds 2,3
passk odd_tries.csv --problem task --score ok --partial 7
passk told.csv --problem task --n tries --correct right
passk told.csv --problem task --n tries
compare again.csv --repeat go --step at
compare again.csv --step at
compare again.csv --paired
compare again.csv --of test
compare again.csv --unequal interval
compare again.csv --repeat go --step at --evidence
compare again.csv --repeat go --step at --grid 3
compare again.csv --repeat go --step at --problem go
compare again.csv --repeat go --step at --against again.csv
compare again.csv --repeat go --step at --against none.csv
compare again.csv more.csv --repeat go --step at
compare again.csv --repeat go --step at --against acc.csv --independent
compare again.csv --repeat go --step at --against acc.csv --paired
repeats none.csv
repeats empty.csv
repeats head.csv
repeats acc.csv
repeats again.csv
repeats again.csv --repeat nope
repeats again.csv --repeat go --step nope
repeats again.csv --repeat go --step at --by acc --score acc
repeats again.csv --repeat go --step at --by acc --label x
repeats again.csv --repeat go --step at --seed acc
repeats again.csv --repeat go --step at --planned 0
repeats again.csv --repeat go --step at --of test
repeats again.csv --repeat go --step at --axis cost
repeats again.csv --repeat go --step at --statistic mean
repeats again.csv --repeat go --step at --budgets 9
repeats again.csv --repeat go --step at --budgets 1.5
repeats again.csv --repeat go --step at --confidence 95
repeats again.csv --repeat go --step at --bounds 0.3,0.4
repeats alike.csv --repeat go --step at
repeats gone.csv --repeat go --step at
repeats bestofk.db
repeats bestofk.db --repeat nope
repeats bestofk.db --step nope
plan-attempts --rates 0.2,1.4 --budget 1 --half-width 0.1
plan-attempts --rates 0.2,0.4 --budget 0 --half-width 0.1
plan-repeats --budgets 0
plan-repeats --budgets x
plan-repeats --repeats 0
plan-repeats --statistic mean
plan
plan --budget 5 --trials 5
plan --budget 0
plan --budget 1e12
plan --trials 0
plan --trials 10 --statistic mean
plan --budget 5 --statistic 2
plan --budget 5 --confidence 95
power acc.csv
power acc.csv more.csv --trials 5 --wanted 0.8
power acc.csv more.csv --trials 0
power acc.csv more.csv --wanted 2
power acc.csv more.csv --trials 5 --resamples 0
power acc.csv more.csv --trials 5 --budget 0
more-trials acc.csv --more 0
more-trials acc.csv --more 5 --wanted 80
power acc.csv more.csv --trials 5 --seed -1
power odd.csv more.csv --score acc --trials 5
importance acc.csv
importance acc.csv more.csv
importance two.csv --score acc --params kind
importance two.csv --score acc --params kind --param q
importance two.csv --score acc --params kind --param kind --default w
importance two.csv --score acc --params kind --default w
check acc.csv --false-alarm 0
check none.csv
check odd.csv
status nope
status cnn --store foo
resume nope
resume cnn --trials 0
resume cnn --workers -1
resume cnn --timeout -1
resume cnn --retries -1
list --store sqlite:///no.db
list --store foo.db
export nope
export cnn --format xml
export cnn --format parquet
export cnn --format optuna -o foo
export cnn -o no/x.csv
merge
merge none.db
merge acc.csv
remove cnn
remove nope --yes
resume cnn --retry-failed
{OTHER} --only 2 {ECHO}
{OTHER} --only x {ECHO}
{OTHER} --shard 0/2 {ECHO}
{OTHER} --only 1 --shard 1/2 {ECHO}
{OTHER} --only 1 --stop-when "width<1@2" {ECHO}
{OTHER} --stop-when "width<-1@2" {ECHO}
{OTHER} --stop-when "this>nope@2" {ECHO}
{OTHER} --stop-when "width<1@2" --confidence 2 {ECHO}
{OTHER} --score-pattern "(" {ECHO}
{OTHER} --score-pattern "(a)" bestofk.datasets.moons:ridge
{OTHER} --dry-run -- false
{OTHER} -- false
{SEARCH} --seed 8 {ECHO}
{OTHER} --trials 0 {ECHO}
{OTHER} --seed -1 {ECHO}
{OTHER} --name "" {ECHO}
{OTHER} --workers -1 {ECHO}
{OTHER} --workers 0 --timeout 5 bestofk.datasets.moons:ridge
{OTHER} --timeout 0 {ECHO}
{OTHER} --retries -1 {ECHO}
{OTHER} --metrics-file ../m.json {ECHO}
{OTHER} --thresholds 0=nan {ECHO}
{OTHER} --dask-local 0 {ECHO}
{OTHER} --dask tcp://x --dask-local 1 {ECHO}
{OTHER} --space bad.toml {ECHO}
{OTHER} --space worse.toml {ECHO}
{OTHER} --space acc.csv {ECHO}
{OTHER} --bounds 1,0 {ECHO}
{OTHER} --store sqlite:////no/where/x.db {ECHO}
{OTHER} nosuch:f
{OTHER} bestofk.datasets.moons:SPACES
{OTHER} -- echo {{y}}
report acc.csv -o x.pdf
report acc.csv -o no/x.html
report acc.csv --estimator u
report acc.csv --confidence 1.5
report acc.csv --budgets 0
report odd.csv --score acc
report bestofk.db --by x
serve none.csv --check
serve acc.csv --check --confidence 2
serve acc.csv --check --estimator u
serve acc.csv --no-token --host 0.0.0.0
serve acc.csv --port 99999
demo -o acc.csv
study coverage acc.csv --n 0
study coverage acc.csv --samples 0
study coverage acc.csv --jobs 0
study coverage acc.csv --confidence 2
study coverage acc.csv --resamples 0 --band bootstrap
study coverage acc.csv --budgets 0
study coverage same.csv
study error acc.csv --n 0
study error acc.csv --budgets 50
study error odd.csv --score acc
study underestimates acc.csv --n 0
study wrong-model acc.csv
study wrong-model acc.csv more.csv --budgets 0
study wrong-model acc.csv more.csv --samples 0
study width acc.csv --confidence 0
study attempts none.csv
study attempts acc.csv
study attempts tries.csv --problem task --score ok
study attempts tries.csv --problem task --score ok --by who --failed worst --attempts 0
study attempts --problems 1
study attempts --problems 401 --scope benchmark
study attempts --attempts 4 --k 5
study attempts --attempts 4 --k 3 --scope benchmark
study attempts --attempts 1 --scope benchmark
study attempts --stopped success --scope benchmark
study attempts --stopped success --pick worst
study attempts --samples 0
study attempts --confidence 95
study attempts --jobs 0
study reach --sizes 0,10
study reach --sizes 10,20 --confidence 3
study tuning none.csv --score acc --params C
study tuning cv.csv --score acc --params nope
study tuning cv.csv --score acc --params C --repeats 0
study tuning cv.csv --score acc --params C --repeats 9
bogus
"""
# Right calls of which there is something to remark.
REMARKED = f"""
curve acc.csv --statistic mean --confidence 0.9
compare acc.csv more.csv --statistic mean --format csv
power acc.csv more.csv --trials 5 --budget 50 --statistic mean --resamples 50
repeats again.csv --repeat go --step at
repeats again.csv --repeat go --step at --seed go --format csv
plan-repeats
check odd.csv --score acc
study width acc.csv --samples 5 --jobs 1
report bestofk.db -o r.md
{SEARCH} {ECHO}
"""
# Python's: a call, a keyword with its value, an argument of a function in backticks.
PYTHON = re.compile(
    r"\w+\(\)|\bread\(|\bread_all\(|\w+=[\"']|= to \w|\bNone\b|"
    rf"`(?:{'|'.join(sorted(named_arguments()))})`"
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with one search."""
    folder = tmp_path_factory.mktemp("store")
    (folder / "space.toml").write_text(FILES["space.toml"])
    words = [sys.executable, "-m", "bestofk", *shlex.split(f"{SEARCH} {ECHO}")]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return folder / "bestofk.db"


@pytest.fixture
def somewhere(run, store, tmp_path):
    """A folder with files, and a store with one search."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    shutil.copy(store, tmp_path)
    return run


def lines(text):
    return text.strip().splitlines()


@pytest.mark.parametrize("line", lines(WRONG))
def test_wrong_usage_is_told_in_the_words_of_the_command_line(somewhere, line):
    code, _, err = somewhere(line)
    assert code in (1, 2)
    assert err
    assert not PYTHON.search(err), err
    assert "Traceback" not in err


@pytest.mark.parametrize("line", lines(REMARKED))
def test_remarks_are_in_the_words_of_the_command_line(somewhere, line):
    code, _, err = somewhere(line)
    assert code == 0
    assert not PYTHON.search(err), err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        pytest.param(
            "study coverage acc.csv --statistic mean",
            "a band for the mean needs finite --bounds; got none.",
            id="studies/bands.py",
        ),
        pytest.param(
            "study reach --sizes 10",
            "--sizes must be at least two different numbers of trials; got [10]. bestofk plan says",
            id="studies/sizes.py",
        ),
    ],
)
def test_studies_speak_of_options(somewhere, line, message):
    assert message in somewhere(line)[2]


def test_a_figure_without_matplotlib_is_told_as_an_option(somewhere, monkeypatch):
    for name in [m for m in sys.modules if m.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = somewhere("curve acc.csv --plot x.png")
    assert code == 1
    assert 'pip install "bestofk[show]"' in err
    assert not PYTHON.search(err)


def test_a_wrong_test_metric_is_that_of_its_option(somewhere):
    assert "--test must be one of 'acc'; got 'nope'" in somewhere("curve bestofk.db --test nope")[2]


def test_every_command_is_called_wrongly():
    said = {line.split()[0] for line in lines(WRONG)}
    assert set(test_cli.COMMANDS) <= said
    assert {line.split()[1] for line in lines(WRONG) if line.startswith("study")} == set(
        test_cli.STUDIES
    )


@pytest.mark.parametrize(
    "text",
    ["pass test= to read()", 'failed="worst"', "`budgets` must be", "plan() says", "None where"],
)
def test_python_would_be_seen(text):
    assert PYTHON.search(text)


@pytest.mark.parametrize(
    "text", ["`acc` is not a number ('N/A')", "--failed worst", "5=0.6,20=0.8"]
)
def test_columns_and_options_are_no_python(text):
    assert not PYTHON.search(text)
