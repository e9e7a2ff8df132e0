"""Colour and state of things: the latest statement counts.

Only hand-made stories mention looks (see fabula.play); in generated stories nothing changes them.
"""

from __future__ import annotations

from collections.abc import Callable

from fabula.language import Language
from fabula.world.actors.asking import Cast, Conclusion, Kind
from fabula.world.actors.knowledge import Knowledge
from fabula.world.base import Candidate, Query

LOOKS = {"what-colour": "colour", "what-state": "state"}


def _look(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    found = knowledge.looks.get((LOOKS[query[0]], query[1]))
    return Conclusion((found[0],), found[1].bit_length()) if found else None


def _look_masks(knowledge: Knowledge, query: Query) -> list[int]:
    found = knowledge.looks.get((LOOKS[query[0]], query[1]))
    return [found[1]] if found else []


def _survey(kind: str) -> Callable[[Knowledge, Cast, Language], list[Candidate]]:
    def survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
        return [
            Candidate((kind, thing), (found[0],))
            for (look, thing), found in knowledge.looks.items()
            if look == LOOKS[kind] and thing in cast.objects
        ]

    return survey


def _words(kind: str) -> Callable[[Cast, Language], list[str]]:
    return lambda cast, language: list(language.lore.looks.get(LOOKS[kind], ()))


KINDS: dict[str, Kind] = {
    kind: Kind(_survey(kind), _look, _look_masks, _words(kind)) for kind in LOOKS
}
