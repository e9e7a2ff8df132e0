"""Formats: how a data set is written and read. One small module each behind one interface.

A format writes the records of a *passage* (a story with its questions), so that formats which
keep the questions of a story together and formats with one record per question are served alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from fabula.core.instance import Instance
from fabula.datasets.formats import babi, chat, clutrr_csv, jsonl, parquet, rl, squad, stepgame, t5
from fabula.datasets.formats.base import Format, Sink
from fabula.errors import FabulaError, hint
from fabula.generation.author import Author, Passage

__all__ = [
    "FORMATS", "Format", "Sink", "data_files", "format_named", "read_jsonl", "read_records",
]  # fmt: skip


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


FORMATS: dict[str, Format] = {
    "jsonl": jsonl.FORMAT,
    "parquet": parquet.FORMAT,
    "babi": Format("txt", "bAbI text, as published loaders read it", quick=_babi),
    "stepgame": Format("jsonl", "StepGame's JSON lines, as on the hub", _stepgame, loader="json"),
    "stepgame-json": Format(
        "json",
        "StepGame's original JSON: one object for a file",
        _stepgame_json,
        header=b"{",
        separator=b", ",
        footer=b"}",
    ),
    "clutrr": Format(
        "csv",
        "CLUTRR's table of 17 columns",
        _clutrr,
        header=clutrr_csv.header().encode(),
        loader="csv",
    ),
    "clutrr-hub": Format(
        "csv",
        "the 14 columns of CLUTRR's copy on the hub",
        _clutrr_hub,
        header=clutrr_csv.header(hub=True).encode(),
        loader="csv",
    ),
    "chat": chat.DIRECT,
    "chat-cot": chat.THOUGHTS,
    "chat-few-shot": chat.FEW_SHOT,
    "t5": t5.FORMAT,
    "rl": rl.FORMAT,
    "squad": squad.FORMAT,
}


def format_named(name: str) -> Format:
    """The format of this name."""
    if name not in FORMATS:
        raise FabulaError(f"unknown format '{name}'.{hint(name, FORMATS)}")
    return FORMATS[name]


# --- reading ------------------------------------------------------------------------------------

read_jsonl = jsonl.read


def read_records(path: Path) -> Iterator[Instance]:
    """The records of a file of ours, JSONL or Parquet."""
    return parquet.read(path) if path.suffix == ".parquet" else jsonl.read(path)


def data_files(path: Path, *patterns: str) -> list[Path]:
    """The data files a path names: itself, or those in the folder of the first pattern that fits.

    Patterns are tried in order, in the folder and then in the folders within (where Parquet is).
    """
    patterns = patterns or ("*.jsonl", "*.parquet")
    if path.is_file():
        return [path]
    if not path.exists():
        raise FabulaError(f"{path}: there is no such file or folder.")
    for pattern in patterns:
        for way in (pattern, f"*/{pattern}"):
            found = sorted(
                file
                for file in path.glob(way)
                if file.stem != "manifest" and not file.parent.name.startswith(".")
            )
            if found:
                return found
    raise FabulaError(f"{path}: no {' and no '.join(patterns)} file in this folder.")
