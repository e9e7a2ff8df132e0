"""Formats and models of other packages are used like our own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import orjson
import pytest

import fabula
from fabula.cli import main
from fabula.core.files import lines_of
from fabula.core.instance import Instance
from fabula.core.registry import Registry
from fabula.datasets.formats import FORMATS, format_named
from fabula.datasets.formats.base import Format
from fabula.errors import FabulaError, MissingExtraError
from fabula.training.models import MODELS

Plug = Callable[..., None]


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    """Installs entry points: group, then name=value pairs."""
    real = metadata.entry_points
    added: list[metadata.EntryPoint] = []
    registries: tuple[Registry[Any], ...] = (FORMATS, MODELS)

    def entry_points(**wanted: str) -> Any:
        if "group" not in wanted:
            return real(**wanted)
        return [*real(**wanted), *(each for each in added if each.group == wanted["group"])]

    def forget() -> None:
        for registry in registries:
            registry.__dict__.pop("plugins", None)
            for name in [name for name in registry._loaded if name not in registry.own]:
                del registry._loaded[name]

    def install(group: str, **entries: str) -> None:
        added.extend(metadata.EntryPoint(name, value, group) for name, value in entries.items())
        forget()

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    yield install
    monkeypatch.undo()
    forget()


# --- a format -----------------------------------------------------------------------------------


def _shout(records: Any) -> bytes:
    return b"".join(b"!" + record.to_json() + b"\n" for record in records)


def _unshout(path: Path) -> Iterator[Instance]:
    for number, line in lines_of(path):
        yield Instance.from_json(line.removeprefix(b"!"), f"{path}, line {number}")


SHOUTED = Format("loud", "JSONL with a mark", _shout, read=_unshout)


@pytest.fixture
def loud(plug: Plug) -> None:
    plug("fabula.formats", loud=f"{__name__}:SHOUTED", jsonl=f"{__name__}:SHOUTED")


def test_a_format_of_another_package(
    loud: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    words = ["generate", "babi/qa1", "--out", str(out), "--size", "train=6,test=4"]
    assert main([*words, "--format", "loud", "--workers", "1"]) == 0
    assert (out / "train.loud").read_bytes().count(b"\n!{") == 5
    assert main(["list"]) == 0
    assert "loud" in capsys.readouterr().out
    assert fabula.formats()["loud"] == "JSONL with a mark"
    assert format_named("jsonl") is not SHOUTED  # a plug-in replaces nothing of ours
    data = fabula.read(out, "train")
    assert (len(data), data[-1].id) == (6, "babi/qa1:train:5")
    assert list(data) == list(fabula.Dataset("babi/qa1", "train", size=6))
    assert len(fabula.read(out / "test.loud")) == 4
    capsys.readouterr()
    assert main(["verify", str(out), "--json", "--workers", "1"]) == 0
    assert orjson.loads(capsys.readouterr().out)["proven"] == 10
    assert main(["rewrite", "bare", str(out), "--out", str(tmp_path / "bare")]) == 0


def test_a_broken_format_harms_nothing_else(
    plug: Plug, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plug("fabula.formats", broken="no_such_package:FORMAT")
    assert main(["generate", "babi/qa1", "--out", str(tmp_path / "a"), "--size", "5"]) == 0
    assert len(fabula.read(tmp_path / "a")) == 5
    assert "broken" not in fabula.formats()
    (tmp_path / "empty").mkdir()
    with pytest.raises(FabulaError, match="no data set here"):
        fabula.read(tmp_path / "empty")
    words = ["generate", "babi/qa1", "--out", str(tmp_path / "b"), "--format", "broken"]
    assert main(words) == 2
    assert "format 'broken' of the package no_such_package" in capsys.readouterr().err
    assert main([*words[:-1], "brokn"]) == 2
    assert "unknown format 'brokn'. Did you mean 'broken'?" in capsys.readouterr().err
    assert not (tmp_path / "b").exists()


def test_names_of_formats_load_none() -> None:
    import subprocess
    import sys

    code = (
        "import sys, fabula.cli; from fabula.datasets.formats import FORMATS; "
        "assert 'jsonl' in FORMATS.own; "
        "print([m for m in sys.modules if m.startswith('fabula.datasets.formats.')])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert found.strip() == "[]"


# --- a model ------------------------------------------------------------------------------------


def test_a_model_of_another_package(
    plug: Plug, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="install fabula[train]")
    plug("fabula.models", mine="fabula.training.models.ngram:NGram", broken="no_such_package:M")
    capsys.readouterr()
    assert main(["models", "--json"]) == 0
    shown = capsys.readouterr()
    assert "mine" in [row["model"] for row in orjson.loads(shown.out)]
    assert "model 'broken' of the package no_such_package:M cannot be loaded" in shown.err
    assert main(["models", "mine"]) == 0
    run = tmp_path / "run"
    words = ["train", "mine", "babi/qa1", "--out", str(run), "--size", "40", "--test-size", "10"]
    assert main([*words, "--with", "epochs=1"]) == 0
    asked = ["eval", str(run), "babi/qa1", "--size", "10", "--out", str(tmp_path / "asked")]
    assert main(asked) == 0
    capsys.readouterr()
    assert main(["train", "broken", "babi/qa1", "--out", str(tmp_path / "b")]) == 2
    assert "Update or uninstall the package" in capsys.readouterr().err
    assert main(["train", "mien", "babi/qa1", "--out", str(tmp_path / "b")]) == 2
    assert "unknown model 'mien'. Did you mean 'mine'?" in capsys.readouterr().err


def test_a_model_without_torch_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    registry: Registry[Any] = Registry(
        "fabula.models", {"lstm": "torch_that_is_not_there:LSTM"}, "model",
        {"torch_that_is_not_there": "train"},
    )  # fmt: skip
    with pytest.raises(MissingExtraError, match=r"pip install 'fabula\[train\]'"):
        registry.find("lstm")
    assert MODELS._extras["torch"] == "train"
