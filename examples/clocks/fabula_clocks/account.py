"""The verifier's own reading of a timetable: plain patterns, and the logic program in rules.lp.

It shares the language file and the step of five minutes with the reader, and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache

from clingo import Control, Function, Number, String, Symbol

from fabula.language.patterns import Patterns, language_data, matching, nothing_fits
from fabula.world.base import Claim, Fact, Query
from fabula.world.proving import examine, rules

STEP = 5
NAME = matching(r"[\w' -]+")
SLOTS = {"trip": NAME, "other": NAME, "amount": matching(r"[\d: ]+")}


@cache
def _patterns(code: str, table: str) -> Patterns:
    """The patterns in one table of the language file."""
    patterns = Patterns()
    for kind, templates in language_data(code, "clocks")[table].items():
        for template in templates:
            patterns.add(template, kind, SLOTS)
    return patterns


class Account:
    """A timetable as the verifier reads it."""

    def __init__(self, code: str, sentences: Sequence[str]) -> None:
        self._code = code
        self._facts = [self._match("sentences", sentence) for sentence in sentences]

    def _match(self, table: str, text: str) -> tuple[str, ...]:
        found = _patterns(self._code, table).best(text)
        if found is None:
            raise nothing_fits(self._code, text, table.removesuffix("s"))
        return (found.meaning, *(found.slots[role] for role in SLOTS if role in found.slots))

    def facts(self) -> list[tuple[Fact, ...]]:
        """The fact of each sentence."""
        return [(fact,) for fact in self._facts]

    def query(self, question: str) -> Query:
        """The query behind a question."""
        return self._match("questions", question)

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """Objections to each claim, always by the logic program; none if it is proven."""
        return [
            examine(claim, len(self._facts), _Oracle(self._facts, claim.query).conclude,
                    claim.answer[0])
            for claim in claims
        ]  # fmt: skip


class _Oracle:
    """The logic program, grounded for one story and one query."""

    def __init__(self, facts: Sequence[Fact], query: Query) -> None:
        self._query = query
        self._told = _connected(facts, query)
        steps = {number: _steps(fact[-1]) for number, fact in self._told.items()}
        spread = 4 + sum(steps[n] for n, fact in self._told.items() if fact[0] != "leaves")
        less = sum(steps[n] for n, fact in self._told.items() if fact[0] == "takes-less")
        late = max(steps.values(), default=0) + 9 * spread
        constants = {"early": -late, "late": late, "short": 1 + less, "longest": 2 * spread}
        self._control = Control(["--warn=none", *(f"-c {k}={v}" for k, v in constants.items())])
        program = [str(Function("asked", [String(word) for word in query]))]
        for number, fact in self._told.items():
            words = [String(word) for word in fact[:-1]]
            program.append(f"sentence({number})")
            program.append(str(Function("tells", [Number(number), *words, Number(steps[number])])))
        self._control.add("base", [], rules(__file__) + "".join(f"{atom}.\n" for atom in program))
        self._control.ground([("base", [])])

    def conclude(self, numbers: Collection[int]) -> str | None:
        """The answer that these sentences entail, or None."""
        told = [(Function("told", [Number(number)]), number in numbers) for number in self._told]
        seen = set[Symbol | None]()
        self._control.configuration.solve.models = 0  # type: ignore[union-attr]
        self._control.configuration.solve.project = "show"  # type: ignore[union-attr]
        with self._control.solve(assumptions=told, yield_=True) as models:
            for model in models:
                shown = model.symbols(shown=True)
                seen.add(shown[0].arguments[0] if shown else None)
                if len(seen) > 1:
                    return None
        (answer,) = seen or {None}
        if answer is None or str(answer).startswith('"'):
            return answer.string if answer else None
        minutes = answer.number * STEP
        if self._query[0] in ("how-long", "minutes-after"):
            return str(minutes) if minutes > 0 else None
        return f"{minutes // 60}:{minutes % 60:02}"


def _connected(facts: Sequence[Fact], query: Query) -> dict[int, Fact]:
    """The facts that are connected with the trips in the query, by sentence number."""
    names, found = set(query[1:]), dict[int, Fact]()
    for _ in facts:
        for number, fact in enumerate(facts, 1):
            if names & set(fact[1:-1]):
                names |= set(fact[1:-1])
                found[number] = fact
    return found


def _steps(amount: str) -> int:
    """'9:40' or '35' in steps."""
    minutes = 0
    for part in amount.split(":"):
        minutes = 60 * minutes + int(part)
    return minutes // STEP
