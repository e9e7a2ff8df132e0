"""The reader: from the sentences alone, what is known, and from which sentences.

It sees parsed statements and never the world. Glossary:

    stay    the time from one stated movement of a person to the next; it has one place
    spot    the time an object spends in one place: until someone who has it moves
    domain  the places a stay or spot may have, as a bit mask; "not the kitchen" is ~kitchen, a
            negative int: the set of places is open, so a place is never proven by elimination
    fact    (domain, mask): the sentences of the mask confine the place to the domain
    link    two nodes (stays or spots) have the same place, by the sentences of a mask
    holder  who or what has an object: a person, or a thing that it is in or on. The contents of a
            box are where the box is, from the put until they are taken out, and move with it. The
            spot of a box is a node like any other. Contents are closed-world, as holding is: a box
            holds only what the story says
    past    the time before the story's present, in parts such as 'this morning'; a person is in one
            place in each part, and nothing is known about a part that no sentence mentions
    start   the stay with which a person's present begins, before any movement without a time: it
            continues from the last part of the past
    need    a mood in which somebody wants a thing, from the sentence that states it until they get
            the thing or are in another mood

Promises:
1. Complete: every minimal set of sentences that confines a place is found, the smallest first and
   up to FACT_LIMIT of them. Facts propagate over links and combine (domains intersect, masks unite)
   until a fixed point; only facts that another fact makes redundant are dropped. This is an
   assumption-based truth maintenance system.
2. A sentence with a pronoun is understood only together with the sentence before it, which joins
   the mask.
3. Only what is in force counts: a stay ends with the next movement, a holding with the next event
   about the object. Two consequences are easy to overlook:
   - an object moves with its holder, and the get in force is the evidence for it;
   - once a person who got an object and let it go has *left*, the get alone no longer shows where
     the object is (it reads as if they had taken it along), so the letting go must be cited: the
     spot continues as a new node without the links of that get. The same holds for an object in a
     box that somebody had who has left: the put and their get of the box together read as if the
     object had gone along. Its spot continues as a new node that rejects facts by both of them,
     unless they include a sentence by which the object or the box was let go.
4. The past may be told in any order and never contradicts the present: things are handled in the
   present only, and nothing is carried over from one part of the past to another, since people may
   have moved in between. Only the last part continues into the present, in which every movement is
   told.

    1 Mary moved to the park.   2 Mary took the apple.   3 Mary dropped the apple.
    4 Mary went to the school.  5 John took the apple.   Where is John? park, by {1, 3, 5}.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeVar

from fabula.core.supports import preference
from fabula.language import Lore, Statement
from fabula.world.base import Fact

T = TypeVar("T")

FACT_LIMIT: Final = 32  # facts per domain and node, the smallest; long stories would have millions

FACT_KIND: Final = {
    "MOVE": "move",
    "AFFIRM": "at",
    "NEGATE": "not-at",
    "INDEF": "either",
    "GRAB": "grab",
    "DROP": "drop",
    "GIVE": "give",
    "PUT": "put",
    "LAY": "lay",
    "TAKE": "take",
    "COLOUR": "colour",
    "STATE": "state",
    "TIME": "went",
    "NEED": "need",
}

NO_LORE: Final = Lore()
NEVER: Final = 1 << 62  # a sentence number larger than any

Holder = str | tuple[str, str]
"""A person, or ('in', box) or ('on', table)."""
USES: Final = {"PUT": "in", "LAY": "on"}
NEARBY: Final = ""  # the getter of a link that only says that somebody was beside a container

Ride = tuple[int, tuple[int, ...]]
"""Sentences by which an object would have been carried off, and those that each refute it."""

_bits: Final[dict[str, int]] = {}
_places: Final[dict[int, str]] = {}


def place_bit(place: str) -> int:
    """The domain of just this place."""
    bit = _bits.get(place)
    if bit is None:
        bit = _bits[place] = 1 << len(_bits)
        _places[bit] = place
    return bit


_told: Final[dict[tuple[str, tuple[str, ...], tuple[str, ...]], tuple[Fact, ...]]] = {}
MEMO_LIMIT: Final = 100_000  # facts stated with pronouns, cached so that they are shared


def _facts_of(kind: str, subjects: tuple[str, ...], args: tuple[str, ...]) -> tuple[Fact, ...]:
    """The facts of a sentence about these people."""
    key = (kind, subjects, args)
    facts = _told.get(key)
    if facts is None:
        if len(_told) >= MEMO_LIMIT:
            _told.clear()
        facts = _told[key] = tuple([(FACT_KIND[kind], person, *args) for person in subjects])
    return facts


def _prepared(statement: Statement) -> tuple[Fact, ...]:
    """The facts of a statement without a pronoun, cached in it."""
    statement.facts = _facts_of(statement.kind, statement.subjects, statement.args)
    return statement.facts


def _domain_of(statement: Statement) -> int:
    """The places that a movement leaves open, cached in its statement; 0 for other events."""
    kind, args, domain = statement.kind, statement.args, 0
    if kind == "MOVE" or kind == "AFFIRM":
        domain = place_bit(args[0])
    elif kind == "NEGATE":
        domain = ~place_bit(args[0])
    elif kind == "INDEF":
        domain = place_bit(args[0]) | place_bit(args[1])
    statement.domain = domain
    return domain


class Node:
    """A stay or a spot: what its own sentence says about it, and what shares its place."""

    __slots__ = ("before", "domain", "links", "mask", "open", "root")

    def __init__(self, domain: int = -1, mask: int = 0) -> None:
        self.domain = domain
        self.mask = mask
        self.links: list[tuple[Node, int, Holder | None]] = []
        """(other node, mask, who has the object from then on, if a get says so)."""
        self.before: Node | None = None
        """The previous stay of the same person; START if their present begins with this one."""
        self.root: Node | None = None
        """A step towards the representative of all nodes that share the place. None for the node
        itself: a reference to itself would need the garbage collector.
        """
        self.open = domain
        """For the representative: the places that all of them together leave open."""


START: Final = Node()
"""Precedes the stay with which a person's present begins."""


