"""The questions of the actor world, asked of the reader's knowledge.

Each kind can do two things: list what can be asked now with its answer (`survey`, quick), and find
the answer to a query with every minimal support (`find`; None if the reader cannot tell). Besides
the answer a finding has a *conclusion*, what exactly a support must establish: for 'maybe' the
places left open, for a list the latest event about every object the person ever had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from fabula.labels import minimal, product
from fabula.language import Language
from fabula.worlds.actors.reading import Knowledge, Leg, open_places, place_bit, place_of
from fabula.worlds.base import Candidate, Finding, Query

YES_NO = ("yes", "no", "maybe")


class Cast(NamedTuple):
    """Whom and what a recipe's questions may name."""

    persons: tuple[str, ...]
    places: tuple[str, ...]
    objects: tuple[str, ...]


class Kind(NamedTuple):
    """One kind of question."""

    survey: Callable[[Knowledge, Cast, Language], list[Candidate]]
    """All that can be asked and answered now."""
    find: Callable[[Knowledge, Query, Language], Finding | None]
    """The answer to one query, with its supports."""
    choices: Callable[[Cast, Language], list[str] | None]
    """All answers that this kind of question can have, or None if they are lists."""


def _places(cast: Cast, language: Language) -> list[str]:
    return list(cast.places)


# --- where is ------------------------------------------------------------------------------


