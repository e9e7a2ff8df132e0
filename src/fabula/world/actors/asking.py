"""The interface of a question kind of the actor world; the kinds are in questions, ways and
motives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from fabula.language import Language
from fabula.world.actors.knowledge import Knowledge
from fabula.world.base import Candidate, Query

MEMO_LIMIT: Final = 50_000  # candidates that are shared, so that memory stays flat


class Cast:
    """The people, places and things that a recipe's questions may name."""

    __slots__ = (
        "_asked",
        "containers",
        "moods",
        "objects",
        "persons",
        "places",
        "surfaces",
        "yes_no",
    )

    def __init__(
        self,
        persons: tuple[str, ...],
        places: tuple[str, ...],
        objects: tuple[str, ...],
        moods: tuple[str, ...] = (),
        containers: tuple[str, ...] = (),
        surfaces: tuple[str, ...] = (),
    ) -> None:
        self.persons = persons
        self.places = places
        self.objects = objects
        self.moods = moods
        self.containers = containers
        """The objects that others can be put in; surfaces are those that others can be put on."""
        self.surfaces = surfaces
        self._asked: dict[tuple[str, ...], Candidate] = {}
        self.yes_no: dict[tuple[str, int], list[Candidate]] = {}
        """Questions with yes or no about a person, by what is left open of where they are."""

    def about(self, kind: str, name: str, answer: str) -> Candidate:
        """A question about one name, with its answer; the same one whenever it can be asked."""
        key = (kind, name, answer)
        found = self._asked.get(key)
        if found is None:
            if len(self._asked) >= MEMO_LIMIT:
                self._asked.clear()
            found = self._asked[key] = Candidate((kind, name), (answer,))
        return found


class Conclusion:
    """An answer, and the statement that a support of it must establish."""

    __slots__ = ("answer", "established")

    def __init__(self, answer: tuple[str, ...], established: Any) -> None:
        self.answer = answer
        self.established = established


class Kind(NamedTuple):
    """One kind of question."""

    survey: Callable[[Knowledge, Cast, Language], list[Candidate]]
    """All questions that can be asked and answered now."""
    conclude: Callable[[Knowledge, Query, Language], Conclusion | None]
    """The conclusion for one query."""
    masks: Callable[[Knowledge, Query], list[int]]
    """Every minimal support of a conclusion, best first."""
    choices: Callable[[Cast, Language], list[str] | None]
    """All answers that this kind of question can have, or None if they are lists."""


def places_of(cast: Cast, language: Language) -> list[str]:
    """The places of a recipe, as answers."""
    return list(cast.places)
