"""Corrected editions of published data: the same format, with every change listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from fabula.analysis.audits.findings import Result
from fabula.core.files import whole_folder, write_whole
from fabula.errors import FabulaError

CHANGES = "changes.jsonl"


def write_edition(out: Path, results: Sequence[Result], texts: Mapping[str, str]) -> None:
    """Write corrected files, and a list of the changes, into a new folder.

    `texts` has the corrected content of each audited file, by `Result.file`.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise FabulaError(f"{out}: already exists; choose a new folder for the corrected edition.")
    names = _names([result.file for result in results])
    with whole_folder(out) as folder:
        for result in results:
            path = folder / names[result.file]
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, texts[result.file])
        lines = [
            orjson.dumps({"file": names[result.file], **change._asdict()})
            for result in results
            for change in result.changes
        ]
        write_whole(folder / CHANGES, b"".join(line + b"\n" for line in lines))


def _names(files: Sequence[str]) -> dict[str, str]:
    """Each file's path in the edition: its name, with as many parent folders as make it unique."""
    for depth in range(1, 32):
        names = {file: "/".join(Path(file).parts[-depth:]).lstrip("/") for file in files}
        if len(set(names.values())) == len(set(files)):
            return names
    raise FabulaError(f"{files[0]}: given twice.")
