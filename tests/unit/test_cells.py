"""What a recipe can ask of its instances, and that they fulfil it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fabula.core.instance import Instance
from fabula.errors import QuotaError, RecipeError
from fabula.generation.author import Author
from fabula.recipe.loading import load


def made(count: int = 24, recipe: str = "actors/mix", **changes: Any) -> list[Instance]:
    return list(Author(load(recipe, changes), "train").instances(0, count))


def of(ask: str, **cell: Any) -> dict[str, Any]:
    return {"cells": [{"asks": [ask], **cell}]}


def test_recency_and_reach() -> None:
    for each in made(**of("where-person", recency=[8, 15], reach=[10, 19])):
        assert 8 <= each.features["recency"] <= 15
        assert 10 <= each.features["reach"] <= 19
        told_after = len(each.story) - max(each.support)
        assert told_after == each.features["recency"]


def test_distractors_by_number_and_kind() -> None:
    cell = of(
        "where-person",
        distractors=[18, 19],
        related_distractors=[2, 4],
        distracted_by=["GIVE"],
        undistracted_by=["INDEF"],
    )
    for each in made(12, **cell):
        assert each.features["distractors"] in (18, 19)
        others = [
            f for n, facts in enumerate(each.facts, 1) if n not in each.support for f in facts
        ]
        assert 2 <= each.features["related_distractors"] <= 4
        assert any(fact[0] == "give" for fact in others)
        assert not any(fact[0] == "either" for fact in others)


def test_composition_exactly() -> None:
    for each in made(**of("where-object", exactly=["GRAB", "MOVE"])):
        assert each.composition == ("GRAB", "MOVE")


def test_bins_are_filled_in_equal_numbers() -> None:
    bins = {"where-person": [1, 2], "where-object": [2, [3, 9]]}
    found = Counter((e.query[0], min(e.features["support_size"], 3)) for e in made(40, bins=bins))
    assert found == {
        ("where-person", 1): 10,
        ("where-person", 2): 10,
        ("where-object", 2): 10,
        ("where-object", 3): 10,
    }


def test_even_answers() -> None:
    words = ["yes", "no", "maybe"]
    found = made(36, bins={"yes-no": [1, 2]}, balanced_answers={"yes-no": words})
    assert Counter((e.answer[0], e.features["support_size"]) for e in found) == {
        (word, size): 6 for word in words for size in (1, 2)
    }


def test_a_signature_comes_only_so_often() -> None:
    changes = {"max_per_signature": 3, "splits": {"train": 60}, **of("where-object")}
    found = Counter(each.signature for each in made(60, **changes))
    assert max(found.values()) <= 3
    free = Counter(each.signature for each in made(60, **of("where-object")))
    assert max(free.values()) > 3


def test_questions_passed_along() -> None:
    found = made(100, length=8, also_ask=["where-person"], **of("where-object"))
    asked: dict[str, list[Instance]] = {}
    for each in found:
        asked.setdefault(each.provenance["passage"], []).append(each)
    for story in list(asked.values())[:-1]:  # the last may be cut off
        kinds = [each.query[0] for each in story]
        assert kinds == ["where-object", *["where-person"] * (len(kinds) - 1)]
        assert len({each.query for each in story}) == len(story)
    assert sum(e.query[0] == "where-person" for e in found) > 50


def test_an_impossible_cell_says_what_came_instead() -> None:
    only_moves: dict[str, Any] = {"events": {"MOVE": 1}, "tellings": {}, "max_tries": 200}
    with pytest.raises(QuotaError) as caught:
        made(1, **only_moves, **of("where-person", name="never", support_size=2))
    said = str(caught.value)
    assert "cell 'never' was not found in 200 stories" in said
    assert "support of 1" in said
    assert "×" in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bins": {"where-persn": [1]}}, "Did you mean 'where-person'?"),
        ({"bins": {"where-person": [[3, 2]]}}, "[3, 2] is an empty range"),
        ({"bins": {"where-person": [1]}, "cells": [{}]}, "either cells or bins"),
        ({"bins": {}, "balanced_answers": {"yes-no": ["yes"]}}, "has no bins"),
        ({"also_ask": ["why"]}, "also_ask: 'why' is not asked"),
        (
            of("yes-no", exactly=["MOVE"], requires=["GIVE"]),
            "requires has a concept that is not in exactly",
        ),
        (of("yes-no", distracted_by=["MVOE"]), "Did you mean 'MOVE'?"),
        (of("yes-no", recency=[5, 2]), "recency = [5, 2] is an empty range"),
        (
            of("yes-no", distracted_by=["MOVE"], undistracted_by=["MOVE"]),
            "distracted_by and undistracted_by both name MOVE",
        ),
        ({"compositional": {"test": ["tset"]}}, "Did you mean 'test'?"),
    ],
)
def test_contradictions_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load("actors/mix", changes)
    assert said in str(caught.value)
