"""Proves answers about timetables with the logic program, from text by a parser of its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from clingo import Control, Function, Number, String, Symbol, SymbolType
from fabula.world.patterns import Patterns, Slot, matching

from fabula.errors import ParseError
from fabula.language import language_file
from fabula.world.base import Claim, Query
from fabula.world.proving import examine, rules

STEP = 5  # as the world's docstring says
Fact = list[str | int]
SLOTS = {
    "trip": matching(r"[\w' -]+"),
    "other": matching(r"[\w' -]+"),
    "time": Slot(lambda text: text if ":" in text else None, 3),
    "minutes": matching(r"\d+"),
}


def prove(code: str, sentences: Sequence[str], claims: Sequence[Claim]) -> list[list[str]]:
    """What is wrong with each claim, in English; nothing if it is proven."""
    data = language_file(code, "clocks")
    patterns, questions = Patterns(), Patterns()
    for book, kinds in ((patterns, data["sentences"]), (questions, data["questions"])):
        for kind, texts in kinds.items():
            for text in texts:
                book.add(text, kind, SLOTS)
    told = [_fact(patterns, sentence) for sentence in sentences]
    found = []
    for claim in claims:
        oracle = _Oracle(_connected(told, claim.query), claim.query)
        (answer,) = claim.answer
        found.append(examine(claim, len(told), oracle.conclude, answer))
    return found


def _fact(book: Patterns, text: str) -> Fact:
    match = book.best(text)
    if match is None:
        raise ParseError(f"no pattern of the verifier fits '{text}'.")
    slots = match.slots
    found: Fact = [match.meaning, slots["trip"]]
    found += [slots["other"]] if "other" in slots else []
    if "time" in slots:
        hours, minutes = slots["time"].split(":")
        return [*found, (60 * int(hours) + int(minutes)) // STEP]
    return [*found, int(slots["minutes"]) // STEP]


def _connected(told: Sequence[Fact], query: Query) -> dict[int, Fact]:
    """The sentences about trips that are connected with those asked about, by their number."""
    names, found = set(query[1:]), dict[int, Fact]()
    for _ in told:
        for number, fact in enumerate(told, 1):
            if names & set(fact[1:-1]):
                names |= set(fact[1:-1])
                found[number] = fact
    return found


def _symbol(value: str | int) -> Symbol:
    return Number(value) if isinstance(value, int) else String(value)


class _Oracle:
    """A story, grounded for one query."""

    def __init__(self, told: dict[int, Fact], query: Query) -> None:
        self._told, self._query = told, query
        named = [int(fact[-1]) for fact in told.values() if fact[0] == "leaves"]
        spread = 4 + sum(int(fact[-1]) for fact in told.values() if fact[0] != "leaves")
        late = max(named, default=0) + 9 * spread
        less = sum(int(fact[-1]) for fact in told.values() if fact[0] == "takes-less")
        constants = {"early": -late, "late": late, "short": 1 + less, "longest": 2 * spread}
        self._control = Control(["--warn=none", *(f"-c {k}={v}" for k, v in constants.items())])
        program = [f"sentence({number})." for number in told]
        for number, fact in told.items():
            program.append(f"{Function('tells', [Number(number), *map(_symbol, fact)])}.")
        program.append(f"{Function('asked', [String(word) for word in query])}.")
        self._control.add("base", [], rules(__file__) + "\n".join(program))
        self._control.ground([("base", [])])

    def conclude(self, numbers: Collection[int]) -> str | None:
        """The answer that these sentences entail; None if there is none."""
        told = [(Function("told", [Number(number)]), number in numbers) for number in self._told]
        seen: set[Symbol | None] = set()
        self._control.configuration.solve.models = 0  # type: ignore[union-attr]
        self._control.configuration.solve.project = "show"  # type: ignore[union-attr]
        with self._control.solve(assumptions=told, yield_=True) as models:
            for model in models:
                shown = model.symbols(shown=True)
                seen.add(shown[0].arguments[0] if shown else None)
                if len(seen) > 1:
                    return None
        (answer,) = seen or {None}
        if answer is None or answer.type == SymbolType.String:
            return answer.string if answer else None
        minutes = answer.number * STEP
        if self._query[0] in ("how-long", "minutes-after"):
            return str(minutes) if minutes > 0 else None
        return f"{minutes // 60}:{minutes % 60:02}"
