"""Pairs aligned token by token, as activation patching needs them.

Two stories are aligned under a tokenizer if their texts (sentences joined by line feeds, then the
question) have equally many tokens, and every token outside the edited sentence is the same at the
same position.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from fabula.core.registry import need
from fabula.errors import FabulaError

FILE = "tokenizer.json"


def text_of(story: Sequence[str], question: str) -> str:
    """The text that tokens are counted in."""
    return "\n".join([*story, question])


class Tokenizer:
    """A tokenizer file, to count and compare tokens with."""

    def __init__(self, path: str) -> None:
        """`path`: a file `tokenizer.json`, or a folder that contains one."""
        library = need("tokenizers", "tokenizer")
        file = Path(path)
        file = file / FILE if file.is_dir() else file
        if not file.is_file():
            raise FabulaError(
                f"tokenizer {path}: no such file. Give a {FILE}, or a folder with one "
                "(tokenizer.save_pretrained writes it)."
            )
        try:
            self._tokens: Any = library.Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises plain Exceptions
            said = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise FabulaError(f"tokenizer {path}: cannot be loaded: {said}.") from None
        self._tokens.no_padding()
        self._tokens.no_truncation()
        self.name = file.parent.name if file.name == FILE and file.parent.name else file.name
        self.digest = blake2b(file.read_bytes(), digest_size=8).hexdigest()

    def tokens(self, text: str) -> list[int]:
        """The tokens of a text, without special tokens at its beginning or end."""
        return list(self._tokens.encode(text, add_special_tokens=False).ids)

    def aligned(self, base: str, edited: str) -> list[int] | None:
        """The positions at which the tokens of two texts differ; None if they are not aligned.

        They differ in one span, which is at the same position in both texts.
        """
        one, other = self.tokens(base), self.tokens(edited)
        if len(one) != len(other):
            return None
        differ = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        return differ or None

    def noted(self, text: str, differ: Sequence[int] = ()) -> dict[str, Any]:
        """The token fields of a record."""
        return {
            "tokenizer": self.name,
            "digest": self.digest,
            "count": len(self.tokens(text)),
            "differ": list(differ),
        }


@lru_cache(maxsize=4)
def tokenizer(path: str) -> Tokenizer:
    """The tokenizer of a file; cached."""
    return Tokenizer(path)
