"""The interface of a format: how passages become pieces, and pieces a file.

Promises:
1. What a format writes is a function of the records alone. A format may have a `quick` way from
   passage to bytes, for speed; it gives the same bytes as its records (a test compares them).
2. A file is header, pieces with the separator between them, footer. Only formats that are not
   text (Parquet) have a sink of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from fabula.core.files import plain_name
from fabula.core.instance import Instance
from fabula.generation.author import Author, Passage


class Sink(Protocol):
    """A file in the making."""

    def add(self, piece: Any) -> None:
        """Write the next piece."""

    def close(self) -> None:
        """Write what is still to be written; the file itself stays open."""


@dataclass(frozen=True)
class Format:
    """One way to write a data set."""

    ending: str
    """Ending of its files, e.g. 'jsonl'."""
    about: str
    """One line for people."""
    render: Callable[[Sequence[Instance]], bytes] | None = None
    """The records of one passage, in order; None if they do not suffice."""
    quick: Callable[[Author, Passage], bytes] | None = None
    """The same straight from the passage."""
    header: bytes = b""
    separator: bytes = b""
    footer: bytes = b""
    numbered: bool = False
    """Whether a lone file has the number of its shard in its name, as the hub has it."""
    in_folder: bool = False
    """Whether the files are in a folder named after the recipe, as the hub has it."""
    loader: str = ""
    """The loader of the `datasets` library that reads it, if there is one."""
    read: Callable[[Path], Iterator[Instance]] | None = None
    """For formats of other packages that keep whole records: reads them back from a file. Every
    command then reads the format, by the ending of its files."""

    def file(self, recipe: str, split: str, shard: int, shards: int) -> str:
        """The name of the file of a shard."""
        number = f"-{shard:05}-of-{shards:05}" if self.numbered or shards > 1 else ""
        plain_name(split, f"recipe {recipe}, split")
        name = plain_name(config_name(recipe), "recipe")
        folder = f"{name}/" if self.in_folder else ""
        return f"{folder}{split}{number}.{self.ending}"

    def piece(self, author: Author, passages: Iterable[Passage]) -> Any:
        """Passages as one piece of a file, which another process may write."""
        if self.quick is not None:
            quick = self.quick
            return self.separator.join([quick(author, passage) for passage in passages])
        render = self.render
        assert render is not None
        return self.separator.join([render(author.records(passage)) for passage in passages])

    def sink(self, file: BinaryIO) -> Sink:
        """What puts pieces into a file."""
        return Text(file, self)


class Text:
    """A file of text: header, pieces, footer."""

    def __init__(self, file: BinaryIO, form: Format) -> None:
        self._file, self._form, self._between = file, form, b""
        file.write(form.header)

    def add(self, piece: bytes) -> None:
        """Write the next piece."""
        self._file.write(self._between)
        self._file.write(piece)
        self._between = self._form.separator

    def close(self) -> None:
        """Write the footer."""
        self._file.write(self._form.footer)


def config_name(recipe: str) -> str:
    """The name of a recipe where no slash may be, e.g. 'babi-qa2'."""
    return recipe.replace("/", "-")
