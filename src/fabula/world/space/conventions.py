"""Which conventions an answer about positions relies on.

    unit-step    a relation without a number of steps is one step
                 without it: any number of steps, one or more
    straight     there is no offset along an axis that a sentence does not name
                 without it: any offset
    told-places  'which' asks only for those whose position follows from the story
                 without it: for everybody in the story
    told-ways    a path uses stated relations only, and as few as possible
                 without it: any path over the grid, or over stated relations
    front-view   above is height, in front is towards the viewer
                 without it: nothing follows if the answer or the question names depth

An answer relies on a convention if, without that one and with all others, it does not follow from
the whole story. What counts is the relation that a sentence states, not its words: 'one step to the
left of' and 'to the left of' state the same.

Without a convention, the story gives bounds on the difference between two things, independently for
each axis. The bounds between any two others are shortest paths over these: exact, for whole numbers
too. A denial excludes one region, so it is a choice: on one of the axes the difference is not as
the region says. An answer must hold for every choice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from fabula.world.base import Query
from fabula.world.space.grid import (
    LETTERS,
    REGIONS,
    WAYS,
    WORDS,
    Region,
    Signs,
    length,
    parted,
    xyz,
)
from fabula.world.space.reading import SpaceReading
from fabula.world.space.recipe import SpaceRecipe

FAR = 1 << 40  # no bound
DEPTH = ("front", "behind", "back")

PAIRS = ("relation", "yes-no", "how-far")
"""Question kinds about two things, which come last in the query."""

Bound = tuple[str, str, int, int]
"""Bounds on the distance of the first from the second along an axis."""
Span = tuple[int, int]


def in_force(recipe: SpaceRecipe) -> tuple[str, ...]:
    """The conventions that answers of a recipe may rely on."""
    asked = recipe.kinds()
    found = ["unit-step", "straight"]
    found += ["front-view"] if recipe.dimensions > 2 else []
    found += ["told-places"] if "which" in asked else []
    found += ["told-ways"] if "path" in asked else []
    return tuple(found)


def relies(
    reading: SpaceReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
) -> tuple[str, ...]:
    """The conventions without which the answer does not follow."""
    kind = query[0]
    found: list[str] = []
    if kind == "path":
        found += _of_way(reading, query, answer, masks[0])
    elif kind in PAIRS and not reading.denials and not reading.chart.shared:
        found += _by_chains(reading, query, answer)
    else:
        names = ["unit-step", "straight", *(["told-places"] if kind == "which" else [])]
        found += [name for name in names if not _follows(reading, query, answer, name)]
    if _depth(query, answer):
        found.append("front-view")
    return tuple(found)


def _depth(query: Query, answer: tuple[str, ...]) -> bool:
    """Whether question or answer names depth."""
    words = answer if query[0] in ("relation", "path") else query[1:2]
    return any(part in DEPTH for word in words for part in word.split("-"))


# --- paths ----------------------------------------------------------------------------------------


def _of_way(
    reading: SpaceReading, query: Query, answer: tuple[str, ...], mask: int
) -> Iterator[str]:
    """The conventions that the steps of a path rely on."""
    start, goal = query[-2:]
    told = [step for bit, _, step, _ in reading.chart.told if bit & mask]
    if any(length(step) == 1 for step in told):
        yield "unit-step"
    axes = range(3 if _is_deep(reading) else 2)
    if any(xyz(step)[axis] == 0 for step in told for axis in axes):
        yield "straight"
    around = len(query) <= 3 and len(set(answer)) > 1  # over the grid, as the question allows
    if around or any(way != answer for way in _ways(reading, start, goal, len(query) > 3)):
        yield "told-ways"


def _ways(reading: SpaceReading, start: str, goal: str, words: bool) -> Iterator[tuple[str, ...]]:
    """The steps of every simple path over stated relations."""
    near = reading.chart.near()
    stack: list[tuple[str, tuple[str, ...], frozenset[str]]] = [(start, (), frozenset([start]))]
    while stack:
        here, way, seen = stack.pop()
        if here == goal:
            yield way
            continue
        for name, step, _ in near[here]:
            if name not in seen:
                unit, count = parted(-step)
                word = WAYS[unit] if words else LETTERS[unit]
                stack.append((name, (*way, *[word] * count), seen | {name}))


def _is_deep(reading: SpaceReading) -> bool:
    return any(xyz(step)[2] for _, _, step, _ in reading.chart.told)


# --- bounds ---------------------------------------------------------------------------------------


def _follows(reading: SpaceReading, query: Query, answer: tuple[str, ...], without: str) -> bool:
    """Whether the answer follows from the story without a convention."""
    axes = 3 if _is_deep(reading) else 2
    told = [
        [
            bound
            for _, first, step, second in reading.chart.told
            if (bound := _bound(first, second, xyz(step)[axis], length(step), without))
        ]
        for axis in range(axes)
    ]
    origin = query[2] if query[0] in ("yes-no", "which", "what-is") else query[1]
    for extra in _choices(reading, axes):
        spans = []
        for axis in range(axes):
            found = _spans([*told[axis], *extra[axis]], origin)
            if found is None:
                break
            spans.append(found)
        else:
            if not _holds(reading, query, answer, without, spans):
                return False
    return True


def _by_chains(reading: SpaceReading, query: Query, answer: tuple[str, ...]) -> tuple[str, ...]:
    """The conventions that an answer about a pair relies on, if nothing is denied."""
    chart, (first, second) = reading.chart, query[-2:]
    chains = [
        [step for _, step in chart.path(mask, first, second) or ()]
        for mask in chart.ways(first, second)
    ]
    return of_chains(query, answer, chains, 3 if _is_deep(reading) else 2)


def of_chains(
    query: Query, answer: tuple[str, ...], told: Sequence[Sequence[int]], axes: int = 2
) -> tuple[str, ...]:
    """The conventions that an answer about a pair relies on, given all chains between the two.

    A shortest path over bounds is simple, so it is one of the chains between the two.
    """
    if not told:  # nothing connects the two, so no convention can yield an answer
        return ()
    chains = [[xyz(step) for step in chain] for chain in told]
    relied = []
    for without, span in (("unit-step", _any_steps), ("straight", _any_side)):
        gap = []
        for axis in range(axes):
            found = [span([step[axis] for step in chain], chain) for chain in chains]
            gap.append((max(low for low, _ in found), min(high for _, high in found)))
        if not _of_pair(query, answer, gap):
            relied.append(without)
    return tuple(relied)


def _any_steps(parts: Sequence[int], chain: Sequence[Signs]) -> Span:
    """The length of a chain along an axis if a step without a number may be any number."""
    low = high = 0
    for part, step in zip(parts, chain, strict=True):
        if part > 0 and max(map(abs, step)) == 1:
            low, high = low + 1, FAR
        elif part < 0 and max(map(abs, step)) == 1:
            low, high = -FAR, high - 1
        else:
            low, high = low + part, high + part
    return low, high


def _any_side(parts: Sequence[int], chain: Sequence[Signs]) -> Span:
    """The length of a chain along an axis if a step that does not name it may have any offset."""
    return (sum(parts), sum(parts)) if all(parts) else (-FAR, FAR)


def _bound(first: str, second: str, gap: int, steps: int, without: str) -> Bound | None:
    """The meaning of a stated relation on one axis."""
    if gap == 0:
        return None if without == "straight" else (first, second, 0, 0)
    if steps > 1 or without != "unit-step":
        return (first, second, gap, gap)
    return (first, second, 1, FAR) if gap > 0 else (first, second, -FAR, -1)


def _choices(reading: SpaceReading, axes: int) -> Iterator[list[list[Bound]]]:
    """For each way to satisfy all denials, the bounds that it adds to each axis."""
    options: list[list[tuple[int, Bound]]] = []
    for _, (word, first, second, _, _) in reading.denials:
        options.append(
            [
                (axis, (first, second, low, high))
                for axis, sign in enumerate(REGIONS[word][:axes])
                if sign is not None
                for low, high in _others(sign)
            ]
        )
    for chosen in product(*options):
        added: list[list[Bound]] = [[] for _ in range(axes)]
        for axis, bound in chosen:
            added[axis].append(bound)
        yield added


def _others(sign: int) -> list[Span]:
    """The differences that have another sign."""
    return [(1, FAR), (-FAR, -1)] if sign == 0 else [(-FAR, 0) if sign > 0 else (0, FAR)]


def _spans(bounds: Sequence[Bound], origin: str) -> dict[str, Span] | None:
    """The range of each position relative to the origin along an axis; None if the bounds
    conflict.
    """
    # a - b <= high and b - a <= -low: a path of such bounds adds up to one between its ends
    edges = [(b, a, high) for a, b, _, high in bounds if high < FAR]
    edges += [(a, b, -low) for a, b, low, _ in bounds if low > -FAR]
    above = _distances(edges, origin)
    below = _distances([(end, start, far) for start, end, far in edges], origin)
    if above is None or below is None:
        return None
    names = {name for bound in bounds for name in bound[:2]} | {origin}
    return {name: (-below.get(name, FAR), above.get(name, FAR)) for name in names}


def _distances(edges: Sequence[tuple[str, str, int]], origin: str) -> dict[str, int] | None:
    """The shortest distances from the origin to all others; None if there is a negative cycle."""
    near: dict[str, list[tuple[str, int]]] = {}
    for start, end, far in edges:
        near.setdefault(start, []).append((end, far))
    found = {origin: 0}
    edge = [origin]
    for _ in range(len(near) + 2):
        ahead: dict[str, None] = {}
        for here in edge:
            there = found[here]
            for name, far in near.get(here, ()):
                if there + far < found.get(name, FAR):
                    found[name] = there + far
                    ahead[name] = None
        if not ahead:
            return found
        edge = list(ahead)
    return None


# --- reading answers from bounds ------------------------------------------------------------------


def _holds(
    reading: SpaceReading,
    query: Query,
    answer: tuple[str, ...],
    without: str,
    spans: list[dict[str, Span]],
) -> bool:
    """Whether the answer is right for all positions within these spans of the origin."""

    def span(name: str) -> list[Span]:
        return [found.get(name, (-FAR, FAR)) for found in spans]

    kind = query[0]
    # the origin is the first of the pair, so everything is seen from the other side
    if kind in PAIRS:
        return _of_pair(query, answer, [(-high, -low) for low, high in span(query[-1])])
    chart = reading.chart
    everyone: Sequence[str] = list(chart.places)
    if without != "told-places":
        everyone = chart.parts.get(query[2] if kind in ("which", "what-is") else query[1], [])
    if kind == "which":
        region = REGIONS[query[1]]
        return all(
            _inside(span(name), region) is (name in answer) for name in everyone if name != query[2]
        )
    step = WORDS[query[1]] if kind == "what-is" else -WORDS[query[2]]
    ground = query[2] if kind == "what-is" else query[1]
    return all(
        _next(span(name), step, without) is (name in answer) for name in everyone if name != ground
    )


def _of_pair(query: Query, answer: tuple[str, ...], gap: Sequence[Span]) -> bool:
    """Whether the answer is right wherever the first lies within these spans of the second."""
    if query[0] == "relation":
        return _inside(gap, xyz(WORDS.get(answer[0], 0))) is True
    if query[0] == "yes-no":
        return _inside(gap, REGIONS[query[1]]) is (answer == ("yes",))
    sizes = [_size(span) for span in gap]
    least, most = max(low for low, _ in sizes), max(high for _, high in sizes)
    return least == most == int(answer[0])


def _inside(spans: Sequence[Span], region: Region) -> bool | None:
    """Whether something within these spans lies in a region; None if it may or may not."""
    sure = True
    for (low, high), sign in zip(spans, region, strict=False):
        if sign is None:
            continue
        low_sign, high_sign = (low > 0) - (low < 0), (high > 0) - (high < 0)
        if not low_sign <= sign <= high_sign:
            return False
        sure = sure and low_sign == high_sign == sign
    return True if sure else None


def _next(spans: Sequence[Span], step: int, without: str) -> bool | None:
    """Whether it is one step away in a direction, as far as distances count."""
    if without == "unit-step":
        return _inside(spans, xyz(step))
    sure = True
    for (low, high), part in zip(spans, xyz(step), strict=False):
        if without == "straight" and not part:
            continue
        if not low <= part <= high:
            return False
        sure = sure and low == high
    return True if sure else None


def _size(span: Span) -> Span:
    """The span of absolute values."""
    low, high = span
    return (0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
