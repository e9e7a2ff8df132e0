"""The logic program of the actors on stories worked out by hand, and against enumeration."""

from __future__ import annotations

import random
import time
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

import pytest

from fabula.world.actors.claims import number_word
from fabula.world.actors.oracle import (
    Claim,
    Conclusion,
    Oracle,
    Sentence,
    conclude,
    prove,
)

Fact = tuple[str, ...]
Story = list[Sentence]


def story(*lines: str) -> Story:
    """Sentences from lines such as 'move Mary park'; '+' for and, '^' for a pronoun."""
    sentences = []
    for line in lines:
        facts = tuple(tuple(part.split()) for part in line.removeprefix("^").split("+"))
        sentences.append(Sentence(facts, line.startswith("^")))
    return sentences


def failures(sentences: Story, query: str, answer: str, *supports: tuple[int, ...]) -> list[str]:
    claim = Claim(tuple(query.split()), tuple(answer.split()), supports)
    return prove(sentences, [claim])[0]


A = story("move Bill office", "grab Bill football", "move Bill bedroom", "give Bill football Fred")
B = story(
    "move Mary park", "grab Mary apple", "drop Mary apple", "move Mary school", "grab John apple"
)
C = story("move Mary park", "^grab Mary apple", "move Mary school", "^drop Mary apple")
D = story(
    "either John park school",
    "grab John apple",
    "either Mary school office",
    "give John apple Mary",
)
E = story("either John park school", "grab John apple", "not-at Mary park", "give John apple Mary")
F = story("grab Jeff apple", "drop Jeff apple", "move Fred hallway", "grab Fred apple")
G = story(
    "move Mary park", "grab Mary milk", "not-at Mary park", "at Mary school",
    "either Mary park office",
)  # fmt: skip
H = story(
    "move Mary park", "grab Mary milk", "move Mary school", "move Mary office", "move Mary school"
)
I = story(  # noqa: E741
    "move Mary park", "grab Mary milk", "move John park", "give Mary milk John",
    "give John milk Mary",
)  # fmt: skip
J = story(
    "move Mary park+move John park", "^move Mary office+move John office", "grab Mary milk",
    "give Mary milk Fred",
)  # fmt: skip

PROVEN = [
    (A, "what-given Bill Fred", "football", [(4,)]),
    (A, "who-gave football", "Bill", [(4,)]),
    (A, "who-gave-to football Fred", "Bill", [(4,)]),
    (A, "who-received football", "Fred", [(4,)]),
    (A, "where-object football", "bedroom", [(2, 3), (3, 4)]),
    (A, "where-person Fred", "bedroom", [(3, 4)]),
    (A, "where-was-object football bedroom", "office", [(1, 2, 3)]),
    (A, "list Bill", "nothing", [(4,)]),
    (A, "list Fred", "football", [(4,)]),
    (B, "where-person John", "park", [(1, 3, 5)]),
    (B, "where-object apple", "park", [(1, 3)]),
    (B, "count Mary", "none", [(3,)]),
    (B, "count John", "one", [(5,)]),
    (C, "where-object apple", "school", [(1, 2, 3), (3, 4)]),
    (C, "where-was-object apple school", "park", [(1, 2, 3)]),
    (C, "count Mary", "none", [(3, 4)]),
    (D, "yes-no John school", "yes", [(1, 3, 4)]),
    (D, "yes-no Mary office", "no", [(1, 4)]),
    (D, "yes-no Mary park", "no", [(3,)]),
    (E, "yes-no John school", "yes", [(1, 3, 4)]),
    (E, "yes-no John park", "no", [(3, 4)]),
    (E, "yes-no John office", "no", [(1,)]),
    (F, "where-person Jeff", "hallway", [(2, 3, 4), (1, 3, 4)]),
    (G[:3], "yes-no Mary park", "no", [(3,)]),
    (G[:4], "where-object milk", "school", [(2, 4)]),
    (G, "yes-no Mary park", "maybe", [(5,)]),
    (G, "yes-no Mary school", "no", [(5,)]),
    (H, "where-was-object milk school", "office", [(2, 4, 5)]),
    (I, "who-given-to Mary milk", "John", [(4,)]),
    (I, "who-gave milk", "John", [(5,)]),
    (J, "where-person Fred", "office", [(1, 2, 4)]),
    (J, "where-person John", "office", [(1, 2)]),
]


