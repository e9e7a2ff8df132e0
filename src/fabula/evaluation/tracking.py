"""Logs runs and metrics to trackio, which stores them on this machine; optional."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from fabula.core.files import plain_name
from fabula.errors import MissingExtraError


def check_tracking(project: str) -> None:
    """Reject a project that cannot be tracked before the work begins."""
    plain_name(project, "--track")
    try:
        import trackio  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "trackio":
            raise
        raise MissingExtraError(
            "--track: trackio is not installed: pip install 'fabula[track]'."
        ) from None


@contextmanager
def tracked(
    project: str | None, name: str, config: Mapping[str, Any]
) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """A run of a project: yields a function that logs its metrics; without a project, it does
    nothing.
    """
    if project is None:
        yield lambda figures: None
        return
    check_tracking(project)
    import trackio

    with redirect_stdout(sys.stderr):  # it prints, and stdout is for JSON
        trackio.init(project=project, name=name, config=dict(config), resume="allow")
    try:
        yield lambda figures: trackio.log(dict(figures))
    finally:
        with redirect_stdout(sys.stderr):
            trackio.finish()


def log_run(project: str, folder: Path, manifest: Mapping[str, Any]) -> None:
    """Log one finished run: how it was asked, the fraction of each outcome, and its files as an
    artifact.

    Data are named by their digest and files stored by theirs, so unchanged ones are stored once.
    """
    known = {key: manifest[key] for key in ("model", "data", "digest", "version")}
    asked = {key: value for key, value in manifest.items() if key.startswith("ask.")}
    count = manifest["asked"]
    with tracked(project, folder.resolve().name, {**known, **asked}) as log:
        log(
            {
                "questions": count,
                "accuracy": manifest["outcomes"].get("correct", 0) / count,
                **{f"outcome/{name}": n / count for name, n in manifest["outcomes"].items()},
                **{f"usage/{name}": spent for name, spent in manifest["usage"].items()},
                "seconds": manifest["seconds"],
            }
        )
        keep_files(folder)


def keep_files(folder: Path) -> None:
    """Store the files of a folder as an artifact of the current run."""
    import trackio

    if hasattr(trackio, "log_artifact"):  # older versions do not have it
        with redirect_stdout(sys.stderr):
            trackio.log_artifact(folder, name=folder.resolve().name, type="run")
