"""StepGame's files: the original's JSON, the hub's JSONL, and its bAbI text.

    qa2_test.json   {"0": {"story": [...], "question": "...", "label": "above"}, "1": ...}
    test.jsonl      {"story": [...], "question": "...", "label": "above", "k_hop": "2"}
    qa2_test.txt    1 A is above B.
                    2 C is to the left of B.
                    3 What is the relation of the agent C to the agent A?<TAB>lower-left<TAB>1 2

Promises:
1. Writing is a pure function of records; published loaders can read the output.
2. k is the length of the chain that a story is built on, as in the published files, not the number
   of steps between the two entities in the question.
3. The published text always cites sentence 1. Ours cites the sentences that prove the answer,
   unless `constant` is set.
4. Every file is read into Samples, whatever its format; ParseError names the place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from fabula.core.files import lines_of, parse_json
from fabula.core.instance import Instance
from fabula.core.soundness import LONGEST_TEXT, shown
from fabula.datasets.formats import babi
from fabula.datasets.formats.babi import MOST_DIGITS
from fabula.errors import FabulaError, ParseError, hint

CONSTANT = (1,)  # the published text cites this for every answer


class Sample(NamedTuple):
    """One story with one question, from any of the files."""

    story: tuple[str, ...]
    question: str
    label: str
    k: int | None
    """Length of the chain, from the record or the file name."""
    place: str
    """File and line or key, for messages."""
    support: tuple[int, ...] = ()
    """Sentence numbers cited; only bAbI text has them."""


# --- writing ----------------------------------------------------------------------------------


def chain_length(record: Instance) -> int:
    """The k of a record."""
    if record.query[:1] != ("relation",) or "chain" not in record.features:
        raise FabulaError(
            f"{record.id}: StepGame's formats are for chains of the space world "
            "whose question is a relation, e.g. those of stepgame/clean."
        )
    return int(record.features["chain"])


def fields(record: Instance) -> dict[str, Any]:
    """The three fields of the original's JSON."""
    chain_length(record)
    return {
        "story": list(record.story),
        "question": record.question,
        "label": record.answer[0],
    }


def hub_fields(record: Instance) -> dict[str, Any]:
    """The four fields of the hub copy; k is a string there."""
    return {**fields(record), "k_hop": str(chain_length(record))}


def json_text(records: Iterable[Instance]) -> Iterator[str]:
    """The original's JSON, piece by piece: one object whose keys count the samples from 0."""
    opening = "{"
    for number, record in enumerate(records):
        yield f'{opening}"{number}": {json.dumps(fields(record))}'
        opening = ", "
    yield "{}" if opening == "{" else "}"


def jsonl_text(records: Iterable[Instance]) -> Iterator[str]:
    """The hub's JSONL, line by line."""
    for record in records:
        yield json.dumps(hub_fields(record)) + "\n"


def babi_text(records: Iterable[Instance], constant: bool = False) -> Iterator[str]:
    """bAbI text, sample by sample; with `constant`, every answer cites sentence 1."""
    for record in records:
        chain_length(record)
        cited = CONSTANT if constant else record.support
        asked = babi.Question(len(record.story), record.question, record.answer[0], cited)
        yield babi.text(record.story, [asked])


FORMS = {"json": json_text, "jsonl": jsonl_text, "txt": babi_text}
"""Form (also the file extension) to the function that writes it."""


def file_name(k: int, split: str, form: str = "json") -> str:
    """The file name in the original's style, e.g. 'qa3_test.json'."""
    return f"qa{k}_{split}.{form}"


def by_length(records: Iterable[Instance]) -> dict[int, list[Instance]]:
    """Records by k, ascending, each group in the given order: one group is one file."""
    groups: dict[int, list[Instance]] = {}
    for record in records:
        groups.setdefault(chain_length(record), []).append(record)
    return dict(sorted(groups.items()))


def files(
    records: Iterable[Instance], split: str, form: str = "json"
) -> Iterator[tuple[str, Iterator[str]]]:
    """The original's files of a split, one for each k: name and content, piece by piece."""
    if form not in FORMS:
        raise FabulaError(f"unknown form '{form}' of StepGame.{hint(form, FORMS)}")
    for k, group in by_length(records).items():
        yield file_name(k, split, form), FORMS[form](group)


# --- reading ----------------------------------------------------------------------------------