class Leg:
    """One spot on an object's way."""

    __slots__ = ("evidence", "first", "last")

    def __init__(self, spot: Node, evidence: int) -> None:
        self.first = spot
        """The spot as of the object's arrival."""
        self.last = spot
        """The spot as of the object's departure or now (see promise 3)."""
        self.evidence = evidence
        """The sentences that show the object being carried there; 0 for the first spot."""


class Give:
    """One give."""

    __slots__ = ("mask", "parts")

    def __init__(self, parts: tuple[str, str, str], mask: int) -> None:
        self.parts = parts
        """Giver, object and receiver."""
        self.mask = mask


class Urge(NamedTuple):
    """A person's need, stated by a sentence."""

    mood: str
    mask: int
    told: int
    until: int = NEVER
    """The sentence by which they got what they wanted or changed their mood."""


class Knowledge:
    """The knowledge that follows from the sentences so far."""

    def __init__(self, lore: Lore = NO_LORE, excerpt: bool = False) -> None:
        self.lore = lore
        self.excerpt = excerpt
        """Whether this is an excerpt of a story, read to see what follows from it alone."""
        self.stays: dict[str, Node] = {}
        self.trails: dict[str, list[Leg]] = {}
        self.holders: dict[str, tuple[Holder, int] | None] = {}
        """Object to (holder, mask of the get in force), or None once it is let go."""
        self.handled: dict[Holder, dict[str, int]] = {}
        """Holder to object to the mask of their latest get or loss, in order of first contact."""
        self.gives: list[Give] = []
        """All gives, in order."""
        self.past: dict[str, dict[int, Node]] = {}
        """Person to part of the past (0 is the earliest) to their stay in it, except for the
        last.
        """
        self.urges: dict[str, list[Urge]] = {}
        """The needs of each person, in order."""
        self.looks: dict[tuple[str, str], tuple[str, int]] = {}
        """('colour' or 'state', object) to the latest word for it, and its mask."""
        self._let_go: dict[Holder, list[tuple[str, Leg]]] = {}
        self._contained = False
        """Whether anything was ever put in or on something."""
        self._refused: dict[Node, tuple[Ride, ...]] = {}
        """Spot to the rides by which an object would have been carried off from it."""
        self.comings: dict[str, Any] = {}
        """Cache of the questions about where people were before: filled by ways.py, and cleared
        here for a person of whose past more is told, which may change any part of their way.
        """
        self.facts: dict[int, tuple[Fact, ...]] = {}
        """Sentence number to its facts, pronouns resolved; absent if not understood."""
        self._labels: dict[Node, dict[Node, list[tuple[int, int]]]] = {}
        """Representative to the facts about all nodes that share its place, until one is added."""
        self._previous = 0
        self._previous_subjects: tuple[str, ...] = ()
        self._previous_mask = 0
        self.consistent = True
        """Whether some assignment of places fits all sentences."""

    @classmethod
    def of(cls, story: Iterable[tuple[int, Statement]], lore: Lore = NO_LORE) -> Knowledge:
        """The knowledge from these numbered statements."""
        knowledge = cls(lore)
        for number, statement in story:
            knowledge.hear(number, statement)
        return knowledge

    # --- adding sentences ------------------------------------------------------------------

    def hear(self, number: int, statement: Statement) -> tuple[str, ...]:
        """Take in the next sentence; returns its subjects, or nobody if it is not understood."""
        subjects = statement.subjects
        mask = 1 << number
        if statement.pronoun:
            subjects = self._previous_subjects
            if self._previous != number - 1 or not subjects:
                self._previous_subjects = ()
                self._previous = number
                return ()
            mask |= self._previous_mask
            facts = _facts_of(statement.kind, subjects, statement.args)
        else:
            if not subjects:  # it is about nobody, and no pronoun can refer to it
                self._previous, self._previous_subjects = number, ()
                return ()
            facts = statement.facts or _prepared(statement)
        self._previous = number
        self._previous_subjects = subjects
        self._previous_mask = mask
        self.facts[number] = facts
        kind, args = statement.kind, statement.args
        domain = statement.domain
        if domain == -1:
            domain = _domain_of(statement)
        if domain:  # a movement
            for person in subjects:
                self._arrive(person, domain, mask)
        elif kind == "GRAB":
            for person in subjects:
                self._touch(person, args[0], mask, person)
                self._release(args[0], (person, mask))
                if self.urges:
                    self._end_urge(person, number, args[0])
        elif kind == "DROP":
            for person in subjects:
                self._touch(person, args[0], mask)
                self._release(args[0], None)
        elif kind == "GIVE":
            for person in subjects:
                self._give(person, args[0], args[1], mask)
        elif kind == "PUT" or kind == "LAY":
            for person in subjects:
                self._put(person, args[0], (USES[kind], args[1]), mask)
        elif kind == "TAKE":
            for person in subjects:
                self._take(person, args[0], args[1], mask)
        elif kind == "COLOUR" or kind == "STATE":
            self.looks[FACT_KIND[kind], subjects[0]] = (args[0], mask)
            self._previous_subjects = ()  # no pronoun refers to a thing
        elif kind == "TIME":
            for person in subjects:
                self._recall(person, place_bit(args[0]), self.lore.times.index(args[1]), mask)
        else:
            for person in subjects:
                self._end_urge(person, number)
                self.urges.setdefault(person, []).append(Urge(args[0], mask, number))
        return subjects

    def _arrive(self, person: str, domain: int, mask: int) -> None:
        """Begin a new stay; the person's possessions come along."""
        stay = Node(domain, mask)
        stays = self.stays
        stay.before = stays.get(person)
        stays[person] = stay
        if not self.handled:
            return
        handled = self.handled.get(person)
        if not handled:
            return
        stayed = self._apparent_rides(person) if self._contained else ()
        for thing in handled:
            holding = self.holders[thing]
            if holding is not None and holding[0] == person:
                spot = Node()
                self._link(spot, stay, holding[1], person)
                self.trails[thing].append(Leg(spot, holding[1] | mask))
                if self._contained:
                    self._bring(thing, spot, holding[1] | mask)
        for thing, leg in self._let_go.pop(person, ()) if self._let_go else ():
            if self.trails[thing][-1] is leg:
                leg.last = self._without(leg.last, person)
        for thing, rides in stayed:
            leg = self.trails[thing][-1]
            leg.last = self._without(leg.last, person)
            self._refused[leg.last] = (*self._refused.get(leg.last, ()), *rides)

    def wander(self, person: str) -> None:
        """Let a person move to an unknown place: a new stay about which nothing is known."""
        self._arrive(person, -1, 0)

    def pass_on(self, thing: str, holder: Holder | None) -> None:
        """A thing changes hands, or is let go, no one knows where."""
        if thing not in self.trails:
            spot = Node()
            self.trails[thing] = [Leg(spot, 0)]
        if holder is not None:
            self.handled.setdefault(holder, {})[thing] = 0
            self._contained = self._contained or isinstance(holder, tuple)
        # not `_release`: it is for proofs by a get that did not last, and none is looked for here
        self.holders[thing] = None if holder is None else (holder, 0)

    def _recall(self, person: str, domain: int, part: int, mask: int) -> None:
        """Record where somebody was in a part of the past."""
        self.comings.pop(person, None)
        if part == len(self.lore.times) - 1:
            stay = self._start(person)
        else:
            stay = self.past.setdefault(person, {}).setdefault(part, Node())
        if stay.mask:  # stated before, perhaps differently
            self._link(stay, Node(domain, mask), 0)
            return
        stay.domain, stay.mask = domain, mask
        root = _root(stay)
        self._labels.pop(root, None)
        root.open &= domain
        if not root.open:
            self.consistent = False

    def _start(self, person: str) -> Node:
        """The stay with which a person's present begins."""
        stay = self.stays.get(person)
        while stay is not None and stay.before is not None:
            if stay.before is START:
                return stay
            stay = stay.before
        start = Node()
        start.before = START
        if stay is None:
            self.stays[person] = start
        else:
            stay.before = start
        return start

    def _end_urge(self, person: str, number: int, thing: str | None = None) -> None:
        """End a person's need: they changed their mood, or got a thing that may be the one they
        wanted.
        """
        urges = self.urges.get(person)
        if urges and urges[-1].until == NEVER:
            urge = urges[-1]
            if thing is None or self.lore.needs[urge.mood].thing == thing:
                urges[-1] = urge._replace(until=number)

    def _give(self, giver: str, thing: str, receiver: str, mask: int) -> None:
        self._touch(giver, thing, mask, receiver)
        self._touch(receiver, thing, mask, receiver)
        self._link(self.stays[giver], self.stays[receiver], mask)
        self._release(thing, (receiver, mask))
        self.gives.append(Give((giver, thing, receiver), mask))
        if self.urges:
            self._end_urge(receiver, mask.bit_length() - 1, thing)

    def _touch(self, person: str, thing: str, mask: int, getter: Holder | None = None) -> None:
        """Put person and thing in the same place, and give the thing to the getter, if any."""
        self._meet(person, thing, mask, getter)
        handled = self.handled.get(person)
        if handled is None:
            self.handled[person] = {thing: mask}
        else:
            handled[thing] = mask

    def _meet(self, person: str, thing: str, mask: int, getter: Holder | None) -> None:
        """Put person and thing in the same place."""
        stay = self.stays.get(person)
        if stay is None:
            stay = self.stays[person] = Node()
            stay.before = START
        trail = self.trails.get(thing)
        if trail is None:
            spot = Node()
            self.trails[thing] = [Leg(spot, 0)]
        else:
            spot = trail[-1].last
        self._link(spot, stay, mask, getter)

    # --- containers ------------------------------------------------------------------------

    def _put(self, person: str, thing: str, holder: tuple[str, str], mask: int) -> None:
        self._touch(person, thing, mask, holder)
        self._meet(person, holder[1], mask, NEARBY)
        self.handled.setdefault(holder, {})[thing] = mask
        self._release(thing, (holder, mask))
        self._contained = True

    def _take(self, person: str, thing: str, container: str, mask: int) -> None:
        self._touch(person, thing, mask, person)
        self._meet(person, container, mask, NEARBY)
        for use in USES.values():
            self.handled.setdefault((use, container), {})[thing] = mask
        self._release(thing, (person, mask))
        if self.urges:
            self._end_urge(person, mask.bit_length() - 1, thing)

    def _bring(self, container: str, spot: Node, evidence: int) -> None:
        """Bring the contents of a container along to its new spot."""
        for use in USES.values():
            for thing in self.handled.get((use, container), ()):
                holding = self.holders[thing]
                if holding is not None and holding[0] == (use, container):
                    inner = Node()
                    self._link(inner, spot, holding[1], holding[0])
                    self.trails[thing].append(Leg(inner, evidence | holding[1]))
                    self._bring(thing, inner, evidence | holding[1])

    def _apparent_rides(self, leaver: str) -> list[tuple[str, list[Ride]]]:
        """The objects that stay but, by some of the sentences, seem to go along with the leaver."""
        found = []
        for thing in self.trails:
            rides = self._rides(thing, leaver, (thing,))
            if rides and self._bearer(thing) != leaver:
                found.append((thing, rides))
        return found

    def _rides(self, thing: str, leaver: str, inside: tuple[str, ...]) -> list[Ride]:
        """The ways in which the leaver may seem to carry off a thing inside something on this
        spot.
        """
        rides: list[Ride] = []
        events = self._handlings(thing)
        for at, (getter, mask) in enumerate(events):
            if isinstance(getter, tuple) and getter[1] not in inside:
                container = getter[1]
                denied = tuple(other for _, other in events[at + 1 :] if other != mask)
                boxes = self._handlings(container)
                carried = [
                    (other, tuple(o for _, o in boxes[i + 1 :] if o != other))
                    for i, (who, other) in enumerate(boxes)
                    if who == leaver
                ]
                carried += self._rides(container, leaver, (*inside, container))
                rides += [(mask | other, denied + more) for other, more in carried]
        return rides

    def _handlings(self, thing: str) -> list[tuple[Holder | None, int]]:
        """Who or what got a thing on its present spot, in order; None if it was dropped."""
        trail = self.trails.get(thing)
        if trail is None:
            return []
        return [(getter, mask) for _, mask, getter in trail[-1].last.links if getter != NEARBY]

    def _bearer(self, thing: str) -> str | None:
        """The person who carries a thing, by hand or in something."""
        seen = set()
        while thing not in seen:
            seen.add(thing)
            holding = self.holders.get(thing)
            if holding is None:
                return None
            if isinstance(holding[0], str):
                return holding[0]
            thing = holding[0][1]
        return None

    # --- spots -----------------------------------------------------------------------------

    def _release(self, thing: str, holder: tuple[Holder, int] | None) -> None:
        """Take a thing from its holder, and note that the holder let it go here."""
        before = self.holders.get(thing)
        if before is not None:
            self._let_go.setdefault(before[0], []).append((thing, self.trails[thing][-1]))
        self.holders[thing] = holder

    def _link(self, first: Node, second: Node, mask: int, getter: Holder | None = None) -> None:
        """Give the two nodes the same place from now on."""
        first.links.append((second, mask, getter))
        second.links.append((first, mask, getter))
        one = first if first.root is None else _root(first)
        other = second if second.root is None else _root(second)
        if self._labels:
            self._labels.pop(one, None)
            self._labels.pop(other, None)
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
        if spot in self._refused:
            self._refused[fresh] = self._refused[spot]
        return fresh

    def way(self, person: str) -> list[Node | None]:
        """A person's stays in order of time: one for each part of the past, None if it is not
        mentioned, the last of these the start of the present; then one for each movement.
        """
        way: list[Node | None] = []
        stay = self.stays.get(person)
        while stay is not None and stay is not START:
            way.append(stay)
            stay = stay.before
        if stay is None:  # the first known stay began with a movement
            way.append(None)
        parts = len(self.lore.times) - 1
        past = self.past.get(person)
        if past:
            way += [past.get(part) for part in range(parts - 1, -1, -1)]
        else:
            way += [None] * parts
        way.reverse()
        return way

    # --- conclusions ----------------------------------------------------------------------

    def facts_of(self, node: Node) -> list[tuple[int, int]]:
        """Every minimal fact about a node's place."""
        if not node.links:
            return [(node.domain, node.mask)] if node.mask else []
        root = _root(node)
        if root.open == -1:
            return []
        labels = self._labels.get(root)
        if labels is None:
            labels = self._labels[root] = self._saturate(node)
        return labels[node]

    def _saturate(self, start: Node) -> dict[Node, list[tuple[int, int]]]:
        """Propagate and combine facts over the links of a component, up to a fixed point."""
        refused = self._refused
        labels: dict[Node, list[tuple[int, int]]] = {start: []}
        component = [start]
        # (node, domain, mask, origin), by size of mask: the smallest come first
        todo: list[list[tuple[Node, int, int, Node | None]]] = [[]]
        for node in component:
            if node.mask:
                _at(todo, node.mask.bit_count()).append((node, node.domain, node.mask, None))
            for other, _, _ in node.links:
                if other not in labels:
                    labels[other] = []
                    component.append(other)
        for size, bucket in enumerate(todo):
            for node, domain, mask, origin in bucket:  # grows during iteration
                if refused and node in refused and _rides_off(refused[node], mask):
                    continue
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
        # a later fact may confine more with the same sentences, and so replace an earlier one
        for node in component:
            facts = labels[node]
            if len(facts) > 1 and _differ(facts):
                labels[node] = _strictest(facts)
        return labels

    def label(self, node: Node) -> list[int]:
        """Every minimal support for the places left open for a node, best first."""
        if not node.links:
            return [node.mask] if node.mask else []
        domain = _root(node).open
        masks = [mask for known, mask in self.facts_of(node) if known == domain]
        if len(masks) > 1:  # none contains another, so they only need sorting
            masks.sort(key=preference)
        return masks


