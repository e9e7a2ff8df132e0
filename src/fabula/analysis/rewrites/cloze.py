"""Anonymised kinship stories, as a rewrite."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from fabula.analysis.rewrites.reread import Dropped
from fabula.core.instance import Instance
from fabula.core.seeds import stream
from fabula.world.kinship.cloze import anonymised


def cloze(instance: Instance, seed: int | None = None) -> Iterator[Instance | Dropped]:
    """Number everybody by first mention, or with a seed at random."""
    if instance.provenance.get("world") != "kinship" or "people" not in instance.features:
        yield Dropped(instance.id, "only records of the kinship world list their people")
        return
    draw = None if seed is None else stream(instance.id, seed, "", 0, "cloze")
    yield replace(
        anonymised(instance, draw),
        id=f"{instance.id}+cloze",
        extras={},
        provenance={**instance.provenance, "rewrite": "cloze", "of": instance.id},
    )
