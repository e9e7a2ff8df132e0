"""Records, runs and experiments of others have nothing read outside the current folder."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

import fabula
from fabula.errors import FabulaError, ParseError, RecipeError
from fabula.recipe.loading import load, load_again, read_recipe

TEMPLATES = """\
[[template]]
text = "{girl} wrote to {man}, the brother of her mother."
facts = [["girl", "uncle", "man"]]
genders = { girl = "female" }
"""


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with secrets beside it."""
    (tmp_path / "secret").write_text('extends = "babi/qa1"\n')
    (tmp_path / "secret.toml").write_text('extends = "babi/qa1"\n')
    (tmp_path / "own.toml").write_text(TEMPLATES)
    (tmp_path / "box").mkdir()
    monkeypatch.chdir(tmp_path / "box")
    return tmp_path / "box"


@pytest.mark.parametrize("named", ["../secret", "{up}/secret"])
@pytest.mark.parametrize("line", ["extends = {}", "[[parts]]\nrecipe = {}"])
def test_a_recipe_names_no_file_elsewhere_without_an_ending(
    box: Path, named: str, line: str
) -> None:
    path = orjson.dumps(named.format(up=box.parent)).decode()
    (box / "mine.toml").write_text(line.format(path))
    with pytest.raises(RecipeError, match="is not in the folder"):
        read_recipe("mine.toml")


def test_a_misspelt_recipe_is_still_told_with_a_suggestion(box: Path) -> None:
    (box / "mine.toml").write_text('extends = "babi/qa01"\n')
    with pytest.raises(RecipeError, match=r"no recipe 'babi/qa01'\. Did you mean 'babi/qa1'"):
        load("mine.toml")


@pytest.mark.parametrize(
    "changes",
    [
        {"templates": "../own.toml", "telling": "templates"},
        {"split_overrides.test.templates": "../own.toml"},
        {"split_overrides": {"test": {"templates": "../own.toml"}}},
        {"parts": [{"name": "a", "recipe": "../secret.toml"}]},
        {"parts": [{"name": "a", "recipe": "../secret"}]},
    ],
)
def test_a_record_names_no_file_elsewhere(box: Path, changes: dict[str, object]) -> None:
    with pytest.raises(RecipeError, match="is not in the folder"):
        load_again({"recipe": "clutrr/gen-23", "changes": changes})


def test_a_record_may_name_a_file_here(box: Path) -> None:
    changes = {"templates": "here.toml", "telling": "templates"}
    with pytest.raises(RecipeError, match=r"there is no file 'here\.toml'"):
        load_again({"recipe": "clutrr/gen-23", "changes": changes})
    record = fabula.instance("babi/qa1", "test", 3, length=4)
    assert load_again(record.provenance).length == 4


# --- runs and experiments -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["../secret.toml", "{up}/secret.toml", "..", "~", "a\0b", "x" * 5000]
)
def test_data_of_a_plan_are_here_or_come_with_the_package(box: Path, name: str) -> None:
    pytest.importorskip("torch")
    from fabula.training.source import Source

    with pytest.raises(FabulaError, match="outside the current folder"):
        Source(name.format(up=box.parent)).near()
    for fine in ("babi/qa1", "out/data", str(box / "mine.toml")):
        assert Source(fine).near() == Source(fine)
    with pytest.raises(FabulaError, match="is not in the folder"):
        Source("clutrr/gen-23", {"templates": "../own.toml"}).near()


@pytest.mark.parametrize(
    "said", [1, "babi/qa1", [], {}, {"name": 1}, {"name": "a", "size": "5"}, {"name": "a", "b": 1}]
)
def test_a_plan_that_is_damaged(said: object) -> None:
    pytest.importorskip("torch")
    from fabula.training.source import Source

    with pytest.raises(ParseError, match="not a source of data"):
        Source.from_dict(said)


def test_the_run_of_somebody_else_is_evaluated_without_their_data(
    box: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from fabula.cli import main

    fast = ["--size", "60", "--test-size", "20", "--with", "epochs=1"]
    assert main(["train", "ngram", "babi/qa1", "--out", "run", *fast]) == 0
    for plan, remark in (
        ([{"name": "../secret.toml"}], "outside the current folder"),
        ([{"name": 5}], "damaged"),
        (7, "damaged"),
    ):
        (box / "run" / "plan.json").write_bytes(orjson.dumps({"data": plan}))
        capsys.readouterr()
        code = main(["eval", "run", "babi/qa1", "--size", "3", "--out", f"eval-{remark[:3]}"])
        told = capsys.readouterr().err
        assert remark in told
        assert code == (2 if remark == "damaged" else 0)


@pytest.mark.parametrize("key", ["train", "test"])
def test_an_experiment_names_no_data_elsewhere(
    box: Path, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch")
    from fabula.cli import main

    data = {"train": "babi/qa1", "test": "babi/qa1", key: "../secret.toml"}
    (box / "experiments").mkdir()
    (box / "experiments" / "T1.toml").write_text(
        'id = "T1"\ntitle = "t"\npaper = "p"\nfinding = "f"\n'
        f'[[lines]]\nname = "one"\ntrain = "{data["train"]}"\ntest = "{data["test"]}"\n'
        '[[columns]]\nname = "n"\nmodel = "ngram"\n[[claims]]\nsays = "x"\nat_least = 0\n'
        "[scales.small]\ntrain_size = 10\ntest_size = 5\n"
    )
    assert main(["experiment", "T1"]) == 2
    assert "outside the current folder" in capsys.readouterr().err
