"""Properties of every story of the kinship world."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kinship_stories import ALL_NOISE, shipped, stories

from fabula.core.instance import Instance
from fabula.core.seeds import stream
from fabula.world.kinship import KINSHIP
from fabula.world.kinship.algebra import FEMALE, MALE, OPTIONS, vocabulary
from fabula.world.kinship.cloze import anonymised
from fabula.world.kinship.phrases import Person, names, phrases
from fabula.world.kinship.telling import tell

EVERY = vocabulary(frozenset(OPTIONS))
RECIPES = ("gen-23", "gen-234", "rob-clean", "rob-supporting", "rob-irrelevant", "rob-disconnected")
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {"telling": "plain", "group": 1, "tasks": [{"k": 4, "noise": ["irrelevant"]}]},
    "all noise": {"tasks": [{"k": k, "noise": ALL_NOISE} for k in (2, 3, 5, 8)]},
    "long": {"tasks": [{"k": 12}, {"k": 15}]},
    "single facts": {"tasks": [{"k": 1, "noise": ["irrelevant", "disconnected"]}, {"k": 2}]},
    "many words": {
        "words": ["sibling-in-law", "cousin", "great-grand"],
        "family": {"generations": 5},
    },
    "by marriage": {"words": ["by-marriage"], "asks": {"kin-by-marriage": 1}},
    "nobody marries": {"family": {"marriage": 0.0, "children": [3, 5]}},
    "only children": {"family": {"children": [1, 1], "generations": 5}},
    "half marry": {"family": {"marriage": 0.5, "children": [1, 4]}, "tasks": [{"k": 3}, {"k": 5}]},
    "a thread": {"telling": "thread", "tasks": [{"k": 3, "noise": ALL_NOISE}, {"k": 6}]},
    "in order": {"order": "chain", "group": 2},
}  # fmt: skip


def instances(name: str) -> tuple[Instance, ...]:
    if name in VARIANTS:
        return tuple(stories(24, **VARIANTS[name]))
    return shipped(f"clutrr/{name}", "test", 54)


CASES = pytest.mark.parametrize("name", [*RECIPES, *VARIANTS])


@CASES
def test_everything_told_parses_back(name: str) -> None:
    for i in instances(name):
        reading = KINSHIP.read("en", i.story)
        assert tuple(reading.facts()) == i.facts
        told = set()
        for unit in i.facts:
            for fact in unit:
                if len(fact) == 3:
                    relation = EVERY.relation_of[fact[0]][0]
                    told |= {
                        (fact[1], relation, fact[2]),
                        (fact[2], EVERY.mirror[relation], fact[1]),
                    }
        people = [person for person, _ in i.features["people"]]
        meant = set()
        for a, word, b, _ in i.features["edges"]:
            relation = EVERY.relation_of[word][0]
            meant |= {
                (people[a], relation, people[b]),
                (people[b], EVERY.mirror[relation], people[a]),
            }
        assert told == meant, i.story
        assert KINSHIP.parse_question("en", i.question) == i.query
        assert KINSHIP.ask("en", i.query) == i.question


@CASES
def test_a_support_gives_the_answer_and_no_part_of_it_does(name: str) -> None:
    for i in instances(name):
        assert i.supports
        for support in i.supports:
            told = [i.story[number - 1] for number in support]
            alone = KINSHIP.read("en", told).find(i.query)
            assert alone is not None
            assert alone.answer == i.answer
            for left_out in range(len(told)):
                rest = told[:left_out] + told[left_out + 1 :]
                assert KINSHIP.read("en", rest).find(i.query) is None


@CASES
def test_exactly_k_facts_are_needed(name: str) -> None:
    for i in instances(name):
        edges = i.features["edges"]
        links = [edge for edge in edges if edge[3] == "support"]
        k = i.features["k"]
        assert len(links) == k
        assert [(a, b) for a, _, b, _ in links] == [(n, n + 1) for n in range(k)]
        assert i.query[1:] == (i.features["people"][0][0], i.features["people"][k][0])
        assert distance(edges, 0, k) == k
        assert len(i.features["proof"]) == k - 1
        assert i.features["clause"] == "-".join(word for _, word, _, _ in links)


def distance(edges: list[list[Any]], start: int, goal: int) -> int:
    """How many facts join two people at least."""
    far, todo = {start: 0}, deque([start])
    while todo:
        here = todo.popleft()
        for a, _, b, _ in edges:
            for there in {a: [b], b: [a]}.get(here, []):
                if there not in far:
                    far[there] = far[here] + 1
                    todo.append(there)
    return far[goal]


@CASES
def test_noise_is_what_it_is_called(name: str) -> None:
    for i in instances(name):
        k, edges = i.features["k"], i.features["edges"]
        chain = set(range(k + 1))
        by_role: dict[str, list[tuple[int, int]]] = {}
        for a, _, b, role in edges:
            by_role.setdefault(role, []).append((a, b))
        assert set(i.features["noise"]) == set(by_role) - {"support"}
        for a, b in by_role.get("supporting", []):
            assert len({a, b} & chain) == 1
        if "irrelevant" in by_role:
            touched = {p for edge in by_role["irrelevant"] for p in edge} & chain
            assert touched in ({0}, {k})
        for a, b in by_role.get("disconnected", []):
            assert not {a, b} & chain
        # every unit tells facts of one role
        people = [person for person, _ in i.features["people"]]
        role_of = {frozenset((people[a], people[b])): role for a, _, b, role in edges}
        for facts, role in zip(i.facts, i.roles, strict=True):
            if role == "convention":
                continue
            assert {role_of[frozenset(f[1:])] for f in facts if len(f) == 3} == {role}
        support = tuple(n for n, role in enumerate(i.roles, 1) if role == "support")
        assert support == tuple(sorted(i.support)) == i.supports[0]


@CASES
def test_the_proof_goes_by_the_rules(name: str) -> None:
    for i in instances(name):
        words = vocabulary(frozenset(VARIANTS.get(name, {}).get("words", ())))
        known = {tuple(f) for step in i.features["proof"] for f in step["from"]}
        if i.features["proof"]:
            assert i.features["proof"][0]["fact"] == [i.query[1], i.answer[0], i.query[2]]
        for n, step in enumerate(i.features["proof"]):
            (a, head, c), ((a1, one, b), (b1, two, c1)) = step["fact"], step["from"]
            assert (a, b, c) == (a1, b1, c1)
            relations = [words.relation_of[word][0] for word in (one, two, head)]
            assert words.rules[relations[0], relations[1]] == relations[2]
            assert n == 0 or (a, head, c) in known


@CASES
def test_anonymised_stories_have_the_same_proof(name: str) -> None:
    for i in instances(name)[:12]:
        for draw in (None, stream("cloze", 0, "", 0, "x")):
            hidden = anonymised(i, draw)
            assert not any(person in " ".join(hidden.story) for person, _ in i.features["people"])
            found = KINSHIP.read("en", hidden.story).find(hidden.query)
            assert found is not None
            assert found.answer == i.answer
            assert tuple(KINSHIP.read("en", hidden.story).facts()) == hidden.facts


NAMES = names("en")


@settings(max_examples=400, deadline=None)
@given(
    genders=st.lists(st.sampled_from([MALE, FEMALE]), min_size=2, max_size=4),
    seed=st.integers(0, 10**9),
    pool=st.sampled_from(["any", "seen", "held-out"]),
    data=st.data(),
)
def test_any_path_can_be_told(
    genders: list[str], seed: int, pool: str, data: st.DataObject
) -> None:
    relations = [data.draw(st.sampled_from(list(EVERY.relations))) for _ in range(len(genders) - 1)]
    tongue, draw = phrases("en"), stream("path", seed, "", 0, "tell")
    people = [
        Person(NAMES[gender][int(draw() * 9) * 9 + n], gender) for n, gender in enumerate(genders)
    ]
    unit = tell(tongue, people, relations, draw, tongue.pools[pool])
    meaning = tongue.parse(unit)
    genders_told = dict(meaning.genders)
    told = {}
    for word, a, b in meaning.kin:
        told[a, b] = EVERY.relation_of[word][0]
        told[b, a] = EVERY.mirror[told[a, b]]
    assert len(meaning.kin) == len(relations)
    for n, relation in enumerate(relations):
        assert told[people[n].name, people[n + 1].name] == relation, unit
        if relation != "cousin":
            assert genders_told[people[n + 1].name] == people[n + 1].gender, unit
    assert genders_told.items() <= {(person.name, person.gender) for person in people}
