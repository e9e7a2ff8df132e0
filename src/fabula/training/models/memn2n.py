"""End-to-end memory network: attends to the sentences several times, supervised by answers only."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding_bag

from fabula.training.data import PAD, Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Words, latest, told

LINEAR_RATE = 0.5  # factor of the learning rate, as published: 0.005 instead of 0.01


@dataclass(frozen=True)
class Widths:
    """Widths and the tricks of the paper."""

    hops: int = 3
    size: int = 20
    memory: int = 50
    """Sentences remembered, the most recent ones."""
    positions: bool = True
    """Whether words are weighted by their position; otherwise a sentence is a bag of words."""
    linear_start: int = field(default=20, metadata={"least": 0})
    """Number of first epochs without the softmax over memories."""
    noise: float = 0.1
    """Fraction of dummy ages inserted while training."""
    relu: bool = False
    """Whether to use a non-linearity after each hop, as in the large variant."""
    layerwise: bool = False
    """Whether all hops share their two tables, with a matrix that carries the question from hop to
    hop.
    """


class MemN2N(Model):
    """Adjacent tying: the output table of a hop is the input table of the next.

    The answer has its own weights, since answers need not be words: where the paper ties them to
    the last output table, this adds a few. With layer-wise tying there are only an input and an
    output table, and one for the question.
    """

    Sizes = Widths
    regime = Regime(
        epochs=120, optimiser="sgd", lr=0.01, clip=40, clip_each=True, sum_loss=True,
        halve_every=25, max_sentences=50, select="train",
    )  # fmt: skip
    paper = "Sukhbaatar et al. 2015 (end-to-end memory networks)"
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        tables = 2 if sizes.layerwise else sizes.hops + 1
        self.words = nn.ModuleList(Words(shape.words, sizes.size) for _ in range(tables))
        self.ages = nn.ParameterList(
            nn.Parameter(torch.randn(self.longest + 1, sizes.size) * 0.1) for _ in range(tables)
        )
        self.carry: nn.Module = nn.Identity()
        if sizes.layerwise:
            self.asked = Words(shape.words, sizes.size)
            self.carry = nn.Linear(sizes.size, sizes.size, bias=False)
        self.answer = nn.Linear(sizes.size, shape.answers, bias=False)
        nn.init.normal_(self.answer.weight, 0, 0.1)
        # part of the weights: a model trained without softmax is used without it
        self.linear: Tensor
        self.register_buffer("linear", torch.tensor(False))

    @property
    def longest(self) -> int:
        """The highest age, including dummy ages."""
        return int(self.sizes.memory * (1 + self.sizes.noise)) + 1

    @property
    def prelude(self) -> int:
        """The number of linear epochs; none when fine-tuning."""
        return 0 if self.continued else int(self.sizes.linear_start)

    def begin_epoch(self, epoch: int) -> float:
        """The first epochs are linear, at a lower learning rate, and so is the whole training that
        starts with them.
        """
        self.linear.fill_(epoch < self.prelude)
        return LINEAR_RATE if self.sizes.linear_start else 1.0

    def forward(self, batch: Batch) -> Output:
        """Attend, add, and attend again."""
        story, sentences = latest(batch.story, batch.sentences, self.sizes.memory)
        there = told(sentences, story.shape[1])
        age = self._ages(sentences, there)
        tables: list[Tensor] = [table.get_parameter("weight") for table in self.words]
        asked = self.asked.weight if self.sizes.layerwise else tables[0]
        state = self._encode(batch.question, asked)
        told_by = self._encode(story, torch.cat(tables, 1))
        told_at = nn.functional.embedding(age, torch.cat(list(self.ages), 1))
        memories = (told_by + told_at).chunk(len(tables), 2)
        hops = [memories] * self.sizes.hops if self.sizes.layerwise else pairwise(memories)
        for memory, output in hops:
            match = (memory @ state.unsqueeze(2)).squeeze(2)
            if bool(self.linear):
                weight = match.masked_fill(~there, 0)
            else:
                weight = match.masked_fill(~there, float("-inf")).softmax(1)
                weight = weight.nan_to_num(0.0)  # for a story without sentences
            state = self.carry(state) + (weight.unsqueeze(1) @ output).squeeze(1)
            if self.sizes.relu:
                state = state.relu()
        return Output(self.answer(state))

    def _encode(self, words: Tensor, table: Tensor) -> Tensor:
        """[..., W] words to [..., d], with the vectors of one table or of several side by side."""
        rows = words.flatten(0, -2)
        bag: Tensor = embedding_bag(rows, table, mode="sum", padding_idx=PAD)
        if self.sizes.positions:
            # the weight of a word is 1 + position x component, so two bags are enough for all
            # components; the position counts within its own sentence, not in the padded row
            length = (rows != PAD).sum(1, keepdim=True).clamp(min=1)
            place = torch.arange(1, rows.shape[1] + 1, device=rows.device) - (length + 1) / 2
            size = self.sizes.size
            part = (torch.arange(1, size + 1, device=rows.device) - (size + 1) / 2) * 4 / size
            weight = (place / length).to(table.dtype)
            moved = embedding_bag(
                rows, table, mode="sum", padding_idx=PAD, per_sample_weights=weight
            )
            bag = bag + moved * part.repeat(table.shape[1] // size)
        return bag.view(*words.shape[:-1], -1)

    def _ages(self, sentences: Tensor, there: Tensor) -> Tensor:
        """[B, S] distance from the question, 1 for the latest; with gaps while training."""
        depth = there.shape[1]
        age = sentences.unsqueeze(1) - torch.arange(depth, device=sentences.device)
        if self.training and self.sizes.noise:
            most = (sentences * self.sizes.noise).ceil()
            gap = torch.rand(len(sentences), depth, device=age.device)
            chance = (torch.rand_like(most, dtype=torch.float) * most) / sentences.clamp(min=1)
            jumps = ((gap < chance.unsqueeze(1)) & there).long()
            age = age + jumps.flip(1).cumsum(1).flip(1)
        return age.clamp(0, self.longest)
