"""Finds the store for a path or URL."""

from __future__ import annotations

from pathlib import Path

from fabula.datasets.engines.store import Store
from fabula.errors import OutputError


def store_at(target: str | Path, digest: str) -> Store:
    """The store for a path or URL."""
    text = str(target)
    if "\0" in text:
        raise OutputError(f"{text!r}: a path cannot contain a NUL character.")
    protocol, separator, rest = text.partition("://")
    if not separator or protocol in ("file", "local"):
        from fabula.datasets.engines.local import LocalStore

        return LocalStore(rest if separator else text, digest)
    from fabula.datasets.engines.remote import RemoteStore

    return RemoteStore(text.rstrip("/"), digest)
