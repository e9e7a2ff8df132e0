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

Why not relations/chain.py and relations/noise.py, which draw chains and noise for grids and orders:
1. There any sequence of steps is a story, so that sequences can be counted and drawn by outcome.
   Here the people must be found in one family: nobody has three parents or two spouses, and a
   detour or branch with made-up people would contradict what was told.
2. There a chain is folded from left to right. Kin is a set of positions, and what follows depends
   on the bracketing: that my father's mother's son is my uncle shows only from the right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.seeds import Draw, shuffled
from fabula.worlds.kinship.algebra import Body, Vocabulary
from fabula.worlds.kinship.family import Family, one_of, room


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
    if not start:
        return None
    proof = grown(family, vocabulary, draw, start, k, fixed_ends=False)
    return Chain(start, proof) if proof is not None else None


def grown(
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    links: list[Link],
    k: int,
    fixed_ends: bool,
) -> list[Step] | None:
    """Splits some of the links again and again until there are k; the steps, or None if stuck.

    With fixed ends, the first and the last relation stay what they are.
    """
    proof: list[Step] = []
    used = mask_of(links)
    openings = [True] * len(links)  # what could not be split once never can: people only run out
    left = len(links)
    while len(links) < k:
        if not left:
            return None
        at = int(draw() * len(links))
        if not openings[at]:
            continue
        link = links[at]
        bodies = vocabulary.bodies[link.relation]
        if fixed_ends and at == 0:
            bodies = vocabulary.prolonged[0][link.relation]
        elif fixed_ends and at == len(links) - 1:
            bodies = vocabulary.prolonged[1][link.relation]
        halves = split(family, draw, link, used, bodies)
        if halves is None:
            openings[at] = False
            left -= 1
            continue
        used |= 1 << halves[0].second
        links[at : at + 1] = halves
        openings.insert(at, True)
        left += 1
        proof.append((link, *halves))
    return proof


def split(
    family: Family, draw: Draw, link: Link, used: int, bodies: Sequence[Body]
) -> tuple[Link, Link] | None:
    """Two facts with a new person between that give the fact back; each rule is as likely."""
    first, _, second = link
    kin, left = family.kin, list(bodies)
    while left:
        at = int(draw() * len(left))
        one, two, back = left[at]
        between = kin[first, one] & kin[second, back] & ~used
        if between:
            middle = one_of(draw, between)
            return Link(first, one, middle), Link(middle, two, second)
        left[at] = left[-1]
        left.pop()
    return None


def along(
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    clause: Sequence[tuple[str, str]],
    tries: int = 12,
) -> list[Link] | None:
    """People who stand in this clause of (relation, gender or ''); None if none were found.

    The family's genders are changed to those that the clause wants, so ask before using them.
    """
    kinds = room(vocabulary, family.generations, tuple([relation for relation, _ in clause]))
    kin, of_kinds = family.kin, family.pedigree.of_kinds
    starts = of_kinds(kinds[0])
    if not starts:
        return None
    for _ in range(tries):
        person = one_of(draw, starts)
        free, links = ~(1 << person), []
        for (relation, _), onward in zip(clause, kinds[1:], strict=True):
            found = kin[person, relation] & free & of_kinds(onward)
            if not found:
                break
            other = one_of(draw, found)
            links.append(Link(person, relation, other))
            free &= ~(1 << other)
            person = other
        else:
            wishes = zip([link.second for link in links], [wish for _, wish in clause], strict=True)
            if family.settle([(other, wish) for other, wish in wishes if wish]):
                return links
    return None


def people_of(links: Sequence[Link]) -> list[int]:
    """Everyone on a path, in its order."""
    return [links[0].first, *[link.second for link in links]]


def mask_of(links: Sequence[Link]) -> int:
    """Everyone on a path as a mask."""
    mask = 1 << links[0].first
    for link in links:
        mask |= 1 << link.second
    return mask


# --- noise ------------------------------------------------------------------------------------


def _path(
    family: Family, vocabulary: Vocabulary, draw: Draw, start: int, used: int, length: int
) -> list[Link] | None:
    """A path of new people from a person."""
    links: list[Link] = []
    kin = family.kin
    for _ in range(length):
        # the relation first, or nephews and cousins would crowd out the rest
        left = list(vocabulary.relations)
        while left:
            at = int(draw() * len(left))
            relation = left[at]
            ways = kin[start, relation] & ~used
            if ways:
                break
            left[at] = left[-1]
            left.pop()
        else:
            return None
        other = one_of(draw, ways)
        links.append(Link(start, relation, other))
        used |= 1 << other
        start = other
    return links


def irrelevant(
    family: Family, vocabulary: Vocabulary, draw: Draw, chain: Chain, used: int, facts: int
) -> list[Strand] | None:
    """A path of so many facts that leads away from one of the two people of the question."""
    for end in shuffled(draw, [chain.links[0].first, chain.links[-1].second]):
        links = _path(family, vocabulary, draw, end, used, facts)
        if links:
            return [Strand("irrelevant", links)]
    return None


def disconnected(
    family: Family, vocabulary: Vocabulary, draw: Draw, used: int, facts: int
) -> list[Strand] | None:
    """So many facts among people whom the story does not know, as one path."""
    strangers = (1 << len(family)) - 1 & ~used
    for _ in range(12 if strangers else 0):
        start = one_of(draw, strangers)
        links = _path(family, vocabulary, draw, start, used | 1 << start, facts)
        if links:
            return [Strand("disconnected", links)]
    return None


def supporting(
    family: Family,
    vocabulary: Vocabulary,
    draw: Draw,
    chain: Chain,
    used: int,
    routes: tuple[int, int],
) -> list[Strand] | None:
    """Detours: a fact of the chain said once more by two facts with a new person.

    As many as the second number says, or as there is room for if that is no less than the first.
    """
    strands: list[Strand] = []
    for link in shuffled(draw, chain.links):
        if len(strands) == routes[1]:
            break
        halves = split(family, draw, link, used, vocabulary.bodies[link.relation])
        if halves:
            used |= 1 << halves[0].second
            strands.append(Strand("supporting", list(halves)))
    return strands if len(strands) >= routes[0] else None
