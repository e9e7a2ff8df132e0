"""Parts of the kinship world: positions, clauses, phrases, recipes, format."""

from __future__ import annotations

import ast
import re
from collections import Counter
from itertools import pairwise, product

import pytest
from tests.kinship_stories import recipe, shipped, stories

from fabula.core.seeds import stream
from fabula.datasets.formats import clutrr_csv
from fabula.errors import FabulaError, ParseError, RecipeError
from fabula.recipe.loading import load
from fabula.world import WORLDS
from fabula.world.base import Finding
from fabula.world.kinship import KINSHIP, algebra
from fabula.world.kinship.algebra import (
    FEMALE,
    MALE,
    OPTIONS,
    POSITIONS,
    UNKNOWN,
    _positions,
    compose,
    fold,
    inverse,
    join,
    mask_of_places,
    mirrored,
    places_of,
    vocabulary,
)  # fmt: skip
from fabula.world.kinship.family import Family, _couple, largest, members
from fabula.world.kinship.phrases import ARTICLE, Person, names, phrases
from fabula.world.kinship.recipe import KinshipRecipe
from fabula.world.kinship.telling import tell

BASE = vocabulary()
PLACES = _positions()
"""The places of relatives; POSITIONS also has those that were met since."""


# --- positions ----------------------------------------------------------------------------------


def test_positions() -> None:
    assert len(PLACES) == 4 + 8 + 16 + 32 + 64
    assert {"PS", "MP", "SC", "CM"} <= set(PLACES)
    assert "SP" not in PLACES  # a sibling's parent is one's own
    assert all(mirrored(mirrored(place)) == place for place in PLACES)
    assert all(mirrored(place) in PLACES for place in PLACES)


def test_joining_and_going_back() -> None:
    short = [place for place in PLACES if len(place) <= 3]
    for one, two in product(short, repeat=2):
        found = join(one, two)
        assert {mirrored(place) for place in found} == join(mirrored(two), mirrored(one))
        assert "" in join(one, mirrored(one))  # one may come back to where one was


def relatives_of(family: Family, person: int) -> dict[int, str]:
    """Everyone for whom there is a word, with what they are to a person."""
    return {
        other: relation
        for relation in family.pedigree.relations
        for other in members(family.pedigree.relatives(person, relation))
    }


def test_composition_is_never_narrower_than_the_truth() -> None:
    # in large families, every pair of relatives stands where composition says it may
    words = vocabulary(frozenset(OPTIONS))
    for seed in range(3):
        family = Family(stream("f", seed, "", 0, "x"), words, 4, (1, 3), 0.8)
        relatives = [relatives_of(family, a) for a in range(len(family))]
        for a in range(len(family)):
            for b, first in relatives[a].items():
                for c, second in relatives[b].items():
                    if c != a:
                        place = compose(words.mask[first], words.mask[second])
                        known = relatives[a].get(c)
                        assert place == UNKNOWN or known is None or place & words.mask[known]
                        head = words.named(place) if place != UNKNOWN else None
                        assert head is None or known == head


def test_fold_uses_every_bracketing() -> None:
    # my father's mother's son: not my father, since people differ, so an uncle
    chain = [BASE.mask[name] for name in ("parent", "parent", "child")]
    assert places_of(fold(chain)) == ["PS"]
    assert places_of(compose(compose(*chain[:2]), chain[2])) == ["P", "PS"]


def test_unknown_spreads() -> None:
    assert compose(UNKNOWN, 1) == UNKNOWN
    assert inverse(UNKNOWN) == UNKNOWN
    assert mask_of_places(["PPPPPP"]) == UNKNOWN


def test_words() -> None:
    assert len(BASE.words) == 20
    assert len(BASE.rules) == 28
    for words in (BASE, vocabulary(frozenset(OPTIONS))):
        for name, relation in words.relations.items():
            assert inverse(words.mask[name]) == words.mask[relation.mirror]
        masks = list(words.mask.values())
        assert sum(masks) == sum(1 << n for n, p in enumerate(POSITIONS) if p in words.at)
    assert BASE.rules["parent", "sibling"] == "pibling"
    assert ("child", "pibling") not in BASE.rules
    assert ("child", "grandparent") not in BASE.rules


