"""Conventions: stated where a model reads, in every language; named where an answer needs them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.analysis.rewrites import rewrite
from fabula.analysis.verify import objections, verify
from fabula.core.instance import Instance
from fabula.datasets.engines import write
from fabula.datasets.formats import babi
from fabula.generation.author import Author, generate, instance
from fabula.language.catalogue import codes, native, tongue_for
from fabula.language.conventions import conventions, sentences
from fabula.prompting.prompt import forms, prompt, styles
from fabula.recipe.loading import load
from fabula.world import WORLDS
from fabula.world.space.grid import WORDS, xyz
from fabula.world.space.language import language

VARIANTS = list(variants())
IN_STORY = [
    "babi/qa4", "babi/qa16", "babi/qa17", "babi/qa18", "babi/qa19", "babi/qa20", "stepgame/clean",
    "stepgame/noise", "stepgame/plus", "stepgame/deep", "clutrr/gen-23", "clutrr/gen-234",
    "clutrr/rob-clean", "clutrr/rob-irrelevant", "clutrr/rob-supporting", "clutrr/rob-disconnected",
]  # fmt: skip


def sample(variant: Variant, size: int = 4) -> list[Instance]:
    recipe = load(variant.recipe, {"dialect": variant.dialect} if variant.dialect else None)
    return list(Author(recipe, sample_split(variant), 3).instances(0, size))


# --- where they are stated ------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_whatever_an_answer_relies_on_is_stated_where_a_model_reads(variant: Variant) -> None:
    for record in sample(variant):
        made = record.provenance["conventions"]
        told = sentences("en", record.provenance["world"], made["names"])
        assert set(record.features["conventions"]) <= set(made["names"])
        for style in styles():
            for form in forms():
                asked = prompt(record, style, form=form)
                assert all(asked.count(sentence) == 1 for sentence in told)
        shift = len(told) if made["stated"] == "story" else 0
        assert record.story[:shift] == tuple(told[:shift])
        assert record.roles.count("convention") == shift
        assert record.facts[:shift] == ((),) * shift
        assert all(number > shift for support in record.supports for number in support)


def test_our_own_recipes_state_them_in_the_story_and_published_dialects_in_the_prompt() -> None:
    for variant in VARIANTS:
        recipe = load(variant.recipe, {"dialect": variant.dialect} if variant.dialect else None)
        published = variant.dialect in ("release", "published", "clean") or "compat" in recipe.id
        wanted = variant.recipe in IN_STORY and not published
        assert recipe.conventions == ("story" if wanted else "prompt"), variant


@pytest.mark.parametrize("recipe", [*IN_STORY, "babi/qa3", "actors/mix", "dyna/mix-t7"])
def test_stating_them_in_the_story_changes_nothing_else(recipe: str) -> None:
    told, asked, neither = (
        list(generate(recipe, "test", seed=2, size=5, conventions=where))
        for where in ("story", "prompt", "none")
    )
    for one, other, third in zip(told, asked, neither, strict=True):
        shift = one.roles.count("convention")
        assert shift > 0
        assert one.story[shift:] == other.story == third.story
        assert one.facts[shift:] == other.facts
        assert one.roles[shift:] == other.roles
        assert [[n - shift for n in support] for support in one.supports] == [
            list(support) for support in other.supports
        ]
        assert one.features == other.features == third.features
        assert (one.query, one.answer, one.signature) == (
            other.query, other.answer, other.signature
        )  # fmt: skip
        first = sentences("en", one.provenance["world"], one.provenance["conventions"]["names"])[0]
        assert first in prompt(one)
        assert first in prompt(other)
        assert first not in prompt(third)


@pytest.mark.parametrize("world", WORLDS)
def test_every_language_of_a_world_states_them(world: str) -> None:
    for code in codes(world):
        speaks = tongue_for(world, code)
        if speaks is None:
            continue
        speaks = speaks.begin()
        own = list(conventions(native(code, world), world).values())
        told = speaks.tell(own)
        assert speaks.hear(told) == own
        assert code == "symbolic" or not set(told) & set(own)
        if code == "hi-Deva":
            assert not re.search("[A-Za-z]", "".join(told))


@pytest.mark.parametrize("where", ["story", "prompt"])
@pytest.mark.parametrize("code", ["hi", "hi-Deva", "shuffled", "symbolic"])
@pytest.mark.parametrize("recipe", ["babi/qa16", "babi/qa17", "babi/qa18", "babi/qa20"])
def test_other_languages_are_proven_too(recipe: str, code: str, where: str) -> None:
    for record in generate(recipe, "test", seed=4, size=3, language=code, conventions=where):
        assert objections(record) == []
        own = instance(recipe, "test", record.provenance["index"], 4, conventions=where)
        assert record.features == own.features
        assert record.supports == own.supports
        names = record.provenance["conventions"]["names"]
        lines = prompt(record).split("\n\n")
        at = 1 if where == "story" else 0
        assert len(re.findall(r"[.।](?=\s|$)", lines[at])) >= len(names)


def test_symbolic_stories_give_letters_to_what_moods_are_about() -> None:
    record = instance("babi/qa20", "test", 1, language="symbolic")
    letters = record.provenance["letters"]
    found = re.fullmatch(
        r"Whoever is (\w+) goes to the (\w+) and gets the (\w+)\.", record.story[0]
    )
    assert found is not None
    assert [letters[letter] for letter in found.groups()] == ["hungry", "kitchen", "apple"]


def test_text_files_have_them_as_first_lines(tmp_path: Path) -> None:
    for recipe in ("babi/qa16", "babi/qa20", "stepgame/plus"):
        out = tmp_path / recipe.replace("/", "-")
        write(load(recipe), out, {"test": 10}, seed=5, form="babi")
        (file,) = out.glob("*.txt")
        verdict = verify(file)
        assert verdict.proven == verdict.instances == 10
        for story in babi.read(file):
            assert story.sentences[0] in conventions("en", load(recipe).world).values()
        assert "## Conventions" in (out / "README.md").read_text()


def test_the_card_says_what_is_relied_on_and_how_often(tmp_path: Path) -> None:
    for where, said in (("story", "Every story begins"), ("prompt", "The stories do not state")):
        out = tmp_path / where
        write(load("babi/qa16", {"conventions": where}), out, {"test": 10}, seed=5)
        text = (out / "README.md").read_text()
        assert said in text
        assert f"| `induction` | {conventions('en', 'kinds')['induction']} | 100.0% |" in text


# --- what they must not disturb -------------------------------------------------------------------


def test_rewrites_leave_them_first_and_uncounted() -> None:
    sources = list(generate("stepgame/noise", "test", seed=6, size=4))
    stated = sources[0].roles.count("convention")
    for how, options in (
        ("bare", {}),
        ("gathered", {}),
        ("padded", {"length": 30, "filler": True}),
    ):
        for source, made in zip(sources, rewrite(sources, how, **options), strict=True):
            assert isinstance(made, Instance)
            assert objections(made) == []
            assert made.story[:stated] == source.story[:stated]
            assert made.roles.count("convention") == stated
            assert made.features["sentences"] == len(made.story) - stated
            # noise may tell what a convention would; without it the answer relies on more
            assert set(made.features["conventions"]) >= set(source.features["conventions"])


def test_verification_refuses_a_record_that_names_others() -> None:
    record = next(
        r for r in generate("stepgame/clean", "test", seed=1) if r.features["conventions"]
    )
    assert objections(record) == []
    less = replace(record, features={**record.features, "conventions": []})
    assert any("relies on" in reason for reason in objections(less))
    unstated = {**record.provenance, "conventions": {"stated": "prompt", "names": []}}
    assert any(
        "does not state" in reason for reason in objections(replace(record, provenance=unstated))
    )


# --- what answers rely on -------------------------------------------------------------------------

PARK = ["Mary went to the park.", "John went to the office."]
CASES: list[tuple[str, list[str], str, tuple[str, ...]]] = [
    ("actors", PARK, "Where is Mary?", ("nothing-untold",)),
    ("actors", PARK, "Where is John?", ()),
    ("actors", PARK, "Is Mary in the office?", ("nothing-untold",)),
    ("actors", ["Mary took the milk."], "What is Mary carrying?", ("nothing-else",)),
    (
        "actors",
        ["Mary is either in the park or the office."],
        "Is Mary in the park?",
        ("maybe",),
    ),
    ("actors", ["Mary gave the milk to John.", *PARK], "Who gave the milk to John?", ()),
    (
        "actors",
        [
            "Mary took the milk.",
            *(f"Mary went to the {x}." for x in ("hall", "park", "den", "park")),
        ],
        "Where was the milk before the park?",
        ("nothing-untold", "latest-visit"),
    ),
    (
        "actors",
        ["Mary took the milk.", *(f"Mary went to the {x}." for x in ("hall", "park"))],
        "Where was the milk before the park?",
        ("nothing-untold",),
    ),
    ("actors", ["Mary is cold."], "Where will Mary go?", ("mood-cold",)),
    (
        "actors",
        ["Mary is tired.", "Mary went to the bedroom."],
        "Why did Mary go to the bedroom?",
        ("mood-tired",),
    ),
    ("kinds", ["Lily is a swan.", "Lily is white."], "What color is Lily?", ()),
    (
        "kinds",
        ["Lily is a swan.", "Greg is a swan.", "Greg is white."],
        "What color is Lily?",
        ("induction",),
    ),
    (
        "sizes",
        ["The tin fits inside the box.", "The box fits inside the crate."],
        "Does the tin fit in the crate?",
        (),
    ),
    (
        "sizes",
        ["The tin fits inside the box.", "The crate is bigger than the box."],
        "Does the tin fit in the crate?",
        ("smaller-fits",),
    ),
    (
        "sizes",
        ["The tin fits inside the box.", "The crate is bigger than the box."],
        "Is the crate bigger than the tin?",
        (),
    ),
    (
        "sizes",
        ["The tin fits inside the box.", "The crate is bigger than the box."],
        "Does the crate fit in the tin?",
        (),
    ),
    (
        "space",
        ["The hall is north of the den.", "The den is north of the park."],
        "How do you go from the hall to the park?",
        ("unit-step", "straight"),
    ),
    (
        "space",
        ["The hall is north of the den.", "The den is west of the park."],
        "How do you go from the hall to the park?",
        ("unit-step", "straight", "told-ways"),
    ),
    (
        "space",
        ["Ada is to the left of Emil.", "Emil is to the right of Otto."],
        "What is the relation of the agent Ada to the agent Otto?",
        ("unit-step", "straight"),
    ),
    (
        "space",
        ["Ada is to the upper left of Emil.", "Emil is to the upper left of Otto."],
        "What is the relation of the agent Ada to the agent Otto?",
        (),
    ),
    (
        "space",
        ["Ada is to the upper left of Emil.", "Otto is to the upper left of Hugo."],
        "Which agents are anywhere to the left of Emil?",
        ("told-places",),
    ),
    (
        "kinship",
        ["Ann is Bob's daughter.", "Cid is Ann's father.", "Eve is Bob's daughter."],
        "What is Eve to Ann? Eve is Ann's ...",
        (),
    ),
    (
        "kinship",
        ["Ann is Bob's daughter. Eve is Ann's mother."],
        "What is Eve to Bob? Eve is Bob's ...",
        ("married-parents",),
    ),
    (
        "kinship",
        ["Ann is Bob's wife. Eve is Ann's daughter."],
        "What is Eve to Bob? Eve is Bob's ...",
        ("shared-children",),
    ),
]


@pytest.mark.parametrize(("name", "story", "question", "wanted"), CASES)
def test_an_answer_relies_on(
    name: str, story: list[str], question: str, wanted: tuple[str, ...]
) -> None:
    world = WORLDS[name]
    for told in (story, [*conventions("en", name).values(), *story]):
        reading = world.read("en", told)
        query = world.parse_question("en", question)
        finding = reading.find(query)
        assert finding is not None
        assert world.relies(reading, query, finding.answer, finding.masks) == wanted


# --- no sentence contradicts them -----------------------------------------------------------------

AXES = {
    0: "left right west east western eastern",
    1: "above below up down top bottom upper lower higher north south northern southern",
    2: "front behind back nearer farther",
}
HOUR = re.compile(r"at (half past \w+|nine|three|twelve|six|\d+(?::30)?)(?=[.,])")
STRAIGHT = {
    hour: {axis}
    for axis, hours in ((0, "nine three 9 3"), (1, "twelve six 12 6"))
    for hour in hours.split()
}
NUMBERS = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine) (?:diagonal )?(?:steps|rows|columns)"
)


def named_axes(text: str) -> set[int]:
    """The axes along which a sentence names a direction, by its words alone."""
    found = set()
    for hour in HOUR.findall(text):
        found |= STRAIGHT.get(hour, {0, 1})
    words = set(re.findall("[a-z]+", HOUR.sub("", text).lower()))
    return found | {axis for axis, known in AXES.items() if words & set(known.split())}


def test_a_phrase_names_just_the_directions_in_which_its_things_differ() -> None:
    for dimensions, bank in language("en").banks.items():
        for phrase in (*bank.phrases, *bank.counted):
            relation = phrase.relation.partition(" ")[0]
            text = phrase.text.replace("{figure}", "Xx").replace("{ground}", "Yy")
            wanted = {axis for axis, part in enumerate(xyz(WORDS[relation])) if part}
            assert named_axes(text) == wanted, (dimensions, text, relation)


@pytest.mark.parametrize(("recipe", "changes"), [
    ("stepgame/plus", {}), ("stepgame/deep", {"dialect": "plus"}), ("stepgame/noise", {}),
])  # fmt: skip
def test_no_sentence_contradicts_a_stated_convention(recipe: str, changes: dict[str, Any]) -> None:
    tongue = language("en")
    checked = 0
    for record in generate(recipe, "train", seed=11, size=2000, **changes):
        for sentence, role in zip(record.story, record.roles, strict=True):
            said = [told for told in tongue.statements(sentence) if told.steps]
            if role == "convention" or not said:
                continue
            checked += 1
            # straight: things differ in the directions that are named, and in no other
            differs = {
                axis for told in said for axis, d in enumerate(xyz(WORDS[told.relation])) if d
            }
            names = {name for told in said for name in (told.figure, told.ground)}
            bare = re.sub("|".join(rf"\b{name}\b" for name in names), "Xx", sentence)
            assert named_axes(bare) == differs, sentence
            # unit-step: more than one step is told with a number
            counted = sum(told.steps > 1 for told in said)
            assert bool(counted) == bool(NUMBERS.search(sentence)), sentence
    assert checked > 4000
