"""Bad recipes are refused with the place and a remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabula.errors import QuotaError, RecipeError
from fabula.generation.author import Author, generate
from fabula.recipe.loading import build, load, recipe_ids
from fabula.recipe.model import Recipe

BASE: dict[str, Any] = {
    "id": "mine",
    "world": "actors",
    "entities": {"persons": ["Mary", "John"], "places": ["park", "school", "office"]},
    "events": {"MOVE": 1},
    "asks": {"where-person": 1},
    "length": 4,
}

BAD = [
    ({"asks.where-persn": 1}, "asks: unknown question 'where-persn'. Did you mean 'where-person'?"),
    ({"lenght": 30}, "lenght: unknown key. Did you mean 'length'?"),
    ({"entities.place": ["x"]}, "entities.place: unknown key. Did you mean 'places'?"),
    ({"events.MOVES": 1}, "events: unknown event 'MOVES'. Did you mean 'MOVE'?"),
    ({"tellings.CORE": 1}, "tellings: unknown telling 'CORE'. Did you mean 'COREF'?"),
    ({"world": "actor"}, "world: unknown 'actor'. Did you mean 'actors'?"),
    ({"language": "enn"}, "language"),
    ({"dialect": "relase"}, "dialect"),
    ({"length": 0}, "length: 0 is not a range"),
    ({"length": [5, 2]}, "length: (5, 2) is not a range"),
    ({"length": 10**9}, "length: stories of more than"),
    ({"questions": 0}, "questions: "),
    ({"questions": "some"}, "questions: "),
    ({"events.MOVE": -1}, "events.MOVE: "),
    ({"events.MOVE": 0}, "events: nothing can happen"),
    ({"asks.where-person": 0}, "asks: at least one"),
    ({"events.GRAB": 1}, "entities.objects: GRAB need"),
    ({"entities.persons": ["Mary", "Mary"]}, "entities.persons: Mary listed twice"),
    ({"entities.persons": []}, "entities.persons"),
    ({"entities.places": ["park", "old\nmill"]}, "places: 'old\nmill' cannot be parsed back"),
    ({"entities.persons": ["mary"]}, "persons: 'mary' cannot be parsed back"),
    ({"tellings.COREF": 1, "entities.persons": ["Zoe"]}, "no pronoun is known for 'Zoe'"),
    ({"cells": [{"asks": ["list"]}]}, "cells[0].asks: 'list' is not asked"),
    ({"cells": [{"requires": ["MOOVE"]}]}, "cells[0].requires: unknown 'MOOVE'"),
    ({"cells": [{"support_size": [3, 1]}]}, "cells[0]: support_size = [3, 1] is an empty range"),
    ({"cells": [{"requires": ["MOVE"], "forbids": ["MOVE"]}]}, "requires and forbids both name"),
    ({"cells": [{"share": 0}]}, "cells: at least one cell"),
    ({"splits": {}}, "splits: at least one split"),
    ({"splits": {"train": -5}}, "splits.train.size"),
    ({"splits.train": {"size": 5, "share": 0.9}, "splits.test": {"size": 5, "share": 0.9}}, "more"),
    ({"split_key": "stories"}, "split_key"),
    ({"length.x": 1}, "'length' is not a table"),
]


@pytest.mark.parametrize(("changes", "message"), BAD, ids=[str(b[0])[:40] for b in BAD])
def test_bad_key(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError) as error:
        build(BASE, changes, "recipe mine.toml")
    assert str(error.value).startswith(("recipe mine.toml", "no language"))
    assert message in str(error.value)


def test_missing_key() -> None:
    with pytest.raises(RecipeError, match="asks: this key is missing"):
        build({key: value for key, value in BASE.items() if key != "asks"})


def test_unknown_recipe_and_file(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="Did you mean 'babi/qa2'"):
        load("babi/qa_2")
    with pytest.raises(RecipeError, match="no such file"):
        load(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("length = [")
    with pytest.raises(RecipeError, match="not valid TOML"):
        load(bad)


def test_a_split_may_have_its_own_keys() -> None:
    recipe = build(BASE, {"split_overrides": {"test": {"length": 9}}})
    assert {len(i.story) for i in generate(recipe, "train", size=5)} == {4}
    assert {len(i.story) for i in generate(recipe, "test", size=5)} == {9}
    with pytest.raises(RecipeError, match=r"no split 'tset'\. Did you mean 'test'"):
        build(BASE, {"split_overrides": {"tset": {"length": 9}}})
    with pytest.raises(RecipeError, match=r"split_overrides\.test, lenght: unknown key"):
        build(BASE, {"split_overrides": {"test": {"lenght": 9}}})


def test_own_file_works_like_a_shipped_one(tmp_path: Path) -> None:
    own = tmp_path / "tiny.toml"
    own.write_text(
        'world = "actors"\nlength = 3\n[entities]\npersons = ["Zoe"]\nplaces = ["moon", "sun"]\n'
        "[events]\nMOVE = 1\n[asks]\nwhere-person = 1\n"
    )
    recipe = load(own, {"splits.train": 7})
    assert recipe.id == "tiny"
    assert [len(i.story) for i in generate(recipe, "train")] == [3] * 7


def test_dialect_lies_over_the_recipe_and_changes_over_both() -> None:
    assert load("babi/qa2").model_dump()["recent_events"] == 0
    assert load("babi/qa2", {"dialect": "release"}).model_dump()["recent_events"] == 5
    changed = load("babi/qa2", {"dialect": "release", "recent_events": 3}).model_dump()
    assert (changed["recent_events"], changed["labels"]) == (3, "release")


def test_digest_ignores_seed_and_size_only() -> None:
    recipe = load("babi/qa1")
    assert recipe.digest == load("babi/qa1", {"seed": 5}).digest
    assert recipe.digest == load("babi/qa1", {"splits.train.size": 5}).digest
    assert recipe.digest != load("babi/qa1", {"length": 4}).digest
    assert recipe.digest != load("babi/qa1", {"splits.train.share": 0.4}).digest


def test_impossible_quota_says_what_was_tried() -> None:
    recipe = build(BASE, {"cells": [{"name": "deep", "support_size": 4}], "max_tries": 50})
    with pytest.raises(QuotaError) as error:
        next(Author(recipe, "train").instances(0, 1))
    message = str(error.value)
    assert "cell 'deep' was not found in 50 stories" in message
    assert "support of 1" in message


def test_a_telling_that_never_fits_is_an_error_not_a_loop() -> None:
    recipe = build(
        {**BASE, "events": {}, "tellings": {"COMPOUND": 1}}, {"length": 3, "max_tries": 20}
    )
    with pytest.raises(QuotaError, match="nothing fits after 2 sentences"):
        next(Author(recipe, "train").instances(0, 1))


def test_cells_are_filled_exactly() -> None:
    cells = [
        {"name": "one", "asks": ["where-person"], "share": 3},
        {"name": "yes", "asks": ["yes-no"], "answers": ["yes"], "share": 1},
    ]
    recipe = build(BASE, {"asks.yes-no": 1, "cells": cells})
    kinds = [i.query[0] for i in generate(recipe, "train", size=40)]
    assert kinds.count("where-person") == 30
    assert {i.answer for i in generate(recipe, "train", size=40) if i.query[0] == "yes-no"} == {
        ("yes",)
    }


EXTREMES: list[dict[str, Any]] = [
    {"length": 1},
    {"length": 400},
    {"length": [1, 30]},
    {"questions": 30},
    {"questions": "all"},
    {"entities.persons": ["Mary"]},
    {"entities.places": ["park", "school"]},
    {"entities.persons": [f"P{i}" for i in range(60)]},
    {"entities.places": [f"room {i}" for i in range(150)], "asks.yes-no": 1},
    {"events.GRAB": 1, "entities.objects": [f"thing {i}" for i in range(40)], "asks.count": 1},
    {"tellings.NEGATE": 5, "tellings.INDEF": 5, "tellings.CONJ": 1, "tellings.COMPOUND": 1},
    {"seed": 2**63 - 1},
    {"seed": -1},
]


@pytest.mark.parametrize("changes", EXTREMES, ids=[str(e)[:50] for e in EXTREMES])
def test_extremes_work(changes: dict[str, Any]) -> None:
    found = list(generate(build(BASE, changes), "train", size=20))
    assert len(found) == 20
    assert all(instance.supports for instance in found)


@pytest.mark.parametrize("name", recipe_ids())
def test_every_shipped_recipe_says_what_it_is(name: str) -> None:
    recipe = load(name)
    assert isinstance(recipe, Recipe)
    assert recipe.id == name
    assert recipe.title
    assert recipe.about


def test_a_change_is_for_all_splits_unless_it_is_for_one() -> None:
    assert load("stepgame/clean").for_split("test").hops == (1, 10)  # type: ignore[attr-defined]
    changed = load("stepgame/clean", {"hops": 7})
    assert changed.for_split("test").hops == 7  # type: ignore[attr-defined]
    only = load("stepgame/clean", {"hops": 7, "split_overrides.test.hops": 9})
    assert only.for_split("train").hops == 7  # type: ignore[attr-defined]
    assert only.for_split("test").hops == 9  # type: ignore[attr-defined]
