"""The recorded search on SST-5 is what examples/sst5 draws, and the tutorial tells what it says."""

from __future__ import annotations

import csv
import re
import tomllib

import numpy as np
import pytest

import bestofk as bk
from tests.conftest import ROOT
from tests.test_docs import blocks

TUTORIAL = ROOT / "docs" / "tutorial-sst5.md"
MODELS = ("cnn", "lboe")
FEWEST_TRIALS = 256


@pytest.mark.parametrize("model", MODELS)
def test_recorded_parameters_are_the_draws_of_their_numbers(run, model):
    search, space = bk.datasets.load_sst5()[model], run.space_of(model)
    assert search.n >= FEWEST_TRIALS
    assert search.numbers.tolist() == list(range(search.n))
    for trial in search.trials:
        drawn = run.trial_params(space, run.SEEDS[model], trial.number)
        assert trial.params == {name: drawn[name] for name in run.drawn(model)}


@pytest.mark.parametrize("model", MODELS)
def test_recorded_scores_are_counts_of_right_answers(model):
    search = bk.datasets.load_sst5()[model]
    complete = [t for t in search.trials if t.state == "complete"]
    assert {t.state for t in search.trials} <= {"complete", "failed"}
    for trial in complete:
        for metric, n in (("accuracy", 1101), ("test_accuracy", 2210)):
            right = trial.metrics[metric] * n
            assert right == pytest.approx(round(right), abs=6e-7 * n)  # six decimals in the file
        assert 1 <= trial.metrics["best_epoch"] <= trial.metrics["epochs"] <= 50
        early = trial.metrics["epochs"] < 50
        assert not early or trial.metrics["epochs"] - trial.metrics["best_epoch"] == 10
        assert trial.cost > 0


def test_models_share_no_random_numbers(run):
    """With one seed for both, trial i of the two would be drawn from the same uniforms."""
    assert run.SEEDS["cnn"] != run.SEEDS["lboe"]
    cnn, lboe = (np.log(bk.datasets.load_sst5()[m].params["learning_rate"]) for m in MODELS)
    n = min(len(cnn), len(lboe))
    assert abs(np.corrcoef(cnn[:n], lboe[:n])[0, 1]) < 5 / np.sqrt(n)


@pytest.mark.parametrize("model", MODELS)
def test_nothing_speaks_against_independent_draws(model):
    search = bk.datasets.load_sst5()[model]
    assert search.sampling == "iid"
    assert bk.check_iid(search).passed


def test_spaces_are_those_of_the_paper(run):
    """Dodge et al. (2021), Tables 2 and 3."""
    shared = {
        "dropout": {"kind": "uniform", "low": 0.0, "high": 0.5},
        "learning_rate": {"kind": "loguniform", "low": 1e-6, "high": 1e-1},
        **{
            name: {"kind": "constant", "value": value}
            for name, value in [
                *(("batch_size", 64), ("epochs", 50), ("patience", 10)),
                *(("plateau_patience", 2), ("plateau_factor", 0.5)),
            ]
        },
    }
    own = {
        "num_filters": {"kind": "integer", "low": 64, "high": 512},
        "max_filter_size": {"kind": "integer", "low": 1, "high": 9},
    }
    assert run.space_of("lboe").spec() == shared
    assert run.space_of("cnn").spec() == own | shared


def test_the_tutorial_shows_the_space_of_the_cnn(run):
    space = blocks(TUTORIAL, "toml")
    assert len(space) == 1
    assert bk.space.Space(tomllib.loads(space[0])) == run.space_of("cnn")


def test_numbers_in_the_tutorial_are_computed_or_the_papers():
    """What the prose says stands in a block, whose output another test computes again."""
    text = TUTORIAL.read_text()
    number = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?(?:e-\d+)?(?!\w)")
    fences = re.compile(r"^```.*?^```$", flags=re.M | re.S)
    shown = {n.replace(",", "") for b in fences.findall(text) for n in number.findall(b)}
    shown |= {f"{100 * float(n):g}" for n in shown if float(n) < 1}  # 0.975 is 97.5 %
    prose = re.sub(r"\]\([^)]*\)|(Figure|Table|section) \d", "", fences.sub("", text))
    said = {n.strip(",").replace(",", "") for n in number.findall(prose)}
    given = {"2014", "2021", "2024", "41.3", "42.7", "1101"}  # years, the paper's best, its corpus
    assert said - shown - given == set()
    assert len(said & shown) > 10


def test_the_readme_tells_what_other_vectors_did():
    """Each row of its table: the median of the best of ten, of trials 0 to 54."""
    text = (ROOT / "src/bestofk/datasets/README.md").read_text()
    with (ROOT / "examples/sst5/variations.csv").open() as file:
        rows = list(csv.DictReader(file))
    table = text.split("| trials 0 to 54 with")[1].split("\n\n")[0].splitlines()[2:]
    told = [[cell.strip() for cell in line.split("|")[3:5]] for line in table]
    best = {}
    for variation in ("recorded", "film-of-glove-words", "glove", "downward plateau"):
        found = []
        for model in MODELS:
            scores = bk.datasets.load_sst5()[model].scores().values[:55].tolist()
            if variation != "recorded":
                ours = [r for r in rows if (r["variation"], r["model"]) == (variation, model)]
                assert [int(r["number"]) for r in ours[:55]] == list(range(55))
                assert {r["state"] for r in ours} == {"complete"}
                scores = [float(r["accuracy"]) for r in ours[:55]]
            found.append(100 * bk.tuning_curve(scores, budgets=[10]).at(10))
        best[variation] = found
    assert told == [[f"{value:.1f} %" for value in found] for found in best.values()]
    costs = [a - b for a, b in zip(best["film-of-glove-words"], best["glove"], strict=True)]
    assert "GloVe's vectors cost the CNN {:.1f} points and the LBoE {:.1f}".format(*costs) in text
    of_100 = [
        100 * bk.tuning_curve(s, budgets=[100]).at(100) for s in bk.datasets.load_sst5().values()
    ]
    assert "is {:.1f} % CNN and\n{:.1f} % LBoE in the median".format(*of_100) in text
    expected = [a - b for a, b in zip(of_100, costs, strict=True)]
    assert "would be near {:.1f} % and {:.1f} %".format(*expected) in text
