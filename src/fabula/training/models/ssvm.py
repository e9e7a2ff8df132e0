"""Structured SVM cascade with strong supervision: it chooses up to three facts, then the answer.

Both stages are linear in indicators of two sentences: pairs of their words, their verbs and
arguments, and in the first stage which came first and by how much. The facts are chosen together,
as the best of all triples. Sentences are parsed by rules (see clauses.py) instead of the original's
tools; indicators are hashed to the rows of one table per stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from fabula.core.seeds import fingerprint
from fabula.errors import FabulaError
from fabula.training.data import MAX_SUPPORTS, PAD, Batch, Example
from fabula.training.model import Model, Output, Regime, Shape
from fabula.training.models.clauses import EMPTY, Clause, clauses

FACTS = 3
PAIRS = ((0, 1), (1, 2), (0, 2))  # of the facts chosen
DISTANCES = (0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 22, 30, 40, 60)
QUESTION, NO_FACT = -2, -1  # their positions after the sentences
NOWHERE = -1  # the position of the empty fact
_POSITIVE = (1 << 63) - 1


@dataclass(frozen=True)
class Widths:
    """The size of the tables and of the search."""

    rows: int = 1 << 16
    """Size of each table; indicators with the same row share their weights."""
    candidates: int = 11
    """Number of facts considered: first those that share a word with the question, then those that
    share one with these, the latest first. With the empty fact, 1728 triples are compared.
    """


class Facts(NamedTuple):
    """Sentences as numbers that stand for their parts; 0 is padding."""

    words: Tensor
    """[..., W]"""
    frame: Tensor
    """[..., F] the verb, then each argument with its role."""
    place: Tensor
    """[...] the index of the sentence; the question counts as the last."""

    def at(self, rows: Tensor) -> Facts:
        """Some of the facts of each example: [B, K, ...] at [B, N] is [B, N, ...]."""
        examples = torch.arange(len(rows), device=rows.device).unsqueeze(1)
        return Facts(*(part[examples, rows] for part in self))

    def only(self, rows: Sequence[int]) -> Facts:
        """Some of the facts of one example."""
        return Facts(*(part[torch.tensor(rows)] for part in self))

    def along(self, dimension: int) -> Facts:
        """The same with one more dimension, for all pairs."""
        return Facts(*(part.unsqueeze(dimension) for part in self))


class StructuredSVM(Model):
    """Chooses the facts that together fit the question best, and from them the answer."""

    Sizes = Widths
    regime = Regime(epochs=15, lr=0.01, clip=0, halve_every=4, select="train")
    paper = "Weston et al. 2015 (bAbI), baseline"
    inputs = "text"
    uses_supports = True
    at_once = 64

    def __init__(self, sizes: Widths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        # a column for each fact with the question, then one for each pair of facts
        self.choice = _table(sizes.rows, FACTS + len(PAIRS))
        self.answers = _table(sizes.rows, shape.answers)

    @classmethod
    def check(cls, sizes: Widths) -> None:
        """Check that there are candidates to choose from, and rows besides padding."""
        if sizes.candidates < 1 or sizes.rows < 2:
            raise FabulaError("ssvm: set candidates to at least 1 and rows to at least 2.")

    def forward(self, batch: Batch) -> Output:
        """Answer from the true facts while training, from the chosen ones otherwise."""
        question, facts, gold = self._read(batch)
        if not self.training:
            chosen = self._best(question, facts, None)
            support = facts.place.gather(1, chosen)
            support = nn.functional.pad(support, (0, MAX_SUPPORTS - FACTS), value=-1)
            return Output(self._answered(question, facts.at(chosen)), None, support)
        worst = self._best(question, facts, gold)
        wrong = (worst != gold).sum(1)
        gap = self._fit(question, facts.at(worst)) - self._fit(question, facts.at(gold))
        logits = self._answered(question, facts.at(gold))
        loss = (wrong + gap).clamp(min=0).mean() + _hinge(logits, batch.answer)
        return Output(logits, loss)

    # --- input ------------------------------------------------------------------------------

    def _read(self, batch: Batch) -> tuple[Facts, Facts, Tensor]:
        """Questions [B, 1, ...], candidates [B, K, ...] with the empty fact first, and which of
        them are the supports, [B, 3]; while training, these are always candidates.
        """
        asked, found = [], []
        gold = torch.zeros(len(batch), FACTS, dtype=torch.long)
        lengths, supports = batch.sentences.tolist(), batch.support[:, :FACTS].tolist()
        for row, (one, kept, support) in enumerate(
            zip(batch.examples, lengths, supports, strict=True)
        ):
            reading = _reading(*_texts(one, kept))
            candidates = reading.candidates[: self.sizes.candidates]
            if self.training:
                wanted = [sentence for sentence in support if sentence >= 0]
                candidates = list(dict.fromkeys((*wanted, *candidates)))
                gold[row, : len(wanted)] = torch.arange(1, len(wanted) + 1)
            asked.append(reading.facts.only([QUESTION]))
            found.append(reading.facts.only([NO_FACT, *candidates]))
        device = batch.sentences.device
        return _together(asked, device), _together(found, device), gold.to(device)

    # --- stage 1: the facts -----------------------------------------------------------------

    @torch.no_grad()
    def _best(self, question: Facts, facts: Facts, gold: Tensor | None) -> Tensor:
        """[B, 3] the best triple; with `gold`, the one that violates its margin most."""
        count = facts.place.shape[1]
        to_question = self.choice(self._rows(_pairs(question, facts), _times(question, facts)))
        one, other = facts.along(2), facts.along(1)
        to_other = self.choice(self._rows(_pairs(one, other), _times(one, other)))
        if gold is not None:
            to_question[..., :FACTS] += (
                torch.arange(count, device=gold.device)[:, None] != gold[:, None, :]
            )
        scores = torch.zeros(1, device=facts.place.device)
        for slot in range(FACTS):
            scores = scores + _spread(to_question[..., slot], slot)
        for number, pair in enumerate(PAIRS, FACTS):
            scores = scores + _spread(to_other[..., number], *pair)
        best = scores.masked_fill(~_sensible(question, facts), float("-inf")).flatten(1).argmax(1)
        return torch.stack([best // count**2, best // count % count, best % count], 1)

    def _fit(self, question: Facts, chosen: Facts) -> Tensor:
        """[B] how well these three facts fit the question and each other."""
        first, second = (
            Facts(*(part[:, list(ends)] for part in chosen)) for ends in zip(*PAIRS, strict=True)
        )
        to_question = self.choice(self._rows(_pairs(question, chosen), _times(question, chosen)))
        to_other = self.choice(self._rows(_pairs(first, second), _times(first, second)))
        own = to_question[..., :FACTS].diagonal(dim1=1, dim2=2).sum(1)
        total: Tensor = own + to_other[..., FACTS:].diagonal(dim1=1, dim2=2).sum(1)
        return total

    # --- stage 2: the answer ----------------------------------------------------------------

    def _answered(self, question: Facts, chosen: Facts) -> Tensor:
        """[B, A] scores of the answers, from the words of the question and its indicators with each
        fact.
        """
        slots = torch.arange(1, FACTS + 1, device=chosen.place.device)
        together = _mixed(_pairs(question, chosen), slots[:, None])
        logits: Tensor = self.answers(
            self._rows(question.words[:, 0], question.frame[:, 0], together.flatten(1))
        )
        return logits

    def _rows(self, *keys: Tensor) -> Tensor:
        """Indicators as rows of a table."""
        key = torch.cat(keys, -1)
        return torch.where(key == PAD, PAD, 1 + key % (self.sizes.rows - 1))


class _Table(nn.EmbeddingBag):
    """Adds up rows, over any leading dimensions."""

    def forward(self, rows: Tensor) -> Tensor:  # type: ignore[override]
        """[..., N] rows to [..., columns]."""
        return super().forward(rows.flatten(0, -2)).view(*rows.shape[:-1], self.embedding_dim)


def _table(rows: int, columns: int) -> _Table:
    table = _Table(rows, columns, mode="sum", padding_idx=PAD)
    nn.init.zeros_(table.weight)
    return table


# --- indicators -----------------------------------------------------------------------------------


def _mixed(one: Tensor, other: Tensor) -> Tensor:
    """A number for each pair of numbers, PAD if one of them is."""
    mixed = (one * 0x9E3779B97F4A7C1 + other) * 0x2545F4914F6CDD1D
    mixed = (mixed ^ (mixed >> 29)) & _POSITIVE
    return torch.where((one == PAD) | (other == PAD), PAD, mixed)


def _grid(one: Tensor, other: Tensor) -> Tensor:
    """[..., N * M] all pairs."""
    return _mixed(one.unsqueeze(-1), other.unsqueeze(-2)).flatten(-2)


def _pairs(one: Facts, other: Facts) -> Tensor:
    """[..., N] pairs of words of both sentences, and likewise of verbs and arguments."""
    return torch.cat([_grid(one.words, other.words), _grid(one.frame, other.frame)], -1)


def _times(one: Facts, other: Facts) -> Tensor:
    """[..., N] which of two sentences comes first, and for each distance whether they are further
    apart.
    """
    steps = torch.tensor(DISTANCES, device=one.place.device)
    way = (other.place - one.place).unsqueeze(-1)
    number = torch.arange(1, len(DISTANCES) + 1, device=steps.device)
    there = ((one.place != NOWHERE) & (other.place != NOWHERE)).unsqueeze(-1)
    known = there & (way.abs() > steps)
    return torch.where(known, _mixed(number, 1 + (way > 0).long()), PAD)


# --- triples --------------------------------------------------------------------------------------


def _spread(scores: Tensor, *slots: int) -> Tensor:
    """Scores of one fact or a pair, broadcast to triples: [B, K, K, K], with size 1 elsewhere."""
    for slot in range(FACTS):
        if slot not in slots:
            scores = scores.unsqueeze(1 + slot)
    return scores


def _sensible(question: Facts, facts: Facts) -> Tensor:
    """[B, K, K, K] triples of different facts, the empty ones last, in which each shares a word
    with the question or another.
    """
    number = torch.arange(facts.place.shape[1], device=facts.place.device)
    empty = number == 0
    there = empty | (facts.place != NOWHERE)
    asked = _have_word(question, facts) | empty
    linked = _have_word(facts.along(2), facts.along(1))
    apart = ((number[:, None] != number) | empty).unsqueeze(0)
    in_order = (~empty[:, None] | empty).unsqueeze(0)
    result = torch.ones(1, dtype=torch.bool, device=number.device)
    for slot in range(FACTS):
        near = _spread(asked, slot)
        for pair in PAIRS:
            if slot in pair:
                near = near | _spread(linked, *pair)
        result = result & near & _spread(there, slot)
    for pair in PAIRS:
        result = result & _spread(apart & in_order, *pair)
    return result


def _have_word(one: Facts, other: Facts) -> Tensor:
    """[...] whether two sentences share a word."""
    words = one.words.unsqueeze(-1)
    return ((words == other.words.unsqueeze(-2)) & (words != PAD)).flatten(-2).any(-1)


def _hinge(scores: Tensor, gold: Tensor) -> Tensor:
    """The margin violation by the worst answer, averaged over all examples."""
    known = gold >= 0
    right = gold.clamp(min=0).unsqueeze(1)
    margins = (scores + 1).scatter_add(1, right, -torch.ones_like(right, dtype=scores.dtype))
    worst = margins.max(1).values - scores.gather(1, right).squeeze(1)
    return torch.where(known, worst, 0).mean()


# --- sentences as numbers -------------------------------------------------------------------------


class _Reading(NamedTuple):
    facts: Facts
    """The sentences, the question and the empty fact."""
    candidates: list[int]
    """Sentences, the most promising first."""


def _texts(example: Example, kept: int) -> tuple[tuple[str, ...], str]:
    """The sentences that are read, and the question: the original text, or else the words
    joined.
    """
    told = example.told or tuple(map(" ".join, example.story))
    return told[len(told) - kept :], example.asked or " ".join(example.question)


@lru_cache(maxsize=1 << 15)
def _reading(told: tuple[str, ...], asked: str) -> _Reading:
    *sentences, question = clauses(told, asked)
    near = set(question.words)
    close = [at for at, one in enumerate(sentences) if near & set(one.words)]
    near = near.union(*(sentences[at].words for at in close))
    further = [at for at, one in enumerate(sentences) if near & set(one.words)]
    candidates = list(dict.fromkeys((*reversed(close), *reversed(further))))
    return _Reading(_numbers([*sentences, question, EMPTY]), candidates)


def _numbers(read: Sequence[Clause]) -> Facts:
    words = [[_number("word", word) for word in dict.fromkeys(one.words)] for one in read]
    frames = [
        [_number("verb", one.verb), *(_number(f"role {at.role}", at.name) for at in one.arguments)]
        for one in read
    ]
    places = torch.arange(len(read))
    places[NO_FACT] = NOWHERE
    return Facts(_padded(words), _padded(frames), places)


@lru_cache(maxsize=1 << 16)
def _number(kind: str, text: str) -> int:
    return fingerprint(f"{kind}:{text}") >> 2 | 1


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    width = max(1, *map(len, rows))
    return torch.tensor([[*row, *(PAD,) * (width - len(row))] for row in rows])


def _together(rows: Sequence[Facts], device: torch.device) -> Facts:
    """The facts of examples, padded to the same number and length."""
    words, frames, places = zip(*rows, strict=True)
    return Facts(
        pad_sequence(_even(words), True, PAD).to(device),
        pad_sequence(_even(frames), True, PAD).to(device),
        pad_sequence(list(places), True, NOWHERE).to(device),
    )


def _even(parts: Sequence[Tensor]) -> list[Tensor]:
    """The same, padded to equal width."""
    width = max(part.shape[1] for part in parts)
    return [nn.functional.pad(part, (0, width - part.shape[1]), value=PAD) for part in parts]
