"""T5's text-to-text format: an input text and a target text, one pair per line.

    {"id": …, "inputs": "question: Where is Mary? context: Mary went …", "targets": "garden"}

The context begins with the conventions of the recipe, unless the story states them.
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format
from fabula.prompting.prompt import conventions


def fields(record: Instance) -> dict[str, str]:
    """The pair of texts of a record."""
    told = [*conventions(record), *record.story]
    return {
        "id": record.id,
        "inputs": f"question: {record.question} context: {' '.join(told)}",
        "targets": ", ".join(record.answer),
    }


def _lines(records: Sequence[Instance]) -> bytes:
    return b"".join([orjson.dumps(fields(record)) + b"\n" for record in records])


FORMAT = Format(
    "jsonl", "T5's text-to-text pairs: inputs and targets", _lines, numbered=True, loader="json"
)
