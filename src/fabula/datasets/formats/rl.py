"""Rows of reinforcement-learning trainers: a prompt, and what a reply is rewarded by.

    {"data_source": "fabula/babi/qa2", "prompt": [{"role": "user", "content": …}],
     "ability": "reasoning", "reward_model": {"style": "rule", "ground_truth": "garden"},
     "extra_info": {"id": …, "split": …, "index": …, "record": the record as JSON}}

`compute_score` is the reward function that trainers of this kind take by file and name. It is
`fabula.score`; the record travels along as one string, so that types stay the same for all worlds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from fabula.core.instance import Instance
from fabula.datasets.formats.base import Format
from fabula.errors import ParseError
from fabula.prompting.prompt import prompt
from fabula.scoring import score


def fields(record: Instance) -> dict[str, Any]:
    """The row of a record."""
    made = record.provenance
    return {
        "data_source": f"fabula/{made.get('recipe', 'records')}",
        "prompt": [{"role": "user", "content": prompt(record, "reason")}],
        "ability": "reasoning",
        "reward_model": {"style": "rule", "ground_truth": ", ".join(record.answer)},
        "extra_info": {
            "id": record.id,
            "split": made.get("split"),
            "index": made.get("index"),
            "record": record.to_json().decode(),
        },
    }


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
) -> float:
    """1 for a right reply, 0 for any other."""
    if not extra_info or "record" not in extra_info:
        raise ParseError(
            f"{data_source}: a reply is scored by the row's extra_info.record, which is missing."
        )
    record = Instance.from_json(extra_info["record"], f"{data_source}, extra_info.record")
    return float(score(record, solution_str).correct)


def _lines(records: Sequence[Instance]) -> bytes:
    return b"".join([orjson.dumps(fields(record)) + b"\n" for record in records])


FORMAT = Format(
    "jsonl",
    "rows of reinforcement-learning trainers: prompt, ground truth, extra info",
    _lines,
    numbered=True,
    loader="json",
)
