"""Bidirectional attention flow, as a pointer: the answer is a word of the story.

Every position of the story is scored, and the scores of positions with the same word add up: for
one-word answers this is the span model with both ends at one position. Answers that the story never
mentions (a yes, a number) have their own score, so the model can be used everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fabula.training.data import Batch, without_gaps
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Sequences, Words


@dataclass(frozen=True)
class Widths:
    """Widths; the paper has 100, and also characters, pretrained vectors and highway layers."""

    word: int = 50
    hidden: int = 50
    dropout: float = 0.1


class BiDAF(Model):
    """Story and question attend to each other; two more layers read the result."""

    Sizes = Widths
    regime = Regime(epochs=40, batch=32, lr=1e-3, patience=10)
    paper = "Seo et al. 2017; baseline of Dyna-bAbI"
    inputs = "words"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        size = 2 * sizes.hidden
        self.words = Words(shape.words, sizes.word)
        self.read = Sequences(sizes.word, sizes.hidden, both=True)
        self.match = nn.Linear(3 * size, 1, bias=False)
        self.model = Sequences(4 * size, sizes.hidden, layers=2, both=True)
        self.point = nn.Linear(5 * size, 1, bias=False)
        self.unnamed = nn.Linear(size, shape.answers)
        self.trust = nn.Linear(size, 1)
        self.drop = nn.Dropout(sizes.dropout)
        self.answer_words: Tensor
        self.register_buffer("answer_words", torch.tensor(shape.answer_words))

    def forward(self, batch: Batch) -> Output:
        """Point at words of the story."""
        story, lengths = _row(batch.story)
        question, asked = _row(batch.question.unsqueeze(1))
        there = torch.arange(story.shape[1], device=story.device) < lengths.unsqueeze(1)
        asks = torch.arange(question.shape[1], device=story.device) < asked.unsqueeze(1)
        context = self.read(self.drop(self.words(story)), lengths)
        query = self.read(self.drop(self.words(question)), asked)
        first, second, third = self.match.weight[0].chunk(3)
        similar = (
            (context @ first).unsqueeze(2)
            + (query @ second).unsqueeze(1)
            + (context * third) @ query.transpose(1, 2)
        ).masked_fill(~asks.unsqueeze(1), float("-inf"))
        to_query = similar.softmax(2) @ query
        weight = similar.amax(2).masked_fill(~there, float("-inf")).softmax(1)
        to_context = (weight.unsqueeze(1) @ context).expand_as(context)
        merged = torch.cat([context, to_query, context * to_query, context * to_context], 2)
        modelled = self.model(self.drop(merged), lengths)
        score = self.point(torch.cat([merged, modelled], 2)).squeeze(2)
        chance = score.masked_fill(~there, float("-inf")).softmax(1)
        pooled = (weight.unsqueeze(1) @ modelled).squeeze(1)
        named = chance.new_zeros(len(batch), self.shape.words).scatter_add(1, story, chance)
        known = self.answer_words >= 0
        pointed = named[:, self.answer_words.clamp(min=0)] * known
        trust = (
            self.trust(pooled).sigmoid() if bool(known.any()) else pooled.new_zeros(len(batch), 1)
        )
        guessed = self.unnamed(pooled).softmax(1)
        logits = (trust * pointed + (1 - trust) * guessed).clamp(min=1e-9).log()
        wanted = batch.answer.clamp(min=0).unsqueeze(1)
        # not only among the answers: pointing at a word that is none is wrong too
        loss = -(logits.gather(1, wanted).squeeze(1) * (batch.answer >= 0)).sum() / len(batch)
        return Output(logits, loss)


def _row(words: Tensor) -> tuple[Tensor, Tensor]:
    """[B, S, W] as rows of words without gaps, and their lengths."""
    row = words.flatten(1)
    order, lengths = without_gaps(row)
    return row.gather(1, order), lengths.clamp(min=1)
