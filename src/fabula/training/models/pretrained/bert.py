"""CLUTRR's pretrained baselines: a frozen encoder with a small classifier on top.

Names become the numerals 0 to 19, drawn per story, so that a story with many people has none that
training never saw. The encoder is not trained: each story goes through it once, alone, and its
output is cached in half precision.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from fabula.errors import FabulaError
from fabula.evaluation.checkpoint import quietly
from fabula.training.data import PLACEHOLDERS, Batch, Graph
from fabula.training.model import Output, Regime, Shape
from fabula.training.models.layers import Sequences, classifier
from fabula.training.models.pretrained.base import KEPT, Loading, Pretrained, stories

NOBODY = -1


class Text(NamedTuple):
    """A story with numerals for names."""

    text: str
    people: tuple[tuple[int, int, int], ...]
    """(numeral, start, end) of each mention."""
    asked: tuple[int, int]
    """The numerals of the two people in the question."""


class Read(NamedTuple):
    """The encoder's output for stories."""

    states: Tensor
    """[B, T, d] the tokens."""
    there: Tensor
    """[B, T] which of them are not padding."""
    who: Tensor
    """[B, T] the numeral of the person that a token names, or NOBODY."""


@dataclass(frozen=True)
class Frozen(Loading):
    """Whether the encoder is frozen, and how much of its output is cached."""

    frozen: bool = True
    kept_megabytes: int = field(default=4000, metadata={"least": 0})


class Bert(Pretrained):
    """The mean of all tokens next to the sums of those that name the two people of the question."""

    Sizes = Frozen
    regime = Regime(epochs=20, batch=32, lr=1e-3, clip=1)
    paper = "Sinha et al. 2019 (CLUTRR), baseline"
    of_two = True

    def __init__(self, sizes: Frozen, shape: Shape, *kept: Any) -> None:
        super().__init__(sizes, shape, *kept)
        self.width = int(self.net.config.hidden_size)
        if sizes.frozen:  # not part of the model's own weights
            self.__dict__["net"] = self._modules.pop("net")
            self.net.eval().requires_grad_(False)
        self.memory: dict[str, tuple[Tensor, Tensor]] = {}
        self.room = sizes.kept_megabytes * 1_000_000
        self.decide = classifier(self.width, shape.answers)

    def load(self, weights: bool) -> Any:
        """The network; a frozen one is stored with its weights."""
        return super().load(weights or self.sizes.frozen)

    def keep(self, folder: Path) -> None:
        """Include the weights if they are not the model's own."""
        super().keep(folder)
        if self.sizes.frozen:
            with quietly():
                self.net.save_pretrained(folder / KEPT)

    def forward(self, batch: Batch) -> Output:
        """Read, look up the two people, pool."""
        between = f" {self.tokens.sep_token or ''} "
        texts = [
            numbered(told, between, each.graph)
            for told, each in zip(stories(batch), batch.examples, strict=True)
        ]
        device = batch.answer.device
        read = self.refined(self._read(texts, device))
        asked = torch.tensor([text.asked for text in texts], device=device)
        named = (read.who.unsqueeze(1) == asked.unsqueeze(2)) & (asked >= 0).unsqueeze(2)
        first, second = (named.to(read.states.dtype) @ read.states).unbind(1)
        there = read.there.unsqueeze(2)
        pooled = (read.states * there).sum(1) / there.sum(1)
        return Output(self.decide(torch.cat([first, second, pooled], 1)))

    def refined(self, read: Read) -> Read:
        """A transformation of the encoder's output before it is pooled."""
        return read

    # --- the encoder ----------------------------------------------------------------------

    def _read(self, texts: Sequence[Text], device: torch.device) -> Read:
        """Encode stories: in a batch if the encoder is trained, else each alone and once."""
        if self.sizes.frozen:
            rows = [self._remembered(text, device) for text in texts]
            states = pad_sequence([row for row, _ in rows], batch_first=True).to(device).float()
            who = pad_sequence([row for _, row in rows], batch_first=True, padding_value=NOBODY)
            lengths = torch.tensor([len(row) for _, row in rows]).unsqueeze(1)
            there = torch.arange(who.shape[1]) < lengths
        else:
            read = self.tokenised([text.text for text in texts], return_token_type_ids=False)
            states = self.net(**read.to(device)).last_hidden_state
            who = torch.stack([_who(read, row, text) for row, text in enumerate(texts)])
            there = read["attention_mask"].bool()
        return Read(states, there.to(device), who.to(device))

    def _remembered(self, text: Text, device: torch.device) -> tuple[Tensor, Tensor]:
        """([T, d] tokens, [T] whom they name) of one story."""
        found = self.memory.get(text.text)
        if found is None:
            read = self.tokenised([text.text], return_token_type_ids=False)
            with torch.no_grad():
                states = self.net.to(device)(**read.to(device)).last_hidden_state[0]
            found = states.half().cpu(), _who(read, 0, text)
            if self.room > 0:
                self.room -= found[0].nbytes
                self.memory[text.text] = found
        return found


