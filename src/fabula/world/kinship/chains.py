"""Chains of facts that prove a target, and noise around them, found in a family.

A chain is a simple path of people, each a relative of the one before; its ends are the pair in the
question. `along` finds people for a given clause (see clauses.py).

Noise, as defined for CLUTRR relative to the chain:
    irrelevant    a path that touches the chain at one end of the question
    supporting    another, longer route between two people of the chain
    disconnected  a path that touches nobody of the story
Noise adds new people only, so it never shortens the connection between two people of the chain.

Why not relations/chain.py and relations/noise.py, which draw chains and noise for grids and orders:
1. There any sequence of steps is a story, so sequences can be counted and drawn by outcome. Here
   the people must be found in one family: nobody has three parents or two spouses, and a detour or
   branch with made-up people would contradict the story.
2. There a chain is folded from left to right. Kin is a set of positions, and what follows depends
   on the bracketing: that my father's mother's son is my uncle only shows from the right.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from fabula.core.seeds import Draw, shuffled
from fabula.world.kinship.algebra import Body, Vocabulary
from fabula.world.kinship.family import Family, one_of, room

LOOKS = 60  # maximum number of people tried for one clause in one family


class Link(NamedTuple):
    """A fact: `second` is the given relation of `first`."""

    first: int
    relation: str
    second: int


Step = tuple[Link, Link, Link]
"""A step of a proof: the first fact follows from the other two."""


class Chain(NamedTuple):
    """A simple path that proves the relation of its last person to its first."""

    links: list[Link]
    proof: list[Step]
    """Outermost step first."""


class Strand(NamedTuple):
    """Facts of noise that form one path."""

    role: str
    links: list[Link]


def split(
    family: Family, draw: Draw, link: Link, used: int, bodies: Sequence[Body]
) -> tuple[Link, Link] | None:
    """Two facts with a new person in between from which the fact follows; rules are equally
    likely.
    """
    first, _, second = link
    relatives, left = family.pedigree.relatives, list(bodies)
    while left:
        at = int(draw() * len(left))
        one, two, back = left[at]
        between = relatives(first, one) & relatives(second, back) & ~used
        if between:
            middle = one_of(draw, between)
            return Link(first, one, middle), Link(middle, two, second)
        left[at] = left[-1]
        left.pop()
    return None


def along(
    family: Family, vocabulary: Vocabulary, draw: Draw, clause: tuple[str, ...], looks: int = LOOKS
) -> list[Link] | None:
    """People for this clause; None if none were found within `looks` tries.

    The search backtracks, so a clause that fits in the family is found quickly.
    """
    kinds = room(vocabulary, family.generations, clause)
    pedigree, count = family.pedigree, len(clause)
    left = [pedigree.of_kinds(kinds[0])]
    path: list[int] = []
    met = 0
    while left:
        people = left[-1]
        if not people:
            left.pop()
            if path:
                met ^= 1 << path.pop()
            continue
        if not looks:
            return None
        looks -= 1
        person = one_of(draw, people)
        bit = 1 << person
        left[-1] = people ^ bit
        at = len(path)
        path.append(person)
        if at == count:
            return [Link(path[n], clause[n], path[n + 1]) for n in range(count)]
        met |= bit
        left.append(
            pedigree.relatives(person, clause[at]) & ~met & pedigree.of_kinds(kinds[at + 1])
        )
    return None


def people_of(links: Sequence[Link]) -> list[int]:
    """Everyone on a path, in order."""
    return [links[0].first, *[link.second for link in links]]


def mask_of_people(links: Sequence[Link]) -> int:
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
    relatives = family.pedigree.relatives
    for _ in range(length):
        # draw the relation first, or nephews and cousins would crowd out the rest
        left = list(vocabulary.relations)
        while left:
            at = int(draw() * len(left))
            relation = left[at]
            ways = relatives(start, relation) & ~used
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
    family: Family, vocabulary: Vocabulary, draw: Draw, chain: Sequence[Link], used: int, facts: int
) -> list[Strand] | None:
    """A path of `facts` facts that leads away from one of the two people in the question."""
    for end in shuffled(draw, [chain[0].first, chain[-1].second]):
        links = _path(family, vocabulary, draw, end, used, facts)
        if links:
            return [Strand("irrelevant", links)]
    return None


def disconnected(
    family: Family, vocabulary: Vocabulary, draw: Draw, used: int, facts: int
) -> list[Strand] | None:
    """Facts among people outside the story, as one path."""
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
    chain: Sequence[Link],
    used: int,
    routes: tuple[int, int],
) -> list[Strand] | None:
    """Detours: a fact of the chain stated again by two facts with a new person.

    As many as the second number says; or as many as fit, if that is at least the first number.
    """
    strands: list[Strand] = []
    for link in shuffled(draw, chain):
        if len(strands) == routes[1]:
            break
        halves = split(family, draw, link, used, vocabulary.bodies[link.relation])
        if halves:
            used |= 1 << halves[0].second
            strands.append(Strand("supporting", list(halves)))
    return strands if len(strands) >= routes[0] else None


def detoured(
    links: Sequence[Link], detours: Sequence[Strand], lengths: Collection[int]
) -> Iterator[tuple[str, ...]]:
    """The clauses of the alternative routes that have one of these lengths."""
    by_link = {(strand.links[0].first, strand.links[-1].second): strand for strand in detours}
    for size in range(1, len(detours) + 1):
        if len(links) + size not in lengths:
            continue
        for chosen in combinations(by_link, size):
            way: list[str] = []
            for link in links:
                ends = link.first, link.second
                taken = by_link[ends].links if ends in chosen else [link]
                way += [step.relation for step in taken]
            yield tuple(way)
