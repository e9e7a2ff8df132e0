"""Files and folders: names that are safe, sizes that are bounded, writes that are whole or absent.

Promises:
1. A name from a recipe or data file becomes a file only if `plain_name` accepts it, so nothing is
   ever written outside the folder that the user named; `inside` does the same for reading.
2. A file is there whole, or as it was before.
3. Text from others is read with limits on its size and nesting.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import tomllib
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import file_digest
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from fabula.core.soundness import DEEPEST, shallow, shown
from fabula.errors import FabulaError, OutputError, ParseError

# --- names ------------------------------------------------------------------------------------

LONGEST_NAME = 100  # characters; with number, ending and temporary suffix it fits any file system
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?")
_FORBIDDEN = frozenset('/\\:*?"<>|')


def unfit_name(name: object) -> str:
    """Why a name cannot be that of a file on every system; empty if it can."""
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
    """The same for a name of several parts with slashes between them, such as 'babi/qa2'."""
    if not isinstance(name, str):
        return "a name must be a text"
    parts = name.split("/")
    if len(parts) > 4:
        return "a name has at most three slashes"
    return next(filter(None, map(unfit_name, parts)), "")


def plain_name(name: str, what: str) -> str:
    """The name, if it may become a file or folder; `what` it names is part of the error."""
    if reason := unfit_name(name):
        raise OutputError(
            f"{what} {shown(name)}: {reason}. Use letters, digits, '-', '_' and '.', e.g. 'test-2'."
        )
    return name


def inside(folder: Path, name: str, what: str) -> Path:
    """The file of this name in a folder or below; one that is elsewhere is refused."""
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
    """Whether there is such a file; names that no file can have are no error."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


# --- reading with limits ------------------------------------------------------------------------

MOST_TOML = 4_000_000  # bytes
MOST_JSON = 500_000_000  # bytes of one JSON document
LONGEST_LINE = 64_000_000  # bytes of one JSON record


def parse_toml(text: str, place: str) -> dict[str, Any]:
    """TOML as tables; text that is too large or nested too deep is refused."""
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
    """The error for data that are nested too deep."""
    return ParseError(f"{place}: nested deeper than {DEEPEST} levels; make it flatter.")


def parse_json(content: bytes, place: str) -> Any:
    """JSON as data; a document that is too large or nested too deep is refused."""
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
    """The lines of a file that are not blank, with their numbers from 1."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise ParseError(
                    f"{path}, line {number}: longer than {LONGEST_LINE:,} bytes; "
                    "is this a file with one record a line?"
                )
            if not line.isspace():
                yield number, line


# --- writing ------------------------------------------------------------------------------------


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
        found = dict(parse_json(path.read_bytes(), str(path)))
    except (ParseError, TypeError, ValueError):
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
