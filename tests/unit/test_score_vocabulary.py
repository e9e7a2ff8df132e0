"""Any word of the recipe's vocabulary is an answer, and if it is not the right one, a wrong one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.recipe.loading import load, recipe_ids
from fabula.scoring import Outcome, closed_score, score
from fabula.scoring.answers import said


def what_given() -> Instance:
    """'What did … give to …?', to which the answer is a thing."""
    made = fabula.generate("babi/qa5", "test", 7, 200)
    return next(each for each in made if each.question.startswith("What did"))


@pytest.mark.parametrize(
    ("reply", "understood"),
    [
        ("kitchen", "kitchen"),
        ("Answer: kitchen", "kitchen"),
        ("Answer: the kitchen.", "kitchen"),
        ("She thought it over. **Bathroom**", "bathroom"),
        ("Fred", "Fred"),
        ("I weighed all that was said.\nFinal answer: Fred", "Fred"),
    ],
)
def test_a_word_of_another_kind_is_a_wrong_answer(reply: str, understood: str) -> None:
    instance = what_given()
    assert closed_score(instance, reply).outcome is Outcome.UNPARSED
    found = score(instance, reply)
    assert (found.outcome, found.answer) == (Outcome.WRONG, (understood,))


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "umbrella",
        "Answer: umbrella",
        "kitchens",
        "Let me see who was in the kitchen and what they had.",
        "Bill walks to the kitchen. Fred follows him.",
    ],
)
def test_what_is_no_word_of_it_or_only_mentioned_is_not(reply: str) -> None:
    assert score(what_given(), reply).outcome is Outcome.UNPARSED


def test_refusals_stay_refusals() -> None:
    assert score(what_given(), "I cannot tell what Bill gave.").outcome is Outcome.REFUSAL
    assert score(what_given(), "Answer: unknown").outcome is Outcome.REFUSAL


def test_words_of_the_recipe_that_the_story_does_not_name() -> None:
    instance = fabula.instance("babi/qa6", "test", 1)
    told = " ".join(instance.story)
    places = load("babi/qa6").entities.places  # type: ignore[attr-defined]
    unnamed = next(place for place in places if place not in told)
    assert score(instance, unnamed) == (Outcome.WRONG, (unnamed,))


def test_changes_and_files_of_ones_own(tmp_path: Path) -> None:
    changed = {"entities.places": ["attic", "cellar", "shed", "barn", "loft", "crypt"]}
    made = fabula.generate("babi/qa5", "test", 7, 50, **changed)
    instance = next(each for each in made if each.question.startswith("What did"))
    assert all(score(instance, place).outcome is Outcome.WRONG for place in ("crypt", "shed"))
    assert score(instance, "kitchen").outcome is Outcome.UNPARSED
    lost = replace(instance, provenance={**instance.provenance, "file": str(tmp_path / "no.toml")})
    named = next(w for told in instance.facts for fact in told for w in fact[1:] if w.islower())
    assert score(lost, named).outcome in (Outcome.WRONG, Outcome.CORRECT)


def test_in_another_language() -> None:
    made = fabula.generate("babi/qa5", "test", 7, 200, language="hi")
    instance = next(each for each in made if each.query[0].startswith("what"))
    for place in said(instance, ["kitchen", "garden"]):
        assert score(instance, place) == (Outcome.WRONG, (place,))


@pytest.mark.parametrize("recipe", recipe_ids())
def test_the_right_answer_is_right_everywhere(recipe: str) -> None:
    for split in load(recipe).splits:
        for instance in fabula.generate(recipe, split, 7, 3):
            assert score(instance, f"Answer: {', '.join(instance.answer)}").correct
            for choice in instance.choices or ():
                expected = (choice,) == instance.answer
                assert score(instance, choice).correct == expected
