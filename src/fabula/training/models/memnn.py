"""Memory network with strong supervision: it learns which sentences to fetch, and in which order.

Variants by flag: adaptive memories (fetch until STOP wins, answer word by word), N-grams, a
non-linear or multilinear match. Which of two sentences is fetched depends on their words, on
whether they come before or after the previously fetched one, and on which of them comes later: with
so much weight that the latest of similar sentences wins, however close the others are. So they are
compared in pairs, one after another.

Our additions: no sentence is fetched twice, and the answer knows which of the fetched ones comes
last, without which two places in two sentences cannot be told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from fabula.errors import FabulaError
from fabula.training.data import MAX_SUPPORTS, PAD, Batch
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.layers import Grams, told
from fabula.training.models.spelling import Spelling

TIMES = 3  # later than another; before or after the previously fetched one
TIME_SCALE = 3  # time counts as much as content


@dataclass(frozen=True)
class Widths:
    """Width, margin and the extensions of the paper."""

    size: int = 50
    margin: float = 0.1
    hops: int = 2
    """Maximum number of sentences fetched; never more than any training example needs."""
    adaptive: bool = False
    """AM: fetch until the memory STOP is best, at most ten times; answer until the word STOP is."""
    ngrams: bool = False
    """NG: bags of 1- to 3-grams."""
    rows: int = 8192
    """Maximum number of N-grams with a vector; the first ones that occur."""
    nonlinear: bool = False
    """NL: tanh layers on both sides of the match."""
    bins: int = 0
    """Multilinear: number of bins of word positions, with a matrix for each; 0: none."""


class _Bag(nn.Module):
    """Words to a vector: a bag of words, of N-grams, or with a matrix by position."""

    def __init__(self, sizes: Widths, rows: int) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag(rows, sizes.size, mode="sum", padding_idx=PAD)
        nn.init.normal_(self.table.weight, 0, 0.1)
        with torch.no_grad():
            self.table.weight[PAD] = 0
        self.bins = sizes.bins
        if self.bins:
            eye = torch.eye(sizes.size).repeat(self.bins, 1, 1)
            self.by_place = nn.Parameter(eye + 0.05 * torch.randn_like(eye))

    def forward(self, words: Tensor) -> Tensor:
        flat = words.flatten(0, -2)
        if self.bins:
            vectors = nn.functional.embedding(flat, self.table.weight, padding_idx=PAD)
            lengths = (flat != PAD).sum(1, keepdim=True).clamp(min=1)
            place = torch.arange(flat.shape[1], device=flat.device)
            bins = ((place + 1) * self.bins + lengths - 1) // lengths - 1  # the last of its words
            bins = bins.clamp(0, self.bins - 1)
            moved = torch.einsum("nwd,kde->nwke", vectors, self.by_place)
            chosen = bins[:, :, None, None].expand(-1, -1, 1, moved.shape[3])
            summed = moved.gather(2, chosen).squeeze(2).sum(1)
        else:
            summed = self.table(flat)
        return summed.view(*words.shape[:-1], -1)


class MemNN(Model):
    """Fetches supporting sentences one after another, then ranks the answers."""

    Sizes = Widths
    # chosen by the training loss: the held-out tenth is too small to rank nearly perfect models
    regime = Regime(epochs=25, lr=3e-3, clip=5, halve_every=8, select="train")
    paper = "Weston et al. 2015 (bAbI), proposal"
    inputs = "sentences"
    uses_supports = True
    needed: Tensor
    """The maximum number of sentences that a training example needs."""

    @classmethod
    def check(cls, sizes: Widths) -> None:
        """Check that N-grams and bins are not combined: an N-gram has no position in its
        sentence.
        """
        if sizes.ngrams and sizes.bins:
            raise FabulaError("memnn: ngrams and bins cannot be combined; choose one.")

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        size = sizes.size
        self.grams = Grams(sizes.rows) if sizes.ngrams else None
        rows = sizes.rows if sizes.ngrams else shape.words
        self.asked, self.fetched, self.memory = (_Bag(sizes, rows) for _ in range(3))
        self.asked_for_answer, self.fetched_for_answer, self.latest_for_answer = (
            _Bag(sizes, rows) for _ in range(3)
        )
        self.times = nn.Linear(size, TIMES)
        if sizes.adaptive:
            self.spelling = Spelling(shape)
            self.stop = nn.Parameter(torch.randn(size) * 0.1)
            self.said = nn.Parameter(torch.randn(self.spelling.words, size) * 0.1)
        ranked = self.spelling.words + 1 if sizes.adaptive else shape.answers
        self.answers = nn.Parameter(torch.randn(ranked, size) * 0.1)
        if sizes.nonlinear:
            self.bend = nn.ModuleList(nn.Linear(size, size, bias=False) for _ in range(4))
        self.register_buffer("needed", torch.tensor(1))

    def _bent(self, which: int, vectors: Tensor) -> Tensor:
        if self.sizes.nonlinear:
            result: Tensor = self.bend[which](vectors.tanh()).tanh()
            return result
        return vectors.tanh() if self.sizes.bins else vectors

    def remarks(self) -> dict[str, Any]:
        """Whether there were rows for all N-grams."""
        return self.grams.remarks() if self.grams is not None else {}

    def meet(self, batch: Batch) -> None:
        """Assign rows to the N-grams of a batch, and record how many sentences it needs."""
        if self.grams is not None:
            self.grams(batch.story), self.grams(batch.question)
        self._wanted(batch)

    def forward(self, batch: Batch) -> Output:
        """Fetch the true sentences while training, the chosen ones otherwise."""
        story, question = batch.story, batch.question
        if self.grams is not None:
            story, question = self.grams(story), self.grams(question)
        chosen, taken, losses = self._fetch(batch, story, question)
        about = self.asked_for_answer(question) + self._known(story, taken)
        if not self.sizes.adaptive:
            logits = self._ranked(about)
            if not self.training:
                return Output(logits, None, chosen)
            losses.append(_margin(logits, batch.answer, batch.answer >= 0, self.sizes.margin))
            return Output(logits, torch.stack(losses).sum(), chosen)
        scores = self._ranked(about.unsqueeze(1) + self.spelling.bags @ self.said)
        logits, spelled = self.spelling.answers(scores)
        if not self.training:
            return Output(logits, None, chosen, spelled)
        scores, words, there = self.spelling.taught(scores, batch.answer)
        losses += [
            _margin(scores[:, at], words[:, at], there[:, at], self.sizes.margin)
            for at in range(words.shape[1])
        ]
        return Output(logits, torch.stack(losses).sum(), chosen, spelled)

    def _known(self, story: Tensor, taken: Tensor) -> Tensor:
        """The fetched sentences, for the answer; the last one counts separately, because a bag of
        'Mary went to the park. Then she went to the hall.' has two places and no order.
        """
        known: Tensor = (taken.unsqueeze(1) @ self.fetched_for_answer(story)).squeeze(1)
        latest = (taken * torch.arange(1, taken.shape[1] + 1, device=taken.device)).argmax(1)
        told_last: Tensor = self.latest_for_answer(story[torch.arange(len(story)), latest])
        return known + told_last * taken.sum(1, keepdim=True).clamp(max=1)

    def _ranked(self, about: Tensor) -> Tensor:
        """How well each answer, or word of an answer, fits."""
        return self._bent(2, about) @ self._bent(3, self.answers).T

    def _fetch(
        self, batch: Batch, story: Tensor, question: Tensor
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """[B, 10] the sentences fetched, [B, S] the same as 0 and 1, and the losses."""
        count, depth = story.shape[:2]
        rows = torch.arange(count, device=story.device)
        there = told(batch.sentences, depth)
        memory, fetched, context = self.memory(story), self.fetched(story), self.asked(question)
        wanted = self._wanted(batch) if self.training else None
        last = torch.full((count,), -1, device=story.device)
        going = torch.ones(count, dtype=torch.bool, device=story.device)
        chosen = torch.full((count, MAX_SUPPORTS), -1, device=story.device)
        taken = torch.zeros(count, depth, device=story.device)
        losses: list[Tensor] = []
        for hop in range(self._most()):
            scores, later = self._scores(memory, context, last, there & (taken == 0))
            if wanted is None:
                best = _tournament(scores, later)
                going = going & (best < depth)
            else:
                best, known = wanted[:, hop], wanted[:, hop] >= 0  # depth stands for STOP
                if bool(known.any()):
                    order = _order(best, depth) * later.unsqueeze(1)
                    losses.append(_margin(scores, best, known, self.sizes.margin, order))
                going = known & (best < depth)
            if not bool(going.any()):
                break
            safe = best.clamp(0, depth - 1)
            chosen[:, hop] = torch.where(going, best, -1)
            step = going.to(memory.dtype)
            context = context + step.unsqueeze(1) * fetched[rows, safe]
            taken = taken.index_put((rows, safe), going.float(), accumulate=True)
            last = torch.where(going, best, last)
        return chosen, taken, losses

    def _most(self) -> int:
        return MAX_SUPPORTS if self.sizes.adaptive else min(self.sizes.hops, int(self.needed))

    def _wanted(self, batch: Batch) -> Tensor:
        """[B, 10] what to fetch at each hop: a sentence, STOP, or -1 for nothing."""
        wanted = batch.support.clone()
        ends = (wanted >= 0).sum(1)
        self.needed.clamp_(min=ends.max())
        if self.sizes.adaptive:
            rows = (ends < MAX_SUPPORTS).nonzero().squeeze(1)
            wanted[rows, ends[rows]] = batch.story.shape[1]
        return wanted

    def _scores(
        self, memory: Tensor, context: Tensor, last: Tensor, there: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[B, S + 1] how well each sentence, and STOP, fits; [B] the bonus for coming later than
        another.
        """
        asked = self._bent(0, context)
        later, *when = (TIME_SCALE * self.times(asked)).unbind(1)
        scores = (self._bent(1, memory) @ asked.unsqueeze(2)).squeeze(2)
        place, fetched = torch.arange(there.shape[1], device=last.device), last.unsqueeze(1)
        for side, weight in zip(
            (place < fetched, (place > fetched) & (fetched >= 0)), when, strict=True
        ):
            scores = scores + side * weight.unsqueeze(1)
        scores = scores.masked_fill(~there, float("-inf"))
        stop = (
            asked @ self._bent(1, self.stop).unsqueeze(1)
            if self.sizes.adaptive
            else scores.new_full((len(scores), 1), float("-inf"))
        )
        return torch.cat([scores, stop], 1), later


