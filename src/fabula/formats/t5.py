"""T5's text-to-text: an input text and a target text, one pair a line.

{"id": …, "inputs": "question: Where is Mary? context: Mary went …", "targets": "garden"}
"""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from fabula.formats.base import Format
from fabula.instance import Instance


def fields(record: Instance) -> dict[str, str]:
    """The pair of texts of a record."""
    return {
        "id": record.id,
        "inputs": f"question: {record.question} context: {' '.join(record.story)}",
        "targets": ", ".join(record.answer),
    }


def _lines(records: Sequence[Instance]) -> bytes:
    return b"".join([orjson.dumps(fields(record)) + b"\n" for record in records])


FORMAT = Format(
    "jsonl", "T5's pairs: inputs and targets as texts", _lines, numbered=True, loader="json"
)
