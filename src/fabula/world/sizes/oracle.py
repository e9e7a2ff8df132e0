"""Proves answers about sizes, and their supports, with the logic program in rules.lp.

A set of sentences entails 'yes' if all sizes that fit them make the first thing bigger, and 'no' if
none do. A support is right if it entails the answer and no longer does without any one of its
sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clingo import Control, Function, Number, String

from fabula.world.base import Claim, Fact, Query
from fabula.world.proving import examine, rules


def prove(facts: Sequence[Fact], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, in English; empty if it is proven."""
    oracle = Oracle(facts, [claim.query for claim in claims])
    return [oracle.prove(claim) for claim in claims]


class Oracle:
    """A story, grounded for a number of queries."""

    def __init__(self, facts: Sequence[Fact], queries: Sequence[Query]) -> None:
        self._count = len(facts)
        program = [f"sentence(1..{self._count})."]
        for number, fact in enumerate(facts, 1):
            if fact:  # a sentence that states a convention has no fact
                _, bigger, smaller = fact
                program.append(f"tells({number},{String(bigger)},{String(smaller)}).")
        for query in queries:
            first, second = _pair(query)
            program.append(f"asked({String(first)},{String(second)}).")
            program.append(f"asked({String(second)},{String(first)}).")
        self._control = Control(["--warn=none"])
        self._control.add("base", [], rules(__file__))
        self._control.add("base", [], "\n".join(program))
        self._control.ground([("base", [])])
        self._atoms = {atom.symbol: atom.literal for atom in self._control.symbolic_atoms}

    def _possible(self, told: Collection[int], *more: int) -> bool:
        literals = list(more)
        for number in range(1, self._count + 1):
            literal = self._atoms[Function("told", [Number(number)])]
            literals.append(literal if number in told else -literal)
        return bool(self._control.solve(assumptions=literals).satisfiable)

    def conclude(self, query: Query, told: Collection[int]) -> str | None:
        """The answer of these sentences to a query; None if none follows."""
        first, second = _pair(query)
        over = self._atoms.get(Function("over", [String(first), String(second)]))
        if over is None or not self._possible(told):
            return None
        may, need_not = self._possible(told, over), self._possible(told, -over)
        if may and need_not:
            return None
        return "yes" if may else "no"

    def worlds(self, query: Query) -> list[dict[str, int]]:
        """Sizes with which the answer is yes, and sizes with which it is no, if there are any."""
        first, second = _pair(query)
        over = self._atoms.get(Function("over", [String(first), String(second)]))
        back = self._atoms.get(Function("over", [String(second), String(first)]))
        told = [x for a, x in self._atoms.items() if a.match("told", 1)]
        found = []
        for wanted in (over, back):
            if wanted is None:
                continue
            with self._control.solve(assumptions=[*told, wanted], yield_=True) as handle:
                for model in handle:
                    sizes = [s for s in model.symbols(atoms=True) if s.match("size", 2)]
                    pairs = sorted((s.arguments[0].string, s.arguments[1].number) for s in sizes)
                    found.append(dict(pairs))
                    break
        return found

    def prove(self, claim: Claim) -> list[str]:
        """Objections to a claim, in English; empty if it is proven."""
        (answer,) = claim.answer
        return examine(claim, self._count, lambda told: self.conclude(claim.query, told), answer)


def _pair(query: Query) -> tuple[str, str]:
    """The bigger and the smaller thing if the answer is yes."""
    return (query[1], query[2]) if query[0] == "bigger" else (query[2], query[1])
