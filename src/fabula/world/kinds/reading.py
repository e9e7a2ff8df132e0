"""The reader of kinds: what an individual is, and what follows from it.

Promises:
1. Deduction: a member of a kind belongs to every kind above it, and is afraid of what such a kind
   is afraid of. The minimal supports of an answer are the chains member, subkind …, fear.
2. Induction, a *convention* and not an entailment: an individual without a stated colour has the
   colour of its peers, the others stated to be of the same kind and to have a colour, if all of
   these agree. A support is one peer: the kind of the individual, the kind of the peer, the colour
   of the peer. If peers differ, there is no answer.
3. If different answers follow, there is no answer.
4. A question may write a name without its capital.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fabula.core.supports import minimal, numbers_of
from fabula.world.base import Fact, Finding, Query
from fabula.world.kinds.language import KindsLanguage, language

Numbered = tuple[str, int]
"""A name and the bit of the sentence that gives it."""


class KindsReading:
    """The reader's view of a story about kinds."""

    def __init__(self, tongue: KindsLanguage, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self.told: list[Fact] = []
        """The fact of each sentence, empty if it states none."""
        self._names: set[str] = set()
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        fact = self.language.parse(sentence)
        self.told.append(fact)
        self._names.update(fact[1:2])

    def resolve(self, name: str) -> str:
        """The name as the story writes it."""
        return name if name in self._names else name[:1].upper() + name[1:]

    def _known(self, numbers: Iterable[int]) -> dict[tuple[str, str], list[Numbered]]:
        """(kind of fact, first argument) to what these sentences state about it."""
        known: dict[tuple[str, str], list[Numbered]] = {}
        for number in numbers:
            if not self.told[number - 1]:
                continue
            kind, first, second = self.told[number - 1]
            if (kind, first) in known:
                known[kind, first].append((second, 1 << number))
            else:
                known[kind, first] = [(second, 1 << number)]
        return known

    def answers(self, query: Query, numbers: Iterable[int] | None = None) -> dict[str, list[int]]:
        """Every answer that follows from these sentences, or from all, with its proofs."""
        known = self._known(range(1, len(self.told) + 1) if numbers is None else numbers)
        one = self.resolve(query[1])
        if query[0] == "afraid":
            return _deduce(known, one)
        return _induce(known, one)

    def find(self, query: Query) -> Finding | None:
        """The answer to a query with its supports, or None if the story does not settle it."""
        return _only(self.answers(query))

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if the story had only these sentences, or None if none follows."""
        finding = _only(self.answers(query, numbers_of(mask)))
        return None if finding is None else finding.answer

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences alone give the conclusion and none can be dropped."""
        found = self.answers(query, numbers_of(mask))
        return list(found) == [conclusion] and found[str(conclusion)] == [mask]

    def facts(self) -> list[tuple[Fact, ...]]:
        """The fact of each sentence."""
        return [(fact,) if fact else () for fact in self.told]

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The kinds of fact in these sentences, sorted."""
        return tuple(sorted({self.told[number - 1][0] for number in numbers_of(mask)}))

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""
        names: dict[str, str] = {}

        def short(name: str) -> str:
            return names.setdefault(name, f"N{len(names) + 1}")

        told = [self.told[number - 1] for number in numbers_of(mask)]
        parts = [f"{fact[0]}({short(fact[1])},{short(fact[2])})" for fact in told]
        return f"{' '.join(parts)} ? {query[0]}({short(self.resolve(query[1]))})"


def _deduce(known: dict[tuple[str, str], list[Numbered]], one: str) -> dict[str, list[int]]:
    """The fears of an individual, by every chain of kinds."""
    found: dict[str, list[int]] = {}
    stack: list[tuple[str, int, tuple[str, ...]]]
    stack = [(kind, bit, (kind,)) for kind, bit in known.get(("member", one), ())]
    while stack:
        kind, mask, passed = stack.pop()
        for feared, bit in known.get(("fear", kind), ()):
            found.setdefault(feared, []).append(mask | bit)
        for above, bit in known.get(("subkind", kind), ()):
            if above not in passed:
                stack.append((above, mask | bit, (*passed, above)))
    return {feared: minimal(masks) for feared, masks in found.items()}


def _induce(known: dict[tuple[str, str], list[Numbered]], one: str) -> dict[str, list[int]]:
    """An individual's colour: stated, or that of its peers."""
    told = known.get(("colour", one))
    found: dict[str, list[int]] = {}
    if told:
        for colour, bit in told:
            found.setdefault(colour, []).append(bit)
        return {colour: minimal(masks) for colour, masks in found.items()}
    kinds = known.get(("member", one), ())
    for (relation, peer), memberships in known.items():
        if relation != "member" or peer == one:
            continue
        for kind, bit in memberships:
            for own, mine in kinds:
                if own == kind:
                    for colour, third in known.get(("colour", peer), ()):
                        found.setdefault(colour, []).append(mine | bit | third)
    return {colour: minimal(masks) for colour, masks in found.items()}


def _only(found: dict[str, list[int]]) -> Finding | None:
    if len(found) != 1:
        return None
    ((answer, masks),) = found.items()
    return Finding((answer,), masks, answer)


def read(code: str, sentences: Sequence[str]) -> KindsReading:
    """The reading of a story in a language."""
    return KindsReading(language(code), sentences)
