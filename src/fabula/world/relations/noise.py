"""Noise: links that never change or shorten the answer, each labelled with its role.

    irrelevant    a branch attached to the story at one entity: it leads nowhere
    supporting    another route between two entities of the chain, longer than the chain's own
    disconnected  links among entities that do not occur in the rest of the story

Every function takes its new entities from an iterator of fresh names, so none is used twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabula.core.seeds import Draw, pick
from fabula.world.relations.algebra import Link, R
from fabula.world.relations.chain import Walks, chain, folded


def branch(
    draw: Draw, hosts: Sequence[str], fresh: Iterator[str], steps: Sequence[R], links: int
) -> list[Link[R]]:
    """`links` irrelevant links, each attaching a new entity to a host or an earlier new entity."""
    places = list(hosts)
    result = []
    for _ in range(links):
        name = next(fresh)
        result.append(Link(name, pick(draw, steps), pick(draw, places), "irrelevant"))
        places.append(name)
    return result


def island(draw: Draw, fresh: Iterator[str], steps: Sequence[R], links: int) -> list[Link[R]]:
    """`links` links in a chain of new entities."""
    if not links:
        return []
    names = [next(fresh) for _ in range(links + 1)]
    return chain(names, [pick(draw, steps) for _ in range(links)], "disconnected")


def detour(
    draw: Draw,
    walks: Walks[R],
    names: Sequence[str],
    steps: Sequence[R],
    *,
    fresh: Iterator[str],
    links: int,
) -> list[Link[R]]:
    """Another route of `links` links between two entities of a chain; empty if there is none.

    It is longer than the stretch it bypasses, so the chain stays the only shortest proof, and it
    agrees with the chain: the outcomes of `walks` must distinguish the relations themselves.
    """
    if links < 2:
        return []
    spans = [(i, j) for i in range(len(steps)) for j in range(i + 1, min(i + links, len(names)))]
    while spans:
        at = int(draw() * len(spans))
        i, j = spans.pop(at)
        goal = folded(walks.algebra, steps[i:j])
        way = walks.draw(draw, links, goal) if goal is not None else None
        if way is not None:
            stops = [names[i], *(next(fresh) for _ in range(links - 1)), names[j]]
            return chain(stops, way, "supporting")
    return []
