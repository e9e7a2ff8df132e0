"""Proves answers and their supports with the logic program in rules.lp.

The program says what a story, or any part of it, entails. This module only runs it: it grounds the
program once per story and then solves it under assumptions about which sentences are told.

claims.py defines when a claim is proven.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from clingo import Control, Function, Model, Number, String, Symbol, SymbolType

from fabula.language import Lore
from fabula.world.actors.claims import (
    FACTS,
    HANDLING,
    HOLDING,
    NO_LORE,
    PAST,
    PRONOUN,
    QUERIES,
    REASONED,
    WHY,
    Conclusion,
    Examination,
    Query,
    Sentence,
    description,
    number_word,
)
from fabula.world.base import Claim
from fabula.world.proving import rules

__all__ = ["Claim", "Conclusion", "Oracle", "Sentence", "conclude", "prove"]

_ELSEWHERE = Function("elsewhere")


def prove(
    sentences: Sequence[Sentence], claims: Sequence[Claim], lore: Lore = NO_LORE
) -> list[list[str]]:
    """The objections to each claim, in English; empty if it is proven."""
    oracle = Oracle(sentences, [claim.query for claim in claims], lore)
    return [oracle.prove(claim) for claim in claims]


def conclude(
    sentences: Sequence[Sentence],
    query: Query,
    subset: Collection[int] | None = None,
    lore: Lore = NO_LORE,
) -> Conclusion | None:
    """The conclusion of a story, or of only the sentences numbered in `subset`, for a query."""
    return Oracle(sentences, [query], lore).conclude(query, subset)


class Oracle(Examination):
    """A story, grounded for a number of queries."""

    def __init__(
        self, sentences: Sequence[Sentence], queries: Iterable[Query], lore: Lore = NO_LORE
    ) -> None:
        self._length = len(sentences)
        self._lore = lore
        self._queries = {query: _term(query, QUERIES) for query in queries}
        self._control = Control(["--warn=none"])
        self._control.add("base", [], rules(__file__))
        self._control.add("base", [], "\n".join(self._facts(sentences)))
        self._control.ground([("base", [])])
        told = self._literals("told", 1)
        self._told = [told[Function("told", [Number(t)])] for t in self._numbers()]
        self._stirring = self._literals("stirring", 0)[Function("stirring")]
        self._handling = self._literals("handling", 0)[Function("handling")]
        # The literals that say, by name: where somebody or something is in the end; where something
        # was before; who answers what; and who keeps what.
        self._options: dict[Symbol, dict[Symbol, int]] = {}
        for atom, literal in self._literals("finally", 2).items():
            self._options.setdefault(atom.arguments[0], {})[atom.arguments[1]] = literal
        for atom, literal in self._literals("before", 2).items():
            self._options.setdefault(atom.arguments[0], {})[atom.arguments[1]] = literal
        self._arrives = self._literals("arrives", 3)
        self._comes = self._literals("comes", 3)
        self._reasons = self._literals("reason", 3)
        self._answers = self._literals("answers", 3)
        self._keeps = self._literals("keeps", 2)
        self._denied: dict[tuple[Query, Conclusion], list[int]] = {}

    # Input of the program

    def _facts(self, sentences: Sequence[Sentence]) -> Iterable[str]:
        yield f"last({self._length}). sentence(1..{self._length})."
        for number, sentence in enumerate(sentences, 1):
            if sentence.refers:
                yield f"refers({number})."
            for fact in sentence.facts:
                if fact[1:2] == (PRONOUN,):  # the program resolves the pronoun
                    said = _term(fact, FACTS)
                    yield f"says({number},{Function(said.name, said.arguments[1:])})."
                else:
                    yield f"tells({number},{_term(fact, FACTS)})."
            handled = [fact[2] for fact in sentence.facts if fact[0] in HANDLING]
            if len(set(handled)) < len(handled):
                raise ValueError(f"sentence {number} handles an object twice: {sentence.facts}")
        for query, term in self._queries.items():
            yield f"asked({term})."
            if query[0] in ("yes-no", *PAST):
                yield f"named({String(query[2])})."
        for index, word in enumerate(reversed(self._lore.times)):
            yield f"part({String(word)},{-index})."
        for mood, need in self._lore.needs.items():
            yield f"leads({String(mood)},{String(need.place)})."
            yield f"wants({String(mood)},{String(need.thing)})."

    def _literals(self, name: str, arity: int) -> dict[Symbol, int]:
        atoms = self._control.symbolic_atoms.by_signature(name, arity)
        return {atom.symbol: atom.literal for atom in atoms}

    def _reading(
        self, subset: Collection[int] | None, stirring: bool = False, handling: bool = False
    ) -> list[int]:
        """The assumptions that only the sentences of the subset are told."""
        told = set(self._numbers()) if subset is None else set(subset)
        if not told <= set(self._numbers()):
            raise ValueError(f"there are no sentences {sorted(told - set(self._numbers()))}")
        return [
            self._stirring if stirring else -self._stirring,
            self._handling if handling else -self._handling,
            *(literal if t in told else -literal for t, literal in enumerate(self._told, 1)),
        ]

    def _solve(
        self, assumptions: Sequence[int], watched: Mapping[Symbol, int]
    ) -> list[Symbol] | None:
        """The watched symbols that are true in some model; None if there is no model."""
        true: list[Symbol] = []

        def see(model: Model) -> None:
            true.extend(atom for atom, literal in watched.items() if model.is_true(literal))

        result = self._control.solve(assumptions=assumptions, on_model=see)
        return true if result.satisfiable else None

    def _possible(
        self, reading: Sequence[int], options: Mapping[Symbol, int], most: int | None = None
    ) -> list[Symbol]:
        """The options that are true in some model: all of them, or the first `most` found."""
        found: list[Symbol] = []
        assumptions = list(reading)
        while most is None or len(found) < most:
            true = self._solve(assumptions, options)
            if not true:
                break
            found += true
            assumptions += [-options[option] for option in true]
        return found

    def _subject(self, query: Query) -> Symbol:
        """The owner of the possible answers, if the query is about a place."""
        if query[0] in PAST:
            return self._queries[query]
        return Function("object" if query[0] == "where-object" else "person", [String(query[1])])

    # Conclusions

    def conclude(self, query: Query, subset: Collection[int] | None = None) -> Conclusion | None:
        """The conclusion of the story, or of only the sentences in `subset`, for one of the
        queries.
        """
        if query not in self._queries:
            raise ValueError(f"the story was not grounded for {query}")
        if subset is None and query[0] in WHY and not self._happened(query):
            return None
        return self._concluded(query, self._reading(subset))

    def worlds(self, query: Query) -> list[tuple[str, dict[str, Any]]]:
        """Two courses of places that answer a query about a place differently, as far as there are
        two: each answer with the places of everybody (see witness.py)."""
        options = self._options.get(self._subject(query), {})
        assumptions = self._reading(None)
        assumptions += [-x for a, x in options.items() if a.type is not SymbolType.String]
        watched = self._literals("place", 3) | self._literals("was", 3)
        found: list[tuple[str, dict[str, Any]]] = []
        while len(found) < 2:
            true = self._solve(assumptions, options | watched)
            answer = next((a for a in true or () if a in options), None)
            if true is None or answer is None:
                break
            found.append((answer.string, _whole(a for a in true if a in watched)))
            assumptions.append(-options[answer])
        return found

    def _happened(self, query: Query) -> bool:
        """Whether some sentence states the event whose reason is asked for."""
        asked, so = self._queries[query], Function("so")
        return any(a.arguments[0] == asked and a.arguments[2] == so for a in self._answers)

    def _concluded(self, query: Query, reading: list[int]) -> Conclusion | None:
        if query[0] in HOLDING:
            return self._concluded_holding(query, reading)
        if query[0] == "yes-no":
            return self._concluded_yes_no(query, reading)
        if query[0] in REASONED:
            return self._concluded_reason(query, reading)
        if query[0].startswith("where"):
            options = self._options.get(self._subject(query), {})
            places = self._possible(reading, options, most=2)
            if len(places) != 1 or places[0].type is not SymbolType.String:
                return None
            return Conclusion((places[0].string,), (_detail(places[0]),))
        return self._concluded_gift(query, reading)

    def _concluded_yes_no(self, query: Query, reading: Sequence[int]) -> Conclusion | None:
        options = self._options.get(self._subject(query), {})
        places = self._possible(reading, options)
        if len(places) in (0, len(options)):
            return None
        if String(query[2]) not in places:
            return Conclusion(("no",), (("no",),))
        if len(places) == 1:
            return Conclusion(("yes",), (("yes",),))
        return Conclusion(("maybe",), tuple(sorted(map(_detail, places))))

    def _concluded_holding(self, query: Query, reading: Sequence[int]) -> Conclusion | None:
        holder = String(query[1])
        if query[0] in ("what-in", "what-on"):
            holder = Function(query[0].removeprefix("what-"), [holder])
        keeps = {a: x for a, x in self._keeps.items() if a.arguments[0] == holder}
        deals = {
            a: x
            for a, x in self._answers.items()
            if a.arguments[0].match("dealt", 2) and a.arguments[0].arguments[0] == holder
        }
        true = self._solve(reading, keeps | deals) or []
        kept = {atom.arguments[1].string for atom in true if atom in keeps}
        detail = []
        for _, number, thing in (atom.arguments for atom in true if atom in deals):
            state = "held" if thing.string in kept else "lost"
            detail.append((thing.string, state, str(number)))
        if not detail:
            return None
        if query[0] == "count":
            answer: tuple[str, ...] = (number_word(len(kept)),)
        else:
            answer = tuple(sorted(kept)) or ("nothing",)
        return Conclusion(answer, tuple(sorted(detail)))

    def _concluded_gift(self, query: Query, reading: Sequence[int]) -> Conclusion | None:
        asked = self._queries[query]
        watched = {a: x for a, x in self._answers.items() if a.arguments[0] == asked}
        true = self._solve(reading, watched)
        if true is None or len(true) != 1:
            return None
        _, number, answer = true[0].arguments
        return Conclusion((answer.string,), ((str(number),),))

    def _concluded_reason(self, query: Query, reading: Sequence[int]) -> Conclusion | None:
        asked = self._queries[query]
        watched = {a: x for a, x in self._reasons.items() if a.arguments[0] == asked}
        true = self._solve(reading, watched)
        if true is None or len(true) != 1:
            return None
        _, number, answer = true[0].arguments
        if query[0] == "where-will-go":  # nobody goes where they already are, or may be
            options = self._options.get(self._subject(query), {})
            places = self._possible(reading, options)
            if answer in places and len(places) < len(options):
                return None
        return Conclusion((answer.string,), ((str(number),),))

    def _denials(self, query: Query, conclusion: Conclusion) -> list[int]:
        """Assumptions under which the whole story's conclusion about a place is wrong."""
        options = self._options.get(self._subject(query), {})
        if query[0] in PAST:
            return self._denied_moves(query, conclusion)
        if conclusion.answer == ("no",):
            return [options[String(query[2])]]
        if conclusion.answer == ("yes",):
            return [-options[String(query[2])]]
        return [-options[_place(place)] for place in conclusion.detail]

    def _denied_moves(self, query: Query, conclusion: Conclusion) -> list[int]:
        """Denies the moves by which, according to the whole story, the thing may have come last.

        That it has not come again later is left to the story.
        """
        route = [self._queries[query], String(conclusion.answer[0])]
        comes = {a: x for a, x in self._comes.items() if a.arguments[:2] == route}
        last = self._possible(self._reading(None), comes)
        return [-self._arrives[Function("arrives", atom.arguments)] for atom in last]

    # Proofs

    def stale(self, query: Query, whole: Conclusion, support: Collection[int]) -> str:
        """The alternatives left by everything else that happens; empty if the conclusion holds."""
        key = (query, whole)
        if key not in self._denied:
            self._denied[key] = self._denials(query, whole)
        for handling in (False, True):
            reading = self._reading(support, stirring=True, handling=handling)
            if self._solve([*reading, *self._denied[key]], {}) is not None:
                return self._described(query, reading)
        return ""

    def described(self, query: Query, subset: Collection[int] | None = None) -> str:
        """Describes what a part of the story says about a query, to follow 'the story' or 'it'."""
        return self._described(query, self._reading(subset))

    def _described(self, query: Query, reading: list[int]) -> str:
        options = self._options.get(self._subject(query), {})
        return description(
            query,
            self._solve(reading, {}) is not None,
            self._concluded(query, reading),
            [_detail(place) for place in self._possible(reading, options)],
            len(options),
        )


# Terms and words


def _term(parts: tuple[str, ...], kinds: Mapping[str, int]) -> Symbol:
    if not parts or kinds.get(parts[0]) != len(parts) - 1:
        raise ValueError(f"unknown fact or query: {parts}")
    return Function(parts[0].replace("-", "_"), [String(part) for part in parts[1:]])


def _detail(place: Symbol) -> tuple[str, ...]:
    return ("in", place.string) if place.type is SymbolType.String else (place.name,)


def _whole(atoms: Iterable[Symbol]) -> dict[str, Any]:
    """A course of places as a table (see witness.py)."""
    places: dict[str, list[list[Any]]] = {}
    past: dict[str, dict[str, str]] = {}
    for atom in atoms:
        who, time, where = atom.arguments
        place = where.string if where.type is SymbolType.String else where.name
        if atom.name == "was":
            past.setdefault(who.string, {})[str(time.number)] = place
        else:
            places.setdefault(who.arguments[0].string, []).append([time.number, place])
    whole: dict[str, Any] = {"places": {name: sorted(way) for name, way in sorted(places.items())}}
    return whole | {"past": past} if past else whole


def _place(detail: tuple[str, ...]) -> Symbol:
    return String(detail[1]) if detail[0] == "in" else _ELSEWHERE
