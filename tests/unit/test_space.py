"""The world of positions: its phrase bank, its reader, its recipes."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabula.core.split import content
from fabula.errors import ParseError, RecipeError
from fabula.generation.author import Author, generate
from fabula.language.conventions import conventions
from fabula.recipe.loading import load
from fabula.world import space
from fabula.world.base import Brief
from fabula.world.findings import Finding
from fabula.world.relations import Graph
from fabula.world.space import SPACE
from fabula.world.space.bank import Phrase
from fabula.world.space.chart import Chart
from fabula.world.space.grid import (
    INVERSE,
    KING,
    PATTERNS,
    ROOM,
    UNITS,
    WORDS,
    vector,
)
from fabula.world.space.language import language
from fabula.world.space.reading import read
from fabula.world.space.recipe import SpaceRecipe

PHRASES = language("en").banks[2].phrases

# A second opinion on what words mean, typed anew: along x, along y.
MEANING = {
    "left": (-1, 0), "right": (1, 0), "west": (-1, 0), "western": (-1, 0), "east": (1, 0),
    "eastern": (1, 0), "up": (0, 1), "above": (0, 1), "top": (0, 1), "upper": (0, 1),
    "higher": (0, 1), "north": (0, 1), "northern": (0, 1), "down": (0, -1), "below": (0, -1),
    "bottom": (0, -1), "lower": (0, -1), "south": (0, -1), "southern": (0, -1),
    "three": (1, 0), "nine": (-1, 0), "twelve": (0, 1), "six": (0, -1),
    "3": (1, 0), "9": (-1, 0), "12": (0, 1), "6": (0, -1),
    "one30": (1, 1), "four30": (1, -1), "seven30": (-1, -1), "ten30": (-1, 1),
}  # fmt: skip
OFFSET = {
    "left": (-1, 0), "right": (1, 0), "above": (0, 1), "below": (0, -1), "upper-left": (-1, 1),
    "upper-right": (1, 1), "lower-left": (-1, -1), "lower-right": (1, -1),
}  # fmt: skip


def second_opinion(phrase: Phrase) -> tuple[int, int]:
    """The offset that a phrase gives its figure, by its words alone."""
    text = phrase.text
    if phrase.kind == "contrast" and "and {ground}" in text:  # of the figure, before that
        text = re.split(r"and \{ground\}", text)[-2].split("{figure}")[-1]
    text = re.sub(r"half past (\w+)", r"\g<1>30", text)
    text = re.sub(
        r"\b(10|1|7|4):30",
        lambda m: {"10": "ten", "1": "one", "7": "seven", "4": "four"}[m[1]] + "30",
        text,
    )
    x = y = 0
    for word in re.findall(r"\w+", re.sub(r"\{\w+\}", "", text)):
        dx, dy = MEANING.get(word, (0, 0))
        x, y = x + dx, y + dy
    # 'B can be found left of A', 'the western neighbour of A is B': the ground is what is placed
    return (-x, -y) if phrase.kind == "converse" else (x, y)


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda p: f"{p.relation}: {p.text}")
def test_a_phrase_means_what_it_is_filed_under(phrase: Phrase) -> None:
    assert second_opinion(phrase) == OFFSET[phrase.relation]


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda p: f"{p.relation}: {p.text}")
def test_a_phrase_parses_back_in_both_directions(phrase: Phrase) -> None:
    tongue = language("en")
    for figure, ground in [("A", "B"), ("B", "A"), ("I", "O"), ("Otto", "Zora"), ("Yusta", "Balu")]:
        said = phrase.text.format(figure=figure, ground=ground)
        assert tongue.parse(said) == (phrase.relation, figure, ground, phrase.kind)
    for figure, ground in [("lamp", "key"), ("key", "lamp")]:
        said = phrase.text.format(figure=f"the {figure}", ground=f"the {ground}")
        relation, *names, _ = tongue.parse(said[0].upper() + said[1:])
        assert WORDS[relation] == UNITS[phrase.relation]
        assert names == [figure, ground]


def test_the_phrase_bank_is_large_and_mirrored() -> None:
    count = Counter(phrase.relation for phrase in PHRASES)
    assert min(count.values()) >= 30
    for relation in UNITS:
        own = [phrase for phrase in PHRASES if phrase.relation == relation]
        assert len({phrase.kind for phrase in own}) >= 8
        assert len({phrase.text for phrase in own}) == len(own)
        mirrored = {p.source for p in PHRASES if p.relation == INVERSE[relation]}
        assert {phrase.source for phrase in own} == mirrored
    assert len({phrase.text for phrase in PHRASES}) == len(PHRASES)
    assert all({"{figure}", "{ground}"} <= set(re.findall(r"\{\w+\}", p.text)) for p in PHRASES)


def test_no_name_is_a_word_of_the_sentences() -> None:
    tongue = language("en")
    words = tongue.vocabulary()
    for names in tongue.names.values():
        assert len(set(names)) == len({name.lower() for name in names}) == len(names)
        assert not {name.lower() for name in names} & words
    assert not [word for word in words if len(word) == 1 and word.isalpha()]
    assert all(len(names) > 26 for key, names in tongue.names.items() if key != "letters")


@pytest.mark.parametrize(
    "sentence",
    ["A is near B.", "A is to the left of A.", "A is to the left.", "", "The A is odd of the B."],
)
def test_what_fits_no_pattern_is_refused(sentence: str) -> None:
    with pytest.raises(ParseError, match="no en sentence pattern fits"):
        language("en").parse(sentence)


def test_the_reader_reads_the_examples_of_the_tasks() -> None:
    story = ["The office is north of the kitchen.", "The garden is south of the kitchen."]
    reading = read("en", story)
    assert reading.find(("what-is", "north", "kitchen")) == Finding(("office",), [0b10], "office")
    assert reading.find(("what-of", "kitchen", "north")) == Finding(("garden",), [0b100], "garden")
    assert reading.find(("what-is", "north", "office")) is None
    assert reading.find(("path", "office", "garden")) == Finding(("s", "s"), [0b110], ("s", "s"))
    figures = read(
        "en",
        [
            "The triangle is above the pink rectangle.",
            "The blue square is to the left of the triangle.",
        ],
    )
    found = figures.find(("yes-no", "right", "pink rectangle", "blue square"))
    assert found is not None
    assert found.answer == ("yes",)


def test_of_two_ways_of_equal_length_none_is_given() -> None:
    square = [
        "The attic is north of the cellar.",
        "The attic is west of the porch.",
        "The cellar is west of the study.",
        "The porch is north of the study.",
    ]
    reading = read("en", square)
    assert reading.find(("path", "attic", "study")) is None
    assert reading.find(("path", "attic", "porch")) == Finding(("e",), [0b100], ("e",))
    assert not read("en", [*square, "The attic is north of the porch."]).chart.sound


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hops": 200}, "names: up to 201 are needed, but there are only 110"),
        ({"phrases": ["clok"]}, "unknown 'clok'.*Did you mean 'clock'"),
        ({"phrases": ["line"]}, "no expression for upper-left"),
        ({"length": 5}, "length"),
        ({"hops": 1, "naming": "", "names": ["left", "lamp"]}, "'left' is"),
        ({"naming": ""}, "give either names or naming"),
        ({"asks": {"relatoin": 1}}, "Did you mean 'relation'"),
        ({"asks": {"what-is": 1}}, "wording = 'compass'"),
        ({"asks": {"yes-no": 1}}, "'answer' works for 'relation' questions only"),
        ({"joined": 1.5}, "joined"),
        ({"steps": [0, 2]}, "is not a number of steps between 1 and 9"),
        ({"noise": {"negation": 3}}, "is not a number of denials between 0 and 2"),
        ({"noise": {"irrelevant": [3, 1]}}, "is not a number of sentences"),
    ],
)
def test_a_bad_recipe_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        load("stepgame/clean", changes)


def test_quotas_follow_the_hops_when_these_are_changed() -> None:
    recipe = load(load("stepgame/clean"), {"hops": [2, 3]})
    assert {cell.support_size for cell in recipe.cells} == {(2, 2), (3, 3)}
    assert len(recipe.cells) == 18


def test_a_tale_that_knows_its_cell_fits_it_at_once() -> None:
    author = Author(load("stepgame/noise"), "train")
    draw = iter([i * 0.6180339887 % 1 for i in range(200_000)]).__next__
    for cell in author.recipe.dealt:
        assert isinstance(author.recipe, SpaceRecipe)
        tale = SPACE.begin(author.recipe, draw, draw, Brief("train", 0, cell))
        tale.advance(1)
        found = [c for c in tale.candidates("relation", draw) if c.answer == cell.answers]
        assert found
        finding = tale.reading.find(found[0].query)
        assert finding is not None
        assert finding.masks[0].bit_count() == cell.support_size[0]


@pytest.mark.parametrize("key", ["joined", "steps"])
def test_compass_recipes_tell_one_step_a_sentence(key: str) -> None:
    with pytest.raises(RecipeError, match="need wording = 'phrases'"):
        load("babi/qa19", {key: 2 if key == "steps" else 0.5})


def test_a_key_at_its_default_leaves_the_digest_alone() -> None:
    plain = load("stepgame/noise")
    unused: list[dict[str, Any]] = [{"joined": 0.0}, {"steps": 1}, {"dimensions": 2}]
    used: list[dict[str, Any]] = [{"joined": 0.1}, {"steps": 2}, {"noise": {"negation": 1}}]
    for change in unused:
        assert load("stepgame/noise", change).digest == plain.digest
    for change in used:
        assert load("stepgame/noise", change).digest != plain.digest


# --- several steps, denials, two links in one sentence, the convention --------------------------

COUNTED, DENIALS = language("en").banks[2].counted, language("en").banks[2].denials
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


@pytest.mark.parametrize("phrase", COUNTED, ids=lambda p: f"{p.relation}: {p.text}")
def test_a_phrase_with_a_number_means_what_it_is_filed_under(phrase: Phrase) -> None:
    relation, count = phrase.relation.split()
    words = re.findall(r"\w+", re.sub(r"\{\w+\}", "", phrase.text))
    numbers = {word for word in words if word in NUMBERS}
    assert numbers == {NUMBERS[int(count) - 1]}
    x = sum(MEANING.get(word, (0, 0))[0] for word in words if word not in NUMBERS)
    y = sum(MEANING.get(word, (0, 0))[1] for word in words if word not in NUMBERS)
    assert (x, y) == OFFSET[relation]
    for a, b in [("A", "B"), ("Otto", "Zora")]:
        said = phrase.text.format(figure=a, ground=b)
        assert language("en").statements(said) == ((relation, a, b, "distance", int(count)),)
    said = phrase.text.format(figure="the lamp", ground="the key")
    said = said[0].upper() + said[1:]
    assert language("en").statements(said) == ((relation, "lamp", "key", "distance", int(count)),)
    with pytest.raises(ParseError):
        language("en").parse(said)


@pytest.mark.parametrize("phrase", DENIALS, ids=lambda p: f"{p.relation}: {p.text}")
def test_a_denial_is_parsed_back(phrase: Phrase) -> None:
    pattern = phrase.relation.removeprefix("not ")
    for a, b in [("A", "B"), ("Otto", "Zora")]:
        said = phrase.text.format(figure=a, ground=b)
        assert language("en").statements(said) == ((pattern, a, b, "denial", 0),)
    said = phrase.text.format(figure="the lamp", ground="the key")
    said = said[0].upper() + said[1:]
    assert language("en").statements(said) == ((pattern, "lamp", "key", "denial", 0),)
    words = re.findall(r"\w+", re.sub(r"\{\w+\}", "", phrase.text))
    assert "not" in words
    x, y = (sum(MEANING.get(word, (0, 0))[axis] for word in words) for axis in (0, 1))
    assert (x, y) == (PATTERNS[pattern][0], PATTERNS[pattern][1])


def test_any_two_halves_make_a_sentence_that_is_parsed_back() -> None:
    tongue = language("en")
    halves = [(r, n, t) for r in UNITS for n in (1, 3) for t in tongue.joins(r, (), n)]
    assert len(halves) > 120
    for i, (first, count, text) in enumerate(halves):
        second, count2, text2 = halves[(i * 7 + 3) % len(halves)]
        for a, b, c in [("Otto", "Nina", "Max"), ("A", "I", "O"), ("lamp", "key", "cup")]:
            said = tongue.both(tongue.fill(text, a, b), tongue.fill(text2, c, b))
            one, other = tongue.statements(said)
            assert (WORDS[one[0]], *one[1:3], one[4]) == (WORDS[first], a, b, count)
            assert (WORDS[other[0]], *other[1:3], other[4]) == (WORDS[second], c, b, count2)
            assert said.count(".") == 1


def test_two_places_of_one_figure_are_parsed_back() -> None:
    tongue = language("en")
    said = tongue.share("Otto", ("left", 1, "Nina"), ("above", 3, "Max"))
    assert said == "Otto is to the left of Nina and three steps above Max."
    assert read("en", [said]).facts() == [(("left", "Otto", "Nina"), ("above", "Otto", "Max", "3"))]
    for first in UNITS:
        for second in UNITS:
            for a, b, c in [("Otto", "Nina", "Max"), ("lamp", "key", "cup")]:
                said = tongue.share(a, (first, 1, b), (second, 1, c))
                (facts,) = read("en", [said]).facts()
                assert facts == ((first, a, b), (second, a, c))


def test_a_sentence_that_tells_two_things_is_one_sentence_of_a_support() -> None:
    story = ["A is to the left of B and above C.", "D is below C, and E lies above B."]
    reading = read("en", story)
    found = reading.find(("relation", "B", "D"))
    assert found == Finding(("upper-right",), [0b110], "upper-right")
    assert reading.stands(("relation", "B", "D"), "upper-right", 0b110)
    assert reading.find(("relation", "B", "C")) == Finding(("upper-right",), [0b10], "upper-right")
    assert not reading.stands(("relation", "B", "C"), "upper-right", 0b110)


def test_the_convention_is_no_fact() -> None:
    for sentence in conventions("en", "space").values():
        assert read("en", [sentence]).facts() == [()]


def test_a_denial_proves_no_and_moves_along_a_chain() -> None:
    story = ["A is not directly to the left of B.", "B is to the right of C."]
    reading = read("en", story)
    no = Finding(("no",), [0b10], "no")
    assert reading.find(("yes-no", "directly-left", "A", "B")) == no
    assert reading.find(("yes-no", "directly-right", "B", "A")) == no
    assert reading.find(("yes-no", "directly-above", "A", "B")) is None
    assert reading.find(("yes-no", "left", "A", "B")) is None  # in another row it may be
    assert reading.find(("yes-no", "directly-left", "A", "C")) == Finding(("no",), [0b110], "no")
    assert reading.find(("yes-no", "overlap", "A", "C")) == Finding(("no",), [0b110], "no")
    assert reading.find(("yes-no", "directly-right", "A", "C")) is None
    assert reading.find(("relation", "A", "B")) is None
    told = [*story, "A is to the left of B."]
    assert read("en", told).find(("relation", "A", "B")) is None  # a contradiction


def test_which_names_all_whose_place_is_known() -> None:
    story = ["A is to the left of X.", "B is above A.", "C is below X.", "Q is to the left of R."]
    reading = read("en", story)
    assert reading.find(("which", "left", "X")) == Finding(("A", "B"), [0b110], ("A", "B"))
    assert reading.find(("which", "upper-left", "X")) == Finding(("B",), [0b110], ("B",))
    assert reading.find(("which", "directly-left", "X")) == Finding(("A",), [0b10], ("A",))
    assert reading.find(("which", "right", "X")) is None
    assert reading.stands(("which", "left", "X"), ("A", "B"), 0b110)
    assert not reading.stands(("which", "left", "X"), ("A", "B"), 0b10)


def test_the_story_of_the_documentation() -> None:
    lines = [line.strip() for line in (space.__doc__ or "").splitlines()]
    story = [line[2:] for line in lines[10:] if re.match(r"[1-4] [A-Z]", line)]
    reading = read("en", story)
    asked = {
        "What is the relation of the agent Nina to the agent Edith?": (("upper-right",), 0b110),
        "Is Karl directly to the left of Edith?": (("no",), 0b1000),
        "Is Nina directly above Edith?": (("no",), 0b110),
        "Which agents are anywhere to the left of Theo?": (("Edith", "Nina"), 0b110),
        "Following the relations as told, by which steps does one get from Edith to Edgar?": (
            ("right", "right", "right", "up"),
            2,
        ),
        "How many steps is Nina away from Edith, if steps may be diagonal?": (("3",), 0b110),
    }
    for question, (answer, mask) in asked.items():
        query = SPACE.parse_question("en", question)
        finding = reading.find(query)
        assert finding is not None, question
        assert (finding.answer, finding.masks) == (answer, [mask]), question
        assert reading.stands(query, finding.conclusion, mask)
        assert question in (space.__doc__ or "")


def test_the_kinds_of_question_are_equally_frequent() -> None:
    found = Counter(i.query[0] for i in generate("stepgame/plus", "train", seed=1, size=500))
    assert len(found) == 5
    assert min(found.values()) > 60


def test_the_way_in_steps() -> None:
    story = ["A is three steps above B.", "C lies to the lower left of B."]
    reading = read("en", story)
    way = ("down", "down", "down", "down-left")
    assert reading.find(("path", "steps", "A", "C")) == Finding(way, [0b110], way)
    assert reading.find(("how-far", "A", "C")) == Finding(("4",), [0b110], "4")
    assert reading.stands(("path", "steps", "A", "C"), way, 0b110)
    assert reading.stands(("how-far", "A", "C"), "4", 0b110)
    loop = [
        "A is above B.",
        "C lies to the left of B.",
        "D lies to the left of A.",
        "C is below D.",
    ]
    assert read("en", loop).find(("path", "steps", "A", "C")) is None


def test_quotas_count_hops_also_where_sentences_are_joined() -> None:
    changes: dict[str, Any] = {"joined": 0.5, "hops": [2, 4], "split_overrides": {}}
    found = list(generate("stepgame/clean", "train", seed=2, size=54, **changes))
    assert Counter(i.features["chain"] for i in found) == {2: 18, 3: 18, 4: 18}
    assert any(len(i.support) < i.features["chain"] for i in found)
    assert Counter(i.answer for i in found).most_common()[-1][1] == 6


def shares(name: str, count: int, key: Any, **changes: Any) -> dict[Any, float]:
    found = Counter(key(i) for i in generate(name, "train", seed=1, size=count, **changes))
    return {value: number / count for value, number in found.items()}


def test_released_shares() -> None:
    def middle(i: Any) -> bool:
        told = [set(fact[1:]) for (fact,) in i.facts]
        return (i.query[2] if i.query[0] == "what-is" else i.query[1]) in told[0] & told[1]

    found = shares("babi/qa4", 1500, middle, dialect="release")
    assert found[True] == pytest.approx(2 / 3, abs=0.04)

    def degrees(i: Any) -> tuple[int, ...]:
        return tuple(sorted(Counter(n for (f,) in i.facts for n in f[1:]).values(), reverse=True))

    found = shares("babi/qa19", 1500, degrees, dialect="release")
    assert found[3, 2, 2, 1, 1, 1] == pytest.approx(0.65, abs=0.05)
    assert found[3, 3, 1, 1, 1, 1] == pytest.approx(0.21, abs=0.04)
    assert found[4, 2, 1, 1, 1, 1] == pytest.approx(0.14, abs=0.04)
    assert len(shares("babi/qa19", 600, lambda i: i.answer, dialect="release")) == 12

    def aligned(i: Any) -> bool:
        first, second = (i.features["coordinates"][name] for name in i.query[2:])
        axis = 0 if i.query[1] in ("left", "right") else 1
        return bool(first[axis] == second[axis])

    found = shares("babi/qa17", 2400, aligned, dialect="release")
    assert found[True] == pytest.approx(0.11, abs=0.03)
    found = shares("babi/qa17", 2400, lambda i: i.answer, dialect="release")
    assert found["yes",] == pytest.approx(0.5, abs=0.04)


def test_original_noise_has_the_published_amounts() -> None:
    means: Counter[str] = Counter()
    stories = list(islice(generate("stepgame/compat", "train", seed=1, hops=7), 600))
    for instance in stories:
        means.update(role for role in instance.roles if role in ("supporting", "disconnected"))
        assert instance.features["chain"] == 7
    assert means["supporting"] / 600 == pytest.approx(2.86, abs=0.25)
    assert means["disconnected"] / 600 == pytest.approx(1.5, abs=0.15)
    assert sum(len(i.story) for i in stories) / 600 == pytest.approx(13.3, abs=0.4)


# --- depth ------------------------------------------------------------------------------------

DEEP = language("en").banks[3]
# A second opinion on the words of stories with depth, typed anew: across, upright, towards you.
DEEP_MEANING = {
    "left": (-1, 0, 0), "right": (1, 0, 0), "above": (0, 1, 0), "up": (0, 1, 0),
    "higher": (0, 1, 0), "below": (0, -1, 0), "down": (0, -1, 0), "lower": (0, -1, 0),
    "front": (0, 0, 1), "nearer": (0, 0, 1), "behind": (0, 0, -1), "back": (0, 0, -1),
    "farther": (0, 0, -1),
}  # fmt: skip


def deep_opinion(phrase: Phrase) -> tuple[int, int, int]:
    """The offset that a phrase gives its figure, by its words alone."""
    words = re.findall(r"\w+", re.sub(r"\{\w+\}", "", phrase.text))
    x, y, z = (sum(DEEP_MEANING.get(word, (0, 0, 0))[axis] for word in words) for axis in range(3))
    return (-x, -y, -z) if phrase.kind == "converse" else (x, y, z)


def test_a_phrase_with_depth_means_what_it_is_filed_under_and_is_parsed_back() -> None:
    tongue = language("en")
    for phrase in DEEP.phrases:
        assert vector(*deep_opinion(phrase)) == WORDS[phrase.relation], phrase
        for a, b in [("Otto", "Zora"), ("A", "I"), ("I", "A")]:
            told = tongue.parse(phrase.text.format(figure=a, ground=b))
            assert told[:3] == (phrase.relation, a, b)
        said = phrase.text.format(figure="the lamp", ground="the key")
        assert tongue.parse(said[0].upper() + said[1:])[:3] == (phrase.relation, "lamp", "key")
    for phrase in DEEP.counted:
        relation, count = phrase.relation.split()
        assert vector(*deep_opinion(phrase)) == WORDS[relation]
        said = phrase.text.format(figure="Otto", ground="Zora")
        assert f" {NUMBERS[int(count) - 1]} steps " in said
        assert tongue.statements(said) == ((relation, "Otto", "Zora", "distance", int(count)),)
    for phrase in DEEP.denials:
        said = phrase.text.format(figure="Otto", ground="Zora")
        region = phrase.relation.removeprefix("not ")
        assert tongue.statements(said) == ((region, "Otto", "Zora", "denial", 0),)


def test_the_phrases_with_depth_are_many_for_every_relation() -> None:
    count = Counter(phrase.relation for phrase in DEEP.phrases)
    assert set(count) == set(ROOM.units)
    assert min(count.values()) >= 15
    assert len({phrase.kind for phrase in DEEP.phrases}) >= 6
    assert len({phrase.text for phrase in DEEP.phrases}) == len(DEEP.phrases)


def test_no_sentence_means_one_thing_on_the_page_and_another_in_a_room() -> None:
    flat = {phrase.text: phrase.relation for phrase in PHRASES}
    for phrase in DEEP.phrases:
        assert flat.get(phrase.text, phrase.relation) == phrase.relation


def test_records_of_deep_stories_have_three_coordinates() -> None:
    for found in generate("stepgame/deep", "train", seed=1, size=54):
        places = found.features["coordinates"]
        assert {len(place) for place in places.values()} == {3}
        assert any("above and below are heights" in sentence for sentence in found.story)
        assert found.choices is not None
        assert len(found.choices) == 27
        for ((relation, figure, ground),) in filter(None, found.facts):
            gap = [a - b for a, b in zip(places[figure], places[ground], strict=True)]
            assert vector(*gap) == WORDS[relation]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dimensions": 4}, "dimensions"),
        ({"phrases": ["clock"]}, "phrases: unknown 'clock'"),
        ({"noise": {"original": True}}, "the published noise is flat"),
        ({"noise": {"supporting": 9}}, "at most 6 sentences"),
        ({"wording": "sides", "names": ["lamp", "key"], "naming": ""}, "wording = 'phrases'"),
    ],
)
def test_a_bad_recipe_with_depth_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        load("stepgame/deep", changes)


@pytest.mark.parametrize("name", ["stepgame/clean", "stepgame/noise", "stepgame/deep"])
def test_stories_are_drawn_for_their_split(name: str) -> None:
    def facts(split: str) -> set[str]:
        found = set()
        for one in generate(name, split, seed=1, size=300, hops=1, split_overrides={}):
            told = [" ".join(SPACE.canonical(one.facts[n - 1][0])) for n in one.support]
            found.add(content(told, one.query))
        return found

    train, test = facts("train"), facts("test")
    assert len(train) > 250
    assert not train & test


LINKS = st.lists(
    st.tuples(st.sampled_from("ABCDEF"), st.integers(-1, 1), st.sampled_from("ABCDEF")).filter(
        lambda link: link[0] != link[2]
    ),
    min_size=1,
    max_size=9,
)


@settings(max_examples=300, deadline=None)
@given(LINKS, st.integers(0, 1023))
def test_the_chart_knows_what_the_graph_finds(links: list[tuple[str, int, str]], some: int) -> None:
    chart, graph = Chart(), Graph(KING)
    for number, (subject, relation, other) in enumerate(links, 1):
        chart.add(1 << number, subject, relation, other)
        graph.add(number, subject, relation, other)
    assert chart.sound == (graph.frame(0) is not None)
    mask = some & (1 << len(links) + 1) - 2
    for start, goal in permutations("ABCDEF", 2):
        assert chart.path(mask, start, goal) == (graph.path(mask, start, goal) or None)
        if not chart.sound:
            continue
        settled = graph.settled(start, goal)
        assert chart.gap(start, goal) == (None if settled is None else settled[0])
        assert chart.ways(start, goal) == ([] if settled is None else settled[1])
        assert chart.alone(mask, start, goal) == graph.alone(mask, start, goal)


@pytest.mark.parametrize("split", ["train", "valid", "test"])
def test_all_lengths_come_equally_often_among_published_noise(split: str) -> None:
    chains = Counter(one.features["chain"] for one in generate("stepgame/compat", split, size=800))
    assert set(chains) == set(range(1, 11))
    assert max(chains.values()) < 1.7 * min(chains.values())
