"""What all harnesses share: prompts, sources, task names, and task files for lm_eval."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import fabula
from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.cli import main
from fabula.core.instance import Instance
from fabula.errors import FabulaError, MissingExtraError, OutputError
from fabula.integrations import (
    from_data,
    instances,
    splits_of,
    story_of,
    task_names,
    to_data,
    traits,
)
from fabula.integrations import lm_eval as harness
from fabula.prompting.prompt import prompt, reply, styles
from fabula.recipe.loading import recipe_ids
from fabula.scoring import score

ALL = [variant for variant in variants() if variant.dialect != "release"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "rooms"
    folder.mkdir()
    for split, size in (("train", 3), ("test", 5)):
        made = fabula.generate("babi/qa2", split, 7, size)
        lines = [one.to_json() + b"\n" for one in made]
        (folder / f"{split}-00000-of-00002.jsonl").write_bytes(b"".join(lines[:2]))
        (folder / f"{split}-00001-of-00002.jsonl").write_bytes(b"".join(lines[2:]))
    return folder


# --- prompts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ALL, ids=str)
def test_the_reply_that_a_prompt_asks_for_is_correct(variant: Variant) -> None:
    for made in fabula.generate(variant.recipe, sample_split(variant), 7, 3, **variant.changes):
        asked = prompt(made)
        assert score(made, reply(made)).correct
        assert score(made, reply(made).partition(" ")[2]).correct
        assert all(sentence in asked for sentence in made.story)
        assert all(choice in asked for choice in made.choices or ())
        assert asked.count(made.question) == 1


def test_examples_come_before_the_question_with_their_answers() -> None:
    first, second = fabula.generate("babi/qa2", "train", 7, 2)
    asked = prompt(second, examples=[first])
    assert asked.index(reply(first)) < asked.index(second.question, asked.index(reply(first)))
    assert reply(second) not in asked.partition(reply(first))[2]


def test_styles_differ_and_an_unknown_one_is_refused() -> None:
    made = fabula.instance("babi/qa2", "test", 0)
    assert len({prompt(made, style) for style in styles()}) == len(styles()) == 3
    with pytest.raises(FabulaError, match=r"style of prompt 'dirct'.* Did you mean 'direct'"):
        prompt(made, "dirct")


# --- sources ----------------------------------------------------------------------------------


def test_a_recipe_and_its_data_set_give_the_same(data: Path) -> None:
    assert splits_of(str(data)) == ["test", "train"]
    read = list(instances(str(data)))
    assert read == list(instances("babi/qa2", seed=7, size=5))
    assert list(instances(str(data), "train", size=2)) == list(instances("babi/qa2", "train", 7, 2))
    (file, _) = sorted(data.glob("test-*"))
    assert list(instances(str(file))) == read[:2]


def test_what_is_wrong_with_a_source_is_said(data: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source, options, message in (
        (str(data), {"split": "tset"}, r"no split 'tset'\. Did you mean 'test'"),
        (str(data), {"seed": 7}, "already generated"),
        (str(tmp_path / "empty"), {}, "no data set here"),
        (str(tmp_path / "none.jsonl"), {}, "no such file"),
        ("babi/qa2", {"size": 0}, "at least one"),
        ("babi/qa2", {"split": "tset"}, "Did you mean 'test'"),
        ("babi/qa", {}, "no recipe 'babi/qa'"),
    ):
        with pytest.raises(FabulaError, match=message):
            instances(source, **options)


def test_a_record_survives_a_log() -> None:
    made = fabula.instance("actors/mix", "test", 3)
    assert from_data(to_data(made)) == made


def test_questions_about_one_story_have_one_name() -> None:
    one, two = fabula.generate("babi/qa1", "test", 7, 2)
    other = fabula.instance("babi/qa1", "test", 99, 7)
    assert story_of(one) == story_of(two) != story_of(other)
    assert traits(one)["kind"] == "where-person"


def test_every_recipe_has_a_task_name() -> None:
    names = task_names()
    assert set(names.values()) == set(recipe_ids())
    assert all(name.isidentifier() for name in names)
    assert names["qa2"] == names["babi_qa2"] == "babi/qa2"
    short = [recipe.partition("/")[2] for recipe in recipe_ids()]
    twice = {name for name in short if short.count(name) > 1}
    assert not {name.replace("-", "_") for name in twice} & set(names)


@pytest.mark.parametrize("package", ["inspect_ai", "reasoning_gym", "verifiers"])
def test_a_missing_harness_is_named_with_its_remedy(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_spec(package):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"fabula.integrations.{package}", raising=False)
    with pytest.raises(MissingExtraError, match=r"is not installed: pip install 'fabula\["):
        import_module(f"fabula.integrations.{package}")


# --- lm_eval ----------------------------------------------------------------------------------


def test_documents_of_lm_eval_hold_prompt_and_record() -> None:
    made = fabula.instance("babi/qa8", "test", 3, 7)
    row = harness.row(made, "direct")
    assert f"{row['instruction']}\n\n{row['text']}" == f"{prompt(made)}\nAnswer:"
    assert Instance.from_json(row["record"]) == made
    assert harness.process_results(row, [row["target"]])["acc"] == 1
    assert harness.process_results(row, ["I do not know."])["refusal"] == 1
    assert sum(harness.process_results(row, ["Banana."]).values()) == 1


def test_task_files_of_all_recipes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lm-eval", "--out", str(tmp_path / "tasks")]) == 0
    assert "fabula_actors_mix" in capsys.readouterr().out
    files = {file.stem: file.read_text() for file in (tmp_path / "tasks").glob("*.yaml")}
    assert len(files) == len(recipe_ids()) + 1
    assert '"recipe": "babi/qa2"' in files["fabula_babi_qa2"]
    for text in files.values():
        for name in re.findall(r"!function fabula\.integrations\.lm_eval\.(\w+)", text):
            assert callable(getattr(harness, name))


def test_a_data_set_is_copied_beside_its_task_file(data: Path, tmp_path: Path) -> None:
    out = tmp_path / "tasks"
    assert harness.write(out, [str(data), "stepgame/noise"])[:2] == [
        "fabula_rooms",
        "fabula_stepgame_noise",
    ]
    assert list(instances(str(out / "fabula_rooms"))) == list(instances(str(data)))
    assert "fewshot_split: train" in (out / "fabula_rooms.yaml").read_text()


def test_nothing_is_overwritten_or_left_half_done(data: Path, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not empty"):
        harness.write(data)
    with pytest.raises(FabulaError, match="no recipe 'babi/qa'"):
        harness.write(tmp_path / "tasks", ["babi/qa2", "babi/qa"])
    with pytest.raises(FabulaError, match="the same name"):
        harness.write(tmp_path / "tasks", [str(data), str(data)])
    assert [path.name for path in tmp_path.iterdir()] == ["rooms"]
    with pytest.raises(FabulaError, match="give a recipe"):
        harness.dataset(seed=7, pretrained="some-model")
