"""A summary of a model's training data, to compare a test with.

Promise: memory does not grow with the training data, only with the number of distinct signatures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from fabula.core.files import read_json, write_json
from fabula.core.instance import Instance
from fabula.errors import FabulaError
from fabula.generation.composition import composition_name

FILE = "training.json"
NO_NOISE = "none"


class Seen(NamedTuple):
    """A summary of training data."""

    source: str
    examples: int
    compositions: dict[str, int]
    """Question kind and composition to the number of examples."""
    signatures: frozenset[str]
    """Question and support with names abstracted."""
    steps: tuple[int, ...]
    """Numbers of steps (k) that occur."""
    noise: str
    """Kinds of noise that occur."""

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data."""
        return {**self._asdict(), "signatures": sorted(self.signatures)}


def seen_in(instances: Iterable[Instance], source: str) -> Seen:
    """The summary of these training examples."""
    compositions: Counter[str] = Counter()
    signatures, steps, noise = set[str](), set[int](), Counter[str]()
    count = 0
    for each in instances:
        count += 1
        compositions[composition_name(each.query[0], each.composition)] += 1
        signatures.add(each.signature)
        k = steps_of(each.features)
        if k is not None:
            steps.add(k)
        noise[noise_of(each.features, each.roles)] += 1
    if not count:
        raise FabulaError(f"{source}: no training examples here.")
    kinds = sorted(kind for kind in noise if kind != NO_NOISE) or [NO_NOISE]
    return Seen(
        source,
        count,
        dict(sorted(compositions.items())),
        frozenset(signatures),
        tuple(sorted(steps)),
        " + ".join(kinds),
    )


def keep_seen(folder: Path, seen: Seen) -> None:
    """Write the summary next to the replies of a run."""
    write_json(folder / FILE, seen.to_dict())


def seen_by(folder: Path) -> Seen | None:
    """The training data of a run's model, if known."""
    said = read_json(folder / FILE, "signatures", "steps")
    if not said:
        return None
    return Seen(
        **{**said, "signatures": frozenset(said["signatures"]), "steps": tuple(said["steps"])}
    )


def steps_of(features: Any) -> int | None:
    """The k of a chain of relations: as published if the world has it, else the hops."""
    found = features.get("k", features.get("chain"))
    return found if isinstance(found, int) else None


def noise_of(features: Any, roles: Iterable[str]) -> str:
    """The kinds of noise in a story, as one word."""
    said = features.get("noise")
    kinds = set(said) if isinstance(said, list) else _kinds(roles)
    return " + ".join(sorted(kinds)) or NO_NOISE


def _kinds(roles: Iterable[str]) -> set[str]:
    return set(roles) - {"support", "distractor", "convention"}
