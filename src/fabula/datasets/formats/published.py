"""The formats of published benchmarks: what their own loaders read."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fabula.core.instance import Instance
from fabula.datasets.formats import babi, clutrr_csv, stepgame
from fabula.datasets.formats.base import Format
from fabula.generation.author import Author, Passage


def _index(record: Instance) -> int:
    return int(record.provenance["index"])


def _stepgame(records: Sequence[Instance]) -> bytes:
    return "".join(stepgame.jsonl_text(records)).encode()


def _stepgame_json(records: Sequence[Instance]) -> bytes:
    entries = (f'"{_index(r)}": {json.dumps(stepgame.fields(r))}' for r in records)
    return ", ".join(entries).encode()


def _clutrr(records: Sequence[Instance]) -> bytes:
    return clutrr_csv.rows(records, start=_index(records[0])).encode()


def _clutrr_hub(records: Sequence[Instance]) -> bytes:
    return clutrr_csv.rows(records, hub=True, start=_index(records[0])).encode()


def _babi(author: Author, passage: Passage) -> bytes:
    blank = author.recipe.blank_before_tab
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
    # what was told after the last question belongs to questions that were cut off
    end = passage.asked[-1].position + shift
    return babi.text(passage.sentences[:end], questions).encode()


BABI = Format("txt", "bAbI text, as published loaders read it", quick=_babi)
STEPGAME = Format("jsonl", "StepGame's JSON lines, as on the hub", _stepgame, loader="json")
STEPGAME_JSON = Format(
    "json",
    "StepGame's original JSON: one object for a file",
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
