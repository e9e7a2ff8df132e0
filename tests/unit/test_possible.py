"""Quotas of the actor world that can never be filled are refused at once, with the reason."""

from __future__ import annotations

import re

import pytest

from fabula.analysis.gallery import variants
from fabula.errors import RecipeError
from fabula.recipe.loading import load


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        (
            "actors/mix",
            {"keep.support_size": 100},
            "keep: no support of these questions has 100 sentences; stories have at most 20",
        ),
        (
            "actors/mix",
            {"bins": {"where-person": [99]}},
            "bins.where-person: no support of where-person has 99 sentences; "
            "stories have at most 20",
        ),
        (
            "actors/mix",
            {"bins": {"what-given": [3]}},
            "bins.what-given: no support of what-given has 3 sentences; "
            "stories have at most 20 sentences, and supports at most 2",
        ),
        (
            "actors/mix",
            {"cells": [{"asks": ["count"], "support_size": [7, 9]}]},
            "cells[0]: no support of count has 7 sentences; "
            "stories have at most 20 sentences, and supports at most 6",
        ),
        (
            "babi/qa20",
            {"keep.support_size": 2},
            "keep: no support of these questions has 2 sentences",
        ),
        (
            "actors/mix",
            {"keep.answers": ["banana"]},
            "keep: 'banana' is never the answer to any of the questions.",
        ),
        (
            "actors/mix",
            {"bins": {"yes-no": [1]}, "balanced_answers": {"yes-no": ["yes", "nno"]}},
            "bins.yes-no: 'nno' is never the answer to yes-no. Did you mean 'no'?",
        ),
        (
            "babi/qa1",
            {"keep.answers": ["kitchn"]},
            "keep: 'kitchn' is never the answer to where-person. Did you mean 'kitchen'?",
        ),
        (
            "babi/qa1",
            {"keep.requires": ["GIVE"]},
            "keep.requires: no story of this recipe has GIVE; give it a weight",
        ),
    ],
)
def test_the_impossible_is_refused(name: str, changes: dict[str, object], said: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(said)):
        load(name, changes)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("actors/mix", {"keep.support_size": [4, 100]}),
        ("actors/mix", {"keep.answers": ["apple,milk", "nothing", "kitchen", "maybe"]}),
        ("actors/mix", {"cells": [{"asks": ["count", "where-person"], "support_size": [7, 9]}]}),
        (
            "actors/mix",
            {"cells": [{"asks": ["yes-no"], "answers": ["no"], "misleads": ["beside"]}]},
        ),
        ("babi/qa1", {"keep.support_size": 1}),
    ],
)
def test_the_possible_is_not_refused(name: str, changes: dict[str, object]) -> None:
    load(name, changes)


def test_every_shipped_recipe_is_possible() -> None:
    for variant in variants():
        load(variant.recipe, variant.changes)
