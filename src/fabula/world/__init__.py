"""Worlds: simulators that know the truth, and readers that know only the text.

    base.py      the interface: World, Tale (a story being told), Reading (what the reader knows)
    relations/   shared by the relation worlds: chains, noise, graphs
    actors/ space/ kinship/ sizes/ kinds/   the five worlds, one folder each

May import: core, language, recipe. A reader never imports its simulator. Start with `sizes/`, the
smallest. Other packages can add worlds too (see `examples/clocks`).
"""

from __future__ import annotations

from fabula.core.registry import WORLDS

__all__ = ["WORLDS"]
