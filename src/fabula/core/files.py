"""Files and folders: safe names, bounded reading, one atomic writer and one lock.

Promises:
1. A name from a recipe or data file becomes a file only if `plain_name` accepts it, so nothing is
   ever written outside the folder that the user named; `inside` does the same for reading.
2. Untrusted text is read with limits on its size and nesting.
3. A file or folder gets its name only when it is complete and on disk; until then it is a hidden
   neighbour. A process killed at any moment leaves the old content or none, never a part.
4. A lock ends with the process that holds it, however that process ends.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO, Protocol
from uuid import uuid4

import orjson

from fabula.core.soundness import DEEPEST, shallow, shown
from fabula.errors import FabulaError, OutputError, ParseError

# --- names ------------------------------------------------------------------------------------

LONGEST_NAME = 100  # characters; with number, ending and temporary suffix it fits any file system
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?")
_FORBIDDEN = frozenset('/\\:*?"<>|')


def unfit_name(name: object) -> str:
    """Why a name cannot be a file name on every system; empty if it can."""
    if not isinstance(name, str):
        return "a name must be a text"
    if not name.strip():
        return "the name is empty"
    if len(name) > LONGEST_NAME:
        return f"the name is longer than {LONGEST_NAME} characters"
    for letter in name:
        if letter in _FORBIDDEN:
            return f"a name cannot contain '{letter}'"
        if letter != " " and unicodedata.category(letter)[0] in "CZ":
            return f"a name cannot contain the control character U+{ord(letter):04X}"
    if name[0] in ".-~" or name[0] == " " or name[-1] in ". ":
        return "a name cannot begin with '.', '-', '~' or a blank, nor end with '.' or a blank"
    if _RESERVED.fullmatch(name):
        return "the name is reserved on Windows"
    return ""


def unfit_path(name: object) -> str:
    """The same for a name with several parts separated by slashes, such as 'babi/qa2'."""
    if not isinstance(name, str):
        return "a name must be a text"
    parts = name.split("/")
    if len(parts) > 4:
        return "a name has at most three slashes"
    return next(filter(None, map(unfit_name, parts)), "")


def plain_name(name: str, what: str) -> str:
    """The name, if it may become a file or folder; `what` describes it in the error."""
    if reason := unfit_name(name):
        raise OutputError(
            f"{what} {shown(name)}: {reason}. Use letters, digits, '-', '_' and '.', e.g. 'test-2'."
        )
    return name


def inside(folder: Path, name: str, what: str) -> Path:
    """The file with this name in a folder or below; rejected if it is elsewhere."""
    try:
        if "\0" not in name and not Path(name).is_absolute() and not name.startswith("~"):
            path = folder / name
            if path.resolve().is_relative_to(folder.resolve()):
                return path
    except (OSError, RuntimeError, ValueError):  # a name too long, a loop of links
        pass
    raise FabulaError(
        f"{what}: {shown(name)} is not in the folder {folder.name or '.'} of the file that names "
        "it. Put a copy there and give the path from there."
    )


def is_file(path: Path) -> bool:
    """Whether there is such a file; names that no file can have are not an error."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


# --- reading with limits ------------------------------------------------------------------------

MOST_TOML = 4_000_000  # bytes
MOST_JSON = 500_000_000  # bytes of one JSON document
LONGEST_LINE = 64_000_000  # bytes of one JSON record


def parse_toml(text: str, place: str) -> dict[str, Any]:
    """TOML as tables; rejects text that is too large or nested too deeply."""
    if len(text) > MOST_TOML:
        raise ParseError(f"{place}: larger than {MOST_TOML:,} characters; this is not a recipe.")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ParseError(f"{place}: not valid TOML: {error}.") from None
    except RecursionError:
        raise too_deep(place) from None
    except ValueError as error:  # a number with more digits than Python reads, an impossible date
        raise ParseError(f"{place}: not valid TOML: {error}.") from None
    if not shallow(data):
        raise too_deep(place)
    return data


def too_deep(place: str) -> ParseError:
    """The error for data that are nested too deeply."""
    return ParseError(f"{place}: nested deeper than {DEEPEST} levels; flatten it.")


def parse_json(content: bytes, place: str) -> Any:
    """JSON as data; rejects a document that is too large or nested too deeply."""
    if len(content) > MOST_JSON:
        raise ParseError(f"{place}: larger than {MOST_JSON:,} bytes.")
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ParseError(f"{place}: not valid JSON: {error}.") from None
    if isinstance(data, (dict, list)) and not shallow(data):
        raise too_deep(place)
    return data


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """The non-blank lines of a file, with their numbers from 1."""
    with path.open("rb") as file:
        for number, line in lines_in(file, str(path)):
            if not line.isspace():
                yield number, line


