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
    """In dollars, if known."""

    def plus(self, other: Usage) -> Usage:
        """The sum of both."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost + other.cost,
        )


class Reply(NamedTuple):
    """The reply of a model to one instance."""

    text: str
    truncated: bool = False
    """Whether it was cut off by the limit on tokens."""
    usage: Usage = Usage()
    error: str = ""
    """Why there is no reply, if there is none; it is asked again when the run is resumed."""


class Ask(NamedTuple):
    """How a model is asked."""

    style: str = "direct"
    """A style of prompt (see fabula.prompt)."""
    shots: int = 0
    """Number of few-shot examples before the question, from the training split."""
    tokens: int = 256
    """Maximum number of tokens per reply."""
    form: str = "word"
    """The form of the answer: word, sentence, letter, json."""
    concurrency: int = 8
    """Maximum number of concurrent requests, for models that support them."""
    language: str = ""
    """The language of the instructions; empty: that of the story."""
    budget: int | None = None
    """Maximum number of tokens in total, for models that count them."""
    price: tuple[float, float] | None = None
    """Dollars per million tokens of prompts and of replies."""
    cost: float | None = None
    """Maximum cost in dollars, if the price is known."""
    cache: bool = False
    """Whether replies may come from a cache of the model layer."""
    timeout: float | None = None
    """Seconds after which a function (a batch) or a request is given up; None: never."""


class Model(Protocol):
    """Anything that answers questions."""

    name: str

    def about(self) -> dict[str, Any]:
        """The identity of the model, for the manifest."""

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """(position, reply) for (instance, prompt) pairs, in any order, as they arrive."""
