"""Third-order memories, in factored form: TPR-RNN and TP-MANN.

A memory is a tensor F of entity x role x entity that starts at 0 (TPR-RNN) or at a learned M0
(TP-MANN) and to which only outer products key (x) value are added, where a key is a pair (u, v) of
an entity and a role vector. So F = c M0 + the sum of key (x) value over three writes a sentence,
and reading it with another key needs only dot products of keys: <k, k'> = (u.u')(v.v'). This is
exact, and about a hundred times as fast as the tensors themselves (`dense=True` has these, for
tests).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fabula.models.layers import Mask, Words, told
from fabula.training.data import Batch
from fabula.training.model import Model, Output, Regime, Shape

EPSILON = 1e-12  # retrieved vectors are tiny at first; a larger one would drown them


@dataclass(frozen=True)
class Widths:
    """Widths, and how sentences are encoded."""

    word: int = 64
    entity: int = 90
    role: int = 20
    hidden: int = 40
    layers: int = 0
    """0: sentence after sentence (TPR-RNN); else so many parallel rounds (TP-MANN)."""
    positions: bool = True
    """The mask of words starts from position weights instead of a constant: it leaves the plateau
    on which subject and object cannot be told apart sooner."""
    freeze_readout: bool = False
    """The released code of TP-MANN never trains its read-out."""
    dense: bool = False


class _Perceptron(nn.Sequential):
    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__(
            nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, outputs), nn.Tanh()
        )
        for part in self:
            if isinstance(part, nn.Linear):
                nn.init.xavier_uniform_(part.weight)
                nn.init.zeros_(part.bias)


class TensorMemory(Model):
    """What both models share: encoder, keys, inference."""

    Sizes = Widths
    inputs = "sentences"

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.words = Words(shape.words, sizes.word)
        self.mask, self.question_mask = (
            Mask(width, sizes.word, 1 / shape.width, sizes.positions)
            for width in (shape.width, max(shape.width, 32))
        )
        made = {"entity": sizes.entity, "role": sizes.role}

        def perceptrons(kinds: str) -> nn.ModuleList:
            return nn.ModuleList(
                _Perceptron(sizes.word, sizes.hidden, made["entity" if k == "e" else "role"])
                for k in kinds
            )

        self.told = perceptrons("eerrr")
        self.asked = perceptrons("errr")
        self.norms = nn.ModuleList(nn.LayerNorm(sizes.entity, eps=EPSILON) for _ in range(3))
        self.answer = nn.Linear(sizes.entity, shape.answers, bias=False)
        self.answer.weight.requires_grad = not sizes.freeze_readout

    def forward(self, batch: Batch) -> Output:
        """Write all sentences, then follow three steps from the question."""
        there = told(batch.sentences, batch.story.shape[1]).unsqueeze(2)
        sentences = self.mask(self.words(batch.story))
        e1, e2, r1, r2, r3 = (part(sentences) * there for part in self.told)
        entity = torch.stack([e1, e1, e2], 2)  # [B, S, 3, e], the first halves of the keys
        role = torch.stack([r1, r2, r3], 2)
        question = self.question_mask(self.words(batch.question))
        start, *steps = (part(question) for part in self.asked)
        if self.sizes.dense:
            memory = self.dense_memory(entity, role, e1, e2)

            def read(u: Tensor, v: Tensor) -> Tensor:
                return torch.einsum("berf,be,br->bf", memory, u, v)
        else:
            u_all, v_all = entity.flatten(1, 2), role.flatten(1, 2)
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

    def initial_read(self, u: Tensor, v: Tensor) -> Tensor | float:
        """What the memory at the beginning gives for keys."""
        return 0.0

    def values(self, u: Tensor, v: Tensor, e1: Tensor, e2: Tensor) -> tuple[Tensor | float, Tensor]:
        """(how much of the first memory is left, the value written with each key)."""
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
        """One triangular system instead of the recurrence."""
        count, depth, size = e1.shape
        gram = (u @ u.transpose(1, 2)) * (v @ v.transpose(1, 2))
        sentence = torch.arange(3 * depth, device=u.device) // 3
        gram = gram * (sentence.unsqueeze(1) > sentence)  # only what was there before
        rows = gram.view(count, depth, 3, 3 * depth)
        write, move, back = rows.unbind(2)
        system = torch.stack([write, move - write, back], 2).view(count, 3 * depth, 3 * depth)
        right = torch.stack([e2, torch.zeros_like(e1), e1], 2).view(count, 3 * depth, size)
        unit = torch.eye(3 * depth, device=u.device, dtype=u.dtype)
        solved: Tensor = torch.linalg.solve_triangular(
            system + unit, right, upper=False, unitriangular=True
        )
        return 0.0, solved

    def dense_memory(self, entity: Tensor, role: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
        """The recurrence as the paper writes it."""
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
        """Keys against the learned memory."""
        entity, role, size = self.start.shape
        key = (u.unsqueeze(-1) * v.unsqueeze(-2)).flatten(-2)
        result: Tensor = key @ self.start.view(entity * role, size)
        return result

    def values(self, u: Tensor, v: Tensor, e1: Tensor, e2: Tensor) -> tuple[Tensor | float, Tensor]:
        """Write, move and link back in turn, as the released code does; then keep the norm at 1."""
        count, depth, size = e1.shape
        gram = (u @ u.transpose(1, 2)) * (v @ v.transpose(1, 2))
        first = self.initial_read(u, v)
        keys = gram.view(count, depth, 3, 3 * depth)
        first = first.view(count, depth, 3, size)
        scale = e1.new_ones(count, 1, 1)
        values = e1.new_zeros(count, 3 * depth, size)
        norm = self.start.pow(2).sum()
        for _ in range(max(1, self.sizes.layers)):

            def read(key: int) -> Tensor:
                return scale * first[:, :, key] + keys[:, :, key] @ values  # noqa: B023

            was = read(0)
            values = _added(values, 0, e2 - was)
            values = _added(values, 1, was - read(1))
            values = _added(values, 2, e1 - read(2))
            square = (
                scale.flatten() ** 2 * norm
                + 2 * scale.flatten() * (first.reshape_as(values) * values).sum((1, 2))
                + (values * (gram @ values)).sum((1, 2))
            )
            shrink = square.clamp(min=1.0).sqrt().view(-1, 1, 1)
            scale, values = scale / shrink, values / shrink
        return scale.squeeze(2), values

    def dense_memory(self, entity: Tensor, role: Tensor, e1: Tensor, e2: Tensor) -> Tensor:
        """The rounds with the tensor itself."""
        memory = self.start.expand(len(e1), -1, -1, -1)
        for _ in range(max(1, self.sizes.layers)):
            was = None
            for key in range(3):
                keys = torch.einsum("bse,bsr->bser", entity[:, :, key], role[:, :, key])
                read = torch.einsum("berf,bser->bsf", memory, keys)
                was = read if was is None else was
                value = (e2 - read, was - read, e1 - read)[key]
                memory = memory + torch.einsum("bser,bsf->berf", keys, value)
            square = memory.pow(2).sum((1, 2, 3), keepdim=True)
            memory = memory / square.clamp(min=1.0).sqrt()
        return memory


def _added(values: Tensor, key: int, more: Tensor) -> Tensor:
    """The values with more written by one of the three keys of every sentence."""
    count, depth, size = more.shape
    update = torch.zeros(count, depth, 3, size, device=more.device, dtype=more.dtype)
    update[:, :, key] = more
    return values + update.view(count, 3 * depth, size)
