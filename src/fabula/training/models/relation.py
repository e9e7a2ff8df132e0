"""Relation networks: every pair of sentences is processed, once (RN) or repeatedly (RRN)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fabula.errors import FabulaError
from fabula.training.data import PAD, Batch
from fabula.training.model import Model, Output, Regime, Shape, mean_loss
from fabula.training.models.bilstm import encode
from fabula.training.models.layers import Placeholders, Sequences, Words, latest, told


@dataclass(frozen=True)
class Widths:
    """Widths."""

    word: int = 32
    sentence: int = 32
    pair: int = 128
    """Width of the network for pairs; the paper's is 256."""
    sentences: int = 20
    """Maximum number of sentences that are read, the most recent ones."""


@dataclass(frozen=True)
class PairWidths(Widths):
    """Widths, and the form of the pairs."""

    people: bool = False
    """As in CLUTRR: the question is the two people it is about, looked up in the story."""
    layers: int = 1
    """LSTM layers that read a story about people; the paper has 2."""
    placeholders: Placeholders = "fixed"


class Sentences(nn.Module):
    """Each sentence and the question as the last state of an LSTM, tagged with its position."""

    def __init__(self, sizes: Widths, words: int) -> None:
        super().__init__()
        self.words = Words(words, sizes.word)
        self.read = Sequences(sizes.word, sizes.sentence)
        self.ask = Sequences(sizes.word, sizes.sentence)
        self.limit = sizes.sentences
        self.places = 2 * sizes.sentences  # while training, numbering starts anywhere
        self.object_size, self.question_size = sizes.sentence + self.places, sizes.sentence

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """([B, S, sentence + places], [B, sentence], [B, S] which are not padding)."""
        story, count = latest(batch.story, batch.sentences, self.limit)
        there = told(count, story.shape[1])
        shape = story.shape
        flat = _last(self.read, self.words, story.flatten(0, 1)).view(*shape[:2], -1)
        asked = _last(self.ask, self.words, batch.question)
        offset = (
            torch.randint(0, self.limit, (len(batch), 1), device=story.device)
            if self.training
            else count.new_zeros(len(batch), 1)
        )
        age = (count.unsqueeze(1) - 1 - torch.arange(shape[1], device=story.device)).clamp(min=0)
        place = nn.functional.one_hot((age + offset).clamp(max=self.places - 1), self.places)
        return torch.cat([flat, place.to(flat.dtype)], 2), asked, there


class People(nn.Module):
    """CLUTRR's form: a sentence is the mean of its words' states, read in both directions; the
    question is the two people it is about, each the sum of its mentions in the whole story. The
    released networks use batch normalisation, padded pairs included; ours do not.
    """

    def __init__(self, sizes: PairWidths, words: int) -> None:
        super().__init__()
        self.words = Words(words, sizes.word, sizes.word**-0.5, sizes.placeholders)
        self.read = Sequences(sizes.word, sizes.sentence, sizes.layers, both=True)
        self.object_size, self.question_size = self.read.size, 2 * self.read.size

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """([B, S, object], [B, question], [B, S] which are not padding)."""
        _, _, people = encode(batch, self.words, self.read)
        rows = batch.story.flatten(0, 1)
        lengths = (rows != PAD).sum(1).clamp(min=1)
        mean = self.read(self.words(rows), lengths).sum(1) / lengths.unsqueeze(1)
        objects = mean.view(*batch.story.shape[:2], -1)
        return objects, people.flatten(1), told(batch.sentences, objects.shape[1])


def _last(lstm: Sequences, words: nn.Module, rows: Tensor) -> Tensor:
    """The last state for each row of words; empty rows give what one padding word gives."""
    lengths = (rows != PAD).sum(1).clamp(min=1)
    return lstm.last(words(rows), lengths)


def _perceptron(*widths: int) -> nn.Sequential:
    """Linear layers with ReLU between them.

    With this many in a row, PyTorch's default initialisation would let almost nothing through.
    """
    layers: list[nn.Module] = []
    for inputs, outputs in itertools.pairwise(widths):
        linear = nn.Linear(inputs, outputs)
        nn.init.kaiming_normal_(linear.weight, nonlinearity="relu")
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


