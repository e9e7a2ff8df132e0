"""The interface of a model: a dataclass of its sizes, one forward, and how its paper trains it.

The loop is independent of any model: it makes batches, calls `forward`, and follows `regime`.
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

NO_ANSWER = -2  # not -1, which stands for an answer that only the test has: both are wrong


class Shape(NamedTuple):
    """The properties of the data that a model is built for."""

    words: int
    """Rows of the word table, including padding."""
    answers: int
    relations: int
    """Number of edge types, without 'none'."""
    width: int
    """Number of words in the longest sentence."""
    depth: int
    """Number of sentences in the longest story."""
    answer_words: tuple[int, ...] = ()
    """For each answer, the word it consists of; -1 if it has none or several."""
    answer_parts: tuple[tuple[int, ...], ...] = ()
    """For each answer, its words in order, numbered from 0 among the words of all answers."""
    labels: tuple[str, ...] = ()
    """The answers as text; the words of a list are joined by commas."""


class Output(NamedTuple):
    """The output of a model for a batch."""

    logits: Tensor
    """[B, A] a score for every answer."""
    loss: Tensor | None = None
    """The mean loss per example, if it is not the cross entropy of the logits."""
    support: Tensor | None = None
    """[B, 10] the sentences chosen, in order, padded with -1; None if it chooses none."""
    spelled: Tensor | None = None
    """[B] the answer assembled word by word, NO_ANSWER if it does not occur in training; None if
    the model does not spell, and the answer is the one with the highest score.
    """

    @property
    def answer(self) -> Tensor:
        """[B] the answer given."""
        return self.logits.argmax(1) if self.spelled is None else self.spelled


def mean_loss(logits: Tensor, answer: Tensor) -> Tensor:
    """The mean cross entropy over all examples. Answers that do not occur in training count as 0,
    so that parts of a batch add up to the whole.
    """
    total = cross_entropy(logits, answer, ignore_index=-1, reduction="sum")
    return total / max(1, len(answer))


@dataclass(frozen=True)
class Regime:
    """How a model is trained by default; every field can be set by the user."""

    epochs: int = 50
    batch: int = 32
    optimiser: Literal["adam", "nadam", "sgd"] = "adam"
    lr: float = 1e-3
    beta2: float = 0.999
    clip: float = 5.0
    """Maximum norm of the gradient; 0: no clipping."""
    clip_each: bool = False
    """Whether to clip each weight's gradient separately instead of all together."""
    clip_value: float = 0.0
    """Maximum absolute value of each gradient component; 0: no clipping."""
    sum_loss: bool = False
    """Whether to sum the losses of a batch, as older papers do, instead of averaging."""
    halve_every: int = 0
    """Number of epochs after which the learning rate is halved; 0: never."""
    halve_below: float = 0.0
    """Halve the learning rate once, when the validation loss falls below this."""
    schedule: Literal["constant", "rsqrt", "linear", "cosine"] = "constant"
    """Decay of the learning rate after the warm-up: none, by the square root of the steps, or to 0
    at the last epoch, linearly or along a cosine.
    """
    warm_steps: int = 0
    """Number of warm-up steps at a tenth of the learning rate; with a decaying schedule, it rises
    linearly to the full rate instead.
    """
    weight_decay: float = 0.0
    max_sentences: int | None = None
    """Maximum number of sentences that are read, the most recent ones."""
    cloze: bool = False
    """Whether names become placeholders with random vectors that are never trained."""
    patience: int = 0
    """Stop when validation has not improved for this number of epochs; 0: never."""
    enough: float = 1.0
    """Stop at this validation accuracy; 0: never."""
    select: Literal["valid", "train", "test"] = "valid"
    """How the best epoch and the best restart are selected. 'test', as in some released code, gives
    biased results, and is reported as such.
    """
    mixture: str = ""
    """A feature such as 'recipe' or 'hops': each step uses examples with one value of it, drawn
    uniformly. Empty: examples of all kinds are mixed, each once per epoch.
    """

    def __post_init__(self) -> None:
        least = {"epochs": 1, "batch": 1, "max_sentences": 1}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int | float):
                check_number(field.name, value, least.get(field.name, 0))
        if not 0 < self.beta2 < 1:
            raise FabulaError("setting 'beta2': it must be between 0 and 1.")


def check_number(name: str, value: float, least: float) -> None:
    """Raise an error if a setting is too small or not a number."""
    if not isfinite(value) or value < least:
        raise FabulaError(f"setting '{name}': it must be a number of at least {least:g}.")


class Model(nn.Module):
    """A model of a paper."""

    Sizes: ClassVar[type]
    """A dataclass with the sizes and flags of the model; defaults are for one core, with a note
    where they differ from the paper's.
    """
    regime: ClassVar[Regime] = Regime()
    paper: ClassVar[str]
    """The paper it comes from."""
    inputs: ClassVar[Literal["sentences", "words", "graph", "text"]]
    """The parts of a batch that it reads."""
    of_two: ClassVar[bool] = False
    """Whether it reads nothing of a question but the two entities it is about."""
    uses_supports: ClassVar[bool] = False
    """Whether it learns from the supporting sentences."""
    at_once: ClassVar[int] = 256
    """Batch size for inference."""
    continued: bool = False
    """Whether it is fine-tuned from a trained model."""

    def __init__(self, sizes: Any, shape: Shape) -> None:
        super().__init__()
        self.sizes = sizes
        self.shape = shape

    @classmethod
    def check(cls, sizes: Any) -> None:
        """Raise an error for invalid sizes, before any data are made."""

    @classmethod
    def asks_of_two(cls, sizes: Any) -> bool:
        """Whether, with these sizes, it needs questions about two entities of the story."""
        return cls.of_two

    @classmethod
    def restored(cls, sizes: Any, shape: Shape, folder: Path) -> Model:
        """The model stored in this folder, without its weights."""
        return cls(sizes, shape)

    def keep(self, folder: Path) -> None:
        """Write what `restored` needs, next to the weights."""

    def remarks(self) -> dict[str, Any]:
        """Metrics of the model that a run should report."""
        return {}

    def forward(self, batch: Batch) -> Output:
        """The output of the model for a batch."""
        raise NotImplementedError

    @property
    def prelude(self) -> int:
        """The number of epochs before halving of the learning rate begins."""
        return 0

    def begin_epoch(self, epoch: int) -> float:
        """Called before each epoch; returns the factor of the learning rate."""
        return 1.0

    def meet(self, batch: Batch) -> None:
        """Called with a whole batch even if this process trains on only a part of it.

        A model that collects a vocabulary updates it here, so that all processes have the same one.
        """


def parameters(model: nn.Module) -> int:
    """The number of trainable parameters."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