@pytest.mark.parametrize(("sentences", "query", "answer", "supports"), PROVEN)
def test_proven(sentences: Story, query: str, answer: str, supports: list[tuple[int, ...]]) -> None:
    assert failures(sentences, query, answer, *supports) == []


def test_one_solver_proves_many_claims() -> None:
    claims = [
        Claim(("where-person", "Fred"), ("bedroom",), ((3, 4),)),
        Claim(("where-person", "Fred"), ("office",), ((3, 4),)),
        Claim(("what-given", "Bill", "Fred"), ("football",), ((4,),)),
    ]
    assert [bool(found) for found in prove(A, claims)] == [False, True, False]


# What is not proven


def test_wrong_answer() -> None:
    (found,) = failures(A, "where-person Fred", "office", (3, 4))
    assert found == "office is not entailed: the story entails bedroom"
    (found,) = failures(D[:1], "yes-no John school", "yes", (1,))
    assert found == ("yes is not entailed: the story entails maybe, with {park, school} open")
    (found,) = failures(B, "list John", "milk", (5,))
    assert found == "milk is not entailed: the story entails apple (apple held at 5)"
    (found,) = failures(B, "list John", "apple apple", (5,))
    assert "not entailed" in found
    (found,) = failures(I, "who-given-to Mary milk", "Mary", (4,))
    assert found == "Mary is not entailed: the story entails John (by sentence 4)"


@pytest.mark.parametrize(
    ("sentences", "query", "found"),
    [
        (A[1:], "where-person Sue", "leaves everything open for where-person(Sue)"),
        (A, "yes-no Sue office", "leaves everything open for yes-no(Sue, office)"),
        (A[:2], "where-person Fred", "leaves everything open for where-person(Fred)"),
        (A, "where-object milk", "leaves everything open for where-object(milk)"),
        (G[:3], "where-person Mary", "leaves {elsewhere} open"),
        (G, "where-person Mary", "leaves {office, park} open"),
        (H[1:3], "where-was-object milk school", "leaves everything open for"),
        (
            story("either Mary park office", "grab Mary milk", "move Mary school"),
            "where-was-object milk school",
            "leaves {office, park} open",
        ),
        (H[:2], "where-was-object milk park", "does not say that milk ever came to park"),
        (H, "where-was-object apple school", "does not say that apple ever came to school"),
        (A, "list Sue", "says nothing about list(Sue)"),
        (A[:3], "count Fred", "says nothing about count(Fred)"),
        (A, "who-gave-to football Bill", "says nothing about who-gave-to(football, Bill)"),
        (story("move Mary park+move Mary school"), "where-person Mary", "is contradictory"),
    ],
)
def test_unanswerable(sentences: Story, query: str, found: str) -> None:
    assert conclude(sentences, tuple(query.split())) is None
    (failure,) = failures(sentences, query, "office", (1,))
    assert failure.startswith(f"office is not entailed: the story {found}")


def test_elimination_proves_no_place() -> None:
    sentences = story("move John park", "move Fred school", "not-at Mary park")
    assert failures(sentences, "yes-no Mary school", "maybe", (3,)) == []
    assert conclude(sentences, ("where-person", "Mary")) is None


def test_place_that_only_the_query_names() -> None:
    sentences = story("not-at Mary park", "move John park")
    assert failures(sentences, "yes-no Mary cinema", "maybe", (1,)) == []
    assert failures(sentences, "yes-no John cinema", "no", (2,)) == []


def test_contradiction() -> None:
    sentences = story("move Mary park", "grab Mary milk", "move John school", "grab John milk")
    for query in ("where-person Mary", "list Mary", "who-gave milk"):
        (found,) = failures(sentences, query, "park", (1,))
        assert found == "park is not entailed: the story is contradictory"
    # The drop that explains it all is left out of the support.
    sentences = story(
        "move Mary park", "grab Mary milk", "move Mary school", "drop Mary milk",
        "move John school", "grab John milk",
    )  # fmt: skip
    (found,) = failures(sentences, "where-object milk", "school", (1, 2, 6, 5))
    assert found == (
        "support [1, 2, 6, 5] does not suffice: it is contradictory; the story entails school"
    )


