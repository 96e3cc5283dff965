"""Training: on expressions, on a model's own correct answers, and of a verifier.

Every step draws its batch from a generator of its own, seeded by the step's number, and the state
is saved now and then: training that was stopped goes on as if it had not been.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import game
import numpy as np
import torch
from model import PADDING, Transformer, encode
from numpy.typing import NDArray
from study import Recipe
from torch import Tensor
from torch.nn import functional

CHUNK = 20_000  # examples from one seed


class OutOfTimeError(Exception):
    """The slice is over; what was done is saved."""


@dataclass(frozen=True)
class Rows:
    """Prompts with answers: codes, where the answer begins, and whether it is right."""

    codes: NDArray[np.uint8]
    begins: NDArray[np.uint8]
    right: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], right: Sequence[bool] | None = None) -> Rows:
        """Return the rows of some prompts and answers."""
        pairs = list(pairs)
        codes = [
            encode(f"{prompt}{answer}\n"[: game.LONGEST], game.LONGEST) for prompt, answer in pairs
        ]
        return cls(
            np.array(codes, dtype=np.uint8).reshape(-1, game.LONGEST),
            np.array([len(prompt) for prompt, _ in pairs], dtype=np.uint8),
            np.ones(len(pairs), dtype=bool) if right is None else np.array(right, dtype=bool),
        )


def expressions(seed: int, n: int = CHUNK) -> Rows:
    """Draw training problems, each with one answer."""
    rng = random.Random(seed)
    drawn = (game.draw(rng, "training") for _ in range(n))
    return Rows.of((problem.prompt, answer) for problem, answer in drawn)


def training_set(seed: int, chunks: int, workers: int | None = None) -> Rows:
    """Draw many training problems in several processes; the seeds alone decide which."""
    seeds = range(seed, seed + chunks)
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("fork")) as pool:
        parts = list(pool.map(expressions, seeds))
    return Rows(
        *(np.concatenate([getattr(p, f) for p in parts]) for f in ("codes", "begins", "right"))
    )


def next_letter_loss(model: Transformer, codes: Tensor, begins: Tensor, right: Tensor) -> Tensor:
    """Return the mean loss of the answers' letters; the prompt's are not learned."""
    scores = model(codes[:, :-1])
    aims = codes[:, 1:].clone()
    place = torch.arange(aims.shape[1], device=codes.device)
    aims[(place < begins[:, None] - 1) | (aims == PADDING)] = -100
    return functional.cross_entropy(scores.float().flatten(0, 1), aims.flatten())


def verdict_of(model: Transformer, codes: Tensor) -> Tensor:
    """Return the verifier's number for each row: what it says at the last letter."""
    last = (codes != PADDING).sum(1) - 1
    return model(codes)[torch.arange(len(codes), device=codes.device), last, 0].float()


def verdict_loss(model: Transformer, codes: Tensor, begins: Tensor, right: Tensor) -> Tensor:
    """Return the loss of the verifier's verdicts."""
    said = verdict_of(model, codes)
    return functional.binary_cross_entropy_with_logits(said, right.float())


def train(
    model: Transformer,
    rows: Rows,
    recipe: Recipe,
    state: Path,
    *,
    loss: Callable[..., Tensor] = next_letter_loss,
    stop: float = float("inf"),
    say: Callable[[str], None] = print,
) -> None:
    """Train a model in place, from the saved state if there is one; round its weights to 16 bits.

    Raises
    ------
    OutOfTimeError
        If the clock passes `stop`; the state is saved.
    """
    device = next(model.parameters()).device
    kept = [torch.as_tensor(x, device=device) for x in (rows.codes, rows.begins, rows.right)]
    adam = torch.optim.AdamW(model.parameters(), recipe.rate, weight_decay=0.01)
    begin = 0
    if state.exists():
        saved = torch.load(state, map_location=device)
        model.load_state_dict(saved["model"])
        adam.load_state_dict(saved["adam"])
        begin = saved["step"]
    started, smooth = time.time(), float("nan")
    model.train()
    for step in range(begin, recipe.steps):
        if step % 100 == 0 and time.time() > stop:
            save(state, {"model": model.state_dict(), "adam": adam.state_dict(), "step": step})
            raise OutOfTimeError(f"{state.name}: {step} of {recipe.steps} steps")
        share = min(1, (step + 1) / recipe.warmup) * max(0.02, 1 - step / recipe.steps)
        for group in adam.param_groups:
            group["lr"] = recipe.rate * share
        drawn = np.random.default_rng([recipe.seed, step]).integers(
            len(rows.codes), size=recipe.batch
        )
        at = torch.as_tensor(drawn, device=device)
        codes, begins, right = (x[at] for x in kept)
        with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
            found = loss(model, codes.long(), begins.long(), right)
        adam.zero_grad(set_to_none=True)
        found.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
        if step % 500 == 0 or step == recipe.steps - 1:
            smooth = found.item()
            each = 1000 * (time.time() - started) / max(step - begin, 1)
            say(f"  step {step}: loss {smooth:.4f}, {each:.1f} ms a step")
    model.eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.copy_(weights.half().float())


def save(path: Path, what: dict[str, Any]) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    torch.save(what, part)
    part.replace(path)


def repeatable() -> None:
    """Make PyTorch add in the same order each time."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.backends.cuda.matmul.allow_tf32 = False


def new_model(make: Callable[[], Transformer], seed: int, device: str) -> Transformer:
    """Return a model with weights drawn from a seed, the same ones on every device."""
    torch.manual_seed(seed)
    return make().to(device)
