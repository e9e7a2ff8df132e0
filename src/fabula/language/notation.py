"""Facts written as symbols, which every world with a phrase bank can read like a sentence.

    left(Ann,Bob); not(above,Ann,Cid)

Names may contain blanks, but no commas, brackets or semicolons. A sentence without facts is `()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Fact = tuple[str, ...]

_FACT = re.compile(r"([\w-]+)\(([^(),;]+(?:,[^(),;]+)*)\)")
NOTHING = "()"


def noted(facts: Iterable[Fact]) -> str:
    """Facts in notation."""
    return "; ".join(f"{kind}({','.join(args)})" for kind, *args in facts) or NOTHING


def read_notation(text: str) -> tuple[Fact, ...] | None:
    """The facts of a text, or None if it is not in this notation."""
    if not text.endswith(")"):
        return None
    if text == NOTHING:
        return ()
    found = [_FACT.fullmatch(part) for part in text.split("; ")]
    facts = tuple((one[1], *one[2].split(",")) for one in found if one)
    return facts if len(facts) == len(found) else None
