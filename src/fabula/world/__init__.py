"""Worlds: simulators that know the truth, and readers that know only the text.

base.py      the interface: World, Tale (a story in the making), Reading (what the reader knows)
relations/   what worlds of relations share: chains, noise, graphs
actors/ space/ kinship/ sizes/ kinds/   the five worlds, one folder each

May import: core, language, recipe. A reader never imports its simulator.
Start with `sizes/`, the smallest. A world can also come from another package (`examples/clocks`).
"""

from __future__ import annotations

from fabula.core.registry import WORLDS

__all__ = ["WORLDS"]
