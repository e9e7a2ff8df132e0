"""Extractive reader: an encoder that points at the answer.

Answers that the story does not mention are listed after the question so that they can be pointed
at, and so are yes, no and numbers, which a story may contain without meaning them.

    [CLS] Is Mary in the office? yes; no; garden [SEP] Mary went to the office. … [SEP]
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import torch

from fabula.training.data import Batch
from fabula.training.model import Output, Regime, Shape
from fabula.training.models.pretrained.base import Loading, Pretrained, stories

BESIDE = {
    "yes", "no", "maybe", "none", "nothing",
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
}  # fmt: skip
QUESTION, STORY = 0, 1  # the two input sequences
NOWHERE = 1e-30  # the probability of an answer whose mentions were all truncated


class Mention(NamedTuple):
    """A mention of an answer."""

    answer: int
    sequence: int
    start: int
    end: int


class Page(NamedTuple):
    """The input text and the positions of answers in it."""

    question: str
    """The question, followed by the answers."""
    story: str
    mentions: tuple[Mention, ...]


@dataclass(frozen=True)
class Pointing(Loading):
    """The spans that count as pointing at the answer."""

    mentions: Literal["all", "last"] = "all"
    """Whether any mention of the answer is right in training, or, as with span readers, only the
    last.
    """


class Extractive(Pretrained):
    """Start and end of the answer; mentions of one answer add up."""

    Sizes = Pointing
    regime = Regime(epochs=12, batch=16, lr=1e-4, clip=1, warm_steps=20, patience=4)
    paper = "Tamari et al. 2022 (Dyna-bAbI): RoBERTa as a span reader"
    kind = "AutoModelForQuestionAnswering"

    def __init__(self, sizes: Pointing, shape: Shape, *kept: Any) -> None:
        super().__init__(sizes, shape, *kept)
        self.page = lru_cache(1 << 15)(Pages(shape.labels))

    def forward(self, batch: Batch) -> Output:
        """Read, and add up the scores of each answer."""
        pages = [
            self.page(" ".join(told), each.asked)
            for told, each in zip(stories(batch), batch.examples, strict=True)
        ]
        read = self.tokenised([page.question for page in pages], [page.story for page in pages])
        device = batch.answer.device
        said = self.net(**read.to(device))
        apart = ~read["attention_mask"].bool()
        starts, ends = (
            logits.masked_fill(apart, float("-inf")).log_softmax(1)
            for logits in (said.start_logits, said.end_logits)
        )
        spans = [
            (row, mention.answer, *found)
            for row, page in enumerate(pages)
            for mention in page.mentions
            if (found := self._tokens(read, row, mention))
        ]
        rows, answers, first, last = torch.tensor(spans, device=device).view(-1, 4).unbind(1)
        pointed = starts[rows, first] + ends[rows, last]
        likely = pointed.new_full((len(batch), self.shape.answers), NOWHERE)
        logits = likely.index_put((rows, answers), pointed.exp(), accumulate=True).log()
        latest = {(row, answer): at for at, (row, answer, *_) in enumerate(spans)}
        wanted = [latest[pair] for pair in enumerate(batch.answer.tolist()) if pair in latest]
        right = pointed[wanted] if self.sizes.mentions == "last" else logits[rows, answers][wanted]
        return Output(logits, -right.sum() / len(batch))

    def _tokens(self, read: Any, row: int, mention: Mention) -> tuple[int, int] | None:
        """First and last token of a mention, unless it was truncated."""
        _, sequence, start, end = mention
        first = read.char_to_token(row, start, sequence)
        last = read.char_to_token(row, end - 1, sequence)
        return None if first is None or last is None else (first, last)


class Pages:
    """Makes pages."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        self.labels = labels
        self.numbers = {label.lower(): at for at, label in enumerate(labels)}
        words = [label for label in self.numbers if "," not in label and label not in BESIDE]
        longest_first = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
        # no search if no answer is a word; a part of a compound does not count
        self.pattern = re.compile(rf"(?<![\w-])(?:{longest_first or '(?!)'})(?![\w-])")

    def __call__(self, story: str, question: str) -> Page:
        """A story and its question, with all answers in or next to them."""
        mentions = [
            Mention(self.numbers[found[0]], STORY, *found.span())
            for found in self.pattern.finditer(story.lower())
        ]
        mentioned = {mention.answer for mention in mentions}
        beside, between = [], " "
        for number, label in enumerate(self.labels):
            if number not in mentioned:
                text = label.replace(",", ", ")
                start = len(question) + len(between)
                question += between + text
                beside.append(Mention(number, QUESTION, start, len(question)))
                between = "; "
        return Page(question, story, (*beside, *mentions))
