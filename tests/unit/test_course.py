"""Of supports of the same size, the one that a person would give comes first."""

from __future__ import annotations

import pytest

import fabula
from fabula.core.supports import mask_of, numbers_of
from fabula.world.actors.course import gaps
from fabula.world.actors.reading import read


def supports(story: list[str], *query: str) -> list[tuple[int, ...]]:
    finding = read("en", story).find(query)
    assert finding is not None
    return [numbers_of(mask) for mask in finding.masks]


LYING = [
    "Mary went to the park.",
    "Mary dropped the apple.",
    "Sandra grabbed the apple.",
    "Sandra discarded the apple.",
]


def test_who_takes_what_lies_there_comes_before_who_drops_it_there() -> None:
    assert supports(LYING, "where-person", "Sandra") == [(1, 2, 3), (1, 2, 4)]
    assert supports(LYING, "yes-no", "Sandra", "park") == [(1, 2, 3), (1, 2, 4)]


def test_a_give_of_what_lay_there_comes_later_too() -> None:
    story = [*LYING[:3], "Sandra gave the apple to John.", "John took the milk."]
    assert supports(story, "where-object", "milk")[0] == (1, 2, 4, 5)  # the smallest stays first
    assert supports([*LYING[:3], "Sandra gave the apple to John."], "where-person", "Sandra") == [
        (1, 2, 3),
        (1, 2, 4),
    ]


def test_a_drop_that_the_next_one_finds_is_no_gap() -> None:
    story = [
        "Sandra took the apple.",
        "Sandra dropped the apple.",
        "John went to the park.",
        "John took the apple.",
    ]
    assert supports(story, "where-person", "Sandra") == [(2, 3, 4), (1, 3, 4)]


def test_of_what_has_as_many_gaps_the_latest_comes_first() -> None:
    story = ["Mary went to the park.", "Mary took the milk.", "Mary dropped the milk."]
    assert supports(story, "where-object", "milk") == [(1, 3), (1, 2)]


@pytest.mark.parametrize(
    ("numbers", "found"),
    [((1, 2, 3), 0), ((1, 2, 4), 1), ((3, 4), 0), ((4,), 0), ((1, 2, 3, 4), 0)],
)
def test_gaps(numbers: tuple[int, ...], found: int) -> None:
    assert gaps(read("en", LYING).knowledge.facts, mask_of(numbers)) == found


@pytest.mark.parametrize(
    ("story", "found"),
    [
        (["Mary took the cup.", "John took the cup."], 1),
        (["Mary took the cup.", "Mary gave the cup to John.", "John dropped the cup."], 0),
        (["Mary dropped the cup.", "John gave the cup to Mary."], 1),
        (["Mary put the cup in the box.", "John took the cup from the box."], 0),
        (["Mary put the cup in the box.", "John dropped the cup."], 1),
        (["Mary took the cup.", "John took the cup from the box."], 1),
        (["Mary dropped the cup.", "John put the cup on the table."], 1),
        (["Mary took the cup.", "Mary took the cup."], 0),
    ],
)
def test_gaps_of_other_events(story: list[str], found: int) -> None:
    facts = read("en", story).knowledge.facts
    assert gaps(facts, mask_of(range(1, len(story) + 1))) == found


def test_no_generated_support_has_a_gap_that_another_of_its_size_avoids() -> None:
    several = 0
    for each in fabula.generate("dyna/mix-t12", "test", seed=7, size=600):
        facts = dict(enumerate(each.facts, 1))
        alike = [support for support in each.supports if len(support) == len(each.support)]
        several += len(alike) > 1
        least = min(gaps(facts, mask_of(support)) for support in alike)
        assert gaps(facts, mask_of(each.support)) == least, each.id
    assert several > 50
