"""Bidirectional LSTM over the story; the two people of the question are looked up at their
mentions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from fabula.training.data import Batch, without_gaps
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Placeholders, Sequences, Words, classifier


@dataclass(frozen=True)
class Widths:
    """Widths; the paper's are 100 (mean) and 300 (attention)."""

    word: int = 64
    layers: int = 2
    pool: Literal["mean", "attention"] = "mean"
    placeholders: Placeholders = "fixed"


class BiLSTM(Model):
    """The pooled story next to the two entities of the question."""

    Sizes = Widths
    regime = Regime(epochs=50, batch=64, lr=1e-3, clip=1, cloze=True, patience=15)
    paper = "Sinha et al. 2019 (CLUTRR), baseline"
    inputs = "words"
    of_two = True

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        size = 2 * sizes.word
        self.words = Words(shape.words, sizes.word, sizes.word**-0.5, sizes.placeholders)
        self.read = Sequences(sizes.word, sizes.word, sizes.layers, both=True)
        if sizes.pool == "attention":
            self.look = nn.Linear(3 * size, size)
            self.weigh = nn.Linear(size, 1, bias=False)
        self.decide = classifier(size, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Read, look up, pool."""
        states, there, asked = encode(batch, self.words, self.read)
        first, second = asked.unbind(1)
        if self.sizes.pool == "mean":
            pooled = (states * there.unsqueeze(2)).sum(1) / there.sum(1, keepdim=True)
        else:
            both = torch.cat([first, second], 1).unsqueeze(1).expand(-1, states.shape[1], -1)
            score = self.weigh(self.look(torch.cat([states, both], 2)).tanh()).squeeze(2)
            weight = score.masked_fill(~there, float("-inf")).softmax(1)
            pooled = (weight.unsqueeze(2) * states).sum(1)
        return Output(self.decide(torch.cat([first, second, pooled], 1)))


def encode(batch: Batch, words: Words, lstm: Sequences) -> tuple[Tensor, Tensor, Tensor]:
    """([B, T, d] states of the story's words, [B, T] which are not padding, [B, 2, d] the
    entities).

    An entity is the sum of the states of all its mentions.
    """
    words.redraw()
    count = len(batch)
    row = batch.story.reshape(count, -1)
    order, lengths = without_gaps(row)
    lengths, longest = lengths.clamp(min=1), order.shape[1]
    states = lstm(words(row.gather(1, order)), lengths)
    there = torch.arange(longest, device=row.device) < lengths.unsqueeze(1)
    marks = batch.entities.reshape(count, 2, -1).gather(2, order.unsqueeze(1).expand(-1, 2, -1))
    asked = marks.to(states.dtype) @ states
    return states, there, asked


@dataclass(frozen=True)
class AttentionWidths(Widths):
    """Attention instead of the mean."""

    pool: Literal["mean", "attention"] = "attention"


class BiLSTMAttention(BiLSTM):
    """The same with attention from the two entities."""

    Sizes = AttentionWidths