def test_proofs_by_the_rules() -> None:
    assert BASE.prove(["parent"]) == []
    assert BASE.prove(["parent", "sibling"]) == [(0, 1, 2)]
    assert BASE.prove(["child", "pibling"]) is None
    for clause, head in BASE.clauses(4).items():
        place = fold([BASE.mask[name] for name in clause])
        assert not place or BASE.named(place) == head  # nothing: no five people stand like this


# --- families -----------------------------------------------------------------------------------


@pytest.mark.parametrize("generations", [2, 3, 5])
@pytest.mark.parametrize("children", [(1, 1), (2, 4)])
@pytest.mark.parametrize("marriage", [0.0, 0.4, 1.0])
def test_families(generations: int, children: tuple[int, int], marriage: float) -> None:
    family = Family(stream("f", 1, "", 0, "x"), BASE, generations, children, marriage)
    assert len(family) <= largest(generations, children, marriage)
    everyone = (1 << len(family)) - 1
    assert family.men | family.women == everyone
    assert not family.men & family.women
    couples = 0
    relatives = [relatives_of(family, person) for person in range(len(family))]
    for person in range(len(family)):
        assert person not in relatives[person]
        for other, relation in relatives[person].items():
            assert relatives[other][person] == BASE.mirror[relation]
            assert family.relation(person, other) == relation
            if relation == "spouse":
                couples += 1
                assert family.gender(person) != family.gender(other)
    assert couples == 2 * family.pedigree.married
    if marriage == 0:
        assert couples == 2


def test_pedigrees_do_not_depend_on_the_order_of_brothers_and_sisters() -> None:
    draw = stream("f", 0, "", 0, "x")
    texts = Counter(_couple(draw, 3, 2, 3, 1.0) for _ in range(20_000))
    assert 105 <= len(texts) <= 112  # 28 with two children and 84 with three, some of them rare
    assert _couple(draw, 3, 2, 2, 1.0) == "(" + "(" + "(()())" * 2 + ")" + "(" + "(()())" * 2 + "))"
    # two children with three each whose children all have three: 1/2 · (1/2 · 1/8)²
    largest_of_two = "(" + ("(" + "(()()())" * 3 + ")") * 2 + ")"
    assert 15 < texts[largest_of_two] < 70
    family = Family(lambda: 0.0, BASE, 2, (2, 2), 0.5)
    assert (len(family), family.pedigree.married) == (6, 3)


def test_wishes_for_genders() -> None:
    family = Family(stream("f", 3, "", 0, "x"), BASE, 3, (2, 2), 0.6)
    for person in range(len(family)):
        for gender in (MALE, FEMALE):
            assert family.settle([(person, gender)])
            assert family.gender(person) == gender
            for other in members(family.pedigree.relatives(person, "spouse")):
                assert family.gender(other) != gender
                assert not family.settle([(person, gender), (other, gender)])


def test_genders_of_single_children_vary() -> None:
    drawn = Counter(
        Family(stream("f", n, "", 0, "x"), BASE, 2, (1, 1), 0.0).gender(2) for n in range(200)
    )
    assert min(drawn.values()) > 70


# --- phrases ------------------------------------------------------------------------------------

TONGUE = phrases("en")


def test_names() -> None:
    known = names("en")
    male, female = known[MALE], known[FEMALE]
    assert len(male) + len(female) >= 600
    assert len({*male, *female}) == len(male) + len(female)
    words = {word for text in TONGUE.texts() for word in text.lower().replace("-", " ").split()}
    assert not [name for name in (*male, *female) if TONGUE.clash(name) or name.lower() in words]


def test_scenes_name_nobody() -> None:
    taboo = {"he", "she", "him", "his", "her", "hers", *TONGUE.words.words}
    for text in TONGUE.texts():
        assert not taboo & set(text.lower().replace(".", "").replace(",", "").split()), text


