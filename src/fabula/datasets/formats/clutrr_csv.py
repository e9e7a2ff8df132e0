"""CLUTRR's CSV: the 17 columns of the original files and the 14 of the hub copy.

Pure functions of records of the kinship world. Where the original is inconsistent, this is what we
write: `edge_types` has a word for every edge, noise included; names are in square brackets in story
and clean_story; people are numbered along the chain, then noise in the order drawn, and
`node_mapping` maps these numbers to themselves, since the family is not part of the data; `id` is a
UUID derived from the record's id.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from fabula.core.instance import Instance
from fabula.errors import FabulaError

COLUMNS = (
    "id", "story", "query", "text_query", "target", "text_target", "clean_story", "proof_state",
    "f_comb", "task_name", "story_edges", "edge_types", "query_edge", "genders", "syn_story",
    "node_mapping", "task_split",
)  # fmt: skip
HUB_COLUMNS = (
    "id", "story", "query", "target", "target_text", "clean_story", "proof_state", "f_comb",
    "task_name", "story_edges", "edge_types", "query_edge", "genders", "task_split",
)  # fmt: skip
LABELS = (
    "aunt", "son-in-law", "grandfather", "brother", "sister", "father", "mother", "grandmother",
    "uncle", "daughter-in-law", "grandson", "granddaughter", "father-in-law", "mother-in-law",
    "nephew", "son", "daughter", "niece", "husband", "wife", "sister-in-law",
)  # fmt: skip
"""The hub copy's label numbers; words beyond its 21 get the numbers after them, in our order."""
MORE_LABELS = (
    "brother-in-law", "cousin", "great-grandfather", "great-grandmother", "great-grandson",
    "great-granddaughter",
)  # fmt: skip


def columns(record: Instance) -> dict[str, str]:
    """The 17 columns of a record."""
    source = record.provenance
    if source.get("language", "en") != "en" or source.get("cipher"):
        raise FabulaError(
            f"{record.id}: CLUTRR's tables are in English only; write other languages as jsonl."
        )
    features = record.features
    if record.provenance.get("world") != "kinship" or "edges" not in features:
        raise FabulaError(f"{record.id}: CLUTRR's format is for records of the kinship world.")
    people = [name for name, _ in features["people"]]
    first, second = record.query[1:]
    bracketed = _bracketing(people)
    edges: list[list[Any]] = features["edges"]
    target = record.answer[0]
    proof = [
        {tuple(step["fact"]): [tuple(fact) for fact in step["from"]]} for step in features["proof"]
    ]
    return {
        "id": str(uuid5(NAMESPACE_URL, f"fabula:{record.id}")),
        "story": " ".join(bracketed(unit) for unit in record.story),
        "query": str((first, second)),
        "text_query": record.question,
        "target": target,
        "text_target": str([f"[{second}] is [{first}]'s {target}."]),
        "clean_story": " ".join(bracketed(unit) for unit in _clean(record)),
        "proof_state": str(proof),
        "f_comb": features["clause"],
        "task_name": f"task_{features['task']}",
        "story_edges": str([(a, b) for a, _, b, _ in edges]),
        "edge_types": str([word for _, word, _, _ in edges]),
        "query_edge": str((people.index(first), people.index(second))),
        "genders": ",".join(f"{name}:{gender}" for name, gender in features["people"]),
        "syn_story": "",
        "node_mapping": str({n: n for n in range(len(people))}),
        "task_split": str(record.provenance["split"]),
    }


def hub_columns(record: Instance) -> dict[str, str]:
    """The 14 columns of the hub copy."""
    found = columns(record)
    word = found["target"]
    found["target_text"] = word
    found["target"] = str((*LABELS, *MORE_LABELS).index(word))
    return {name: found[name] for name in HUB_COLUMNS}


def _clean(record: Instance) -> list[str]:
    """The units of the chain, in order."""
    people = [name for name, _ in record.features["people"]]
    place = {
        frozenset((people[a], people[b])): n
        for n, (a, _, b, role) in enumerate(record.features["edges"])
        if role == "support"
    }
    found = []
    for unit, facts in zip(record.story, record.facts, strict=True):
        told = [place.get(frozenset(fact[1:])) for fact in facts if len(fact) == 3]
        of_chain = [number for number in told if number is not None]
        if of_chain:
            found.append((min(of_chain), unit))
    return [unit for _, unit in sorted(found)]


def _bracketing(people: Iterable[str]) -> Any:
    names = "|".join(sorted(map(re.escape, people), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{names})(?![\w-])")
    return lambda text: pattern.sub(lambda found: f"[{found[0]}]", text)


def rows(records: Iterable[Instance], hub: bool = False, start: int = 0) -> str:
    """Records as CSV rows with their running number, without the header."""
    return _csv(
        [start + n, *(hub_columns(record) if hub else columns(record)).values()]
        for n, record in enumerate(records)
    )


def header(hub: bool = False) -> str:
    """The header: a column without a name, then the others."""
    return _csv([["", *(HUB_COLUMNS if hub else COLUMNS)]])


def text(records: Iterable[Instance], hub: bool = False) -> str:
    """A whole CSV file."""
    return header(hub) + rows(records, hub)


def _csv(lines: Iterable[Iterable[Any]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(lines)
    return buffer.getvalue()


def read(content: str) -> list[Mapping[str, str]]:
    """The rows of such a file, as a published loader sees them."""
    return list(csv.DictReader(io.StringIO(content.removeprefix("\ufeff"))))