def lines_in(file: BinaryIO, name: str, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """The lines of an open file from the current position on, with their numbers."""
    number = first
    while line := file.readline(LONGEST_LINE + 1):
        if len(line) > LONGEST_LINE:
            raise ParseError(
                f"{name}, line {number}: longer than {LONGEST_LINE:,} bytes; "
                "is this a file with one record per line?"
            )
        yield number, line
        number += 1


# --- writing ------------------------------------------------------------------------------------

TEMPORARY = ".tmp-"
"""Part of the name of every incomplete file, including those that killed processes leave behind."""


def unwritable(path: Path | str, error: OSError, *notes: str, verb: str = "written") -> OutputError:
    """The error for a file or folder that cannot be written: what is wrong, and how to fix it."""
    reason = error.strerror or str(error)
    told = [f"{path}: cannot be {verb}: {reason}.", *notes, _remedy(Path(path), error.errno)]
    return OutputError(" ".join(told))


def _remedy(path: Path, code: int | None) -> str:
    if code in (errno.ENOSPC, errno.EDQUOT):
        return "Free some disk space or choose another place, and run the command again."
    if code in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Change the permissions or choose another folder."
    if code in (errno.ENOTDIR, errno.EEXIST):
        found = next((each for each in (path, *path.parents) if each.is_file()), path)
        return f"{found} is a file where a folder should be: choose another folder."
    if code == errno.EISDIR:
        return "It is a folder; give the name of a file."
    if code == errno.ENAMETOOLONG:
        return "Choose a shorter name."
    return "Choose another place, and run the command again."


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report write failures with the path and a fix."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write, which gets its name when the block succeeds. OSErrors are passed through.

    Every file that Fabula writes to disk goes through here; only replies are appended to a file.
    """
    partial = path.with_name(f".{path.name[:50]}{TEMPORARY}{uuid4().hex[:12]}")
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())  # the content must reach the disk before the name does
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes | memoryview | str) -> None:
    """Write a file atomically; if that fails, the old one stays."""
    with writing(path), whole_file(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


def write_json(path: Path, value: Any) -> None:
    """Write an indented JSON file."""
    write_whole(path, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """A hidden folder to write into, which replaces `out` when the block succeeds.

    Otherwise it is removed, and `out` stays as it was.
    """
    out = out.absolute()
    made = [folder for folder in out.parents if not folder.exists()]
    partial = out.with_name(f".{out.name[:50]}{TEMPORARY}{uuid4().hex[:12]}")
    try:
        partial.mkdir(parents=True)
    except OSError as error:
        raise unwritable(out, error, verb="created") from None
    try:
        yield partial
        for file in partial.rglob("*"):
            if file.is_file():
                _settle(file)
        put_in_place(partial, out)
    except OSError as error:
        raise unwritable(out, error) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if not out.exists():
            remove_empty(made)


def _settle(path: Path) -> None:
    """Make sure that the content of a file is on disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def put_in_place(folder: Path, out: Path) -> None:
    """Rename a complete folder to its final name, atomically replacing an existing one."""
    old = out.with_name(f".{out.name}.partial-old-{uuid4().hex[:12]}")
    replaced = out.exists()
    if replaced:
        os.replace(out, old)
    try:
        os.replace(folder, out)
    except OSError:
        if replaced:
            os.replace(old, out)
        raise
    shutil.rmtree(old, ignore_errors=True)


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of these folders that are empty, in order."""
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def make_folder(path: Path) -> None:
    """Create a writable folder unless it exists."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error, verb="created") from None
    if not os.access(path, os.W_OK):
        raise unwritable(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))


@contextmanager
def appending(path: Path) -> Iterator[BinaryIO]:
    """A file to append to."""
    with writing(path):
        file = path.open("ab")
    try:
        yield file
    finally:
        with suppress(OSError):  # a failed write was already reported
            file.close()


# --- locks --------------------------------------------------------------------------------------

LOCK = ".lock"


class Lock(Protocol):
    """A lock that is held."""

    def release(self) -> None:
        """Give it up."""


class _Flock:
    """The system's lock on an open file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def release(self) -> None:
        os.close(self._descriptor)  # gives up the lock


def locked(path: Path) -> Lock | None:
    """Acquire a lock on a file of this name; None if another process, or this one, holds it.

    It is the system's own lock on an open file: a file left by a killed process locks nothing.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows
        return _locked_elsewhere(path)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return _Flock(descriptor)


def _locked_elsewhere(path: Path) -> Lock | None:
    from filelock import FileLock, Timeout  # slow to load

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return None
    return lock


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock on a folder within the block; an error if another process does."""
    with writing(folder):
        lock = locked(folder / LOCK)
    if lock is None:
        raise FabulaError(
            f"{folder}: another process is using this run; wait for it to finish, or stop it."
        )
    try:
        yield
    finally:
        lock.release()


# --- files written by Fabula --------------------------------------------------------------------


def hashed(path: Path) -> str:
    """A hash of the content of a file."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def damaged(path: Path) -> FabulaError:
    """The error for a file that Fabula wrote and that can no longer be read."""
    return FabulaError(f"{path}: damaged, or written by another version; remove it and try again.")


def read_json(path: Path, *needed: str) -> dict[str, Any]:
    """The content of a JSON file that Fabula wrote; empty if there is none. A file that is
    truncated or lacks a `needed` key is rejected.
    """
    if not path.is_file():
        return {}
    try:
        found = dict(parse_json(path.read_bytes(), str(path)))
    except (ParseError, TypeError, ValueError):
        raise damaged(path) from None
    if not found.keys() >= set(needed):
        raise damaged(path)
    return found


def file_size(count: float) -> str:
    """A number of bytes in readable form."""
    if count < 1000:
        return f"{count:,.0f} bytes"
    for unit in ("kB", "MB"):
        count /= 1000
        if count < 999.95:
            return f"{count:,.1f} {unit}"
    return f"{count / 1000:,.1f} GB"
