"""Answers of models: sampled, checked, and given a reward."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import game
import numpy as np
import torch
from game import Problem
from model import PADDING, Transformer, sample
from numpy.typing import NDArray
from torch.nn import functional
from train import Rows, verdict_of

_ROWS = 8192  # at a time


def attempts_at(
    model: Transformer, problem: Problem, uniform: NDArray[np.float32], temperature: float
) -> list[str]:
    """Return one answer for each row of uniform numbers."""
    return sample(model, [problem.prompt] * len(uniform), uniform, temperature)


def answered(
    model: Transformer, problems: Sequence[Problem], n: int, seed: Sequence[int]
) -> list[tuple[Problem, str]]:
    """Return n answers to each of many problems, at temperature 1: those of one length together."""
    by_length: dict[int, list[Problem]] = defaultdict(list)
    for problem in problems:
        by_length[len(problem.prompt)] += [problem] * n
    rng = np.random.default_rng([*seed])
    found: list[tuple[Problem, str]] = []
    for length in sorted(by_length):
        for begin in range(0, len(by_length[length]), _ROWS):
            these = by_length[length][begin : begin + _ROWS]
            uniform = rng.random((len(these), game.LONGEST_ANSWER), dtype=np.float32)
            texts = sample(model, [problem.prompt for problem in these], uniform, 1.0)
            found += zip(these, texts, strict=True)
    return found


@torch.no_grad()
def likelihoods(model: Transformer, problem: Problem, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the mean log-probability of the letters of each answer, at temperature 1."""
    rows = Rows.of((problem.prompt, text) for text in texts)
    device = next(model.parameters()).device
    codes = torch.as_tensor(rows.codes, device=device).long()
    begin = len(problem.prompt)
    letters = functional.log_softmax(model(codes[:, :-1]).float()[:, begin - 1 :], -1)
    aims = codes[:, begin:]
    written = aims != PADDING
    each = letters.gather(-1, aims[..., None])[..., 0].masked_fill(~written, 0).sum(1)
    return (each / written.sum(1)).cpu().numpy()


@torch.no_grad()
def verdicts(verifier: Transformer, problem: Problem, texts: Sequence[str]) -> NDArray[np.float32]:
    """Return what the verifier says of each answer: log-odds that it is right."""
    rows = Rows.of((problem.prompt, text) for text in texts)
    device = next(verifier.parameters()).device
    return verdict_of(verifier, torch.as_tensor(rows.codes, device=device).long()).cpu().numpy()
