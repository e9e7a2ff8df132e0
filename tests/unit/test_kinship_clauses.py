"""Which clauses kinship stories have: possible ones, nearly uniform, and held out as announced."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from math import exp, log
from typing import Any

import pytest
from tests.kinship_stories import recipe, shipped, stories

from fabula.core.instance import Instance
from fabula.core.seeds import stream
from fabula.errors import QuotaError, RecipeError
from fabula.generation.author import Author, instance
from fabula.recipe.loading import load
from fabula.world.kinship.algebra import OPTIONS, fold, vocabulary
from fabula.world.kinship.chains import along, detoured
from fabula.world.kinship.clauses import (
    Wanted,
    decks,
    drawn,
    held_out,
    listed,
    possible,
    provable,
    rare,
)  # fmt: skip
from fabula.world.kinship.family import Family, FamilyShape, members, roomiest
from fabula.world.kinship.mentions import Mention
from fabula.world.kinship.phrases import phrases
from fabula.world.kinship.recipe import KinshipRecipe

BASE = vocabulary()
SHAPE = FamilyShape(4, (2, 3), 1.0)
SMALL = [FamilyShape(2, (1, 2), 1.0), FamilyShape(3, (1, 1), 0.5), FamilyShape(5, (3, 3), 0.0)]


def relations(one: Instance, *roles: str) -> tuple[str, ...]:
    """The relations of the facts with these roles; those of the chain in its order."""
    wanted = roles or ("support",)
    words = [word for _, word, _, role in one.features["edges"] if role in wanted]
    return tuple(BASE.relation_of[word][0] for word in words)


# --- which there are ----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [SHAPE, *SMALL])
def test_possible_clauses_are_those_that_people_of_a_family_stand_in(shape: FamilyShape) -> None:
    # the largest family of the shape, searched without any short cut
    largest = roomiest(BASE, shape, 3).pedigree
    for k in (1, 2, 3):
        found = {c for clauses in possible(BASE, shape, k).values() for c in clauses}
        expected = set()
        for clause in BASE.clauses(k):
            paths: list[tuple[int, ...]] = [(person,) for person in range(largest.size)]
            for relation in clause:
                paths = [
                    (*path, other)
                    for path in paths
                    for other in members(largest.relatives(path[-1], relation))
                    if other not in path
                ]
            if paths:
                expected.add(clause)
        assert found == expected


def test_possible_clauses_are_sound_and_there_are_many() -> None:
    counts = {}
    for k in range(2, listed(BASE, SHAPE) + 1):
        for head, clauses in possible(BASE, SHAPE, k).items():
            assert len(set(clauses)) == len(clauses)
            for clause in clauses:
                assert BASE.named(fold([BASE.mask[name] for name in clause])) == head
                assert BASE.prove(clause) is not None
        counts[k] = sum(map(len, possible(BASE, SHAPE, k).values()))
    assert counts == {2: 28, 3: 86, 4: 248, 5: 680, 6: 1731}


@pytest.mark.parametrize("k", [8, 11, 17, 30])
def test_long_clauses_are_possible_too(k: int) -> None:
    draw = stream("long", 0, "", k, "x")
    wanted = Wanted(SHAPE, k, "any", 0.0)
    assert provable(BASE, wanted) == BASE.words
    for head in BASE.relations:
        found = drawn(BASE, wanted, head, draw)
        assert found is not None
        clause, steps = found
        assert (len(clause), len(steps)) == (k, k - 1)
        assert BASE.named(fold([BASE.mask[name] for name in clause])) == head
        families = (Family(draw, BASE, 4, (3, 3), 1.0) for _ in range(20))
        assert any(along(family, BASE, draw, clause, 2000) for family in families)


def test_a_found_chain_stands_in_its_clause() -> None:
    draw = stream("along", 0, "", 0, "x")
    for clause in possible(BASE, SHAPE, 4)["nibling"]:
        for _ in range(40):
            family = Family(draw, BASE, *SHAPE)
            links = along(family, BASE, draw, clause)
            if links:
                break
        assert links
        assert tuple(link.relation for link in links) == clause
        assert len({person for link in links for person in (link.first, link.second)}) == 5
        assert all(family.relation(a, b) == name for a, name, b in links)


def test_words_that_leave_the_gender_open() -> None:
    words = vocabulary(frozenset(OPTIONS))
    shape = FamilyShape(5, (2, 3), 1.0)
    for head, deck in decks(words, Wanted(shape, 2, "any", 0.0)).items():
        assert head == "cousin" or all(clause[-1] != "cousin" for clause in deck.clauses)


# --- how often each comes -----------------------------------------------------------------------


def accuracy(weights: dict[str, dict[tuple[str, ...], float]], bag: bool) -> float:
    """What a look-up finds that knows how often each clause comes."""
    table: defaultdict[tuple[str, ...], defaultdict[str, float]] = defaultdict(
        lambda: defaultdict(float)
    )
    for head, clauses in weights.items():
        for clause, weight in clauses.items():
            key = tuple(sorted(clause)) if bag else (clause[0], clause[-1])
            table[key][head] += weight / len(weights)
    return sum(max(found.values()) for found in table.values())


@pytest.mark.parametrize("k", [4, 5, 6])
def test_clauses_come_nearly_uniformly_and_both_look_ups_find_less(k: int) -> None:
    weights, even = {}, {}
    for head, deck in decks(BASE, Wanted(SHAPE, k, "any", 0.1)).items():
        before = [0.0, *deck.totals[:-1]]
        shares = [one - other for one, other in zip(deck.totals, before, strict=True)]
        weights[head] = dict(zip(deck.clauses, shares, strict=True))
        even[head] = dict.fromkeys(deck.clauses, 1 / len(deck.clauses))
        assert abs(sum(shares) - 1) < 1e-9
        effective = exp(-sum(share * log(share) for share in shares))
        assert effective > 0.4 * len(shares)
    assert accuracy(weights, bag=True) < accuracy(even, bag=True) - 0.06
    assert accuracy(weights, bag=False) < accuracy(even, bag=False) - 0.1
    assert accuracy(weights, bag=True) < 0.64
    assert accuracy(weights, bag=False) < 0.4


def test_stories_of_one_answer_have_many_clauses() -> None:
    found: defaultdict[tuple[int, str], Counter[tuple[str, ...]]] = defaultdict(Counter)
    facts: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for one in shipped("clutrr/gen-23", "test", 3600):
        k = one.features["k"]
        found[k, BASE.relation_of[one.answer[0]][0]][relations(one)] += 1
        facts[k].update(relations(one))
    for k in range(4, 11):
        for head in BASE.relations:
            clauses = found[k, head]
            assert clauses.total() == 40
            # a spouse has 7 possible clauses of 4 facts and 13 of 5, everybody else more
            assert len(clauses) >= (6 if head == "spouse" and k == 4 else 9)
            assert max(clauses.values()) <= 16
        seldom = sum(facts[k][name] for name in rare(BASE))
        assert seldom > 0.01 * facts[k].total(), k


# --- what is held out ---------------------------------------------------------------------------


def test_a_share_is_held_out_for_every_answer_and_of_two_facts_nothing() -> None:
    for k in (3, 4, 5):
        for head, clauses in possible(BASE, SHAPE, k).items():
            held = [clause for clause in clauses if held_out(BASE, SHAPE, clause, 0.1)]
            assert len(held) == max(1, round(0.1 * len(clauses))), head
            kept = decks(BASE, Wanted(SHAPE, k, "kept", 0.1))[head].clauses
            assert {*held, *kept} == set(clauses)
            assert not {*held} & {*kept}
    assert not any(held_out(BASE, SHAPE, clause, 0.1) for clause in BASE.rules)
    assert not decks(BASE, Wanted(SHAPE, 2, "held-out", 0.1))
    draw = stream("long", 0, "", 0, "x")
    found = (drawn(BASE, Wanted(SHAPE, 8, "any", 0.0), "nibling", draw) for _ in range(600))
    long = {one.clause for one in found if one}
    share = sum(held_out(BASE, SHAPE, clause, 0.1) for clause in long) / len(long)
    assert 0.06 < share < 0.14
    assert not held_out(BASE, SHAPE, ("child",) * 3, 0.0)


def test_training_shows_every_rule_and_no_held_out_clause() -> None:
    train = shipped("clutrr/gen-23", "train", 1000)
    test = shipped("clutrr/gen-23", "test", 900)
    assert {relations(i) for i in train if i.features["k"] == 2} == set(BASE.rules)
    # whatever the genders
    assert not {relations(i) for i in train} & {relations(i) for i in test if i.features["k"] == 3}
    named = [{n for i in part for n, _ in i.features["people"]} for part in (train, test)]
    assert not named[0] & named[1]
    tongue = phrases("en")
    bare = [
        {s for i in part for unit in i.story for s in tongue.scenes_in(unit)}
        for part in (train, test)
    ]
    assert not bare[0] & bare[1]


def ways(one: Instance) -> set[tuple[str, ...]]:
    """The relations along every simple path between the two people of the question."""
    near: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for a, word, b, _ in one.features["edges"]:
        relation = BASE.relation_of[word][0]
        near[a].append((b, relation))
        near[b].append((a, BASE.mirror[relation]))
    found = set()
    todo: list[tuple[tuple[int, ...], tuple[str, ...]]] = [((0,), ())]
    while todo:
        path, told = todo.pop()
        for other, relation in near[path[-1]]:
            if other == one.features["k"]:
                found.add((*told, relation))
            elif other not in path:
                todo.append(((*path, other), (*told, relation)))
    return found


def test_no_detour_of_training_spells_a_held_out_clause() -> None:
    recipe = load("clutrr/rob-supporting")
    assert isinstance(recipe, KinshipRecipe)
    assert recipe.for_split("train").guarded == recipe.for_split("test").guarded == {3}
    test = {
        relations(i) for i in shipped("clutrr/rob-supporting", "test", 1000) if i.features["k"] == 3
    }
    assert len(test) >= 18
    detours = 0
    for one in shipped("clutrr/rob-supporting", "train", 2000):
        found = ways(one)
        assert relations(one) in found
        detours += len(found) > 1
        assert not found & test, one.id
        for clause in found:
            assert len(clause) != 3 or not held_out(BASE, SHAPE, clause, recipe.held_out)
    assert detours > 1000


def test_ways_round_are_spelled_in_full() -> None:
    from fabula.world.kinship.chains import Link, Strand

    links = [Link(0, "parent", 1), Link(1, "sibling", 2)]
    detours = [
        Strand("supporting", [Link(0, "sibling", 3), Link(3, "parent", 1)]),
        Strand("supporting", [Link(1, "parent", 4), Link(4, "child", 2)]),
    ]
    assert set(detoured(links, detours, {3})) == {
        ("sibling", "parent", "sibling"),
        ("parent", "parent", "child"),
    }
    assert list(detoured(links, detours, {4})) == [("sibling", "parent", "parent", "child")]
    assert not list(detoured(links, detours, {5}))


def test_what_is_held_out_can_be_chosen() -> None:
    keys: dict[str, Any] = {"tasks": [{"k": 3}], "clauses": "kept", "phrases": "seen"}
    assert not [i for i in stories(200, **keys) if held_out(BASE, SHAPE, relations(i), 0.1)]
    free = stories(200, hold_out=[], **keys)
    assert [i for i in free if held_out(BASE, SHAPE, relations(i), 0.1)]


def test_forms_of_mention_can_be_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    mentions, used = phrases("en").mentions, set[str]()
    parse = mentions.parse

    def noting(sentence: str, fixed: frozenset[str]) -> tuple[str, list[Mention]]:
        found = parse(sentence, fixed)
        used.update(mention.form for mention in found[1])
        return found

    monkeypatch.setattr(mentions, "parse", noting)
    told = {}
    for side in ("seen", "held-out"):
        used.clear()
        assert stories(80, hold_out=["forms"], phrases=side, telling="scenes")
        told[side] = used & set(mentions.forms)
        assert told[side] <= set(mentions.pools[side])
    assert len(told["seen"]) > 10
    assert len(told["held-out"]) > 3


@pytest.mark.parametrize("name", ["rob-clean", "rob-supporting", "rob-irrelevant"])
def test_every_field_describes_the_same_proof(name: str) -> None:
    for one in shipped(f"clutrr/{name}", "test", 1000):
        people = [person for person, _ in one.features["people"]]
        chain = [edge for edge in one.features["edges"] if edge[3] == "support"]
        pairs = {frozenset((people[a], people[b])) for a, _, b, _ in chain}
        cited = {
            frozenset(fact[1:])
            for number in one.support
            for fact in one.facts[number - 1]
            if len(fact) == 3
        }
        assert cited == pairs, one.id
        assert len(pairs) == one.features["k"] == one.features["hops"]
        assert one.signature == f"kin:{one.features['clause']}"
        assert {n for n, role in enumerate(one.roles, 1) if role == "support"} == set(one.support)
        assert one.support == one.supports[0]


def test_the_same_seed_asks_the_same_whatever_came_before() -> None:
    alone = instance("clutrr/rob-clean", "test", 127, seed=11)
    (among,) = list(Author(load("clutrr/rob-clean"), "test", 11).instances(127, 128))
    assert alone == among


# --- what cannot be -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"noise": {"supporting": [10, 10]}, "tasks": [{"k": 3, "noise": ["supporting"]}]},
         r"noise.supporting: at least 10 detours .* 3 facts \(tasks\[0\]\) has room for 3"),
        ({"noise": {"irrelevant": [3, 1]}}, r"irrelevant = \[3, 1\] is reversed; write \[1, 3\]"),
        ({"family": {"children": [3, 2]}}, "is an empty range"),
        ({"family": {"generations": 2, "children": [1, 1]}, "tasks": [{"k": 4}]},
         r"tasks\[0\]: k = 4 needs 5 people, but such a family has at most 4"),
        ({"family": {"generations": 2, "children": [1, 1]}, "tasks": [{"k": 1, "noise": [
            "irrelevant", "disconnected"]}]}, "with this noise needs 5 people"),
        ({"tasks": [{"k": 3}], "clauses": "held-out", "held_out": 0}, "held_out = 0 holds out no"),
        ({"hold_out": ["claws"]}, "hold_out"),
    ],
)  # fmt: skip
def test_what_no_family_can_have_is_refused_at_once(keys: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        recipe(**keys)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"tasks": [{"k": 5}], "family": {"children": [1, 3], "generations": 2},
          "targets": ["niece", "grandson"]},
         r"2 generations with 1 to 3 children .* no 5 facts prove niece or grandson\. Enlarge"),
        ({"tasks": [{"k": 12}], "family": {"marriage": 0.0, "children": [11, 11]},
          "targets": ["grandson"]}, "no 12 facts prove grandson"),
        ({"tasks": [{"k": 2}], "targets": ["uncle"], "family": {"children": [1, 1]}},
         "no 2 facts prove uncle. Enlarge the family"),
        ({"tasks": [{"k": 3, "noise": ["supporting", "irrelevant", "disconnected"]}],
          "noise": {"supporting": [3, 3], "irrelevant": [35, 35], "disconnected": [35, 35]}},
         r"none of [\d,]+ families could hold the story; [\d,]+ of them had no people left"),
        ({"tasks": [{"k": 3, "noise": ["irrelevant"]}], "noise": {"irrelevant": [40, 40]}},
         "Lower noise.irrelevant"),
    ],
)  # fmt: skip
def test_what_turns_out_impossible_is_named_soon(keys: dict[str, object], message: str) -> None:
    author = Author(recipe(**keys), "train")
    with pytest.raises(QuotaError, match=message):
        list(author.instances(0, 20))


def test_one_or_two_facts_are_never_held_out() -> None:
    for k in (1, 2):
        changed = load("clutrr/gen-23", {"tasks": [{"k": k}]})
        for split in ("train", "test"):
            assert {i.features["k"] for i in Author(changed, split).instances(0, 5)} == {k}


def test_an_answer_without_held_out_clauses_is_named() -> None:
    # only one clause of three facts proves a spouse in such a family, and one alone is never held
    family = {"children": [1, 2], "generations": 2, "marriage": 0.0}
    assert len(possible(BASE, FamilyShape(2, (1, 2), 0.0), 3)["spouse"]) == 1
    made = recipe(tasks=[{"k": 3}], family=family, targets=["wife"], clauses="held-out")
    with pytest.raises(QuotaError, match=r"3 facts that prove wife, none is held-out, with"):
        next(Author(made, "train").instances(0, 1))


def test_every_clause_can_be_told_with_either_gender() -> None:
    found = stories(400, tasks=[{"k": 3}])
    genders = Counter(
        (n, gender) for i in found for n, (_, gender) in enumerate(i.features["people"][:3])
    )
    for n, gender in product(range(3), ("male", "female")):
        assert genders[n, gender] > 140
