"""The bAbI release's own conventions, which its files follow without exception.

Which events a question may be about (`targets`), and which sentences are cited for an answer, in
which order (`cite`). A citation is not always a proof: for task 3 the release cites the *last* get
or drop of the object, whether or not it shows who carried it there. Two of its habits give wrong
labels, and the `release` dialect reproduces them, declared as defects, so that models can be
compared on the published data: if 'either … or' names the same place twice, the label is 'maybe',
and a give that was superseded by a later one between the same people is still asked about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from fabula.core.seeds import Draw, below, pick
from fabula.language import Lore
from fabula.world.actors.questions import GIVE_KINDS
from fabula.world.base import Candidate, Citation, Fact, Query

Told = dict[int, tuple[Fact, ...]]
"""Sentence number to its facts."""

MOTIVES: Final = {"where-will-go": "need", "why-go": "move", "why-get": "grab"}
"""Questions about needs, and the event that each is asked about."""

RELOCATIONS: Final = ("move", "at", "not-at", "either")
HANDLINGS: Final = ("grab", "drop")


# --- what is cited ----------------------------------------------------------------------------


def cite(told: Told, pronouns: set[int], query: Query, lore: Lore) -> Citation | None:
    """The release's answer and supporting sentences for a query, or None if it has no rule."""
    found = labelled(told, pronouns, query, lore)
    return Citation(found.answer, found.cited) if found else None


def labelled(told: Told, pronouns: set[int], query: Query, lore: Lore) -> Candidate | None:
    """A query with the release's answer and supporting sentences, or None if it has no rule."""
    kind = query[0]
    if kind == "where-person" or kind == "yes-no":
        return _cite_place(told, pronouns, query)
    if kind == "where-was-person":
        return _cite_time(told, query, lore)
    if kind in ("where-will-go", "why-go", "why-get"):
        return _cite_need(told, query, lore)
    if kind == "where-object":
        return _cite_object(told, query)
    if kind == "where-was-object":
        return _cite_before(told, query)
    if kind in ("count", "list"):
        return _cite_carrying(told, query)
    return _cite_give(told, query)


def _latest(
    told: Told, kinds: tuple[str, ...], at: int, name: str, before: int | None = None
) -> tuple[int, Fact] | None:
    """(number, fact) of the latest fact of these kinds with the name at that argument."""
    for number in reversed(told):
        if before is None or number < before:
            for fact in told[number]:
                if fact[at] == name and fact[0] in kinds:
                    return number, fact
    return None


def _is_latest(told: Told, kinds: tuple[str, ...], thing: str, number: int) -> bool:
    """Whether the latest fact of these kinds about a thing is that of the sentence."""
    latest = _latest(told, kinds, 2, thing)
    return latest is not None and latest[0] == number


def _cite_place(told: Told, pronouns: set[int], query: Query) -> Candidate | None:
    found = _latest(told, RELOCATIONS, 1, query[1])
    if found is None:
        return None
    number, fact = found
    numbers = (number - 1, number) if number in pronouns else (number,)
    if query[0] == "where-person":
        return Candidate(query, (fact[2],), numbers) if fact[0] in ("move", "at") else None
    place = query[2]
    if fact[0] in ("move", "at"):
        word = "yes" if fact[2] == place else "no"
    elif fact[0] == "either":
        word = "maybe" if place in fact[2:] else "no"
    else:
        word = "no" if fact[2] == place else "maybe"
    return Candidate(query, (word,), numbers)


def _cite_object(told: Told, query: Query) -> Candidate | None:
    handling = _latest(told, HANDLINGS, 2, query[1])
    if handling is None:
        return None
    number, fact = handling
    before = number if fact[0] == "drop" else None
    move = _latest(told, ("move",), 1, fact[1], before)
    return Candidate(query, (move[1][2],), (number, move[0])) if move else None


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


def _cite_before(told: Told, query: Query) -> Candidate | None:
    _, thing, place = query
    way: list[tuple[int, str]] = []
    for carrying in list(_carryings(told, thing)):
        for step in carrying:
            if not way or way[-1][1] != step[1]:
                way.append(step)
    handling = _latest(told, ("grab", "drop"), 2, thing)
    for index in range(len(way) - 1, 0, -1):
        if way[index][1] == place and handling:
            before = way[index - 1]
            return Candidate(query, (before[1],), (handling[0], way[index][0], before[0]))
    return None


