"""Recurrent entity network: slots that each follow one entity through the story."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import normalize

from fabula.models.layers import Mask, Words, told
from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape


@dataclass(frozen=True)
class Widths:
    """Widths; the paper has 100, which is slower and no better on small data."""

    size: int = 50
    slots: int = 20
    biases: bool = True
    """As in the original code; the re-implementation for Dyna-bAbI has none."""


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
        self.question_mask = Mask(max(shape.width, 32), size)
        self.keys = nn.Parameter(torch.randn(sizes.slots, size) * 0.1)
        self.old, self.key, self.new, self.read = (
            nn.Parameter(torch.randn(size, size) * 0.1) for _ in range(4)
        )
        self.gate_bias = nn.Parameter(torch.zeros(sizes.slots), requires_grad=sizes.biases)
        self.bias = nn.Parameter(torch.zeros(size), requires_grad=sizes.biases)
        self.act = nn.PReLU(size, init=1.0)
        self.read_act = nn.PReLU(size, init=1.0)
        self.answer = nn.Linear(size, shape.answers, bias=False)

    def forward(self, batch: Batch) -> Output:
        """Let every sentence change the slots; then ask them."""
        told_now = told(batch.sentences, batch.story.shape[1])
        sentences = self.mask(self.words(batch.story))
        question = self.question_mask(self.words(batch.question))
        # what does not depend on the state is computed for all sentences at once
        from_key = self.keys @ self.key + self.bias
        from_sentence = sentences @ self.new
        key_gate = sentences @ self.keys.T + self.gate_bias
        state = self.keys.expand(len(batch), -1, -1)
        for at in range(sentences.shape[1]):
            sentence = sentences[:, at].unsqueeze(1)
            gate = (sentence * state).sum(2) + key_gate[:, at]
            gate = gate.sigmoid() * told_now[:, at].unsqueeze(1)
            candidate = state @ self.old + from_key + from_sentence[:, at].unsqueeze(1)
            candidate = self.act(candidate.flatten(0, 1)).view_as(candidate)
            state = normalize(state + gate.unsqueeze(2) * candidate, dim=2)
        attention = (question.unsqueeze(1) * state).sum(2).softmax(1)
        found = (attention.unsqueeze(2) * state).sum(1)
        return Output(self.answer(self.read_act(question + found @ self.read)))
