"""The reader of positions finds every minimal support: checked by trying all sets of sentences."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.space_supports import Truth

from fabula.core.supports import numbers_of, preference
from fabula.generation.author import generate
from fabula.language.notation import noted
from fabula.world.base import Fact, Query
from fabula.world.findings import Finding
from fabula.world.space.grid import PLANE, REGIONS, ROOM, Space, label, length, lies, vector, xyz
from fabula.world.space.reading import read

NAMES = "ABCD"


@st.composite
def stories(
    draw: st.DrawFn, space: Space, things: int, most: int
) -> tuple[list[list[Fact]], dict[str, int]]:
    """The facts of up to `most` sentences, some with two, true of one placement."""
    spots = st.tuples(*[st.integers(-1, 1)] * space.dimensions)
    places = {name: vector(*draw(spots)) for name in NAMES[:things]}
    links: list[Fact] = []
    for one, other in permutations(places, 2):
        gap = places[one] - places[other]
        sides = set(map(abs, xyz(gap))) - {0}
        if len(sides) == 1:  # so far in one direction, straight or diagonal
            count = length(gap)
            links.append((label(gap), one, other, *([str(count)] if count > 1 else [])))
    words = list(dict.fromkeys((*space.tested, *space.sides)))
    denials: list[Fact] = [
        ("not", word, one, other)
        for one, other in permutations(places, 2)
        for word in words
        if not lies(places[one] - places[other], REGIONS[word])
    ]
    told: list[list[Fact]] = []
    if links:
        some = st.lists(st.sampled_from(links), min_size=1, max_size=2, unique=True)
        told = draw(st.lists(some, max_size=most - 3))
    told += [[found] for found in draw(st.lists(st.sampled_from(denials), max_size=3))]
    return draw(st.permutations(told)), places


def queries(space: Space, names: list[str]) -> st.SearchStrategy[Query]:
    pair = st.permutations(names).map(lambda some: tuple(some[:2]))
    words = st.sampled_from(tuple(dict.fromkeys((*space.tested, *space.sides))))
    return st.one_of(
        st.tuples(st.just("yes-no"), words, pair).map(lambda q: (q[0], q[1], *q[2])),
        st.tuples(st.just("which"), words, pair).map(lambda q: (q[0], q[1], q[2][0])),
        st.tuples(st.sampled_from(["relation", "how-far"]), pair).map(lambda q: (q[0], *q[1])),
        pair.map(lambda p: ("path", "steps", *p)),
    )


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_every_minimal_support_is_found(data: st.DataObject) -> None:
    space = data.draw(st.sampled_from([PLANE, ROOM]))
    facts, places = data.draw(stories(space, 4, 8))
    query = data.draw(queries(space, list(places)))
    truth = Truth(facts, query)
    finding = read("en", [noted(told) for told in facts]).find(query)
    answer = truth.answer(range(1, len(facts) + 1))
    assert (None if finding is None else finding.answer) == answer
    if finding is not None:
        assert {numbers_of(mask) for mask in finding.masks} == truth.supports(finding.answer)
        assert finding.masks == sorted(finding.masks, key=preference)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_inequalities_say_what_all_placements_say(data: st.DataObject) -> None:
    space, things, reach = data.draw(st.sampled_from([(PLANE, 3, 6), (ROOM, 2, 6)]))
    facts, places = data.draw(stories(space, things, 5))
    query = data.draw(queries(space, list(places)))
    told = range(1, len(facts) + 1)
    assert Truth(facts, query).answer(told) == Truth(facts, query, spots=reach).answer(told)


def test_a_denial_of_half_of_space_proves_a_yes() -> None:
    story = ["Otto is not anywhere behind Vera.", "Vera is in front of Hugo."]
    reading = read("en", story)
    query = ("yes-no", "front", "Otto", "Hugo")
    assert reading.find(query) == Finding(("yes",), [0b110], "yes")
    assert reading.stands(query, "yes", 0b110)
    assert reading.find(("which", "front", "Hugo")) == Finding(
        ("Otto", "Vera"), [0b110], ("Otto", "Vera")
    )
    both = [*story, "Hugo is not anywhere behind Ada."]
    assert read("en", both).find(("yes-no", "front", "Otto", "Ada")) == Finding(
        ("yes",), [0b1110], "yes"
    )


def test_denials_that_contradict_each_other_answer_nothing() -> None:
    story = ["Otto is not anywhere behind Vera.", "Vera is not anywhere behind Hugo."]
    query = ("yes-no", "front", "Otto", "Hugo")
    assert read("en", [*story, "Hugo is in front of Otto."]).find(query) is None
    assert read("en", [*story, "Otto is in front of Hugo."]).find(query) is not None


def test_denials_together_exclude_what_neither_does_alone() -> None:
    story = [
        "A is not directly to the left of B.",
        "B is to the right of C.",
        "A is not in the same place as D.",
        "D is two steps to the left of B.",
    ]
    # along the row of E, which is left of B: the nearest spot is D's, the others are denied too
    story += ["E is to the left of B."]
    found = read("en", story).find(("yes-no", "directly-left", "A", "E"))
    assert found is not None
    assert found.answer == ("no",)


def test_three_denials_can_settle_a_relation() -> None:
    story = [
        "Otto is not anywhere behind Vera.",
        "Otto is not anywhere to the left of Vera.",
        "Otto is not anywhere below Vera.",
        "Vera is to the right of, above and in front of Hugo.",
    ]
    found = read("en", story).find(("relation", "Otto", "Hugo"))
    assert found == Finding(("upper-right-front",), [0b11110], "upper-right-front")


def test_a_longer_way_of_the_same_steps_is_a_support_too() -> None:
    story = ["A is two steps above B.", "C is above B.", "A is above C."]
    finding = read("en", story).find(("path", "steps", "B", "A"))
    assert finding == Finding(("up", "up"), [0b10, 0b1100], ("up", "up"))


SHIPPED = [
    ("stepgame/deep", {"dialect": "plus"}, 120),
    ("stepgame/plus", {}, 120),
    ("stepgame/deep", {}, 40),
    ("stepgame/compat", {"hops": [1, 6]}, 30),
]


@pytest.mark.parametrize(("name", "changes", "size"), SHIPPED)
def test_shipped_records_have_every_minimal_support(
    name: str, changes: dict[str, object], size: int
) -> None:
    kinds: Counter[str] = Counter()
    for found in generate(name, "train", seed=11, size=size, **changes):
        supports = Truth(found.facts, found.query).supports(found.answer)
        assert set(found.supports) == supports, found.id
        assert found.support == min(supports, key=lambda numbers: (len(numbers), _late(numbers)))
        kinds[found.query[0]] += 1
    assert len(kinds) == (5 if "plus" in (name[9:], changes.get("dialect")) else 1)


def _late(numbers: tuple[int, ...]) -> list[int]:
    return [-number for number in reversed(numbers)]
