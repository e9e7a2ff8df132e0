"""Whether a story about people and things is possible, as far as handling is concerned.

Places are up to the reader (`Knowledge.consistent`). Here: nobody lets go of what they do not have
or takes what somebody else has, nothing is taken from where it is not, nobody gives something to
themselves, and nobody moves to where they already are.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.world.base import Fact

NOBODY = ""
Holder = tuple[str, str]
"""'by', 'in' or 'on', and the holder."""


def plausible(told: Sequence[Sequence[Fact]]) -> bool:
    """Whether things are handled only by people who can."""
    holder: dict[str, Holder] = {}
    place: dict[str, str] = {}
    for facts in told:
        for fact in facts:
            kind = fact[0]
            if kind in ("move", "at"):
                if place.get(fact[1]) == fact[2]:
                    return False
                place[fact[1]] = fact[2]
            elif kind in ("not-at", "either"):
                place[fact[1]] = NOBODY
            elif kind in HANDLED and not _handled(fact, holder):
                return False
    return True


def _handled(fact: Fact, holder: dict[str, Holder]) -> bool:
    """Handle a thing, which then has a new holder; False if that is impossible."""
    kind, person, thing = fact[:3]
    has = holder.get(thing)
    if kind == "grab":
        if has is not None:
            return False
        holder[thing] = ("by", person)
        return True
    if kind == "take":
        if has is None or has[0] == "by" or has[1] != fact[3]:
            return False
        holder[thing] = ("by", person)
        return True
    if has != ("by", person):
        return False
    if kind == "drop":
        del holder[thing]
    elif kind == "give":
        if fact[3] == person:
            return False
        holder[thing] = ("by", fact[3])
    else:
        if _inside(fact[3], thing, holder):
            return False
        holder[thing] = ("in" if kind == "put" else "on", fact[3])
    return True


def _inside(box: str, thing: str, holder: dict[str, Holder]) -> bool:
    """Whether a box is a thing, or is in or on it."""
    while box != thing:
        where = holder.get(box)
        if where is None or where[0] == "by":
            return False
        box = where[1]
    return True


HANDLED = ("grab", "take", "drop", "give", "put", "lay")
