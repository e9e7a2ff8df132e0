"""The interface of a format: how passages become pieces, and pieces a file.

Promises:
1. The output of a format is a function of the records alone. A format may have a `quick` path from
   passage to bytes, for speed; it gives the same bytes as its records (a test compares them).
2. A file is header, pieces with the separator between them, footer. Only binary formats (Parquet)
   have their own sink.
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
    """A file being written."""

    def add(self, piece: Any) -> None:
        """Write the next piece."""

    def close(self) -> None:
        """Write what remains; the file itself stays open."""


@dataclass(frozen=True)
class Format:
    """One way to write a data set."""

    ending: str
    """File extension, e.g. 'jsonl'."""
    about: str
    """One-line description."""
    render: Callable[[Sequence[Instance]], bytes] | None = None
    """Renders the records of one passage, in order; None if records are not enough."""
    quick: Callable[[Author, Passage], bytes] | None = None
    """The same, directly from the passage."""
    text: bool = False
    """Whether `quick` needs only sentences, questions, answers and supports: no record."""
    only_best: bool = False
    """Whether of the supports of a question it writes the best one only: others are not looked for
    then."""
    header: bytes = b""
    separator: bytes = b""
    footer: bytes = b""
    numbered: bool = False
    """Whether the name of a single file contains a shard number, as on the hub."""
    in_folder: bool = False
    """Whether the files are in a folder named after the recipe, as on the hub."""
    loader: str = ""
    """The loader of the `datasets` library that reads it, if there is one."""
    read: Callable[[Path], Iterator[Instance]] | None = None
    """For formats of other packages that keep whole records: reads them back from a file. Every
    command then reads the format, by its file extension.
    """

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
        """The sink that writes pieces to a file."""
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
    """The name of a recipe without slashes, e.g. 'babi-qa2'."""
    return recipe.replace("/", "-")
