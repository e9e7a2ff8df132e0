"""A recurrent network that reads the story and then the question, word by word."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Sequences, Words


@dataclass(frozen=True)
class Widths:
    """Widths; the paper gives none."""

    word: int = 50
    hidden: int = 100
    recent: int = 300
    """Maximum number of words that are read, the last ones."""


class LSTM(Model):
    """The last state, after the question, decides."""

    Sizes = Widths
    # no early stopping: it gives the most frequent answer for many epochs before it learns anything
    regime = Regime(epochs=30, lr=2e-3)
    paper = "Weston et al. 2015 (bAbI), baseline"
    inputs = "words"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.words = Words(shape.words, sizes.word)
        self.lstm = Sequences(sizes.word, sizes.hidden)
        self.answer = nn.Linear(sizes.hidden, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Read everything in one pass."""
        words, lengths = batch.flat
        lost = (lengths - self.sizes.recent).clamp(min=0)
        if bool(lost.any()):
            at = lost.unsqueeze(1) + words.new_tensor(range(self.sizes.recent))
            words, lengths = words.gather(1, at.clamp(max=words.shape[1] - 1)), lengths - lost
        return Output(self.answer(self.lstm.last(self.words(words), lengths)))
