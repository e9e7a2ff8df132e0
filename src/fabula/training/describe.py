"""Describes the models that can be trained: input, supervision, size, hyperparameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabula.training.models import MODELS

if TYPE_CHECKING:
    from fabula.training.model import Model

REFERENCE = "160 words, 20 answers, 20 relations, and stories of 20 sentences of 12 words"
"""The data that parameters are counted for."""


def models(complain: Callable[[str], None] = lambda message: None) -> list[str]:
    """The names of the models that can be trained; broken plug-ins are passed to `complain`.

    >>> import fabula
    >>> "memn2n" in fabula.models()
    True
    """
    return list(MODELS.working(complain))


def describe(name: str) -> dict[str, Any]:
    """The description of a model: inputs, supervision, size, and hyperparameters with their
    defaults.
    """
    kind = MODELS.find(name)
    return {
        "model": name,
        "reads": kind.inputs,
        "uses_supports": kind.uses_supports,
        "parameters": _parameters(kind),
        "sizes": asdict(kind.Sizes()),
        "regime": asdict(kind.regime),
        "paper": kind.paper,
    }


def _parameters(kind: type[Model]) -> int | None:
    """The number of trainable parameters at default sizes; None if a checkpoint decides."""
    if hasattr(kind.Sizes(), "checkpoint"):
        return None
    from fabula.training.model import Shape, parameters

    words = tuple(range(140, 160))
    shape = Shape(160, 20, 20, 12, 20, words, tuple((at,) for at in range(20)))
    return parameters(kind(kind.Sizes(), shape))
