"""Facts written down as they are, which every world with a phrase bank reads like a sentence.

    left(Ann,Bob); not(above,Ann,Cid)

Names may have blanks, but no commas, brackets or semicolons. Nothing stated is written `()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Fact = tuple[str, ...]

_FACT = re.compile(r"([\w-]+)\(([^(),;]+(?:,[^(),;]+)*)\)")
NOTHING = "()"


def noted(facts: Iterable[Fact]) -> str:
    """Facts as a text."""
    return "; ".join(f"{kind}({','.join(args)})" for kind, *args in facts) or NOTHING


def read_notation(text: str) -> tuple[Fact, ...] | None:
    """The facts of a text, or None if it is none of this kind."""
    if not text.endswith(")"):
        return None
    if text == NOTHING:
        return ()
    found = [_FACT.fullmatch(part) for part in text.split("; ")]
    facts = tuple((one[1], *one[2].split(",")) for one in found if one)
    return facts if len(facts) == len(found) else None