def test_insufficient_support() -> None:
    (found,) = failures(A, "where-person Fred", "bedroom", (1, 4))
    assert found == (
        "support [1, 4] does not suffice: it entails office; the story entails bedroom"
    )
    (found,) = failures(A, "where-person Fred", "bedroom", (3,))
    assert "it leaves everything open" in found
    (found,) = failures(A, "where-person Fred", "bedroom", ())
    assert found.startswith("support [] does not suffice")
    # A pronoun without its antecedent says nothing.
    (found,) = failures(C, "count Mary", "none", (4,))
    assert found.startswith("support [4] does not suffice: it says nothing about count(Mary)")
    # The right answer for the wrong event.
    (found,) = failures(I + I[3:], "who-given-to Mary milk", "John", (4,))
    assert found == (
        "support [4] does not suffice: it entails John (by sentence 4); "
        "the story entails John (by sentence 6)"
    )


def test_support_for_all_a_person_ever_had() -> None:
    sentences = story("grab Mary milk", "grab Mary apple", "drop Mary milk", "grab John apple")
    assert failures(sentences, "list Mary", "nothing", (2, 3, 4)) == []
    (found,) = failures(sentences, "list Mary", "nothing", (3,))
    assert found == (
        "support [3] does not suffice: it entails nothing (milk lost at 3); "
        "the story entails nothing (apple lost at 2, milk lost at 3)"
    )


def test_support_that_is_not_minimal() -> None:
    assert failures(A, "where-person Fred", "bedroom", (2, 3, 4)) == [
        "support [2, 3, 4] still suffices without sentence 2"
    ]
    assert failures(A, "where-object football", "bedroom", (2, 3, 4)) == [
        "support [2, 3, 4] still suffices without sentence 2",
        "support [2, 3, 4] still suffices without sentence 4",
    ]
    assert failures(D, "yes-no Mary office", "no", (1, 3, 4)) == [
        "support [1, 3, 4] still suffices without sentence 3"
    ]
    assert failures(E, "yes-no John park", "no", (1, 3, 4)) == [
        "support [1, 3, 4] still suffices without sentence 1"
    ]


def test_stale_support() -> None:
    sentences = story("move Mary park", "move Mary school", "move Mary park")
    assert failures(sentences, "where-person Mary", "park", (3,)) == []
    (found,) = failures(sentences, "where-person Mary", "park", (1,))
    assert found == (
        "support [1] is stale: later events undo what it says in the "
        "story, which then leaves everything open for where-person(Mary)"
    )
    # Where she was cannot tell where she is not.
    (found,) = failures(sentences[:2], "yes-no Mary office", "no", (1,))
    assert found.startswith("support [1] is stale")
    # A holder who has nothing to do with it any more.
    sentences = story(
        "grab Mary milk", "drop Mary milk", "grab John milk", "move John school",
        "move Mary school",
    )  # fmt: skip
    assert failures(sentences, "where-object milk", "school", (3, 4)) == []
    (found,) = failures(sentences, "where-object milk", "school", (1, 5))
    assert found.startswith("support [1, 5] is stale")
    # The right place before, but on an earlier way.
    sentences = story(
        "move Mary park", "grab Mary milk", "move Mary school", "move Mary park", "move Mary school"
    )
    assert failures(sentences, "where-was-object milk school", "park", (2, 4, 5)) == []
    for support in ((1, 2, 3), (1, 2, 5)):
        (found,) = failures(sentences, "where-was-object milk school", "park", support)
        assert found.startswith(f"support {list(support)} is stale")


def test_support_is_not_stale_for_what_happens_to_others() -> None:
    # The thing went on, through places it did not come back from.
    sentences = [*H[:3], *story("move Mary office", "move Mary park", "drop Mary milk")]
    assert failures(sentences, "where-was-object milk school", "park", (1, 2, 3)) == []
    # It was dropped before its finder left, so it stayed.
    sentences = [*B, *story("drop John apple", "move John office")]
    assert failures(sentences, "where-object apple", "park", (1, 3)) == []


def test_antecedent_is_needed_though_it_has_the_answer_by_accident() -> None:
    sentences = story("move Mary school", "^move Mary office")
    assert failures(sentences, "yes-no Mary park", "no", (1, 2)) == []
    (found,) = failures(sentences, "yes-no Mary park", "no", (1,))
    assert "stale" in found


