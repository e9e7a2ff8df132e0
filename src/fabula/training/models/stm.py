"""Self-attentive associative memory: one memory of items, one of relations between them.

As configured for stories: relations do not flow back into the items.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Mask, Words, told, with_padding
from fabula.training.models.tpr import EPSILON, Perceptron


@dataclass(frozen=True)
class Widths:
    """Widths for one core; the official ones are 64, 90, 80 and 20 relations."""

    word: int = 64
    slot: int = 32
    hidden: int = 40
    relations: int = 8
    positions: bool = True
    """Whether the mask of words starts from position weights instead of a constant."""
    freeze_readout: bool = False
    """Whether the read-out is left untrained, as in the released code."""
    write_padding: bool = False
    """Whether padding sentences are written too, as in the released code."""


def _stack(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """Three matrices without a non-linearity, as in the released code."""
    return nn.Sequential(
        nn.Linear(inputs, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, outputs)
    )


class STM(Model):
    """Each sentence is written as an item; relations are computed from items by self-attention."""

    Sizes = Widths
    regime = Regime(
        epochs=200, batch=64, lr=6e-4, beta2=0.99, clip=5, warm_steps=100, halve_below=0.1,
        max_sentences=130,
    )  # fmt: skip
    paper = "Le, Tran and Venkatesh 2020; baseline of Dyna-bAbI and StepGame"
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        slot, count = sizes.slot, sizes.relations
        # small word vectors would leave items far below the memory they are written to
        self.words = Words(shape.words, sizes.word, spread=1.0)
        self.mask = Mask(shape.width, sizes.word, 1 / shape.width, sizes.positions)
        self.item, self.key = (_stack(sizes.word, sizes.hidden, slot) for _ in range(2))
        self.choose = _stack(sizes.word, sizes.hidden, count)
        self.gate_in = nn.Linear(slot, 2 * slot)
        self.gate_memory = nn.Linear(slot, 2 * slot, bias=False)
        self.keep_bias = nn.Parameter(torch.ones(1))
        self.write_bias = nn.Parameter(torch.zeros(1))
        self.recall = nn.Parameter(torch.zeros(1))
        self.attend = nn.Linear(slot, 3 * count)
        # over the whole item: normalising each row separately would lose the size of each component
        self.norm = nn.LayerNorm([slot, 3 * count])
        self.items = nn.Parameter(torch.empty(slot, slot).uniform_(-1, 1) * (2 * slot) ** -0.5)
        relations = torch.empty(count, slot, slot).uniform_(-1, 1)
        self.relations = nn.Parameter(relations * (2 * slot + count) ** -0.5)
        self.start = Perceptron(sizes.word, sizes.hidden, slot)
        self.steps = nn.ModuleList(Perceptron(sizes.word, sizes.hidden, count) for _ in range(3))
        self.norms = nn.ModuleList(nn.LayerNorm(slot, eps=EPSILON) for _ in range(3))
        self.answer = nn.Linear(slot, shape.answers, bias=False)
        self.answer.weight.requires_grad = not sizes.freeze_readout

    def forward(self, batch: Batch) -> Output:
        """Write sentence after sentence, then follow three steps from the question."""
        story = batch.story
        if self.sizes.write_padding:
            story = with_padding(story, self.shape.depth)
        there = told(batch.sentences, story.shape[1]) | self.sizes.write_padding
        sentences = self.mask(self.words(story))
        items, keys = self.item(sentences), self.key(sentences)
        chosen = self.choose(sentences).softmax(2)
        write_gates = self.gate_in(items)
        item_memory = self.items.expand(len(batch), -1, -1)
        relation_memory = self.relations.flatten(1).expand(len(batch), -1, -1)  # [B, N, e x e]
        everywhere = there.all(0).tolist()
        parts = (items, keys, chosen, write_gates)
        for at, part in enumerate(zip(*(p.unbind(1) for p in parts), strict=True)):
            new_items, new_relations = self._write(item_memory, relation_memory, *part)
            if not everywhere[at]:
                told_now = there[:, at].view(-1, 1, 1)
                new_items = torch.where(told_now, new_items, item_memory)
                new_relations = torch.where(told_now, new_relations, relation_memory)
            item_memory, relation_memory = new_items, new_relations
        question = self.mask(self.words(batch.question))
        reached = self.start(question)
        total = torch.zeros_like(reached)
        for step, norm in zip(self.steps, self.norms, strict=True):
            weight = step(question)
            reached = norm(_read(relation_memory, weight, reached))
            total = total + reached
        return Output(self.answer(total))

    def _write(
        self,
        items: Tensor,
        relations: Tensor,
        item: Tensor,
        key: Tensor,
        chosen: Tensor,
        gates: Tensor,
    ) -> tuple[Tensor, Tensor]:
        new = item.unsqueeze(2) * item.unsqueeze(1)
        gate = gates.unsqueeze(1) + self.gate_memory(items.tanh())
        write, keep = gate.chunk(2, 2)
        items = (write + self.write_bias).sigmoid() * new.tanh() + (
            keep + self.keep_bias
        ).sigmoid() * items
        value = _read(relations, chosen, key)
        recalled = value.unsqueeze(2) * key.unsqueeze(1)
        seen = self.norm(self.attend(items + self.recall * recalled))
        query, match, content = seen.chunk(3, 2)  # each [B, e, N]
        query, content = query.transpose(1, 2).contiguous(), content.transpose(1, 2)
        paired = (query.unsqueeze(3) * match.contiguous().unsqueeze(1)).tanh()  # [B, N, e, N]
        found = paired.flatten(1, 2) @ content
        return items, relations + found.view_as(relations)


def _read(relations: Tensor, chosen: Tensor, key: Tensor) -> Tensor:
    """[B, e]: a key applied to the sum of the relations, each weighted by its choice."""
    mixed = (chosen.unsqueeze(1) @ relations).view(len(key), key.shape[1], -1)
    return (key.unsqueeze(1) @ mixed).squeeze(1)
