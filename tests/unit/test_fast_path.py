"""The fast path makes the very passages of the general path, which is its reference."""

from __future__ import annotations

from typing import Any

import pytest

from fabula.datasets.formats import format_named
from fabula.generation.author import Author, Passage
from fabula.generation.passage import ToldTale
from fabula.recipe.loading import load

STEPGAME: list[tuple[str, dict[str, Any], str]] = [
    ("stepgame/compat", {"dialect": "clean", "hops": 1}, "stepgame"),
    ("stepgame/compat", {"dialect": "clean", "hops": 5}, "stepgame"),
    ("stepgame/compat", {"dialect": "clean", "hops": 10}, "babi"),
    ("stepgame/compat", {"hops": 5}, "stepgame"),
    ("stepgame/compat", {"hops": 10}, "stepgame"),
    ("stepgame/compat", {"hops": [1, 10], "naming": "people"}, "stepgame"),
    ("stepgame/compat", {"noise": {"original": False, "supporting": 4}}, "stepgame"),
]
BABI: list[tuple[str, dict[str, Any], str]] = [
    (f"babi/qa{task}", {"dialect": dialect}, "babi")
    for task in (4, 15, 16, 17, 18, 19)
    for dialect in ("", "release")
]
CASES = STEPGAME + BABI


def told(passage: Passage) -> tuple[Any, ...]:
    """What a text format shows of a passage."""
    return passage.number, passage.first, list(passage.sentences), passage.asked


@pytest.mark.parametrize("split", ["train", "test"])
@pytest.mark.parametrize(("name", "changes", "form"), CASES, ids=[f"{n} {c}" for n, c, _ in CASES])
def test_pages_are_the_passages_of_the_general_path(
    name: str, changes: dict[str, Any], form: str, split: str
) -> None:
    author = Author(load(name, changes), split, 5)
    general = list(author.passages(3, 153))
    quick = list(author.passages(3, 153, text=True))
    assert [told(passage) for passage in quick] == [told(passage) for passage in general]
    pages = sum(isinstance(passage.tale, ToldTale) for passage in quick)
    assert pages > 0.9 * len(quick)  # the fast path is what makes them
    style = format_named(form)
    assert style.piece(author, quick) == style.piece(author, general)
    assert author.fields(quick[0]) == author.fields(general[0])  # records can be made all the same


def test_stepgame_text_is_that_of_its_records() -> None:
    author = Author(load("stepgame/compat"), "test", 5)
    style = format_named("stepgame")
    assert style.render is not None
    assert style.quick is not None
    for passage in author.passages(0, 60, text=True):
        assert style.quick(author, passage) == style.render(author.records(passage))
