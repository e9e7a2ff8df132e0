"""How the bAbI release labels tasks 15 and 16: the answer, and the sentences cited, in order.

15  the kind of the individual, then what that kind is afraid of
16  the kind of the individual, then the kind of the peer, then the peer's colour; the peer is
    the one whose kind is stated last, whatever colour the others have
"""

from __future__ import annotations

from fabula.core.supports import numbers_of
from fabula.world.base import Citation, Query
from fabula.world.kinds.reading import KindsReading


def cite(reading: KindsReading, query: Query) -> Citation | None:
    """The release's answer and citation, or None if it has none."""
    told, one = reading.told, reading.resolve(query[1])
    if query[0] == "afraid":
        finding = reading.find(query)
        if finding is None:
            return None
        numbers = numbers_of(finding.masks[0])
        order = {"member": 0, "subkind": 1, "fear": 2}
        return Citation(
            finding.answer, tuple(sorted(numbers, key=lambda n: (order[told[n - 1][0]], n)))
        )
    kinds = {fact[1]: (fact[2], n) for n, fact in enumerate(told, 1) if fact[0] == "member"}
    colours = {fact[1]: (fact[2], n) for n, fact in enumerate(told, 1) if fact[0] == "colour"}
    if one not in kinds:
        return None
    kind, first = kinds[one]
    peers = [
        (number, name)
        for name, (other, number) in kinds.items()
        if other == kind and name != one and name in colours
    ]
    if not peers:
        return None
    number, peer = max(peers)
    colour, last = colours[peer]
    return Citation((colour,), (first, number, last))


def citations(reading: KindsReading, query: Query) -> list[Citation]:
    """All labels that the release may give: one, or none."""
    found = cite(reading, query)
    return [found] if found else []
