"""A data set as a folder on disk.

It is written to a hidden folder next to the target, named after the plan, which is renamed at the
end.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from fabula.core.files import (
    LOCK,
    TEMPORARY,
    Lock,
    locked,
    put_in_place,
    remove_empty,
    unwritable,
    whole_file,
)
from fabula.datasets.engines.store import MANIFEST, NOTES, Store
from fabula.errors import OutputError


class LocalStore(Store):
    """A folder on disk."""

    def __init__(self, target: str, digest: str) -> None:
        super().__init__(target, digest)
        out = Path(target).absolute()
        self._out = out
        self._prefix = f".{out.name}.partial-"
        self._work = out.parent / f"{self._prefix}{digest}"
        self._made: list[Path] = []
        self._held: Lock | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        state["_held"] = None
        return state

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        path = self._work / name
        path.parent.mkdir(exist_ok=True)
        with whole_file(path) as file:
            yield file

    def read(self, name: str) -> bytes | None:
        with suppress(FileNotFoundError):
            return (self._work / name).read_bytes()
        return None

    def size(self, name: str) -> int | None:
        with suppress(FileNotFoundError):
            return (self._work / name).stat().st_size
        return None

    def begin(self, force: bool) -> dict[str, Any] | None:
        out = self._out
        manifest = out / MANIFEST
        if not force and manifest.is_file() and (found := self._finished(manifest)) is not None:
            return found
        check_free(out, self.target, force)
        self._made = [folder for folder in out.parents if not folder.exists()]
        try:
            (self._work / NOTES).mkdir(parents=True, exist_ok=True)
            self._take_lock()
            self._sweep()
        except OSError as error:
            raise unwritable(self.target, error, verb="created") from None
        return None

    def _finished(self, manifest: Path) -> dict[str, Any] | None:
        work, self._work = self._work, self._out
        try:
            return self._already(manifest.read_bytes())
        except (orjson.JSONDecodeError, KeyError, TypeError):
            return None
        finally:
            self._work = work

    def _take_lock(self) -> None:
        self._held = locked(self._work / NOTES / LOCK)
        if self._held is None:
            raise OutputError(
                f"{self.target}: another run is writing there; wait for it to finish, or stop it."
            )

    def _sweep(self) -> None:
        """Remove incomplete files of killed workers."""
        for stale in self._work.rglob(f".*{TEMPORARY}*"):
            stale.unlink(missing_ok=True)

    def finish(self) -> None:
        out = self._out
        self._sweep()
        if os.name == "nt":  # Windows can neither remove nor rename a folder with an open file
            self._release()
        shutil.rmtree(self._work / NOTES)
        put_in_place(self._work, out)
        for other in out.parent.glob(f"{self._prefix}*"):  # unfinished work of other plans
            begun = (other / NOTES).is_dir()
            lock = locked(other / NOTES / LOCK) if begun else None
            if lock is not None or not begun:
                shutil.rmtree(other, ignore_errors=True)
            if lock is not None:
                lock.release()
        self._release()

    def _release(self) -> None:
        if self._held is not None:
            self._held.release()

    def leave(self) -> int:
        if self._held is None and (self._work / NOTES).is_dir():  # stopped before it had the lock?
            self._held = locked(self._work / NOTES / LOCK)
        if self._held is None:  # not begun, or another run's: only empty folders may be removed
            remove_empty([self._work / NOTES, self._work])
        else:
            kept = len(list((self._work / NOTES).glob("*.json")))
            if kept:
                self._sweep()
                self._release()
                return kept
            shutil.rmtree(self._work, ignore_errors=True)
            self._release()
        if not self._out.exists():
            remove_empty(self._made)
        return 0


def check_free(out: Path, target: str, force: bool) -> None:
    """Raise OutputError unless a data set may be written here; only our own data sets are ever
    replaced.
    """
    target = target or "the current folder"
    if out.exists() and not out.is_dir():
        raise OutputError(f"{target} is a file; choose a folder.")
    if not out.exists() or not any(out.iterdir()):
        return
    if not force:
        raise OutputError(
            f"{target} is not empty; choose another folder, or add --force to replace it."
        )
    if not (out / MANIFEST).is_file():
        raise OutputError(
            f"{target} has no manifest of Fabula, so --force does not replace it; "
            "choose another folder."
        )
