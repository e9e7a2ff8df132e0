"""Where a data set is written: a folder on disk, or anywhere that fsspec reaches.

Promises:
1. A file appears under its name when it is complete: it is written to a temporary name and moved,
   or, in an object store, uploaded so that it appears at once.
2. An incomplete data set never looks complete. On disk it is made in a hidden folder next to the
   target, which is renamed at the end; elsewhere the manifest, written last, makes it a data set.
3. Each finished shard has a note of its checksum (in '.progress', removed at the end), so that an
   interrupted run knows what it need not make again.
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
    """Statistics counted while it was made."""
    ledger: dict[str, Any] | None = None
    """The compositions of its instances, if the recipe is compositional."""


class Store(ABC):
    """The folder of a data set. It can be sent to other processes, for workers to write to."""

    shared = True
    """Whether other processes see what is written."""

    def __init__(self, target: str, digest: str) -> None:
        self.target = target
        self.digest = digest

    # --- for workers ---

    @abstractmethod
    def create(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A context with a file to write, which gets its name when the context succeeds."""

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
        """Record a shard that is complete except for its name."""
        self.put(_note(made.file), orjson.dumps(made._asdict()))

    def made(self, file: str) -> Made | None:
        """The shard with this name, if it exists and is complete."""
        noted = self.read(_note(file))
        if noted is None:
            return None
        try:
            made = Made(**orjson.loads(noted))
        except (TypeError, orjson.JSONDecodeError):  # not a note of ours
            return None
        return made if self.size(file) == made.bytes else None

    # --- for the run as a whole ---

    @abstractmethod
    def begin(self, force: bool) -> dict[str, Any] | None:
        """Prepare the folder; returns the manifest if this very data set is already there."""

    @abstractmethod
    def finish(self) -> None:
        """Turn the files into a data set."""

    @abstractmethod
    def leave(self) -> int:
        """Stop early; returns the number of finished shards kept for another run."""

    def _already(self, manifest: bytes) -> dict[str, Any] | None:
        """The manifest, if it belongs to this very plan and all its files are there."""
        found = dict(orjson.loads(manifest))
        files = [part for split in found.get("splits", {}).values() for part in split["files"]]
        same = found.get("plan") == self.digest
        return found if same and all(self.size(f["file"]) == f["bytes"] for f in files) else None


def _note(file: str) -> str:
    return f"{NOTES}/{file.replace('/', '+')}.json"
