"""A data set anywhere that fsspec reaches: s3://bucket/folder, gs://…, memory://…

Folders cannot be renamed there, so shards are written to their final place; the manifest, written
last, makes them a data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO
from uuid import uuid4

from fabula.datasets.engines.store import MANIFEST, NOTES, TEMPORARY, Store
from fabula.errors import OutputError

PLAN = f"{NOTES}/plan.json"
APPEARS_WHOLE = ("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss")
"""Object stores: an upload appears when it is complete, and a move would be a second upload."""


class RemoteStore(Store):
    """A folder that fsspec reaches: s3://bucket/folder, gs://…, memory://…"""

    def __init__(self, target: str, digest: str) -> None:
        super().__init__(target, digest)
        self._protocol = target.partition("://")[0]
        self.shared = self._protocol != "memory"
        self._begun = False
        self._open()

    def _open(self) -> None:
        import fsspec

        try:
            self._fs, self._root = fsspec.core.url_to_fs(self.target)
        except ImportError as error:
            raise OutputError(
                f"{self.target}: {str(error).rstrip('.')}. (s3:// needs s3fs, gs:// needs gcsfs.)"
            ) from None
        except ValueError as error:
            raise OutputError(f"{self.target}: {str(error).rstrip('.')}.") from None

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_fs", "_root")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextmanager
    def create(self, name: str) -> Iterator[BinaryIO]:
        path = self._path(name)
        self._fs.makedirs(path.rpartition("/")[0], exist_ok=True)
        whole = self._protocol in APPEARS_WHOLE
        partial = path if whole else f"{path}{TEMPORARY}{uuid4().hex[:12]}"
        file = self._fs.open(partial, "wb", autocommit=not whole)
        try:
            yield file
            file.close()
            if whole:
                file.commit()
            else:
                self._fs.mv(partial, path)
        except BaseException:
            with suppress(Exception):  # report the first error
                file.close()
                if whole:
                    file.discard()
                else:
                    self._fs.rm(partial)
            raise

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self._fs.cat_file(self._path(name)))
        except FileNotFoundError:
            return None

    def size(self, name: str) -> int | None:
        try:
            return int(self._fs.size(self._path(name)))
        except FileNotFoundError:
            return None

    def begin(self, force: bool) -> dict[str, Any] | None:
        self._fs.invalidate_cache()
        held = self._fs.find(self._root) if self._fs.exists(self._root) else []
        plan = self.read(PLAN)
        manifest = self.read(MANIFEST)
        if plan is not None and plan.decode() == self.digest and manifest is None:
            self._begun = True
            return None
        if held and not force:
            if manifest is not None and (found := self._already(manifest)) is not None:
                return found
            raise OutputError(
                f"{self.target} is not empty; choose another folder, or add --force to replace it."
            )
        if held and manifest is None and plan is None:
            raise OutputError(
                f"{self.target} has no manifest of Fabula, so --force does not replace it."
            )
        if held:
            self._fs.rm(self._root, recursive=True)
        self.put(PLAN, self.digest.encode())
        self._begun = True
        return None

    def finish(self) -> None:
        self._fs.rm(self._path(NOTES), recursive=True)

    def leave(self) -> int:
        if not self._begun:  # nothing there is ours
            return 0
        notes = self._fs.find(self._path(NOTES))
        kept = sum(not name.endswith(PLAN) for name in notes)
        if not kept:
            self._fs.rm(self._root, recursive=True)
        return kept
