"""Proves answers about kinds, and their supports, with the logic program in rules.lp.

An answer is right if it is the only one that follows; a support, if it alone follows from it, and
nothing follows any more without any one of its sentences.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from clingo import Control, Function, String

from fabula.worlds.base import Claim, Fact, Query


def prove(facts: Sequence[Fact], claims: Sequence[Claim]) -> list[list[str]]:
    """What is wrong with each claim, in English; nothing if it is proven."""
    oracle = Oracle(facts)
    return [oracle.prove(claim) for claim in claims]


class Oracle:
    """A story, grounded."""

    def __init__(self, facts: Sequence[Fact]) -> None:
        self._count = len(facts)
        self._names = {
            fact[1].lower(): fact[1] for fact in facts if fact[0] in ("member", "colour")
        }
        program = [f"sentence(1..{self._count})."]
        for number, (kind, *args) in enumerate(facts, 1):
            program.append(f"tells({number},{Function(kind, [String(arg) for arg in args])}).")
        self._control = Control(["--warn=none"])
        self._control.add("base", [], _rules())
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
        """What is wrong with a claim, in English; nothing if it is proven."""
        everything = range(1, self._count + 1)
        answer, failures = set(claim.answer), []
        found = self.answers(claim.query, everything)
        if found != answer:
            given = ", ".join(sorted(found)) or "nothing"
            failures.append(f"{','.join(claim.answer)} does not follow: the story gives {given}")
        if not claim.supports:
            failures.append("there is no support")
        for support in claim.supports:
            name = f"support {list(support)}"
            if not set(support) <= set(everything):
                failures.append(f"{name} is out of range")
            elif self.answers(claim.query, support) != answer:
                failures.append(f"{name} does not suffice")
            else:
                for number in support:
                    rest = [other for other in support if other != number]
                    if self.answers(claim.query, rest) == answer:
                        failures.append(f"{name} still suffices without sentence {number}")
        return failures


@cache
def _rules() -> str:
    return Path(__file__).with_name("rules.lp").read_text(encoding="utf-8")
