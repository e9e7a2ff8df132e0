"""Tables for interchange interventions: an input, and the inputs to take values from.

{"id": …, "input": "…", "counterfactual_inputs": ["…"], "answer": "kitchen",
 "counterfactual_answers": ["garden"], "variants": ["flip"], "edits": […], "variables": […],
 "counterfactual_variables": [[…]], "spans": {…}, "counterfactual_spans": [{…}]}

One line for each original; the variants of a contrast set are its counterfactual inputs. The text
is the story, one sentence a line, and then the question; spans count in it. Records without
variants are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson

from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format
from fabula.errors import OutputError
from fabula.generation.author import Author, Passage
from fabula.generation.tokens import text_of


def fields(base: Instance, variants: Sequence[Instance]) -> dict[str, Any]:
    """The line of an original and its variants."""
    return {
        "id": base.id,
        "input": text_of(base.story, base.question),
        "counterfactual_inputs": [text_of(one.story, one.question) for one in variants],
        "answer": ", ".join(base.answer),
        "counterfactual_answers": [", ".join(one.answer) for one in variants],
        "variants": [one.variant for one in variants],
        "edits": [one.extras.get("edit") for one in variants],
        "variables": base.extras.get("variables"),
        "counterfactual_variables": [one.extras.get("variables") for one in variants],
        "spans": base.extras.get("spans"),
        "counterfactual_spans": [one.extras.get("spans") for one in variants],
        **({"tokens": base.extras["tokens"]} if "tokens" in base.extras else {}),
        **(
            {"counterfactual_tokens": [one.extras.get("tokens") for one in variants]}
            if "tokens" in base.extras
            else {}
        ),
    }


def families(records: Iterable[Instance]) -> Iterator[tuple[Instance, list[Instance]]]:
    """Originals with their variants, in order; those that have none are left out."""
    found: dict[str, tuple[Instance | None, list[Instance]]] = {}
    for one in records:
        if one.pair:
            base, variants = found.get(one.pair, (None, []))
            if one.variant == "base":
                base = one
            else:
                variants.append(one)
            found[one.pair] = (base, variants)
    for base, variants in found.values():
        if base is not None and variants:
            yield base, variants


def _lines(records: Sequence[Instance]) -> bytes:
    if not any(one.pair for one in records):
        raise OutputError(
            f"{records[0].id if records else 'the data'}: the format 'interchange' holds contrast "
            "pairs; set contrast = {flip = 1} in the recipe, or make them by `fabula rewrite flip`."
        )
    return b"".join([orjson.dumps(fields(*each)) + b"\n" for each in families(records)])


class _Interchange(Format):
    def piece(self, author: Author, passages: Iterable[Passage]) -> bytes:
        return _lines([one for passage in passages for one in author.records(passage)])


FORMAT = _Interchange(
    "jsonl",
    "contrast pairs as inputs and counterfactual_inputs, for interchange interventions",
    _lines,
    numbered=True,
    loader="json",
)
