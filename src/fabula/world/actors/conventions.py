"""Which conventions an answer about people, places and things relies on.

    nothing-untold  people stay where they are and keep what they have until the text says otherwise
                    without it: only what the last sentence says by itself is known to hold now
    nothing-else    people carry, and things hold, only what the story says
                    without it: no list or number of things is complete
    maybe           if the story leaves something open, the answer is neither 'yes' nor 'no'
    latest-visit    'before the park' means before the latest arrival there
                    without it: before any arrival
    mood-MOOD       where a mood leads people, and for what
                    without it: a mood explains nothing and leads nowhere

An answer relies on a convention if, without that one and with all others, it does not follow from
the whole story.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from fabula.world.actors.knowledge import Knowledge, Node, known_place, open_places, place_bit
from fabula.world.actors.motives import SMALL, resolved
from fabula.world.actors.reading import ActorsReading
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.base import Query

HELD = ("list", "count", "what-in", "what-on")
BEFORE = ("where-was-object", "where-was-person")
NOW = ("where-person", "where-object", "yes-no", *HELD, *BEFORE, "what-colour", "what-state")
"""Question kinds about a state that holds, or held, for some time."""


def in_force(recipe: ActorsRecipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe may rely on."""
    asked = {*recipe.kinds(), *recipe.also_ask}
    found = ["nothing-untold"] if asked & set(NOW) else []
    found += ["nothing-else"] if asked & set(HELD) else []
    found += ["maybe"] if "yes-no" in asked else []
    found += ["latest-visit"] if asked & set(BEFORE) and not recipe.single_visit else []
    found += [f"mood-{mood}" for mood in recipe.cast.moods] if asked & set(SMALL) else []
    return tuple(found)


def relies(
    reading: ActorsReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
) -> tuple[str, ...]:
    """The conventions without which the answer does not follow."""
    kind = query[0]
    if kind in SMALL:
        return (f"mood-{_mood(reading, query)}",)
    found = []
    if kind in NOW and 1 << len(reading.statements) not in masks:
        found.append("nothing-untold")
    if kind in HELD:
        found.append("nothing-else")
    if kind == "yes-no" and answer == (reading.language.answers["maybe"],):
        found.append("maybe")
    if kind in BEFORE and _left_for(reading.knowledge, query) - {answer[0]}:
        found.append("latest-visit")
    return tuple(found)


def _left_for(knowledge: Knowledge, query: Query) -> set[str]:
    """The places from which somebody or something may have come to a place; '' stands for any."""
    kind, name, place = query
    of_thing = kind == "where-was-object"
    way: list[Node | None] = []
    way += [leg.first for leg in knowledge.trails[name]] if of_thing else knowledge.way(name)
    bit = place_bit(place)
    found = set()
    for before, stay in pairwise(way):
        if stay is None or not open_places(stay) & bit:
            continue
        if not of_thing and not stay.mask:  # no sentence says that anybody came there
            continue
        if before is None:
            found.add("")
        elif open_places(before) != bit:
            found.add(known_place(before) or "")
    return found


def _mood(reading: ActorsReading, query: Query) -> str:
    """The mood behind the answer to a question about a need."""
    finding = reading.find(query)
    assert finding is not None
    if query[0] != "where-will-go":
        return finding.answer[0]
    urges = reading.knowledge.urges[resolved(reading.knowledge, query)[1]]
    return next(urge.mood for urge in urges if urge.mask == finding.masks[0])
