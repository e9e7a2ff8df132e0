"""Proves answers about kinds, and their supports, with the logic program in rules.lp.

An answer is right if it is the only one that follows; a support, if only that answer follows from
it, and nothing follows without any one of its sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from clingo import Control, Function, String

from fabula.world.base import Claim, Fact, Query
from fabula.world.proving import examine, rules


def prove(facts: Sequence[Fact], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, in English; empty if it is proven."""
    oracle = Oracle(facts)
    return [oracle.prove(claim) for claim in claims]


def worlds(facts: Sequence[Fact], query: Query) -> Iterator[dict[str, dict[str, str]]]:
    """Complete worlds that fit a story, with different answers to a query as far as there are."""
    program = []
    for number, fact in enumerate(facts, 1):
        program.append(f"tells({number},{Function(fact[0], [String(arg) for arg in fact[1:]])}).")
        program.append(f"sentence({number}). :- not told({number}).")
    control = Control(["--warn=none"])
    control.add("base", [], rules(__file__))
    control.add("base", [], "\n".join(program))
    control.ground([("base", []), ("whole", [])])
    names = {fact[1].lower(): fact[1] for fact in facts if fact[0] in ("member", "colour")}
    name = String(names.get(query[1].lower(), query[1]))
    wanted = "one_fear" if query[0] == "afraid" else "one_colour"
    literals = {
        atom.symbol: atom.literal
        for atom in control.symbolic_atoms.by_signature(wanted, 2)
        if atom.symbol.arguments[0] == name
    }
    for literal in [literals[symbol] for symbol in sorted(literals)]:
        with control.solve(assumptions=[literal], yield_=True) as handle:
            for model in handle:
                whole: dict[str, dict[str, str]] = {t: {} for t in TABLES.values()}
                for symbol in sorted(model.symbols(atoms=True)):
                    if symbol.name in TABLES and len(symbol.arguments) == 2:
                        one, other = symbol.arguments
                        whole[TABLES[symbol.name]][one.string] = other.string
                yield whole
                break


TABLES = {"is_kind": "kind", "is_above": "above", "is_fear": "fear", "is_colour": "colour"}


class Oracle:
    """A story, grounded."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._count = len(facts)
        self._names = {
            fact[1].lower(): fact[1] for fact in facts if fact[:1] in (("member",), ("colour",))
        }
        program = [f"sentence(1..{self._count})."]
        for number, fact in enumerate(facts, 1):
            if fact:  # a sentence that states a convention has no fact
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
        """All answers to a query that follow from these sentences."""
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
        """Objections to a claim, in English; empty if it is proven."""
        return examine(
            claim, self._count, lambda told: self.answers(claim.query, told), set(claim.answer)
        )
