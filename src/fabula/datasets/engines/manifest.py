"""The manifest: the files of a data set, and all that is needed to reproduce it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from zlib import ZLIB_RUNTIME_VERSION

from fabula._version import __version__
from fabula.datasets.engines.plan import Plan
from fabula.datasets.engines.store import Made
from fabula.datasets.engines.tally import Tally
from fabula.datasets.manifest import manifest
from fabula.generation.composition import ledger_for, report

CANARY = "fabula-canary-5d1c7f6e-3b0a-4c86-9a57-e2f0c4b8d913"
"""In every data set, so that one string is enough to remove all of them from training corpora."""


def canary(plan: Plan) -> str:
    """The canary of this data set: the common string, followed by one of its own."""
    return f"{CANARY}:{uuid5(NAMESPACE_URL, f'fabula:{plan.recipe.digest}:{plan.seed}')}"


def manifest_of(plan: Plan, made: Mapping[str, Made]) -> dict[str, Any]:
    """The manifest of a finished plan; it does not depend on how the data set was made."""
    versions = {"fabula": __version__}
    if plan.form == "parquet":  # its bytes depend on the library that writes it
        versions["pyarrow"] = version("pyarrow")
    if plan.form == "jsonl.gz":
        versions["zlib"] = ZLIB_RUNTIME_VERSION
    files: list[tuple[str, dict[str, Any]]] = []
    tallies: dict[str, Tally] = {}
    for shard in plan.shards:
        done = made[shard.file]
        counted = ("figures", "ledger")
        named = {key: value for key, value in done._asdict().items() if key not in counted}
        files.append((shard.split, named))
        ledger = ledger_for(plan.recipe, shard.split, done.ledger)
        tallies.setdefault(shard.split, Tally()).merge(Tally(done.figures, ledger))
    return {
        "recipe": plan.recipe.id,
        "recipe_digest": plan.recipe.digest,
        "version": __version__,
        "versions": versions,
        "seed": plan.seed,
        "format": plan.form,
        "shard_size": plan.shard_size,
        "plan": plan.digest,
        "canary": canary(plan),
        **manifest(files),
        "figures": {split: tally.to_dict() for split, tally in tallies.items()},
        **report(plan.recipe, {split: tally.ledger for split, tally in tallies.items()}),
        "content": plan.recipe.model_dump(mode="json", exclude_defaults=True),
    }
