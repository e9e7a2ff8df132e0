"""Hops count links, in every world; support_size counts sentences."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from fabula.analysis.rewrites.reread import Dropped, lines_of, retell
from fabula.generation.author import generate
from fabula.world import WORLDS
from fabula.world.space.reading import read


def test_a_sentence_that_tells_two_links_of_the_proof_is_two_hops() -> None:
    reading = read(
        "en", ["A is to the left of B and above C.", "D is below C, and E lies above B."]
    )
    assert reading.hops(("relation", "B", "D"), 0b110) == 3
    assert reading.hops(("relation", "B", "C"), 0b10) == 2
    assert reading.hops(("relation", "A", "C"), 0b10) == 1
    assert reading.hops(("which", "left", "E"), 0b110) == 4  # A, C and D


def test_a_denial_is_a_hop() -> None:
    reading = read("en", ["Otto is not anywhere behind Vera.", "Vera is in front of Hugo."])
    assert reading.hops(("yes-no", "front", "Otto", "Hugo"), 0b110) == 2


def test_hops_are_the_links_between_the_two_asked_about() -> None:
    seen: Counter[int] = Counter()
    for found in generate("stepgame/plus", "train", seed=3, size=300):
        hops, size = found.features["hops"], found.features["support_size"]
        told = sum(len(found.facts[number - 1]) for number in found.support)
        assert size <= hops <= told
        seen[hops - size] += 1
        if found.query[0] in ("relation", "how-far") and len(found.supports) == 1:
            # one sentence may tell two links, so a longer way may need fewer sentences
            assert hops >= found.features["chain"]
    assert seen[1] > 20


@pytest.mark.parametrize("name", ["clutrr/gen-23", "clutrr/rob-clean"])
def test_hops_of_kinship_are_facts(name: str) -> None:
    world = WORLDS["kinship"]
    several = 0
    for found in generate(name, "train", seed=3, size=60):
        reading = world.read(world.idiom("en", found.features), found.story)
        mask = sum(1 << number for number in found.support)
        assert world.hops(reading, found.query, mask) == found.features["hops"]
        several += found.features["hops"] > len(found.support)
    assert several


def test_quotas_and_conditions_on_hops_count_links() -> None:
    joined: dict[str, Any] = {"joined": 0.6, "hops": [1, 4], "split_overrides": {}}
    noise = {"supporting": [2, 4], "irrelevant": [0, 2]}
    found = list(generate("stepgame/clean", "train", seed=2, size=70, noise=noise, **joined))
    hops = Counter(one.features["hops"] for one in found)
    chains = Counter(one.features["chain"] for one in found)
    assert hops == chains
    assert len(hops) == 4
    some = generate("stepgame/plus", "train", seed=2, size=30, **{"keep.hops": [3, 4]})
    assert {one.features["hops"] for one in some} == {3, 4}


def test_a_rewritten_story_counts_links_too() -> None:
    checked = 0
    for found in generate("stepgame/plus", "train", seed=5, size=60):
        lines = [line for line in lines_of(found) if line.source in found.support]
        told = retell(found, "short", lines)
        assert not isinstance(told, Dropped)
        assert told.features["hops"] == found.features["hops"]
        checked += found.features["hops"] > found.features["support_size"]
    assert checked


def test_only_sentences_without_any_link_to_the_story_are_disconnected() -> None:
    mixed = 0
    for found in generate("stepgame/plus", "train", seed=4, size=400):
        near: dict[str, set[str]] = {}
        links = [fact[1:3] for told in found.facts for fact in told if fact[0] != "not"]
        for one, other in links:
            near.setdefault(one, set()).add(other)
            near.setdefault(other, set()).add(one)
        asked = next(name for name in found.query[::-1] if name in near)
        part = [asked]
        for name in part:
            part += sorted(near[name] - set(part))
        for told, role in zip(found.facts, found.roles, strict=True):
            ends = [fact[1] in part for fact in told if fact[0] != "not"]
            if role == "disconnected":
                assert not any(ends), found.id
            elif role in ("irrelevant", "supporting"):
                assert any(ends), found.id
                mixed += not all(ends)
    assert mixed > 5


def test_what_another_proof_rests_on_is_not_irrelevant() -> None:
    chains = 0
    for found in generate("stepgame/deep", "train", seed=4, size=300, dialect="plus"):
        if found.query[0] != "yes-no" or len(found.supports) == 1:
            continue
        told = [fact for n in found.support for fact in found.facts[n - 1]]
        if any(fact[0] == "not" for fact in told):  # then the chain is another proof, or a part
            others = {n for numbers in found.supports for n in numbers} - set(found.support)
            links = [n for n in others if found.facts[n - 1][0][0] != "not"]
            assert {found.roles[n - 1] for n in links} <= {"supporting"}, found.id
            chains += bool(links)
    assert chains
