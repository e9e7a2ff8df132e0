"""Times and needs: the logic program and the reader against enumeration.

The enumeration knows nothing of either: it lists every course of a tiny world that fits what is
told, straight from the promises in rules.lp.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import combinations, product

import pytest

from fabula.core.supports import mask_of, numbers_of
from fabula.language import language
from fabula.world.actors.oracle import Claim, Conclusion, Oracle, Sentence, prove
from fabula.world.actors.reading import ActorsReading, read

Fact = tuple[str, ...]
Facts = tuple[Fact, ...]
Course = tuple[dict[str, str], ...]

LORE = language("en", "actors").lore
PEOPLE, THING = ("Mary", "John"), "milk"
PLACES, OTHER = ("kitchen", "garden", "park"), "(elsewhere)"
ROOMS = (*PLACES, OTHER)
STAYS = ("move", "at", "not-at", "either")
LATE = ("this afternoon", "this evening")  # of the earlier parts nothing is told: any place will do
SAID = {
    "move": "{0} went to the {1}.",
    "at": "{0} is in the {1}.",
    "not-at": "{0} is not in the {1}.",
    "either": "{0} is either in the {1} or the {2}.",
    "grab": "{0} took the {1}.",
    "drop": "{0} dropped the {1}.",
    "give": "{0} gave the {1} to {2}.",
    "went": "{0} went to the {1} {2}.",
    "need": "{0} is {1}.",
}


# --- the enumeration --------------------------------------------------------------------------


def fits(fact: Fact, now: dict[str, str]) -> bool:
    match fact:
        case ["move" | "at", person, place]:
            return now[person] == place
        case ["not-at", person, place]:
            return now[person] != place
        case ["either", person, first, second]:
            return now[person] in (first, second)
        case ["grab" | "drop", person, thing]:
            return now[person] == now[thing]
        case ["give", giver, thing, receiver]:
            return now[giver] == now[thing] == now[receiver]
    return True  # of times and needs elsewhere


def holder(facts: Facts, heard: Collection[int], before: int) -> str | None:
    for number in sorted((n for n in heard if n < before), reverse=True):
        fact = facts[number - 1]
        if fact[0] in ("grab", "drop", "give"):
            return None if fact[0] == "drop" else fact[1] if fact[0] == "grab" else fact[3]
    return None


@lru_cache(maxsize=4096)
def courses(
    facts: Facts, told: frozenset[int], person: str, stirring: bool, handling: bool
) -> list[Course]:
    """All courses, each beginning with the morning and the afternoon of the person."""
    everything = range(1, len(facts) + 1)
    moves, dealings = (everything if stirring else told), (everything if handling else told)
    went = [facts[n - 1] for n in told if facts[n - 1][0] == "went"]
    if any(one[1::2] == other[1::2] and one != other for one, other in combinations(went, 2)):
        return []  # in two places at a time

    def go_on(course: Course) -> Iterator[Course]:
        number = len(course)
        if number > len(facts):
            yield course
            return
        fact = facts[number - 1]
        mover = fact[1] if fact[0] in STAYS and number in moves else None
        for room in ROOMS if mover else ("",):
            now = dict(course[-1])
            if mover:
                now[mover] = room
                if holder(facts, dealings, number) == mover:
                    now[THING] = room
            if number not in told or fits(fact, now):
                yield from go_on((*course, now))

    found: list[Course] = []
    for start in product(ROOMS, repeat=3):
        first = dict(zip((*PEOPLE, THING), start, strict=True))
        if all(fact[2] == first[fact[1]] for fact in went if fact[3] == LATE[1]):
            presents = list(go_on((first,)))
            for morning, afternoon in product(ROOMS, repeat=2):
                spoken = [fact[2] for fact in went if fact[1::2] == (person, LATE[0])]
                if all(place == afternoon for place in spoken):
                    past = ({person: morning}, {person: afternoon})
                    found += [(*past, *present) for present in presents]
    return found


def arrivals(
    course: Course, facts: Facts, told: Collection[int], person: str, place: str
) -> Iterator[tuple[str, int]]:
    """From where and when the person came to a place; the evening is time 0."""
    spoken = {facts[n - 1][3] for n in told if facts[n - 1][:2] == ("went", person)}
    for at in range(1, len(course)):
        time = at - 2
        if time > 0 or LATE[time + 1] in spoken:
            before, now = course[at - 1][person], course[at][person]
            if now == place != before:
                yield before, time


def enumerated_before(
    facts: Facts, told: frozenset[int], person: str, place: str
) -> Conclusion | None:
    befores = set()
    for course in courses(facts, told, person, False, False):
        came = list(arrivals(course, facts, told, person, place))
        befores.add(came[-1][0] if came else OTHER)
    (before,) = befores if len(befores) == 1 else (OTHER,)
    return None if before == OTHER else Conclusion((before,), (("in", before),))


def stale(facts: Facts, told: frozenset[int], person: str, place: str) -> bool:
    everything = frozenset(range(1, len(facts) + 1))
    ways = {
        list(arrivals(course, facts, everything, person, place))[-1]
        for course in courses(facts, everything, person, False, False)
    }
    return any(
        not ways & set(arrivals(course, facts, told, person, place))
        for handling in (False, True)
        for course in courses(facts, told, person, True, handling)
    )


def mood_before(facts: Facts, told: Collection[int], person: str, time: int) -> int:
    """The sentence of the person's need in force just before a time, or 0."""
    need = 0
    for number in sorted(told):
        if number >= time:
            break
        match facts[number - 1]:
            case ["need", who, _] if who == person:
                need = number
            case ["grab", who, thing] | ["give", _, thing, who] if who == person and need:
                if LORE.needs[facts[need - 1][2]].thing == thing:
                    need = 0
    return need


