"""A linear classifier over the N-grams of the sentences that share a word with the question."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from fabula.models.layers import hashed_grams
from fabula.training.data import FIRST_WORD, Batch
from fabula.training.model import Model, Output, Regime, Shape

BUCKETS = 1 << 16  # N-grams are hashed: no list of them has to be kept


@dataclass(frozen=True)
class Widths:
    """The longest N-gram, and what N-grams are taken of."""

    longest: int = 3
    with_question: bool = True
    only_related: bool = True
    """Only sentences that share a word with the question; the paper found all to be worse."""


class NGram(Model):
    """What can be answered without understanding: it knows which N-grams go with which answer."""

    Sizes = Widths
    regime = Regime(epochs=30, lr=0.01, weight_decay=1e-4, clip=0)
    paper = "Weston et al. 2015 (bAbI), baseline"
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.weights = nn.EmbeddingBag(BUCKETS, shape.answers, mode="sum", padding_idx=0)
        nn.init.zeros_(self.weights.weight)
        self.bias = nn.Parameter(torch.zeros(shape.answers))

    def forward(self, batch: Batch) -> Output:
        """Add up the weights of all N-grams."""
        story = batch.story
        if self.sizes.only_related:
            asked = batch.question.clone()
            asked[asked < FIRST_WORD] = -1
            shared = (story.unsqueeze(3) == asked[:, None, None, :]).any(3).any(2)
            story = story * shared.unsqueeze(2)
        longest = self.sizes.longest
        grams = [hashed_grams(story, longest, BUCKETS).flatten(1)]
        if self.sizes.with_question:
            asks = hashed_grams(batch.question, longest, BUCKETS)
            grams.append(torch.where(asks > 0, (asks * 31 + 7) % (BUCKETS - 1) + 1, asks))
        return Output(self.weights(torch.cat(grams, 1)) + self.bias)
