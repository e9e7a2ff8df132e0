"""Which clauses exist, which are held out, and how often each occurs.

A clause is a sequence of relations, ignoring genders: parent-sibling. It is *possible* if the rules
resolve it to a relation and some family of the recipe's shape has people for it (most sequences
that the rules resolve have nobody: a parent's child's parent's child, and so on).

Promises:
1. Up to `listed` facts, all possible clauses are known. Longer ones are drawn by substituting a
   known clause for one relation of another, which gives every possible clause a chance and makes
   them nearly equally likely; those that no family has are thrown away.
2. Clauses occur nearly uniformly, with two exceptions. Relations that few rules use (uncle, nephew,
   grand-) would hardly occur, so clauses with them have a higher weight. And of all distributions
   near that one (see `_weighed`), it is one in which neither the first and last relation nor the
   unordered bag of relations says much about the answer.
3. A share of the clauses of three or more facts is held out: of listed clauses the same share for
   every answer and at least one; of longer ones by a hash. Clauses of two facts are the rules
   themselves and are never held out, so training on k = 2 shows every rule.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from math import exp, log
from typing import NamedTuple

from fabula.core.seeds import Draw, fingerprint, stream
from fabula.world.kinship.algebra import Vocabulary
from fabula.world.kinship.family import FamilyShape, roomiest

LONGEST_LISTED = 6
MANY = 1_000  # maximum number of clauses of one length that are listed
NEVER_HELD_OUT = 2  # facts
SELDOM = 2  # maximum number of rules that use a relation for it to count as rare
RARE = 8.0  # weight factor of a clause for each rare relation in it
NEAR = 0.5  # weight of staying near that distribution
STEP, ROUNDS = 0.24, 40  # of the search for weights
STRIDE = 3  # facts substituted for one, if it takes several steps
GROWTHS = 300  # tries to make a clause longer
DRAWN = 400  # longer clauses drawn before an answer is called impossible

Clause = tuple[str, ...]


Steps = list[tuple[int, int, int]]
"""A proof: (i, cut, j) combines the relation of i and cut with that of cut and j; outermost
first.
"""


class Proven(NamedTuple):
    """A clause with a proof of the relation it resolves to."""

    clause: Clause
    steps: Steps

    def grown(self, at: int, inner: Proven) -> Proven:
        """The clause with another one substituted for the relation at this index, which it
        proves.
        """
        more = len(inner.clause) - 1
        steps = [
            (i + more * (i > at), cut + more * (cut > at), j + more * (j > at))
            for i, cut, j in self.steps
        ]
        steps += [(i + at, cut + at, j + at) for i, cut, j in inner.steps]
        return Proven(self.clause[:at] + inner.clause + self.clause[at + 1 :], steps)


class Deck(NamedTuple):
    """Clauses to draw from."""

    clauses: tuple[Clause, ...]
    totals: tuple[float, ...]
    """Their cumulative weights."""

    def draw(self, draw: Draw) -> Clause:
        """One of the clauses, by weight."""
        at = bisect(self.totals, draw() * self.totals[-1])
        return self.clauses[min(at, len(self.clauses) - 1)]


# --- which exist ------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def possible(vocabulary: Vocabulary, shape: FamilyShape, k: int) -> dict[str, tuple[Clause, ...]]:
    """For each relation, all clauses of k facts that prove it in some family."""
    holds = roomiest(vocabulary, shape, k).holds
    found: dict[str, dict[Clause, None]] = {name: {} for name in vocabulary.relations}
    if k == 1:
        return {name: ((name,),) for name in found if holds((name,))}
    for left in range(1, k):
        first, second = possible(vocabulary, shape, left), possible(vocabulary, shape, k - left)
        for (one, two), head in vocabulary.rules.items():
            heads = found[head]
            for start in first.get(one, ()):
                for end in second.get(two, ()):
                    heads[start + end] = None
    return {
        head: kept
        for head, clauses in found.items()
        if (kept := tuple(clause for clause in clauses if holds(clause)))
    }


@lru_cache(maxsize=64)
def listed(vocabulary: Vocabulary, shape: FamilyShape) -> int:
    """The number of facts up to which all clauses are listed."""
    for k in range(1, LONGEST_LISTED):
        if sum(map(len, possible(vocabulary, shape, k).values())) > MANY:
            return k
    return LONGEST_LISTED


def tells_gender(vocabulary: Vocabulary, clause: Clause, head: str) -> bool:
    """Whether the last word gives the gender that the answer needs (cousin does not)."""
    last, answer = vocabulary.relations[clause[-1]], vocabulary.relations[head]
    return last.male != last.female or answer.male == answer.female


# --- which are held out -----------------------------------------------------------------------


@lru_cache(maxsize=64)
def _held(vocabulary: Vocabulary, shape: FamilyShape, k: int, share: float) -> frozenset[Clause]:
    """The listed clauses that are held out: the same share for every answer, at least one."""
    held: set[Clause] = set()
    for clauses in possible(vocabulary, shape, k).values():
        ranked = sorted(clauses, key=lambda clause: fingerprint("clause:" + "-".join(clause)))
        held.update(ranked[: max(1, round(len(ranked) * share)) if len(ranked) > 1 else 0])
    return frozenset(held)


def held_out(vocabulary: Vocabulary, shape: FamilyShape, clause: Clause, share: float) -> bool:
    """Whether a clause is held out of training, with any genders."""
    k = len(clause)
    if k <= NEVER_HELD_OUT or not share:
        return False
    if k <= listed(vocabulary, shape):
        return clause in _held(vocabulary, shape, k, share)
    return fingerprint("clause:" + "-".join(clause)) < share * 2**64


# --- how often each occurs --------------------------------------------------------------------


class Wanted(NamedTuple):
    """Which clauses a story may have."""

    shape: FamilyShape
    k: int
    which: str
    """any, kept, or held-out."""
    share: float
    """The fraction that is held out."""

    def admits(self, vocabulary: Vocabulary, clause: Clause, head: str) -> bool:
        """Whether this clause is among them."""
        if not tells_gender(vocabulary, clause, head):
            return False
        if self.which == "any":
            return True
        return held_out(vocabulary, self.shape, clause, self.share) == (self.which == "held-out")


@lru_cache(maxsize=256)
def decks(vocabulary: Vocabulary, wanted: Wanted) -> dict[str, Deck]:
    """For each relation, the listed clauses that prove it, with their weights."""
    clauses = {}
    for head, known in possible(vocabulary, wanted.shape, wanted.k).items():
        kept = tuple(clause for clause in known if wanted.admits(vocabulary, clause, head))
        if kept:
            clauses[head] = kept
    if wanted.k <= NEVER_HELD_OUT:  # the rules, equally often
        weights = {head: [1.0] * len(kept) for head, kept in clauses.items()}
    else:
        weights = _weighed(clauses, rare(vocabulary))
    return {head: Deck(kept, tuple(accumulate(weights[head]))) for head, kept in clauses.items()}


@lru_cache(maxsize=16)
def rare(vocabulary: Vocabulary) -> frozenset[str]:
    """The relations that few rules use."""
    return frozenset(
        name
        for name in vocabulary.relations
        if sum(name in body for body in vocabulary.rules) <= SELDOM
    )


def _weighed(
    clauses: Mapping[str, Sequence[Clause]], seldom: frozenset[str]
) -> dict[str, list[float]]:
    """A weight for each clause; those of an answer add up to 1.

    It minimises I(answer; ends) + I(answer; bag) + NEAR * D(weights || start), all answers being
    equally frequent: the information about the answer in the first and last relation, that in the
    unordered bag, and the distance from the start. Found as for a rate-distortion function:
    whatever an answer has too often becomes less frequent, in small steps.
    """
    features: dict[object, int] = {}
    keys: dict[str, list[tuple[int, int]]] = {}
    start: dict[str, list[float]] = {}
    for head, known in clauses.items():
        keys[head] = [
            (
                features.setdefault((clause[0], clause[-1]), len(features)),
                features.setdefault(("", *sorted(clause)), len(features)),
            )
            for clause in known
        ]
        counts = [RARE ** sum(name in seldom for name in clause) for clause in known]
        start[head] = [log(count / sum(counts)) for count in counts]
    current = {head: [exp(value) for value in values] for head, values in start.items()}
    for _ in range(ROUNDS):
        overall = [0.0] * len(features)
        own = {}
        for head, pairs in keys.items():
            mine = own[head] = [0.0] * len(features)
            for (ends, bag), weight in zip(pairs, current[head], strict=True):
                mine[ends] += weight
                mine[bag] += weight
            for feature in {feature for pair in pairs for feature in pair}:
                overall[feature] += mine[feature] / len(keys)
        for head, pairs in keys.items():
            mine = own[head]
            excess = {f: log(overall[f] / mine[f]) for pair in pairs for f in pair}
            moved = [
                exp(old + STEP * (excess[ends] + excess[bag] + NEAR * (begun - old)))
                for (ends, bag), old, begun in zip(
                    pairs, map(log, current[head]), start[head], strict=True
                )
            ]
            total = sum(moved)
            current[head] = [weight / total for weight in moved]
    return current


# --- drawing ----------------------------------------------------------------------------------


def drawn(vocabulary: Vocabulary, wanted: Wanted, head: str, draw: Draw) -> Proven | None:
    """A clause that proves a relation, or None if none was found."""
    shape, k = wanted.shape, wanted.k
    most = listed(vocabulary, shape)
    if k <= most:
        deck = decks(vocabulary, wanted).get(head)
        return _proven(vocabulary, deck.draw(draw)) if deck else None
    known = [decks(vocabulary, Wanted(shape, n, "any", 0.0)) for n in range(1, most + 1)]
    if head not in known[-1]:
        return None
    holds = roomiest(vocabulary, shape, k).holds
    once = k < 2 * most
    for _ in range(DRAWN):
        found = _proven(vocabulary, known[-1][head].draw(draw))
        # A clause that does not fit is thrown away as a whole, since trying other inner clauses
        # would favour outer ones with little room. If it takes several steps, that would be too
        # expensive.
        tries = 1 if once else GROWTHS
        while (length := len(found.clause)) < k and tries:
            tries -= 1
            at = int(draw() * length)
            inner = known[min(most if once else STRIDE, k - length + 1) - 1].get(found.clause[at])
            if inner is None:
                continue
            chosen = inner.draw(draw)
            if holds(found.clause[:at] + chosen + found.clause[at + 1 :]):
                found = found.grown(at, _proven(vocabulary, chosen))
        if length == k and wanted.admits(vocabulary, found.clause, head):
            return found
    return None


def _proven(vocabulary: Vocabulary, clause: Clause) -> Proven:
    steps = vocabulary.prove(clause)
    assert steps is not None
    return Proven(clause, steps)


@lru_cache(maxsize=256)
def provable(vocabulary: Vocabulary, wanted: Wanted) -> tuple[str, ...]:
    """The words that such clauses prove."""
    if wanted.k <= listed(vocabulary, wanted.shape):
        found = set(decks(vocabulary, wanted))
    else:
        draw = stream("kinship clauses", 0, wanted.which, wanted.k, repr(wanted.shape))
        found = {head for head in vocabulary.relations if drawn(vocabulary, wanted, head, draw)}
    return tuple(word for word, (head, _) in vocabulary.relation_of.items() if head in found)
