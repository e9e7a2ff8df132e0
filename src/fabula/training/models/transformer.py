"""Universal transformer over sentences: the same layer repeatedly, with dynamic halting."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fabula.errors import FabulaError
from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape, mean_loss
from fabula.training.models.layers import Mask, Words, told


@dataclass(frozen=True)
class Widths:
    """Widths of the published 'tiny' setting, halved by default for one core."""

    size: int = 64
    inner: int = 256
    heads: int = 4
    steps: int = 4
    dropout: float = 0.1
    shared: bool = True
    """Whether the steps share their weights; otherwise it is a plain transformer."""
    halting: bool = False
    """Whether each position decides when to stop."""
    ponder: float = 0.01
    """The cost of each further step, with halting."""


class _Layer(nn.Module):
    def __init__(self, sizes: Widths) -> None:
        super().__init__()
        size = sizes.size
        self.attend = nn.MultiheadAttention(size, sizes.heads, sizes.dropout, batch_first=True)
        self.think = nn.Sequential(
            nn.Linear(size, sizes.inner), nn.ReLU(), nn.Linear(sizes.inner, size)
        )
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.drop = nn.Dropout(sizes.dropout)

    def forward(self, state: Tensor, missing: Tensor) -> Tensor:
        heard, _ = self.attend(state, state, state, key_padding_mask=missing, need_weights=False)
        state = self.first(state + self.drop(heard))
        result: Tensor = self.second(state + self.drop(self.think(state)))
        return result


class UniversalTransformer(Model):
    """Sentences and question attend to each other; the mean of all decides."""

    Sizes = Widths
    regime = Regime(
        epochs=100, batch=64, lr=1e-3, schedule="rsqrt", warm_steps=1000, max_sentences=130
    )
    paper = "Dehghani et al. 2019; baseline of StepGame"
    inputs = "sentences"

    @classmethod
    def check(cls, sizes: Widths) -> None:
        """Check that the width is even (half sines, half cosines) and divisible by the heads."""
        if sizes.size % sizes.heads or sizes.size % 2:
            raise FabulaError(f"setting 'size': {sizes.size} must be even and divisible by heads.")

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        # as large as the sinusoids of position and step that are added to them
        self.words = Words(shape.words, sizes.size, spread=1.0)
        self.mask, self.question_mask = (Mask(shape.width, sizes.size) for _ in range(2))
        count = 1 if sizes.shared else sizes.steps
        self.layers = nn.ModuleList(_Layer(sizes) for _ in range(count))
        if sizes.halting:
            self.halt = nn.Linear(sizes.size, 1)
            nn.init.ones_(self.halt.bias)
        self.answer = nn.Linear(sizes.size, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Run a number of steps."""
        sentences = self.mask(self.words(batch.story))
        question = self.question_mask(self.words(batch.question)).unsqueeze(1)
        # the question first: its position does not depend on the number of sentences
        state = torch.cat([question, sentences], 1)
        there = told(batch.sentences, batch.story.shape[1])
        there = torch.cat([there.new_ones(len(batch), 1), there], 1)
        # sentences are counted back from the question: the latest always has the same position
        age = batch.sentences.unsqueeze(1) - torch.arange(sentences.shape[1], device=state.device)
        places = torch.cat([age.new_zeros(len(batch), 1), age.clamp(min=0)], 1)
        place = _waves(places, self.sizes.size)
        if self.sizes.halting:
            state, cost = self._ponder(state, place, there)
        else:
            for step in range(self.sizes.steps):
                state = self._step(step, state, place, there)
        mean = (state * there.unsqueeze(2)).sum(1) / there.sum(1, keepdim=True)
        logits = self.answer(mean)
        loss = mean_loss(logits, batch.answer) + cost if self.sizes.halting else None
        return Output(logits, loss)

    def _step(self, step: int, state: Tensor, place: Tensor, there: Tensor) -> Tensor:
        layer = self.layers[0 if self.sizes.shared else step]
        now = _waves(torch.full((1, 1), step, device=state.device), self.sizes.size)
        result: Tensor = layer(state + place + now, ~there)
        return result

    def _ponder(self, state: Tensor, place: Tensor, there: Tensor) -> tuple[Tensor, Tensor]:
        """Adaptive computation time: the mean of states weighted by the probability of halting
        there.
        """
        spent = torch.zeros(state.shape[:2], device=state.device)
        final, thoughts = torch.zeros_like(state), torch.zeros_like(spent)
        for step in range(self.sizes.steps):
            on = (spent < 0.99) & there
            chance = self.halt(state).squeeze(2).sigmoid() * on
            last = on & ((spent + chance >= 0.99) | (step == self.sizes.steps - 1))
            weight = torch.where(last, 1 - spent, chance)
            state = torch.where(on.unsqueeze(2), self._step(step, state, place, there), state)
            final = final + weight.unsqueeze(2) * state
            spent = spent + weight
            thoughts = thoughts + on + last * weight
        return final, self.sizes.ponder * (thoughts.sum(1) / there.sum(1)).mean()


def _waves(at: Tensor, size: int) -> Tensor:
    """Sinusoids of a number, [..., size]."""
    half = size // 2
    scale = torch.exp(torch.arange(half, device=at.device) * (-math.log(10_000.0) / half))
    angle = at.unsqueeze(-1) * scale
    return torch.cat([angle.sin(), angle.cos()], -1)