def enumerated_reason(facts: Facts, told: frozenset[int], query: Fact) -> Conclusion | None:
    person = query[1]
    if not courses(facts, told, person, False, False):
        return None
    time = len(facts) + 1
    if query[0] != "where-will-go":
        for number in sorted(told, reverse=True):
            fact = facts[number - 1]
            if fact[1] != person:
                continue
            kind, goal = fact[0], query[2]
            if query[0] == "why-get":
                if kind == "grab" and fact[2] == goal:
                    time = number
                    break
            elif kind in STAYS:
                possible = {room for room in ROOMS if fits(fact, {person: room})}
                if possible == {goal}:
                    time = number
                    break
                if goal in possible:
                    return None
    need = mood_before(facts, told, person, time)
    if not need:
        return None
    mood = facts[need - 1][2]
    place, thing = LORE.needs[mood]
    detail = ((str(need),),)
    if query[0] != "where-will-go":
        wanted = place if query[0] == "why-go" else thing
        return Conclusion((mood,), detail) if query[2] == wanted else None
    rooms = {course[-1][person] for course in courses(facts, told, person, False, False)}
    return Conclusion((place,), detail) if rooms == set(ROOMS) or place not in rooms else None


def enumerated(facts: Facts, told: frozenset[int], query: Fact) -> Conclusion | None:
    if query[0] == "where-was-person":
        return enumerated_before(facts, told, query[1], query[2])
    if query[0] == "where-person":
        places = {c[-1][query[1]] for c in courses(facts, told, query[1], False, False)}
        (place,) = places if len(places) == 1 else (OTHER,)
        return None if place == OTHER else Conclusion((place,), (("in", place),))
    return enumerated_reason(facts, told, query)


def happened(facts: Facts, query: Fact) -> bool:
    """Whether the story says for certain what a 'why' asks the reason for."""
    if not query[0].startswith("why"):
        return True
    for fact in facts:
        if fact[1] != query[1]:
            continue
        if query[0] == "why-get" and fact[0] == "grab" and fact[2] == query[2]:
            return True
        possible = {room for room in ROOMS if fact[0] in STAYS and fits(fact, {fact[1]: room})}
        if query[0] == "why-go" and possible == {query[2]}:
            return True
    return False


