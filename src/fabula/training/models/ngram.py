"""A linear classifier over the N-grams of the sentences that share a word with the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from fabula.training.data import PAD, UNKNOWN, Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Grams


@dataclass(frozen=True)
class Widths:
    """The longest N-gram, and the sentences N-grams are taken from."""

    longest: int = 3
    with_question: bool = True
    only_related: bool = True
    """Only sentences that share a word with the question; in the paper, using all was worse."""
    rows: int = 8192
    """Maximum number of N-grams with weights; rich language has more of them."""


class NGram(Model):
    """A baseline without understanding: it learns which N-grams predict which answer."""

    Sizes = Widths
    regime = Regime(epochs=30, lr=0.01, weight_decay=1e-4, clip=0)
    paper = "Weston et al. 2015 (bAbI), baseline"
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.grams = Grams(sizes.rows, sizes.longest)
        self.weights = nn.EmbeddingBag.from_pretrained(
            torch.zeros(sizes.rows, shape.answers), freeze=False, mode="sum", padding_idx=PAD
        )
        self.bias = nn.Parameter(torch.zeros(shape.answers))

    def remarks(self) -> dict[str, Any]:
        """Whether there were rows for all N-grams."""
        return self.grams.remarks()

    def meet(self, batch: Batch) -> None:
        """Assign rows to the N-grams of a batch."""
        self._rows(batch)

    def forward(self, batch: Batch) -> Output:
        """Add up the weights of all N-grams."""
        return Output(self.weights(self._rows(batch)) + self.bias)

    def _rows(self, batch: Batch) -> Tensor:
        """[B, G] the N-grams of the selected sentences, as rows of the table."""
        read, question = batch.story, batch.question
        if self.sizes.only_related:
            asked = question.masked_fill(question <= UNKNOWN, -1)
            shared = (read.unsqueeze(3) == asked[:, None, None, :]).any(3).any(2)
            read = read * shared.unsqueeze(2)
        if self.sizes.with_question:  # as one more sentence, with its own words
            own = torch.where(question == PAD, PAD, question + self.shape.words)
            width = max(read.shape[2], own.shape[1])
            read = torch.cat([_wide(read, width), _wide(own, width).unsqueeze(1)], 1)
        rows: Tensor = self.grams(read)
        return rows.flatten(1)


def _wide(words: Tensor, width: int) -> Tensor:
    """Rows of words, padded to this width."""
    return nn.functional.pad(words, (0, width - words.shape[-1]), value=PAD)
