"""Third-order memories, in factored form: TPR-RNN and TP-MANN.

A memory is a tensor F of entity x role x entity that starts at 0 (TPR-RNN) or at a learned M0
(TP-MANN) and to which only outer products key (x) value are added, where a key is a pair (u, v) of
an entity and a role vector. So F = c M0 + m + the sum of key (x) value over three writes per
sentence, with numbers c and m that change when F is normalised, and reading it with another key
needs only dot products of keys: <k, k'> = (u.u')(v.v'). This is exact, and about a hundred times as
fast as the tensors themselves (`dense=True` uses those, for tests).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm, pad

from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Mask, Words, told, with_padding

EPSILON = 1e-12  # retrieved vectors are tiny at first; a larger one would drown them


@dataclass(frozen=True)
class Widths:
    """Widths, and how sentences are encoded."""

    word: int = 64
    entity: int = 90
    role: int = 20
    hidden: int = 40
    positions: bool = True
    """Whether the mask of words starts from position weights instead of a constant: it leaves the
    plateau on which subject and object cannot be told apart sooner.
    """
    freeze_readout: bool = False
    """Whether the read-out is left untrained, as in the released code of TP-MANN."""
    write_padding: bool = False
    """Whether padding sentences are written too, as in that code."""
    dense: bool = False


class Perceptron(nn.Sequential):
    """Two layers, each with a tanh: a sentence or a question as half of a key."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__(
            nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, outputs), nn.Tanh()
        )
        for part in self:
            if isinstance(part, nn.Linear):
                nn.init.xavier_uniform_(part.weight)
                nn.init.zeros_(part.bias)


