"""Every recipe in every language of its world: the same stories, and they are understood."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

import fabula
from fabula.analysis.show import recipe_row
from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.language.catalogue import codes, native, tongue_of
from fabula.recipe.loading import load, recipe_ids
from fabula.world import WORLDS
from fabula.world.base import same_answer

COUNT = 2
PHRASES = ("stepgame/",)  # recipes whose world has a phrase bank, which Hindi has not


def _cases() -> Iterator[tuple[str, str, str]]:
    for name in recipe_ids():
        recipe = load(name)
        worlds = {recipe.world} if recipe.world in WORLDS else {"actors"}
        known = set.intersection(*(set(codes(world)) for world in worlds)) - {"en"}
        for dialect in recipe_row(name)["dialects"] or [""]:
            for code in sorted(known):
                if not (code.startswith("hi") and name.startswith(PHRASES)):
                    yield name, dialect, code


CASES = list(_cases())


@cache
def _some(name: str, dialect: str, code: str = "en") -> list[Instance]:
    changes = {"language": code, **({"dialect": dialect} if dialect else {})}
    split = next(iter(load(name).splits))
    return list(fabula.generate(name, split, seed=11, size=COUNT, **changes))


def test_all_tasks_have_all_languages() -> None:
    for number in range(1, 21):
        name = f"babi/qa{number}"
        spoken = {code for recipe, _, code in CASES if recipe == name}
        assert spoken == {"hi", "hi-Deva", "shuffled", "symbolic"}


@pytest.mark.parametrize(("name", "dialect", "code"), CASES, ids=str)
def test_the_same_story_in_every_language(name: str, dialect: str, code: str) -> None:
    english, spoken = _some(name, dialect), _some(name, dialect, code)
    for one, other in zip(english, spoken, strict=True):
        assert other.provenance["language"] == code
        assert (other.facts, other.query) == (one.facts, one.query)
        assert (other.support, other.supports, other.roles) == (
            one.support,
            one.supports,
            one.roles,
        )
        assert other.story != one.story
        assert other.question != one.question
        world = str(one.provenance["world"])
        tongue = tongue_of(world, other.provenance)
        assert tongue is not None
        # heard sentence by sentence, it says the same
        heard = tongue.hear(other.story)
        own = native(code, world)
        idiom = WORLDS[world].idiom(own, one.features)
        assert tuple(WORLDS[world].read(idiom, heard).facts()) == one.facts
        query = WORLDS[world].parse_question(own, tongue.hear_question(other.question))
        assert [word.lower() for word in query] == [word.lower() for word in one.query]
        # a list has the order of the words that are shown
        assert same_answer(one.query, tongue.hear_words(other.answer), one.answer)
        if one.choices is not None and other.choices is not None:
            assert tongue.hear_words(other.choices) == one.choices
            assert len(set(other.choices)) == len(set(one.choices))
        reply = fabula.score(other, f"Answer: {', '.join(other.answer)}")
        assert reply.correct, (other.question, other.answer, reply)
    assert objections(spoken[0]) == []


@pytest.mark.parametrize("name", ["babi/qa6", "babi/qa15", "babi/qa20", "stepgame/noise"])
def test_letters_do_not_depend_on_what_is_made_along(name: str) -> None:
    many = list(fabula.generate(name, "test", seed=3, size=12, language="symbolic"))
    for index in (0, 7, 11):
        assert fabula.instance(name, "test", index, seed=3, language="symbolic") == many[index]