def known_place(node: Node) -> str | None:
    """The place of a node, if it is known."""
    return _places.get(node.open if node.root is None else _root(node).open)


def open_places(node: Node) -> int:
    """The domain that all sentences together leave open for a node; -1 if nothing is known."""
    return node.open if node.root is None else _root(node).open


def _differ(facts: list[tuple[int, int]]) -> bool:
    """Whether some of the facts leave different places open."""
    first = facts[0][0]
    return any(domain != first for domain, _ in facts)


def _strictest(facts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The facts without those that another one makes redundant."""
    kept = []
    for domain, mask in facts:
        for known, cited in facts:
            if known != domain and not known & ~domain and not cited & ~mask:
                break
        else:
            kept.append((domain, mask))
    return kept


def _rides_off(rides: tuple[Ride, ...], mask: int) -> bool:
    """Whether, by these sentences alone, an object would have been carried off."""
    return any(
        not ride & ~mask and all(denial & ~mask for denial in denials) for ride, denials in rides
    )


def _root(node: Node) -> Node:
    root = node.root
    if root is None:
        return node
    while root.root is not None:
        root = root.root
    node.root = root  # path compression
    return root


def _at(buckets: list[list[T]], size: int) -> list[T]:
    while len(buckets) <= size:
        buckets.append([])
    return buckets[size]
