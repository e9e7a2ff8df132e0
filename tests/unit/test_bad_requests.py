"""Requests that make no sense, or cannot be fulfilled: a clear error each, and soon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabula.cli import main
from fabula.core import search
from fabula.datasets.formats import babi
from fabula.errors import ParseError, QuotaError, RecipeError
from fabula.generation.author import Author, generate
from fabula.recipe.loading import load, recipe_ids
from fabula.world import WORLDS

HUGE = 99999999999999999999999999


# --- recipes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "changes", "said"),
    [
        ("babi/qa1", {"world": ["actors"]}, "world: expected a word in quotes, found"),
        ("babi/qa1", {"world": {"a": 1}}, "world: expected a word in quotes"),
        ("babi/qa1", {"world": 5}, "world: expected a word in quotes, found 5"),
        ("babi/qa1", {"dialect": ["fixed"]}, "dialect: expected a word in quotes"),
        ("babi/qa1", {"dialect": {"a": 1}}, "dialect: expected a word in quotes"),
        ("stepgame/clean", {"hops": 2.0}, "hops: input should be a valid integer"),
        ("stepgame/clean", {"hops": "5"}, "hops: input should be a valid integer"),
        ("stepgame/clean", {"hops": 10**40}, "hops: input should be less than"),
        ("stepgame/clean", {"hops": [1, 10**40]}, "hops"),
        ("stepgame/clean", {"hops": [[1]]}, "hops"),
        ("stepgame/clean", {"hops": {"a": 1}}, "hops"),
        ("stepgame/clean", {"hops": True}, "hops: input should be a valid integer"),
        ("stepgame/clean", {"quotas": 5}, "quotas"),
        ("stepgame/deep", {"dimensions": 2.0}, "dimensions"),
        ("stepgame/deep", {"dimensions": True}, "dimensions"),
        ("babi/qa1", {"quotas": 5}, "quotas: unknown key"),
        ("babi/qa1", {"seed": HUGE}, "seed: input should be less than"),
        ("babi/qa1", {"seed": -HUGE}, "seed: input should be greater than"),
        ("babi/qa1", {"splits.train": HUGE}, "splits.train.size"),
        ("babi/qa1", {"splits.train": True}, "splits.train.size: input should be a valid integer"),
        ("babi/qa1", {"length": True}, "length"),
        ("babi/qa1", {"length": "5"}, "length"),
        ("babi/qa1", {"length": 5.0}, "length"),
        ("babi/qa1", {"question_interval": True}, "question_interval"),
        (
            "babi/qa6",
            {"question_interval": 63147426275251885},
            "question_interval: stories of more than 100,000",
        ),
        ("babi/qa1", {"max_extensions": 10**15}, "max_extensions: a story could grow"),
        ("babi/qa1", {"max_tries": 10**15}, "max_tries"),
        ("babi/qa1", {"allow_repeats": 1}, "allow_repeats: input should be a valid boolean"),
        ("babi/qa1", {"asks.where-person": True}, "asks.where-person"),
        ("babi/qa1", {"asks.where-person": "1"}, "asks.where-person"),
        ("babi/qa1", {"keep.support_size": True}, "keep.support_size"),
        ("babi/qa1", {"bins": {"where-person": [True]}}, "bins"),
        ("babi/qa1", {"id": ""}, "id: the name is empty"),
        ("babi/qa1", {"splits": {"": 5}}, "the name is empty"),
        ("babi/qa1", {"entities.persons": [""]}, "entities.persons"),
        ("clutrr/gen-23", {"family.generations": True}, "family.generations"),
        ("clutrr/gen-23", {"held_out": True}, "held_out"),
        ("babi/qa18", {"steps": True}, "steps"),
    ],
)
def test_a_wrong_value_is_refused_with_its_place(recipe: str, changes: Any, said: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load(recipe, changes)
    assert str(caught.value).startswith(f"recipe {recipe}")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dialects = 5", "dialects: expected tables [dialects.NAME], found 5"),
        ("dialects = ['a']", "dialects: expected tables"),
        ("[dialects]\nx = 5", "dialects.x: expected a table of keys, found 5"),
        ("[dialects]\nx = ['a']", "dialects.x: expected a table of keys"),
        ("a = " + "[" * 5000, "nested deeper than 32 levels"),
        ("a = " + "[" * 40 + "]" * 40, "nested deeper than 32 levels"),
        ("length = " + "9" * 5000, "not valid TOML"),
        ("parts = 5", "parts"),
        ("[[parts]]\nrecipe = 5", "parts"),
        ("[[parts]]\nrecipe = 'babi/qa1'\nchanges = 5", "parts"),
    ],
)
def test_a_recipe_file_that_makes_no_sense(content: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(content if "parts" in content else f'extends = "babi/qa1"\n{content}\n')
    with pytest.raises(RecipeError) as caught:
        load(file)
    assert said in str(caught.value)


@pytest.mark.parametrize("recipe", ["babi/qa1", "babi/qa15", "babi/qa18", "stepgame/clean"])
@pytest.mark.parametrize("value", [True, "5", 5.0])
def test_every_number_of_every_world_is_strict(recipe: str, value: Any) -> None:
    fields = WORLDS[load(recipe).world].recipe.model_fields
    numbers = [name for name, field in fields.items() if field.annotation is int]
    assert len(numbers) > 3
    for name in numbers:
        with pytest.raises(RecipeError, match=f"{name}: input should be a valid integer"):
            load(recipe, {name: value})


@pytest.mark.parametrize(
    "command",
    [
        f"show babi/qa1 --seed {HUGE}",
        f"generate babi/qa1 --out out --seed {HUGE}",
        f"show babi/qa1 --index {HUGE}",
        f"rewrite bare x.jsonl --out out --seed {HUGE}",
        f"play home --seed {HUGE}",
        f"train memn2n babi/qa1 --out out --seed {HUGE}",
        f"train memn2n babi/qa1 --out out --data-seed {HUGE}",
        f"eval x babi/qa1 --out out --seed {HUGE}",
        f"doses babi/qa1 --out out --seed {HUGE}",
        f"generate babi/qa1 --out out --size {HUGE}",
        "show babi/qa1 --set a" + ".a" * 500 + "=1",
        "show babi/qa1 --set length=" + "[" * 5000,
    ],
)
def test_numbers_beyond_64_bits_on_the_command_line(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: ")
    assert len(said.splitlines()) == 1
    assert not list(tmp_path.iterdir())


# --- what cannot be fulfilled ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "changes", "said"),
    [
        ("babi/qa1", {"keep.support_size": 100}, "support_size = [100, 100] of keep"),
        ("babi/qa1", {"bins": {"where-person": [99]}}, "[99, 99] of cell 'where-person 99'"),
        ("babi/qa1", {"max_per_signature": 1}, "max_per_signature = 1 is too low: 1 different"),
        ("babi/qa15", {"keep.support_size": 50}, "support_size = [50, 50] of keep"),
        ("stepgame/clean", {"keep.answers": ["banana"]}, "answers = ['banana'] of keep"),
        ("clutrr/gen-23", {"keep.answers": ["banana"]}, "answers = ['banana'] of keep"),
    ],
)
def test_a_condition_that_is_never_met_is_named_soon(
    recipe: str, changes: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CHANCES", 2_000)
    monkeypatch.setattr(search, "STALE", 1_000)
    tried = 0
    begin = WORLDS[load(recipe).world].begin

    def counted(*given: Any) -> Any:
        nonlocal tried
        tried += 1
        return begin(*given)

    author = Author(load(recipe, changes), "train")
    monkeypatch.setattr(author.world, "begin", counted)
    with pytest.raises(QuotaError) as caught:
        list(author.instances(0, 1))
    assert said in str(caught.value)
    assert tried <= 2_001  # stories; the default of max_tries is 20,000


def test_a_condition_that_is_met_at_times_is_not_given_up() -> None:
    reasons = search.Reasons()
    for _ in range(search.CHANCES - 1):
        reasons.refuse("support of 1", 2)
    assert not reasons.hopeless
    reasons.refuse("3 distractors", 14)  # one got past it
    for _ in range(search.CHANCES):
        reasons.refuse("support of 1", 2)
    assert not reasons.hopeless
    for _ in range(search.CHANCES):
        reasons.refuse("3 distractors", 14)
    assert reasons.hopeless


def test_signatures_that_still_come_are_waited_for() -> None:
    reasons = search.Reasons()
    for number in range(10_000):
        reasons.meet(number)
    assert not reasons.hopeless
    for _ in range(search.STALE):
        reasons.meet(5)
    assert reasons.crowded


@pytest.mark.parametrize("recipe", recipe_ids())
def test_shipped_recipes_are_far_from_being_given_up(
    recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "CHANCES", search.CHANCES // 10)
    for split in load(recipe).splits:
        assert len(list(generate(recipe, split, size=3))) == 3


def test_the_search_says_that_it_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", "fabula.core.search"), pytest.raises(QuotaError):
        list(Author(load("babi/qa1", {"keep.support_size": 100}), "train").instances(0, 1))
    assert "still looking for a matching question; 4,000 rejected" in caplog.text


# --- text -----------------------------------------------------------------------------------------

QUESTION = "\n2 Where is Mary?\tkitchen\t1\n"
COMMANDS = ["verify", "stats", "audit babi", "baselines", "rewrite bare", "inject"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("1 Mary went to the " + "x" * 1_000_000 + QUESTION, "line 1: longer than"),
        ("1 Mary went to the kitchen.\n2 Where is Mary?;kitchen;1\n", "the file has no questions"),
        (
            "1 Mary went to the kitchen.\n2 Where is Mary?  kitchen  1\n",
            "the file has no questions",
        ),
        ("", "the file has no questions"),
        ("1" * 1000 + " Mary went home.\n", "expected a line number"),
        ("1 Mary went to the kitchen.\n2 Where is Mary?\tkitchen\t" + "1" * 300, "support '111"),
    ],
)
def test_text_in_which_nothing_is_recognised_is_an_error(
    command: str, content: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "qa.txt"
    file.write_text(content)
    out = ["--out", str(tmp_path / "out")] if command in ("rewrite bare", "inject") else []
    assert main([*command.split(), str(file), *out]) == 2
    told = capsys.readouterr().err
    assert str(file) in told
    assert said in told


def test_text_of_no_world_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "qa.txt"
    file.write_text("1 Colourless green ideas sleep.\n2 Why?\tno\t1\n")
    for command in (["verify"], ["audit", "babi"], ["baselines"]):
        assert main([*command, str(file)]) == 2
        assert "no world or language can parse any of it" in capsys.readouterr().err


@pytest.mark.parametrize(
    "sentence",
    ["Mary went to the " + "x " * 900, "Mary and " * 220 + "John went.", "a" * 1990, "x, " * 650],
)
def test_the_longest_sentence_is_read_in_no_time(sentence: str, tmp_path: Path) -> None:
    """Patterns are linear in the length of a sentence: cubic ones would take minutes here."""
    from fabula.analysis.audits.speech import speech_of

    file = tmp_path / "qa.txt"
    file.write_text(f"1 {sentence}\n2 Mary went to the kitchen.\n3 Where is Mary?\tkitchen\t2\n")
    assert speech_of(list(babi.read(file)), file).name


def test_a_line_is_read_only_as_far_as_needed(tmp_path: Path) -> None:
    file = tmp_path / "qa.txt"
    file.write_text("1 " + "x" * 10_000_000)
    with pytest.raises(ParseError, match="line 1: longer than 2,200 characters"):
        list(babi.read(file))
