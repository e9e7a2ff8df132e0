"""The manifest: one shape for everything that is written, so that one check fits all.

    {..., "instances": 1100, "splits": {"test": {"instances": 100, "bytes": 56789,
     "files": [{"file": "test-00000-of-00001.jsonl", "instances": 100, "bytes": 56789,
                "sha256": "…"}]}}}

Data sets, suites and rewritten data sets all have it; each adds its own keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fabula.core.files import hashed, inside, parse_json, write_json
from fabula.errors import FabulaError

MANIFEST = "manifest.json"


def splits_of(files: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, Any]:
    """The `splits` of a manifest, from (split, file) pairs in order."""
    splits: dict[str, Any] = {}
    for split, file in files:
        part = splits.setdefault(split, {"instances": 0, "bytes": 0, "files": []})
        part["instances"] += file["instances"]
        part["bytes"] += file["bytes"]
        part["files"].append(dict(file))
    return splits


def manifest(files: Iterable[tuple[str, Mapping[str, Any]]], **about: Any) -> dict[str, Any]:
    """A manifest of these files, other keys first."""
    splits = splits_of(files)
    total = sum(part["instances"] for part in splits.values())
    return {**about, "instances": total, "splits": splits}


def write_manifest(
    folder: Path, files: Iterable[tuple[str, Mapping[str, Any]]], **about: Any
) -> dict[str, Any]:
    """Write the manifest of these files into their folder, and return it."""
    said = manifest(files, **about)
    write_json(folder / MANIFEST, said)
    return said


def file_entry(folder: Path, name: str, instances: int) -> dict[str, Any]:
    """The entry of a written file in a manifest."""
    path = folder / name
    return {
        "file": name,
        "instances": instances,
        "bytes": path.stat().st_size,
        "sha256": hashed(path),
    }


def altered(folder: Path) -> tuple[str, ...]:
    """The files that are missing or changed, according to the manifest if there is one."""
    path = folder / MANIFEST
    if not path.is_file():
        return ()
    try:
        splits = parse_json(path.read_bytes(), str(path)).get("splits", {})
        files = [each for part in splits.values() for each in part["files"]]
        listed = [(inside(folder, each["file"], str(path)), each["sha256"]) for each in files]
    except (FabulaError, KeyError, TypeError, AttributeError):
        return (f"{path}: damaged",)
    found = []
    for file, digest in listed:
        if not file.is_file():
            found.append(f"{file}: missing")
        elif hashed(file) != digest:
            found.append(f"{file}: changed since it was written")
    return tuple(found)
