"""Fabula generates story-understanding benchmarks with proven answers, and evaluates models.

>>> import fabula
>>> data = fabula.Dataset("babi/qa2", split="test", seed=7)
>>> len(data), data[0].question
(1000, 'Where is the milk?')
>>> fabula.score(data[0], "The answer is the garden.").outcome.value
'wrong'

Names are loaded when they are first used, so importing the package is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fabula._version import __version__

if TYPE_CHECKING:
    from fabula.analysis.baselines import baselines
    from fabula.analysis.rewrites.dataset import rewrite
    from fabula.analysis.stats import stats
    from fabula.analysis.verify import verify
    from fabula.api import audit, diff, formats, leak, read, recipes, report, worlds
    from fabula.core.instance import Instance
    from fabula.datasets.dataset import Dataset
    from fabula.datasets.writing import write
    from fabula.errors import (
        FabulaError,
        MissingExtraError,
        MissingFileError,
        OutputError,
        ParseError,
        QuotaError,
        RecipeError,
        UnknownRecipeError,
        UsageError,
    )
    from fabula.evaluation.adaptive.ability import Ability, ability
    from fabula.evaluation.adaptive.calibration import calibrate
    from fabula.evaluation.evaluate import Evaluation, evaluate
    from fabula.evaluation.probe.probing import Probe, probe
    from fabula.evaluation.shrink import Shrunk, shrink
    from fabula.generation.author import generate, instance
    from fabula.prompting.prompt import prompt
    from fabula.recipe.loading import load
    from fabula.recipe.model import Recipe
    from fabula.scoring import score
    from fabula.training.describe import models
    from fabula.training.train import train

__all__ = [
    "Ability", "Dataset", "Evaluation", "FabulaError", "Instance", "MissingExtraError",
    "MissingFileError", "OutputError", "ParseError", "Probe", "QuotaError", "Recipe", "RecipeError",
    "Shrunk", "UnknownRecipeError", "UsageError", "__version__", "ability", "audit", "baselines",
    "calibrate", "diff", "evaluate", "formats", "generate", "instance", "leak", "load", "models",
    "probe", "prompt", "read", "recipes", "report", "rewrite", "score", "shrink", "stats", "train",
    "verify", "worlds", "write",
]  # fmt: skip

_HOME = {
    "Ability": "evaluation.adaptive.ability",
    "Dataset": "datasets.dataset",
    "Evaluation": "evaluation.evaluate",
    "Instance": "core.instance",
    "Probe": "evaluation.probe.probing",
    "Recipe": "recipe.model",
    "Shrunk": "evaluation.shrink",
    "ability": "evaluation.adaptive.ability",
    "baselines": "analysis.baselines",
    "calibrate": "evaluation.adaptive.calibration",
    "evaluate": "evaluation.evaluate",
    "generate": "generation.author",
    "instance": "generation.author",
    "load": "recipe.loading",
    "models": "training.describe",
    "probe": "evaluation.probe.probing",
    "prompt": "prompting.prompt",
    "rewrite": "analysis.rewrites.dataset",
    "score": "scoring",
    "shrink": "evaluation.shrink",
    "stats": "analysis.stats",
    "train": "training.train",
    "verify": "analysis.verify",
    "write": "datasets.writing",
}
"""The module of each public name; errors are in `errors`, everything else is in `api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'fabula' has no attribute '{name}'")
    home = _HOME.get(name, "errors" if name.endswith("Error") else "api")
    value = getattr(import_module(f"fabula.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
