"""Anonymises a record: every person becomes @entity-0, @entity-1, …

Numbers follow the order of first mention in the story, or a shuffle of it. The rewritten story is
read like any other, so its proof can be checked again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fabula.core.instance import Instance
from fabula.core.seeds import Draw, shuffled


def anonymised(record: Instance, draw: Draw | None = None) -> Instance:
    """The record with numbered entities instead of names; with a draw, numbered at random."""
    names = [name for name, _ in record.features["people"]]
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?![\w-])")
    mentioned = list(dict.fromkeys(pattern.findall(" ".join(record.story))))
    order = mentioned if draw is None else shuffled(draw, mentioned)
    entity = {name: f"@entity-{n}" for n, name in enumerate(order)}

    def in_text(text: str) -> str:
        return pattern.sub(lambda found: entity[found[0]], text)

    rewrite = _everywhere(lambda word: entity.get(word, word))
    features = rewrite(dict(record.features))
    if "templates" in features:  # their slots are not names
        features["templates"] = record.features["templates"]
    return replace(
        record,
        story=tuple(map(in_text, record.story)),
        question=in_text(record.question),
        facts=rewrite(record.facts),
        query=rewrite(record.query),
        features=features,
    )


def _everywhere(change: Callable[[str], str]) -> Callable[[Any], Any]:
    """The function applied to every string in a structure."""

    def rewrite(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, tuple):
            return tuple(map(rewrite, value))
        if isinstance(value, list):
            return list(map(rewrite, value))
        if isinstance(value, dict):
            return {key: rewrite(inner) for key, inner in value.items()}
        return value

    return rewrite
