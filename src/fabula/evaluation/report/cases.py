"""Runs as the report counts them: of every scored reply the few things that matter.

Promise: a record is kept only as its place in the file and read again if it is shown, so memory
stays small and reading is as quick as reading JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fabula.core.instance import story_name
from fabula.errors import FabulaError
from fabula.evaluation.run import read_manifest, read_placed
from fabula.evaluation.seen import Seen, noise_of, seen_by, steps_of


class Case(NamedTuple):
    """One scored reply."""

    id: str
    asked: int
    """A hash of prompt and right answer: the same for the same question."""
    story: str
    """Names the story; questions of one story are not independent."""
    kind: str
    subject: str
    """Whom or what the question is about."""
    position: int
    """Sentences told before the question."""
    outcome: str
    right: bool
    guessed: tuple[str, ...]
    """Trivial baselines that are right."""
    composition: str
    give: bool
    support_size: int | None
    hops: int | None
    sentences: int | None
    distractors: int | None
    recency: int | None
    reach: int | None
    noise: str
    language: str
    recipe: str
    steps: int | None
    signature: str
    example: str
    place: int
    """Where its line begins in the file of replies."""


class Run(NamedTuple):
    """One run, read."""

    name: str
    folder: Path
    manifest: dict[str, Any]
    cases: list[Case]
    seen: Seen | None

    @property
    def right(self) -> int:
        """How many replies were right."""
        return sum(case.right for case in self.cases)

    @property
    def guessed(self) -> bool:
        """Whether it is known what trivial baselines get right."""
        return any(case.guessed for case in self.cases)


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """The runs of some folders, each with a name of its own."""
    if not folders:
        raise FabulaError("no run is named; write e.g. fabula report runs/one")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise FabulaError("a run is named twice.")
    manifests = [read_manifest(folder) for folder in folders]
    names = _names(folders, manifests)
    return [
        _read(folder, manifest, name)
        for folder, manifest, name in zip(folders, manifests, names, strict=True)
    ]


def _names(folders: Sequence[Path], manifests: Sequence[dict[str, Any]]) -> list[str]:
    """The models' names where they differ, else the folders'."""
    for names in (
        [str(manifest["model"]) for manifest in manifests],
        [folder.resolve().name for folder in folders],
    ):
        if len(set(names)) == len(names):
            return names
    return [str(folder) for folder in folders]


def _read(folder: Path, manifest: dict[str, Any], name: str) -> Run:
    cases = [case_of(said, place) for place, said in read_placed(folder)]
    if not cases:
        raise FabulaError(f"{folder}: the run has no replies yet; `fabula eval` makes them.")
    return Run(name, folder, manifest, cases, seen_by(folder))


def case_of(said: dict[str, Any], place: int = 0) -> Case:
    """The values of a line of `replies.jsonl` that are counted."""
    record = said["instance"]
    features, made, query = record["features"], record["provenance"], record["query"]
    composition = record["composition"]
    return Case(
        said["id"],
        hash((said["id"], *record["story"], record["question"], *record["answer"])),
        story_name(made, said["id"]),
        query[0],
        query[1] if len(query) > 1 else "",
        len(record["story"]),
        said["outcome"],
        said["outcome"] == "correct",
        tuple(said.get("baselines", ())),
        " + ".join(composition) or "nothing",
        "GIVE" in composition,
        features.get("support_size"),
        features.get("hops"),
        features.get("sentences"),
        features.get("distractors"),
        features.get("recency"),
        features.get("reach"),
        noise_of(features, record["roles"]),
        made.get("language", "en"),
        made.get("recipe", ""),
        steps_of(features),
        record["signature"],
        f"{record['question']} {', '.join(record['answer'])} (said: "
        f"{', '.join(said['answer']) or said['outcome']})",
        place,
    )


def outcomes_of(run: Run) -> Counter[str]:
    """How often each outcome came."""
    return Counter(case.outcome for case in run.cases)
