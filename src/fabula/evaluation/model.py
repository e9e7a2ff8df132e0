"""The interface of a model: instances in, replies out, with usage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from fabula.core.instance import Instance


class Usage(NamedTuple):
    """Tokens and seconds that a reply took."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    """In dollars, where it is known."""

    def plus(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
        )


class Reply(NamedTuple):
    """The reply of a model to one instance."""

    text: str
    truncated: bool = False
    """It was cut off by the limit on tokens."""
    usage: Usage = Usage()
    error: str = ""
    """Why there is no reply, if there is none: it is asked again when the run is resumed."""


class Ask(NamedTuple):
    """How a model is asked."""

    style: str = "direct"
    """A style of prompt (see fabula.prompt)."""
    shots: int = 0
    """Worked examples before the question, from the training split."""
    tokens: int = 256
    """The most tokens of a reply."""
    form: str = "word"
    """The form of the answer: word, sentence, letter, json."""
    concurrency: int = 8
    """Maximum number of concurrent requests, for models that support them."""
    language: str = ""
    """The language of the instructions; nothing: that of the story."""
    budget: int | None = None
    """The most tokens in all, where a model counts them."""
    price: tuple[float, float] | None = None
    """Dollars for a million tokens of prompts and of replies."""
    cost: float | None = None
    """The most dollars in all, where the price is known."""
    cache: bool = False
    """Whether replies may come from a cache of the model layer."""


class Model(Protocol):
    """Anything that answers."""

    name: str

    def about(self) -> dict[str, Any]:
        """The identity of the model, for the manifest."""

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """(position, reply) for (instance, prompt) pairs, in any order, as they come."""
