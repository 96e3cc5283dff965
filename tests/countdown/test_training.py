"""Training, sampling and recording on a CPU, with models of a few thousand weights."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest


@pytest.fixture
def tiny(trained, monkeypatch):
    """The study with models that are trained in a moment."""
    study, recipe = trained.study, trained.study.Recipe
    monkeypatch.setattr(trained.train, "training_set", lambda *_: trained.train.expressions(1, 256))
    monkeypatch.setattr(trained.run, "training_set", lambda *_: trained.train.expressions(1, 256))
    sizes = {"small": study.Size(16, 1, 2), "large": study.Size(24, 2, 2)}
    monkeypatch.setattr(study, "SIZES", sizes)
    monkeypatch.setattr(study, "VERIFIER", study.Size(16, 1, 2))
    short = recipe(steps=12, rate=1e-3, seed=1, batch=16, warmup=2)
    monkeypatch.setattr(study, "RECIPES", dict.fromkeys(sizes, short))
    monkeypatch.setattr(study, "VERIFIER_RECIPE", short)
    monkeypatch.setattr(study, "VERIFIER_PROBLEMS", 8)
    tunings = {
        name: replace(tuning, rounds=2, problems=4, attempts=2, recipe=short)
        for name, tuning in study.TUNINGS.items()
    }
    monkeypatch.setattr(study, "TUNINGS", tunings)
    return trained


def weights(model):
    return np.concatenate([p.detach().numpy().ravel() for p in model.parameters()])


def test_training_that_is_stopped_goes_on_as_if_it_had_not_been(trained, tmp_path, monkeypatch):
    train, study = trained.train, trained.study
    rows = train.expressions(1, 64)
    recipe = study.Recipe(steps=201, rate=1e-3, seed=3, batch=4, warmup=2)

    def fresh():
        size = study.Size(8, 1, 2)
        return train.new_model(lambda: trained.model.Transformer(size), 5, "cpu")

    whole = fresh()
    train.train(whole, rows, recipe, tmp_path / "whole", say=lambda _: None)
    part = fresh()
    clock = iter([0.0, 0.0, 0.0, 2.0])  # the time is up at step 100
    monkeypatch.setattr(train.time, "time", lambda: next(clock, 2.0))
    with pytest.raises(train.OutOfTimeError):
        train.train(part, rows, recipe, tmp_path / "part", stop=1.0, say=lambda _: None)
    monkeypatch.undo()
    again = fresh()
    assert not np.array_equal(weights(again), weights(part))
    train.train(again, rows, recipe, tmp_path / "part", say=lambda _: None)
    assert np.array_equal(weights(again), weights(whole))
    train.train(part, rows, recipe, tmp_path / "none", say=lambda _: None)  # from step 0 again
    assert not np.array_equal(weights(part), weights(whole))


def test_an_attempt_is_the_same_alone_and_among_others(trained):
    model = trained.train.new_model(
        lambda: trained.model.Transformer(trained.study.Size(16, 2, 2)), 5, "cpu"
    ).eval()
    problem = trained.study.problems("pilot", 1)[0]
    uniform = np.random.default_rng(1).random((32, 26), dtype=np.float32)
    together = trained.answers.attempts_at(model, problem, uniform, 1.0)
    alone = [trained.answers.attempts_at(model, problem, row[None], 1.0)[0] for row in uniform]
    assert together == alone
    assert len(set(together)) > 1


def test_what_is_remembered_is_what_would_be_read_again(trained):
    """The memory of keys and values against reading the whole text at every letter."""
    torch, model = trained.torch, trained.model
    net = trained.train.new_model(
        lambda: model.Transformer(trained.study.Size(16, 2, 2)), 6, "cpu"
    ).eval()
    codes = torch.tensor([model.encode("3,7,12=33 (7*3)+12")])
    memory = model.Memory(net.size, 1, torch.device("cpu"))
    with torch.no_grad():
        steps = [net(codes[:, :10], memory)[:, -1]]
        steps += [net(codes[:, i : i + 1], memory)[:, -1] for i in range(10, codes.shape[1])]
        whole = net(codes)[0, 9:]
    torch.testing.assert_close(torch.cat(steps), whole, rtol=1e-4, atol=1e-5)


def test_letters_are_drawn_with_the_chances_of_the_model(trained):
    torch, model = trained.torch, trained.model

    class Fixed(torch.nn.Module):
        size = trained.study.Size(2, 1, 1)

        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, codes, memory):
            scores = torch.full((len(codes), codes.shape[1], len(model.LETTERS)), -torch.inf)
            scores[:, :, 1], scores[:, :, 2] = np.log(0.8), np.log(0.2)
            return scores

    uniform = np.random.default_rng(2).random((4000, 26), dtype=np.float32)
    for temperature, chance in ((1.0, 0.8), (0.5, 0.8**2 / (0.8**2 + 0.2**2))):
        texts = model.sample(Fixed(), ["3,7,12=33 "] * 4000, uniform, temperature)
        ones = np.mean([text[0] == "1" for text in texts])
        assert abs(ones - chance) < 5 * np.sqrt(chance * (1 - chance) / 4000)


def test_the_likelihood_is_that_of_the_letters_and_the_line_break(trained):
    torch, model = trained.torch, trained.model
    net = trained.train.new_model(
        lambda: model.Transformer(trained.study.Size(16, 1, 2)), 7, "cpu"
    ).eval()
    problem = trained.game.Problem((3, 7, 12), 33)
    got = trained.answers.likelihoods(net, problem, ["7*3+12", "33"])
    for text, each in zip(["7*3+12", "33"], got, strict=True):
        codes = model.encode(problem.prompt + text + "\n")
        with torch.no_grad():
            log = net(torch.tensor([codes])).log_softmax(-1)[0]
        begin = len(problem.prompt)
        naive = np.mean([float(log[i - 1, codes[i]]) for i in range(begin, len(codes))])
        assert each == pytest.approx(naive, rel=1e-4)


def test_the_prompt_is_not_learned(trained):
    """The loss of two rows that differ only in what stands after the line break is the same."""
    train = trained.train
    rows = train.Rows.of([("3,7,12=33 ", "7*3+12")])
    assert rows.begins.tolist() == [len("3,7,12=33 ")]
    assert train.expressions(9, 20).codes.shape == (20, trained.game.LONGEST)
    drawn = [trained.game.draw(random.Random(9), "training")]
    first = train.Rows.of((p.prompt, a) for p, a in drawn)
    assert (train.expressions(9, 20).codes[0] == first.codes[0]).all()


def test_from_training_to_the_packed_record(tiny, tmp_path, monkeypatch, capsys):
    work, out = tmp_path / "work", tmp_path / "countdown.npz"
    slice_ = ["slice", "--work", str(work), "--problems", "3", "--attempts", "8", "--device", "cpu"]
    tiny.run.main(slice_)
    said = capsys.readouterr().out
    assert "large-tuned at 0.6: 3 problems" in said
    before = {path.name: path.read_bytes() for path in work.glob("*.npz")}
    assert len(before) == len(tiny.study.ARMS)
    (work / "small-1.0.npz").unlink()
    tiny.run.main(slice_)  # what is missing, from the weights that are there
    assert {path.name: path.read_bytes() for path in work.glob("*.npz")} == before
    monkeypatch.setattr(tiny.record, "__file__", str(tmp_path / "record.py"))
    tiny.run.main(["collect", "--work", str(work), "--out", str(out)])
    with np.load(out) as packed:
        assert packed["success"].shape == (8, 3, 1)
        assert packed["tokens"].shape == (8, 3, 8)
        arm = tiny.record.read_arm(work / "large-0.6.npz")
        step = 1 / 8
        assert np.allclose(packed["verifier"][3] * step - 16, arm.each("verdict"), atol=step)
        right = np.unpackbits(packed["success"][3], axis=-1, count=8)
        assert (right == arm.each("right")).all()
        problem = tiny.game.Problem.of_name(str(packed["problems"][1]))
        texts = [arm.texts[1][i] for i in arm.which[1]]
        assert packed["tokens"][3, 1].tolist() == [
            tiny.model.tokens_of(problem.prompt, text) for text in texts
        ]
    assert (tmp_path / "cells.csv").read_text().count("\n") == 1 + 8 * 24


def test_recorded_cells_come_out_again(trained, capsys):
    """From the weights of the small model, which are kept beside the example."""
    trained.rerun.main(["small", "--cells", "10", "--device", "cpu"])
    assert capsys.readouterr().out.strip().endswith("10 of 10 as recorded")
