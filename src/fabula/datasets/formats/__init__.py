"""Formats: how a data set is written. One small module each behind one interface (`base.py`).

A format writes the records of a *passage* (a story with its questions). This serves formats that
keep the questions of a story together as well as those with one record per question.

Another package adds a format with an entry point that names a `Format` (see `base.py`):

    [project.entry-points."fabula.formats"]
    mine = "my_package:FORMAT"

Formats are loaded when they are used. Records are read by `fabula.datasets.stored`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabula.core.registry import Registry

if TYPE_CHECKING:
    from fabula.datasets.formats.base import Format

__all__ = ["FORMATS", "format_named"]

FORMATS: Registry[Format] = Registry(
    "fabula.formats",
    {
        name: f"fabula.datasets.formats.{place}"
        for name, place in {
            "jsonl": "jsonl:FORMAT",
            "jsonl.gz": "jsonl:GZIPPED",
            "parquet": "parquet:FORMAT",
            "babi": "published:BABI",
            "stepgame": "published:STEPGAME",
            "stepgame-json": "published:STEPGAME_JSON",
            "clutrr": "published:CLUTRR",
            "clutrr-hub": "published:CLUTRR_HUB",
            "chat": "chat:DIRECT",
            "chat-cot": "chat:THOUGHTS",
            "chat-few-shot": "chat:FEW_SHOT",
            "t5": "t5:FORMAT",
            "rl": "rl:FORMAT",
            "squad": "squad:FORMAT",
            "interchange": "interchange:FORMAT",
        }.items()
    },
    "format",
)


def format_named(name: str) -> Format:
    """The format with this name."""
    return FORMATS.find(name)
