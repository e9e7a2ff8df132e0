"""Records per second that `fabula verify` proves in one process, for every recipe and by length.

    python benchmarks/verify.py [SECONDS] [NAME …]

SECONDS is spent on each row (default 1); names restrict the recipes. The last column relates the
speed to a fixed loop of pure Python, so that figures from different or busy machines can be
compared: records proven while the loop runs once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.calibration import loop as unit
from benchmarks.calibration import seconds

import fabula
from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.recipe.loading import load, read_recipe, recipe_ids

SAMPLE = 400  # records of a row at most, spread over its splits
SCALING: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("stepgame/clean", "k = 10", {"hops": 10}),
    ("stepgame/clean", "k = 30", {"hops": 30}),
    ("stepgame/clean", "k = 100", {"hops": 100}),
    ("clutrr/gen-23", "k = 10", {"tasks": [{"k": 10}], "split_overrides": {}}),
    ("actors/mix", "length 20", {"length": 20}),
    ("actors/mix", "length 200", {"length": 200}),
    ("actors/mix", "length 2000", {"length": 2000}),
)


def dialects(name: str) -> list[str]:
    """The dialects of a recipe, its default first."""
    data = read_recipe(name)
    return list(dict.fromkeys([str(data.get("dialect", "")), *data.get("dialects", ())]))


def sample(name: str, changes: dict[str, Any], size: int) -> Iterator[Instance]:
    """Records of a recipe, from all its splits in turn."""
    splits = load(name, changes).splits
    each = [
        fabula.generate(name, split, 11, max(2, size // len(splits)), **changes) for split in splits
    ]
    found = (record for records in zip_longest(*each) for record in records if record)
    return islice(found, size)


def speed(records: Callable[[], Iterator[Instance]], budget: float) -> tuple[float, int]:
    """Records a second of processor time, and how many were proven; two records warm up."""
    made = list(records())
    for record in made[:2]:
        objections(record)
    start, count = time.process_time(), 0
    for record in made:
        found = objections(record)
        if found:
            raise SystemExit(f"{record.id} is not proven: {found}")
        count += 1
        if time.process_time() - start > budget:
            break
    return count / (time.process_time() - start), count


def main() -> None:
    """Print the table."""
    budget = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0
    names = sys.argv[2:]
    print(f"{'recipe':24} {'dialect':12} {'a second':>9} {'records':>8} {'a loop':>8}")
    rows: list[tuple[str, str, dict[str, Any], int]] = [
        (name, dialect, {"dialect": dialect} if dialect else {}, SAMPLE)
        for name in recipe_ids()
        for dialect in dialects(name)
    ]
    rows += [(name, what, changes, 20) for name, what, changes in SCALING]
    for name, what, changes, size in rows:
        if not names or name in names:
            rate, count = speed(lambda: sample(name, changes, size), budget)  # noqa: B023
            loop = rate * min(seconds(unit) for _ in range(3))
            print(f"{name:24} {what:12} {rate:9.1f} {count:8} {loop:8.2f}", flush=True)


if __name__ == "__main__":
    main()
