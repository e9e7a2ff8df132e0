"""Proves answers and their supports with the logic program in rules.lp.

The program's models are the families that fit a story. A word is the answer if it holds in all of
them and no other word of the vocabulary holds in any. A support is proven if its sentences alone
have that answer, and minimal if no sentence can be left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from clingo import Control, Function, Number, String, Symbol

from fabula.world.base import Claim, Fact, Query
from fabula.world.kinship.claims import GENDERS, WORDS, examine
from fabula.world.proving import rules

__all__ = ["Oracle", "prove"]


def prove(
    sentences: Sequence[Sequence[Fact]],
    claims: Sequence[Claim],
    vocabulary: Collection[str],
    by_marriage: bool = False,
) -> list[list[str]]:
    """Objections to each claim, in English; empty if it is proven."""
    return [Oracle(sentences, c.query, vocabulary, by_marriage).prove(c) for c in claims]


class Oracle:
    """A story, grounded for one query ('kin', first person, second person)."""

    def __init__(
        self,
        sentences: Sequence[Sequence[Fact]],
        query: Query,
        vocabulary: Collection[str],
        by_marriage: bool = False,
        axiom: str = "tree",
    ) -> None:
        unknown = [word for word in vocabulary if word not in WORDS]
        if unknown:
            raise ValueError(f"unknown kinship words: {unknown}")
        self._count = len(sentences)
        self._query = query
        names = {query[1]: 1, query[2]: 2}
        for fact in (fact for facts in sentences for fact in facts):
            if len(fact) != (2 if fact[0] in GENDERS else 3):
                raise ValueError(f"not a fact of the kinship world: {fact}")
            for name in fact[1:]:
                names.setdefault(name, len(names) + 1)
        self._names = names
        lines = list(self._facts(sentences, names, by_marriage))
        lines += [f"word({String(word)},{WORDS[word][0]},{WORDS[word][1]})." for word in vocabulary]
        self._control = Control(["--warn=none"])
        self._control.add("base", [], rules(__file__))
        self._control.add("base", [], "\n".join(lines))
        self._control.ground([("base", []), (axiom, [])])
        told = self._literals("told", 1)
        self._told = [told[Function("told", [Number(n)])] for n in range(1, self._count + 1)]
        ends = [Number(1), Number(2)]
        self._holds = {
            atom.arguments[1].string: literal
            for atom, literal in self._literals("holds", 3).items()
            if [atom.arguments[0], atom.arguments[2]] == ends
        }
        self._two = list(self._literals("two_words", 2).values())

    def _facts(
        self, sentences: Sequence[Sequence[Fact]], names: dict[str, int], by_marriage: bool
    ) -> Iterable[str]:
        more = 2  # for any other relation the two people of the query may have
        yield f"sentence(1..{self._count}). ask(1,2)."
        if by_marriage:
            yield "by_marriage."
        for number, facts in enumerate(sentences, 1):
            for fact in facts:
                if fact[0] in GENDERS:
                    yield f"says({number},gender({names[fact[1]]},{fact[0]}))."
                    continue
                word, first, second = fact[0], names[fact[1]], names[fact[2]]
                relation, _, between = WORDS[word]
                if by_marriage and relation in ("nibling", "pibling"):
                    between = 2
                more += between
                yield f"says({number},kin({first},{String(word)},{second}))."
        yield f"person(1..{len(names) + more})."

    def _literals(self, name: str, arity: int) -> dict[Symbol, int]:
        atoms = self._control.symbolic_atoms.by_signature(name, arity)
        return {atom.symbol: atom.literal for atom in atoms}

    def _possible(self, subset: Collection[int] | None, *more: int) -> set[str] | None:
        """The words that hold in some family with these sentences; None if there is no family."""
        told = range(1, self._count + 1) if subset is None else set(subset)
        assumptions = [x if n in told else -x for n, x in enumerate(self._told, 1)]
        with self._control.solve(assumptions=[*assumptions, *more], yield_=True) as handle:
            model = handle.model()
            if model is None:
                return None
            return {word for word, literal in self._holds.items() if model.is_true(literal)}

    def conclude(self, subset: Collection[int] | None = None) -> str | None:
        """The one word that follows from the story, or from only the sentences in `subset`."""
        found = self._possible(subset)
        if found is None or len(found) != 1:
            return None
        (word,) = found
        if self._possible(subset, -self._holds[word]) is not None:
            return None
        if any(self._possible(subset, literal) is not None for literal in self._two):
            return None
        return word

    def worlds(self) -> Iterator[dict[str, Any]]:
        """Families that fit the story, one for each possible answer (see witness.py)."""
        assumptions = list(self._told)
        names = {number: name for name, number in self._names.items()}

        def named(symbol: Symbol) -> str:
            return names.get(symbol.number, f"#{symbol.number}")

        for literal in [self._holds[word] for word in sorted(self._holds)]:
            with self._control.solve(assumptions=[*assumptions, literal], yield_=True) as handle:
                for model in handle:
                    whole: dict[str, Any] = {"gender": {}, "parents": {}, "spouse": {}}
                    siblings: dict[str, list[str]] = {}
                    for symbol in sorted(model.symbols(atoms=True)):
                        if symbol.match("gender", 2):
                            whole["gender"][named(symbol.arguments[0])] = symbol.arguments[1].name
                        elif symbol.match("parent", 2):
                            child, parent = map(named, symbol.arguments)
                            whole["parents"].setdefault(child, []).append(parent)
                        elif symbol.match("spouse", 2):
                            one, other = map(named, symbol.arguments)
                            whole["spouse"][one] = other
                        elif symbol.match("sibling", 2):
                            one, other = map(named, symbol.arguments)
                            siblings.setdefault(one, []).append(other)
                    whole["siblings"] = siblings
                    yield whole
                    break

    def prove(self, claim: Claim) -> list[str]:
        """Objections to a claim, in English; empty if it is proven."""
        return examine(claim, self._count, self.conclude, lambda: self._possible(None) is not None)
