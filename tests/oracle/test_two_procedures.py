"""The procedures of verification agree with the logic programs on stories and parts of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.world.actors.account import grammar
from fabula.world.actors.claims import QUERIES, Conclusion
from fabula.world.actors.oracle import Oracle
from fabula.world.actors.timeline import Timeline
from fabula.world.base import Claim
from fabula.world.kinds.account import answers
from fabula.world.kinds.oracle import Oracle as KindsOracle
from fabula.world.kinship.claims import BASIC, GENDERS, WORDS
from fabula.world.kinship.families import Families
from fabula.world.kinship.oracle import Oracle as KinOracle
from fabula.world.sizes.account import conclude as size
from fabula.world.sizes.oracle import Oracle as SizesOracle
from fabula.world.space.oracle import Oracle as SpaceOracle
from fabula.world.space.placing import Placing
from fabula.world.space.placing import prove as space_prove

ACTORS = ("actors/mix", "actors/motives", "actors/containers", "babi/qa3", "babi/qa14", "babi/qa20")


def stories(name: str, size: int, seed: int = 5) -> Iterator[Instance]:
    """Records of a recipe, one of each story."""
    return fabula.generate(name, "test", seed, size)


def subsets(record: Instance, draw: Random, count: int) -> Iterator[list[int]]:
    """Parts of a story: random ones, supports with something missing or added."""
    numbers = range(1, len(record.story) + 1)
    for _ in range(count):
        base = list(draw.choice(record.supports)) if draw.random() < 0.6 else []
        some = draw.sample(numbers, draw.randint(0, min(4, len(numbers))))
        part = {*base, *some}
        if part and draw.random() < 0.5:
            part.discard(draw.choice(sorted(part)))
        yield sorted(part)


def random_query(record: Instance, draw: Random) -> tuple[str, ...]:
    """Any question about whom and what the story names."""
    kind = draw.choice(sorted(QUERIES))
    facts = [fact for told in record.facts for fact in told]
    words = sorted({word for fact in facts for word in fact[1:]})
    return (kind, *(draw.choice(words) for _ in range(QUERIES[kind])))


@pytest.mark.parametrize("name", ACTORS)
def test_actors(name: str) -> None:
    draw = Random(name)
    concluded = stale = 0
    for record in stories(name, 12):
        told = [grammar("en").sentence(sentence) for sentence in record.story]
        lore = grammar("en").lore
        queries = [record.query, *(random_query(record, draw) for _ in range(4))]
        if record.query[0] in ("where-will-go", "why-go", "why-get"):
            queries[0] = (record.query[0], record.query[1].capitalize(), *record.query[2:])
        for query in queries:
            oracle, timeline = Oracle(told, [query], lore), Timeline(told, lore)
            whole = oracle.conclude(query)
            assert timeline.conclude(query) == whole, (record.story, query)
            for part in subsets(record, draw, 12):
                found = oracle.conclude(query, part)
                assert timeline.conclude(query, part) == found, (record.story, query, part)
                concluded += found is not None
                if whole is not None and about_places(query, whole):
                    lasts = timeline.stale(query, whole, part) == ""
                    assert (oracle.stale(query, whole, part) == "") == lasts, (
                        record.story,
                        query,
                        part,
                    )
                    stale += not lasts
    assert concluded > 20
    assert stale > 5 or name in ("babi/qa20",)


def about_places(query: tuple[str, ...], whole: Conclusion) -> bool:
    """Whether the question is one of those whose supports can be stale."""
    kinds = ("where-person", "where-object", "where-was-object", "where-was-person", "yes-no")
    return query[0] in kinds


SPACE: tuple[tuple[str, dict[str, str]], ...] = (
    ("stepgame/clean", {}),
    ("stepgame/plus", {}),
    ("stepgame/deep", {}),
    ("stepgame/deep", {"dialect": "plus"}),
    ("babi/qa4", {}),
    ("babi/qa17", {}),
    ("babi/qa19", {}),
)


@pytest.mark.parametrize(("name", "changes"), SPACE)
def test_space(name: str, changes: dict[str, str]) -> None:
    draw = Random(name)
    concluded = 0
    for record in fabula.generate(name, "test", 5, 40, **changes):
        if len(record.story) > 12:  # the logic program takes seconds for these
            continue
        claim = Claim(record.query, record.answer, record.supports)
        oracle, placing = SpaceOracle(record.facts, [claim]), Placing(record.facts, [record.query])
        longest = ("?",) * 9 if record.query[0] == "path" else record.answer
        for part in (range(1, len(record.story) + 1), *subsets(record, draw, 8)):
            found = placing.conclude(record.query, part)
            if (
                record.query[0] == "path"
                and isinstance(found, tuple)
                and len(found) > len(record.answer)
            ):
                continue  # the program looks no further than the claim
            assert found == oracle.conclude(record.query, part, longest[: len(record.answer)]), (
                record.story,
                record.query,
                part,
            )
            concluded += found is not None
    assert concluded > 10


def test_denials_in_a_row() -> None:
    """Denials along one axis add up, and close in on a place: no chain of steps does."""
    facts = [
        (("not", "front", "A", "B"),),
        (("not", "front", "B", "C"),),
        (("front", "D", "C"),),
        (("not", "behind", "A", "B"),),
        (("not", "left", "A", "B"), ("not", "right", "A", "B")),
        (("not", "above", "A", "B"), ("not", "below", "A", "B")),
        (("right", "C", "E", "2"),),
    ]
    asked = [
        (("yes-no", "front", "A", "C"), ("no",), (1, 2)),
        (("yes-no", "behind", "A", "D"), ("yes",), (1, 2, 3)),
        (("relation", "A", "B"), ("overlap",), (1, 4, 5, 6)),
        (("how-far", "A", "B"), ("0",), (1, 4, 5, 6)),
        (("which", "overlap", "B"), ("A",), (1, 4, 5, 6)),
    ]
    claims = [Claim(query, answer, (support,)) for query, answer, support in asked]
    assert space_prove(facts, claims) == [[]] * 5
    for claim in claims:
        (support,) = claim.supports
        short, long = claim._replace(supports=(support[1:],)), (*support, 7)
        assert "does not suffice" in space_prove(facts, [short])[0][0]
        (found,) = space_prove(facts, [claim._replace(supports=(long,))])
        assert any("still suffices without sentence 7" in reason for reason in found)
    contradiction = [*facts, (("front", "A", "C"),)]
    assert space_prove(contradiction, claims[:1]) == [["the story is contradictory"]]


# --- kinship, sizes, kinds ------------------------------------------------------------------------


def random_kin(draw: Random) -> list[tuple[tuple[str, ...], ...]]:
    """A few facts about a few people, likely to be told of one family; few enough for clingo."""
    while True:
        names = "ABCDE"[: draw.randint(3, 4)]
        words = BASIC if draw.random() < 0.7 else tuple(WORDS)
        facts = []
        for _ in range(draw.randint(2, 4)):
            told: list[tuple[str, ...]] = [(draw.choice(words), *draw.sample(names, 2))]
            if draw.random() < 0.3:
                told.append((draw.choice(GENDERS), draw.choice(names)))
            facts.append(tuple(told))
        between = sum(WORDS[fact[0]][2] for told in facts for fact in told if len(fact) == 3)
        if len(names) + between <= 6:
            return facts


def test_kinship_at_random() -> None:
    draw = Random(3)
    concluded = possible = 0
    for _ in range(40):
        facts, marriage = random_kin(draw), draw.random() < 0.2
        words = [w for w in WORDS if w in BASIC or any(w == f[0] for told in facts for f in told)]
        query = ("kin", "A", "B")
        families = Families(facts, query, words, marriage)
        oracle = KinOracle(facts, query, words, marriage)
        assert families.possible() == (oracle._possible(None) is not None), facts
        assert families.conclude() == oracle.conclude(), (facts, marriage)
        concluded += families.conclude() is not None
        possible += families.possible()
    assert concluded > 3
    assert 8 < possible < 40


KIN_RIDDLES: list[tuple[str, list[str], str | None]] = [
    # two nephews of the same two people: their parents may be two couples or one
    ("the same niece", ["niece A N", "nephew A D", "niece E N", "nephew E D"], None),
    ("child or grandchild of one's own", ["father A F", "grandson F B"], None),
    ("a nephew, if not one's own son", ["father A F", "grandson F B", "uncle B A"], "nephew"),
    ("the other parent", ["mother A M", "husband M B"], "father"),
    ("the spouse's gender", ["wife B A"], "husband"),
    ("told twice", ["grandfather A B", "mother A M", "father M B"], "grandfather"),
    ("sisters share their mother", ["sister A S", "mother S B"], "mother"),
    ("no family", ["father A B", "father B A"], None),
    ("two husbands", ["husband A B", "husband A C"], None),
]


@pytest.mark.parametrize(("what", "told", "answer"), KIN_RIDDLES)
def test_kinship_riddles(what: str, told: list[str], answer: str | None) -> None:
    facts = [((word, a, b),) for word, a, b in (fact.split() for fact in told)]
    asked = ("kin", "A", "E" if what == "the same niece" else "B")
    families = Families(facts, asked, BASIC)
    assert families.conclude() == answer, what
    if len(facts) < 4:
        assert KinOracle(facts, asked, BASIC).conclude() == answer
    assert families.possible() == (what not in ("no family", "two husbands"))


@pytest.mark.parametrize("name", ["clutrr/gen-23", "clutrr/rob-supporting"])
def test_kinship_stories(name: str) -> None:
    draw = Random(name)
    for record in fabula.generate(name, "train", 5, 6):
        if len(record.facts) > 4:
            continue
        families = Families(record.facts, record.query, BASIC)
        oracle = KinOracle(record.facts, record.query, BASIC)
        for part in (range(1, len(record.facts) + 1), *subsets(record, draw, 4)):
            assert families.conclude(part) == oracle.conclude(part), (record.facts, part)


def test_sizes_and_kinds() -> None:
    draw = Random(9)
    for _ in range(60):
        facts = [("bigger", *draw.sample("ABCD", 2)) for _ in range(draw.randint(1, 5))]
        for query in (("bigger", "A", "B"), ("fits", "C", "A")):
            oracle = SizesOracle(facts, [query])
            for _ in range(3):
                part = draw.sample(range(1, len(facts) + 1), draw.randint(0, len(facts)))
                assert size(facts, query, part) == oracle.conclude(query, part), (facts, query)
    kinds = {"member": ("PQR", "abc"), "subkind": ("abc", "abc"), "fear": ("abc", "abc")}
    kinds["colour"] = ("PQR", "xy")
    for _ in range(60):
        told = []
        for _ in range(draw.randint(1, 8)):
            kind = draw.choice(sorted(kinds))
            told.append((kind, draw.choice(kinds[kind][0]), draw.choice(kinds[kind][1])))
        for asked in (("afraid", "P"), ("colour", "P")):
            program = KindsOracle(told)
            for _ in range(3):
                part = draw.sample(range(1, len(told) + 1), draw.randint(0, len(told)))
                assert answers(told, asked, part) == program.answers(asked, part), (told, asked)
