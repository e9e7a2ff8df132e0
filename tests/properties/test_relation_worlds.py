"""Properties of every instance of the worlds of positions, sizes and kinds."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from fabula.core.instance import Instance
from fabula.generation.author import generate
from fabula.recipe.loading import read_recipe, recipe_ids
from fabula.world import WORLDS
from fabula.world.base import Claim

OURS = ("space", "sizes", "kinds")
COUNT = 24


def cases() -> list[tuple[str, str]]:
    """Every recipe of these worlds with each of its dialects."""
    found = []
    for name in recipe_ids():
        data: dict[str, Any] = read_recipe(name)
        if data.get("world") in OURS:
            found += [(name, d) for d in ("", *data.get("dialects", {}))]
    return found


VARIANTS: dict[tuple[str, str], dict[str, Any]] = {
    ("babi/qa15", "steps"): {"steps": [1, 3]},
    ("babi/qa17", "long"): {"hops": 5, "noise": {"irrelevant": 2, "supporting": 4}},
    ("babi/qa18", "long"): {"steps": 4, "noise": {"irrelevant": 2, "supporting": 5}},
    ("babi/qa19", "long"): {"hops": 4, "entities": [7, 9]},
    ("stepgame/noise", "objects"): {"naming": "objects", "hops": [2, 6]},
    ("stepgame/noise", "words"): {"naming": "words", "phrases": ["clock", "contrast"]},
    ("stepgame/noise", "asked"): {
        "asks": {"yes-no": 1, "which": 1, "path": 1},
        "quotas": ["hops"],
        "hops": [1, 5],
    },
    ("stepgame/noise", "denied"): {
        "asks": {"yes-no": 1},
        "quotas": [],
        "split_overrides": {},
        "hops": [1, 3],
        "noise": {"irrelevant": [0, 2], "supporting": [0, 3], "negation": 2},
    },
    ("stepgame/noise", "joined"): {
        "joined": 0.5,
        "asks": {"relation": 1, "yes-no": 1, "which": 1, "path": 1},
        "quotas": ["hops"],
    },
    ("stepgame/noise", "steps"): {"steps": [1, 3], "hops": [2, 4], "quotas": ["hops"]},
    ("stepgame/clean", "each"): {
        "asks": {"yes-no": 1, "which": 1, "path": 1},
        "quotas": [],
        "questions": "all",
    },
    ("stepgame/clean", "all"): {
        "naming": "objects",
        "asks": {"relation": 1, "yes-no": 1, "which": 1, "path": 1, "how-far": 1},
        "quotas": [],
        "split_overrides": {},
        "joined": 0.4,
        "steps": [1, 3],
        "conventions": "story",
        "noise": {"irrelevant": [0, 2], "supporting": [0, 3], "negation": [0, 2]},
    },
}
CASES = [*cases(), *VARIANTS]


@cache
def instances(name: str, dialect: str) -> tuple[Instance, ...]:
    changes = VARIANTS.get((name, dialect)) or ({"dialect": dialect} if dialect else {})
    size = 90 if name == "stepgame/clean" else COUNT
    return tuple(generate(name, "test", seed=3, size=size, **changes))


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_reading_what_was_told_gives_what_was_told(name: str, dialect: str) -> None:
    for instance in instances(name, dialect):
        world = WORLDS[instance.provenance["world"]]
        assert tuple(world.read("en", instance.story).facts()) == instance.facts
        assert world.parse_question("en", instance.question) == instance.query
        assert world.ask("en", instance.query) == instance.question


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_a_support_gives_the_answer_and_no_part_of_it_does(name: str, dialect: str) -> None:
    for instance in instances(name, dialect):
        world = WORLDS[instance.provenance["world"]]

        def found(numbers: tuple[int, ...], of: Instance = instance) -> object:
            told = [of.story[number - 1] for number in numbers]
            finding = WORLDS[of.provenance["world"]].read("en", told).find(of.query)
            return None if finding is None else finding.answer

        assert world.read("en", instance.story).alone(instance.query, 0) is None
        for support in instance.supports:
            assert found(support) == instance.answer
            for number in support:
                assert found(tuple(n for n in support if n != number)) != instance.answer


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_other_sentences_change_nothing(name: str, dialect: str) -> None:
    for instance in instances(name, dialect):
        if not instance.supports:
            continue  # a published label that does not follow
        world = WORLDS[instance.provenance["world"]]
        used = {number for support in instance.supports for number in support}
        for number, role in enumerate(instance.roles, 1):
            assert (role == "support") == (number in instance.supports[0])
            if number in used or number in instance.support:
                continue
            rest = [s for n, s in enumerate(instance.story, 1) if n != number]
            finding = world.read("en", rest).find(instance.query)
            assert finding is not None
            assert finding.answer == instance.answer
            assert len(finding.masks) == len(instance.supports)


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_no_minimal_support_is_missing(name: str, dialect: str) -> None:
    for instance in instances(name, dialect)[:6]:
        if len(instance.story) > 9 or not instance.supports:
            continue
        reading = WORLDS[instance.provenance["world"]].read("en", instance.story)
        minimal: list[set[int]] = []
        for size in range(1, len(instance.story) + 1):
            for numbers in combinations(range(1, len(instance.story) + 1), size):
                if any(small <= set(numbers) for small in minimal):
                    continue
                mask = sum(1 << number for number in numbers)
                if reading.alone(instance.query, mask) == instance.answer:
                    minimal.append(set(numbers))
        assert sorted(map(sorted, minimal)) == sorted(map(list, instance.supports))


@pytest.mark.parametrize(("name", "dialect"), CASES)
def test_the_logic_program_agrees(name: str, dialect: str) -> None:
    for instance in instances(name, dialect)[:10]:
        if instance.supports:
            world = WORLDS[instance.provenance["world"]]
            claim = Claim(instance.query, instance.answer, instance.supports[:4])
            assert world.prove("en", instance.story, [claim]) == [[]]


@pytest.mark.parametrize("name", ["stepgame/clean", "stepgame/noise"])
def test_hops_asked_are_hops_needed_and_the_chain_is_the_only_shortest_proof(name: str) -> None:
    for instance in instances(name, ""):
        hops = instance.features["chain"]
        assert len(instance.supports[0]) == hops
        assert all(len(support) > hops for support in instance.supports[1:])
        assert instance.roles.count("support") == hops
        if name.endswith("noise"):
            assert {"irrelevant", "disconnected", "supporting"} <= set(instance.roles)
            # the other route touches the path that is asked about
            assert len(instance.supports) > 1


def test_quotas_are_filled_exactly() -> None:
    found = instances("stepgame/clean", "")
    hops = Counter(len(instance.support) for instance in found)
    assert len(set(hops.values())) == 1, hops


def test_coordinates_agree_with_every_fact() -> None:
    offsets = {"left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1)}
    for instance in instances("stepgame/noise", ""):
        places = instance.features["coordinates"]
        for ((relation, figure, ground),) in filter(None, instance.facts):
            gap = [a - b for a, b in zip(places[figure], places[ground], strict=True)]
            assert max(map(abs, gap)) == 1
            if relation in offsets:
                assert tuple(gap) == offsets[relation]


def test_fixed_tasks_have_none_of_the_published_defects() -> None:
    for instance in instances("babi/qa17", ""):
        (x1, y1), (x2, y2) = (instance.features["coordinates"][n] for n in instance.query[2:])
        assert (x1 != x2) if instance.query[1] in ("left", "right") else (y1 != y2)
    for instance in instances("babi/qa18", ""):
        pair = set(instance.query[1:])
        assert all(set(fact[1:]) != pair for (fact,) in filter(None, instance.facts))
    for name in ("babi/qa19", "babi/qa4"):
        for instance in instances(name, ""):
            places = list(map(tuple, instance.features["coordinates"].values()))
            assert len(set(places)) == len(places)
            near = sum(abs(a - c) + abs(b - d) == 1 for (a, b), (c, d) in combinations(places, 2))
            assert near == instance.features["sentences"]
    for instance in instances("babi/qa16", ""):
        facts = [fact for told in instance.facts for fact in told]
        kinds = {fact[1]: fact[2] for fact in facts if fact[0] == "member"}
        colours: dict[str, set[str]] = {}
        for fact in facts:
            if fact[0] == "colour":
                colours.setdefault(kinds[fact[1]], set()).add(fact[2])
        assert all(len(found) == 1 for found in colours.values())
        assert instance.features["inference"].startswith("induction")
