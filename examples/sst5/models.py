"""The two classifiers of Dodge et al. (2021), section 4, as AllenNLP built them at the time.

Both: words in lower case, 50-dimensional vectors that are trained further (as in the authors'
published configuration, which froze none), dropout on the sentence's vector, one linear layer.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from data import N_LABELS
from torch import Tensor, nn
from torch.nn import functional


def embedding(vectors: np.ndarray) -> nn.Embedding:
    """Return trainable word vectors; a word without one draws from a normal like the others."""
    table = torch.from_numpy(vectors).clone()
    known = ~torch.isnan(table).any(dim=1)
    known[0] = False  # the padding
    mean, std = table[known].mean(), table[known].std()
    missing = torch.isnan(table)
    table[missing] = torch.randn(int(missing.sum())) * std + mean
    return nn.Embedding.from_pretrained(table, freeze=False, padding_idx=0)


class BagOfEmbeddings(nn.Module):
    """LBoE: a linear layer on the sum of a sentence's word vectors."""

    def __init__(self, vectors: np.ndarray, *, dropout: float) -> None:
        super().__init__()
        self.embedding = embedding(vectors)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(vectors.shape[1], N_LABELS)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of a batch of padded sentences."""
        return self.output(self.dropout(self.embedding(tokens).sum(dim=1)))


class CNN(nn.Module):
    """Kim (2014): `num_filters` filters of each width 1, ..., `max_filter_size`; max over time.

    The filters of all widths are one matrix, zero where a filter is narrower than the widest, so
    that a step is one product of windows and filters rather than nine convolutions.  A test holds
    it against `nn.Conv1d`.
    """

    def __init__(
        self, vectors: np.ndarray, *, num_filters: int, max_filter_size: int, dropout: float
    ) -> None:
        super().__init__()
        n_dimensions, widest = vectors.shape[1], max_filter_size
        self.embedding = embedding(vectors)
        self.widest = widest
        weight = torch.zeros(widest, num_filters, widest, n_dimensions)
        bias = torch.empty(widest, num_filters)
        covered = torch.zeros(widest, 1, widest, 1)
        for i, width in enumerate(range(1, widest + 1)):  # initialised as nn.Conv1d
            bound = 1 / math.sqrt(n_dimensions * width)
            weight[i, :, :width].uniform_(-bound, bound)
            bias[i].uniform_(-bound, bound)
            covered[i, :, :width] = 1
        rows = widest * num_filters
        self.weight = nn.Parameter(weight.reshape(rows, -1))
        self.bias = nn.Parameter(bias.reshape(rows))
        covered = covered.expand_as(weight).reshape(rows, -1).contiguous()
        self.register_buffer("covered", covered)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(rows, N_LABELS)

    def pooled(self, tokens: Tensor) -> Tensor:
        """Return the strongest response of each filter in each sentence, before the rectifier."""
        vectors = self.embedding(functional.pad(tokens, (0, self.widest - 1)))
        windows = vectors.unfold(1, self.widest, 1).transpose(2, 3).flatten(2)
        responses = functional.linear(windows, self.weight * self.covered, self.bias)
        return responses.max(dim=1).values

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the logits of a batch of padded sentences."""
        return self.output(self.dropout(functional.relu(self.pooled(tokens))))