def _cite_carrying(told: Told, query: Query) -> Candidate | None:
    """Every event in which the person got or lost something; for a list, object by object."""
    kind, person = query[0], query[1]
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
        return Candidate(query, has or ("nothing",), numbers)
    words = ("none", "one", "two", "three")
    if len(has) >= len(words):
        return None
    return Candidate(
        query, (words[len(has)],), tuple(sorted(n for ns in events.values() for n in ns))
    )


def _cite_time(told: Told, query: Query, lore: Lore) -> Candidate | None:
    """The line of the latest visit, then that of the time just before it."""
    _, person, place = query
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
    return Candidate(query, (before,), (way[part][1], number))


def _cite_need(told: Told, query: Query, lore: Lore) -> Candidate | None:
    """The line of the latest need that leads there, or is for that thing."""
    for number in reversed(told):
        for fact in told[number]:
            if fact[0] == "need" and query[1].lower() == fact[1].lower():
                need = lore.needs[fact[2]]
                if query[0] == "where-will-go":
                    return Candidate(query, (need.place,), (number,))
                if query[2] == (need.place if query[0] == "why-go" else need.thing):
                    return Candidate(query, (fact[2],), (number,))
    return None


def _cite_give(told: Told, query: Query) -> Candidate | None:
    given, asked = GIVE_KINDS[query[0]]
    for number in reversed(told):
        for fact in told[number]:
            if fact[0] == "give" and _matches(fact, given, query):
                return Candidate(query, (fact[1 + asked],), (number,))
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
) -> list[Candidate]:
    """The questions that the release may ask now: about one of the last events, drawn uniformly."""
    recent: list[tuple[int, Fact]] = []
    for number in reversed(told):
        for fact in told[number]:
            recent.append((number, fact))
        if len(recent) >= window:
            break
    queries: list[Query] = []
    found: list[Candidate] = []
    for number, fact in recent[:window]:
        if kind == "where-person":
            if fact[0] in RELOCATIONS:
                queries.append((kind, fact[1]))
        elif kind == "yes-no":
            if fact[0] in RELOCATIONS:
                queries.append(_about_person(fact[1], told, places, true_place, draw))
        elif kind in ("count", "list"):
            if fact[0] in ("grab", "drop", "give"):
                queries.append((kind, fact[1]))
        elif kind in MOTIVES:
            if fact[0] == MOTIVES[kind]:
                queries.append((kind, fact[1]) if kind == "where-will-go" else (kind, *fact[1:]))
        elif kind == "where-object" or kind == "where-was-object":
            if fact[0] in HANDLINGS:
                query = _about_object(kind, number, fact, told, draw)
                if query:
                    queries.append(query)
        elif fact[0] == "give" and _is_latest(told, ("give",), fact[2], number):
            given, asked = GIVE_KINDS[kind]
            query = (kind, *[fact[1 + i] for i in given])
            found.append(Candidate(query, (fact[1 + asked],), (number,)))
    known: dict[Query, Candidate | None] = {}
    for query in queries:
        if query not in known:
            known[query] = labelled(told, pronouns, query, lore)
        candidate = known[query]
        if candidate:
            found.append(candidate)
    return found


def _about_person(
    person: str,
    told: Told,
    places: tuple[str, ...],
    true_place: Mapping[str, str],
    draw: Draw,
) -> Query:
    """Whether somebody is in a place: the one they left, where they are, or any other."""
    latest = _latest(told, RELOCATIONS, 1, person)
    here = true_place[person]
    if latest and latest[1][0] == "not-at":
        return ("yes-no", person, latest[1][2])
    if draw() < 0.5:
        return ("yes-no", person, here)
    place = places[below(draw, len(places) - 1)]
    return ("yes-no", person, place if place != here else places[-1])


def _about_object(kind: str, number: int, fact: Fact, told: Told, draw: Draw) -> Query | None:
    """A question about an object whose last get or drop this is, if it was carried far enough."""
    thing = fact[2]
    if not _is_latest(told, HANDLINGS, thing, number):
        return None
    if kind == "where-object":
        moved = _latest(told, ("move",), 1, fact[1])
        return (kind, thing) if moved and (fact[0] == "drop" or moved[0] > number) else None
    steps = list(_carryings(told, thing))[-1]
    return (kind, thing, pick(draw, steps[1:])[1]) if len(steps) >= 2 else None