class RelationNetwork(Model):
    """The sum over all pairs of sentences decides."""

    Sizes = PairWidths
    regime = Regime(epochs=100, batch=64, lr=5e-4)
    paper = "Santoro et al. 2017; baseline of CLUTRR and StepGame"
    inputs = "sentences"

    @classmethod
    def check(cls, sizes: PairWidths) -> None:
        """Reject settings that only apply to the other form, instead of ignoring them."""
        if not sizes.people and (sizes.layers, sizes.placeholders) != (1, "fixed"):
            raise FabulaError("rn: layers and placeholders need people=true, as in CLUTRR.")

    @classmethod
    def asks_of_two(cls, sizes: PairWidths) -> bool:
        """Whether it has CLUTRR's form."""
        return sizes.people

    def __init__(self, sizes: PairWidths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.sentences = (People if sizes.people else Sentences)(sizes, shape.words)
        inputs = 2 * self.sentences.object_size + self.sentences.question_size
        width = sizes.pair
        self.pair = nn.Sequential(_perceptron(inputs, *[width] * 4), nn.ReLU())
        self.decide = _perceptron(width, width, 2 * width, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Process all pairs."""
        objects, asked, there = self.sentences(batch)
        looked = self.pair(pairs(objects, asked))
        both = (there.unsqueeze(2) & there.unsqueeze(1)).unsqueeze(3)
        return Output(self.decide((looked * both).sum((1, 2))))


def pairs(objects: Tensor, asked: Tensor) -> Tensor:
    """[B, S, S, ...] every object paired with every other, and the question."""
    count = objects.shape[1]
    first = objects.unsqueeze(2).expand(-1, -1, count, -1)
    second = objects.unsqueeze(1).expand(-1, count, -1, -1)
    return torch.cat([first, second, asked[:, None, None].expand(-1, count, count, -1)], 3)


@dataclass(frozen=True)
class RecurrentWidths(Widths):
    """Widths and rounds; the paper has 128 and 5."""

    pair: int = 64
    steps: int = 3


class RecurrentRelationalNetwork(Model):
    """Sentences are nodes that send each other messages, and answer after every round."""

    Sizes = RecurrentWidths
    regime = Regime(epochs=100, batch=64, lr=5e-4, weight_decay=1e-4)
    paper = "Palm et al. 2018; baseline of StepGame"
    inputs = "sentences"

    def __init__(self, sizes: RecurrentWidths, shape: Shape) -> None:
        super().__init__(sizes, shape)
        self.sentences = Sentences(sizes, shape.words)
        width, asked = sizes.pair, sizes.sentence
        self.before = _perceptron(self.sentences.object_size + asked, width, width, width, width)
        self.message = _perceptron(2 * width + asked, width, width, width, width)
        self.after = _perceptron(2 * width, width, width, width, width)
        self.cell = nn.LSTMCell(width, width)
        self.decide = _perceptron(width, width, width, shape.answers)

    def forward(self, batch: Batch) -> Output:
        """Pass messages."""
        objects, asked, there = self.sentences(batch)
        count, depth, _ = objects.shape
        start = self.before(torch.cat([objects, asked.unsqueeze(1).expand(-1, depth, -1)], 2))
        node = start
        hidden = start.new_zeros(count * depth, self.sizes.pair)
        memory, shown = hidden, there.unsqueeze(2)
        said = []
        for _ in range(self.sizes.steps):
            messages = self.message(pairs(node, asked)) * shown.unsqueeze(2)
            heard = self.after(torch.cat([messages.sum(1), start], 2))
            hidden, memory = self.cell(heard.flatten(0, 1), (hidden, memory))
            node = hidden.view(count, depth, -1)
            said.append(self.decide((node * shown).sum(1)))
        losses = [mean_loss(each, batch.answer) for each in said]
        return Output(said[-1], torch.stack(losses).mean())
