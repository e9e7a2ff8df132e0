"""The interface of a model: a dataclass of its sizes, one forward, and how its paper trains it.

The loop knows nothing of any model: it makes batches, calls `forward`, and follows `regime`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from fabula.errors import FabulaError
from fabula.training.data import Batch

NO_ANSWER = -2  # not -1, which an answer that only the test has is: both are wrong


class Shape(NamedTuple):
    """The properties of the data that a model is built for."""

    words: int
    """Rows of a table of words, padding included."""
    answers: int
    relations: int
    """Kinds of edges, without 'none'."""
    width: int
    """Words of the longest sentence."""
    depth: int
    """Sentences of the longest story."""
    answer_words: tuple[int, ...] = ()
    """For each answer the word that it is, -1 if it is none or several."""
    answer_parts: tuple[tuple[int, ...], ...] = ()
    """For each answer its words in order, numbered from 0 among the words of all answers."""
    labels: tuple[str, ...] = ()
    """The answers as text; the words of a list are joined by commas."""


class Output(NamedTuple):
    """The output of a model for a batch."""

    logits: Tensor
    """[B, A] a score for every answer."""
    loss: Tensor | None = None
    """The mean loss of an example, where it is not the cross entropy of the logits."""
    support: Tensor | None = None
    """[B, 10] the sentences chosen, in order, -1 beyond the last; None if it chooses none."""
    spelled: Tensor | None = None
    """[B] the answer put together word by word, NO_ANSWER if it is none that training had; None if
    the model does not spell, and the answer is the one with the highest score."""

    @property
    def answer(self) -> Tensor:
        """[B] the answer given."""
        return self.logits.argmax(1) if self.spelled is None else self.spelled


def mean_loss(logits: Tensor, answer: Tensor) -> Tensor:
    """The cross entropy of answers, the mean of all examples, also where training never had the
    answer, which costs nothing: shares of a batch come to what the batch would."""
    total = cross_entropy(logits, answer, ignore_index=-1, reduction="sum")
    return total / max(1, len(answer))


@dataclass(frozen=True)
class Regime:
    """How a model is trained unless told otherwise; every field can be set from outside."""

    epochs: int = 50
    batch: int = 32
    optimiser: Literal["adam", "nadam", "sgd"] = "adam"
    lr: float = 1e-3
    beta2: float = 0.999
    clip: float = 5.0
    """The gradient's norm is cut to this; 0: it is not."""
    clip_each: bool = False
    """Each weight's own gradient is cut to that norm, not all of them together."""
    clip_value: float = 0.0
    """Each number of the gradient is cut to this; 0: it is not."""
    sum_loss: bool = False
    """Losses of a batch are summed, as older papers do, rather than averaged."""
    halve_every: int = 0
    """Number of epochs after which the learning rate is halved; 0: never."""
    halve_below: float = 0.0
    """It is halved once, when the validation loss falls below this."""
    schedule: Literal["constant", "rsqrt", "linear", "cosine"] = "constant"
    """How the learning rate falls after the warm steps: not at all, by the square root of the
    steps, or to 0 at the last epoch, along a line or half a wave."""
    warm_steps: int = 0
    """Number of first steps at a tenth of the learning rate; where the rate falls later,
    it rises to its full height over them."""
    weight_decay: float = 0.0
    max_sentences: int | None = None
    """Maximum number of sentences that are read, the most recent ones."""
    cloze: bool = False
    """Names become placeholders whose rows are random and never trained."""
    patience: int = 0
    """Stop when validation has not improved for this number of epochs; 0: never."""
    enough: float = 1.0
    """Stop when this share of validation is right; 0: never."""
    select: Literal["valid", "train", "test"] = "valid"
    """How the best epoch and the best restart are selected. With 'test', as some released code
    has it, the result is not an honest figure, and says so."""
    mixture: str = ""
    """A feature such as 'recipe' or 'hops': each step is on examples of one value of it, drawn
    uniformly. Empty: examples of all kinds come together, each once an epoch."""

    def __post_init__(self) -> None:
        least = {"epochs": 1, "batch": 1, "max_sentences": 1}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float):
                check_number(field.name, value, least.get(field.name, 0))
        if not 0 < self.beta2 < 1:
            raise FabulaError("setting 'beta2': it must be between 0 and 1.")


def check_number(name: str, value: float, least: float) -> None:
    """Refuse a setting that is too small or no number."""
    if not isfinite(value) or value < least:
        raise FabulaError(f"setting '{name}': it must be a number of at least {least:g}.")


class Model(nn.Module):
    """A model of a paper."""

    Sizes: ClassVar[type]
    """A dataclass with the sizes and flags of the model; defaults are for one core, and where they
    are not the paper's, it says so."""
    regime: ClassVar[Regime] = Regime()
    paper: ClassVar[str]
    """Where it comes from."""
    inputs: ClassVar[Literal["sentences", "words", "graph", "text"]]
    """The parts of a batch that it reads."""
    of_two: ClassVar[bool] = False
    """Whether all it reads of a question is which two entities of the story it is about."""
    uses_supports: ClassVar[bool] = False
    """Whether it learns from the supporting sentences."""
    at_once: ClassVar[int] = 256
    """Examples that are answered together."""
    continued: bool = False
    """Whether it goes on from a trained model."""

    def __init__(self, sizes: Any, shape: Shape) -> None:
        super().__init__()
        self.sizes = sizes
        self.shape = shape

    @classmethod
    def check(cls, sizes: Any) -> None:
        """Refuse what cannot work, before any data are made."""

    @classmethod
    def asks_of_two(cls, sizes: Any) -> bool:
        """Whether with these sizes it needs questions about two entities of the story."""
        return cls.of_two

    @classmethod
    def restored(cls, sizes: Any, shape: Shape, folder: Path) -> Model:
        """The model that was kept in this folder, still without its weights."""
        return cls(sizes, shape)

    def keep(self, folder: Path) -> None:
        """Write what `restored` needs beside the weights."""

    def remarks(self) -> dict[str, Any]:
        """Figures of the model that a run should report."""
        return {}

    def forward(self, batch: Batch) -> Output:
        """The output of the model for a batch."""
        raise NotImplementedError

    @property
    def prelude(self) -> int:
        """How many of the epochs come before the learning rate begins to be halved."""
        return 0

    def begin_epoch(self, epoch: int) -> float:
        """Called before each epoch; the factor of the learning rate in it."""
        return 1.0

    def meet(self, batch: Batch) -> None:
        """Called with a whole batch of which this process trains on a share only.

        A model that keeps a list of what it has seen writes it here too, so that the lists of all
        processes are the same.
        """


def parameters(model: nn.Module) -> int:
    """How many numbers are learned."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
