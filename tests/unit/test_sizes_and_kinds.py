"""The worlds of sizes and of kinds: their readers and recipes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fabula.errors import ParseError, RecipeError
from fabula.generation.author import generate
from fabula.recipe.loading import load
from fabula.world import WORLDS
from fabula.world.findings import Finding
from fabula.world.kinds.language import language as kinds_language
from fabula.world.kinds.reading import read as read_kinds
from fabula.world.sizes.reading import read as read_sizes


def test_a_box_is_not_a_box_of_chocolates() -> None:
    story = [
        "The box of chocolates fits inside the box.",
        "The chest is bigger than the box.",
        "The chocolate fits inside the box of chocolates.",
    ]
    reading = read_sizes("en", story)
    found = reading.find(("fits", "box of chocolates", "chest"))
    assert found == Finding(("yes",), [0b110], "yes")
    assert reading.find(("bigger", "chocolate", "chest")) == Finding(("no",), [0b1110], "no")
    assert reading.find(("bigger", "chest", "suitcase")) is None
    with pytest.raises(ParseError):
        reading.hear("The box is as big as the chest.")


def test_a_circle_of_sizes_answers_nothing() -> None:
    circle = ["The a is bigger than the b.", "The b is bigger than the c."]
    assert read_sizes("en", circle).find(("bigger", "a", "c")) is not None
    circle.append("The c is bigger than the a.")
    assert read_sizes("en", circle).find(("bigger", "a", "c")) is None
    assert (
        read_sizes("en", [*circle, "The x is bigger than the y."]).find(("bigger", "x", "y"))
        is None
    )


@pytest.mark.parametrize("steps", [1, 3, 6])
def test_chains_of_any_length(steps: int) -> None:
    for instance in generate("babi/qa18", "train", size=20, steps=steps):
        assert instance.features["support_size"] == steps


def test_plurals_and_articles() -> None:
    tongue = kinds_language("en")
    for fact in [
        ("fear", "mouse", "wolf"),
        ("fear", "sheep", "fox"),
        ("subkind", "finch", "ox"),
        ("member", "Ann", "ox"),
        ("member", "Ann", "cat"),
        ("colour", "Ann", "white"),
    ]:
        assert tongue.parse(tongue.say(fact)) == fact
    assert tongue.say(("member", "Ann", "ox")) == "Ann is an ox."
    assert tongue.say(("fear", "mouse", "wolf")) == "Mice are afraid of wolves."


def test_deduction_and_induction() -> None:
    story = ["Ann is a cat.", "All cats are hunters.", "Hunters are afraid of wolves."]
    reading = read_kinds("en", story)
    assert reading.find(("afraid", "ann")) == Finding(("wolf",), [0b1110], "wolf")
    assert reading.find(("afraid", "Bob")) is None
    story = ["Ann is a cat.", "Bob is a cat.", "Bob is red.", "Cat is a cat.", "Cat is red."]
    reading = read_kinds("en", story)
    found = reading.find(("colour", "Ann"))
    assert found is not None
    assert found.answer == ("red",)
    assert sorted(found.masks) == [0b1110, 0b110010]
    reading.hear("Dan is a cat.")
    assert reading.find(("colour", "Ann")) is not None
    reading.hear("Dan is tan.")
    assert reading.find(("colour", "Ann")) is None
    reading.hear("Ann is tan.")
    assert reading.find(("colour", "Ann")) == Finding(("tan",), [1 << 8], "tan")


def test_inheritance_takes_as_many_steps_as_asked_for() -> None:
    for instance in generate("babi/qa15", "train", size=20, steps=2):
        assert instance.features["support_size"] == 4
        assert instance.composition == ("fear", "member", "subkind")


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("babi/qa18", {"steps": 40}, "things: up to .* are needed"),
        ("babi/qa18", {"things": ["box", "box"]}, "listed twice"),
        ("babi/qa18", {"asks": {"biger": 1}}, "Did you mean 'bigger'"),
        ("babi/qa18", {"dialect": "release", "steps": 3}, "asks about chains of two"),
        ("babi/qa15", {"steps": 9}, "groups: up to 36 are needed"),
        ("babi/qa15", {"species": 1}, "at least two are needed"),
        ("babi/qa15", {"people": ["Ann", "the dog"]}, "needed|not understood"),
        ("babi/qa16", {"asks": {"colour": 1, "afraid": 1}}, "one kind of question"),
        ("babi/qa16", {"peers": 5}, "fewer than the individuals"),
    ],
)
def test_a_bad_recipe_is_refused(name: str, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        load(name, changes)


def test_released_shares_of_task_16() -> None:
    shapes: Counter[tuple[int, ...]] = Counter()
    differing = mixed = 0
    for instance in generate("babi/qa16", "train", seed=1, size=1500, dialect="release"):
        told = [fact for (fact,) in instance.facts]
        kinds = {fact[1]: fact[2] for fact in told if fact[0] == "member"}
        shapes[tuple(sorted(Counter(kinds.values()).values(), reverse=True))] += 1
        colours: dict[str, set[str]] = {}
        for fact in told:
            if fact[0] == "colour":
                colours.setdefault(kinds[fact[1]], set()).add(fact[2])
        mixed += any(len(found) > 1 for found in colours.values())
        differing += not instance.supports
        assert len(instance.support) == 3
    assert shapes[2, 2, 1] / 1500 == pytest.approx(0.596, abs=0.05)
    assert shapes[2, 1, 1, 1] / 1500 == pytest.approx(0.198, abs=0.04)
    assert mixed / 1500 == pytest.approx(0.34, abs=0.05)
    assert differing / 1500 == pytest.approx(0.075, abs=0.025)


def test_released_stories_of_tasks_15_and_18() -> None:
    world = WORLDS["kinds"]
    for instance in generate("babi/qa15", "train", size=40, dialect="release"):
        assert len(instance.story) == 8
        first, second = instance.support
        assert first > second
        assert instance.question == instance.question.lower().replace("what", "What")
        assert world.parse_question("en", instance.question) == instance.query
    lengths = Counter(
        len(i.story) for i in generate("babi/qa18", "train", seed=2, size=2000, dialect="release")
    )
    assert lengths[5] / 2000 == pytest.approx(0.77, abs=0.06)
    assert set(lengths) <= {5, 10, 15, 20}
    answers = Counter(i.answer for i in generate("babi/qa18", "train", size=1000))
    assert answers["yes",] / 1000 == pytest.approx(0.5, abs=0.06)