def entailed(facts: Facts, query: Fact) -> Conclusion | None:
    """What the whole story says: no reason for what never happened."""
    everything = frozenset(range(1, len(facts) + 1))
    return enumerated(facts, everything, query) if happened(facts, query) else None


def suffices(facts: Facts, told: frozenset[int], query: Fact, whole: Conclusion) -> bool:
    if enumerated(facts, told, query) != whole:
        return False
    return query[0] != "where-was-person" or not stale(facts, told, *query[1:])


# --- stories ----------------------------------------------------------------------------------


def tiny(choice: random.Random, kinds: tuple[str, ...]) -> Facts:
    def fact() -> Fact:
        kind = choice.choice(kinds)
        person, other = choice.sample(PEOPLE, 2)
        if choice.random() < 0.8:
            person, other = PEOPLE
        match kind:
            case "grab" | "drop":
                return (kind, person, THING)
            case "give":
                return (kind, person, THING, other)
            case "either":
                return (kind, person, choice.choice(PLACES), choice.choice(PLACES))
            case "went":
                return (kind, person, choice.choice(PLACES), choice.choice(LATE))
            case "need":
                return (kind, person, choice.choice(("thirsty", "hungry", "bored")))
        return (kind, person, choice.choice(PLACES))

    while True:  # mostly stories that do not contradict themselves
        facts = tuple(fact() for _ in range(5))
        everything = frozenset(range(1, 6))
        if courses(facts, everything, PEOPLE[0], False, False) or choice.random() < 0.1:
            return facts


def told_as(facts: Facts) -> ActorsReading:
    return read("en", [SAID[fact[0]].format(*fact[1:]) for fact in facts])


TIMES = ("move", "move", "move", "went", "went", "went", "not-at", "either", "grab", "give")
TIME_QUERIES: list[Fact] = [("where-was-person", who, where) for who in PEOPLE for where in PLACES]
TIME_QUERIES += [("where-person", who) for who in PEOPLE]
NEEDS = ("move", "move", "need", "need", "not-at", "either", "grab", "give", "went")
NEED_QUERIES: list[Fact] = [("where-will-go", who) for who in PEOPLE]
NEED_QUERIES += [("why-go", who, where) for who in PEOPLE for where in PLACES]
NEED_QUERIES += [("why-get", who, THING) for who in PEOPLE]
CASES = [(TIMES, TIME_QUERIES), (NEEDS, NEED_QUERIES)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kinds", "queries"), CASES, ids=["times", "needs"])
def test_program_agrees_with_enumeration(
    kinds: tuple[str, ...], queries: list[Fact], seed: int
) -> None:
    choice = random.Random(seed)
    concluded = 0
    for _ in range(8):
        facts = tiny(choice, kinds)
        # all queries are asked at once, so that all places are named
        oracle = Oracle([Sentence((fact,), False) for fact in facts], [*queries, *ALL], LORE)
        everything = frozenset(range(1, len(facts) + 1))
        part = frozenset(number for number in everything if choice.random() < 0.6)
        for query in queries:
            whole = entailed(facts, query)
            assert oracle.conclude(query) == whole, (facts, query)
            assert oracle.conclude(query, part) == enumerated(facts, part, query), (facts, query)
            if whole is not None and query[0] != "where-person":
                concluded += 1
                expected = suffices(facts, part, query, whole) and not any(
                    suffices(facts, part - {number}, query, whole) for number in part
                )
                claim = Claim(query, whole.answer, (tuple(sorted(part)),))
                assert (oracle.prove(claim) == []) == expected, (facts, claim)
    assert concluded > 2


ALL = [("yes-no", PEOPLE[0], place) for place in PLACES]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("kinds", "queries"), CASES, ids=["times", "needs"])
def test_reader_finds_every_minimal_support(
    kinds: tuple[str, ...], queries: list[Fact], seed: int
) -> None:
    """What the reader concludes is so, from any part of the story; and no support is missed."""
    choice = random.Random(100 + seed)
    concluded = 0
    for _ in range(8):
        facts = tiny(choice, kinds)
        reading = told_as(facts)
        everything = frozenset(range(1, len(facts) + 1))
        parts = [frozenset(p) for n in range(1, 5) for p in combinations(sorted(everything), n)]
        for query in queries:
            if query[0] == "where-person":
                continue
            whole, found = entailed(facts, query), reading.find(query)
            if found is None:  # the reader may miss what only follows by cases; never of a need
                assert whole is None or query[0] == "where-was-person", (facts, query)
                continue
            assert whole is not None, (facts, query, found)
            assert found.answer == whole.answer, (facts, query, found)
            concluded += 1
            standing = {
                frozenset(numbers_of(mask))
                for mask in found.masks
                if reading.stands(query, found.conclusion, mask)
            }
            enough = [part for part in parts if suffices(facts, part, query, whole)]
            minimal = {part for part in enough if not any(less < part for less in enough)}
            assert standing == minimal, (facts, query)
            for part in parts:
                alone = reading.alone(query, mask_of(sorted(part)))
                known = enumerated(facts, part, query)
                assert alone is None or (known is not None and alone == known.answer)
    assert concluded > 2


