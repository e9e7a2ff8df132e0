"""Letter substitution: a telling in which words give nothing away.

Promises:
1. A table maps letters one to one, with separate tables for lower and upper case, so every text can
   be deciphered, and different words stay different ('he' and 'she' too, which the published
   `shuffled` files confuse).
2. Digits, blanks and punctuation stay as they are. So do letters beyond a-z: only text in Latin
   letters can be enciphered.
3. A table is either the published one (`shuffled/letters.toml`) or drawn from a seed.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from string import ascii_lowercase, ascii_uppercase

from fabula.core.seeds import shuffled, stream

RELEASE, SEED = "release", "seed"
CIPHERS = (RELEASE, SEED)


class Cipher:
    """One substitution table."""

    def __init__(self, lower: str, upper: str) -> None:
        if sorted(lower) != list(ascii_lowercase) or sorted(upper) != list(ascii_uppercase):
            raise ValueError("a cipher must contain every letter exactly once")
        self._there = str.maketrans(ascii_lowercase + ascii_uppercase, lower + upper)
        self._back = str.maketrans(lower + upper, ascii_lowercase + ascii_uppercase)

    def write(self, text: str) -> str:
        """The text enciphered."""
        return text.translate(self._there)

    def read(self, text: str) -> str:
        """The text deciphered."""
        return text.translate(self._back)


@cache
def cipher(kind: str, seed: int = 0) -> Cipher:
    """The published table, or the one drawn from a seed."""
    if kind == SEED:
        draw = stream("cipher", seed, "", "", "letters")
        return Cipher(
            "".join(shuffled(draw, ascii_lowercase)), "".join(shuffled(draw, ascii_uppercase))
        )
    text = (resources.files("fabula.language") / "shuffled" / "letters.toml").read_text("utf-8")
    table = tomllib.loads(text)
    return Cipher(table["lower"], table["upper"])
