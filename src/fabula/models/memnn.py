"""Memory network with strong supervision: it learns which sentences to fetch, and in which order.

Variants by flag: adaptive memories (fetch until STOP wins, answer word by word), N-grams, a
non-linear or multilinear match. Instead of the original's tournament between pairs of sentences, a
sentence is scored with embeddings of its age and of whether it stands before or after the one
fetched last.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fabula.models.layers import hashed_grams, told
from fabula.training.data import MAX_SUPPORTS, PAD, Batch
from fabula.training.model import Model, Output, Regime, Shape

AGES = 256
BUCKETS = 1 << 14  # hashed N-grams


@dataclass(frozen=True)
class Widths:
    """Width, margin and the extensions of the paper."""

    size: int = 50
    margin: float = 0.1
    hops: int = 2
    adaptive: bool = False
    """AM: fetch until the memory STOP is best, at most ten times."""
    ngrams: bool = False
    """NG: bags of 1- to 3-grams."""
    nonlinear: bool = False
    """NL: tanh layers on both sides of the match."""
    bins: int = 0
    """Multilinear: a matrix for each of so many bins of word positions; 0: none."""


class _Bag(nn.Module):
    """Words to a vector: a bag of words, of N-grams, or with a matrix by position."""

    def __init__(self, sizes: Widths, words: int) -> None:
        super().__init__()
        self.sizes = sizes
        self.table = nn.EmbeddingBag(
            BUCKETS if sizes.ngrams else words, sizes.size, mode="sum", padding_idx=PAD
        )
        nn.init.normal_(self.table.weight, 0, 0.1)
        with torch.no_grad():
            self.table.weight[PAD] = 0
        if sizes.bins:
            eye = torch.eye(sizes.size).repeat(sizes.bins, 1, 1)
            self.by_place = nn.Parameter(eye + 0.05 * torch.randn_like(eye))

    def forward(self, words: Tensor) -> Tensor:
        flat = words.flatten(0, -2)
        if self.sizes.bins:
            vectors = nn.functional.embedding(flat, self.table.weight, padding_idx=PAD)
            lengths = (flat != PAD).sum(1, keepdim=True).clamp(min=1)
            place = torch.arange(flat.shape[1], device=flat.device)
            bins = (place * self.sizes.bins // lengths).clamp(max=self.sizes.bins - 1)
            moved = torch.einsum("nwd,kde->nwke", vectors, self.by_place)
            chosen = bins[:, :, None, None].expand(-1, -1, 1, moved.shape[3])
            summed = moved.gather(2, chosen).squeeze(2).sum(1)
        else:
            summed = self.table(hashed_grams(flat, 3, BUCKETS) if self.sizes.ngrams else flat)
        return summed.view(*words.shape[:-1], -1)


class MemNN(Model):
    """Fetches supporting sentences one after another, then ranks the answers."""

    Sizes = Widths
    regime = Regime(epochs=25, lr=3e-3, clip=5)
    paper = "Weston et al. 2015 (bAbI), proposal"
    inputs = "sentences"
    uses_supports = True

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        size = sizes.size
        self.asked, self.fetched, self.memory = (_Bag(sizes, shape.words) for _ in range(3))
        self.asked_for_answer, self.fetched_for_answer = (
            _Bag(sizes, shape.words) for _ in range(2)
        )
        self.age = nn.Embedding(AGES, size)
        self.order = nn.Embedding(3, size)  # nothing fetched yet, before it, after it
        self.stop = nn.Parameter(torch.randn(size) * 0.1) if sizes.adaptive else None
        self.answers = nn.Parameter(torch.randn(shape.answers, size) * 0.1)
        for table in (self.age, self.order):
            nn.init.normal_(table.weight, 0, 0.1)
        if sizes.nonlinear:
            self.bend = nn.ModuleList(nn.Linear(size, size, bias=False) for _ in range(4))

    def _bent(self, which: int, vectors: Tensor) -> Tensor:
        if self.sizes.nonlinear:
            result: Tensor = self.bend[which](vectors.tanh()).tanh()
            return result
        return vectors.tanh() if self.sizes.bins else vectors

    @property
    def _most(self) -> int:
        return MAX_SUPPORTS if self.sizes.adaptive else self.sizes.hops

    def forward(self, batch: Batch) -> Output:
        """Fetch with the true sentences while training, with the chosen ones otherwise."""
        count, depth = batch.story.shape[:2]
        there = told(batch.sentences, depth)
        memory = self.memory(batch.story)
        age = (batch.sentences.unsqueeze(1) - 1 - torch.arange(depth, device=there.device)).clamp(
            0, AGES - 1
        )
        memory = memory + self.age(age)
        fetched_as = self.fetched(batch.story)
        context = self.asked(batch.question)
        rows = torch.arange(count, device=there.device)
        wanted = self._wanted(batch)
        last = torch.full((count,), -1, device=there.device)
        going = torch.ones(count, dtype=torch.bool, device=there.device)
        chosen = torch.full((count, MAX_SUPPORTS), -1, device=there.device)
        taken = torch.zeros(count, depth, device=there.device)
        losses = []
        for hop in range(self._most):
            scores = self._scores(memory, context, last, there)
            best = scores.argmax(1)
            if self.training:
                gold = wanted[:, hop]  # depth stands for STOP
                going = gold >= 0
                if not bool(going.any()):
                    break
                losses.append(_margin(scores, gold, going, self.sizes.margin))
                best = gold.clamp(min=0)
            fetch = going & (best < depth)
            safe = best.clamp(max=depth - 1)
            chosen[:, hop] = torch.where(fetch, best, -1)
            step = fetch.to(memory.dtype)
            context = context + step.unsqueeze(1) * fetched_as[rows, safe]
            taken[rows, safe] += step
            last = torch.where(fetch, best, last)
            if not self.training:
                going = fetch
                if not bool(going.any()):
                    break
        about = self.asked_for_answer(batch.question) + (
            taken.unsqueeze(1) @ self.fetched_for_answer(batch.story)
        ).squeeze(1)
        logits = self._bent(2, about) @ self._bent(3, self.answers).T
        known = batch.answer >= 0
        loss = None
        if self.training:
            losses.append(_margin(logits, batch.answer, known, self.sizes.margin))
            loss = torch.stack(losses).sum()
        return Output(logits, loss, chosen)

    def _wanted(self, batch: Batch) -> Tensor:
        """[B, most + 1] what to fetch at each hop: a sentence, STOP, or -1 for nothing."""
        wanted = batch.support.clone()
        if self.sizes.adaptive:
            ends = (wanted >= 0).sum(1)
            rows = (ends < MAX_SUPPORTS).nonzero().squeeze(1)
            wanted[rows, ends[rows]] = batch.story.shape[1]
        return wanted

    def _scores(self, memory: Tensor, context: Tensor, last: Tensor, there: Tensor) -> Tensor:
        """[B, S + 1] how well each sentence, and STOP, fits."""
        depth = memory.shape[1]
        place = torch.arange(depth, device=memory.device)
        order = torch.where(place > last.unsqueeze(1), 2, 1)
        order = torch.where((last < 0).unsqueeze(1), 0, order)
        sentences = self._bent(1, memory + self.order(order))
        asked = self._bent(0, context)
        scores = (sentences @ asked.unsqueeze(2)).squeeze(2).masked_fill(~there, float("-inf"))
        stop = (
            asked @ self._bent(1, self.stop)
            if self.stop is not None
            else scores.new_full((len(scores),), float("-inf"))
        )
        return torch.cat([scores, stop.unsqueeze(1)], 1)


def _margin(scores: Tensor, gold: Tensor, counted: Tensor, margin: float) -> Tensor:
    """The mean over counted rows of all violations of the margin."""
    right = scores.gather(1, gold.clamp(min=0).unsqueeze(1))
    wrong = (margin - right + scores).clamp(min=0)
    wrong = wrong.masked_fill(scores == float("-inf"), 0)
    wrong = wrong.scatter(1, gold.clamp(min=0).unsqueeze(1), 0.0)
    total: Tensor = (wrong.sum(1) * counted).sum() / counted.sum().clamp(min=1)
    return total