OTHERS = re.compile(
    r"\b(?:someone|somebody|nobody|everyone|everybody|anyone|anybody|auctioneer|"
    r"banker|butler|captain|cashier|clairvoyant|clerk|conductor|critic|"
    r"dentist|doctor|driver|exorcist|headmaster|harpist|hypnotist|janitor|"
    r"judge|landlord|librarian|magician|mayor|notary|nurse|officer|optician|"
    r"plumber|porter|priest|professor|referee|snatcher|stranger|surgeon|"
    r"teacher|teller|tenor|vicar|ventriloquist|waiter)\b"
)


def test_his_and_her_can_mean_nobody_else() -> None:
    # 'The vicar fined Ann for a novel that his …' would be the vicar's; two vicars would not
    for kind, groups in TONGUE.bank.items():
        for scene in (group[0] for group in groups):
            before = " ".join(scene.parts[: 1 if kind == "solo" else 2]).lower()
            if kind == "pair" and "masqueraded as" in before:
                continue  # it is the first person
            assert not OTHERS.search(before), scene.parts


def test_no_aside_comes_between_his_and_him() -> None:
    draw = stream("asides", 0, "", 0, "x")
    people = [Person("Ann", FEMALE), Person("Bob", MALE), Person("Cara", FEMALE)]
    asides = set(TONGUE.settings())
    leaning = 0
    for _ in range(3000):
        unit = tell(TONGUE, people, ["sibling", "child"], draw, TONGUE.pools["any"])
        pieces = [f"{piece.rstrip('.')}." for piece in unit.split(". ")]
        for before, sentence in pairwise(pieces):
            _, mentions = TONGUE._scene_of(sentence)
            if mentions and mentions[0].own:
                leaning += 1
                assert before not in asides, unit
    assert leaning > 50


@pytest.mark.parametrize(
    ("unit", "kin", "genders"),
    [
        ("Bob is Ann's uncle.", [("uncle", "Ann", "Bob")], {"Bob": MALE}),
        ("Ann has an uncle called Bob.", [("uncle", "Ann", "Bob")], {"Bob": MALE}),
        (
            "Bob and his niece Ann rode a tandem down the slalom track.",
            [("niece", "Bob", "Ann")],
            {"Bob": MALE, "Ann": FEMALE},
        ),
        (
            "Ann's uncle Bob taught her to lasso bollards behind the gasworks. "
            "His wife Cara had tickets for the semifinal. It was foggy by then.",
            [("uncle", "Ann", "Bob"), ("wife", "Bob", "Cara")],
            {"Ann": FEMALE, "Bob": MALE, "Cara": FEMALE},
        ),
    ],
)
def test_parsing(unit: str, kin: list[tuple[str, ...]], genders: dict[str, str]) -> None:
    meaning = TONGUE.parse(unit)
    assert list(meaning.kin) == kin
    assert dict(meaning.genders) == genders


@pytest.mark.parametrize(
    "unit",
    [
        "Bob likes cheese.",
        "It was foggy by then.",
        "His wife Cara had tickets for the semifinal.",
        "Bob and his brother Carl rode a tandem down the slalom track. "
        "His wife Cara had tickets for the semifinal.",
        "Bob and his brother Carl rode a tandem down the slalom track. "
        "Carl and her nephew Dan rode a tandem down the slalom track.",
        "",
    ],
)
def test_what_is_not_clear_is_refused(unit: str) -> None:
    with pytest.raises(ParseError):
        TONGUE.parse(unit)


def test_pools_share_no_scene() -> None:
    seen, held = TONGUE.pools["seen"], TONGUE.pools["held-out"]
    for kind in ("pair", "solo", "trio", "leads", "asides"):
        first, second = set(getattr(seen, kind)), set(getattr(held, kind))
        if kind in ("leads", "asides"):
            first = {text for group in first for text in group}
            second = {text for group in second for text in group}
        assert not first & second
        assert 0.15 < len(second) / (len(first) + len(second)) < 0.25


def test_plain_sentences() -> None:
    people = [Person("Ann", FEMALE), Person("Bob", MALE)]
    draw = stream("plain", 0, "", 0, "x")
    said = {TONGUE.plain(people, ["pibling"], draw) for _ in range(100)}
    assert len(said) == 4
    assert {TONGUE.parse(text).kin for text in said} == {(("uncle", "Ann", "Bob"),)}


