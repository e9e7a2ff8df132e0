"""The formats of published benchmarks, as their own loaders read them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from json.encoder import encode_basestring_ascii as quoted

from fabula.core.instance import Instance
from fabula.datasets.formats import babi, clutrr_csv, stepgame
from fabula.datasets.formats.base import Format
from fabula.generation.author import Author, Passage


def _index(record: Instance) -> int:
    return int(record.provenance["index"])


def _stepgame(records: Sequence[Instance]) -> bytes:
    return "".join(stepgame.jsonl_text(records)).encode()


def _stepgame_quick(author: Author, passage: Passage) -> bytes:
    k = getattr(passage.tale, "chain_length", 0)
    story = passage.sentences
    shift = len(passage.preface)
    lines = []
    for asked in passage.asked:
        if not k or asked.query[0] != "relation":
            return _stepgame(author.records(passage))  # which says what is wrong
        told = ", ".join([quoted(sentence) for sentence in story[: asked.position + shift]])
        lines.append(
            f'{{"story": [{told}], "question": {quoted(asked.question)}, '
            f'"label": {quoted(asked.answer[0])}, "k_hop": "{k}"}}\n'
        )
    return "".join(lines).encode()


def _stepgame_json(records: Sequence[Instance]) -> bytes:
    entries = (f'"{_index(r)}": {json.dumps(stepgame.fields(r))}' for r in records)
    return ", ".join(entries).encode()


def _clutrr(records: Sequence[Instance]) -> bytes:
    return clutrr_csv.rows(records, start=_index(records[0])).encode()


def _clutrr_hub(records: Sequence[Instance]) -> bytes:
    return clutrr_csv.rows(records, hub=True, start=_index(records[0])).encode()


def _babi(author: Author, passage: Passage) -> bytes:
    blank = author.recipe.space_before_tab
    shift = len(passage.preface)
    questions = [
        babi.Question(
            asked.position + shift,
            asked.question,
            ",".join(asked.answer),
            tuple([number + shift for number in asked.support]) if shift else asked.support,
            blank,
        )
        for asked in passage.asked
    ]
    # sentences after the last question belong to questions that were cut off
    end = passage.asked[-1].position + shift
    return babi.text(passage.sentences[:end], questions).encode()


BABI = Format(
    "txt", "bAbI text, as published loaders read it", quick=_babi, text=True, only_best=True
)
STEPGAME = Format(
    "jsonl",
    "StepGame's JSON lines, as on the hub",
    _stepgame,
    _stepgame_quick,
    text=True,
    loader="json",
)
STEPGAME_JSON = Format(
    "json",
    "StepGame's original JSON: one object per file",
    _stepgame_json,
    header=b"{",
    separator=b", ",
    footer=b"}",
)
CLUTRR = Format(
    "csv",
    "CLUTRR's table of 17 columns",
    _clutrr,
    header=clutrr_csv.header().encode(),
    loader="csv",
)
CLUTRR_HUB = Format(
    "csv",
    "the 14 columns of CLUTRR's copy on the hub",
    _clutrr_hub,
    header=clutrr_csv.header(hub=True).encode(),
    loader="csv",
)
