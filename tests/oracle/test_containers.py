"""Containers and surfaces: the logic program and the reader against enumeration.

The enumeration knows nothing of either: it keeps the set of all states of a tiny world that fit
what is told, straight from the promises in rules.lp.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import pytest

from fabula.core.seeds import stream
from fabula.core.supports import numbers_of
from fabula.recipe.loading import build
from fabula.world.actors.oracle import Claim, Oracle, Sentence
from fabula.world.actors.reading import read
from fabula.world.actors.recipe import ActorsRecipe
from fabula.world.actors.tale import ActorsTale

Story = tuple[Sentence, ...]
Query = tuple[str, ...]
State = tuple[str, ...]

PEOPLE, PLACES = ("Mary", "John"), ("hall", "den", "loft")
THINGS = ("cup", "box", "tray")
WORLD = (*PEOPLE, *THINGS)
ROOMS = (*PLACES, "(elsewhere)")
STAYS = ("move", "at", "not-at", "either")
HANDLING = ("grab", "drop", "give", "put", "lay", "take")


# --- the enumeration --------------------------------------------------------------------------


def understood(story: Story, told: Collection[int]) -> set[int]:
    found: set[int] = set()
    for number, sentence in enumerate(story, 1):
        if number in told and (not sentence.refers or number - 1 in found):
            found.add(number)
    return found


class Holding(NamedTuple):
    """Who or what has a thing: (person,), ('in', box), ('on', tray), or nobody; since when."""

    holder: tuple[str, ...]
    since: int


def holders(story: Story, heard: Collection[int], before: int) -> dict[str, Holding]:
    """What holds each thing after the sentences heard with a number below `before`."""
    found: dict[str, Holding] = {}
    for number in sorted(n for n in heard if n < before):
        for kind, who, *rest in story[number - 1].facts:
            if kind in HANDLING:
                holder: tuple[str, ...] = {
                    "grab": (who,),
                    "take": (who,),
                    "drop": (),
                    "give": (rest[-1],),
                    "put": ("in", rest[-1]),
                    "lay": ("on", rest[-1]),
                }[kind]
                found[rest[0]] = Holding(holder, number)
    return found


def chain(thing: str, held: dict[str, Holding]) -> list[Holding]:
    """The holding of a thing, that of what it is in, and so on."""
    found = [held[thing]] if thing in held else []
    while found and len(found[-1].holder) == 2 and found[-1].holder[1] in held:
        found.append(held[found[-1].holder[1]])
    return found


def bearer(thing: str, held: dict[str, Holding]) -> str | None:
    """The person who carries a thing."""
    held_by = chain(thing, held)
    return held_by[-1].holder[0] if held_by and len(held_by[-1].holder) == 1 else None


def fits(fact: Sequence[str], at: dict[str, str]) -> bool:
    kind, who, *rest = fact
    if kind in ("move", "at"):
        return at[who] == rest[0]
    if kind == "not-at":
        return at[who] != rest[0]
    if kind == "either":
        return at[who] in rest
    return len({at[name] for name in (who, *rest)}) == 1  # all that is named is together


def names(story: Story) -> tuple[str, ...]:
    """Who and what a story is about; of all else, anything may be so."""
    told = {name for sentence in story for fact in sentence.facts for name in fact[1:]}
    return tuple(name for name in WORLD if name in told)


@lru_cache(maxsize=4096)
def finals(story: Story, told: frozenset[int], stirring: bool, handling: bool) -> set[State]:
    """The states in which the world may be in the end: a place for each of `names`."""
    world = names(story)
    heard, past = understood(story, told), understood(story, whole(story))
    states = set(product(ROOMS, repeat=len(world)))
    for number, sentence in enumerate(story, 1):
        moved = {f[1] for f in sentence.facts if f[0] in STAYS}
        moving = sorted(moved) if number in (past if stirring else heard) else []
        held = holders(story, past if handling else heard, number)
        borne = {thing: bearer(thing, held) for thing in THINGS}
        facts = sentence.facts if number in heard else ()
        new: set[State] = set()
        for state in states:
            at = dict(zip(world, state, strict=True))
            for chosen in product(ROOMS, repeat=len(moving)):
                at.update(zip(moving, chosen, strict=True))
                for thing, who in borne.items():
                    if who in moving:
                        at[thing] = at[str(who)]
                if all(fits(fact, at) for fact in facts):
                    new.add(tuple(at.values()))
        states = new
    return states


def whole(story: Story) -> frozenset[int]:
    return frozenset(range(1, len(story) + 1))


def concluded(story: Story, query: Query, told: frozenset[int]) -> object:
    states = finals(story, told, False, False)
    if not states:
        return None
    if query[0] in ("what-in", "what-on", "list"):
        return _held(story, query, told)
    if query[1] not in names(story):
        return None
    places = {state[names(story).index(query[1])] for state in states}
    if query[0] == "yes-no":
        if len(places) == len(ROOMS):
            return None
        return "no" if query[2] not in places else "yes" if len(places) == 1 else frozenset(places)
    (place,) = places if len(places) == 1 else (ROOMS[-1],)
    return None if place == ROOMS[-1] else place


def _held(story: Story, query: Query, told: frozenset[int]) -> object:
    heard = sorted(understood(story, told))
    kinds = {"what-in": ("put", "take"), "what-on": ("lay", "take"), "list": HANDLING}[query[0]]
    dealt: dict[str, int] = {}
    for number in heard:
        for fact in story[number - 1].facts:
            party = fact[-1] if query[0] != "list" else query[1]
            mine = party == query[1] and query[1] in (fact[1], fact[-1])
            if fact[0] in kinds and mine:
                dealt[fact[2]] = number
    held = holders(story, heard, len(story) + 1)
    holder = (query[1],) if query[0] == "list" else (query[0].removeprefix("what-"), query[1])
    return {t: (held[t].holder == holder, number) for t, number in dealt.items()} or None


def stale(story: Story, query: Query, told: frozenset[int]) -> bool:
    if query[0] in ("what-in", "what-on", "list"):
        return False
    at = names(story).index(query[1])
    everywhere = {state[at] for state in finals(story, whole(story), False, False)}
    for handling in (False, True):
        part = {state[at] for state in finals(story, told, True, handling)}
        if query[0] == "yes-no" and query[2] not in everywhere:
            if query[2] in part:
                return True
        elif not part <= everywhere:
            return True
    return False


def suffices(story: Story, query: Query, told: frozenset[int]) -> bool:
    return concluded(story, query, told) == concluded(story, query, whole(story)) and not stale(
        story, query, told
    )


def supports(story: Story, query: Query) -> Iterator[frozenset[int]]:
    """All smallest sets of sentences that suffice: none contains another."""
    found: list[frozenset[int]] = []
    for size in range(1, len(story) + 1):
        for numbers in combinations(sorted(whole(story)), size):
            told = frozenset(numbers)
            if not any(other <= told for other in found) and suffices(story, query, told):
                found.append(told)
                yield told


def in_force(story: Story, told: frozenset[int]) -> bool:
    """Whether all carrying that these sentences tell of is by holdings in force in the story.

    'Mary went to the hall (1) and took the cup (2). She dropped it (3), left (4) and went to the
    hall again (5).' By 1, 2 and 5 the cup is in the hall too, in whatever else happens; but only by
    accident, since 5 did not bring it there, and such supports the reader does not look for.
    """
    heard = understood(story, told)
    for number in heard:
        for fact in story[number - 1].facts:
            if fact[0] in STAYS:
                here = holders(story, heard, number)
                real = holders(story, whole(story), number)
                for thing in THINGS:
                    if bearer(thing, here) == fact[1] and chain(thing, here) != chain(thing, real):
                        return False
    return True


# --- stories ----------------------------------------------------------------------------------

RECIPE = {
    "id": "tiny",
    "world": "actors",
    "entities": {
        "persons": list(PEOPLE),
        "places": list(PLACES),
        "objects": ["cup"],
        "containers": ["box"],
        "surfaces": ["tray"],
    },
    "events": {"MOVE": 1, "GRAB": 2, "DROP": 1, "GIVE": 1, "PUT": 3, "LAY": 2, "TAKE": 2},
    "tellings": {"NEGATE": 0.5, "INDEF": 1, "COREF": 1},
    "coref": {"MOVE": 1, "GRAB": 1, "PUT": 1, "LAY": 1, "TAKE": 1, "DROP": 1},
    "asks": {"what-in": 1},
    "split_key": "none",
}


def told(seed: int, length: int) -> ActorsTale:
    recipe = build(RECIPE)
    assert isinstance(recipe, ActorsRecipe)
    tale = ActorsTale(recipe, *(stream("tiny", seed, "x", 0, stage) for stage in "ut"))
    tale.advance(length)
    return tale


def symbols(sentences: Sequence[str]) -> Story:
    reading = read("en", sentences)
    return tuple(
        Sentence(facts, bool(statement.pronoun))
        for facts, statement in zip(reading.facts(), reading.statements, strict=True)
    )


def queries() -> list[Query]:
    found: list[Query] = [("where-object", thing) for thing in THINGS]
    found += [("where-person", person) for person in PEOPLE]
    found += [("yes-no", person, place) for person in PEOPLE for place in PLACES]
    found += [("list", person) for person in PEOPLE]
    return [*found, ("what-in", "box"), ("what-on", "tray"), ("what-on", "box")]


CARRIED = [
    "Mary went to the hall.",
    "Mary took the box.",
    "John put the cup in the box.",
    "Mary went to the den.",
]
LEFT = [*CARRIED[:3], "Mary dropped the box.", "Mary went to the den."]
TAKEN = [*CARRIED[:3], "John took the cup from the box.", "Mary went to the den."]
NESTED = [
    "Mary put the cup in the box.",
    "Mary laid the box on the tray.",
    "Mary took the tray.",
    "Then she went to the loft.",
    "John took the cup from the box.",
]

VECTORS = [
    (CARRIED, "Where is the cup?", "den", [(2, 3, 4)]),
    (CARRIED, "Where was the cup before the den?", "hall", [(1, 2, 3, 4)]),
    (CARRIED[:3], "Where is John?", "hall", [(1, 2, 3)]),
    (CARRIED, "Where is John?", "hall", [(1, 2, 3)]),  # he stays, whatever becomes of the box
    (CARRIED, "What is Mary carrying?", "box", [(2,)]),  # not what is in it
    (LEFT, "Where is the cup?", "hall", [(1, 3, 4)]),  # 1, 2, 3 read as if it had gone along
    (LEFT[:4], "Where is the cup?", "hall", [(1, 2, 3), (1, 3, 4)]),
    (TAKEN, "Where is the cup?", "hall", [(1, 2, 4)]),
    (TAKEN, "What is in the box?", "nothing", [(4,)]),
    (TAKEN, "What is John carrying?", "cup", [(4,)]),
    (TAKEN[:3], "What is in the box?", "cup", [(3,)]),
    (NESTED[:4], "Where is the cup?", "loft", [(1, 2, 3, 4)]),
    (NESTED, "Where is John?", "loft", [(2, 3, 4, 5)]),  # from the box, which is on the tray
    (NESTED, "What is on the tray?", "box", [(2,)]),
    (NESTED, "What is in the box?", "nothing", [(5,)]),
]


@pytest.mark.parametrize(("sentences", "question", "answer", "expected"), VECTORS)
def test_by_hand(
    sentences: list[str], question: str, answer: str, expected: list[tuple[int, ...]]
) -> None:
    """Reader and logic program agree with what was worked out by hand."""
    reading = read("en", sentences)
    query = reading.language.parse_question(question)
    finding = reading.find(query)
    assert finding is not None
    assert finding.answer == (answer,)
    stands = [m for m in finding.masks if reading.stands(query, finding.conclusion, m)]
    assert {numbers_of(mask) for mask in stands} == set(expected)
    claim = Claim(query, finding.answer, tuple(numbers_of(mask) for mask in stands))
    assert Oracle(symbols(sentences), [query]).prove(claim) == []


@pytest.mark.parametrize("seed", range(8))
def test_the_logic_program_agrees_with_enumeration(seed: int) -> None:
    draw = stream("parts", seed, "x", 0, "p")
    for turn in range(2):
        story = symbols(told(100 * seed + turn, 6).sentences)
        oracle = Oracle(story, queries())
        part = frozenset(number for number in whole(story) if draw() < 0.7)
        for query in queries():
            conclusion = concluded(story, query, whole(story))
            found = oracle.conclude(query)
            assert (found is None) == (conclusion is None), (story, query)
            if found is None or conclusion is None:
                continue
            expected = suffices(story, query, part) and not any(
                suffices(story, query, part - {number}) for number in part
            )
            claim = Claim(query, found.answer, (tuple(sorted(part)),))
            assert (oracle.prove(claim) == []) == expected, (story, claim)


@pytest.mark.parametrize("seed", range(8))
def test_the_reader_finds_every_support(seed: int) -> None:
    for turn in range(2):
        sentences = told(1000 + 100 * seed + turn, 6).sentences
        story = symbols(sentences)
        reading = read("en", sentences)
        for query in queries():
            finding = reading.find(query)
            conclusion = concluded(story, query, whole(story))
            assert (finding is None) == (conclusion is None), (sentences, query)
            if finding is None:
                continue
            stands = {
                frozenset(numbers_of(mask))
                for mask in finding.masks
                if reading.stands(query, finding.conclusion, mask)
            }
            expected = {support for support in supports(story, query) if in_force(story, support)}
            assert expected <= stands, (sentences, query, expected, stands)
            for support in stands:
                assert suffices(story, query, support), (sentences, query, support)
                assert not any(suffices(story, query, support - {n}) for n in support)