def _order(gold: Tensor, depth: int) -> Tensor:
    """[B, S + 1] 1 where the wanted sentence comes later than another, -1 where it comes earlier, 0
    for STOP, which has no time.
    """
    place = torch.arange(depth + 1, device=gold.device)
    told_at_all = (place < depth) & (gold < depth).unsqueeze(1)
    return (gold.unsqueeze(1) - place).sign() * told_at_all


def _tournament(scores: Tensor, later: Tensor) -> Tensor:
    """[B] each sentence in turn against the best of those before it, as in the paper; then STOP
    against the winner. If nothing is left, STOP wins too.
    """
    best = torch.full_like(later, scores.shape[1] - 1, dtype=torch.long)
    score = torch.full_like(later, float("-inf"))
    for place, challenger in enumerate(scores[:, :-1].unbind(1)):
        wins = challenger + later > score
        best, score = torch.where(wins, place, best), torch.where(wins, challenger, score)
    return torch.where(scores[:, -1] > score, scores.shape[1] - 1, best)


def _margin(
    scores: Tensor, gold: Tensor, counted: Tensor, margin: float, order: Tensor | float = 0.0
) -> Tensor:
    """All violations of the margin in the counted rows, per row of the batch; `order` is the bonus
    of the right one against each of the others.
    """
    right = scores.gather(1, gold.clamp(min=0).unsqueeze(1))
    wrong = (margin - right + scores - order).clamp(min=0)
    wrong = wrong.masked_fill(scores == float("-inf"), 0)
    wrong = wrong.scatter(1, gold.clamp(min=0).unsqueeze(1), 0.0)
    total: Tensor = torch.where(counted, wrong.sum(1), 0).sum() / len(scores)
    return total
