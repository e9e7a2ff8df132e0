"""Trained models as models to evaluate: any run folder of `fabula train`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.core.files import damaged, read_json
from fabula.core.instance import Instance
from fabula.errors import MissingExtraError, ParseError
from fabula.evaluation.model import Reply

if TYPE_CHECKING:
    from fabula.training.data import Tensors
    from fabula.training.source import Source

PLAN = "plan.json"


class Trained:
    """Answers with the most likely label; it reads story and question, not the prompt."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        try:
            import torch

            from fabula.training.stored import load_model, weights
            from fabula.training.team import check_device
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise MissingExtraError(
                "trained models need PyTorch. Install it: pip install 'fabula[train]'"
            ) from None
        check_device(device)
        self.name = folder.resolve().name
        self.folder = folder
        self.device = torch.device(device)
        self.weights = weights(folder)
        self.model, self.vocabulary, self.regime = load_model(folder)
        self.model.to(self.device)

    def about(self) -> dict[str, Any]:
        """The folder and the kind of model."""
        return {
            "kind": "trained",
            "folder": str(self.folder),
            "model": type(self.model).__name__,
            "weights": self.weights,
            "trained_on": [source.name for source in self.sources()],
        }

    def sources(self) -> list[Source]:
        """The data it was trained on, as far as its folder says."""
        from fabula.training.source import Source

        for folder in (self.folder, self.folder.parent):
            path = folder / PLAN
            if found := read_json(path, "data"):
                try:
                    return [Source.from_dict(said) for said in found["data"]]
                except (ParseError, TypeError):
                    raise damaged(path) from None
        return []

    def lessons(self) -> Iterator[Instance]:
        """Its training examples. The folder may come from somebody else, so they are generated from
        built-in recipes or read from the current folder, and from nowhere else.
        """
        from fabula.training.source import instances

        return instances([source.near() for source in self.sources()], "train")

    def check(self, instances: Sequence[Instance]) -> None:
        """Raise an error for instances that the model cannot answer."""
        self._read(instances)

    def _read(self, instances: Sequence[Instance]) -> Tensors:
        from fabula.training.data import examples_of
        from fabula.training.runs import as_read

        model = self.model
        return as_read(
            type(model), model.sizes, examples_of(instances), self.vocabulary, self.regime
        )

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """The labels, for all instances at once."""
        from fabula.training.loop import evaluate

        judged = evaluate(self.model, self._read([found for found, _ in asked]), self.device)
        for at, answer in enumerate(judged.answers.tolist()):
            words = self.vocabulary.answers[answer].split(",") if answer >= 0 else []
            yield at, Reply(f"Answer: {', '.join(words)}")
