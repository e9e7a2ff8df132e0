"""The bAbI release's own conventions, as its files follow them without exception.

Which events a question may concern (`targets`), and which sentences are cited for an answer, in
which order (`cite`). A citation is not always a proof: for task 3 the release cites the *last* get
or drop of the object, whether or not it shows who carried it there. Two of its habits give wrong
labels, and the `release` dialect keeps them, declared as defects, so that models can be compared on
what was published: a place named twice by 'either … or' is 'maybe', and a give that a later one
between the same people supersedes is still asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fabula.core.seeds import Draw, below, pick
from fabula.language import Lore
from fabula.world.actors.questions import GIVE_KINDS
from fabula.world.base import Citation, Fact, Query

Told = dict[int, tuple[Fact, ...]]
"""Sentence number to its facts."""

MOTIVES = {"where-will-go": "need", "why-go": "move", "why-get": "grab"}
"""Questions about needs, and the event that each is asked about."""

RELOCATIONS = ("move", "at", "not-at", "either")


class Target(NamedTuple):
    """Something the release would ask now."""

    query: Query
    citation: Citation


# --- what is cited ----------------------------------------------------------------------------


def cite(told: Told, pronouns: set[int], query: Query, lore: Lore) -> Citation | None:
    """The release's answer and supporting sentences for a query, or None if it has no rule."""
    kind = query[0]
    if kind == "where-was-person":
        return _cite_time(told, query[1], query[2], lore)
    if kind in ("where-will-go", "why-go", "why-get"):
        return _cite_need(told, query, lore)
    if kind in ("where-person", "yes-no"):
        return _cite_place(told, pronouns, query)
    if kind == "where-object":
        return _cite_object(told, query[1])
    if kind == "where-was-object":
        return _cite_before(told, query[1], query[2])
    if kind in ("count", "list"):
        return _cite_carrying(told, query[1], kind)
    return _cite_give(told, query)


def _latest(
    told: Told, kinds: tuple[str, ...], at: int, name: str, before: int | None = None
) -> tuple[int, Fact] | None:
    """(number, fact) of the newest fact of these kinds with the name at that argument."""
    for number in reversed(told):
        if before is None or number < before:
            for fact in told[number]:
                if fact[0] in kinds and fact[at] == name:
                    return number, fact
    return None


def _is_latest(told: Told, kinds: tuple[str, ...], thing: str, number: int) -> bool:
    """Whether the newest fact of these kinds about a thing is that of the sentence."""
    latest = _latest(told, kinds, 2, thing)
    return latest is not None and latest[0] == number


def _cite_place(told: Told, pronouns: set[int], query: Query) -> Citation | None:
    found = _latest(told, RELOCATIONS, 1, query[1])
    if found is None:
        return None
    number, fact = found
    numbers = (number - 1, number) if number in pronouns else (number,)
    if query[0] == "where-person":
        return Citation((fact[2],), numbers) if fact[0] in ("move", "at") else None
    place = query[2]
    if fact[0] in ("move", "at"):
        word = "yes" if fact[2] == place else "no"
    elif fact[0] == "either":
        word = "maybe" if place in fact[2:] else "no"
    else:
        word = "no" if fact[2] == place else "maybe"
    return Citation((word,), numbers)


def _cite_object(told: Told, thing: str) -> Citation | None:
    handling = _latest(told, ("grab", "drop"), 2, thing)
    if handling is None:
        return None
    number, fact = handling
    before = number if fact[0] == "drop" else None
    move = _latest(told, ("move",), 1, fact[1], before)
    return Citation((move[1][2],), (number, move[0])) if move else None


def _carryings(told: Told, thing: str) -> Iterator[list[tuple[int, str]]]:
    """For each time the thing is taken: the (number, place) it is carried to."""
    holder = None
    steps: list[tuple[int, str]] = []
    for number, facts in told.items():
        for fact in facts:
            if fact[0] == "move" and fact[1] == holder:
                steps.append((number, fact[2]))
            elif fact[0] == "grab" and fact[2] == thing:
                if holder is None:
                    steps = []
                    yield steps
                holder = fact[1]
            elif fact[0] == "drop" and fact[2] == thing:
                holder = None
            elif fact[0] == "give" and fact[2] == thing:
                holder = fact[3]


def _cite_before(told: Told, thing: str, place: str) -> Citation | None:
    way: list[tuple[int, str]] = []
    for carrying in list(_carryings(told, thing)):
        for step in carrying:
            if not way or way[-1][1] != step[1]:
                way.append(step)
    handling = _latest(told, ("grab", "drop"), 2, thing)
    for index in range(len(way) - 1, 0, -1):
        if way[index][1] == place and handling:
            before = way[index - 1]
            return Citation((before[1],), (handling[0], way[index][0], before[0]))
    return None