def test_malformed_supports() -> None:
    assert failures(A, "where-person Fred", "bedroom") == ["there is no support"]
    assert failures(A, "where-person Fred", "bedroom", (3, 3, 4)) == [
        "support [3, 3, 4] repeats a sentence"
    ]
    assert failures(A, "where-person Fred", "bedroom", (0, 3, 4, 5)) == [
        "support [0, 3, 4, 5] is out of range: the story of 4 sentences has no sentence 0, 5"
    ]
    assert failures(A, "where-person Fred", "bedroom", (3, 4), (4, 3)) == [
        "support [4, 3] is listed twice"
    ]
    assert failures(A, "where-person Fred", "bedroom", (4, 3)) == []


def test_malformed_input() -> None:
    for facts in (("fly", "Mary", "park"), ("move", "Mary"), ()):
        with pytest.raises(ValueError, match="unknown fact or query"):
            prove([Sentence((facts,), False)], [])
    with pytest.raises(ValueError, match="unknown fact or query"):
        conclude(A, ("where", "Fred"))
    with pytest.raises(ValueError, match="handles an object twice"):
        prove(story("grab Mary milk+drop Mary milk"), [])
    with pytest.raises(ValueError, match="no sentences"):
        conclude(A, ("where-person", "Fred"), [5])
    with pytest.raises(ValueError, match="not grounded"):
        Oracle(A, []).conclude(("where-person", "Fred"))
    assert prove([], [Claim(("where-person", "Fred"), ("office",), ())]) == [
        [
            "office is not entailed: the story leaves everything open for where-person(Fred)",
            "there is no support",
        ]
    ]


def test_names() -> None:
    mary, milk, park = 'Mary "M" O\'Neil', "glass of \\ milk\n, 1 l", "Café Noir (old)"
    sentences = [
        Sentence((("move", mary, park),), False),
        Sentence((("grab", mary, milk),), True),
        Sentence((("move", mary, "elsewhere"),), False),
        Sentence((("give", mary, milk, "never"),), False),
    ]
    claims = [
        Claim(("where-object", milk), ("elsewhere",), ((1, 2, 3), (3, 4))),
        Claim(("where-was-object", milk, "elsewhere"), (park,), ((1, 2, 3),)),
        Claim(("list", "never"), (milk,), ((4,),)),
        Claim(("who-received", milk), ("never",), ((4,),)),
        Claim(("yes-no", "never", park), ("no",), ((3, 4),)),
    ]
    assert prove(sentences, claims) == [[]] * len(claims)


def test_one_name_for_a_person_an_object_and_a_place() -> None:
    sentences = story("move Rose Rose", "grab Rose Rose", "move Rose park", "drop Rose Rose")
    assert failures(sentences, "where-object Rose", "park", (2, 3), (3, 4)) == []
    assert failures(sentences, "where-was-object Rose park", "Rose", (1, 2, 3)) == []


def test_number_words() -> None:
    words = [number_word(number) for number in range(100)]
    assert words[:4] == ["none", "one", "two", "three"]
    assert (words[12], words[20], words[99]) == ("twelve", "twenty", "ninety-nine")
    assert len(set(words)) == 100
    sentences = story(*(f"grab Mary thing{number}" for number in range(21)))
    assert failures(sentences, "count Mary", "twenty-one", tuple(range(1, 22))) == []


def test_long_story() -> None:
    choice = random.Random(7)
    people, places = ["Mary", "John", "Fred", "Bill"], [f"place{number}" for number in range(10)]
    lines: list[str] = []
    while len(lines) < 297:
        person = choice.choice(people[1:])
        lines.append(
            choice.choice([f"grab {person} {person}'s", f"move {person} {choice.choice(places)}"])
        )
    lines = ["move Mary place0", "grab Mary milk", *lines, "move Mary place1"]
    sentences = story(*lines)
    assert len(sentences) == 300
    began = time.perf_counter()
    assert failures(sentences, "where-was-object milk place1", "place0", (1, 2, 300)) == []
    assert failures(sentences, "where-person Mary", "place1", (300,)) == []
    assert failures(sentences, "count Mary", "one", (2,)) == []
    assert time.perf_counter() - began < 5


