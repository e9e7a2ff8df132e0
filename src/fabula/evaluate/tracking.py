"""Runs and their figures to trackio, which keeps them on this machine; optional."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fabula.errors import MissingExtraError


def log_run(project: str, folder: Path, manifest: dict[str, Any]) -> None:
    """One finished run: how it was asked, and the share of each outcome."""
    try:
        import trackio
    except ModuleNotFoundError as error:
        if error.name != "trackio":
            raise
        raise MissingExtraError(
            "--track: trackio is not installed: pip install 'fabula[track]'. The run itself is "
            f"whole, in {folder}."
        ) from None
    known = {key: manifest[key] for key in ("model", "data", "digest", "version")}
    asked = {key: value for key, value in manifest.items() if key.startswith("ask.")}
    trackio.init(project=project, name=folder.name, config={**known, **asked})
    count = manifest["asked"]
    trackio.log(
        {
            "questions": count,
            "accuracy": manifest["outcomes"].get("correct", 0) / count,
            **{f"outcome/{name}": n / count for name, n in manifest["outcomes"].items()},
            "seconds": manifest["seconds"],
        }
    )
    trackio.finish()