def _cite_carrying(told: Told, person: str, kind: str) -> Citation | None:
    """Every event in which the person got or lost something; for a list, object by object."""
    events: dict[str, list[int]] = {}
    held: dict[str, bool] = {}
    for number, facts in told.items():
        for fact in facts:
            if fact[0] in ("grab", "drop", "give") and person in (fact[1], fact[-1]):
                thing = fact[2]
                events.setdefault(thing, []).append(number)
                held[thing] = fact[0] == "grab" or (fact[0] == "give" and fact[3] == person)
    if not events:
        return None
    has = tuple(thing for thing in events if held[thing])
    if kind == "list":
        numbers = tuple(number for thing in events for number in events[thing])
        return Citation(has or ("nothing",), numbers)
    words = ("none", "one", "two", "three")
    if len(has) >= len(words):
        return None
    return Citation((words[len(has)],), tuple(sorted(n for ns in events.values() for n in ns)))


def _cite_time(told: Told, person: str, place: str, lore: Lore) -> Citation | None:
    """The line of the latest visit, then that of the time just before it."""
    way: dict[int, tuple[str, int]] = {}
    for number, facts in told.items():
        for fact in facts:
            if fact[0] == "went" and fact[1] == person:
                way[lore.times.index(fact[3])] = (fact[2], number)
    visits = [part for part, (where, _) in way.items() if where == place]
    part = max(visits, default=-1)
    if part - 1 not in way:
        return None
    before, number = way[part - 1]
    return Citation((before,), (way[part][1], number))


def _cite_need(told: Told, query: Query, lore: Lore) -> Citation | None:
    """The line of the latest need that leads there, or is for that thing."""
    for number in reversed(told):
        for fact in told[number]:
            if fact[0] == "need" and query[1].lower() == fact[1].lower():
                need = lore.needs[fact[2]]
                if query[0] == "where-will-go":
                    return Citation((need.place,), (number,))
                if query[2] == (need.place if query[0] == "why-go" else need.thing):
                    return Citation((fact[2],), (number,))
    return None


def _cite_give(told: Told, query: Query) -> Citation | None:
    given, asked = GIVE_KINDS[query[0]]
    for number in reversed(told):
        for fact in told[number]:
            if fact[0] == "give" and _matches(fact, given, query):
                return Citation((fact[1 + asked],), (number,))
    return None


def _matches(give: Fact, given: tuple[int, ...], query: Query) -> bool:
    return all(give[1 + i] == word for i, word in zip(given, query[1:], strict=True))


# --- what is asked ----------------------------------------------------------------------------


def targets(
    told: Told,
    pronouns: set[int],
    kind: str,
    window: int,
    places: tuple[str, ...],
    true_place: Mapping[str, str],
    draw: Draw,
    lore: Lore,
) -> list[Target]:
    """What the release may ask now: about one of the last events, each as likely as the others."""
    recent: list[tuple[int, Fact]] = []
    for number in reversed(told):
        recent += ((number, fact) for fact in told[number])
        if len(recent) >= window:
            break
    queries: list[Query] = []
    found: list[Target] = []
    for number, fact in recent[:window]:
        if kind in ("where-person", "yes-no"):
            if fact[0] in RELOCATIONS:
                queries += _about_person(kind, fact[1], told, places, true_place, draw)
        elif kind in ("count", "list"):
            if fact[0] in ("grab", "drop") or fact[0] == "give":
                queries.append((kind, fact[1]))
        elif kind in MOTIVES:
            if fact[0] == MOTIVES[kind]:
                queries.append((kind, fact[1]) if kind == "where-will-go" else (kind, *fact[1:]))
        elif kind == "where-object" or kind == "where-was-object":
            if fact[0] in ("grab", "drop"):
                queries += _about_object(kind, number, fact, told, draw)
        elif fact[0] == "give" and _is_latest(told, ("give",), fact[2], number):
            given, asked = GIVE_KINDS[kind]
            query = (kind, *(fact[1 + i] for i in given))
            found.append(Target(query, Citation((fact[1 + asked],), (number,))))
    for query in queries:
        citation = cite(told, pronouns, query, lore)
        if citation:
            found.append(Target(query, citation))
    return found


def _about_person(
    kind: str,
    person: str,
    told: Told,
    places: tuple[str, ...],
    true_place: Mapping[str, str],
    draw: Draw,
) -> Iterator[Query]:
    if kind == "where-person":
        yield (kind, person)
        return
    latest = _latest(told, RELOCATIONS, 1, person)
    here = true_place[person]
    if latest and latest[1][0] == "not-at":
        yield (kind, person, latest[1][2])
    elif draw() < 0.5:
        yield (kind, person, here)
    else:
        index = below(draw, len(places) - 1)
        yield (kind, person, places[index] if places[index] != here else places[-1])


def _about_object(kind: str, number: int, fact: Fact, told: Told, draw: Draw) -> Iterator[Query]:
    """An object whose last get or drop this is, if it was carried far enough."""
    thing = fact[2]
    if not _is_latest(told, ("grab", "drop"), thing, number):
        return
    if kind == "where-object":
        moved = _latest(told, ("move",), 1, fact[1])
        if moved and (fact[0] == "drop" or moved[0] > number):
            yield (kind, thing)
        return
    steps = list(_carryings(told, thing))[-1]
    if len(steps) >= 2:
        yield (kind, thing, pick(draw, steps[1:])[1])