# --- by hand ----------------------------------------------------------------------------------


def story(*lines: str) -> list[Sentence]:
    """Sentences from lines such as 'went Julie park this_morning'; '^' for a pronoun."""
    return [
        Sentence(
            (tuple(word.replace("_", " ") for word in line.removeprefix("^").split()),),
            line.startswith("^"),
        )
        for line in lines
    ]


A = story("went Ann park this_morning", "went Ann hall yesterday", "went Ann den this_evening")
B = story("need Ann tired", "move Ann bedroom", "grab Ann pajamas", "need Ann thirsty")
PROVEN = [
    (A, "where-was-person Ann park", "hall", [(1, 2)]),
    (A, "where-person Ann", "den", [(3,)]),
    (story("need Ann tired", "^move Ann den"), "where-will-go Ann", "bedroom", [(1,)]),
    (B, "why-go Ann bedroom", "tired", [(1,)]),
    (B, "why-get Ann pajamas", "tired", [(1,)]),
    (B, "where-will-go Ann", "kitchen", [(4,)]),
]


@pytest.mark.parametrize(("sentences", "query", "answer", "supports"), PROVEN)
def test_proven(
    sentences: list[Sentence], query: str, answer: str, supports: list[tuple[int, ...]]
) -> None:
    claim = Claim(tuple(query.split()), (answer,), tuple(supports))
    assert prove(sentences, [claim], LORE) == [[]]


UNPROVEN = [
    (A, "where-was-person Ann den", "park", (1, 3), "leaves everything open"),
    (A, "where-was-person Ann hall", "park", (1, 2), "not entailed"),
    (A, "where-was-person Ann park", "hall", (1, 2, 3), "still suffices without sentence 3"),
    (B, "why-go Ann bedroom", "thirsty", (4,), "the story entails tired (by sentence 1)"),
    (B, "why-get Ann pajamas", "tired", (1, 3), "still suffices without sentence 3"),
    (B, "why-get Ann pajamas", "tired", (3,), "says nothing about why-get(Ann, pajamas)"),
    (B[:3], "where-will-go Ann", "bedroom", (1,), "says nothing about"),
    (B[:2], "where-will-go Ann", "bedroom", (1,), "says nothing about"),
]


@pytest.mark.parametrize(("sentences", "query", "answer", "support", "objection"), UNPROVEN)
def test_unproven(
    sentences: list[Sentence], query: str, answer: str, support: tuple[int, ...], objection: str
) -> None:
    claim = Claim(tuple(query.split()), (answer,), (support,))
    ((found, *_),) = prove(sentences, [claim], LORE)
    assert objection in found
