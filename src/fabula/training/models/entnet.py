"""Recurrent entity network: slots that each track one entity through the story."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Mask, Words, told


@dataclass(frozen=True)
class Widths:
    """Widths; the paper has 100, which is slower and no better on small data."""

    size: int = 50
    slots: int = 20
    biases: bool = True
    """Biases, as in the original code; the re-implementation for Dyna-bAbI has none."""
    slopes: bool = True
    """A separate slope below 0 for every unit; that re-implementation has one for all."""
    detached: bool = False
    """Whether to stop gradients from the state to the keys it starts from, as there."""


class EntNet(Model):
    """Each sentence opens the gates of the slots it concerns."""

    Sizes = Widths
    regime = Regime(epochs=200, batch=64, lr=3e-3, halve_every=25, clip=40, max_sentences=150)
    paper = "Henaff et al. 2017; baseline of Dyna-bAbI"
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        size = sizes.size
        self.words = Words(shape.words, size)
        self.mask = Mask(shape.width, size)
        self.keys = nn.Parameter(torch.randn(sizes.slots, size) * 0.1)
        self.old, self.key, self.new, self.read = (
            nn.Parameter(torch.randn(size, size) * 0.1) for _ in range(4)
        )
        self.gate_bias = nn.Parameter(torch.zeros(sizes.slots), requires_grad=sizes.biases)
        self.bias = nn.Parameter(torch.zeros(size), requires_grad=sizes.biases)
        slopes = size if sizes.slopes else 1
        self.act, self.read_act = (nn.PReLU(slopes, init=1.0) for _ in range(2))
        self.answer = nn.Linear(size, shape.answers, bias=False)

    def forward(self, batch: Batch) -> Output:
        """Update the slots sentence by sentence, then query them."""
        told_now = told(batch.sentences, batch.story.shape[1])
        sentences = self.mask(self.words(batch.story))
        question = self.mask(self.words(batch.question))
        # everything that does not depend on the state is computed for all sentences at once
        from_key = self.keys @ self.key + self.bias
        from_sentence = (sentences @ self.new).unsqueeze(2)
        key_gate = (sentences @ self.keys.T + self.gate_bias).unsqueeze(3)
        parts = (sentences.unsqueeze(3), from_sentence, key_gate, told_now[:, :, None, None])
        first = self.keys.detach() if self.sizes.detached else self.keys
        state = first.expand(len(batch), -1, -1)
        for sentence, said, opened, there in zip(*(p.unbind(1) for p in parts), strict=True):
            gate = torch.baddbmm(opened, state, sentence).sigmoid() * there
            known = (from_key + said).flatten(0, 1)
            candidate = self.act(torch.addmm(known, state.flatten(0, 1), self.old)).view_as(state)
            state = torch.addcmul(state, gate, candidate)
            state = state * state.square().sum(2, keepdim=True).rsqrt()
        attention = (question.unsqueeze(1) * state).sum(2).softmax(1)
        found = (attention.unsqueeze(2) * state).sum(1)
        return Output(self.answer(self.read_act(question + found @ self.read)))