# Against enumeration: every course of places of a tiny world, straight from the promises

PEOPLE, THING, PLACES, OTHER = ("Ann", "Bob"), "cup", ("hall", "den", "loft"), "(elsewhere)"
WORLD = (*PEOPLE, THING)
Course = list[dict[str, str]]


def understood(sentences: Sequence[Sentence], told: Collection[int]) -> set[int]:
    found: set[int] = set()
    for number, sentence in enumerate(sentences, 1):
        if number in told and (not sentence.refers or number - 1 in found):
            found.add(number)
    return found


def holder(sentences: Sequence[Sentence], heard: Collection[int], before: int) -> str | None:
    """Who holds the thing after the sentences heard with a number below `before`."""
    for number in sorted((n for n in heard if n < before), reverse=True):
        for fact in sentences[number - 1].facts:
            if fact[0] in ("grab", "drop", "give"):
                return {"grab": fact[1], "drop": None, "give": fact[-1]}[fact[0]]
    return None


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
    raise AssertionError(fact)


def courses(
    sentences: Story, told: Collection[int], stirring: bool = False, handling: bool = False
) -> list[Course]:
    return _courses(tuple(sentences), frozenset(told), stirring, handling)


@lru_cache(maxsize=64)
def _courses(
    sentences: tuple[Sentence, ...], told: frozenset[int], stirring: bool, handling: bool
) -> list[Course]:
    """All courses that fit what is told; if wanted, other moves and handlings happen too."""
    heard = understood(sentences, told)
    past = understood(sentences, range(1, len(sentences) + 1))
    moves = past if stirring else heard
    dealings = past if handling else heard
    rooms = (*PLACES, OTHER)

    def go_on(course: Course) -> Iterator[Course]:
        number = len(course)
        if number > len(sentences):
            yield course
            return
        facts = sentences[number - 1].facts
        stays = ("move", "at", "not-at", "either")
        moving = {fact[1] for fact in facts if fact[0] in stays and number in moves}
        owner = holder(sentences, dealings, number)
        for chosen in product(rooms, repeat=len(moving)):
            now = course[-1] | dict(zip(sorted(moving), chosen, strict=True))
            if owner in moving:
                now[THING] = now[str(owner)]
            if number not in heard or all(fits(fact, now) for fact in facts):
                yield from go_on([*course, now])

    starts = product(rooms, repeat=len(WORLD))
    return [c for start in starts for c in go_on([dict(zip(WORLD, start, strict=True))])]


def arrivals(course: Course, place: str) -> list[tuple[str, int]]:
    """From where and when the thing came to a place."""
    return [
        (course[n - 1][THING], n)
        for n in range(1, len(course))
        if course[n][THING] == place != course[n - 1][THING]
    ]


def enumerated(sentences: Story, query: Fact, told: Collection[int]) -> Conclusion | None:
    found = courses(sentences, told)
    if not found:
        return None
    heard = sorted(understood(sentences, told))
    facts = [(fact, number) for number in heard for fact in sentences[number - 1].facts]
    match query:
        case ["where-person" | "where-object", name]:
            places = {course[-1][name] for course in found}
            (place,) = places if len(places) == 1 else (OTHER,)
            return None if place == OTHER else Conclusion((place,), (("in", place),))
        case ["where-was-object", _, place]:
            befores = {(arrivals(course, place) or [(OTHER, 0)])[-1][0] for course in found}
            (before,) = befores if len(befores) == 1 else (OTHER,)
            return None if before == OTHER else Conclusion((before,), (("in", before),))
        case ["yes-no", name, place]:
            places = {course[-1][name] for course in found}
            if places == {*PLACES, OTHER}:
                return None
            if places == {place}:
                return Conclusion(("yes",), (("yes",),))
            if place not in places:
                return Conclusion(("no",), (("no",),))
            details = [("elsewhere",) if room == OTHER else ("in", room) for room in places]
            return Conclusion(("maybe",), tuple(sorted(details)))
        case ["list" | "count", name]:
            dealt = [n for f, n in facts if f[0] in ("grab", "drop", "give") and name in f]
            if not dealt:
                return None
            held = holder(sentences, heard, len(sentences) + 1) == name
            answer = {("list", True): THING, ("list", False): "nothing"}.get(
                (query[0], held), "one" if held else "none"
            )
            return Conclusion((answer,), ((THING, "held" if held else "lost", str(dealt[-1])),))
    pattern, answer_at = {
        "who-gave-to": ((None, *query[1:]), 1),
        "who-gave": ((None, query[1], None), 1),
        "who-received": ((None, query[1], None), 3),
        "who-given-to": ((*query[1:], None), 3),
        "what-given": ((query[1], None, query[-1]), 2),
    }[query[0]]
    for fact, number in reversed(facts):
        if fact[0] == "give" and all(
            wanted in (None, part) for wanted, part in zip(pattern, fact[1:], strict=True)
        ):
            return Conclusion((fact[answer_at],), ((str(number),),))
    return None


