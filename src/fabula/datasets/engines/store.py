"""Where a data set is written: a folder on disk, or any place that fsspec reaches.

Promises:
1. A file appears under its name when it is whole: it is written to a temporary name and moved, or,
   in an object store, uploaded so that it appears at once.
2. A data set that is not whole never looks whole. On disk it is made in a hidden folder beside the
   target, which is renamed at the end; elsewhere the manifest, written last, makes it a data set.
3. Beside each finished shard there is a note of its checksum (in '.progress', taken away at the
   end), so that a run that was cut off knows what it need not make again.
4. Only one run at a time writes to a folder on disk.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from typing import Any, BinaryIO, NamedTuple

import orjson

from fabula.core.files import TEMPORARY
from fabula.datasets.manifest import MANIFEST

__all__ = ["MANIFEST", "NOTES", "TEMPORARY", "Made", "Store"]

NOTES = ".progress"


class Made(NamedTuple):
    """A finished shard."""

    file: str
    instances: int
    bytes: int
    sha256: str
    figures: dict[str, dict[str, int]]
    """What was counted while it was made."""
    ledger: dict[str, Any] | None = None
    """The compositions of its instances, where the recipe is about them."""


class Store(ABC):
    """The folder of a data set. What workers need of it can be sent to other processes."""

    shared = True
    """Whether other processes see what is written."""

    def __init__(self, target: str, digest: str) -> None:
        self.target = target
        self.digest = digest

    # --- what workers need ---

    @abstractmethod
    def create(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A context that gives a file to write; it gets its name when the context ends well."""

    @abstractmethod
    def read(self, name: str) -> bytes | None:
        """The content of a file, or None if there is none."""

    @abstractmethod
    def size(self, name: str) -> int | None:
        """The size of a file, or None if there is none."""

    def put(self, name: str, content: bytes) -> None:
        """Write a small file."""
        with self.create(name) as file:
            file.write(content)

    def note(self, made: Made) -> None:
        """Note a shard that is complete but for its name."""
        self.put(_note(made.file), orjson.dumps(made._asdict()))

    def made(self, file: str) -> Made | None:
        """The shard of this name, if it is there, whole."""
        noted = self.read(_note(file))
        if noted is None:
            return None
        try:
            made = Made(**orjson.loads(noted))
        except (TypeError, orjson.JSONDecodeError):  # no note of ours
            return None
        return made if self.size(file) == made.bytes else None

    # --- what the one who runs it needs ---

    @abstractmethod
    def begin(self, force: bool) -> dict[str, Any] | None:
        """Make room; the manifest if the very same data set is already there."""

    @abstractmethod
    def finish(self) -> None:
        """Make it a data set."""

    @abstractmethod
    def leave(self) -> int:
        """Stop before the end; how many finished shards are kept for another run."""

    def _already(self, manifest: bytes) -> dict[str, Any] | None:
        """The manifest, if it is that of this very plan and all its files are there."""
        found = dict(orjson.loads(manifest))
        files = [part for split in found.get("splits", {}).values() for part in split["files"]]
        same = found.get("plan") == self.digest
        return found if same and all(self.size(f["file"]) == f["bytes"] for f in files) else None


def _note(file: str) -> str:
    return f"{NOTES}/{file.replace('/', '+')}.json"