class TensorMemory(Model):
    """The common part of both models: encoder, keys, inference."""

    Sizes = Widths
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.words = Words(shape.words, sizes.word)
        self.mask = Mask(shape.width, sizes.word, 1 / shape.width, sizes.positions)
        made = {"entity": sizes.entity, "role": sizes.role}

        def perceptrons(kinds: str) -> nn.ModuleList:
            return nn.ModuleList(
                Perceptron(sizes.word, sizes.hidden, made["entity" if k == "e" else "role"])
                for k in kinds
            )

        self.told = perceptrons("eerrr")
        self.asked = perceptrons("errr")
        self.norms = nn.ModuleList(nn.LayerNorm(sizes.entity, eps=EPSILON) for _ in range(3))
        self.answer = nn.Linear(sizes.entity, shape.answers, bias=False)
        self.answer.weight.requires_grad = not sizes.freeze_readout

    def forward(self, batch: Batch) -> Output:
        """Write all sentences, then follow three steps from the question."""
        story = batch.story
        if self.sizes.write_padding:
            story = with_padding(story, self.shape.depth)
        there = (told(batch.sentences, story.shape[1]) | self.sizes.write_padding).unsqueeze(2)
        sentences = self.mask(self.words(story))
        e1, e2, r1, r2, r3 = (part(sentences) * there for part in self.told)
        entity = torch.stack([e1, e1, e2], 2)  # [B, S, 3, e], the first halves of the keys
        role = torch.stack([r1, r2, r3], 2)
        question = self.mask(self.words(batch.question))
        start, *steps = (part(question) for part in self.asked)
        if self.sizes.dense:
            memory = self.dense_memory(entity, role, e1, e2)

            def read(u: Tensor, v: Tensor) -> Tensor:
                return torch.einsum("berf,be,br->bf", memory, u, v)
        else:
            u_all, v_all = self.keys(entity), self.keys(role)
            scale, values = self.values(u_all, v_all, e1, e2)

            def read(u: Tensor, v: Tensor) -> Tensor:
                weight = (u_all @ u.unsqueeze(2)).squeeze(2) * (v_all @ v.unsqueeze(2)).squeeze(2)
                found = (weight.unsqueeze(1) @ values).squeeze(1)
                return found + self.initial_read(u, v) * scale

        reached, total = start, torch.zeros_like(start)
        for step, norm in zip(steps, self.norms, strict=True):
            reached = norm(read(reached, step))
            total = total + reached
        return Output(self.answer(total))

    def keys(self, halves: Tensor) -> Tensor:
        """One half of all keys, three per sentence, in a row."""
        return halves.flatten(1, 2)

    def initial_read(self, u: Tensor, v: Tensor) -> Tensor | float:
        """The values of the initial memory for keys."""
        return 0.0

    def values(self, u: Tensor, v: Tensor, e1: Tensor, e2: Tensor) -> tuple[Tensor | float, Tensor]:
        """(the remaining fraction of the first memory, the value written with each key)."""
        raise NotImplementedError

    def dense_memory(self, entity: Tensor, role: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
        """The memory as a tensor, [B, e, r, e]."""
        raise NotImplementedError


class TPRRNN(TensorMemory):
    """Sentence after sentence: write the new fact, move the old one, link back."""

    regime = Regime(
        epochs=100, optimiser="nadam", lr=1e-3, clip=5, warm_steps=50, halve_below=0.1,
        max_sentences=130,
    )  # fmt: skip
    paper = "Schlag and Schmidhuber 2018; baseline of StepGame"

    def values(self, u: Tensor, v: Tensor, e1: Tensor, e2: Tensor) -> tuple[Tensor | float, Tensor]:
        """Solves one triangular system instead of the recurrence."""
        count, depth, size = e1.shape
        gram = (u @ u.transpose(1, 2)) * (v @ v.transpose(1, 2))
        sentence = torch.arange(3 * depth, device=u.device) // 3
        gram = gram * (sentence.unsqueeze(1) > sentence)  # only what was there before
        rows = gram.view(count, depth, 3, 3 * depth)
        write, move, back = rows.unbind(2)
        system = torch.stack([write, move - write, back], 2).view(count, 3 * depth, 3 * depth)
        right = torch.stack([e2, torch.zeros_like(e1), e1], 2).view(count, 3 * depth, size)
        unit = torch.eye(3 * depth, device=u.device, dtype=u.dtype)
        exact = torch.promote_types(right.dtype, torch.float32)  # there is no solver in bfloat16
        solved: Tensor = torch.linalg.solve_triangular(
            (system + unit).to(exact), right.to(exact), upper=False, unitriangular=True
        )
        return 0.0, solved

    def dense_memory(self, entity: Tensor, role: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
        """The recurrence as written in the paper."""
        memory = e1.new_zeros(len(e1), e1.shape[2], role.shape[3], e1.shape[2])
        for at in range(e1.shape[1]):
            keys = torch.einsum("bke,bkr->bker", entity[:, at], role[:, at])
            was, moved, back = torch.einsum("berf,bker->bkf", memory, keys).unbind(1)
            values = torch.stack([e2[:, at] - was, was - moved, e1[:, at] - back], 1)
            memory = memory + torch.einsum("bker,bkf->berf", keys, values)
        return memory


@dataclass(frozen=True)
class RoundWidths(Widths):
    """TP-MANN at a size for one core; the released one is 256, 200, 80, 200 with 8 layers."""

    word: int = 128
    entity: int = 64
    role: int = 32
    hidden: int = 64
    layers: int = 4
    """Rounds in which all sentences are written."""
    sequential: bool = False
    """Whether, within a round, to write, then move what is read after that, then link back, as the
    released code does; the paper reads once and writes all three.
    """
    clamp: bool = False
    """Whether to keep the norm of the memory at 1 or below after each round, as the released code
    does; the paper normalises its components to mean 0 and standard deviation 1.
    """


class TPMANN(TensorMemory):
    """All sentences at once, several rounds with the same weights, from a learned memory."""

    Sizes = RoundWidths
    regime = Regime(epochs=75, batch=64, lr=1e-3, beta2=0.99, clip=5)
    paper = "Shi, Zhang and Lipani 2022 (StepGame), proposal"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        bound = (2 * sizes.entity) ** -0.5
        start = torch.empty(sizes.entity, sizes.role, sizes.entity).uniform_(-bound, bound)
        self.start = nn.Parameter(start)

    def initial_read(self, u: Tensor, v: Tensor) -> Tensor:
        """Keys applied to the learned memory; with several roles per entity, one read for each."""
        entity, role, size = self.start.shape
        half = (u @ self.start.view(entity, role * size)).view(*u.shape[:-1], role, size)
        if v.dim() > u.dim():
            return v @ half
        return (v.unsqueeze(-2) @ half).squeeze(-2)

    def first_reads(self, v: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
        """The initial value of each key of the story and of the all-ones key."""
        count, depth, size = e1.shape
        role = v[:, :-1].reshape(count, depth, 3, -1)
        own, back = self.initial_read(e1, role[:, :, :2]), self.initial_read(e2, role[:, :, 2])
        rows = torch.cat([own, back.unsqueeze(2)], 2).view(count, 3 * depth, size)
        return torch.cat([rows, self.start.sum((0, 1)).expand(count, 1, -1)], 1)

    def keys(self, halves: Tensor) -> Tensor:
        """The last key is all ones: a value written with it is added to the whole memory."""
        rows = halves.flatten(1, 2)
        return torch.cat([rows, rows.new_ones(len(rows), 1, rows.shape[2])], 1)

    def values(self, u: Tensor, v: Tensor, e1: Tensor, e2: Tensor) -> tuple[Tensor | float, Tensor]:
        """Round after round: write, move, link back; normalise."""
        gram = (u @ u.transpose(1, 2)) * (v @ v.transpose(1, 2))
        first, square = self.first_reads(v, e1, e2), self.start.pow(2).sum()
        scale, values = e1.new_ones(len(e1), 1, 1), torch.zeros_like(first)
        write = _in_turn if self.sizes.sequential else _at_once
        for _ in range(self.sizes.layers):
            values = write(scale * first, values, gram, e1, e2)
            scale, values = self._normalised(scale, values, first, gram, square)
        return scale.squeeze(2), values

    def _normalised(
        self, scale: Tensor, values: Tensor, first: Tensor, gram: Tensor, at_first: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The same memory with a norm of at most 1, or with components of mean 0 and deviation
        1.
        """
        found = scale * first + gram @ values
        square = scale.flatten() ** 2 * at_first
        square = square + (values * (scale * first + found)).sum((1, 2))
        if self.sizes.clamp:
            shrink = square.clamp(min=1.0).sqrt().view(-1, 1, 1)
        else:
            mean = found[:, -1].sum(1) / self.start.numel()
            spread = (square / self.start.numel() - mean**2).clamp(min=EPSILON).sqrt()
            shrink = spread.view(-1, 1, 1)
            less = -mean.view(-1, 1, 1).expand(-1, 1, values.shape[2])
            values = values + _spaced(less, slice(-1, None), values)
        return scale / shrink, values / shrink

    def dense_memory(self, entity: Tensor, role: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
        """The rounds with the tensor itself."""
        memory = self.start.expand(len(e1), -1, -1, -1)
        for _ in range(self.sizes.layers):
            before, found = memory, []
            for key in range(3):
                keys = torch.einsum("bse,bsr->bser", entity[:, :, key], role[:, :, key])
                at = memory if self.sizes.sequential else before
                found.append(torch.einsum("berf,bser->bsf", at, keys))
                value = (e2, found[0], e1)[key] - found[key]
                memory = memory + torch.einsum("bser,bsf->berf", keys, value)
            if self.sizes.clamp:
                square = memory.pow(2).sum((1, 2, 3), keepdim=True)
                memory = memory / square.clamp(min=1.0).sqrt()
            else:
                memory = layer_norm(memory, memory.shape[1:], eps=EPSILON)
        return memory


def _at_once(first: Tensor, values: Tensor, gram: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
    """The values after a round that reads once; `first` is the output of the learned memory."""
    found = (first + gram @ values)[:, :-1].reshape(len(e1), -1, 3, e1.shape[2])
    was, moved, back = found.unbind(2)
    more = torch.stack([e2 - was, was - moved, e1 - back], 2).flatten(1, 2)
    return values + pad(more, (0, 0, 0, 1))


def _in_turn(first: Tensor, values: Tensor, gram: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
    """The values after a round that reads before each of its three writes."""
    was = e1
    for key in range(3):
        rows = slice(key, 3 * e1.shape[1], 3)
        found = first[:, rows] + gram[:, rows] @ values
        was = found if key == 0 else was
        values = values + _spaced((e2, was, e1)[key] - found, rows, values)
    return values


def _spaced(more: Tensor, rows: slice, values: Tensor) -> Tensor:
    """Zeros in the shape of the values, except for some rows."""
    update = torch.zeros_like(values)
    update[:, rows] = more
    return update
