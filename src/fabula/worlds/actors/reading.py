"""The reader: from the sentences alone, what is known, and from which sentences.

It sees parsed statements and never the world. Glossary:

    stay    the time from one told movement of a person to the next; it has one place
    spot    the time an object spends in one place: until someone who has it moves
    domain  the places a stay or spot may have, as a bit mask; "not the kitchen" is ~kitchen, a
            negative int: places are open, so a place is never proven by elimination
    fact    (domain, mask): the sentences of the mask confine the place to the domain
    link    two nodes (stays or spots) have the same place, by the sentences of a mask

Promises:
1. Complete: every minimal set of sentences that confines a place is found, the smallest first and
   up to FACT_LIMIT of them. Facts travel over links and meet (domains intersect, masks unite) until
   nothing new comes; only facts that another fact makes superfluous are dropped. This is an
   assumption-based truth maintenance system.
2. A sentence with a pronoun is understood only together with the sentence before it, which joins
   the mask.
3. Only what is in force counts: a stay ends with the next movement, a holding with the next event
   about the object. Two consequences are easily overlooked:
   - an object moves with its holder, and the get in force is the evidence for it;
   - once a person who got an object and let it go has *left*, the get alone no longer tells where
     the object is (it reads as if they had taken it along), so the letting go must be cited: the
     spot goes on as a new node without the links of that get.

    1 Mary moved to the park.   2 Mary took the apple.   3 Mary dropped the apple.
    4 Mary went to the school.  5 John took the apple.   Where is John? park, by {1, 3, 5}.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from fabula.labels import preference
from fabula.language import Statement
from fabula.worlds.base import Fact

T = TypeVar("T")

FACT_LIMIT = 32  # facts of one domain kept per node, the smallest; long stories have millions

FACT_KIND = {
    "MOVE": "move",
    "AFFIRM": "at",
    "NEGATE": "not-at",
    "INDEF": "either",
    "GRAB": "grab",
    "DROP": "drop",
    "GIVE": "give",
}

_bits: dict[str, int] = {}
_places: dict[int, str] = {}


def place_bit(place: str) -> int:
    """The domain that holds just this place."""
    bit = _bits.get(place)
    if bit is None:
        bit = _bits[place] = 1 << len(_bits)
        _places[bit] = place
    return bit


class Node:
    """A stay or a spot: what its own sentence says of it, and what it shares its place with."""

    __slots__ = ("domain", "links", "mask", "open", "root")

    def __init__(self, domain: int = -1, mask: int = 0) -> None:
        self.domain = domain
        self.mask = mask
        self.links: list[tuple[Node, int, str | None]] = []
        """(other node, mask, who has the object from then on, if a get says so)."""
        self.root: Node | None = None
        """A step towards the representative of all that share the place; None for itself, since
        a node that refers to itself would be left to the garbage collector."""
        self.open = domain
        """At the representative: the places that all of them together leave open."""


class Leg(NamedTuple):
    """One spot of an object's way."""

    first: Node
    """The spot as the object arrived."""
    last: list[Node]
    """The spot as the object left or now lies there (see promise 3): a list of one."""
    evidence: int
    """The sentences that show the object being carried there; 0 for the first spot."""


class Give(NamedTuple):
    """One give."""

    parts: tuple[str, str, str]
    """Giver, object and receiver."""
    mask: int


