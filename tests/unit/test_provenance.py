"""A record says enough to make it again: the command printed for it shows the same record."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fabula
from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.analysis.rewrites import operation
from fabula.analysis.show import command
from fabula.cli import main
from fabula.cli.common import changes_of
from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.recipe.loading import load, load_again
from fabula.recipe.settings import typed


def shown(instance: Instance, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the command of a record shows."""
    words = shlex.split(command(instance.provenance))
    capsys.readouterr()
    assert main([*words[1:], "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_every_recipe_and_dialect(variant: Variant, capsys: pytest.CaptureFixture[str]) -> None:
    made = fabula.instance(variant.recipe, sample_split(variant), 3, seed=5, **variant.changes)
    assert shown(made, capsys) == json.loads(made.to_json())


@pytest.mark.parametrize(
    ("recipe", "changes"),
    [
        ("babi/qa2", {"length": [4, 9], "dialect": "release"}),
        ("actors/mix", {"length": 12, "events.MOVE": 3.5,
                        "entities.persons": ["Zoë", "Max", "Ida", "Ben"],
                        "pronouns": {"Zoë": "she", "Max": "he", "Ida": "she", "Ben": "he"}}),
        ("actors/mix", {"asks": {"where-person": 1}, "title": 'a "quoted" one', "language": "en"}),
        ("babi/qa1", {"language": "hi", "cipher": "seed"}),
        ("babi/qa1", {"dialect": "", "allow_repeats": False}),
        ("stepgame/clean", {"hops": 4, "splits": {"test": {"size": 10, "share": 0.5}}}),
        ("dyna/mix-t7", {"language": "hi"}),  # made of parts
        ("dyna/concat-t7", {"splits.train.share": 0.3}),
    ],
)  # fmt: skip
def test_changed_recipes(
    recipe: str, changes: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    split = next(iter(load(recipe, changes).splits))
    made = fabula.instance(recipe, split, 7, seed=3, **changes)
    assert shown(made, capsys) == json.loads(made.to_json())
    assert load_again(made.provenance).digest == made.provenance["recipe_digest"]


def test_changes_of_changed_recipes_add_up(capsys: pytest.CaptureFixture[str]) -> None:
    first = load("babi/qa2", {"dialect": "release", "length": 8})
    made = fabula.instance(load(first, {"length": 5}), "test", 2, seed=1)
    assert made.provenance["changes"] == {"length": 5}
    assert shown(made, capsys) == json.loads(made.to_json())


OWN = """
extends = "actors/mix"
id = "own/rooms"
length = [6, 10]
[splits]
train = 30
test = 10
"""


def test_a_recipe_in_a_file_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "rooms.toml").write_text(OWN)
    made = fabula.instance(str(folder / "rooms.toml"), "test", 4, length=7)
    # the same bytes wherever the file lies
    assert (made.provenance["recipe"], made.provenance["file"]) == ("own/rooms", "rooms.toml")
    monkeypatch.chdir(folder)
    assert shown(made, capsys) == json.loads(made.to_json())


def test_generated_files_say_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever made them: workers get the recipe by pickling."""
    out = tmp_path / "data"
    command = ["generate", "actors/mix", "--out", str(out), "--size", "test=8", "--seed", "4"]
    assert main([*command, "--set", "length=9", "--workers", "2", "--shard-size", "4"]) == 0
    lines = [line for file in sorted(out.glob("*.jsonl")) for line in file.read_text().splitlines()]
    assert len(lines) == 8
    for line in lines[::3]:
        assert shown(Instance.from_json(line), capsys) == json.loads(line)


def test_nothing_is_said_of_what_was_not_changed() -> None:
    plain = fabula.instance("babi/qa2", "test", 0).provenance
    assert "changes" not in plain
    assert "file" not in plain
    assert "changes" not in fabula.instance("babi/qa2", "test", 0, dialect="release").provenance


def test_the_original_of_a_rewritten_record(capsys: pytest.CaptureFixture[str]) -> None:
    made = fabula.instance("babi/qa2", "test", 3, seed=2, dialect="release", length=6)
    bare = next(each for each in operation("bare")(made) if isinstance(each, Instance))
    assert bare.provenance["of"] == made.id
    assert shown(bare, capsys) == json.loads(made.to_json())


def test_what_no_recipe_made_has_no_command() -> None:
    assert command({"world": "actors"}) == ""


@pytest.mark.parametrize(
    "said",
    [
        {"recipe": "../secret.toml"},
        {"recipe": "x", "file": "{folder}/secret.toml"},
        {"recipe": "x", "file": "../secret.toml"},
        {"recipe": "babi/qa1", "changes": ["length"], "dialect": ["release"]},
        {"recipe": ["babi/qa1"]},
        {},
    ],
)
def test_a_record_that_somebody_sends_has_no_other_files_read(
    said: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secret.toml").write_text('extends = "babi/qa1"\n')
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    given = {
        key: value.format(folder=tmp_path) if isinstance(value, str) else value
        for key, value in said.items()
    }
    try:
        assert load_again(given).id == "babi/qa1"
        assert given["recipe"] == "babi/qa1"
    except FabulaError:
        assert given.get("recipe") != "babi/qa1"
    # and it can be scored
    made = fabula.instance("babi/qa5", "test", 0)
    odd = replace(made, provenance={"world": "actors", **given})
    assert fabula.score(odd, "no such word").outcome == "unparsed"


WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.from_regex(r"[a-z]{1,8}(\.[a-zA-Z_-]{1,8})?", fullmatch=True), VALUES))
def test_changes_are_typed_as_they_are_read(changes: dict[str, Any]) -> None:
    try:
        read = changes_of(typed(changes)[1::2])
    except FabulaError as error:  # a key within a word that is set too
        raise AssertionError(error) from error
    assert read == changes
