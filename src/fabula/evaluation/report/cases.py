"""Runs as the report counts them: the few fields of every scored reply that matter.

Promise: records are kept as offsets into the file and read again only when shown, so memory stays
small and reading is as fast as parsing JSON.
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
    """The name of the story; questions about one story are not independent."""
    kind: str
    subject: str
    """The subject of the question."""
    position: int
    """Number of sentences before the question."""
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
    """Offset of its line in the file of replies."""
    said: tuple[str, ...] = ()
    """The answer found in the reply."""
    reason: str = ""
    """With evidence: right for the right reason, and so on."""
    verdict: str = ""
    """How the cited sentences were judged."""
    precision: float = 0.0
    recall: float = 0.0
    pair: str = ""
    """Of a contrast set: the id of the original."""
    variant: str = ""
    """Of a contrast set: base, flip or hold."""
    open: bool = False
    """Whether the story leaves the answer open."""


class Run(NamedTuple):
    """One run, loaded."""

    name: str
    folder: Path
    manifest: dict[str, Any]
    cases: list[Case]
    seen: Seen | None

    @property
    def right(self) -> int:
        """The number of correct replies."""
        return sum(case.right for case in self.cases)

    @property
    def guessed(self) -> bool:
        """Whether the trivial baselines of its questions are known."""
        return any(case.guessed for case in self.cases)


def read_runs(folders: Sequence[Path]) -> list[Run]:
    """The runs in some folders, each with a unique name."""
    if not folders:
        raise FabulaError("no run given; write e.g. fabula report runs/one")
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise FabulaError("a run is listed twice; remove one.")
    manifests = [read_manifest(folder) for folder in folders]
    names = _names(folders, manifests)
    return [
        _read(folder, manifest, name)
        for folder, manifest, name in zip(folders, manifests, names, strict=True)
    ]


def _names(folders: Sequence[Path], manifests: Sequence[dict[str, Any]]) -> list[str]:
    """The models' names if they differ, else the folders'."""
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
        raise FabulaError(f"{folder}: the run has no replies yet; run `fabula eval` first.")
    return Run(name, folder, manifest, cases, seen_by(folder))


def case_of(said: dict[str, Any], place: int = 0) -> Case:
    """The fields of a line of `replies.jsonl` that are counted."""
    record = said["instance"]
    features, made, query = record["features"], record["provenance"], record["query"]
    composition = record["composition"]
    evidence = said.get("evidence", {})
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
        tuple(said["answer"]),
        said.get("reason", ""),
        evidence.get("verdict", ""),
        evidence.get("precision", 0.0),
        evidence.get("recall", 0.0),
        record.get("pair") or "",
        record.get("variant") or "",
        record["answer"] == ["unknown"],
    )


def outcomes_of(run: Run) -> Counter[str]:
    """The number of replies with each outcome."""
    return Counter(case.outcome for case in run.cases)
