"""The logic program against the algebra, the rules and told stories."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from tests.kinship_stories import ALL_NOISE, shipped, stories

from fabula.world.base import Claim
from fabula.world.kinship import KINSHIP
from fabula.world.kinship.algebra import FEMALE, MALE, OPTIONS, Vocabulary, fold, vocabulary
from fabula.world.kinship.oracle import Oracle

BASE = vocabulary()
EVERY = vocabulary(frozenset(OPTIONS))


def conclude(
    words: Vocabulary, facts: Sequence[tuple[str, ...]], ends: tuple[str, str], axiom: str = "tree"
) -> tuple[bool, str | None]:
    """Whether some family fits the facts, and the word that follows."""
    told = [[fact] for fact in facts]
    marriage = "by-marriage" in words.options
    oracle = Oracle(told, ("kin", *ends), words.words, marriage, axiom)
    return oracle.conclude([]) is None and oracle._possible(None) is not None, oracle.conclude()


def chain(
    words: Vocabulary, relations: Sequence[str], genders: Sequence[str]
) -> list[tuple[str, ...]]:
    """The facts p0 -> p1 -> …; genders are those of p1, p2, …"""
    return [
        (words.word(relation, gender), f"p{n}", f"p{n + 1}")
        for n, (relation, gender) in enumerate(zip(relations, genders, strict=True))
    ]


@pytest.mark.parametrize("axiom", ["tree", "blood"])
def test_every_pair_of_the_twenty_words(axiom: str) -> None:
    # sound and complete: a word follows from two facts if and only if a rule says so
    for first in BASE.relations:
        for second in BASE.relations:
            head = BASE.rules.get((first, second))
            for genders in ((MALE, MALE), (MALE, FEMALE), (FEMALE, MALE), (FEMALE, FEMALE)):
                facts = chain(BASE, (first, second), genders)
                fits, word = conclude(BASE, facts, ("p0", "p2"), axiom)
                expected = BASE.word(head, genders[1]) if head and fits else None
                assert word == expected, (facts, axiom)


def test_every_rule_of_the_largest_vocabulary() -> None:
    for (first, second), head in EVERY.rules.items():
        for genders in ((MALE, FEMALE), (FEMALE, MALE)):
            facts = chain(EVERY, (first, second), genders)
            if EVERY.relation_of[facts[1][0]][1] == "":  # 'cousin' leaves the gender open
                facts.append((genders[1], "p2"))
            fits, word = conclude(EVERY, facts, ("p0", "p2"))
            assert not fits or word == EVERY.word(head, genders[1]), facts


@pytest.mark.parametrize("seed", range(4))
def test_random_chains(seed: int) -> None:
    choice = random.Random(seed)
    relations = list(BASE.relations)
    followed = 0
    for _ in range(60):
        k = choice.randint(3, 4)
        picked = [choice.choice(relations) for _ in range(k)]
        genders = [choice.choice((MALE, FEMALE)) for _ in range(k)]
        head = BASE.named(fold([BASE.mask[relation] for relation in picked]))
        fits, word = conclude(BASE, chain(BASE, picked, genders), ("p0", f"p{k}"))
        if head and fits:
            followed += 1
            assert word == BASE.word(head, genders[-1]), picked
        elif fits and k == 3:
            assert word is None, picked  # and nothing is missed
    assert followed


def test_what_the_original_got_wrong_does_not_follow() -> None:
    for relations in (
        ("child", "pibling"),  # my child's aunt may be my spouse's sister
        ("child", "grandparent"),  # my child's grandfather may be my father-in-law
        ("spouse", "child", "grandparent"),
        ("pibling", "sibling"),
        ("grandparent", "child"),
    ):
        facts = chain(BASE, relations, [MALE, FEMALE, MALE][: len(relations)])
        fits, word = conclude(BASE, facts, ("p0", f"p{len(relations)}"))
        assert fits
        assert word is None


def test_an_open_case_is_settled_by_another_fact() -> None:
    facts = [("son", "Ann", "Ben"), ("grandfather", "Ben", "Cal")]
    assert conclude(BASE, facts, ("Ann", "Cal"))[1] is None
    assert conclude(BASE, [*facts, ("father", "Ann", "Dan")], ("Ann", "Cal"))[1] == "father-in-law"


def test_objections() -> None:
    story = ["Ann's mother is Bea.", "Bea's brother is Cal.", "Dot's aunt is Eve."]
    query = ("kin", "Ann", "Cal")
    claims = [
        Claim(query, ("uncle",), ((1, 2),)),
        Claim(query, ("brother",), ((1, 2),)),
        Claim(query, ("uncle",), ((1, 2, 3),)),
        Claim(query, ("uncle",), ((2,),)),
        Claim(query, ("uncle",), ()),
        Claim(query, ("uncle",), ((1, 7),)),
    ]
    good, *bad = KINSHIP.prove("en", story, claims)
    assert good == []
    assert [found[0] for found in bad] == [
        "brother is not entailed: the story entails 'uncle'",
        "support [1, 2, 3] still suffices without sentence 3",
        "support [2] does not suffice",
        "there is no support",
        "support [1, 7] is not a set of sentences of the story",
    ]


def test_impossible_story() -> None:
    story = ["Ann's mother is Bea.", "Bea's mother is Ann."]
    (found,) = KINSHIP.prove("en", story, [Claim(("kin", "Ann", "Bea"), ("mother",), ((1,),))])
    assert "fits no family" in found[0]


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_told_stories_are_proven(k: int) -> None:
    noise: list[list[str]] = [[], ["supporting"], ["irrelevant"], ["disconnected"], ALL_NOISE]
    if k == 1:
        noise = [[], ["irrelevant"], ["disconnected"]]
    tasks = [{"k": k, "noise": kinds} for kinds in noise]
    for instance in stories(len(tasks) * (3 if k < 6 else 1), tasks=tasks):
        claim = Claim(instance.query, instance.answer, instance.supports)
        assert KINSHIP.prove("en", instance.story, [claim]) == [[]], instance.story


def test_told_stories_hold_also_where_in_laws_marry_in_laws() -> None:
    for instance in shipped("clutrr/rob-supporting", "test", 40):
        oracle = Oracle(instance.facts, instance.query, BASE.words, axiom="blood")
        assert oracle.conclude() == instance.answer[0], instance.story


def test_more_words_are_proven() -> None:
    for options in (["sibling-in-law"], ["cousin", "great-grand"], ["by-marriage"]):
        kind = "kin-by-marriage" if "by-marriage" in options else "kin"
        for instance in stories(6, words=options, asks={kind: 1}, tasks=[{"k": 3}]):
            claim = Claim(instance.query, instance.answer, instance.supports)
            assert KINSHIP.prove("en", instance.story, [claim]) == [[]], instance.story
