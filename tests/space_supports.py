"""All minimal supports of an answer about positions, by trying every set of sentences.

A second opinion for tests: it starts from the facts of a record and shares no code with the reader.
What follows from a set of sentences is decided by difference constraints and Bellman-Ford; where
`spots` is given, by trying every placement within that distance instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

Vector = tuple[int, ...]
Row = tuple[int, str, str, int]
"""Along an axis, x - y <= w."""
Region = tuple[int | None, ...]
Places = dict[str, tuple[str, Vector]]
Denied = Sequence[tuple[str, str, str]]
Facts = Sequence[Sequence[tuple[str, ...]]]
PARTS = {
    "left": (-1, 0, 0), "right": (1, 0, 0), "west": (-1, 0, 0), "east": (1, 0, 0),
    "above": (0, 1, 0), "upper": (0, 1, 0), "north": (0, 1, 0),
    "below": (0, -1, 0), "lower": (0, -1, 0), "south": (0, -1, 0),
    "front": (0, 0, 1), "behind": (0, 0, -1), "overlap": (0, 0, 0),
}  # fmt: skip
STEPS = {1: ("right", "up", "front"), -1: ("left", "down", "back")}
PAGE = (
    "left", "right", "above", "below", "upper-left", "upper-right", "lower-left", "lower-right",
)  # fmt: skip
DEPTHS = ("front", "behind")
LABELS = (*PAGE, *DEPTHS, *(f"{word}-{depth}" for word in PAGE for depth in DEPTHS), "overlap")
SIDES = ("left", "right", "above", "below", "front", "behind", "north", "south", "east", "west")


def offset(word: str) -> Vector:
    parts = [PARTS[part] for part in word.split("-") if part != "directly"]
    return tuple(map(sum, zip(*parts, strict=True)))


def signs(word: str) -> tuple[int | None, ...]:
    """What a region demands along each axis; None: nothing."""
    if word in SIDES:
        return tuple(part or None for part in offset(word))
    return offset(word)


class Truth:
    """What follows from sets of sentences of one story."""

    def __init__(self, facts: Facts, query: tuple[str, ...], spots: int = 0) -> None:
        self.query = query
        self.spots = spots
        self.links: list[list[tuple[str, Vector, str]]] = []
        self.denials: list[list[tuple[str, str, str]]] = []
        for told in facts:
            self.links.append([])
            self.denials.append([])
            for fact in told:
                if fact[0] == "not":
                    self.denials[-1].append((fact[1], fact[2], fact[3]))
                else:
                    count = int(fact[3]) if len(fact) > 3 else 1
                    vector = tuple(count * part for part in offset(fact[0]))
                    self.links[-1].append((fact[1], vector, fact[2]))
        deep = any(v[2] for links in self.links for _, v, _ in links) or any(
            signs(word)[2] for denials in self.denials for word, _, _ in denials
        )
        asked = query[1] if query[0] in ("yes-no", "which") else "overlap"
        self.axes = 3 if deep or signs(asked)[2] else 2
        self.names = sorted(
            {n for links in self.links for a, _, b in links for n in (a, b)}
            | {n for denials in self.denials for _, a, b in denials for n in (a, b)}
        )
        self._decide = cache(self._decided)

    # --- deciding -------------------------------------------------------------------------

    def _frame(self, told: Sequence[int]) -> tuple[tuple[str, str, Vector], ...]:
        """Each name with the head of its part and where it lies from that."""
        near: dict[str, list[tuple[str, Vector]]] = {name: [] for name in self.names}
        for number in told:
            for a, vector, b in self.links[number - 1]:
                near[b].append((a, vector))
                near[a].append((b, tuple(-part for part in vector)))
        placed: dict[str, tuple[str, Vector]] = {}
        for head in self.names:
            if head in placed:
                continue
            placed[head] = (head, (0, 0, 0))
            todo = [head]
            for name in todo:
                for other, vector in near[name]:
                    if other not in placed:
                        here = placed[name][1]
                        placed[other] = (head, tuple(map(sum, zip(here, vector, strict=True))))
                        todo.append(other)
        return tuple((name, *placed[name]) for name in self.names)

    def answer(self, told: Sequence[int]) -> tuple[str, ...] | None:
        """The answer that these sentences give."""
        kind = self.query[0]
        if kind == "path":
            return self._way(told)
        denied = tuple(d for number in told for d in self.denials[number - 1])
        return self._decide(self._frame(told), denied)

    def _decided(
        self,
        frame: tuple[tuple[str, str, Vector], ...],
        denied: tuple[tuple[str, str, str], ...],
    ) -> tuple[str, ...] | None:
        places = {name: (head, place) for name, head, place in frame}
        kind, *args = self.query
        if any(name not in places for name in args[-2 if kind != "which" else -1 :]):
            return None
        if kind == "how-far":
            (head, one), (other_head, other) = places[args[0]], places[args[1]]
            if head != other_head:
                return None
            return (str(max(abs(a - b) for a, b in zip(one, other, strict=True))),)
        if kind == "relation":
            words = [word for word in LABELS if self.axes == 3 or not offset(word)[2]]
            return next(((w,) for w in words if self._sure(places, denied, offset(w), *args)), None)
        region = signs(args[0])
        if kind == "which":
            found = [
                name
                for name in self.names
                if name != args[1] and self._sure(places, denied, region, name, args[1])
            ]
            return tuple(found) or None
        if self._sure(places, denied, region, args[1], args[2]):
            return ("yes",)
        if not self._can(places, denied, (self._within(region, args[1], args[2]),)):
            return ("no",)
        return None

    def _sure(
        self, places: Places, denied: Denied, region: Region, figure: str, ground: str
    ) -> bool:
        return not self._can(places, denied, self._beyond(region, figure, ground))

    def _within(self, region: Region, a: str, b: str) -> tuple[Row, ...]:
        """Inequalities that hold together if a lies in the region of b."""
        found: list[Row] = []
        for axis, sign in enumerate(region[: self.axes]):
            if sign is not None:
                found += [(axis, a, b, sign)] if sign <= 0 else []
                found += [(axis, b, a, -sign)] if sign >= 0 else []
        return tuple(found)

    def _beyond(self, region: Region, a: str, b: str) -> tuple[tuple[Row, ...], ...]:
        """Alternatives, one of which holds if a lies outside the region of b."""
        found: list[tuple[Row, ...]] = []
        for axis, sign in enumerate(region[: self.axes]):
            if sign is not None:
                found += [((axis, a, b, -1 if sign == 0 else 0),)] if sign >= 0 else []
                found += [((axis, b, a, -1 if sign == 0 else 0),)] if sign <= 0 else []
        return tuple(found)

    def _can(self, places: Places, denied: Denied, alternatives: Sequence[tuple[Row, ...]]) -> bool:
        """Whether some placement fits, with one of the alternatives."""
        if self.spots:
            return self._can_place(places, denied, alternatives)
        options = [self._beyond(signs(word), a, b) for word, a, b in denied]
        return any(
            self._feasible(places, [row for rows in choice for row in rows])
            for choice in product(alternatives, *options)
        )

    def _feasible(self, places: Places, rows: Sequence[Row]) -> bool:
        for axis in range(self.axes):
            edges = []
            for at, x, y, most in rows:
                if at == axis:
                    (one, here), (other, there) = places[x], places[y]
                    edges.append((other, one, most + there[axis] - here[axis]))
            heads = {head for edge in edges for head in edge[:2]}
            far = dict.fromkeys(heads, 0)
            for _ in range(len(heads) + 1):
                changed = False
                for source, goal, weight in edges:
                    if far[source] + weight < far[goal]:
                        far[goal] = far[source] + weight
                        changed = True
                if not changed:
                    break
            else:
                return False
        return True

    def _can_place(
        self, places: Places, denied: Denied, alternatives: Sequence[tuple[Row, ...]]
    ) -> bool:
        heads = sorted({head for head, _ in places.values()})
        reach = range(-self.spots, self.spots + 1)
        origin = (0,) * self.axes
        for spots in product(product(reach, repeat=self.axes), repeat=len(heads) - 1):
            at = dict(zip(heads, (origin, *spots), strict=True))
            here = {
                name: [p + q for p, q in zip(at[head], place, strict=False)]
                for name, (head, place) in places.items()
            }
            if any(_in(here, signs(word)[: self.axes], a, b) for word, a, b in denied):
                continue
            for rows in alternatives:
                if all(here[x][axis] - here[y][axis] <= most for axis, x, y, most in rows):
                    return True
        return False

    def _way(self, told: Sequence[int]) -> tuple[str, ...] | None:
        start, goal = self.query[-2:]
        near: dict[str, list[tuple[str, Vector]]] = {}
        for number in told:
            for a, vector, b in self.links[number - 1]:
                near.setdefault(b, []).append((a, vector))
                near.setdefault(a, []).append((b, tuple(-part for part in vector)))
        ways: list[tuple[str, tuple[str, ...], frozenset[str]]] = [(start, (), frozenset([start]))]
        while ways:
            done = {way for name, way, _ in ways if name == goal}
            if done:
                return done.pop() if len(done) == 1 else None
            ways = [
                (other, (*way, *_steps(vector)), seen | {other})
                for name, way, seen in ways
                for other, vector in near.get(name, ())
                if other not in seen
            ]
        return None

    # --- supports -------------------------------------------------------------------------

    def supports(self, answer: tuple[str, ...]) -> set[tuple[int, ...]]:
        """Every set of sentences that gives the answer and contains no other such set."""
        useful = [n for n, both in enumerate(zip(self.links, self.denials, strict=True), 1)
                  if any(both)]  # fmt: skip
        found: list[frozenset[int]] = []
        for size in range(1, len(useful) + 1):
            for some in combinations(useful, size):
                if any(known <= set(some) for known in found):
                    continue
                if self.answer(some) == answer:
                    found.append(frozenset(some))
        return {tuple(sorted(numbers)) for numbers in found}


def _in(here: dict[str, list[int]], region: Region, a: str, b: str) -> bool:
    return all(
        sign is None or ((p > q) - (p < q)) == sign
        for p, q, sign in zip(here[a], here[b], region, strict=False)
    )


def _steps(vector: Vector) -> list[str]:
    count = max(map(abs, vector))
    x, y, z = (part // count for part in vector)
    words = [STEPS[part][axis] for axis, part in ((1, y), (0, x), (2, z)) if part]
    return ["-".join(words)] * count
