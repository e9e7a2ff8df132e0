"""Where somebody was before they came to a place: in order of time, not in order of telling.

    1 Julie went to the park this morning.   2 Yesterday Julie went to the school.
    Where was Julie before the park? school, by {1, 2}.

A person's *way* is their stays in order of time (see knowledge.py). The question asks for the stay
just before their latest known arrival at the place. The answer is unknown
- if a later movement may have led there again ('is no longer in the hall');
- if the part of the past before is never mentioned: somebody who was in the park yesterday and in
  the school this evening may have been anywhere in between.

A part of the past that no sentence mentions does not count as an arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.core.supports import product
from fabula.language import Language
from fabula.world.actors.asking import Cast, Conclusion, Kind, places_of
from fabula.world.actors.knowledge import Knowledge, Node, known_place, open_places, place_bit
from fabula.world.base import Candidate, Query

PRODUCT_LIMIT = 16  # number of supports of each of two places that are combined


def _legs(way: Sequence[Node | None], bit: int) -> tuple[Node, Node] | None:
    """The stay before the latest arrival at a place, and that arrival, if both are known."""
    here = len(way) - 1
    while here > 0:
        stay = way[here]
        if stay is not None and stay.mask:  # a stated movement
            domain = open_places(stay)
            if domain == bit:
                break
            before = way[here - 1]
            if domain & bit and (before is None or open_places(before) != bit):
                return None  # perhaps an arrival, unless it is still the same place
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
    """The questions about a person's way, valid until they move or more of their past is told."""

    stay: Node | None
    """The person's latest stay."""
    candidates: list[Candidate]
    once: list[Candidate]
    """Those about a place the person visited only once."""


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
    return Comings(knowledge.stays.get(person), found, once)


def survey(knowledge: Knowledge, cast: Cast, single_visit: bool = False) -> list[Candidate]:
    """All questions that can be asked now, or only those about places visited exactly once."""
    found: list[Candidate] = []
    known = knowledge.comings
    for person in cast.persons:
        comings = known.get(person)
        # if things are handled, sentences about others may matter to anybody
        if comings is None or knowledge.trails or comings.stay is not knowledge.stays.get(person):
            comings = known[person] = _comings(knowledge, person)
        found += comings.once if single_visit else comings.candidates
    return found


def _survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    return survey(knowledge, cast)


KINDS: dict[str, Kind] = {"where-was-person": Kind(_survey, _where_was, _masks, places_of)}
