"""Rewrites keep answers proven, say what they did, and drop what they cannot keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.analysis.rewrites import OPERATIONS, Dropped, rewrite
from fabula.analysis.rewrites.telling import count_tokens
from fabula.analysis.rewrites.text import injected, published
from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.datasets.formats import babi
from fabula.errors import FabulaError
from fabula.language import language
from fabula.language.filler import fillers, unseen
from fabula.recipe.loading import load, recipe_ids

HERE = set(OPERATIONS) - {"cloze", "flip", "hold"}  # for kinship; in test_contrast.py
OPTIONS: dict[str, dict[str, Any]] = {"padded": {"length": 30}, "trimmed": {"tokens": 100}}


@pytest.fixture(scope="module")
def mixed() -> list[Instance]:
    return list(fabula.generate("dyna/mix-t12", "test", size=48))


def made(instances: list[Instance], name: str, **options: Any) -> list[Instance]:
    return [each for each in rewrite(instances, name, **options) if isinstance(each, Instance)]


@pytest.mark.parametrize("name", sorted(HERE))
def test_what_is_rewritten_is_proven(name: str, mixed: list[Instance]) -> None:
    found = made(mixed, name, **OPTIONS.get(name, {}))
    assert found
    for each in found[:12]:
        assert objections(each) == []
        assert each.provenance["rewrite"].startswith(name)
        assert each.provenance["of"] in {source.id for source in mixed}
        assert each.id != each.provenance["of"]
    assert len({each.id for each in found}) == len(found)


@pytest.mark.parametrize("name", sorted(HERE - {"twin", "exhaustive", "renamed"}))
def test_telling_otherwise_keeps_question_and_answer(name: str, mixed: list[Instance]) -> None:
    sources = {each.id: each for each in mixed}
    for each in made(mixed, name, **OPTIONS.get(name, {})):
        source = sources[each.provenance["of"]]
        assert (each.query, each.answer) == (source.query, source.answer)


def test_the_twin_of_a_yes_is_the_place(mixed: list[Instance]) -> None:
    yes = [each for each in mixed if each.query[0] == "yes-no" and each.answer == ("yes",)]
    twins = made(mixed, "twin")
    assert len(twins) == len(yes) > 0
    for twin, source in zip(twins, yes, strict=True):
        assert twin.query == ("where-person", source.query[1])
        assert twin.answer == (source.query[2],)
        assert twin.choices is not None
        assert twin.answer[0] in twin.choices


def test_exhaustive_asks_the_source_too(mixed: list[Instance]) -> None:
    for source in mixed[:8]:
        asked = {each.query: each.answer for each in made([source], "exhaustive")}
        assert asked[source.query] == source.answer
    assert {each.query[0] for each in made(mixed[:4], "exhaustive", kinds=["list"])} == {"list"}


def test_bare_is_the_support(mixed: list[Instance]) -> None:
    for each, source in zip(made(mixed, "bare"), mixed, strict=True):
        assert each.story == tuple(source.story[n - 1] for n in sorted(source.support))
        # without gaps between its sentences, a story may be proven by fewer of them
        assert each.features["distractors"] == len(source.support) - len(each.support)


def test_gathered_ends_with_the_support(mixed: list[Instance]) -> None:
    results = list(rewrite(mixed, "gathered"))
    kept = [each for each in results if isinstance(each, Instance)]
    dropped = [each for each in results if isinstance(each, Dropped)]
    sources = {each.id: each for each in mixed}
    assert kept
    assert dropped  # some would say something else
    for each in kept:
        source = sources[each.provenance["of"]]
        end = [source.story[n - 1] for n in sorted(source.support)]
        assert list(each.story[-len(end) :]) == end
        assert sorted(each.story) == sorted(source.story)


@pytest.mark.parametrize("filler", [False, True])
def test_padded_has_the_length_and_keeps_the_order(filler: bool, mixed: list[Instance]) -> None:
    for each, source in zip(
        made(mixed[:12], "padded", length=400, filler=filler), mixed, strict=False
    ):
        assert len(each.story) == 400
        rest = iter(each.story)
        assert all(sentence in rest for sentence in source.story)
        assert ("filler" in each.roles) == filler
        assert each.support != source.support or each.story[:20] == source.story


def test_padding_depends_on_the_seed_only(mixed: list[Instance]) -> None:
    one, same, other = (
        made(mixed[:3], "padded", length=40, filler=True, seed=seed) for seed in (1, 1, 2)
    )
    assert one == same
    assert one != other


def test_fillers_say_nothing_and_name_nothing() -> None:
    bank = fillers("en")
    assert len(set(bank)) == len(bank) > 1_000
    tongue = language("en", "actors")
    assert {tongue.parse(sentence).kind for sentence in bank} == {"FILLER"}
    named = set()
    for recipe in map(load, recipe_ids()):
        if recipe.world == "actors" and not recipe.composed:
            entities = recipe.entities  # type: ignore[attr-defined]
            named |= {*entities.persons, *entities.places, *entities.objects}
    for sentence in bank:
        assert not named & set(sentence.strip(".").split())


def test_renamed_people_are_unseen_and_keep_their_pronouns(mixed: list[Instance]) -> None:
    bank = unseen("en")["persons"]
    old = set(load("actors/mix").entities.persons)  # type: ignore[attr-defined]
    for each, source in zip(made(mixed, "renamed"), mixed, strict=True):
        words = {word for sentence in each.story for word in sentence.strip(".").split()}
        assert not words & old
        assert each.signature == source.signature
    asked = [each for each in mixed if each.query[0] in ("list", "where-person", "count")]
    for each in asked:
        pronoun = language("en", "actors").pronoun((each.query[1],))
        assert pronoun is not None
        assert made([each], "renamed")[0].query[1] in bank[pronoun]
    assert asked


def test_renamed_places_come_with_their_choices(mixed: list[Instance]) -> None:
    where = [each for each in mixed if each.query[0] == "where-person"]
    for each in made(where, "renamed", sorts=["places"]):
        assert each.choices is not None
        assert each.answer[0] in each.choices
        assert not set(each.choices) & set(where[0].choices or ())


def test_trimmed_fits_or_is_dropped(mixed: list[Instance]) -> None:
    results = list(rewrite(mixed, "trimmed", tokens=40))
    kept = [each for each in results if isinstance(each, Instance)]
    assert kept
    assert any(isinstance(each, Dropped) and "tokens" in each.reason for each in results)
    for each in kept:
        assert count_tokens(" ".join((*each.story, each.question))) <= 40


def test_wrong_options_are_refused(mixed: list[Instance]) -> None:
    for name, options, said in (
        ("pad", {}, "Did you mean 'padded'?"),
        ("padded", {}, "needs 'length'"),
        ("bare", {"length": 3}, "has no option 'length'"),
        ("renamed", {"sorts": ["names"]}, "Known: persons, places, objects"),
        ("exhaustive", {"kinds": ["lsit"]}, "Did you mean 'list'?"),
    ):
        with pytest.raises(FabulaError) as caught:
            list(rewrite(mixed[:1], name, **options))
        assert said in str(caught.value)


def test_other_worlds_say_that_they_cannot() -> None:
    space = list(fabula.generate("stepgame/clean", "test", size=1))
    with pytest.raises(FabulaError, match="the world 'space' does not list its names"):
        list(rewrite(space, "renamed"))


# --- text ---------------------------------------------------------------------------------------

STORY = """\
1 Mary moved to the bathroom.
2 John went to the hallway.
3 Where is Mary? \tbathroom\t1
4 John took the milk there.
5 Where is the milk? \thallway\t4 2
"""


def test_inject_keeps_what_is_there_and_adds_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "qa.txt"
    path.write_text(STORY, encoding="utf-8")
    assert "".join(injected(path)).splitlines() == [
        "1 Mary moved to the bathroom.",
        "2 John went to the hallway.",
        "3 Where is Mary? \tbathroom\t1",
        "4 Where is John? \thallway\t2",
        "5 John took the milk there.",
        "6 Where is the milk? \thallway\t5 2",
        "7 Where is Mary? \tbathroom\t1",
        "8 Where is John? \thallway\t2",
    ]
    people = "".join(injected(path, ["count"]))
    assert "How many objects is John carrying? \tone\t4" in people.replace("5 \n", "\n")


def test_inject_names_the_line_it_does_not_understand(tmp_path: Path) -> None:
    path = tmp_path / "qa.txt"
    path.write_text(STORY.replace("took the milk there", "thought of milk"), encoding="utf-8")
    with pytest.raises(FabulaError, match="line 5: no en sentence pattern fits"):
        list(injected(path))


def test_injected_text_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "qa.txt"
    path.write_text(STORY, encoding="utf-8")
    stories = list(babi.parse("".join(injected(path)).splitlines(), "text"))
    assert [len(story.questions) for story in stories] == [5]


def test_published_files_are_found_in_the_order_of_the_tasks(tmp_path: Path) -> None:
    for task in (2, 11):
        for split in ("train", "test"):
            (tmp_path / f"qa{task}_some-name_{split}.txt").write_text(STORY, encoding="utf-8")
    found = published(tmp_path, [11, 2])
    assert {split: [p.name for p in files] for split, files in found.items()} == {
        "train": ["qa11_some-name_train.txt", "qa2_some-name_train.txt"],
        "test": ["qa11_some-name_test.txt", "qa2_some-name_test.txt"],
    }
    with pytest.raises(FabulaError, match=r"has only: qa2_some-name_train\.txt"):
        published(tmp_path, [2, 3])
    with pytest.raises(FabulaError, match="no such folder"):
        published(tmp_path / "nowhere", [2])


@pytest.mark.parametrize("recipe", ["clutrr/rob-irrelevant", "stepgame/noise", "stepgame/plus"])
def test_other_worlds_are_rewritten_too_and_keep_what_is_known(recipe: str) -> None:
    sources = list(fabula.generate(recipe, "test", size=6))
    for name, options in {"gathered": {}, "padded": {"length": 40, "filler": True}}.items():
        found = made(sources, name, **options)
        assert len(found) == len(sources)
        for each, source in zip(found, sources, strict=True):
            assert objections(each) == []
            assert set(source.features) <= set(each.features)
            before = dict(zip(source.story, source.roles, strict=True))
            for sentence, role in zip(each.story, each.roles, strict=True):
                assert role == before.get(sentence, "filler")
    for each, source in zip(made(sources, "bare"), sources, strict=True):
        assert objections(each) == []
        assert set(each.roles) == {"support", "convention"}
        if len(each.story) < len(source.story):  # some of these people are gone
            assert not {"edges", "coordinates"} & set(each.features)
        assert each.features["hops"] == source.features["hops"]
        assert each.features["support_size"] == each.features["sentences"]


def test_a_yes_about_a_position_has_no_twin() -> None:
    asked = list(fabula.generate("stepgame/plus", "test", size=40))
    yes = [each for each in asked if each.query[0] == "yes-no" and each.answer == ("yes",)]
    assert yes
    assert {type(each) for each in rewrite(yes, "twin")} == {Dropped}
