"""The questions of the actor world, asked of the reader's knowledge.

Each kind can do two things: list all that can be asked now with what the reader finds (`survey`),
and find the answer to one query with every minimal support (`answer`, None if the reader cannot
tell). Besides the answer a finding has a *conclusion*, what exactly a support must establish: for 'maybe' the places left open,
for a list the latest event about every object the person ever had. A support is minimal if no
sentence can be dropped without losing the conclusion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from fabula.labels import minimal, product
from fabula.language import Language
from fabula.worlds.actors.reading import Knowledge, Leg, place_bit
from fabula.worlds.base import Finding, Query

class Cast(NamedTuple):
    """Whom and what a recipe's questions may name."""

    persons: tuple[str, ...]
    places: tuple[str, ...]
    objects: tuple[str, ...]


Asked = tuple[Query, Finding]


class Kind(NamedTuple):
    """One kind of question."""

    survey: Callable[[Knowledge, Cast, Language], list[Asked]]
    """All that can be asked and answered now."""
    answer: Callable[[Knowledge, Query, Language], Finding | None]
    choices: Callable[[Cast, Language], list[str] | None]
    """All answers that this kind of question can have, or None if they are lists."""


def _surveyed(
    queries: Callable[[Knowledge, Cast], Iterable[Query]],
    answer: Callable[[Knowledge, Query, Language], Finding | None],
) -> Callable[[Knowledge, Cast, Language], list[Asked]]:
    """The survey that puts each of these queries."""

    def survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Asked]:
        found = []
        for query in queries(knowledge, cast):
            finding = answer(knowledge, query, language)
            if finding is not None:
                found.append((query, finding))
        return found

    return survey


# --- where is ------------------------------------------------------------------------------


def _people(knowledge: Knowledge, cast: Cast, kind: str) -> Iterator[Query]:
    for person in cast.persons:
        if person in knowledge.stays:
            yield (kind, person)


def _things(knowledge: Knowledge, cast: Cast, kind: str) -> Iterator[Query]:
    for thing in cast.objects:
        if thing in knowledge.trails:
            yield (kind, thing)


