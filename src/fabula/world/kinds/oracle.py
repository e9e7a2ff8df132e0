"""Proves answers about kinds, and their supports, with the logic program in rules.lp.

An answer is right if it is the only one that follows; a support, if it alone follows from it, and
nothing follows any more without any one of its sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clingo import Control, Function, String

from fabula.world.base import Claim, Fact, Query
from fabula.world.proving import examine, rules


def prove(facts: Sequence[Fact], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, in English; none if it is proven."""
    oracle = Oracle(facts)
    return [oracle.prove(claim) for claim in claims]


class Oracle:
    """A story, grounded."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._count = len(facts)
        self._names = {
            fact[1].lower(): fact[1] for fact in facts if fact[:1] in (("member",), ("colour",))
        }
        program = [f"sentence(1..{self._count})."]
        for number, fact in enumerate(facts, 1):
            if fact:  # a sentence that states a convention tells none
                said = Function(fact[0], [String(arg) for arg in fact[1:]])
                program.append(f"tells({number},{said}).")
        self._control = Control(["--warn=none"])
        self._control.add("base", [], rules(__file__))
        self._control.add("base", [], "\n".join(program))
        self._control.ground([("base", [])])
        self._told = {
            atom.symbol.arguments[0].number: atom.literal
            for atom in self._control.symbolic_atoms.by_signature("told", 1)
        }

    def answers(self, query: Query, told: Collection[int]) -> set[str]:
        """All that these sentences answer to a query."""
        assumptions = [x if number in told else -x for number, x in self._told.items()]
        name = self._names.get(query[1].lower(), query[1])
        relation = "afraid" if query[0] == "afraid" else "hue"
        with self._control.solve(assumptions=assumptions, yield_=True) as handle:
            for model in handle:
                return {
                    symbol.arguments[1].string
                    for symbol in model.symbols(shown=True)
                    if symbol.match(relation, 2) and symbol.arguments[0].string == name
                }
        return set()

    def prove(self, claim: Claim) -> list[str]:
        """Objections to a claim, in English; none if it is proven."""
        return examine(
            claim, self._count, lambda told: self.answers(claim.query, told), set(claim.answer)
        )
