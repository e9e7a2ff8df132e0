"""Fabula generates, proves and uses benchmarks of story understanding.

>>> import fabula
>>> data = fabula.Dataset("babi/qa2", split="test", seed=7)
>>> len(data), data[0].question
(1000, 'Where is the milk?')
>>> fabula.score(data[0], "The answer is the garden.").outcome.value
'wrong'

Every name below is loaded when it is first used, so importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fabula._version import __version__

if TYPE_CHECKING:
    from fabula.analysis.stats import stats
    from fabula.analysis.verify import verify
    from fabula.api import formats, read, recipes, worlds, write
    from fabula.core.instance import Instance
    from fabula.datasets.dataset import Dataset
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
    from fabula.generation.author import generate, instance
    from fabula.prompting.prompt import prompt
    from fabula.recipe.loading import load
    from fabula.recipe.model import Recipe
    from fabula.scoring import score

__all__ = [
    "Dataset", "FabulaError", "Instance", "MissingExtraError", "MissingFileError", "OutputError",
    "ParseError", "QuotaError", "Recipe", "RecipeError", "UnknownRecipeError", "UsageError",
    "__version__", "formats", "generate", "instance", "load", "prompt", "read", "recipes", "score",
    "stats", "verify", "worlds", "write",
]  # fmt: skip

_HOME = {
    "Dataset": "datasets.dataset",
    "Instance": "core.instance",
    "Recipe": "recipe.model",
    "generate": "generation.author",
    "instance": "generation.author",
    "load": "recipe.loading",
    "prompt": "prompting.prompt",
    "score": "scoring",
    "stats": "analysis.stats",
    "verify": "analysis.verify",
}
"""The module of a public name; errors are in `errors`, all else is in `api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'fabula' has no attribute '{name}'")
    home = _HOME.get(name, "errors" if name.endswith("Error") else "api")
    value = getattr(import_module(f"fabula.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
