"""Fabula generates, proves and uses benchmarks of story understanding.

>>> import fabula
>>> fabula.instance("babi/qa2", "test", 417)        # one instance
>>> for instance in fabula.generate("babi/qa2", split="test", seed=7): ...
>>> fabula.score(instance, "The answer is the garden.")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabula._version import __version__

if TYPE_CHECKING:
    from fabula.generate import generate, instance
    from fabula.instance import Instance
    from fabula.recipe import Recipe, load
    from fabula.score import score

__all__ = ["Instance", "Recipe", "__version__", "generate", "instance", "load", "score"]

_HOMES = {
    "generate": "fabula.generate",
    "instance": "fabula.generate",
    "Instance": "fabula.instance",
    "Recipe": "fabula.recipe",
    "load": "fabula.recipe",
    "score": "fabula.score",
}


def __getattr__(name: str) -> Any:
    """Load what is asked for when it is asked for, so that importing the package is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'fabula' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value
