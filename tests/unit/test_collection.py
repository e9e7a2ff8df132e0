"""Recipes made of recipes: parts, shares, what they have in common, and what they must not be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.errors import RecipeError
from fabula.generation.author import Author
from fabula.recipe.collection import Collection
from fabula.recipe.loading import build, load, recipe_ids
from fabula.recipe.model import Recipe
from fabula.recipe.quotas import Rota, deal

MOVES: dict[str, Any] = {
    "id": "two",
    "splits": {"train": {"size": 100, "share": 0.5}, "test": {"size": 40, "share": 0.5}},
    "common": {"recipe": "actors/mix", "length": 8, "tellings": {}},
    "parts": [
        {"name": "go", "share": 2, "events": {"MOVE": 1}, "bins": {"where-person": [1]}},
        {
            "name": "take",
            "events": {"MOVE": 1, "GRAB": 1},
            "bins": {"where-object": [2]},
        },
    ],
}


def two(**changes: Any) -> Recipe:
    return build({**MOVES, **changes}, place="recipe two")


def test_instances_are_dealt_out_by_share() -> None:
    made = list(Author(two(), "train").instances(0, 60))
    parts = Counter(each.provenance["part"] for each in made)
    assert parts == {"go": 40, "take": 20}
    assert {each.query[0] for each in made if each.provenance["part"] == "go"} == {"where-person"}
    assert [each.id for each in made] == [f"two:train:{i}" for i in range(60)]
    assert {each.provenance["recipe_digest"] for each in made} == {two().digest}


def test_any_instance_is_made_alone_as_in_a_batch() -> None:
    author = Author(two(), "test")
    batch = list(author.instances(0, 30))
    assert all(next(author.instances(i, i + 1)) == batch[i] for i in (0, 7, 19, 29))


@pytest.mark.parametrize("unit", [1, 5])
def test_the_rota_gives_every_part_its_own_indices_in_order(unit: int) -> None:
    recipe = two()
    assert isinstance(recipe, Collection)
    rota = Rota([part.name for part in deal(recipe.parts)], unit)
    found = [rota.locate(index) for index in range(90 * unit)]
    for name, count in (("go", 60), ("take", 30)):
        assert [at for part, at in found if part == name] == list(range(count * unit))


def test_stories_stay_whole_where_parts_have_several_questions() -> None:
    author = Author(load("dyna/concat-t2"), "train")
    assert author.block == 5
    for passage in author.passages(0, 40):
        made = author.records(passage)
        assert len({each.provenance["part"] for each in made}) == 1
        assert len(made) == 5


@pytest.mark.parametrize("group", ["t7", "t12"])
def test_the_test_is_the_same_in_every_benchmark_of_a_group(group: str) -> None:
    alone = list(fabula.generate(f"dyna/mix-{group}", "test", size=12))
    for kind in ("concat", "inject", "diverse"):
        there = fabula.generate(f"dyna/{kind}-{group}", "test", size=12)
        assert [(e.story, e.query) for e in there] == [(e.story, e.query) for e in alone]


def test_parts_of_one_recipe_have_different_stories() -> None:
    parts = [{"name": name, "events": {"MOVE": 1}, "bins": {"where-person": [1]}} for name in "ab"]
    one, other = Author(two(parts=parts), "train").instances(0, 2)
    assert one.story != other.story


def test_parts_share_no_opening_across_splits() -> None:
    found = {
        split: {each.story[:3] for each in Author(two(), split).instances(0, 60)}
        for split in ("train", "test")
    }
    assert not found["train"] & found["test"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"length": 4}, "length: in a recipe made of parts, set this key in [common] or in a part"),
        ({"parts": []}, "parts: tuple should have at least 1 item"),
        ({"parts": [{"name": "a", "splits": ["tset"]}]}, "Did you mean 'test'?"),
        ({"parts": [{"name": "a", "splits": ["test"]}]}, "split 'train' has no part"),
        ({"parts": [{"name": "a"}, {"name": "a"}]}, "two have the name 'a'"),
        ({"parts": [{"name": "a", "evnts": {"MOVE": 1}}]}, "part 'a', evnts: unknown key"),
        ({"parts": [{"recipe": "babi/qa77"}], "common": {}}, "no recipe 'babi/qa77'"),
        ({"parts": [{"recipe": "dyna/diverse-t7"}], "common": {}}, "is itself made of parts"),
        ({"parts": [{"recipe": "babi/qa1"}]}, "common: every part names a recipe of its own"),
        ({"parts": [{"name": "a"}], "common": {}}, "set `recipe`, here or in [common]"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        two(**changes)
    assert said in str(caught.value)
    assert str(caught.value).startswith("recipe ")


def compositional(test: dict[str, Any]) -> Recipe:
    parts = [*MOVES["parts"], {"name": "both", "splits": ["test"], **test}]
    return two(parts=parts, compositional={"test": ["test"]})


def test_a_compositional_test_combines_just_what_training_has() -> None:
    events = {"MOVE": 1, "GRAB": 1}
    bins = {"where-person": [1], "where-object": [2]}
    assert compositional({"events": events, "bins": bins}).composed
    with pytest.raises(RecipeError, match="test has DROP, but no training part does"):
        compositional({"events": {**events, "DROP": 1}, "bins": bins})
    with pytest.raises(RecipeError, match="training has where-person, but test does not"):
        compositional({"events": events, "bins": {"where-object": [2]}})
    take = MOVES["parts"][1]
    parts = [take, {**take, "name": "again", "splits": ["test"]}]
    with pytest.raises(RecipeError, match="part 'take' alone has all concepts"):
        two(parts=parts, compositional={"test": ["test"]})


def test_every_dyna_benchmark_is_compositional() -> None:
    found = [load(name) for name in recipe_ids() if name.startswith("dyna/")]
    wholes = [recipe for recipe in found if isinstance(recipe, Collection)]
    assert len(found) == 10
    assert len(wholes) == 7
    for recipe in wholes:
        assert recipe.compositional is not None
        tested = frozenset().union(*recipe.concept_sets("test").values())
        apart = recipe.concept_sets("train").values()
        assert frozenset().union(*apart) == tested
        assert tested not in apart


def test_an_extension_is_laid_over_its_base(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text(
        'extends = "actors/mix"\nlength = 4\n[events]\nGIVE = 0\n[splits]\nonly = 10\n',
        encoding="utf-8",
    )
    recipe = load(path)
    assert recipe.id == "short"
    assert recipe.length == 4
    assert recipe.events == {"MOVE": 0.5, "GRAB": 1.0, "DROP": 0.8, "GIVE": 0}  # type: ignore[attr-defined]
    assert list(recipe.splits) == ["only"]


def test_an_extension_of_nothing_or_of_itself_is_refused(tmp_path: Path) -> None:
    for base, said in (("actors/mxi", "Did you mean 'actors/mix'?"), ("loop.toml", "itself")):
        path = tmp_path / "loop.toml"
        path.write_text(f'extends = "{base}"\n', encoding="utf-8")
        with pytest.raises(RecipeError, match="extends") as caught:
            load(path)
        assert said in str(caught.value)


def test_the_digest_follows_the_parts() -> None:
    other = [*MOVES["parts"][:1], {**MOVES["parts"][1], "length": 9}]
    assert two().digest != two(parts=other).digest
    assert two().digest == two(title="another", seed=4).digest


def test_a_language_is_for_all_parts() -> None:
    made = next(Author(two(language="hi"), "train").instances(0, 1))
    own = next(Author(two(), "train").instances(0, 1))
    assert made.facts == own.facts
    assert made.story != own.story
