"""Rows for reinforcement-learning trainers: a prompt, and the data that a reward needs.

    {"data_source": "fabula/babi/qa2", "prompt": [{"role": "user", "content": …}],
     "ability": "reasoning", "reward_model": {"style": "rule", "ground_truth": "garden"},
     "extra_info": {"id": …, "split": …, "index": …, "record": the record as JSON}}

`compute_score` is the reward function that such trainers take by file and name. It calls
`fabula.score`; the record is included as one string, so that types are the same for all worlds.
`compute_cited_score` rewards the cited sentences as well, for prompts of the style 'cite'.
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
from fabula.scoring.evidence import reward


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
    return float(score(_record(data_source, extra_info), solution_str).correct)


def compute_cited_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Mapping[str, Any] | None = None,
) -> float:
    """Half for a right answer, half for sentences that prove it (see `scoring.evidence.reward`)."""
    return reward(_record(data_source, extra_info), solution_str)


def _record(data_source: str, extra_info: Mapping[str, Any] | None) -> Instance:
    if not extra_info or "record" not in extra_info:
        raise ParseError(
            f"{data_source}: extra_info.record is missing; it is needed to score the reply."
        )
    return Instance.from_json(extra_info["record"], f"{data_source}, extra_info.record")


def _lines(records: Sequence[Instance]) -> bytes:
    return b"".join([orjson.dumps(fields(record)) + b"\n" for record in records])


FORMAT = Format(
    "jsonl",
    "rows for reinforcement-learning trainers: prompt, ground truth, extra info",
    _lines,
    numbered=True,
    loader="json",
)
