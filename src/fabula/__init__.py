"""Fabula generates, proves and uses benchmarks of story understanding.

>>> import fabula
>>> fabula.instance("babi/qa2", "test", 417)        # one instance
>>> for instance in fabula.generate("babi/qa2", split="test", seed=7): ...
>>> fabula.score(instance, "The answer is the garden.")
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from fabula._version import __version__

if TYPE_CHECKING:
    from fabula.core.instance import Instance
    from fabula.generation.author import generate, instance
    from fabula.recipe.model import Recipe, load
    from fabula.scoring import score

__all__ = ["Instance", "Recipe", "__version__", "generate", "instance", "load", "score"]


class _Package(ModuleType):
    """The package, whose functions are loaded when they are asked for: importing it is quick.

    Properties, because `generate`, `instance` and `score` are also modules, and importing those
    would otherwise put the module in the place of the function.
    """


def _lazy(module: str, name: str) -> property:
    def load(package: ModuleType) -> Any:
        return getattr(import_module(f"fabula.{module}"), name)

    def ignore(package: ModuleType, value: Any) -> None:
        """The import system sets submodules; the function stays."""

    return property(load, ignore)


for _module, _name in (
    ("generate", "generate"),
    ("generate", "instance"),
    ("instance", "Instance"),
    ("recipe", "Recipe"),
    ("recipe", "load"),
    ("score", "score"),
):
    setattr(_Package, _name, _lazy(_module, _name))

sys.modules[__name__].__class__ = _Package
