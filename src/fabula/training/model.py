"""What a model is: a dataclass of its sizes, one forward, and how its paper trains it.

The loop knows nothing of any model: it makes batches, calls `forward`, and follows `regime`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

from torch import Tensor, nn

from fabula.training.data import Batch


class Shape(NamedTuple):
    """What a model must be told about the data."""

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


class Output(NamedTuple):
    """What a model says to a batch."""

    logits: Tensor
    """[B, A] a score for every answer."""
    loss: Tensor | None = None
    """The mean loss of an example, where it is not the cross entropy of the logits."""
    support: Tensor | None = None
    """[B, 10] the sentences chosen, in order, -1 beyond the last; None if it chooses none."""


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
    sum_loss: bool = False
    """Losses of a batch are summed, as older papers do, rather than averaged."""
    halve_every: int = 0
    """The learning rate is halved every so many epochs; 0: never."""
    halve_below: float = 0.0
    """It is halved once, when the validation loss falls below this."""
    warm_steps: int = 0
    """So many first steps are taken at a tenth of the learning rate."""
    weight_decay: float = 0.0
    max_sentences: int | None = None
    """Only the most recent so many sentences of a story are read."""
    cloze: bool = False
    """Names become placeholders whose rows are random and never trained."""
    patience: int = 0
    """Stop when validation has not improved for so many epochs; 0: never."""
    select: Literal["valid", "train"] = "valid"
    """What the best epoch and the best restart are chosen by."""


class Model(nn.Module):
    """A model of a paper."""

    Sizes: ClassVar[type]
    """A dataclass with the sizes and flags of the model, the paper's as defaults."""
    regime: ClassVar[Regime] = Regime()
    paper: ClassVar[str]
    """Where it comes from."""
    inputs: ClassVar[Literal["sentences", "words", "graph"]]
    """What of a batch it reads."""
    uses_supports: ClassVar[bool] = False
    """Whether it learns from the supporting sentences."""

    def __init__(self, sizes: Any, shape: Shape) -> None:
        super().__init__()
        self.sizes = sizes
        self.shape = shape

    def forward(self, batch: Batch) -> Output:
        """What the model says to a batch."""
        raise NotImplementedError

    def begin_epoch(self, epoch: int) -> float:
        """Called before each epoch; the factor of the learning rate in it."""
        return 1.0


def parameters(model: nn.Module) -> int:
    """How many numbers are learned."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)
