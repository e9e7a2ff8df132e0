"""Relations that can be composed and inverted.

A relation is read from left to right: 'A r B' says how A is related to B. If A r B and B s C, then
A is related to C by compose(r, s), and B to A by invert(r).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

R = TypeVar("R", bound=Hashable)


class Algebra(Protocol[R]):
    """An algebra of relations: composition and inverse."""

    @property
    def steps(self) -> Sequence[R]:
        """The relations that a sentence can state."""

    def compose(self, first: R, then: R) -> R | None:
        """The relation of A to C, given `first` from A to B and `then` from B to C; None if none
        follows.
        """

    def invert(self, relation: R) -> R:
        """The relation of B to A, given that of A to B."""


class Link(NamedTuple, Generic[R]):
    """One fact of a story: how a subject is related to an object, and its role in the story."""

    subject: str
    relation: R
    object: str
    role: str = "chain"
    """chain | irrelevant | supporting | disconnected."""
