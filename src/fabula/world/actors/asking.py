"""What a kind of question of the actor world is; the kinds are in questions, ways and motives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fabula.language import Language
from fabula.world.actors.knowledge import Knowledge
from fabula.world.base import Candidate, Query


class Cast(NamedTuple):
    """Whom and what a recipe's questions may name."""

    persons: tuple[str, ...]
    places: tuple[str, ...]
    objects: tuple[str, ...]
    moods: tuple[str, ...] = ()
    containers: tuple[str, ...] = ()
    """The objects that others can be put in; surfaces are those that others can be put on."""
    surfaces: tuple[str, ...] = ()


class Conclusion(NamedTuple):
    """An answer, and what exactly a support of it must establish."""

    answer: tuple[str, ...]
    established: Any


class Kind(NamedTuple):
    """One kind of question."""

    survey: Callable[[Knowledge, Cast, Language], list[Candidate]]
    """All that can be asked and answered now."""
    conclude: Callable[[Knowledge, Query, Language], Conclusion | None]
    """What follows for one query."""
    masks: Callable[[Knowledge, Query], list[int]]
    """Every minimal support of a conclusion, best first."""
    choices: Callable[[Cast, Language], list[str] | None]
    """All answers that this kind of question can have, or None if they are lists."""


def places_of(cast: Cast, language: Language) -> list[str]:
    """The places of a recipe, as answers."""
    return list(cast.places)
