"""Old names of recipe keys go on working, and say what the key is called now."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from fabula.cli import main
from fabula.core.registry import WORLDS
from fabula.errors import RecipeError
from fabula.recipe.loading import load

BASE = 'extends = "babi/qa1"\n'


def test_every_old_name_leads_to_a_key() -> None:
    for world in WORLDS.values():
        for old, new in world.recipe.renamed.items():
            assert new in world.recipe.model_fields, (old, new)
            assert old not in world.recipe.model_fields, old


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [
        ("patience", "max_extensions", 3),
        ("every", "question_interval", 5),
        ("window", "recent_events", 2),
    ],
)
def test_a_change_under_the_old_name_means_the_same(old: str, new: str, value: int) -> None:
    with pytest.warns(FutureWarning, match=f"'{old}' is now called '{new}'"):
        before = load("babi/qa1", {old: value})
    assert before == load("babi/qa1", {new: value})


def test_a_file_may_use_old_names_in_every_table(tmp_path: Path) -> None:
    """Also where the recipe that it extends has the same key under its new name."""
    path = tmp_path / "mine.toml"
    path.write_text(
        f"{BASE}every = 7\n[dialects.slow]\npatience = 9\n[split_overrides.test]\nevery = 8\n"
    )
    with pytest.warns(FutureWarning, match=r"mine\.toml.* is now called") as noted:
        recipe = load(path, {"dialect": "slow"})
    assert (recipe.question_interval, recipe.max_extensions) == (7, 9)
    assert recipe.for_split("test").question_interval == 8
    assert len(noted) == 3


def test_both_names_of_a_key_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "both.toml"
    path.write_text(f"{BASE}every = 7\nquestion_interval = 7\n")
    with pytest.raises(RecipeError, match="the old name of question_interval, which is given too"):
        load(path)


def test_a_key_of_another_world_is_not_renamed() -> None:
    with pytest.raises(RecipeError, match="told: unknown key"):
        load("babi/qa1", {"told": "sides"})


def test_the_command_line_prints_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(["show", "babi/qa1", "--set", "every=3"]) == 0
    noted = capsys.readouterr().err
    assert noted == "note: recipe babi/qa1: 'every' is now called 'question_interval'.\n"
