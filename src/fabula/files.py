"""Files and folders that are there whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from fabula.errors import FabulaError, OutputError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """What goes wrong in writing to a file is told with its name and a remedy."""
    try:
        yield
    except OSError as error:
        raise OutputError(
            f"{path}: cannot be written: {error.strerror or error}. Make room or choose another "
            "place, and give the command again."
        ) from None


def write_whole(path: Path, content: bytes | memoryview | str) -> None:
    """Write a file, which is there whole or as it was before."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    with writing(path):
        try:
            partial.write_bytes(content.encode() if isinstance(content, str) else content)
            os.replace(partial, path)
        finally:
            partial.unlink(missing_ok=True)


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A hidden folder beside `out`, which takes its place if nothing goes wrong, and is gone
    otherwise."""
    beside = out.absolute().parent
    try:
        beside.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{out.name}.partial-", dir=beside))
    except OSError as error:
        raise OutputError(f"{out}: cannot be created: {error.strerror or error}.") from None
    try:
        yield partial
        partial.chmod(0o755)  # a temporary folder is for its owner alone
        if out.exists():
            shutil.rmtree(out)
        os.replace(partial, out)
    except OSError as error:
        raise OutputError(f"{out}: cannot be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def make_folder(path: Path) -> None:
    """Make a folder that can be written to; an error that says why if there can be none."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(
            f"{path}: no folder can be made here: {reason}. Choose another."
        ) from None
    if not os.access(path, os.W_OK):
        raise OutputError(f"{path}: nothing can be written here. Choose another folder.")


def hashed(path: Path) -> str:
    """What tells the content of a file from any other."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def damaged(path: Path) -> FabulaError:
    """The error for a file that was written here and cannot be read any more."""
    return FabulaError(f"{path}: damaged, or of another version; remove it and try again.")


def read_json(path: Path, *needed: str) -> dict[str, Any]:
    """What a JSON file that was written here says; nothing if it is not there. One that is cut off
    or lacks what is `needed` is refused."""
    if not path.is_file():
        return {}
    try:
        found = dict(orjson.loads(path.read_bytes()))
    except (TypeError, ValueError):
        raise damaged(path) from None
    if not found.keys() >= set(needed):
        raise damaged(path)
    return found


@contextmanager
def alone(path: Path) -> Iterator[BinaryIO]:
    """A file to be added to, which no other process adds to meanwhile."""
    with writing(path):
        file = path.open("ab")
    try:
        _lock(path, file)
        yield file
    finally:
        with suppress(OSError):  # what could not be written was told when it was
            file.close()


def _lock(path: Path, file: BinaryIO) -> None:
    try:
        import fcntl
    except ImportError:  # where there are no such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FabulaError(
            f"{path.parent}: another process is at this run; wait for it or stop it."
        ) from None


def write_json(path: Path, value: Any) -> None:
    """A JSON file for people to read too."""
    write_whole(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))