def _survey_people(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for person in cast.persons:
        stay = knowledge.stays.get(person)
        place = place_of(open_places(stay)) if stay else None
        if place:
            found.append(Candidate(("where-person", person), (place,)))
    return found


def _survey_things(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for thing in cast.objects:
        trail = knowledge.trails.get(thing)
        place = place_of(open_places(trail[-1].last[0])) if trail else None
        if place:
            found.append(Candidate(("where-object", thing), (place,)))
    return found


def _where_person(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    stay = knowledge.stays.get(query[1])
    found = knowledge.place(stay) if stay else None
    return Finding((found[0],), found[1], found[0]) if found else None


def _where_object(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    trail = knowledge.trails.get(query[1])
    found = knowledge.place(trail[-1].last[0]) if trail else None
    return Finding((found[0],), found[1], found[0]) if found else None


# --- where was … before ---------------------------------------------------------------------


def _survey_arrivals(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for thing in cast.objects:
        trail = knowledge.trails.get(thing, ())
        places = dict.fromkeys(place_of(open_places(leg.first)) for leg in trail[1:])
        for place in places:
            here = _last_arrival(trail, place_bit(place)) if place else 0
            before = place_of(open_places(trail[here - 1].last[0])) if here else None
            if before and place:
                found.append(Candidate(("where-was-object", thing, place), (before,)))
    return found


def _last_arrival(trail: Sequence[Leg], bit: int) -> int:
    """Index of the spot at which a thing last came to a place; 0 if it may be any other."""
    domains = [open_places(leg.first) for leg in trail]
    here = len(trail) - 1
    while here > 0 and domains[here] != bit:
        # An unknown spot right after the place may be that place again: then it is no arrival.
        if domains[here] & bit and domains[here - 1] != bit:
            return 0
        here -= 1
    while here > 0 and domains[here - 1] == bit:
        here -= 1
    return here


def _where_was(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """The place just before the last arrival: both must be known, and no later arrival possible."""
    trail = knowledge.trails.get(query[1], ())
    here = _last_arrival(trail, place_bit(query[2])) if trail else 0
    if not here:
        return None
    before = knowledge.place(trail[here - 1].last[0])
    after = knowledge.place(trail[here].first)
    if before is None or after is None:
        return None
    carried = trail[here].evidence
    masks = minimal([mask | carried for mask in product(before[1], after[1])])
    return Finding((before[0],), masks, before[0])


def visits(knowledge: Knowledge, thing: str, place: str) -> int:
    """How often a thing may have come to a place, its first spot included."""
    bit = place_bit(place)
    return sum(bool(open_places(leg.first) & bit) for leg in knowledge.trails.get(thing, ()))


# --- yes, no, maybe -------------------------------------------------------------------------


def _survey_yes_no(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    yes, no, maybe = ((language.answers[word],) for word in YES_NO)
    bits = [(place, place_bit(place)) for place in cast.places]
    for person in cast.persons:
        stay = knowledge.stays.get(person)
        domain = open_places(stay) if stay else -1
        if domain != -1:
            for place, bit in bits:
                answer = yes if domain == bit else maybe if domain & bit else no
                found.append(Candidate(("yes-no", person, place), answer))
    return found


def _yes_no(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    stay = knowledge.stays.get(query[1])
    domain = open_places(stay) if stay else -1
    if stay is None or domain == -1:
        return None
    facts, bit = knowledge.facts_of(stay), place_bit(query[2])
    if domain == bit:
        word, conclusion = "yes", 0
        masks = [mask for known, mask in facts if known == bit]
    elif not domain & bit:
        word, conclusion = "no", 0
        masks = [mask for known, mask in facts if not known & bit]
    else:
        word, conclusion = "maybe", domain
        masks = [mask for known, mask in facts if known == domain]
    if len(masks) > 1:
        masks = minimal(masks)
    return Finding((language.answers[word],), masks, (word, conclusion))


# --- carrying -------------------------------------------------------------------------------


class Carried(NamedTuple):
    """What became of every object a person ever had."""

    held: tuple[str, ...]
    mask: int
    events: frozenset[tuple[str, bool, int]]


def carried(knowledge: Knowledge, person: str) -> Carried | None:
    """The objects a person holds, and the latest event about each that they ever had."""
    handled = knowledge.handled.get(person)
    if not handled:
        return None
    held, mask, events = [], 0, []
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


def _carrying(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    found = carried(knowledge, query[1])
    if found is None:
        return None
    return Finding(_told(query[0], found.held, language), [found.mask], found.events)


# --- giving ---------------------------------------------------------------------------------

# kind: which parts of (giver, object, receiver) are given, in the order of the query, and asked
GIVE_KINDS: dict[str, tuple[tuple[int, ...], int]] = {
    "who-gave-to": ((1, 2), 0),
    "who-gave": ((1,), 0),
    "who-received": ((1,), 2),
    "who-given-to": ((0, 1), 2),
    "what-given": ((0, 2), 1),
}


def _give(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """The latest give that matches: one that a later one supersedes is no longer the answer."""
    given, asked = GIVE_KINDS[query[0]]
    for give in reversed(knowledge.gives):
        if all(give.parts[i] == word for i, word in zip(given, query[1:], strict=True)):
            return Finding((give.parts[asked],), [give.mask], give.mask.bit_length())
    return None


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


KINDS: dict[str, Kind] = {
    "where-person": Kind(_survey_people, _where_person, _places),
    "where-object": Kind(_survey_things, _where_object, _places),
    "where-was-object": Kind(_survey_arrivals, _where_was, _places),
    "yes-no": Kind(_survey_yes_no, _yes_no, lambda _, lang: [lang.answers[w] for w in YES_NO]),
    "list": Kind(_survey_carriers("list"), _carrying, lambda *_: None),
    "count": Kind(
        _survey_carriers("count"),
        _carrying,
        lambda cast, lang: [lang.number(n) for n in range(len(cast.objects) + 1)],
    ),
    **{
        kind: Kind(
            _survey_gives(kind),
            _give,
            lambda cast, _, asked=asked: list(cast.objects if asked == 1 else cast.persons),  # type: ignore[misc]
        )
        for kind, (_, asked) in GIVE_KINDS.items()
    },
}


def find(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """What the reader finds for a query, or None if it cannot tell."""
    return KINDS[query[0]].find(knowledge, query, language)