def _where_person(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    stay = knowledge.stays.get(query[1])
    found = knowledge.place(stay) if stay else None
    return Finding((found[0],), found[1], found[0]) if found else None


def _where_object(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    trail = knowledge.trails.get(query[1])
    found = knowledge.place(trail[-1].last[0]) if trail else None
    return Finding((found[0],), found[1], found[0]) if found else None


# --- where was … before ---------------------------------------------------------------------


def _arrivals(knowledge: Knowledge, cast: Cast) -> Iterator[Query]:
    for thing in cast.objects:
        trail = knowledge.trails.get(thing, ())
        seen = set()
        for leg in trail[1:]:
            found = knowledge.place(leg.first)
            if found and found[0] not in seen:
                seen.add(found[0])
                yield ("where-was-object", thing, found[0])


def _places_of_leg(knowledge: Knowledge, leg: Leg) -> int:
    return knowledge.open_places(leg.first) & knowledge.open_places(leg.last[0])


def _where_was(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """The place just before the last arrival: both must be known, and no later arrival possible."""
    bit = place_bit(query[2])
    trail = knowledge.trails.get(query[1], ())
    domains = [_places_of_leg(knowledge, leg) for leg in trail]
    here = len(trail) - 1
    while here > 0 and domains[here] != bit:
        # An unknown spot right after the place may be that place again: then it is no arrival.
        if domains[here] & bit and domains[here - 1] != bit:
            return None
        here -= 1
    while here > 0 and domains[here - 1] == bit:
        here -= 1
    if here <= 0:
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
    trail = knowledge.trails.get(thing, ())
    return sum(bool(_places_of_leg(knowledge, leg) & bit) for leg in trail)


# --- yes, no, maybe -------------------------------------------------------------------------


def _verdict(
    facts: list[tuple[int, int]], domain: int, bit: int, answers: Mapping[str, str]
) -> Finding:
    """Whether a place with these facts, which leave this domain open, is the one of the bit."""
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
    return Finding((answers[word],), masks, (word, conclusion))


def _survey_yes_no(knowledge: Knowledge, cast: Cast, language: Language) -> list[Asked]:
    found: list[Asked] = []
    answers = language.answers
    bits = [(place, place_bit(place)) for place in cast.places]
    for person in cast.persons:
        stay = knowledge.stays.get(person)
        facts = knowledge.facts_of(stay) if stay else None
        if not facts:
            continue
        domain = -1
        for known, _ in facts:
            domain &= known
        verdicts: dict[int, Finding] = {}
        for place, bit in bits:
            # places that all facts treat alike share one verdict
            alike = 0
            for known, _ in facts:
                alike = alike << 1 | (known & bit != 0)
            if domain == bit:
                alike = -1
            verdict = verdicts.get(alike)
            if verdict is None:
                verdict = verdicts[alike] = _verdict(facts, domain, bit, answers)
            found.append((("yes-no", person, place), verdict))
    return found


def _yes_no(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    stay = knowledge.stays.get(query[1])
    facts = knowledge.facts_of(stay) if stay else None
    if not facts:
        return None
    domain = -1
    for known, _ in facts:
        domain &= known
    return _verdict(facts, domain, place_bit(query[2]), language.answers)


# --- carrying -------------------------------------------------------------------------------


def _carriers(knowledge: Knowledge, cast: Cast, kind: str) -> Iterator[Query]:
    for person in cast.persons:
        if person in knowledge.handled:
            yield (kind, person)


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


def _list(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    found = carried(knowledge, query[1])
    if found is None:
        return None
    answer = tuple(sorted(found.held)) or (language.answers["nothing"],)
    return Finding(answer, [found.mask], found.events)


def _count(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    found = carried(knowledge, query[1])
    if found is None:
        return None
    return Finding((language.number(len(found.held)),), [found.mask], found.events)


# --- giving ---------------------------------------------------------------------------------

# kind: which parts of (giver, object, receiver) are given, in the order of the query, and asked
GIVE_KINDS: dict[str, tuple[tuple[int, ...], int]] = {
    "who-gave-to": ((1, 2), 0),
    "who-gave": ((1,), 0),
    "who-received": ((1,), 2),
    "who-given-to": ((0, 1), 2),
    "what-given": ((0, 2), 1),
}


def _given(knowledge: Knowledge, kind: str) -> Iterator[Query]:
    given, _ = GIVE_KINDS[kind]
    yield from dict.fromkeys((kind, *(give[i] for i in given)) for give in knowledge.gives)


def _give(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """The latest give that matches: one that a later one supersedes is no longer the answer."""
    given, asked = GIVE_KINDS[query[0]]
    for give in reversed(knowledge.gives):
        if all(give[i] == word for i, word in zip(given, query[1:], strict=True)):
            return Finding((give[asked],), [give[3]], give[3].bit_length())
    return None


# --- the registry ---------------------------------------------------------------------------


def _places(cast: Cast, language: Language) -> list[str]:
    return list(cast.places)


def _give_kind(kind: str, asked: int) -> Kind:
    return Kind(
        _surveyed(lambda knowledge, cast: _given(knowledge, kind), _give),
        _give,
        lambda cast, _: list(cast.objects if asked == 1 else cast.persons),
    )


KINDS: dict[str, Kind] = {
    "where-person": Kind(
        _surveyed(lambda k, c: _people(k, c, "where-person"), _where_person), _where_person, _places
    ),
    "where-object": Kind(
        _surveyed(lambda k, c: _things(k, c, "where-object"), _where_object), _where_object, _places
    ),
    "where-was-object": Kind(_surveyed(_arrivals, _where_was), _where_was, _places),
    "yes-no": Kind(_survey_yes_no, _yes_no, lambda _, lang: [lang.answers[w] for w in YES_NO]),
    "list": Kind(_surveyed(lambda k, c: _carriers(k, c, "list"), _list), _list, lambda *_: None),
    "count": Kind(
        _surveyed(lambda k, c: _carriers(k, c, "count"), _count),
        _count,
        lambda cast, lang: [lang.number(n) for n in range(len(cast.objects) + 1)],
    ),
    **{kind: _give_kind(kind, asked) for kind, (_, asked) in GIVE_KINDS.items()},
}

YES_NO = ("yes", "no", "maybe")


def find(knowledge: Knowledge, query: Query, language: Language) -> Finding | None:
    """What the reader finds for a query, or None if it cannot tell."""
    return KINDS[query[0]].answer(knowledge, query, language)
