"""The record of the attempts: every answer of each arm, and the packed file of all arms."""

from __future__ import annotations

import csv
import json
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from game import Problem
from model import tokens_of
from numpy.typing import ArrayLike, NDArray

CELLS = 100  # of each arm, whose answers are written to cells.csv


class Arm:
    """Attempts of one model at one temperature."""

    def __init__(self, model: str, temperature: float) -> None:
        self.model, self.temperature = model, temperature
        self.problems: list[str] = []
        self.which: list[NDArray[np.uint16]] = []  # attempt -> different answer of the problem
        self.texts: list[list[str]] = []
        self.facts: dict[str, list[NDArray[Any]]] = {"right": [], "likelihood": [], "verdict": []}

    def add(self, problem: Problem, texts: Sequence[str], **facts: ArrayLike) -> None:
        """Add the attempts at a problem; facts are about each different answer, in order."""
        different = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        self.problems.append(problem.name)
        self.which.append(np.array([different[text] for text in texts], dtype=np.uint16))
        self.texts.append(list(different))
        for name, values in facts.items():
            self.facts[name].append(np.asarray(values))

    def each(self, name: str) -> NDArray[Any]:
        """Return a fact of every attempt, one row a problem."""
        pairs = zip(self.facts[name], self.which, strict=True)
        return np.stack([facts[which] for facts, which in pairs])

    def tokens(self) -> NDArray[np.uint8]:
        """Return how many letters each attempt wrote."""
        rows = []
        for name, texts, which in zip(self.problems, self.texts, self.which, strict=True):
            prompt = Problem.of_name(name).prompt
            rows.append(np.array([tokens_of(prompt, text) for text in texts])[which])
        return np.stack(rows).astype(np.uint8)

    def words(self) -> str:
        """Say how many attempts are right."""
        right = self.each("right")
        ever = right.any(1).mean()
        return (
            f"{len(right)} problems, {right.mean():.3f} of attempts right, {ever:.3f} ever solved"
        )


def write_arm(path: Path, arm: Arm) -> None:
    """Write an arm whole or not at all."""
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez_compressed(
            file,
            problems=np.array(arm.problems),
            which=np.stack(arm.which),
            texts=np.frombuffer("\n".join("|".join(t) for t in arm.texts).encode(), np.uint8),
            right=np.packbits(np.concatenate(arm.facts["right"]).astype(bool)),
            likelihood=np.concatenate(arm.facts["likelihood"]).astype(np.float16),
            verdict=np.concatenate(arm.facts["verdict"]).astype(np.float16),
        )
    part.replace(path)


def read_arm(path: Path) -> Arm:
    """Read an arm that was written."""
    model, _, temperature = path.stem.rpartition("-")
    arm = Arm(model, float(temperature))
    with np.load(path) as kept:
        arm.problems = kept["problems"].tolist()
        arm.which = list(kept["which"])
        arm.texts = [line.split("|") for line in kept["texts"].tobytes().decode().split("\n")]
        ends = np.cumsum([len(texts) for texts in arm.texts])
        right = np.unpackbits(kept["right"], count=int(ends[-1])).astype(bool)
        facts = {"right": right, "likelihood": kept["likelihood"], "verdict": kept["verdict"]}
        arm.facts = {name: np.split(each, ends[:-1]) for name, each in facts.items()}
    return arm


def collect(work: Path, out: Path, arms: Sequence[tuple[str, float]]) -> None:
    """Write the packed record of all arms, and the answers of some cells beside this file."""
    read = [read_arm(work / f"{model}-{temperature}.npz") for model, temperature in arms]
    if len({tuple(arm.problems) for arm in read}) > 1:
        raise SystemExit(f"{work}: all arms must be of the same problems.")
    np.savez_compressed(
        out,
        arms=np.array([f"{model} {temperature}" for model, temperature in arms]),
        problems=np.array(read[0].problems),
        success=np.packbits(np.stack([arm.each("right") for arm in read]), axis=-1),
        tokens=np.stack([arm.tokens() for arm in read]),
        verifier=packed_verdicts(np.stack([arm.each("verdict") for arm in read])),
        likelihood=packed_likelihoods(np.stack([arm.each("likelihood") for arm in read])),
    )
    rng = np.random.default_rng(0)
    with Path(__file__).with_name("cells.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["model", "temperature", "problem", "attempt", "answer", "right"])
        for arm in read:
            n, m = np.stack(arm.which).shape
            for cell in sorted(rng.choice(n * m, min(CELLS, n * m), replace=False).tolist()):
                problem, attempt = divmod(cell, m)
                text = arm.texts[problem][arm.which[problem][attempt]]
                right = int(arm.facts["right"][problem][arm.which[problem][attempt]])
                rows.writerow(
                    [arm.model, arm.temperature, arm.problems[problem], attempt, text, right]
                )


def packed_verdicts(values: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return log-odds in steps of an eighth, from -16 to 15.875."""
    return np.clip(np.round((values.astype(float) + 16) * 8), 0, 255).astype(np.uint8)


def packed_likelihoods(values: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return mean log-probabilities from -5.1 to 0, in steps that are finer near 0."""
    share = np.clip(-values.astype(float) / 5.1, 0, 1)
    return np.round(255 * (1 - np.sqrt(share))).astype(np.uint8)


def write_machine(work: Path, device: str) -> None:
    """Write what this runs on beside the record."""
    import torch

    work.mkdir(parents=True, exist_ok=True)
    about = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "device": torch.cuda.get_device_name() if device == "cuda" else device,
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with (work / "machine.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(about) + "\n")
