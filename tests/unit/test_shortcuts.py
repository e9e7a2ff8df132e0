"""Trivial guesses, and quotas on how often they are wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

import fabula
from fabula.errors import RecipeError
from fabula.generation.shortcuts import (
    GUESSES,
    first_mention_beside,
    last_mention,
    last_mention_beside,
    misled,
    most_mentions_beside,
)
from fabula.recipe.cells import Decoys
from fabula.recipe.loading import load
from fabula.world import WORLDS

PEOPLE = ("Mary", "John", "Bill")
THINGS = ("cup", "milk", "hat")
PLACES = ("park", "hall", "den")


def facts(*story: str) -> list[tuple[tuple[str, ...], ...]]:
    return WORLDS["actors"].read("en", story).facts()


GIVE = facts(
    "Mary took the cup.", "Mary gave the cup to John.", "Mary took the hat.", "Bill took the milk."
)


@pytest.mark.parametrize(
    ("query", "choices", "last", "beside", "first"),
    [
        (("what-given", "Mary", "John"), THINGS, "milk", "hat", "cup"),
        (("who-given-to", "Mary", "cup"), PEOPLE, "Bill", "John", "John"),
        (("who-gave", "cup"), PEOPLE, "Bill", "John", "Mary"),
        (("who-received", "milk"), PEOPLE, "Bill", "Bill", "Bill"),
        (("who-gave-to", "cup", "John"), PEOPLE, "Bill", "Mary", "Mary"),
    ],
)
def test_guesses_about_gives(
    query: tuple[str, ...], choices: tuple[str, ...], last: str, beside: str, first: str
) -> None:
    assert last_mention(GIVE, query, choices) == (last,)
    assert last_mention_beside(GIVE, query, choices) == (beside,)
    assert first_mention_beside(GIVE, query, choices) == (first,)


MOVES = facts(
    "Mary is no longer in the park.",
    "John is either in the den or the hall.",
    "Mary took the cup.",
    "Then she gave the cup to John.",
)


@pytest.mark.parametrize(
    ("query", "last", "beside"),
    [
        (("yes-no", "Mary", "park"), "no", "yes"),
        (("yes-no", "Mary", "hall"), "yes", "no"),
        (("yes-no", "John", "hall"), "yes", "yes"),
        (("yes-no", "John", "den"), "no", "no"),
    ],
)
def test_a_verdict_is_guessed_by_the_last_place(
    query: tuple[str, ...], last: str, beside: str
) -> None:
    choices = ("yes", "no", "maybe")
    assert last_mention(MOVES, query, choices) == (last,)
    assert last_mention_beside(MOVES, query, choices) == (beside,)


def test_nothing_to_guess() -> None:
    assert last_mention_beside(MOVES, ("where-person", "Bill"), PLACES) is None
    assert last_mention([], ("where-person", "Bill"), PLACES) is None
    assert misled("beside", MOVES, ("where-person", "Bill"), PLACES, ("den",))


def test_beside_must_be_wrong_for_every_choice_in_the_fact() -> None:
    told = facts("Mary took the cup.", "Mary gave the cup to John.")
    assert not misled("beside", told, ("who-gave", "cup"), PEOPLE, ("Mary",))
    assert misled("last", told, ("who-gave", "cup"), PEOPLE, ("Mary",))
    assert misled("beside", GIVE, ("what-given", "Mary", "John"), THINGS, ("cup",))


def test_decoys_divide_the_questions() -> None:
    assert Decoys.model_validate(0.75).parts() == [(0.75, ("last", "beside")), (0.25, ())]
    assert Decoys(last=0.5).parts() == [(0.5, ("last",)), (0.5, ())]
    assert Decoys(last=0.25, beside=1).parts() == [
        (0.25, ("last", "beside")),
        (0.75, ("beside",)),
    ]
    assert Decoys(first=0.5, beside=1).parts() == [(0.5, ("beside", "first")), (0.5, ("beside",))]
    assert Decoys().parts() == [(1, ())]


@pytest.mark.parametrize(
    "kind", ["what-given", "who-gave", "who-gave-to", "who-received", "who-given-to"]
)
def test_quotas_on_decoys_are_filled_exactly(kind: str) -> None:
    changes: dict[str, Any] = {"bins": {kind: [1]}, "splits.train": 40}
    shares = {"last": 0.75, "beside": 0.75, "first": 0.5}
    wrong: Counter[str] = Counter()
    decoys = {kind: shares}
    for each in fabula.generate("actors/mix", "train", size=40, decoys=decoys, **changes):
        for guess in GUESSES:
            wrong[guess] += misled(guess, each.facts, each.query, each.choices, each.answer)
    assert all(wrong[guess] >= 40 * share for guess, share in shares.items()), wrong
    decoys = {kind: dict.fromkeys(GUESSES, 1.0)}
    for each in fabula.generate("actors/mix", "train", size=20, decoys=decoys, **changes):
        assert all(misled(g, each.facts, each.query, each.choices, each.answer) for g in GUESSES)


def test_most_mentions() -> None:
    assert most_mentions_beside(GIVE, ("what-given", "Mary", "John"), THINGS) == ("cup",)
    assert most_mentions_beside(GIVE, ("who-gave", "hat"), PEOPLE) == ("Mary",)
    assert most_mentions_beside(GIVE, ("who-gave", "hat"), ("Bill",)) is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"decoys.where-thing": 0.5}, "decoys.where-thing: 'where-thing' has no bins"),
        ({"decoys.where-person": [0, 1]}, "decoys.where-person: 2 values for 4 bins"),
        (
            {"decoys.yes-no perhaps": 1},
            "balanced_answers.yes-no does not list",
        ),
        ({"decoys.where-object": 1.5}, "decoys.where-object"),
        ({"decoys.where-object": "often"}, "decoys.where-object"),
        ({"decoys.where-object": True}, "decoys.where-object"),
        (
            {"decoys.where-person": [1, 0, 0, 0]},
            "decoys.where-person: if the support is one sentence, the place mentioned last",
        ),
        ({"decoys.yes-no yes": [1, 0, 0, 0]}, "decoys.yes-no yes: if the support is one"),
    ],
)
def test_decoys_that_cannot_be_are_refused(changes: dict[str, object], said: str) -> None:
    with pytest.raises(RecipeError, match=said):
        load("dyna/mix-t12", changes)
