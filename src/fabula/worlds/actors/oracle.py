"""Proves answers and their supports with the logic program in rules.lp.

The program says what a story, or any part of it, entails. This module only poses
the questions: it grounds the program once for a story and then solves it under
assumptions on which sentences are told.

A support suffices if

* its reading (only its sentences are told) is consistent and comes to the same
  conclusion as the whole story, and
* it is not stale: the conclusion still follows in the whole story of whose other sentences only
  is known whom they moved, and likewise if it is also known how things changed hands (promise 7
  of the program). So 'Mary went to the park' does not support that Mary is in the park after she
  went to the school and back to the park.

A support is minimal if no sentence can be left out of it so that the rest suffices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from clingo import Control, Function, Model, Number, String, Symbol, SymbolType

from fabula.language import Lore
from fabula.worlds.proving import rules

__all__ = ["Claim", "Conclusion", "Oracle", "Sentence", "conclude", "prove"]

Query = tuple[str, ...]


class Sentence(NamedTuple):
    """The facts of a sentence; `refers` if it takes its subject from the one before."""

    facts: tuple[tuple[str, ...], ...]
    refers: bool


class Claim(NamedTuple):
    """An answer to a query at the end of a story, and the supports it is said to have."""

    query: Query
    answer: tuple[str, ...]
    supports: tuple[tuple[int, ...], ...]


class Conclusion(NamedTuple):
    """An answer and what makes it comparable between a story and a part of it.

    The detail of a place is ("in", place); of 'yes' and 'no' that word; of 'maybe' all
    the places left open, ("in", place) or ("elsewhere",); of what somebody holds
    (object, "held" or "lost", sentence) for each object; of a gift or a need (sentence,).
    """

    answer: tuple[str, ...]
    detail: tuple[tuple[str, ...], ...]


FACTS: Mapping[str, int] = {
    "move": 2,
    "at": 2,
    "not-at": 2,
    "either": 3,
    "grab": 2,
    "drop": 2,
    "give": 3,
    "put": 3,
    "lay": 3,
    "take": 3,
    "colour": 2,
    "state": 2,
    "went": 3,
    "need": 2,
}
QUERIES: Mapping[str, int] = {
    "where-person": 1,
    "where-object": 1,
    "where-was-object": 2,
    "yes-no": 2,
    "list": 1,
    "count": 1,
    "what-in": 1,
    "what-on": 1,
    "what-colour": 1,
    "what-state": 1,
    "who-gave-to": 2,
    "who-gave": 1,
    "who-received": 1,
    "who-given-to": 2,
    "what-given": 2,
    "where-was-person": 2,
    "where-will-go": 1,
    "why-go": 2,
    "why-get": 2,
}
HANDLING = ("grab", "drop", "give", "put", "lay", "take")
"""Facts by which a thing changes hands."""
HOLDING = ("list", "count", "what-in", "what-on")
"""Questions what somebody or something holds."""
REASONED = ("where-will-go", "why-go", "why-get")
"""Questions that a need answers."""
WHY = ("why-go", "why-get")
"""Questions for the reason of something that must have happened."""
PAST = ("where-was-object", "where-was-person")
"""Questions where something or somebody was before they came to a place."""
NO_LORE = Lore()

_ELSEWHERE = Function("elsewhere")
_NEVER = Function("never")

# fmt: off
_ONES = (
    "none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
# fmt: on


def prove(
    sentences: Sequence[Sentence], claims: Sequence[Claim], lore: Lore = NO_LORE
) -> list[list[str]]:
    """What is wrong with each claim, in English; nothing if it is proven."""
    oracle = Oracle(sentences, [claim.query for claim in claims], lore)
    return [oracle.prove(claim) for claim in claims]


def conclude(
    sentences: Sequence[Sentence],
    query: Query,
    subset: Collection[int] | None = None,
    lore: Lore = NO_LORE,
) -> Conclusion | None:
    """What a story, or only the sentences numbered in `subset`, says to a query."""
    return Oracle(sentences, [query], lore).conclude(query, subset)


class Oracle:
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
        # The literals that say where somebody or something is in the end, by name; where
        # something was before; who answers what; and who keeps what.
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

    # Posing the program's questions

    def _numbers(self) -> range:
        return range(1, self._length + 1)

    def _facts(self, sentences: Sequence[Sentence]) -> Iterable[str]:
        yield f"last({self._length}). sentence(1..{self._length})."
        for number, sentence in enumerate(sentences, 1):
            if sentence.refers:
                yield f"refers({number})."
            for fact in sentence.facts:
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
        """What is true of the watched in some model; None if there is no model."""
        true: list[Symbol] = []

        def see(model: Model) -> None:
            true.extend(atom for atom, literal in watched.items() if model.is_true(literal))

        result = self._control.solve(assumptions=assumptions, on_model=see)
        return true if result.satisfiable else None

    def _possible(
        self, reading: Sequence[int], options: Mapping[Symbol, int], most: int | None = None
    ) -> list[Symbol]:
        """Which of the options are true in some model: all of them, or at most so many."""
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
        """What the options for the answer belong to, if the query is about a place."""
        if query[0] in PAST:
            return self._queries[query]
        return Function("object" if query[0] == "where-object" else "person", [String(query[1])])

    # Conclusions

    def conclude(self, query: Query, subset: Collection[int] | None = None) -> Conclusion | None:
        """What the story, or only the sentences in `subset`, says to one of the queries."""
        if query not in self._queries:
            raise ValueError(f"the story was not grounded for {query}")
        if subset is None and query[0] in WHY and not self._happened(query):
            return None
        return self._concluded(query, self._reading(subset))

    def _happened(self, query: Query) -> bool:
        """Whether some sentence tells what a question asks the reason for."""
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
        if query[0] == "where-will-go":  # nobody goes where they are, or where they may be as told
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
        """Denied are the moves by which, after the whole story, the thing may have come last.

        That it has not come again later is left to the story.
        """
        route = [self._queries[query], String(conclusion.answer[0])]
        comes = {a: x for a, x in self._comes.items() if a.arguments[:2] == route}
        last = self._possible(self._reading(None), comes)
        return [-self._arrives[Function("arrives", atom.arguments)] for atom in last]

    # Proofs

    def prove(self, claim: Claim) -> list[str]:
        """What is wrong with a claim, in English; nothing if it is proven."""
        failures = []
        query, whole = claim.query, self.conclude(claim.query)
        if whole is None or sorted(claim.answer) != sorted(whole.answer):
            found = self._described(query, self._reading(None))
            failures.append(f"{_listed(claim.answer)} is not entailed: the story {found}")
        if not claim.supports:
            failures.append("there is no support")
        seen = set()
        for support in claim.supports:
            name = f"support {list(support)}"
            if frozenset(support) in seen:
                failures.append(f"{name} is listed twice")
                continue
            seen.add(frozenset(support))
            if len(set(support)) < len(support):
                failures.append(f"{name} repeats a sentence")
            elif beyond := sorted(set(support) - set(self._numbers())):
                failures.append(
                    f"{name} is out of range: the story of {self._length} sentences "
                    f"has no sentence {', '.join(map(str, beyond))}"
                )
            elif whole is not None:
                failures += self._failures(query, whole, support, name)
        return failures

    def _failures(
        self, query: Query, whole: Conclusion, support: Sequence[int], name: str
    ) -> list[str]:
        if self.conclude(query, support) != whole:
            found = self._described(query, self._reading(support))
            return [f"{name} does not suffice: it {found}; the story entails {_told(whole)}"]
        denials = self._denials(query, whole) if _about_places(query) else None
        stale = self._stale(support, denials)
        if stale:
            return [
                f"{name} is stale: what it says does not last through what else happens in the "
                f"story, which then {self._described(query, stale)}"
            ]
        failures = []
        for number in support:
            rest = [t for t in support if t != number]
            if self.conclude(query, rest) == whole and not self._stale(rest, denials):
                failures.append(f"{name} still suffices without sentence {number}")
        return failures

    def _stale(self, support: Collection[int], denials: Sequence[int] | None) -> list[int]:
        """The reading of the support among all else that happens in which it fails, if any."""
        if denials is not None:
            for handling in (False, True):
                reading = self._reading(support, stirring=True, handling=handling)
                if self._solve([*reading, *denials], {}) is not None:
                    return reading
        return []

    def _described(self, query: Query, reading: list[int]) -> str:
        """What a reading says to a query, to go on after 'the story' or 'it'."""
        if self._solve(reading, {}) is None:
            return "is contradictory"
        conclusion = self._concluded(query, reading)
        if conclusion is not None:
            return f"entails {_told(conclusion)}"
        if not _about_places(query):
            return f"tells nothing to answer {_quoted(query)}"
        options = self._options.get(self._subject(query), {})
        places = self._possible(reading, options)
        if places == [_NEVER]:
            return f"does not tell that {query[1]} ever came to {query[2]}"
        if len(places) == len(options):
            return f"leaves everything open for {_quoted(query)}"
        return f"leaves {_open(map(_detail, places))} open"


# Terms and words


def _term(parts: tuple[str, ...], kinds: Mapping[str, int]) -> Symbol:
    if not parts or kinds.get(parts[0]) != len(parts) - 1:
        raise ValueError(f"unknown fact or query: {parts}")
    return Function(parts[0].replace("-", "_"), [String(part) for part in parts[1:]])


def _detail(place: Symbol) -> tuple[str, ...]:
    return ("in", place.string) if place.type is SymbolType.String else (place.name,)


def _place(detail: tuple[str, ...]) -> Symbol:
    return String(detail[1]) if detail[0] == "in" else _ELSEWHERE


def _about_places(query: Query) -> bool:
    return query[0] == "yes-no" or (query[0].startswith("where") and query[0] not in REASONED)


def number_word(number: int) -> str:
    """How many in words: none, one, two, up to ninety-nine."""
    if number < len(_ONES):
        return _ONES[number]
    if number > 99:
        return str(number)
    tens, ones = _TENS[number // 10 - 2], number % 10
    return f"{tens}-{_ONES[ones]}" if ones else tens


def _quoted(query: Query) -> str:
    return f"{query[0]}({', '.join(query[1:])})"


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "an empty answer"


def _open(details: Iterable[tuple[str, ...]]) -> str:
    words = {_ELSEWHERE.name: "elsewhere", _NEVER.name: "no place before"}
    ordered = sorted(details, key=lambda detail: (len(detail) == 1, detail))
    return f"{{{', '.join(d[1] if len(d) == 2 else words[d[0]] for d in ordered)}}}"


def _told(conclusion: Conclusion) -> str:
    answer = _listed(conclusion.answer)
    match conclusion.detail:
        case [[_, "held" | "lost", _], *_]:
            states = (f"{thing} {state} at {t}" for thing, state, t in conclusion.detail)
            return f"{answer} ({', '.join(states)})"
        case [[number]] if number.isdigit():
            return f"{answer} (by sentence {number})"
        case _ if conclusion.answer == ("maybe",):
            return f"{answer}, with {_open(conclusion.detail)} open"
        case _:
            return answer
