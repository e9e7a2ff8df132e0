"""Finds a model by name: a run folder, 'hf:…', 'py:…', or a model behind an API."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fabula.core.registry import Registry
from fabula.errors import FabulaError, MissingExtraError
from fabula.evaluation.model import Ask, Model

BACKENDS: Registry[Callable[..., Model]] = Registry(
    "fabula.backends",
    {
        "run": "fabula.training.trained:Trained",
        "hf": "fabula.evaluation.hugging_face:HuggingFace",
        "py": "fabula.evaluation.function:from_file",
        "api": "fabula.evaluation.inspect_api:InspectModel",
    },
    "kind of model",
    {"torch": "train", "transformers": "hf"},
)
"""The kinds of models that can be evaluated."""


def model_named(name: str, ask: Ask, likelihood: bool = False, device: str = "cpu") -> Model:
    """The model with this name, as on the command line."""
    kind, colon, rest = name.partition(":")
    if colon and kind == "hf":
        return BACKENDS["hf"](rest, ask, likelihood, device)
    if likelihood:
        raise FabulaError(f"--likelihood works with 'hf:' models only, not with '{name}'.")
    folder = Path(name)
    if folder.is_dir():
        _check_run(folder)
        return BACKENDS["run"](folder, device)
    if colon and (kind == "py" or kind in BACKENDS.plugins):
        return BACKENDS[kind](rest, ask)
    if name.startswith((".", "/", "~")) or "/" not in name:
        raise FabulaError(
            f"{name}: no such model. Give a run folder of `fabula train`, hf:PATH_OR_NAME "
            "for a Hugging Face model, py:FILE.py:FUNCTION for a Python function, or "
            "PROVIDER/MODEL for a model behind an API, e.g. openai/gpt-5."
        )
    try:
        return BACKENDS["api"](name, ask)
    except MissingExtraError as error:
        raise MissingExtraError(
            f"{name}: not a folder; for a model behind an API, {error}"
        ) from None


def _check_run(folder: Path) -> None:
    if (folder / "config.json").is_file():
        raise FabulaError(f"{folder}: this looks like a Hugging Face model; write hf:{folder}")
    if not any((folder / file).is_file() for file in ("plan.json", "model.json")):
        raise FabulaError(f"{folder}: no trained model here; train one with `fabula train`.")
