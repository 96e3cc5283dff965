"""One trial: train a model with given hyperparameters, score it by its best epoch."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cache
from typing import Any

import models
import torch
from data import Corpus, load
from torch import Tensor, nn
from torch.nn import functional

_EVALUATION_BATCH = 1105  # half the test set; as large as memory allows is fastest


class Data:
    """The corpus on a device."""

    def __init__(self, corpus: Corpus, device: str) -> None:
        self.device = torch.device(device)
        self.vectors = corpus.vectors
        self.splits = {
            name: (
                torch.from_numpy(corpus.tokens[name]).to(self.device),
                torch.from_numpy(corpus.labels[name]).to(self.device),
            )
            for name in corpus.tokens
        }


def one_of_many() -> None:
    """Set PyTorch up for a process that shares the machine with others like it."""
    torch.set_num_threads(1)
    torch.set_float32_matmul_precision("high")  # TF32 on a GPU


def build(model: str, params: Mapping[str, Any], data: Data) -> nn.Module:
    """Return a model with fresh parameters; they are drawn on the CPU, alike on any device."""
    if model == "cnn":
        return models.CNN(
            data.vectors,
            num_filters=params["num_filters"],
            max_filter_size=params["max_filter_size"],
            dropout=params["dropout"],
        ).to(data.device)
    if model == "lboe":
        return models.BagOfEmbeddings(data.vectors, dropout=params["dropout"]).to(data.device)
    raise ValueError(f"`model` must be 'cnn' or 'lboe'; got {model!r}.")


def objective(params: Mapping[str, Any], trial: Any, *, model: str, data: Data) -> dict[str, float]:
    """Train and return the metrics of a trial.

    `trial.seed` alone decides initial parameters, order of the sentences and dropout.  The score is
    the best validation accuracy of an epoch; the test accuracy is that of the same epoch.

    Raises
    ------
    FloatingPointError
        If the training diverges, which is a failure of these hyperparameters.
    """
    start = time.perf_counter()
    torch.manual_seed(trial.seed)
    order = torch.Generator().manual_seed(trial.seed)
    net = build(model, params, data)
    adam = torch.optim.Adam(net.parameters(), lr=params["learning_rate"], fused=True)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(
        adam,
        mode=params.get("plateau_mode", "max"),
        factor=params["plateau_factor"],
        patience=params["plateau_patience"],
    )
    best = {"accuracy": -1.0, "test_accuracy": 0.0, "best_epoch": 0}
    for epoch in range(1, params["epochs"] + 1):
        train_epoch(net, adam, data, order, params["batch_size"])
        accuracy = evaluate(net, data, "dev")
        if accuracy is None:
            raise FloatingPointError(f"diverged in epoch {epoch}: the logits are not finite")
        if accuracy > best["accuracy"]:
            test = evaluate(net, data, "test")
            if test is None:
                raise FloatingPointError(f"diverged in epoch {epoch}: the logits are not finite")
            best = {"accuracy": accuracy, "test_accuracy": test, "best_epoch": epoch}
        elif epoch - best["best_epoch"] >= params["patience"]:
            break
        plateau.step(accuracy)
    return {**best, "epochs": epoch, "seconds": time.perf_counter() - start}


def objective_in(
    params: Mapping[str, Any],
    trial: Any,
    *,
    model: str,
    folder: str,
    device: str,
    limit: int | None = None,
) -> dict[str, float]:
    """Do the same with the data in a folder, read once in each process."""
    return objective(params, trial, model=model, data=_data(folder, device, limit))


@cache
def _data(folder: str, device: str, limit: int | None) -> Data:
    one_of_many()
    return Data(load(folder, limit=limit), device)


def train_epoch(
    net: nn.Module, adam: torch.optim.Optimizer, data: Data, order: torch.Generator, batch: int
) -> None:
    """Go once through the training sentences in a fresh order; the device is never waited for."""
    net.train()
    tokens, labels = data.splits["train"]
    shuffled = torch.randperm(len(labels), generator=order).to(data.device)
    tokens, labels = tokens[shuffled], labels[shuffled]
    for x, y in zip(tokens.split(batch), labels.split(batch), strict=True):
        loss = functional.cross_entropy(net(x), y)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        adam.step()


@torch.no_grad()
def evaluate(net: nn.Module, data: Data, split: str) -> float | None:
    """Return the accuracy on a split, None if the logits are not finite."""
    net.eval()
    tokens, labels = data.splits[split]
    correct: list[Tensor] = []
    finite: list[Tensor] = []
    for x, y in zip(tokens.split(_EVALUATION_BATCH), labels.split(_EVALUATION_BATCH), strict=True):
        logits = net(x)
        correct.append((logits.argmax(dim=1) == y).sum())
        finite.append(torch.isfinite(logits).all())
    n_correct, all_finite = torch.stack([sum(correct), torch.stack(finite).all().long()]).tolist()
    return n_correct / len(labels) if all_finite else None