class Knowledge:
    """What follows from the sentences heard so far."""

    def __init__(self) -> None:
        self.stays: dict[str, Node] = {}
        self.trails: dict[str, list[Leg]] = {}
        self.holders: dict[str, tuple[str, int] | None] = {}
        """Object to (person, mask of the get in force), or None once let go."""
        self.handled: dict[str, dict[str, int]] = {}
        """Person to object to the mask of their latest get or loss, in order of first touch."""
        self.gives: list[Give] = []
        """All gives, in order."""
        self._let_go: dict[str, list[tuple[str, Leg]]] = {}
        self._understood: list[tuple[int, str, tuple[str, ...], tuple[str, ...]]] = []
        self._facts: dict[int, tuple[Fact, ...]] = {}
        self._labels: dict[Node, list[tuple[int, int]]] = {}
        self._previous = 0
        self._previous_subjects: tuple[str, ...] = ()
        self._previous_mask = 0
        self.consistent = True
        """Whether some assignment of places fits all that was heard."""

    @classmethod
    def of(cls, story: Iterable[tuple[int, Statement]]) -> Knowledge:
        """What follows from these numbered statements."""
        knowledge = cls()
        for number, statement in story:
            knowledge.hear(number, statement)
        return knowledge

    # --- listening -----------------------------------------------------------------------

    def hear(self, number: int, statement: Statement) -> tuple[str, ...]:
        """Take in the next sentence; whom it is about, or nobody if it is not understood."""
        kind, subjects, args, pronoun = statement
        mask = 1 << number
        if pronoun:
            if self._previous != number - 1 or not self._previous_subjects:
                self._previous_subjects = ()
                self._previous = number
                return ()
            subjects = self._previous_subjects
            mask |= self._previous_mask
        self._previous = number
        self._previous_subjects = subjects
        self._previous_mask = mask
        self._understood.append((number, kind, subjects, args))
        if self._labels:
            self._labels.clear()
        if kind == "MOVE" or kind == "AFFIRM":
            bit = _bits.get(args[0]) or place_bit(args[0])
            for person in subjects:
                self._arrive(person, bit, mask)
        elif kind == "GRAB":
            for person in subjects:
                self._get(person, args[0], mask)
        elif kind == "DROP":
            for person in subjects:
                self._touch(person, args[0], mask)
                self._release(args[0], None)
        elif kind == "GIVE":
            for person in subjects:
                self._give(person, args[0], args[1], mask)
        elif kind == "NEGATE":
            for person in subjects:
                self._arrive(person, ~place_bit(args[0]), mask)
        else:
            for person in subjects:
                self._arrive(person, place_bit(args[0]) | place_bit(args[1]), mask)
        return subjects

    def _arrive(self, person: str, domain: int, mask: int) -> None:
        """A new stay begins; what the person has comes along."""
        stay = Node(domain, mask)
        self.stays[person] = stay
        handled = self.handled.get(person)
        if not handled:
            return
        for thing in handled:
            holding = self.holders[thing]
            if holding is not None and holding[0] == person:
                spot = Node()
                self._link(spot, stay, holding[1], person)
                self.trails[thing].append(Leg(spot, [spot], holding[1] | mask))
        for thing, leg in self._let_go.pop(person, ()):
            if self.trails[thing][-1] is leg:
                leg.last[0] = self._without(leg.last[0], person)

    def wander(self, person: str) -> None:
        """A person moves, no one knows where: a new stay of which nothing is known."""
        self._arrive(person, -1, 0)

    def _get(self, person: str, thing: str, mask: int) -> None:
        self._touch(person, thing, mask, person)
        self._release(thing, (person, mask))

    def _give(self, giver: str, thing: str, receiver: str, mask: int) -> None:
        self._touch(giver, thing, mask, receiver)
        self._touch(receiver, thing, mask, receiver)
        self._link(self.stays[giver], self.stays[receiver], mask)
        self._release(thing, (receiver, mask))
        self.gives.append(Give((giver, thing, receiver), mask))

    def _touch(self, person: str, thing: str, mask: int, getter: str | None = None) -> None:
        """Person and thing are in the same place now, and the getter, if any, has the thing."""
        stay = self.stays.get(person)
        if stay is None:
            stay = self.stays[person] = Node()
        trail = self.trails.get(thing)
        if trail is None:
            spot = Node()
            self.trails[thing] = [Leg(spot, [spot], 0)]
        else:
            spot = trail[-1].last[0]
        self._link(spot, stay, mask, getter)
        self.handled.setdefault(person, {})[thing] = mask

    def _release(self, thing: str, holder: tuple[str, int] | None) -> None:
        """The thing changes hands; whoever had it is noted as having let it go here."""
        before = self.holders.get(thing)
        if before is not None:
            self._let_go.setdefault(before[0], []).append((thing, self.trails[thing][-1]))
        self.holders[thing] = holder

    def _link(self, first: Node, second: Node, mask: int, getter: str | None = None) -> None:
        """From now on the two nodes have the same place."""
        first.links.append((second, mask, getter))
        second.links.append((first, mask, getter))
        one, other = _root(first), _root(second)
        if one is not other:
            other.root = one
            one.open &= other.open
            if not one.open:
                self.consistent = False

    def _without(self, spot: Node, leaver: str) -> Node:
        """The same spot as a new node, without the links of gets by a person who has left."""
        fresh = Node()
        for other, mask, getter in spot.links:
            if getter != leaver:
                self._link(fresh, other, mask, getter)
        return fresh

    @property
    def facts(self) -> dict[int, tuple[Fact, ...]]:
        """Sentence number to its facts, pronouns resolved; absent if not understood."""
        facts = self._facts
        for number, kind, subjects, args in self._understood[len(facts) :]:
            facts[number] = tuple((FACT_KIND[kind], person, *args) for person in subjects)
        return facts

    # --- concluding ----------------------------------------------------------------------

    def facts_of(self, node: Node) -> list[tuple[int, int]]:
        """Every minimal fact about a node's place."""
        if not node.links:
            return [(node.domain, node.mask)] if node.mask else []
        if open_places(node) == -1:
            return []
        if node not in self._labels:
            self._saturate(node)
        return self._labels[node]

    def _saturate(self, start: Node) -> None:
        """Let facts travel over the links of a component and meet, until nothing new comes."""
        labels = self._labels
        labels[start] = []
        component = [start]
        # (node, domain, mask, where it comes from), by size of mask: the smallest come first
        todo: list[list[tuple[Node, int, int, Node | None]]] = [[]]
        for node in component:
            if node.mask:
                _at(todo, node.mask.bit_count()).append((node, node.domain, node.mask, None))
            for other, _, _ in node.links:
                if other not in labels:
                    labels[other] = []
                    component.append(other)
        for size, bucket in enumerate(todo):
            for node, domain, mask, origin in bucket:  # grows while it is read
                facts = labels[node]
                alike = 0
                for known, cited in facts:
                    if not known & ~domain:
                        if not cited & ~mask:
                            break
                        alike += known == domain
                else:
                    if alike >= FACT_LIMIT:
                        continue
                    for known, cited in facts:
                        both = domain & known
                        if both != domain and both != known:
                            union = mask | cited
                            _at(todo, union.bit_count()).append((node, both, union, None))
                    facts.append((domain, mask))
                    for other, link, _ in node.links:
                        if other is not origin:
                            union = mask | link
                            grown = union.bit_count()
                            if grown == size:
                                bucket.append((other, domain, union, node))
                            else:
                                _at(todo, grown).append((other, domain, union, node))
        # a fact found later may confine more with the same sentences, and so replace an earlier one
        for node in component:
            facts = labels[node]
            if len(facts) > 1 and any(f[0] != facts[0][0] for f in facts):
                labels[node] = [
                    (d, m)
                    for d, m in facts
                    if not any(d2 != d and not d2 & ~d and not m2 & ~m for d2, m2 in facts)
                ]

    def label(self, node: Node) -> list[int]:
        """Every minimal support of what is left open for a node, best first."""
        if not node.links:
            return [node.mask] if node.mask else []
        domain = _root(node).open
        masks = [mask for known, mask in self.facts_of(node) if known == domain]
        if len(masks) > 1:  # none contains another, so they only need to be put in order
            masks.sort(key=preference)
        return masks


def known_place(node: Node) -> str | None:
    """The place of a node, if it is known."""
    return _places.get(node.open if node.root is None else _root(node).open)


def open_places(node: Node) -> int:
    """The domain that all sentences together leave open for a node; -1 if nothing is known."""
    return node.open if node.root is None else _root(node).open


def _root(node: Node) -> Node:
    root = node.root
    if root is None:
        return node
    while root.root is not None:
        root = root.root
    node.root = root  # the next way is one step
    return root


def _at(buckets: list[list[T]], size: int) -> list[T]:
    while len(buckets) <= size:
        buckets.append([])
    return buckets[size]
