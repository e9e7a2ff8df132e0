"""Classifier: an encoder reads question and story, its output is pooled, and each answer gets a
score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from torch import nn

from fabula.training.data import Batch
from fabula.training.model import Output, Regime, Shape
from fabula.training.models.pretrained.base import Loading, Pretrained, stories


@dataclass(frozen=True)
class Pooling(Loading):
    """How the tokens are pooled."""

    pool: Literal["mean", "first"] = "mean"


class Classification(Pretrained):
    """The pooled tokens, and a linear layer."""

    Sizes = Pooling
    regime = Regime(epochs=20, batch=16, lr=1e-4, clip=1, warm_steps=20, patience=4)
    paper = "Devlin et al. 2019 (BERT): sequence classification"

    def __init__(self, sizes: Pooling, shape: Shape, *kept: Any) -> None:
        super().__init__(sizes, shape, *kept)
        self.decide = nn.Linear(self.net.config.hidden_size, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Read, pool, decide."""
        read = self.tokenised(
            [each.asked for each in batch.examples], [" ".join(told) for told in stories(batch)]
        ).to(batch.answer.device)
        states = self.net(**read).last_hidden_state
        if self.sizes.pool == "first":
            pooled = states[:, 0]
        else:
            there = read["attention_mask"].unsqueeze(2)
            pooled = (states * there).sum(1) / there.sum(1)
        return Output(self.decide(pooled))
