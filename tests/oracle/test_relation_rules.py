"""Reader and logic program on stories that no recipe would tell, contradictory ones included."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.core.seeds import Draw
from fabula.world.base import Claim, Fact, Query
from fabula.world.kinds.language import language as kinds_language
from fabula.world.kinds.oracle import Oracle as KindsOracle
from fabula.world.kinds.reading import KindsReading
from fabula.world.sizes.language import language as sizes_language
from fabula.world.sizes.oracle import Oracle as SizesOracle
from fabula.world.sizes.reading import SizesReading
from fabula.world.space import oracle as space_oracle
from fabula.world.space.grid import COMPASS, FLAT_SIDES, PLANE, REGIONS, ROOM, UNITS, Space
from fabula.world.space.language import Statement
from fabula.world.space.language import language as space_language
from fabula.world.space.reading import SpaceReading

NAMES = "ABCDE"
QUICK = settings(max_examples=150, deadline=None)


def varied(number: int) -> Draw:
    """A source that says the same number again and again, another for each sentence."""
    return lambda: number * 0.37 % 1


def pairs(names: str = NAMES) -> st.SearchStrategy[tuple[str, str]]:
    return st.tuples(st.sampled_from(names), st.sampled_from(names)).filter(lambda p: p[0] != p[1])


def links(words: tuple[str, ...]) -> st.SearchStrategy[list[tuple[str, tuple[str, str]]]]:
    return st.lists(st.tuples(st.sampled_from(words), pairs()), min_size=1, max_size=6)


@QUICK
@given(links(tuple(UNITS)), pairs(), st.sampled_from(FLAT_SIDES))
def test_positions(
    told: list[tuple[str, tuple[str, str]]], pair: tuple[str, str], side: str
) -> None:
    tongue = space_language("en")
    reading = SpaceReading(tongue)
    for number, (relation, (figure, ground)) in enumerate(told):
        reading.hear(tongue.say(relation, figure, ground, varied(number)))
    facts = reading.facts()
    assert facts == [((relation, *names),) for relation, names in told]
    queries: list[Query] = [
        ("relation", *pair),
        ("yes-no", side, *pair),
        ("yes-no", f"directly-{side}", *pair),
        ("which", side, pair[0]),
        ("how-far", *pair),
    ]
    oracle = space_oracle.Oracle(facts, [Claim(query, (), ()) for query in queries])
    for query in queries:
        finding = reading.find(query)
        expected = oracle.conclude(query, range(1, len(facts) + 1), ())
        assert (None if finding is None else finding.answer) == expected
        if finding is not None:
            for mask in finding.masks:
                assert reading.stands(query, finding.conclusion, mask)
                assert reading.alone(query, mask) == finding.answer


Story = list[tuple[Fact, ...]]


@st.composite
def anything(draw: st.DrawFn, space: Space) -> tuple[Story, str, str]:
    """A story of several steps, joined sentences and at most one denial; and words to ask with."""
    link = st.tuples(st.sampled_from(tuple(space.units)), pairs(), st.sampled_from(["", "2", "3"]))
    fact = link.map(lambda told: (told[0], *told[1], *filter(None, [told[2]])))
    longest = 7 - space.dimensions  # a deep placement has many more spots
    sentence = st.lists(fact, min_size=1, max_size=2).map(tuple)
    story: Story = draw(st.lists(sentence, min_size=1, max_size=longest))
    denial = st.tuples(st.sampled_from(space.tested), pairs())
    denials = st.lists(denial.map(lambda told: (("not", told[0], *told[1]),)), max_size=1)
    words = tuple(REGIONS) if space is PLANE else space.tested
    asked, listed = draw(st.sampled_from(words)), draw(st.sampled_from(space.listed))
    return draw(denials) + story, asked, listed


def told_of(fact: Fact) -> Statement:
    if fact[0] == "not":
        return Statement(fact[1], fact[2], fact[3], "denial", 0)
    steps = int(fact[3]) if len(fact) > 3 else 1
    return Statement(fact[0], fact[1], fact[2], "plain", steps)


@settings(max_examples=120, deadline=None)
@given(anything(PLANE), pairs())
def test_denials_distances_and_joined_sentences(
    story: tuple[Story, str, str], pair: tuple[str, str]
) -> None:
    agree(*story, pair)


@settings(max_examples=60, deadline=None)
@given(anything(ROOM), pairs())
def test_the_same_with_depth(story: tuple[Story, str, str], pair: tuple[str, str]) -> None:
    agree(*story, pair)


def agree(facts: Story, word: str, side: str, pair: tuple[str, str]) -> None:
    """Whether reader and logic program agree on all that can be asked."""
    reading = SpaceReading(space_language("en"))
    for told in facts:
        reading.take(tuple(map(told_of, told)))
    assert reading.facts() == facts
    way: Query = ("path", "steps", *pair)
    queries: list[Query] = [
        ("relation", *pair),
        ("yes-no", word, *pair),
        ("which", side, pair[0]),
        ("how-far", *pair),
        way,
    ]
    longest = ("up",) * 10
    oracle = space_oracle.Oracle(facts, [Claim(query, longest, ()) for query in queries])
    everything = range(1, len(facts) + 1)
    for query in queries:
        finding = reading.find(query)
        if query == way and finding is None:
            continue  # ways on a map that cannot be, and different ways with the same steps
        assert (None if finding is None else finding.answer) == oracle.conclude(
            query, everything, longest
        )
        if finding is not None:
            for mask in finding.masks:
                assert reading.stands(query, finding.conclusion, mask)
            supports = tuple(tuple(n for n in everything if m >> n & 1) for m in finding.masks)
            claim = Claim(query, finding.answer, supports)
            assert oracle.prove(claim) == []


@QUICK
@given(links(tuple(COMPASS)), pairs(), st.sampled_from(tuple(COMPASS)))
def test_neighbours_and_ways(
    told: list[tuple[str, tuple[str, str]]], pair: tuple[str, str], word: str
) -> None:
    facts: list[Fact] = [(relation, *(n.lower() for n in names)) for relation, names in told]
    tongue = space_language("en")
    reading = SpaceReading(tongue, [tongue.tell(word, a, b, varied(0)) for word, a, b in facts])
    first, second = (name.lower() for name in pair)
    way: Query = ("path", first, second)
    longest = ("n",) * len(facts)
    oracle = space_oracle.Oracle([(fact,) for fact in facts], [Claim(way, longest, ())])
    everything = range(1, len(facts) + 1)
    for query in (("what-is", word, first), ("what-of", first, word), way):
        finding = reading.find(query)
        if query == way and not reading.chart.sound:
            continue  # a way could be told on a map that cannot be; the reader gives none
        expected = oracle.conclude(query, everything, longest)
        assert (None if finding is None else finding.answer) == expected


@QUICK
@given(st.lists(pairs(), min_size=1, max_size=8), pairs(), st.sampled_from(["bigger", "fits"]))
def test_sizes(told: list[tuple[str, str]], pair: tuple[str, str], kind: str) -> None:
    tongue = sizes_language("en")
    reading = SizesReading(tongue, [tongue.say(*names, varied(n)) for n, names in enumerate(told)])
    query = (kind, *pair)
    oracle = SizesOracle([fact for (fact,) in reading.facts()], [query])
    finding = reading.find(query)
    expected = oracle.conclude(query, range(1, len(told) + 1))
    assert (None if finding is None else finding.answer[0]) == expected
    if finding is not None:
        supports = tuple(
            tuple(n for n in range(1, len(told) + 1) if mask >> n & 1) for mask in finding.masks
        )
        assert oracle.prove(Claim(query, finding.answer, supports)) == []


KIND_FACTS = st.one_of(
    st.tuples(st.just("member"), st.sampled_from(["Ann", "Bob"]), st.sampled_from(["cat", "ox"])),
    st.tuples(
        st.just("subkind"),
        st.sampled_from(["cat", "ox", "wolf"]),
        st.sampled_from(["cat", "ox", "wolf"]),
    ),
    st.tuples(st.just("fear"), st.sampled_from(["cat", "ox", "wolf"]), st.sampled_from(["bee"])),
    st.tuples(st.just("fear"), st.sampled_from(["cat", "ox"]), st.sampled_from(["bee", "wolf"])),
    st.tuples(st.just("colour"), st.sampled_from(["Ann", "Bob"]), st.sampled_from(["red", "tan"])),
)


@QUICK
@given(st.lists(KIND_FACTS, min_size=1, max_size=8), st.sampled_from(["afraid", "colour"]))
def test_kinds(told: list[Fact], kind: str) -> None:
    tongue = kinds_language("en")
    reading = KindsReading(tongue, [tongue.say(fact) for fact in told])
    assert [fact for (fact,) in reading.facts()] == told
    query = (kind, "ann")
    oracle = KindsOracle(told)
    found = oracle.answers(query, range(1, len(told) + 1))
    finding = reading.find(query)
    if "Ann" not in {fact[1] for fact in told if fact[0] in ("member", "colour")}:
        assert finding is None
        return
    assert (set() if finding is None else set(finding.answer)) == (
        found if len(found) == 1 else set()
    )
    if finding is not None:
        for mask in finding.masks:
            assert reading.stands(query, finding.conclusion, mask)


def test_the_programs_object_to_wrong_claims() -> None:
    facts: list[Fact] = [("left", "A", "B"), ("above", "B", "C"), ("left", "D", "C")]
    query: Query = ("relation", "A", "C")
    good = Claim(query, ("upper-left",), ((1, 2),))
    wrong = Claim(query, ("left",), ((1, 2),))
    large = Claim(query, ("upper-left",), ((1, 2, 3),))
    small = Claim(query, ("upper-left",), ((1,),))
    ways = Claim(("path", "A", "B"), ("w",), ((1,),))
    results = space_oracle.prove([(fact,) for fact in facts], [good, wrong, large, small, ways])
    assert results[0] == []
    assert all(results[1:])
    assert "without sentence 3" in results[2][0]
    sizes = SizesOracle([("bigger", "A", "B"), ("bigger", "B", "C")], [("bigger", "A", "C")])
    assert sizes.prove(Claim(("bigger", "A", "C"), ("yes",), ((1, 2),))) == []
    assert sizes.prove(Claim(("bigger", "A", "C"), ("no",), ((1, 2),)))
    assert sizes.prove(Claim(("bigger", "A", "C"), ("yes",), ((1,),)))
    kinds = KindsOracle([("member", "Ann", "cat"), ("fear", "cat", "dog"), ("fear", "ox", "cat")])
    assert kinds.prove(Claim(("afraid", "Ann"), ("dog",), ((1, 2),))) == []
    assert kinds.prove(Claim(("afraid", "Ann"), ("cat",), ((1, 2),)))
    assert kinds.prove(Claim(("afraid", "Ann"), ("dog",), ((1, 2, 3),)))
