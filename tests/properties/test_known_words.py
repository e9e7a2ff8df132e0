"""A test of combinations has no words that training lacks: new words would be another test."""

from __future__ import annotations

import pytest

from fabula.generation.author import generate
from fabula.recipe.loading import recipe_ids

RECIPES = [name for name in recipe_ids() if name.startswith("dyna/") and "/mix-" not in name]


def words(recipe: str, split: str, size: int) -> set[str]:
    return {
        word.strip(".,?").lower()
        for each in generate(recipe, split, size=size)
        for sentence in (*each.story, each.question)
        for word in sentence.split()
    }


@pytest.mark.parametrize("recipe", RECIPES)
def test_the_test_has_only_words_of_training(recipe: str) -> None:
    assert RECIPES
    few = 900 if "inject" not in recipe else 5000  # there a story has many questions
    unknown = words(recipe, "test", 60) - words(recipe, "train", few)
    assert not unknown