def read(path: Path) -> Iterator[Sample]:
    """The samples of a file, by its extension; JSONL may also hold our own records."""
    readers = {".json": read_json, ".jsonl": read_jsonl, ".txt": read_babi}
    if path.suffix not in readers:
        raise ParseError(f"{path}: StepGame's files end in .json, .jsonl or .txt.")
    count = 0
    for sample in readers[path.suffix](path):
        count += 1
        yield sample
    if not count:
        raise ParseError(f"{path}: the file has no samples.")


def read_json(path: Path) -> Iterator[Sample]:
    """The samples of the original's JSON, in the order of the file."""
    data = parse_json(path.read_bytes(), str(path))
    if not isinstance(data, dict):
        raise ParseError(f"{path}: expected one JSON object whose keys number the samples.")
    for key, value in data.items():
        yield _sample(value, f"{path}, sample '{key}'", _named_k(path))


def read_jsonl(path: Path) -> Iterator[Sample]:
    """The samples of JSONL, one per line."""
    for number, line in lines_of(path):
        place = f"{path}, line {number}"
        yield _sample(parse_json(line, place), place, _named_k(path))


def read_babi(path: Path) -> Iterator[Sample]:
    """The samples of bAbI text."""
    k = _named_k(path)
    for story in babi.read(path):
        if not story.questions:
            raise ParseError(f"{path}: a story without a question: '{story.sentences[0][:40]}…'.")
        for asked in story.questions:
            told = story.sentences[: asked.position]
            place = f"{path}, line {asked.line}"
            yield Sample(told, asked.text, asked.answer, k, place, asked.support)


def corrected(path: Path, labels: Mapping[str, str]) -> str:
    """The content of a file with other labels, by place; a sample with an empty label is left out.

    Supports of our own records and of bAbI text are kept.
    """

    def fixed(value: Any, place: str) -> Any:
        if place not in labels:
            return value
        label = labels[place]
        key = "label" if "label" in value else "answer"
        return {**value, key: label if key == "label" else [label]} if label else None

    if path.suffix == ".json":
        data = parse_json(path.read_bytes(), str(path))
        rows = {key: fixed(value, f"{path}, sample '{key}'") for key, value in data.items()}
        kept = {key: value for key, value in rows.items() if value is not None}
        return orjson.dumps(kept, option=orjson.OPT_INDENT_2).decode() + "\n"
    if path.suffix == ".jsonl":
        lines = ((f"{path}, line {number}", line) for number, line in lines_of(path))
        made = (fixed(parse_json(line, place), place) for place, line in lines)
        return "".join(orjson.dumps(value).decode() + "\n" for value in made if value is not None)
    text = ""
    for story in babi.read(path):
        places = [(asked, f"{path}, line {asked.line}") for asked in story.questions]
        asked = [
            one._replace(answer=labels.get(place, one.answer))
            for one, place in places
            if labels.get(place, one.answer)
        ]
        text += babi.text(story.sentences, asked) if asked else ""
    return text


def _sample(value: object, place: str, k: int | None) -> Sample:
    if not isinstance(value, Mapping):
        raise ParseError(f"{place}: a sample must be a JSON object.")
    label = value.get("label")
    if label is None and isinstance(value.get("answer"), list):  # one of our records
        label = value["answer"][0] if value["answer"] else None
        features = value.get("features")
        if isinstance(features, Mapping) and isinstance(features.get("chain"), int):
            k = features["chain"]
    story, question = value.get("story"), value.get("question")
    if not isinstance(story, list) or not all(isinstance(told, str) for told in story):
        raise ParseError(f"{place}: 'story' must be a list of sentences.")
    for name, word in (("question", question), ("label", label)):
        if not isinstance(word, str):
            raise ParseError(f"{place}: '{name}' must be a text.")
    if "k_hop" in value:
        number = str(value["k_hop"])
        if not number.isdecimal() or len(number) > MOST_DIGITS:
            raise ParseError(f"{place}: 'k_hop' must be a whole number, not {shown(number)}.")
        k = int(number)
    support = value.get("support")
    cited = tuple(support) if isinstance(support, list) else ()
    if not all(type(number) is int and 1 <= number <= len(story) for number in cited):
        raise ParseError(f"{place}: 'support' must name sentences from 1 to {len(story)}.")
    if max(map(len, [*story, str(question)])) > LONGEST_TEXT:
        raise ParseError(f"{place}: a sentence has more than {LONGEST_TEXT:,} characters.")
    return Sample(tuple(story), str(question), str(label), k, place, cited)


def _named_k(path: Path) -> int | None:
    """The k in the name of a file, e.g. 3 in 'qa3_test.json'."""
    found = re.match(r"qa(\d{1,9})_", path.name)
    return int(found[1]) if found else None
