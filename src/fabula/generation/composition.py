"""Checks compositional benchmarks: does the test combine known concepts in new ways?

A *composition* is a question kind with the events and tellings of its support, e.g. 'where-person:
GIVE + MOVE'.

Promises:
1. The concepts of a test are the union of those of the training parts and differ from each part:
   checked when the recipe is read (collection.py). Held-out combinations occur in no training
   support: checked on every instance as it is made (examine.py).
2. All statistics are counted on the instances that are written. A composition counts as seen if
   some training instance has it, with the same question kind.
3. For training only the compositions are kept, so memory does not grow with the data.

For recipes with quotas, the distinct signatures per question kind and support size are counted too:
instances built toward a cell must not all look alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fabula.core.instance import Instance
from fabula.core.seeds import fingerprint
from fabula.generation.divergence import divergences
from fabula.recipe.collection import Collection
from fabula.recipe.model import Recipe

if TYPE_CHECKING:
    from fabula.generation.passage import Passage

MOST_SIGNATURES = 5_000
"""Maximum number of distinct signatures counted per cell, so that memory stays flat."""


def composition_name(kind: str, composition: Iterable[str]) -> str:
    """The composition as one string."""
    return f"{kind}: {' + '.join(composition) or 'nothing'}"


def composition_of(instance: Instance) -> str:
    """The composition of a record."""
    return composition_name(instance.query[0], instance.composition)


class Ledger:
    """The compositions and signatures of instances; for a test set also their order."""

    def __init__(
        self,
        composed: bool = True,
        ordered: bool = False,
        signed: bool = False,
        content: Mapping[str, Any] | None = None,
    ) -> None:
        content = content or {}
        self.composed = composed
        self.signed = signed
        self.counts: dict[str, int] = dict(content.get("counts", {}))
        """Number of instances per composition."""
        self.order: list[str] | None = list(content.get("order", ())) if ordered else None
        self.signatures: dict[str, set[int]] = {
            cell: set(known) for cell, known in content.get("signatures", {}).items()
        }
        """Question kind and support size to the hashes of their signatures."""

    def note(self, passage: Passage) -> None:
        """Count the instances of a passage."""
        reading = passage.tale.reading
        for asked in passage.asked:
            best = asked.masks[0] if asked.masks else sum(1 << n for n in asked.support)
            if self.composed:
                self.enter(composition_name(asked.query[0], reading.concepts(best)))
            if self.signed:
                known = self.signatures.setdefault(f"{asked.query[0]} {best.bit_count()}", set())
                if len(known) < MOST_SIGNATURES:
                    known.add(fingerprint(reading.signature(asked.query, best)))

    def enter(self, composition: str) -> None:
        """Count one instance with this composition."""
        self.counts[composition] = self.counts.get(composition, 0) + 1
        if self.order is not None:
            self.order.append(composition)

    def merge(self, other: Ledger) -> None:
        """Add the counts of another ledger, which come after those of this one."""
        for composition, count in other.counts.items():
            self.counts[composition] = self.counts.get(composition, 0) + count
        if self.order is not None:
            self.order += other.order or ()
        for cell, known in other.signatures.items():
            mine = self.signatures.setdefault(cell, set())
            mine.update(sorted(known)[: MOST_SIGNATURES - len(mine)])

    def to_dict(self) -> dict[str, Any]:
        """The ledger as JSON data."""
        return {
            "counts": self.counts,
            "signatures": {cell: sorted(known) for cell, known in self.signatures.items()},
            **({} if self.order is None else {"order": self.order}),
        }


def ledger_for(
    recipe: Recipe, split: str, content: Mapping[str, Any] | None = None
) -> Ledger | None:
    """The ledger that a split of a recipe needs; None if it needs none."""
    composed = recipe.compositional is not None or recipe.split_key == "compound-divergence"
    if isinstance(recipe, Collection):
        names = (part.name for part in recipe.parts_of(split))
        signed = any(recipe.members[name].quota_cells for name in names)
    else:
        signed = bool(recipe.quota_cells)
    if not composed and not signed:
        return None
    return Ledger(composed, composed and split in _tests(recipe), signed, content)


def _tests(recipe: Recipe) -> Sequence[str]:
    """The test splits; all others are for training."""
    if recipe.compositional is not None:
        return recipe.compositional.test
    return list(recipe.splits)[1:]


def report(recipe: Recipe, ledgers: Mapping[str, Ledger | None]) -> dict[str, Any]:
    """The section of the manifest about the compositions and signatures of a benchmark."""
    kept = {split: ledger for split, ledger in ledgers.items() if ledger is not None}
    signatures = {
        split: {cell: len(known) for cell, known in sorted(ledger.signatures.items())}
        for split, ledger in kept.items()
        if ledger.signed
    }
    signed = {"signatures": signatures} if signatures else {}
    found = {split: ledger for split, ledger in kept.items() if ledger.composed}
    if not found:
        return signed
    tests = _tests(recipe)
    seen: dict[str, int] = {}
    for split, ledger in found.items():
        if split not in tests:
            for composition, count in ledger.counts.items():
                seen[composition] = seen.get(composition, 0) + count
    told: dict[str, Any] = {"training": {"compositions": len(seen)}, "test": {}}
    if isinstance(recipe, Collection):
        told["concepts"] = {
            split: {part: sorted(c) for part, c in recipe.concept_sets(split).items()}
            for split in found
        }
    for split, ledger in found.items():
        if split in tests and ledger.order is not None:
            flags = "".join("1" if each in seen else "0" for each in ledger.order)
            told["test"][split] = {
                "compositions": len(ledger.counts),
                "unseen_compositions": len(set(ledger.counts) - set(seen)),
                "instances_seen": flags.count("1"),
                "instances_unseen": flags.count("0"),
                **(divergences(seen, ledger.counts)._asdict() if seen else {}),
                "seen": flags,
            }
    return {**signed, "compositional": told}
