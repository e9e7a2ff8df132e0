"""How the bAbI release labels task 18: the answer, and the two sentences cited, in order.

Let C be the thing that the question assumes to be bigger. The release first takes a sentence that
puts C above something (for 'yes') or below something (for 'no'), then the *first* sentence of the
story that continues from there; the two determine the question. Its first sentence is random: the
same question, asked twice about one story, may be cited differently. `citations` gives all possible
citations, and `cite` the latest of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabula.world.base import Citation, Query
from fabula.world.sizes.language import NOTHING, bigger_first
from fabula.world.sizes.reading import SizesReading


def chains(reading: SizesReading) -> Iterator[tuple[str, str, Citation]]:
    """(C, the other thing, answer with citation) for every question the release may ask."""
    first_below: dict[str, int] = {}
    first_above: dict[str, int] = {}
    told = [(n, *pair) for n, pair in enumerate(reading.told, 1) if pair != NOTHING]
    for number, bigger, smaller in told:
        first_below.setdefault(bigger, number)
        first_above.setdefault(smaller, number)
    for number, bigger, smaller in told:
        on = first_below.get(smaller)
        if on:
            yield bigger, reading.told[on - 1][1], Citation(("yes",), (number, on))
        on = first_above.get(bigger)
        if on:
            yield smaller, reading.told[on - 1][0], Citation(("no",), (number, on))


def citations(reading: SizesReading, query: Query) -> list[Citation]:
    """All answers with citations that the release may give."""
    asked = bigger_first(query)
    return [cited for first, other, cited in chains(reading) if (first, other) == asked]


def cite(reading: SizesReading, query: Query) -> Citation | None:
    """The latest citation, which is the most frequent one; None if there is none."""
    found = citations(reading, query)
    return found[-1] if found else None
