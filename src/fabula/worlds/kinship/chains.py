"""Chains of facts that prove a target, and noise around them, found in a family.

A chain is a simple path of people, each the …of the one before; the pair of the question are its
ends. A *clause* is the chain's words, e.g. mother-brother. `backward` starts at the target and
splits a fact again and again by a rule; `along` looks for people who stand in a given clause, from
which a longer chain can be `grown`.

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


class Link(NamedTuple):
    """A fact: `second` is `first`'s relation."""

    first: int
    relation: str
    second: int


Step = tuple[Link, Link, Link]
"""A step of a proof: the first fact follows from the other two."""


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
    start = along(family, vocabulary, draw, ((relation, gender),), 24)
    return grown(family, vocabulary, draw, Chain(start, []), start, k) if start else None


def grown(
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    chain: Chain,
    inner: Sequence[Link],
    k: int,
) -> Chain | None:
    """The chain with some of these links split again and again until it has k; None if stuck."""
    links, proof = list(chain.links), list(chain.proof)
    used = set(people_of(links))
    open_links = list(inner)
    while len(links) < k:
        if not open_links:
            return None
        at = below(draw, len(open_links))
        link = open_links[at]
        halves = split(family, vocabulary, draw, link, used)
        if halves is None:
            open_links.pop(at)
            continue
        used.add(halves[0].second)
        index = links.index(link)
        links[index : index + 1] = halves
        open_links[at : at + 1] = halves
        proof.append((link, *halves))
    return Chain(links, proof)


def split(
    family: Family, vocabulary: Vocabulary, draw: Draw, link: Link, used: set[int]
) -> tuple[Link, Link] | None:
    """Two facts with a new person between that give the fact back; each rule is as likely."""
    first, relation, second = link
    bodies = list(vocabulary.bodies[relation])
    while bodies:
        at = below(draw, len(bodies))
        one, two = bodies[at]
        bodies[at] = bodies[-1]
        bodies.pop()
        between = [
            middle
            for middle in family.all_of(first, one)
            if middle not in used and second in family.all_of(middle, two)
        ]
        if between:
            middle = pick(draw, between)
            return Link(first, one, middle), Link(middle, two, second)
    return None


def along(
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    clause: Sequence[tuple[str, str]],
    tries: int = 12,
) -> list[Link] | None:
    """People who stand in this clause of (relation, gender or ''); None if none were found."""
    kinds = room(vocabulary, family.generations, tuple(relation for relation, _ in clause))
    if not kinds[0]:
        return None
    gender, kind, size = family.gender, family.kind, len(family)
    begun = 0
    for _ in range(8 * tries):  # most people have no such relatives: they are passed over
        person = int(draw() * size)
        if kind[person] not in kinds[0]:
            continue
        used, links = {person}, []
        for n, (relation, wanted) in enumerate(clause, 1):
            found = [
                other
                for other in family.all_of(person, relation)
                if other not in used
                and (not wanted or gender[other] == wanted)
                and kind[other] in kinds[n]
            ]
            if not found:
                break
            other = found[int(draw() * len(found))]
            links.append(Link(person, relation, other))
            used.add(other)
            person = other
        else:
            return links
        begun += 1
        if begun == tries:
            break
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
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    chain: Chain,
    used: set[int],
    routes: tuple[int, int],
) -> list[Strand] | None:
    """Detours: a fact of the chain said once more by two facts with a new person.

    As many as the second number says, or as there is room for if that is no less than the first.
    """
    strands: list[Strand] = []
    for link in shuffled(draw, chain.links):
        if len(strands) == routes[1]:
            break
        halves = split(family, vocabulary, draw, link, used)
        if halves:
            used.add(halves[0].second)
            strands.append(Strand("supporting", list(halves)))
    return strands if len(strands) >= routes[0] else None
