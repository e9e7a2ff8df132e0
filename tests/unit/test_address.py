"""Which passage holds instance i, and the language that a split is told in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fabula.analysis.verify import objections
from fabula.generation.address import BLOCK, LONG_BLOCK, Blocks, spans
from fabula.generation.author import Author
from fabula.generation.passage import Passage
from fabula.recipe.loading import load
from fabula.recipe.quotas import Rota

ALONG = ["where-person"]


class Maker:
    """Makes passages of 1 to 7 questions, or of as many as are given, and keeps their numbers."""

    def __init__(self, questions: int = 0) -> None:
        self.questions = questions
        self.made: list[tuple[str, int, int]] = []

    def __call__(self, number: str, first: int, turn: int) -> Passage:
        self.made.append((number, first, turn))
        count = self.questions or 1 + sum(map(ord, number)) % 7
        asked: Any = [f"{number}/{question}" for question in range(count)]
        tale: Any = None
        return Passage(number, first, tale, asked)


def found(blocks: Blocks, start: int, stop: int, maker: Maker) -> Iterator[tuple[int, Any]]:
    for passage in blocks.passages(start, stop, maker):
        yield from enumerate(passage.asked, passage.first)


@pytest.mark.parametrize(
    ("changes", "size", "questions"),
    [
        ({"questions": 5}, 5, 5),
        ({"questions": "all"}, BLOCK, 0),
        ({"questions": "throughout"}, LONG_BLOCK, 0),
        ({"questions": 3, "also_ask": ALONG}, BLOCK, 0),
        ({"questions": BLOCK, "also_ask": ALONG}, BLOCK, BLOCK + 50),
    ],
)
def test_every_range_has_the_same_instances(
    changes: dict[str, Any], size: int, questions: int
) -> None:
    blocks = Blocks(load("babi/qa1", changes))
    assert blocks.size == size
    end = 3 * size + 2
    whole = list(found(blocks, 0, end, Maker(questions)))
    assert [index for index, _ in whole] == list(range(end))
    for start, stop in ((0, 1), (size - 1, size + 1), (2 * size + 1, end), (end - 1, end)):
        assert list(found(blocks, start, stop, Maker(questions))) == whole[start:stop]


def test_one_instance_costs_one_passage_or_a_part_of_its_block() -> None:
    maker = Maker(5)
    assert len(list(found(Blocks(load("babi/qa1")), 10**9, 10**9 + 1, maker))) == 1
    assert maker.made == [("200000000", 10**9, 10**9)]
    maker = Maker(30)
    assert len(list(found(Blocks(load("babi/qa1", {"questions": "all"})), 1030, 1031, maker))) == 1
    assert maker.made == [("10.0", 1000, 1000), ("10.1", 1030, 1001)]


def test_collections_deal_out_whole_units() -> None:
    rota = Rota(["a", "b", "a"], 5)
    parts = list(spans(rota, 3, 22))
    assert [(span.part, span.start + span.shift, span.stop + span.shift) for span in parts] == [
        ("a", 3, 5),
        ("b", 5, 10),
        ("a", 10, 15),
        ("a", 15, 20),
        ("b", 20, 22),
    ]
    assert [(span.start, span.stop) for span in parts] == [
        (3, 5),
        (0, 5),
        (5, 10),
        (10, 15),
        (5, 7),
    ]


def test_a_split_can_have_a_language_of_its_own() -> None:
    recipe = load("babi/qa1", {"split_overrides.test.language": "hi"})
    english, hindi = (next(Author(recipe, split).instances(0, 1)) for split in ("train", "test"))
    assert english.question.startswith("Where is ")
    assert hindi.question.endswith(" kahaan hai?")
    assert not objections(english)
    assert not objections(hindi)
