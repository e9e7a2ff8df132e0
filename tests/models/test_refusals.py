"""What training refuses, and what it notices when a command is given again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from fabula.cli import main
from fabula.core.instance import Instance
from fabula.errors import FabulaError, ParseError
from fabula.generation.author import generate
from fabula.recipe.loading import load
from fabula.training.models import MODELS, PRETRAINED, model_named
from fabula.training.plan import TrainingPlan, divided, settings
from fabula.training.runs import train
from fabula.training.source import Source
from fabula.training.stored import load_model
from fabula.training.team import check_device

FEW = {"epochs": 1}


def folder(path: Path, recipe: str = "babi/qa1", seed: int = 0) -> Path:
    sizes = ["--set", "splits.train=60", "--set", "splits.test=20"]
    command = ["generate", recipe, "--out", str(path), "--seed", str(seed), "--force"]
    assert main([*command, *sizes]) == 0
    return path


def plan(source: Source, model: str = "lstm", **more: Any) -> TrainingPlan:
    return TrainingPlan(model, (source,), regime=FEW, **more)


def test_data_that_changed_under_their_name_are_another_run(tmp_path: Path) -> None:
    data = str(folder(tmp_path / "data"))
    train(plan(Source(data)), tmp_path / "run")
    train(plan(Source(data)), tmp_path / "run")
    folder(tmp_path / "data", seed=9)
    with pytest.raises(FabulaError, match=r"contains another run \(data: not the same\)"):
        train(plan(Source(data)), tmp_path / "run")


def test_a_recipe_of_ones_own_is_known_by_what_it_says(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('id = "own"\nextends = "babi/qa1"\ntitle = "x"\n')
    first = Source(str(own)).to_dict()
    own.write_text('id = "own"\nextends = "babi/qa1"\ntitle = "x"\nlength = 7\n')
    assert Source(str(own)).to_dict() != first
    assert Source.from_dict(first) == Source(str(own))


def test_a_recipe_of_the_package_is_known_by_what_it_says_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = Source("babi/qa1").to_dict()
    assert Source("babi/qa1").to_dict() == first
    for change in ({"length": 7}, {"seed": 7}, {"splits.train": 7}):
        another = load("babi/qa1", change)  # as another version of the package might have it
        monkeypatch.setattr("fabula.training.source.load", lambda *_, a=another: a)
        assert Source("babi/qa1").to_dict() != first


def test_going_on_from_another_kind_of_model(tmp_path: Path) -> None:
    source = Source("babi/qa1", size=40)
    train(plan(source), tmp_path / "lstm")
    start = str(tmp_path / "lstm")
    with pytest.raises(FabulaError, match="contains a LSTM, not a MemN2N"):
        train(plan(source, "memn2n", start=start), tmp_path / "other")
    with pytest.raises(FabulaError, match=r"setting 'hidden': the model of .* has 100"):
        train(plan(source, sizes={"hidden": 7}, start=start), tmp_path / "size")
    train(plan(source, sizes={"hidden": 100}, start=start), tmp_path / "same")


@pytest.mark.parametrize(
    ("source", "match"),
    [
        ({"changes": {"length": 3}}, "already generated"),
        ({"seed": 3}, "already generated"),
        ({"size": 500}, "split 'train' has 60 examples, but 500 are needed"),
        ({"split": "dev"}, "no split 'dev'"),
    ],
)
def test_a_folder_is_taken_as_it_is(tmp_path: Path, source: dict[str, Any], match: str) -> None:
    data = str(folder(tmp_path / "data"))
    with pytest.raises(FabulaError, match=match):
        train(plan(Source(data, **source)), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_empty_split_and_one_that_is_not_there(tmp_path: Path) -> None:
    data = folder(tmp_path / "data")
    for file in data.glob("test-*.jsonl"):
        file.write_bytes(b"")
    with pytest.raises(FabulaError, match="split 'test' has 0 examples"):
        train(plan(Source(str(data))), tmp_path / "run")
    more = {"x": Source(str(folder(tmp_path / "more")), size=2000)}
    with pytest.raises(FabulaError, match=r"20 examples, but 2,000 are needed; generate"):
        train(plan(Source("babi/qa1", size=40)), tmp_path / "no", tests=more)
    with pytest.raises(FabulaError, match="no recipe 'babi/qa99'"):
        train(plan(Source("babi/qa1", size=40)), tmp_path / "no", tests={"x": Source("babi/qa99")})
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("lr", float("nan")), ("lr", float("inf")), ("clip", float("nan")), ("weight_decay", -1),
        ("max_sentences", -3), ("clip_value", -1), ("warm_steps", -1), ("halve_every", -1),
        ("beta2", 2), ("enough", -1), ("epochs", True),
    ],
)  # fmt: skip
def test_a_regime_that_cannot_be(name: str, value: Any) -> None:
    with pytest.raises(FabulaError, match=f"setting '{name}'"):
        settings(model_named("lstm"), {}, {name: value})


SIZES = [
    (model, name)
    for model in MODELS
    if model not in PRETRAINED
    for name, value in vars(model_named(model).Sizes()).items()
    if isinstance(value, int | float) and not isinstance(value, bool)
]


@pytest.mark.parametrize(("model", "name"), SIZES)
def test_no_size_is_negative_or_a_truth(model: str, name: str) -> None:
    for value in (-1, True):
        with pytest.raises(FabulaError, match=f"setting '{name}'"):
            settings(model_named(model), {name: value}, {})


@pytest.mark.parametrize(
    ("model", "sizes"),
    [
        ("memn2n", {"size": 0}), ("memn2n", {"hops": 0}), ("memn2n", {"memory": 0}),
        ("lstm", {"word": 0}), ("rrn", {"steps": 0}), ("rn", {"sentences": 0}),
        ("ut", {"heads": 0}), ("ut", {"heads": 3}), ("stm", {"slot": 0}), ("gat", {"node": 0}),
        ("gat", {"dropout": 1.5}), ("bidaf", {"dropout": float("nan")}),
    ],
)  # fmt: skip
def test_sizes_that_cannot_be(model: str, sizes: dict[str, Any]) -> None:
    with pytest.raises(FabulaError, match="setting '"):
        settings(model_named(model), sizes, {})


def test_a_linear_start_may_be_left_out() -> None:
    assert settings(model_named("memn2n"), {"linear_start": 0}, {})[0].linear_start == 0


@pytest.mark.parametrize("name", ["memn2n", "ut", "entnet"])
def test_training_that_goes_astray_says_so(tmp_path: Path, name: str) -> None:
    wild = {"epochs": 2, "lr": 1e30, "clip": 0.0}
    with pytest.raises(FabulaError, match="training diverged"):
        train(TrainingPlan(name, (Source("babi/qa1", size=40),), regime=wild), tmp_path / "run")


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("gat", {}),
        ("bilstm", {}),
        ("bilstm-attention", {}),
        ("mac", {}),
        ("rn", {"people": True}),
        ("lstm", {"cloze": True}),
    ],
)
def test_who_is_asked_about_two_entities_is_not_asked_anything_else(
    tmp_path: Path, name: str, given: dict[str, Any]
) -> None:
    sizes, regime = divided(given)
    with pytest.raises(FabulaError, match="questions about two entities"):
        train(TrainingPlan(name, (Source("babi/qa1", size=20),), sizes, regime), tmp_path / "run")


def test_a_model_with_settings_of_another_version_is_told(tmp_path: Path) -> None:
    source = Source("babi/qa1", size=20)
    train(plan(source), tmp_path / "run")
    path = tmp_path / "run/restart-0/model.json"
    said = orjson.loads(path.read_bytes())
    path.write_bytes(orjson.dumps({**said, "sizes": {**said["sizes"], "wheels": 4}}))
    with pytest.raises(FabulaError, match=r"model\.json: damaged, or written by another version"):
        load_model(tmp_path / "run")


@pytest.mark.parametrize(
    "name", ["plan.json", "restart-0/result.json", "restart-0/tests.json", "run.json"]
)
def test_damaged_files_are_named(tmp_path: Path, name: str) -> None:
    source = Source("babi/qa1", size=40)
    train(plan(source), tmp_path / "run")
    path = tmp_path / "run" / name
    path.write_bytes(path.read_bytes()[:-9])
    again = plan(source, start=str(tmp_path / "run") if name == "run.json" else None)
    with pytest.raises(FabulaError, match=rf"{path.name}: damaged"):
        train(again, tmp_path / ("next" if name == "run.json" else "run"))


def test_damaged_weights_are_named(tmp_path: Path) -> None:
    source = Source("babi/qa1", size=40)
    train(plan(source), tmp_path / "run")
    for name in ("model.pt", "checkpoint.pt"):
        path = tmp_path / "run/restart-0" / name
        path.write_bytes(path.read_bytes()[:100])
        (tmp_path / "run/restart-0/tests.json").unlink(missing_ok=True)
        if name == "checkpoint.pt":
            (tmp_path / "run/restart-0/result.json").unlink()
        with pytest.raises(FabulaError, match=rf"{name}: damaged"):
            train(plan(source), tmp_path / "run")


@pytest.mark.parametrize(
    ("field", "value", "match"),
    [
        ("support", [99], r"line, field 'support': expected a list of sentence numbers from 1 to"),
        ("support", ["1"], r"field 'support': .*, found \['1'\]"),
        ("query", [], "field 'query': expected a list of texts"),
        ("answer", "kitchen", "field 'answer': expected a list of at least one text"),
        ("story", 3, "field 'story': expected a list of sentences"),
    ],
)
def test_records_that_could_only_be_misread(field: str, value: Any, match: str) -> None:
    record = orjson.loads(next(iter(generate("babi/qa1", "train", size=1))).to_json())
    assert Instance.from_fields(record).id == record["id"]
    with pytest.raises(ParseError, match=match):
        Instance.from_fields({**record, field: value}, "line")


def test_a_device_that_holds_no_numbers_is_none() -> None:
    with pytest.raises(FabulaError, match="--device meta: not available here"):
        check_device("meta")


@pytest.mark.parametrize("sizes", [{"layers": 2}, {"placeholders": "redrawn"}])
def test_settings_of_the_other_form_of_a_model(sizes: dict[str, Any]) -> None:
    kind = model_named("rn")
    with pytest.raises(FabulaError, match="people=true"):
        settings(kind, sizes, {})
    settings(kind, {**sizes, "people": True}, {})