@dataclass(frozen=True)
class Layered(Frozen):
    """An LSTM over the encoder's words."""

    layers: int = 2
    hidden: int = 0
    """Its width; 0: that of the encoder, as in the paper."""


class BertLSTM(Bert):
    """People are random vectors among the encoder's outputs, and an LSTM reads both."""

    Sizes = Layered

    def __init__(self, sizes: Layered, shape: Shape, *kept: Any) -> None:
        super().__init__(sizes, shape, *kept)
        self.rows: Tensor
        self.register_buffer("rows", torch.randn(PLACEHOLDERS, self.width))
        hidden = sizes.hidden or self.width
        self.lstm = Sequences(self.width, hidden, sizes.layers)
        self.decide = classifier(hidden, shape.answers)

    def refined(self, read: Read) -> Read:
        """Vectors for people, redrawn for each training batch; then the LSTM."""
        count = len(read.states)
        order = torch.arange(PLACEHOLDERS, device=self.rows.device).expand(count, -1)
        if self.training:
            order = torch.rand(order.shape, device=order.device).argsort(1)
        rows = self.rows[order.gather(1, read.who.clamp(min=0))]
        words = torch.where((read.who >= 0).unsqueeze(2), rows, read.states)
        return read._replace(states=self.lstm(words, read.there.sum(1)))


# --- numerals for names ---------------------------------------------------------------------------


def numbered(told: Sequence[str], between: str, graph: Graph | None) -> Text:
    """A story with numerals for the people of its graph."""
    text = between.join(told)
    if graph is None:
        return Text(text, (), (NOBODY, NOBODY))
    names = graph.entities
    if len(names) > PLACEHOLDERS:
        raise FabulaError(
            f"a story has {len(names)} people, but there are only {PLACEHOLDERS} numerals."
        )
    drawn = random.Random(text).sample(range(PLACEHOLDERS), len(names))
    numeral = dict(zip(names, drawn, strict=True))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)")
    parts, people, length, done = [], [], 0, 0
    for found in pattern.finditer(text):
        before, number = text[done : found.start()], numeral[found[0]]
        start = length + len(before)
        length = start + len(str(number))
        parts += [before, str(number)]
        people.append((number, start, length))
        done = found.end()
    first, second = graph.query
    return Text("".join([*parts, text[done:]]), tuple(people), (drawn[first], drawn[second]))


def _who(read: Any, row: int, text: Text) -> Tensor:
    """[T] whom each token names."""
    who = torch.full(read["input_ids"].shape[1:], NOBODY)
    for numeral, start, end in text.people:
        for at in range(start, end):
            token = read.char_to_token(row, at)
            if token is not None:  # not truncated
                who[token] = numeral
    return who
