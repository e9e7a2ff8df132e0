"""The question kinds of the actor world, answered from the reader's knowledge.

Each kind has three functions: `survey` lists the questions that can be asked now, `conclude`
answers one (None if the text does not settle it), and `masks` finds every minimal support. The
first two are fast; supports are searched only when a question is actually asked. Besides the answer
there is a *conclusion*, the statement that a support must establish: for 'maybe' the places left
open, for a list the latest event about every object the person ever had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from fabula.core.supports import minimal, product
from fabula.language import Language
from fabula.world.actors import looks, motives, ways
from fabula.world.actors.asking import Cast, Conclusion, Kind, places_of
from fabula.world.actors.course import arranged
from fabula.world.actors.knowledge import (
    Give,
    Holder,
    Knowledge,
    Leg,
    Node,
    known_place,
    open_places,
    place_bit,
)
from fabula.world.base import Candidate, Finding, Query

__all__ = ["GIVE_KINDS", "KINDS", "Cast", "conclude", "find", "visits"]

YES_NO: Final = ("yes", "no", "maybe")
MEMO_LIMIT: Final = 10_000
PRODUCT_LIMIT: Final = 16  # number of supports of each of two places that are combined


# --- where is ------------------------------------------------------------------------------


def _survey_people(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for person in cast.persons:
        stay = knowledge.stays.get(person)
        place = known_place(stay) if stay else None
        if place:
            found.append(cast.about("where-person", person, place))
    return found


def _survey_things(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for thing in cast.objects:
        trail = knowledge.trails.get(thing)
        place = known_place(trail[-1].last) if trail else None
        if place:
            found.append(cast.about("where-object", thing, place))
    return found


def _node(knowledge: Knowledge, query: Query) -> Node | None:
    """The stay or spot that a question about the present refers to."""
    if query[0] == "where-object":
        trail = knowledge.trails.get(query[1])
        return trail[-1].last if trail else None
    return knowledge.stays.get(query[1])


def _where(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    node = _node(knowledge, query)
    place = known_place(node) if node else None
    return Conclusion((place,), place) if place else None


def _where_masks(knowledge: Knowledge, query: Query) -> list[int]:
    node = _node(knowledge, query)
    return knowledge.label(node) if node else []


# --- where was … before ---------------------------------------------------------------------


def _survey_arrivals(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for thing in cast.objects:
        trail = knowledge.trails.get(thing, ())
        places = dict.fromkeys(known_place(leg.first) for leg in trail[1:])
        for place in places:
            here = _last_arrival(trail, place_bit(place)) if place else 0
            before = known_place(trail[here - 1].first) if here else None
            if before and place:
                found.append(Candidate(("where-was-object", thing, place), (before,)))
    return found


def _last_arrival(trail: Sequence[Leg], bit: int) -> int:
    """Index of the spot at which a thing last came to a place; 0 if it may be another one."""
    domains = [open_places(leg.first) for leg in trail]
    here = len(trail) - 1
    while here > 0 and domains[here] != bit:
        # An unknown spot right after the place may be the same place: then it is not an arrival.
        if domains[here] & bit and domains[here - 1] != bit:
            return 0
        here -= 1
    while here > 0 and domains[here - 1] == bit:
        here -= 1
    return here


def _where_was(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    """The place just before the last arrival, if both are known and no later one is possible."""
    trail = knowledge.trails.get(query[1], ())
    here = _last_arrival(trail, place_bit(query[2])) if trail else 0
    place = known_place(trail[here - 1].first) if here else None
    return Conclusion((place,), place) if place else None


def _where_was_masks(knowledge: Knowledge, query: Query) -> list[int]:
    trail = knowledge.trails[query[1]]
    here = _last_arrival(trail, place_bit(query[2]))
    before = knowledge.label(trail[here - 1].last)[:PRODUCT_LIMIT]
    after = knowledge.label(trail[here].first)[:PRODUCT_LIMIT]
    return product(product(before, after), [trail[here].evidence])


def visits(knowledge: Knowledge, thing: str, place: str) -> int:
    """How often a thing may have come to a place, its first spot included."""
    bit = place_bit(place)
    return sum(bool(open_places(leg.first) & bit) for leg in knowledge.trails.get(thing, ()))


# --- yes, no, maybe -------------------------------------------------------------------------


def _survey_yes_no(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found: list[Candidate] = []
    known = cast.yes_no
    for person in cast.persons:
        stay = knowledge.stays.get(person)
        domain = open_places(stay) if stay else -1
        if domain != -1:
            asked = known.get((person, domain))
            if asked is None:
                if len(known) >= MEMO_LIMIT:
                    known.clear()
                asked = known[person, domain] = _verdicts(person, domain, cast, language)
            found += asked
    return found


def _verdicts(person: str, domain: int, cast: Cast, language: Language) -> list[Candidate]:
    """The questions about a person whose open places are given by `domain`."""
    yes, no, maybe = [(language.answers[word],) for word in YES_NO]
    asked = []
    for place in cast.places:
        bit = place_bit(place)
        answer = yes if domain == bit else maybe if domain & bit else no
        asked.append(Candidate(("yes-no", person, place), answer))
    return asked


def _yes_no(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    stay = knowledge.stays.get(query[1])
    domain = open_places(stay) if stay else -1
    if domain == -1:
        return None
    bit = place_bit(query[2])
    if domain == bit:
        return Conclusion((language.answers["yes"],), "yes")
    if domain & bit:
        return Conclusion((language.answers["maybe"],), domain)
    return Conclusion((language.answers["no"],), "no")


def _yes_no_masks(knowledge: Knowledge, query: Query) -> list[int]:
    stay = knowledge.stays[query[1]]
    bit = place_bit(query[2])
    if open_places(stay) & bit or not stay.links:
        return knowledge.label(stay)
    return minimal([mask for known, mask in knowledge.facts_of(stay) if not known & bit])


# --- carrying -------------------------------------------------------------------------------


class Carried(NamedTuple):
    """The fate of every object a person ever had."""

    held: tuple[str, ...]
    mask: int
    events: frozenset[tuple[str, bool, int]]


def carried(knowledge: Knowledge, person: Holder) -> Carried | None:
    """The objects a holder holds, and the latest event about each that they ever had."""
    handled = knowledge.handled.get(person)
    if not handled:
        return None
    held: list[str] = []
    mask, events = 0, []
    for thing, cited in handled.items():
        holding = knowledge.holders[thing]
        has = holding is not None and holding[0] == person
        if has:
            held.append(thing)
        mask |= cited
        events.append((thing, has, cited.bit_length()))
    return Carried(tuple(held), mask, frozenset(events))


def _told(kind: str, held: tuple[str, ...], language: Language) -> tuple[str, ...]:
    if kind == "count":
        return (language.number(len(held)),)
    return tuple(sorted(held)) or (language.answers["nothing"],)


def _survey_carriers(
    kind: str,
) -> Callable[[Knowledge, Cast, Language], list[Candidate]]:
    def survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
        found = []
        for person in cast.persons:
            carries = carried(knowledge, person)
            if carries:
                found.append(Candidate((kind, person), _told(kind, carries.held, language)))
        return found

    return survey


def _carrying(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    found = carried(knowledge, query[1])
    return Conclusion(_told(query[0], found.held, language), found.events) if found else None


def _carrying_masks(knowledge: Knowledge, query: Query) -> list[int]:
    found = carried(knowledge, query[1])
    return [found.mask] if found else []


# --- containing -----------------------------------------------------------------------------

CONTAINING: Final = {"what-in": "in", "what-on": "on"}


def _contained(knowledge: Knowledge, query: Query) -> Carried | None:
    return carried(knowledge, (CONTAINING[query[0]], query[1]))


def _survey_contents(kind: str) -> Callable[[Knowledge, Cast, Language], list[Candidate]]:
    def survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
        found = []
        for thing in cast.containers if kind == "what-in" else cast.surfaces:
            holds = _contained(knowledge, (kind, thing))
            if holds:
                found.append(Candidate((kind, thing), _told(kind, holds.held, language)))
        return found

    return survey


def _contents(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    found = _contained(knowledge, query)
    return Conclusion(_told(query[0], found.held, language), found.events) if found else None


def _contents_masks(knowledge: Knowledge, query: Query) -> list[int]:
    found = _contained(knowledge, query)
    return [found.mask] if found else []


# --- giving ---------------------------------------------------------------------------------

# kind: which parts of (giver, object, receiver) are given, in the order of the query, and asked
GIVE_KINDS: dict[str, tuple[tuple[int, ...], int]] = {
    "who-gave-to": ((1, 2), 0),
    "who-gave": ((1,), 0),
    "who-received": ((1,), 2),
    "who-given-to": ((0, 1), 2),
    "what-given": ((0, 2), 1),
}


def _latest_give(knowledge: Knowledge, query: Query) -> Give | None:
    """The latest give that matches: a give superseded by a later one is no longer the answer."""
    given, _ = GIVE_KINDS[query[0]]
    for give in reversed(knowledge.gives):
        if all(give.parts[i] == word for i, word in zip(given, query[1:], strict=True)):
            return give
    return None


def _give(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    give = _latest_give(knowledge, query)
    if give is None:
        return None
    return Conclusion((give.parts[GIVE_KINDS[query[0]][1]],), give.mask.bit_length())


def _give_masks(knowledge: Knowledge, query: Query) -> list[int]:
    give = _latest_give(knowledge, query)
    return [give.mask] if give else []


def _survey_gives(kind: str) -> Callable[[Knowledge, Cast, Language], list[Candidate]]:
    given, asked = GIVE_KINDS[kind]

    def survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
        latest = {
            (kind, *(give.parts[i] for i in given)): (give.parts[asked],)
            for give in knowledge.gives
        }
        return [Candidate(query, answer) for query, answer in latest.items()]

    return survey


# --- the registry ---------------------------------------------------------------------------


def _no_choices(cast: Cast, language: Language) -> list[str] | None:
    """None: a list may be any combination of objects."""
    return None


def _numbers(cast: Cast, language: Language) -> list[str]:
    return [language.number(n) for n in range(len(cast.objects) + 1)]


def _words(cast: Cast, language: Language) -> list[str]:
    return [language.answers[word] for word in YES_NO]


def _give_choices(asked: int) -> Callable[[Cast, Language], list[str]]:
    return lambda cast, _: list(cast.objects if asked == 1 else cast.persons)


KINDS: dict[str, Kind] = {
    "where-person": Kind(_survey_people, _where, _where_masks, places_of),
    "where-object": Kind(_survey_things, _where, _where_masks, places_of),
    "where-was-object": Kind(_survey_arrivals, _where_was, _where_was_masks, places_of),
    "yes-no": Kind(_survey_yes_no, _yes_no, _yes_no_masks, _words),
    "list": Kind(_survey_carriers("list"), _carrying, _carrying_masks, _no_choices),
    "count": Kind(_survey_carriers("count"), _carrying, _carrying_masks, _numbers),
    **{
        kind: Kind(_survey_contents(kind), _contents, _contents_masks, _no_choices)
        for kind in CONTAINING
    },
    **{
        kind: Kind(_survey_gives(kind), _give, _give_masks, _give_choices(asked))
        for kind, (_, asked) in GIVE_KINDS.items()
    },
    **ways.KINDS,
    **motives.KINDS,
    **looks.KINDS,
}


def conclude(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    """The conclusion for a query; None if there is none, or if the text contradicts itself."""
    return KINDS[query[0]].conclude(knowledge, query, language) if knowledge.consistent else None


def find(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """The conclusion for a query, with every minimal support."""
    found = conclude(knowledge, query, language)
    if found is None:
        return None
    masks = KINDS[query[0]].masks(knowledge, query)
    if len(masks) > 1:
        masks = arranged(knowledge.facts, masks)
    return Finding(found.answer, masks, found.established)
