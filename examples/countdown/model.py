"""A small transformer that reads and writes characters, and remembers what it has read."""

from __future__ import annotations

from collections.abc import Sequence

import game
import numpy as np
import torch
from numpy.typing import NDArray
from study import Size
from torch import Tensor, nn
from torch.nn import functional

LETTERS = "0123456789+-*()=, \n#"
END, PADDING = LETTERS.index("\n"), LETTERS.index("#")
_CODES = {letter: code for code, letter in enumerate(LETTERS)}


def encode(text: str, length: int | None = None) -> list[int]:
    """Return the codes of a text, padded to a length."""
    codes = [_CODES[letter] for letter in text]
    return codes + [PADDING] * ((length or 0) - len(codes))


def decode(codes: Sequence[int]) -> str:
    """Return the text of some codes, up to its line break."""
    return "".join(LETTERS[code] for code in codes).partition("\n")[0]


class Memory:
    """Keys and values of what a model has read so far, for every layer."""

    def __init__(self, size: Size, rows: int, device: torch.device) -> None:
        shape = (size.layers, 2, rows, size.heads, game.LONGEST, size.width // size.heads)
        self.kept = torch.zeros(shape, device=device)
        self.at = 0


class Block(nn.Module):
    """Attention to what stands before, then a network of one hidden layer."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.heads = size.heads
        self.norms = nn.ModuleList(nn.LayerNorm(size.width) for _ in range(2))
        self.looked_for = nn.Linear(size.width, 3 * size.width)
        self.found = nn.Linear(size.width, size.width)
        self.hidden = nn.Sequential(
            nn.Linear(size.width, 4 * size.width), nn.GELU(), nn.Linear(4 * size.width, size.width)
        )

    def forward(self, x: Tensor, kept: Tensor | None = None, at: int = 0) -> Tensor:
        """Go through the block; with `kept`, x stands at position `at` and later."""
        rows, length, width = x.shape
        parts = self.looked_for(self.norms[0](x)).view(rows, length, 3, self.heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        if kept is not None:
            kept[0, :, :, at : at + length], kept[1, :, :, at : at + length] = key, value
            key, value = kept[:, :, :, : at + length]
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=length > 1)
        x = x + self.found(seen.transpose(1, 2).reshape(rows, length, width))
        return x + self.hidden(self.norms[1](x))


class Transformer(nn.Module):
    """Scores of the next character at every position (or, with `outputs=1`, one number)."""

    def __init__(self, size: Size, outputs: int = len(LETTERS)) -> None:
        super().__init__()
        self.size = size
        self.letters = nn.Embedding(len(LETTERS), size.width)
        self.places = nn.Embedding(game.LONGEST, size.width)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.layers))
        self.norm = nn.LayerNorm(size.width)
        self.out = nn.Linear(size.width, outputs)

    def forward(self, codes: Tensor, memory: Memory | None = None) -> Tensor:
        """Read codes; with a memory, they follow what was read before (all at once or one)."""
        at = 0 if memory is None else memory.at
        places = torch.arange(at, at + codes.shape[1], device=codes.device)
        x = self.letters(codes) + self.places(places)
        for i, block in enumerate(self.blocks):
            x = block(x, None if memory is None else memory.kept[i], at)
        if memory is not None:
            memory.at += codes.shape[1]
        return self.out(self.norm(x))


@torch.no_grad()
def sample(
    model: Transformer, prompts: Sequence[str], chances: NDArray[np.float32], temperature: float
) -> list[str]:
    """Return one answer for each prompt; all prompts have the same length.

    `chances` holds a uniform number for each prompt and letter, and nothing else is random: a row
    gives the same answer alone and among others, up to the rounding of sums in another order.
    """
    device = next(model.parameters()).device
    codes = torch.tensor([encode(prompt) for prompt in prompts], device=device)
    uniform = torch.as_tensor(chances, device=device)
    memory = Memory(model.size, len(prompts), device)
    sums = torch.ones(len(LETTERS), len(LETTERS), device=device).triu()
    written: list[Tensor] = []
    ended = torch.zeros(len(prompts), dtype=torch.bool, device=device)
    room = min(game.LONGEST - codes.shape[1], game.LONGEST_ANSWER)
    for step in range(room):
        scores = model(codes, memory)[:, -1].float() / temperature
        scores[:, PADDING] = -torch.inf
        total = scores.softmax(-1) @ sums  # not cumsum: on a GPU its order of adding varies
        beyond = total <= uniform[:, step, None] * total[:, -1:]
        codes = beyond.sum(-1, keepdim=True).clamp(max=len(LETTERS) - 1)
        written.append(codes)
        ended |= codes[:, 0] == END
        if step % 4 == 3 and bool(ended.all()):
            break
    return [decode(row) for row in torch.cat(written, 1).tolist()]


def tokens_of(prompt: str, answer: str) -> int:
    """Return how many letters were written: those of the answer, and its line break if it fits."""
    return min(len(answer) + 1, game.LONGEST_ANSWER, game.LONGEST - len(prompt))
