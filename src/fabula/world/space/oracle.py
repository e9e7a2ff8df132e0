"""Proves answers about positions, and their supports, with the logic program in rules.lp.

A set of sentences entails something if no placement that fits them denies it. A support is right if
it entails the answer and no longer does without any one of its sentences. The program is grounded
once per story and solved under assumptions about which sentences are told and what is denied.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from clingo import Control, Function, Number, String, Symbol

from fabula.world.base import Claim, Fact, Query
from fabula.world.proving import examine, rules
from fabula.world.space.words import (
    DEPTH,
    LABELS,
    LETTERS,
    OFFSETS,
    REGIONS,
    SIDES,
    Signs,
    step_word,
)


def prove(facts: Sequence[Sequence[Fact]], claims: Sequence[Claim]) -> list[list[str]]:
    """Objections to each claim, in English; empty if it is proven."""
    oracle = Oracle(facts, claims)
    return [oracle.prove(claim) for claim in claims]


class Oracle:
    """A story, given by the facts of each sentence, grounded for a number of claims."""

    def __init__(self, facts: Sequence[Sequence[Fact]], claims: Sequence[Claim]) -> None:
        self._count = len(facts)
        reach, deep = 0, any(claim.query[1] in DEPTH for claim in claims)
        program = [f"sentence(1..{self._count})."]
        pairs = {claim.query[-2:] for claim in claims if claim.query[0] in ("relation", "yes-no")}
        for number, told in enumerate(facts, 1):
            for fact in told:
                if fact[0] == "not":
                    word, figure, ground = fact[1:]
                    deep = deep or word in DEPTH
                    names = f"{String(figure)},{String(ground)}"
                    program.append(f"denies({number},{String(word)},{names}).")
                    pairs.add((figure, ground))
                    continue
                relation, figure, ground, *more = fact
                count = int(more[0]) if more else 1
                offset = [count * step for step in OFFSETS[relation]]
                deep = deep or offset[2] != 0
                ends = f"{String(figure)},{String(ground)}"
                vector = ",".join(map(str, offset))
                program.append(f"tells({number},{ends},({vector})).")
                reach += count
        named = {
            name for told in facts for f in told for name in (f[2:] if f[0] == "not" else f[1:3])
        }
        grounds = {claim.query[2] for claim in claims if claim.query[0] == "which"}
        pairs |= {(name, ground) for ground in grounds for name in named if name != ground}
        denied = any(fact[0] == "not" for told in facts for fact in told)
        self._reach = max(2 * reach + 2 if denied else reach, 2)
        program.append(f"reach({self._reach}).")
        # without a sentence about depth, everything is in one plane
        self._axes = 3 if deep else 2
        program.append(f"axis(0..{self._axes - 1}).")
        for first, second in sorted(pairs):
            program.append(f"pair({String(first)},{String(second)}).")
        if pairs:
            for word, patterns in REGIONS.items():
                flat = {signs[: self._axes] for signs in patterns if deep or not signs[2]}
                for at, signs in enumerate(sorted(flat)):
                    for axis, sign in enumerate(signs):
                        program.append(f"region({String(word)},{at},{axis},{sign}).")
        self._walks: dict[tuple[Query, int], int] = {}
        for claim in claims:
            if claim.query[0] == "path":
                for length in range(1, len(claim.answer) + 1):
                    key = (claim.query, length)
                    if key not in self._walks:
                        self._walks[key] = len(self._walks)
                        start, goal = map(String, claim.query[-2:])
                        program.append(f"walk({self._walks[key]},{start},{goal},{length}).")
        self._control = Control(["--warn=none"])
        self._control.add("base", [], rules(__file__))
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

    def placements(self, query: Query) -> Iterator[dict[str, list[int]]]:
        """Placements that fit all sentences and may answer a query differently."""
        ground = query[1] if query[0] == "what-of" else query[-1]
        if ground not in self._things:
            return
        axes = range(self._axes)
        home = [*self._assume(range(1, self._count + 1)), *(self._at(ground, a, 0) for a in axes)]
        wanted: list[list[int]] = []
        if query[0] in ("what-is", "what-of"):
            sign, word = (1, query[1]) if query[0] == "what-is" else (-1, query[2])
            spot = [sign * step for step in OFFSETS[word]]
            for name in sorted(self._things - {ground}):
                wanted.append([self._at(name, axis, spot[axis]) for axis in axes])
        elif query[-2] in self._things:
            wanted = [[self._at(query[-2], axis, v)] for v in (1, -1, 0, 2) for axis in axes]
        for literals in wanted:
            model = self._model([*home, *literals])
            if model is not None:
                yield self._placed(model)

    def _placed(self, model: set[Symbol]) -> dict[str, list[int]]:
        places = {name: [0, 0, 0] for name in sorted(self._things)}
        for symbol in model:
            if symbol.name == "at":
                name, axis, value = symbol.arguments
                places[name.string][axis.number] = value.number
        return places

    def _at(self, name: str, axis: int, value: int) -> int:
        return self._atoms[Function("at", [String(name), Number(axis), Number(value)])]

    def _gap(self, told: Collection[int], first: str, second: str) -> Signs | None:
        """The position of first relative to second in all placements; None if it varies."""
        assumptions = self._assume(told)
        if first not in self._things or second not in self._things:
            return None
        # the position of the second does not matter, so it may be in the middle
        home = [self._at(second, axis, 0) for axis in range(self._axes)]
        model = self._model([*assumptions, *home])
        if model is None:
            return None
        gap = [0, 0, 0]
        for symbol in model:
            if symbol.name == "at" and symbol.arguments[0].string == first:
                gap[symbol.arguments[1].number] = symbol.arguments[2].number
        for axis in range(self._axes):  # may the first be elsewhere?
            if self._possible([*assumptions, *home, -self._at(first, axis, gap[axis])]):
                return None
        return gap[0], gap[1], gap[2]

    def _lies(self, told: Collection[int], word: str, first: str, second: str) -> bool | None:
        """Whether first lies in a region of second in all placements, or in none; else None."""
        if first not in self._things or second not in self._things:
            return None
        assumptions = self._assume(told)
        atom = self._atoms.get(Function("lies", [String(word), String(first), String(second)]))
        can_be = atom is not None and self._possible([*assumptions, atom])
        can_not = self._possible(assumptions if atom is None else [*assumptions, -atom])
        return None if can_be == can_not else can_be

    # --- conclusions ----------------------------------------------------------------------

    def conclude(self, query: Query, told: Collection[int], claimed: Sequence[str]) -> object:
        """The answer of these sentences to a query; None if none follows."""
        kind = query[0]
        if kind == "relation":
            return next(((w,) for w in LABELS if self._sure(told, w, query[1], query[2])), None)
        if kind == "yes-no":
            lies = self._lies(told, *query[1:])
            return None if lies is None else ("yes" if lies else "no",)
        if kind == "how-far":
            gap = self._gap(told, query[1], query[2])
            return None if gap is None else (str(max(map(abs, gap))),)
        if kind == "which":
            return self._members(told, query[1], query[2])
        if kind == "path":
            return self._way(query, told, claimed)
        ground = query[2] if kind == "what-is" else query[1]
        x, y, z = OFFSETS[query[1] if kind == "what-is" else query[2]]
        wanted = (x, y, z) if kind == "what-is" else (-x, -y, -z)
        found = [
            name
            for name in sorted(self._things)
            if name != ground and self._gap(told, name, ground) == wanted
        ]
        return tuple(found) if len(found) == 1 else None

    def _sure(self, told: Collection[int], label: str, first: str, second: str) -> bool:
        word = f"directly-{label}" if label in SIDES else label
        return self._lies(told, word, first, second) is True

    def _members(self, told: Collection[int], word: str, ground: str) -> tuple[str, ...] | None:
        """All who lie in the region of the ground in every placement."""
        names = sorted(self._things - {ground})
        found = [name for name in names if self._lies(told, word, name, ground) is True]
        return tuple(found) or None

    def _way(self, query: Query, told: Collection[int], claimed: Sequence[str]) -> object:
        """The letters of the path if all shortest paths agree; searched up to the claimed
        length.
        """
        for length in range(1, len(claimed) + 1):
            walk = self._walks[query, length]
            assumptions = self._assume(told, walk)
            model = self._model(assumptions)
            if model is None:
                continue
            steps = {
                symbol.arguments[1].number: symbol
                for symbol in model
                if symbol.match("takes", 3) and symbol.arguments[0].number == walk
            }
            for step in steps.values():
                if self._possible([*assumptions, -self._atoms[step]]):
                    return None
            way: list[str] = []
            for _, step in sorted(steps.items()):
                x, y, z = (part.number for part in step.arguments[2].arguments)
                count = max(abs(x), abs(y), abs(z))
                unit = (x // count, y // count, z // count)
                way += [step_word(unit) if len(query) > 3 else LETTERS.get(unit, "?")] * count
            return tuple(way)
        return None

    # --- proofs ---------------------------------------------------------------------------

    def prove(self, claim: Claim) -> list[str]:
        """Objections to a claim, in English; empty if it is proven."""
        if not self._possible(self._assume(range(1, self._count + 1))):
            return ["the story is contradictory"]
        query, answer = claim.query, tuple(claim.answer)
        if query[0] == "which":  # in any order
            answer = tuple(sorted(answer))
        return examine(
            claim, self._count, lambda told: self.conclude(query, told, claim.answer), answer
        )