def test_questions() -> None:
    for kind in ("kin", "kin-by-marriage"):
        query = (kind, "Ann", "Bob")
        assert KINSHIP.parse_question("en", KINSHIP.ask("en", query)) == query
    with pytest.raises(ParseError):
        KINSHIP.parse_question("en", "How are Ann and Bob related?")


# --- reading ------------------------------------------------------------------------------------


def test_reading_combines_units_and_asks_for_the_gender() -> None:
    story = ["Ann is Bob's mother.", "Cal's sister is Dee.", "Bob is the brother of Dee."]
    reading = KINSHIP.read("en", story)
    assert reading.find(("kin", "Cal", "Ann")) == Finding(("mother",), [0b1110], "mother")
    assert reading.find(("kin", "Ann", "Cal")) is None  # a son or a daughter
    assert reading.find(("kin", "Ann", "Nobody")) is None
    assert reading.alone(("kin", "Dee", "Ann"), 0b1010) == ("mother",)
    assert reading.alone(("kin", "Dee", "Ann"), 0b0010) is None
    assert reading.signature(("kin", "Cal", "Ann"), 0b1110) == "kin:sister-brother-mother"


# --- recipes ------------------------------------------------------------------------------------


def test_registered() -> None:
    assert WORLDS["kinship"] is KINSHIP


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"words": ["cousins"]}, "Did you mean 'cousin'"),
        ({"targets": ["unkle"]}, "Did you mean 'uncle'"),
        ({"asks": {"kim": 1}}, "unknown question 'kim'"),
        ({"words": ["by-marriage"]}, "can only be asked for by 'kin-by-marriage'"),
        ({"telling": "plain"}, "set group = 1"),
        ({"family": {"children": [3, 2]}}, "is an empty range"),
        ({"family": {"children": [9, 9], "generations": 8}}, "more than 5,000 people"),
        ({"split_overrides": {"tset": {}}}, "Did you mean 'test'"),
        ({"split_overrides": {"test": {"task": []}}}, "Did you mean 'tasks'"),
        ({"language": "xx"}, "no language 'xx'"),
        ({"questions": 2}, "one question"),
        ({"tasks": [{"k": 0}]}, "tasks"),
    ],
)
def test_bad_recipes(keys: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        recipe(**keys)


def test_a_clause_without_room_for_the_noise_gives_way_to_another() -> None:
    # one's child-in-law's parent-in-law leaves no room for two detours
    tasks = [{"k": 2, "noise": ["supporting"]}]
    found = stories(40, targets=["husband", "wife"], tasks=tasks, noise={"supporting": [2, 2]})
    assert Counter(i.answer[0] for i in found) == {"husband": 20, "wife": 20}
    assert all(i.features["noise_facts"] == 4 for i in found)


def test_quotas_are_exact() -> None:
    found = stories(200, tasks=[{"k": 2, "share": 3}, {"k": 5}], targets=["uncle", "wife"])
    assert Counter(i.features["k"] for i in found) == {2: 150, 5: 50}
    assert Counter(i.answer[0] for i in found) == {"uncle": 100, "wife": 100}


@pytest.mark.parametrize("recipe", ["gen-23", "gen-234", "rob-clean", "rob-supporting"])
@pytest.mark.parametrize("split", ["train", "test"])
def test_a_few_stories_ask_for_all_words_alike(recipe: str, split: str) -> None:
    found = Counter(i.answer[0] for i in shipped(f"clutrr/{recipe}", split, 100))
    assert len(found) == 20
    assert max(found.values()) - min(found.values()) <= 2


def test_cells_choose_targets() -> None:
    cells = [{"answers": ["aunt"]}, {"answers": ["son", "nephew"], "share": 2}]
    found = Counter(i.answer[0] for i in stories(90, cells=cells, tasks=[{"k": 4}, {"k": 3}]))
    assert found["aunt"] == 30
    assert found["son"] + found["nephew"] == 60


def test_shipped_sizes() -> None:
    for name in ("gen-23", "gen-234", "rob-clean", "rob-supporting"):
        found = load(f"clutrr/{name}")
        for split, each in (("train", 5000), ("test", 1000)):
            own = found.for_split(split)
            assert isinstance(own, KinshipRecipe)
            assert found.splits[split].size == each * len(own.tasks)


# --- the format ---------------------------------------------------------------------------------


def test_csv_columns() -> None:
    records = [*shipped("clutrr/rob-supporting", "test", 40), *shipped("clutrr/gen-23", "test", 30)]
    rows = clutrr_csv.read(clutrr_csv.text(records))
    assert len(rows) == len(records)
    assert tuple(rows[0]) == ("", *clutrr_csv.COLUMNS)
    for n, (row, record) in enumerate(zip(rows, records, strict=True)):
        assert row[""] == str(n)
        assert ast.literal_eval(row["query"]) == record.query[1:]
        edges, words = ast.literal_eval(row["story_edges"]), ast.literal_eval(row["edge_types"])
        k = record.features["k"]
        assert len(edges) == len(words)
        assert edges[:k] == [(i, i + 1) for i in range(k)]
        assert ast.literal_eval(row["query_edge"]) == (0, k)
        assert row["f_comb"] == "-".join(words[:k])
        proof = ast.literal_eval(row["proof_state"])
        assert len(proof) == k - 1
        assert list(proof[0]) == [(record.query[1], row["target"], record.query[2])]
        people = [pair.split(":")[0] for pair in row["genders"].split(",")]
        assert all(f"[{person}]" in row["story"] for person in people)
        assert all(f"[{person}]" in row["clean_story"] for person in people[: k + 1])
        assert not any(f"[{person}]" in row["clean_story"] for person in people[k + 1 :])
        assert row["task_name"] == f"task_{record.features['task']}"
    assert len({row["id"] for row in rows}) == len(rows)


def test_hub_columns() -> None:
    records = shipped("clutrr/gen-23", "test", 40)
    for row, record in zip(
        clutrr_csv.read(clutrr_csv.text(records, hub=True)), records, strict=True
    ):
        assert tuple(row) == ("", *clutrr_csv.HUB_COLUMNS)
        assert clutrr_csv.LABELS[int(row["target"])] == row["target_text"] == record.answer[0]
    assert len(clutrr_csv.LABELS) == 21
    assert set(BASE.words) < set(clutrr_csv.LABELS)


def test_csv_is_for_kinship_only() -> None:
    from fabula.generation.author import instance

    with pytest.raises(FabulaError, match="kinship"):
        clutrr_csv.columns(instance("actors/mix", "test"))


def test_axioms_are_written_once() -> None:
    assert "Nobody is their own relative" in (algebra.__doc__ or "")


def test_cloze_is_a_rewriting() -> None:
    from fabula.analysis.rewrites import Dropped, rewrite
    from fabula.analysis.verify import objections
    from fabula.generation.author import instance

    records = shipped("clutrr/rob-supporting", "test", 10)
    plain = list(rewrite(records, "cloze"))
    mixed = list(rewrite(records, "cloze", seed=1))
    for made in (*plain, *mixed):
        assert not isinstance(made, Dropped)
        assert not objections(made)
        assert not {name for name, _ in made.features["people"]} - set(" ".join(made.story).replace(
            "'s", "").replace(",", "").replace(".", "").split())  # fmt: skip
    first = plain[0]
    assert not isinstance(first, Dropped)
    units = [
        unit for unit, role in zip(first.story, first.roles, strict=True) if role != "convention"
    ]
    assert "@entity-0" in units[0]
    assert [made.id for made in plain] == [f"{record.id}+cloze" for record in records]
    assert plain != mixed
    (other,) = rewrite([instance("actors/mix", "test")], "cloze")
    assert isinstance(other, Dropped)


@pytest.mark.parametrize(
    ("said", "heard"),
    [("a owl", "an owl"), ("a eulogy", "a eulogy"), ("a one-off", "a one-off"),
     ("a hour", "an hour"), ("A uncle", "An uncle"), ("a uniform", "a uniform")],
)  # fmt: skip
def test_articles_go_by_what_is_heard(said: str, heard: str) -> None:
    assert ARTICLE.sub(r"\1n ", said) == heard