def enumerated_stale(sentences: Story, query: Fact, told: Collection[int]) -> bool:
    """Whether the story's conclusion about a place fails among all else that happens."""
    if not query[0].startswith(("where", "yes")):
        return False
    everything = courses(sentences, range(1, len(sentences) + 1))
    return any(
        _fails(query, everything, courses(sentences, told, True, handling))
        for handling in (False, True)
    )


def _fails(query: Fact, everything: list[Course], found: list[Course]) -> bool:
    if query[0] == "where-was-object":
        ways = {arrivals(course, query[2])[-1] for course in everything}
        return not all(ways & set(arrivals(course, query[2])) for course in found)
    whole = {course[-1][query[1]] for course in everything}
    part = {course[-1][query[1]] for course in found}
    if query[0] == "yes-no" and query[2] not in whole:
        return query[2] in part
    return not part <= whole


def suffices(sentences: Story, query: Fact, told: Collection[int], whole: Conclusion) -> bool:
    if enumerated(sentences, query, told) != whole:
        return False
    return not enumerated_stale(sentences, query, told)


def tiny_story(choice: random.Random) -> Story:
    def fact() -> Fact:
        kind = choice.choice(("move", "move", "at", "not-at", "either", "grab", "drop", "give"))
        person, other = choice.sample(PEOPLE, 2)
        match kind:
            case "grab" | "drop":
                return (kind, person, THING)
            case "give":
                return (kind, person, THING, other)
            case "either":
                return (kind, person, choice.choice(PLACES), choice.choice(PLACES))
        return (kind, person, choice.choice(PLACES))

    sentences = []
    for _ in range(5):
        facts: tuple[Fact, ...] = (fact(),)
        if facts[0][0] == "move" and choice.random() < 0.2:
            facts = tuple(("move", person, facts[0][2]) for person in PEOPLE)
        sentences.append(Sentence(facts, choice.random() < 0.2))
    return sentences


def tiny_queries() -> list[Fact]:
    queries: list[Fact] = [("where-object", THING), ("who-gave", THING), ("who-received", THING)]
    for person, other in (PEOPLE, PEOPLE[::-1]):
        queries += [("where-person", person), ("list", person), ("count", person)]
        queries += [("yes-no", person, place) for place in PLACES]
        queries += [("who-gave-to", THING, person), ("who-given-to", person, THING)]
        queries += [("what-given", person, other)]
    return queries + [("where-was-object", THING, place) for place in PLACES]


@pytest.mark.parametrize("seed", range(20))
def test_agrees_with_enumeration(seed: int) -> None:
    choice = random.Random(seed)
    queries = tiny_queries()
    for _ in range(20):
        sentences = tiny_story(choice)
        oracle = Oracle(sentences, queries)  # the queries name all places
        everything = range(1, len(sentences) + 1)
        part = tuple(number for number in everything if choice.random() < 0.6)
        for query in queries:
            whole = enumerated(sentences, query, everything)
            assert oracle.conclude(query) == whole, (sentences, query)
            assert oracle.conclude(query, part) == enumerated(sentences, query, part), (
                sentences, query, part,
            )  # fmt: skip
            if whole is not None:
                expected = suffices(sentences, query, part, whole) and not any(
                    suffices(sentences, query, rest, whole)
                    for rest in combinations(part, len(part) - 1)
                )
                claim = Claim(query, whole.answer, (part,))
                assert (oracle.prove(claim) == []) == expected, (sentences, claim)
