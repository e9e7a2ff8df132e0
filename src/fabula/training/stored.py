"""Trained models on disk."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from fabula._version import __version__
from fabula.core.files import damaged, hashed, read_json, write_json
from fabula.errors import FabulaError
from fabula.training.data import Vocabulary
from fabula.training.loop import keep, kept
from fabula.training.model import Model, Regime, Shape
from fabula.training.models import model_named

RUN = "run.json"
MODEL, WEIGHTS = MODEL_FILES = ("model.json", "model.pt")


def save_model(
    folder: Path,
    name: str,
    sizes: Any,
    regime: Regime,
    vocabulary: Vocabulary,
    shape: Shape,
    model: Model,
) -> None:
    """Write the trained model with everything needed to use it."""
    keep(folder / WEIGHTS, model.state_dict())
    model.keep(folder)
    write_json(
        folder / MODEL,
        {
            "model": name,
            "sizes": asdict(sizes),
            "regime": asdict(regime),
            "shape": shape._asdict(),
            "vocabulary": vocabulary.to_dict(),
            "version": __version__,
        },
    )


def _best(folder: Path) -> Path:
    """The best restart of a run, or the folder itself if it is one."""
    said = read_json(folder / RUN, "best")
    if said and type(said["best"]) is not int:
        raise damaged(folder / RUN)
    return folder / f"restart-{said['best']}" if said else folder


def load_model(folder: Path) -> tuple[Model, Vocabulary, Regime]:
    """A trained model, ready to answer; `folder` is a run or one restart of it."""
    folder = _best(folder)
    if not (folder / MODEL).is_file():
        raise FabulaError(f"{folder}: no trained model here; train one with `fabula train`.")
    said = read_json(folder / MODEL)
    try:
        kind = model_named(said["model"])
        sizes, regime = kind.Sizes(**said["sizes"]), Regime(**said["regime"])
        words = {name: tuple(value) for name, value in said["vocabulary"].items()}
        vocabulary = Vocabulary(**words)
        shape = Shape(
            **{
                **said["shape"],
                "answer_words": tuple(said["shape"]["answer_words"]),
                "answer_parts": tuple(map(tuple, said["shape"].get("answer_parts", ()))),
                "labels": vocabulary.answers,
            }
        )
    except (AttributeError, KeyError, TypeError, ValueError):  # truncated, or of another version
        raise damaged(folder / MODEL) from None
    model = kind.restored(sizes, shape, folder)
    try:
        model.load_state_dict(kept(folder / WEIGHTS))
    except (AttributeError, RuntimeError, TypeError, ValueError):
        raise damaged(folder / WEIGHTS) from None
    model.eval()
    return model, vocabulary, regime


def weights(folder: Path) -> str:
    """A digest that distinguishes the weights of two runs."""
    path = _best(folder) / WEIGHTS
    return hashed(path) if path.is_file() else ""
