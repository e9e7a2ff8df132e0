"""What is told late about the past counts at once, for the questions that are found as well."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import fabula
from fabula.language import language
from fabula.world.actors import oracle
from fabula.world.actors.account import Account
from fabula.world.actors.asking import Cast
from fabula.world.actors.questions import KINDS
from fabula.world.actors.reading import ActorsReading
from fabula.world.actors.recipe import ActorsRecipe

PLACES = ("school", "park", "office", "kitchen", "hall")
CAST = Cast(("Julie", "John"), PLACES, ())
PAST = [
    "Yesterday Julie went to the school.",
    "Julie is either in the kitchen or the hall.",
    "This morning Julie went to the park.",
]
STORIES = [
    # the last part of the past leads back to the park, from a known place
    [*PAST, "This afternoon Julie went to the office.", "This evening Julie went to the park."],
    # the same, from an unknown place: no longer any answer
    [*PAST, "John is in the park.", "This evening Julie went to the park."],
    # the first movement comes from there
    [
        "Julie is in the kitchen.",
        "John is not in the park.",
        "Julie went to the school this evening.",
    ],
    [
        "Julie went to the kitchen.",
        "Then she went to the office.",
        "Julie is either in the school or the park.",
        "This evening Julie went to the park.",
    ],
]

RECIPE: dict[str, Any] = {
    "id": "told-later",
    "world": "actors",
    "length": 4,
    "questions": 12,
    "question_interval": 2,
    "entities": {"persons": ["Julie", "John", "Mary", "Fred"], "places": PLACES[:3]},
    "events": {"MOVE": 1},
    "tellings": {"TIME": 4, "INDEF": 1, "AFFIRM": 0.5, "NEGATE": 0.5, "COREF": 0.5},
    "coref": {"MOVE": 1},
    "asks": {"where-was-person": 4, "where-person": 1, "yes-no": 1},
    "splits": {"train": {"size": 1000}},
}


def surveyed(reading: ActorsReading) -> dict[tuple[str, ...], tuple[str, ...]]:
    found = KINDS["where-was-person"].survey(reading.knowledge, CAST, reading.language)
    return {candidate.query: candidate.answer for candidate in found}


@pytest.mark.parametrize("story", STORIES)
def test_survey_after_every_sentence(story: list[str]) -> None:
    """Survey, reader, verifier and logic program agree, whatever was asked before."""
    queries = [("where-was-person", *names) for names in product(CAST.persons, PLACES)]
    reading = ActorsReading(language("en", "actors"))
    for length, sentence in enumerate(story, 1):
        reading.hear(sentence)
        read = {query: found.answer for query in queries if (found := reading.find(query))}
        assert surveyed(reading) == read
        account = Account("en", story[:length])
        logic = oracle.Oracle(account._told, queries, reading.language.lore)
        for query in queries:
            proven = account._timeline.conclude(query)
            assert proven == logic.conclude(query)
            assert (proven.answer if proven else None) == read.get(query)


def test_the_answer_changes() -> None:
    """Julie came to the park again, this time from the office."""
    query = ("where-was-person", "Julie", "park")
    reading = ActorsReading(language("en", "actors"), STORIES[0][:-1])
    assert surveyed(reading)[query] == ("school",)
    reading.hear(STORIES[0][-1])
    assert surveyed(reading)[query] == ("office",)
    reading = ActorsReading(language("en", "actors"), STORIES[1][:-1])
    assert surveyed(reading)[query] == ("school",)
    reading.hear(STORIES[1][-1])
    assert query not in surveyed(reading)


def test_generated_and_proven() -> None:
    """Questions at many points of stories with a past and doubts can be generated and proven."""
    recipe = ActorsRecipe.model_validate(RECIPE)
    instances = list(fabula.Dataset(recipe, split="train", size=400, seed=1))
    assert {instance.query[0] for instance in instances} == set(RECIPE["asks"])
    assert fabula.verify(instances).failures == []
    assert fabula.verify(instances[:40], logic=True).failures == []
