"""Chains of facts that prove a target, and noise around them, found in a family.

A chain is a simple path of people, each the …of the one before; the pair of the question are its
ends. A *clause* is the chain's words, e.g. mother-brother. `backward` starts at the target and
splits a fact again and again by a rule; `along` looks for people who stand in a given clause.

Noise, as defined for CLUTRR relative to the chain:
    irrelevant    a path that touches the chain at one end of the question
    supporting    another, longer route between two people of the chain
    disconnected  a path that touches nobody of the story
Noise adds new people only, so that what the chain's facts join, nothing shorter joins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.seeds import Draw, below, pick, shuffled
from fabula.worlds.kinship.algebra import Vocabulary
from fabula.worlds.kinship.family import Family, room

Step = tuple[int, int, int]
"""A step of a proof: what (a, c) are follows from what (a, b) and (b, c) are."""


class Link(NamedTuple):
    """A fact: `second` is `first`'s relation."""

    first: int
    relation: str
    second: int


class Chain(NamedTuple):
    """A simple path that proves what its last person is to its first."""

    links: list[Link]
    proof: list[Step]
    """Outermost step first."""


class Strand(NamedTuple):
    """Some facts of noise that belong together, a path."""

    role: str
    links: list[Link]


def backward(
    family: Family, vocabulary: Vocabulary, draw: Draw, relation: str, gender: str, k: int
) -> Chain | None:
    """A chain of k facts for a target, split backwards from it; None if it got stuck."""
    start = _pair(family, vocabulary, draw, relation, gender)
    if start is None:
        return None
    chain, proof, used = [start], [], {start.first, start.second}
    open_links = [start]
    while len(chain) < k:
        if not open_links:
            return None
        at = below(draw, len(open_links))
        link = open_links[at]
        bodies = splits(family, vocabulary, link, used)
        if not bodies:
            open_links.pop(at)
            continue
        body = pick(draw, list(bodies))
        middle = pick(draw, bodies[body])
        used.add(middle)
        halves = [Link(link.first, body[0], middle), Link(middle, body[1], link.second)]
        index = chain.index(link)
        chain[index : index + 1] = halves
        open_links[at : at + 1] = halves
        proof.append((link.first, middle, link.second))
    return Chain(chain, proof)


def _pair(
    family: Family, vocabulary: Vocabulary, draw: Draw, relation: str, gender: str
) -> Link | None:
    """Two people of whom the second is this to the first."""
    links = along(family, vocabulary, draw, ((relation, gender),), 24)
    return links[0] if links else None


def splits(
    family: Family, vocabulary: Vocabulary, link: Link, used: set[int]
) -> dict[tuple[str, str], list[int]]:
    """The new people between the two of a fact, by the rule that gives the fact back."""
    first, relation, second = link
    near, mirror, rules = family.relatives(second), vocabulary.mirror, vocabulary.rules
    found: dict[tuple[str, str], list[int]] = {}
    for middle, one in family.relatives(first).items():
        back = near.get(middle)
        if back is not None and middle not in used:
            body = (one, mirror[back])
            if rules.get(body) == relation:
                found.setdefault(body, []).append(middle)
    return found


def along(
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    clause: Sequence[tuple[str, str]],
    tries: int = 12,
) -> list[Link] | None:
    """People who stand in this clause of (relation, gender); None if none were found."""
    kinds = room(vocabulary, len(family.kinds) // 2, tuple(relation for relation, _ in clause))
    starts = [person for kind in sorted(kinds[0]) for person in family.kinds[kind]]
    if not starts:
        return None
    gender = family.gender
    for _ in range(tries):
        person = pick(draw, starts)
        used, links = {person}, []
        for relation, wanted in clause:
            found = [
                other
                for other in family.all_of(person, relation)
                if gender[other] == wanted and other not in used
            ]
            if not found:
                break
            other = pick(draw, found)
            links.append(Link(person, relation, other))
            used.add(other)
            person = other
        else:
            return links
    return None


def people_of(links: Sequence[Link]) -> list[int]:
    """Everyone on a path, in its order."""
    return [links[0].first, *(link.second for link in links)]


# --- noise ------------------------------------------------------------------------------------


def _path(
    family: Family, vocabulary: Vocabulary, draw: Draw, start: int, used: set[int], length: int
) -> list[Link] | None:
    """A path of new people from a person."""
    links: list[Link] = []
    for _ in range(length):
        # the relation first, or nephews and cousins would crowd out the rest
        for relation in shuffled(draw, list(vocabulary.relations)):
            ways = [other for other in family.all_of(start, relation) if other not in used]
            if ways:
                break
        else:
            return None
        other = pick(draw, ways)
        links.append(Link(start, relation, other))
        used.add(other)
        start = other
    return links


def irrelevant(
    family: Family, vocabulary: Vocabulary, draw: Draw, chain: Chain, used: set[int], facts: int
) -> list[Strand] | None:
    """A path of so many facts that leads away from one of the two people of the question."""
    ends = shuffled(draw, [chain.links[0].first, chain.links[-1].second])
    for end in ends:
        trial = set(used)
        links = _path(family, vocabulary, draw, end, trial, facts)
        if links:
            used |= trial
            return [Strand("irrelevant", links)]
    return None


def disconnected(
    family: Family, vocabulary: Vocabulary, draw: Draw, used: set[int], facts: int
) -> list[Strand] | None:
    """So many facts among people whom the story does not know, as one path."""
    for _ in range(12):
        start = below(draw, len(family))
        if start in used:
            continue
        trial = used | {start}
        links = _path(family, vocabulary, draw, start, trial, facts)
        if links:
            used |= trial
            return [Strand("disconnected", links)]
    return None


def supporting(
    family: Family, vocabulary: Vocabulary, draw: Draw, chain: Chain, used: set[int], routes: int
) -> list[Strand] | None:
    """So many detours: a fact of the chain said once more by two facts with a new person."""
    strands: list[Strand] = []
    for link in shuffled(draw, chain.links):
        bodies = splits(family, vocabulary, link, used)
        if bodies:
            body = pick(draw, list(bodies))
            middle = pick(draw, bodies[body])
            used.add(middle)
            links = [Link(link.first, body[0], middle), Link(middle, body[1], link.second)]
            strands.append(Strand("supporting", links))
        if len(strands) == routes:
            return strands
    return None
