"""Proves answers about positions, and their supports, with the logic program in rules.lp.

A set of sentences entails something if no placement that fits them denies it. A support is right if
it entails the answer and loses it without any one of its sentences. The program is grounded once a
story and solved under assumptions on which sentences are told and on what is denied.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from pathlib import Path

from clingo import Control, Function, Number, String, Symbol

from fabula.worlds.base import Claim, Fact, Query

# Written again here, on purpose: a slip in the grid's own tables must not prove itself.
OFFSETS = {
    "left": (-1, 0),
    "west": (-1, 0),
    "right": (1, 0),
    "east": (1, 0),
    "above": (0, 1),
    "north": (0, 1),
    "below": (0, -1),
    "south": (0, -1),
    "upper-left": (-1, 1),
    "upper-right": (1, 1),
    "lower-left": (-1, -1),
    "lower-right": (1, -1),
}
LETTERS = {"n": (0, 1), "s": (0, -1), "e": (1, 0), "w": (-1, 0)}
SIGNS = {**OFFSETS, "overlap": (0, 0)}


def prove(facts: Sequence[Fact], claims: Sequence[Claim]) -> list[list[str]]:
    """What is wrong with each claim, in English; nothing if it is proven."""
    oracle = Oracle(facts, claims)
    return [oracle.prove(claim) for claim in claims]


class Oracle:
    """A story, grounded for a number of claims."""

    def __init__(self, facts: Sequence[Fact], claims: Sequence[Claim]) -> None:
        self._count = len(facts)
        self._reach = max(self._count, 2)
        program = [f"sentence(1..{self._count}). reach({self._reach})."]
        for number, (relation, figure, ground) in enumerate(facts, 1):
            dx, dy = OFFSETS[relation]
            program.append(f"tells({number},{String(figure)},{dx},{dy},{String(ground)}).")
        self._walks: dict[tuple[Query, int], int] = {}
        for claim in claims:
            if claim.query[0] == "path":
                for length in range(1, len(claim.answer) + 1):
                    key = (claim.query, length)
                    if key not in self._walks:
                        self._walks[key] = len(self._walks)
                        start, goal = String(claim.query[1]), String(claim.query[2])
                        program.append(f"walk({self._walks[key]},{start},{goal},{length}).")
        self._control = Control(["--warn=none"])
        self._control.add("base", [], _rules())
        self._control.add("base", [], "\n".join(program))
        self._control.ground([("base", [])])
        self._atoms = {atom.symbol: atom.literal for atom in self._control.symbolic_atoms}
        self._things = {
            symbol.arguments[0].string for symbol in self._atoms if symbol.match("thing", 1)
        }

    # --- solving --------------------------------------------------------------------------

    def _assume(self, told: Collection[int], walk: int | None = None) -> list[int]:
        literals = []
        for number in range(1, self._count + 1):
            literal = self._atoms[Function("told", [Number(number)])]
            literals.append(literal if number in told else -literal)
        for number in self._walks.values():
            literal = self._atoms[Function("goes", [Number(number)])]
            literals.append(literal if number == walk else -literal)
        return literals

    def _possible(self, assumptions: Sequence[int]) -> bool:
        return bool(self._control.solve(assumptions=list(assumptions)).satisfiable)

    def _model(self, assumptions: Sequence[int]) -> set[Symbol] | None:
        with self._control.solve(assumptions=list(assumptions), yield_=True) as handle:
            for model in handle:
                return set(model.symbols(shown=True))
        return None

    def _gap(self, told: Collection[int], first: str, second: str) -> tuple[int, int] | None:
        """How far first lies from second in all placements; None if they differ or are none."""
        assumptions = self._assume(told)
        if first not in self._things or second not in self._things:
            return None
        model = self._model(assumptions)
        if model is None:
            return None
        gap = []
        for axis in ("column", "row"):
            at = {
                symbol.arguments[0].string: symbol.arguments[1].number
                for symbol in model
                if symbol.match(axis, 2)
            }
            gap.append(at[first] - at[second])
            # another placement, in which the two lie differently along this axis?
            for place in range(-self._reach, self._reach + 1):
                here = self._atoms[Function(axis, [String(second), Number(place)])]
                there = self._atoms.get(Function(axis, [String(first), Number(place + gap[-1])]))
                denial = [here] if there is None else [here, -there]
                if self._possible([*assumptions, *denial]):
                    return None
        return gap[0], gap[1]

    # --- conclusions ----------------------------------------------------------------------

    def conclude(self, query: Query, told: Collection[int], claimed: Sequence[str]) -> object:
        """What these sentences answer to a query; None if nothing follows."""
        kind = query[0]
        if kind == "relation":
            gap = self._gap(told, query[1], query[2])
            return None if gap is None else (_word(gap),)
        if kind == "yes-no":
            gap = self._gap(told, query[2], query[3])
            if gap is None:
                return None
            dx, dy = OFFSETS[query[1]]
            return ("yes",) if gap[0] * dx + gap[1] * dy > 0 else ("no",)
        if kind == "path":
            return self._way(query, told, claimed)
        ground = query[2] if kind == "what-is" else query[1]
        dx, dy = OFFSETS[query[1] if kind == "what-is" else query[2]]
        if kind == "what-of":
            dx, dy = -dx, -dy
        found = [
            name
            for name in sorted(self._things)
            if name != ground and self._gap(told, name, ground) == (dx, dy)
        ]
        return tuple(found) if len(found) == 1 else None

    def _way(self, query: Query, told: Collection[int], claimed: Sequence[str]) -> object:
        """The letters of the way if all shortest ways have the same; looked for up to the claim."""
        for length in range(1, len(claimed) + 1):
            walk = self._walks[query, length]
            assumptions = self._assume(told, walk)
            model = self._model(assumptions)
            if model is None:
                continue
            steps = {
                symbol.arguments[1].number: symbol
                for symbol in model
                if symbol.match("takes", 4) and symbol.arguments[0].number == walk
            }
            for step in steps.values():
                if self._possible([*assumptions, -self._atoms[step]]):
                    return None
            names = {xy: letter for letter, xy in LETTERS.items()}
            return tuple(
                names.get((step.arguments[2].number, step.arguments[3].number), "?")
                for _, step in sorted(steps.items())
            )
        return None

    # --- proofs ---------------------------------------------------------------------------

    def prove(self, claim: Claim) -> list[str]:
        """What is wrong with a claim, in English; nothing if it is proven."""
        everything = range(1, self._count + 1)
        if not self._possible(self._assume(everything)):
            return ["the story is contradictory"]
        failures = []
        found = self.conclude(claim.query, everything, claim.answer)
        if found != tuple(claim.answer):
            failures.append(f"{','.join(claim.answer)} is not entailed: the story gives {found}")
        if not claim.supports:
            failures.append("there is no support")
        for support in claim.supports:
            name = f"support {list(support)}"
            if not set(support) <= set(everything):
                failures.append(f"{name} is out of range")
                continue
            if self.conclude(claim.query, support, claim.answer) != tuple(claim.answer):
                failures.append(f"{name} does not suffice")
                continue
            for number in support:
                rest = [other for other in support if other != number]
                if self.conclude(claim.query, rest, claim.answer) == tuple(claim.answer):
                    failures.append(f"{name} still suffices without sentence {number}")
        return failures


def _word(gap: tuple[int, int]) -> str:
    """The label of a gap: which way, distances aside."""
    signs = tuple((value > 0) - (value < 0) for value in gap)
    labels = ("left", "right", "above", "below", "overlap")
    compound = ("upper-left", "upper-right", "lower-left", "lower-right")
    return next(word for word in (*labels, *compound) if SIGNS[word] == signs)


@cache
def _rules() -> str:
    return Path(__file__).with_name("rules.lp").read_text(encoding="utf-8")
