"""How the bAbI release labels tasks 4, 17 and 19: the answer, and the sentences cited, in order.

4   the one sentence that states it
17  first the sentence with the question's first figure, then the other
19  the sentences in the order of the walk
"""

from __future__ import annotations

from fabula.core.supports import numbers_of
from fabula.world.base import Citation, Query
from fabula.world.space.reading import SpaceReading


def cite(reading: SpaceReading, query: Query) -> Citation | None:
    """The release's answer and citation, or None if it has none."""
    finding = reading.find(query)
    if finding is None:
        return None
    mask = finding.masks[0]
    ends = {"yes-no": query[2:4], "path": query[1:3], "relation": query[1:3]}.get(query[0])
    steps = reading.chart.path(mask, *ends) if ends else None
    numbers = numbers_of(mask) if steps is None else tuple(number for number, _ in steps)
    return Citation(finding.answer, numbers)


def citations(reading: SpaceReading, query: Query) -> list[Citation]:
    """All labels that the release may give: one, or none."""
    found = cite(reading, query)
    return [found] if found else []
