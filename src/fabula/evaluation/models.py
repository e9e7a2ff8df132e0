"""Models by name: a trained run, 'hf:…', or any model that Inspect AI knows."""

from __future__ import annotations

from pathlib import Path

from fabula.errors import FabulaError, MissingExtraError
from fabula.evaluation.model import Ask, Model


def model_named(name: str, ask: Ask, likelihood: bool = False, device: str = "cpu") -> Model:
    """The model that a name on the command line means."""
    kind, colon, rest = name.partition(":")
    if colon and kind == "hf":
        from fabula.evaluation.hugging_face import HuggingFace

        return HuggingFace(rest, ask, likelihood, device)
    if likelihood:
        raise FabulaError(f"--likelihood: only models 'hf:…' tell likelihoods, '{name}' does not.")
    folder = Path(name)
    if folder.is_dir():
        return _trained(folder, device)
    if name.startswith((".", "/", "~")) or "/" not in name:
        raise FabulaError(
            f"{name}: no such model. Name the folder of a run of `fabula train`, hf:PATH_OR_NAME "
            "for a Hugging Face model, or PROVIDER/MODEL for one behind an API, e.g. openai/gpt-5."
        )
    from fabula.evaluation.inspect_api import InspectModel

    try:
        return InspectModel(name, ask)
    except MissingExtraError as error:
        raise MissingExtraError(
            f"{name}: no folder of this name; for a model behind an API, {error}"
        ) from None


def _trained(folder: Path, device: str) -> Model:
    if (folder / "config.json").is_file():
        raise FabulaError(f"{folder}: this looks like a Hugging Face model; name it hf:{folder}")
    if not any((folder / file).is_file() for file in ("plan.json", "model.json")):
        raise FabulaError(f"{folder}: no trained model is here; train one with `fabula train`.")
    from fabula.training.trained import Trained

    return Trained(folder, device)
