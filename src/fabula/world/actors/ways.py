"""Where somebody was before they came to a place: the order of time, not that of the telling.

    1 Julie went to the park this morning.   2 Yesterday Julie went to the school.
    Where was Julie before the park? school, by {1, 2}.

A person's *way* is their stays in order of time (see knowledge.py). What is asked for is the stay
just before the latest that is known to have begun by coming to the place. It is not known
- if a movement told since may have led there again ('is no longer in the hall');
- if nothing is told of the part of the past before: who was in the park yesterday and in the
  school this evening may have been anywhere in between.
A part of the past of which nothing is told is no arrival: one speaks of what was told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.core.supports import product
from fabula.language import Language
from fabula.world.actors.asking import Cast, Conclusion, Kind, places_of
from fabula.world.actors.knowledge import Knowledge, Node, known_place, open_places, place_bit
from fabula.world.base import Candidate, Query

PRODUCT_LIMIT = 16  # of the supports of two places, the best so many are combined


def _legs(way: Sequence[Node | None], bit: int) -> tuple[Node, Node] | None:
    """The stay before the latest arrival at a place, and that arrival, if both are known."""
    here = len(way) - 1
    while here > 0:
        stay = way[here]
        if stay is not None and stay.mask:  # a movement was told
            domain = open_places(stay)
            if domain == bit:
                break
            before = way[here - 1]
            if domain & bit and (before is None or open_places(before) != bit):
                return None  # perhaps an arrival, unless it is the same place still
        here -= 1
    while here > 0:
        stay, before = way[here], way[here - 1]
        if stay is None or before is None or not stay.mask:
            return None
        if open_places(before) != bit:
            return (before, stay) if known_place(before) else None
        here -= 1
    return None


def _where_was(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    legs = _legs(knowledge.way(query[1]), place_bit(query[2]))
    place = known_place(legs[0]) if legs else None
    return Conclusion((place,), place) if place else None


def _masks(knowledge: Knowledge, query: Query) -> list[int]:
    legs = _legs(knowledge.way(query[1]), place_bit(query[2]))
    if legs is None:
        return []
    before, after = (knowledge.label(leg)[:PRODUCT_LIMIT] for leg in legs)
    return product(before, after)


class Comings(NamedTuple):
    """What may be asked about the way of a person, as long as nothing new is told of them."""

    stay: Node | None
    told: int
    """The evidence for that stay, and how much is told of the past: both only grow."""
    candidates: list[Candidate]
    once: list[Candidate]
    """Those about a place where the person was not in two stays."""


def _comings(knowledge: Knowledge, person: str) -> Comings:
    way = knowledge.way(person)
    domains = [open_places(stay) if stay is not None else 0 for stay in way]
    found, once = [], []
    for place in dict.fromkeys(known_place(stay) for stay in way[1:] if stay is not None):
        if place:
            bit = place_bit(place)
            legs = _legs(way, bit)
            before = known_place(legs[0]) if legs else None
            if before:
                candidate = Candidate(("where-was-person", person, place), (before,))
                found.append(candidate)
                if sum(domain & bit != 0 for domain in domains) == 1:
                    once.append(candidate)
    return Comings(*_state(knowledge, person), found, once)


def _state(knowledge: Knowledge, person: str) -> tuple[Node | None, int]:
    stay = knowledge.stays.get(person)
    return stay, len(knowledge.past.get(person, ())) + (stay.mask if stay else 0)


def survey(knowledge: Knowledge, cast: Cast, single_visit: bool = False) -> list[Candidate]:
    """All that can be asked now, or only about places where the person was just once."""
    found: list[Candidate] = []
    known = knowledge.comings
    for person in cast.persons:
        comings = known.get(person)
        # where things are handled, what is told of others may matter to anybody
        if comings is None or knowledge.trails or comings[:2] != _state(knowledge, person):
            comings = known[person] = _comings(knowledge, person)
        found += comings.once if single_visit else comings.candidates
    return found


def _survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    return survey(knowledge, cast)


KINDS: dict[str, Kind] = {"where-was-person": Kind(_survey, _where_was, _masks, places_of)}
