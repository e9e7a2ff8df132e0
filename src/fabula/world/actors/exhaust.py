"""Every question that can be asked about a story, whoever wrote it."""

from __future__ import annotations

from collections.abc import Iterable

from fabula.world.actors.asking import Cast
from fabula.world.actors.questions import KINDS
from fabula.world.actors.reading import TYPE, ActorsReading
from fabula.world.base import Fact, Query

SORTS = {"P": "persons", "L": "places", "O": "objects"}


def entities(facts: Iterable[Iterable[Fact]]) -> dict[str, list[str]]:
    """The persons, places and objects in the facts, in order of appearance."""
    found: dict[str, dict[str, None]] = {sort: {} for sort in SORTS.values()}
    for told in facts:
        for fact in told:
            for letter, name in zip(TYPE[fact[0]], fact[1:], strict=True):
                if letter in SORTS:
                    found[SORTS[letter]][name] = None
    return {sort: list(names) for sort, names in found.items()}


def survey(reading: ActorsReading, kinds: Iterable[str] = ()) -> list[Query]:
    """The questions of these kinds (or of any) that the reader can answer now.

    They only name people, places and things that occur in the story.
    """
    named = entities(reading.facts())
    cast = Cast(*(tuple(named[sort]) for sort in SORTS.values()))
    if not reading.knowledge.consistent:
        return []
    return [
        candidate.query
        for kind in kinds or KINDS
        for candidate in KINDS[kind].survey(reading.knowledge, cast, reading.language)
    ]
