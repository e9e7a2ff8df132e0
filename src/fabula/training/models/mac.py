"""Memory, attention and composition: a fixed number of steps that read the story under control."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.bilstm import encode
from fabula.training.models.layers import Placeholders, Sequences, Words, classifier


@dataclass(frozen=True)
class Widths:
    """Layer widths; the paper's word vectors have 100."""

    word: int = 64
    layers: int = 2
    steps: int = 6
    dropout: float = 0.2
    placeholders: Placeholders = "fixed"
    random_start: bool = False
    """Whether to redraw the first memory and control for every batch, as the released code does."""


class MAC(Model):
    """The control looks at the two entities; the memory gathers what the story says about them."""

    Sizes = Widths
    regime = Regime(epochs=50, batch=32, lr=1e-3, clip=8, cloze=True, patience=15)
    paper = "Hudson and Manning 2018; baseline of CLUTRR"
    inputs = "words"
    of_two = True

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        size = 2 * sizes.word
        self.words = Words(shape.words, sizes.word, sizes.word**-0.5, sizes.placeholders)
        self.read_story = Sequences(sizes.word, sizes.word, sizes.layers, both=True)
        self.ask = nn.Sequential(
            nn.Linear(2 * size, size), nn.Tanh(), nn.Linear(size, size), nn.Tanh()
        )
        self.control = nn.Linear(2 * size, size)
        self.look = nn.Linear(size, 1, bias=False)
        self.memory_key, self.word_key = nn.Linear(size, size), nn.Linear(size, size)
        self.inspect = nn.Linear(2 * size, size)
        self.weigh = nn.Linear(size, 1, bias=False)
        self.write = nn.Linear(2 * size, size)
        first = torch.rand(2, size) if sizes.random_start else torch.zeros(2, size)
        self.first = nn.Parameter(first, requires_grad=not sizes.random_start)
        self.drop = nn.Dropout(sizes.dropout)
        self.decide = classifier(size, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Six times: decide what to look for, look, remember."""
        states, there, asked = encode(batch, self.words, self.read_story)
        first, second = asked.unbind(1)
        question = self.ask(torch.cat([first, second], 1))
        anew = self.sizes.random_start and self.training
        start = torch.rand_like(self.first) if anew else self.first
        control, memory = (row.expand_as(first) for row in start)
        known = self.drop(self.word_key(states))
        for _ in range(self.sizes.steps):
            wish = self.control(torch.cat([control, question], 1)).tanh()
            weight = self.look(wish.unsqueeze(1) * asked).softmax(1)
            control = (weight * asked).sum(1)
            seen = (self.drop(self.memory_key(self.drop(memory))).unsqueeze(1) * known).relu()
            seen = (control.unsqueeze(1) * self.inspect(torch.cat([seen, states], 2))).relu()
            score = self.weigh(seen).squeeze(2).masked_fill(~there, float("-inf"))
            found = (score.softmax(1).unsqueeze(2) * states).sum(1)
            memory = self.write(torch.cat([self.drop(found), memory], 1))
        return Output(self.decide(torch.cat([first, second, memory], 1)))
