"""Audits CLUTRR's tables: does each label hold in every family that fits the facts?

Promises:
1. Facts come from the columns `story_edges`, `edge_types`, `query_edge` and `genders`; the label is
   only compared with what follows. Families obey the axioms of the kinship world (see
   world/kinship/families.py).
2. A label holds in every family, in some, or in none; a label that does not hold in every family
   comes with a family that fits the facts and contradicts it.
3. Text made of the generator's own sentence patterns is parsed and compared with the edges;
   crowd-written text is left alone, and the result says so.
4. A file without CLUTRR's columns, or with a row that cannot be read, is an error with its line.
5. If the facts fit no family, the story contradicts itself; its label is judged by the shortest
   chain of facts between the two people alone.
"""

from __future__ import annotations

import ast
import csv
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from fabula.analysis.audits.findings import Change, Finding, Kind, Result, Severity
from fabula.analysis.audits.trees import draw
from fabula.core.soundness import shown
from fabula.errors import FabulaError, ParseError
from fabula.world.base import Fact
from fabula.world.kinship.claims import BASIC, WORDS
from fabula.world.kinship.families import Families

NEEDED = (
    "id", "story", "query", "target", "proof_state", "f_comb", "task_name", "story_edges",
    "edge_types", "query_edge", "genders",
)  # fmt: skip
"""The columns that both layouts have and an audit needs."""
SPELLINGS = {"neice": "niece"}
VOCABULARY = tuple(WORDS)

SOME = Kind("label-in-some", Severity.ERROR, "The label holds in some families that fit the facts but not in all: it does not follow.")  # fmt: skip  # noqa: E501
NONE = Kind("label-in-none", Severity.ERROR, "The label holds in no family that fits the facts: it is wrong.")  # fmt: skip  # noqa: E501
CONTRADICTION = Kind("contradiction", Severity.ERROR, "No family fits the facts of the story.")
NOISE_CONTRADICTS = Kind("noise-contradicts", Severity.ERROR, "The noise contradicts the facts of the chain.")  # fmt: skip  # noqa: E501
NOISE_SHORTENS = Kind("noise-shortens", Severity.WARNING, "With the noise, a shorter chain than the k stated facts joins the two people.")  # fmt: skip  # noqa: E501
NAMES = Kind("names-collide", Severity.ERROR, "Two people of the story have the same name.")
STEP = Kind("proof-step", Severity.WARNING, "A step of proof_state does not follow from its premises.")  # fmt: skip  # noqa: E501
PREMISE = Kind("proof-premise", Severity.WARNING, "proof_state uses a premise that is neither told nor derived.")  # fmt: skip  # noqa: E501
GOAL = Kind("proof-goal", Severity.WARNING, "proof_state does not end in the label.")
TEXT = Kind("text-differs", Severity.ERROR, "The sentences tell other facts than the edges.")
LEAK = Kind("held-out-pattern", Severity.WARNING, "A test row has a chain pattern of three facts or more that training rows have too.")  # fmt: skip  # noqa: E501
DIRECTION = Kind("question-direction", Severity.NOTE, "The question fixes no direction, so the inverse relation answers it as well.")  # fmt: skip  # noqa: E501

# --- reading ----------------------------------------------------------------------------------


class Row(NamedTuple):
    """One row of a table."""

    line: int
    fields: dict[str, str]
    edges: tuple[tuple[int, int], ...]
    words: tuple[str, ...]
    """The relation of each edge, as far as the table gives them (the releases: of the chain)."""
    query: tuple[int, int]
    people: tuple[tuple[str, str], ...]
    """Name and gender of each person."""
    k: int
    """Facts of the chain."""
    label: str

    @property
    def place(self) -> str:
        """Line and id."""
        return f"line {self.line} (id {self.fields['id']})"


class Table(NamedTuple):
    """A file of rows."""

    path: Path
    columns: list[str]
    rows: list[Row]
    layout: str
    """The name of the column that has the label as a word."""


def read(path: Path) -> Table:
    """The rows of a table; FabulaError if it is not one of CLUTRR's."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise FabulaError(f"{path}: cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise FabulaError(f"{path}: not a text file in UTF-8; save it as UTF-8 CSV.") from None
    lines = csv.DictReader(StringIO(text, newline=""))
    try:
        columns = list(lines.fieldnames or ())
        missing = [name for name in NEEDED if name not in columns]
        if missing:
            raise FabulaError(
                f"{path}, line 1: not a CLUTRR table: no column {', '.join(missing)}. Expected a "
                "CSV file with the columns of the generator or of the hub's copy."
            )
        layout = "target_text" if "target_text" in columns else "target"
        rows = [_row(path, lines.line_num, fields, layout) for fields in lines]
    except csv.Error as error:
        raise FabulaError(f"{path}, line {lines.line_num}: not a CSV table: {error}.") from None
    if not rows:
        raise FabulaError(f"{path}: no rows after the header.")
    return Table(path, columns, rows, layout)


def _row(path: Path, line: int, fields: dict[str, Any], layout: str) -> Row:
    place = f"{path}, line {line}"
    if None in fields or None in fields.values():
        raise FabulaError(f"{place}: {'more' if None in fields else 'fewer'} columns than line 1.")
    edges = _pairs(fields["story_edges"], f"{place}, story_edges")
    words = tuple(_relation(word, f"{place}, edge_types") for word in _list(fields["edge_types"], f"{place}, edge_types"))  # fmt: skip  # noqa: E501
    (query,) = _pairs(f"[{fields['query_edge']}]", f"{place}, query_edge")
    people = tuple(_person(part, f"{place}, genders") for part in fields["genders"].split(","))
    chain = re.fullmatch(r"task_\d+\.(\d+)", fields["task_name"].strip())
    if chain is None:
        raise FabulaError(
            f"{place}, task_name: expected task_<kind>.<k>, found {shown(fields['task_name'])}."
        )
    k = int(chain[1])
    if len(words) not in (len(edges), k) or k > len(edges):
        raise FabulaError(
            f"{place}, edge_types: {len(words)} relations for {len(edges)} edges; expected one for "
            f"each edge, or one for each of the {k} edges of the chain."
        )
    if any(not 0 <= person < len(people) for edge in (*edges, query) for person in edge):
        raise FabulaError(f"{place}, story_edges: a person that `genders` does not list.")
    label = _relation(fields[layout], f"{place}, {layout}")
    return Row(line, fields, edges, words, query, people, k, label)


def _literal(text: str, place: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise FabulaError(f"{place}: cannot be parsed: {shown(text)}.") from None


def _list(text: str, place: str) -> list[Any]:
    found = _literal(text, place)
    if not isinstance(found, list):
        raise FabulaError(f"{place}: expected a list, found {shown(text)}.")
    return found


def _pairs(text: str, place: str) -> tuple[tuple[int, int], ...]:
    found = _list(text, place)
    if not all(isinstance(e, tuple) and len(e) == 2 and all(type(n) is int for n in e) for e in found):  # fmt: skip  # noqa: E501
        raise FabulaError(f"{place}: expected pairs of numbers, found {shown(text)}.")
    return tuple(found)


def _relation(word: object, place: str) -> str:
    known = SPELLINGS.get(str(word).strip(), str(word).strip())
    if known not in WORDS:
        raise FabulaError(f"{place}: unknown relation {shown(word)}.")
    return known


def _person(text: str, place: str) -> tuple[str, str]:
    name, _, gender = text.strip().rpartition(":")
    if not name or gender not in ("male", "female"):
        raise FabulaError(f"{place}: expected Name:male or Name:female, found {shown(text)}.")
    return name, gender


# --- judging ----------------------------------------------------------------------------------


class Judgement(NamedTuple):
    """The relations that follow from a set of facts about two people."""

    possible: bool
    """Whether any family fits."""
    words: frozenset[str]
    """The words that hold in some family; '' for a family in which none does."""


Facts = tuple[tuple[str, int, int], ...]


def _families(
    facts: Facts, genders: Sequence[str], query: tuple[int, int], by_marriage: bool = False
) -> Families:
    told: list[list[Fact]] = [[(word, str(a), str(b))] for word, a, b in facts]
    told += [[(gender, str(person))] for person, gender in enumerate(genders)]
    return Families(told, ("kin", str(query[0]), str(query[1])), VOCABULARY, by_marriage)


@lru_cache(maxsize=1 << 16)
def judge(
    facts: Facts, genders: tuple[str, ...], query: tuple[int, int], by_marriage: bool = False
) -> Judgement:
    """The relations that follow about the pair in the question; people are numbers.

    `by_marriage`: whether the spouse of an uncle is an aunt, and so on.
    """
    if query[0] == query[1]:
        return Judgement(False, frozenset())
    found = _families(facts, genders, query, by_marriage).outcomes()
    return Judgement(bool(found), frozenset(found))


def shortest(facts: Facts, query: tuple[int, int]) -> Facts:
    """The facts of a shortest chain between two people; empty if nothing joins them."""
    near: dict[int, list[tuple[int, tuple[str, int, int]]]] = {}
    for fact in facts:
        near.setdefault(fact[1], []).append((fact[2], fact))
        near.setdefault(fact[2], []).append((fact[1], fact))
    came: dict[int, tuple[int, tuple[str, int, int]] | None] = {query[0]: None}
    todo = deque(came)
    while todo:
        person = todo.popleft()
        for other, fact in near.get(person, ()):
            if other not in came:
                came[other] = (person, fact)
                todo.append(other)
    chain: list[tuple[str, int, int]] = []
    step = came.get(query[1])
    while step is not None:
        chain.append(step[1])
        step = came[step[0]]
    return tuple(reversed(chain))


def audit_row(row: Row, result: Result) -> str:
    """Add the defects of a row; returns the corrected label, or '' if no label is entailed."""
    facts: Facts = tuple((word, *edge) for word, edge in zip(row.words, row.edges, strict=False))
    genders = tuple(gender for _, gender in row.people)
    chain = facts[: row.k]
    found, noisy, path = judge(facts, genders, row.query), len(facts) > len(chain), facts
    if not found.possible:
        clean = judge(chain, genders, row.query)
        kind = NOISE_CONTRADICTS if noisy and clean.possible else CONTRADICTION
        result.add(_finding(row, kind, "No family fits these facts.", facts))
        path = chain if noisy and clean.possible else shortest(facts, row.query)
        found = judge(path, genders, row.query)
    elif noisy and len(shorter := shortest(facts, row.query)) < row.k:
        reason = f"The chain has {row.k} facts; with the noise, {len(shorter)} join the two people."
        result.add(_finding(row, NOISE_SHORTENS, reason, shorter))
    entailed = next(iter(found.words)) if len(found.words) == 1 else ""
    result.figures["every"] += entailed == row.label
    if entailed != row.label:
        some = row.label in found.words
        result.figures["some" if some else "none"] += 1
        others = sorted(word or "no relative with a word of its own" for word in found.words - {row.label})  # fmt: skip  # noqa: E501
        reason = f"'{row.label}' holds in {'some families only' if some else 'no family'}"
        if judge(path, genders, row.query, by_marriage=True).words == {row.label}:
            result.figures["by_marriage"] += 1
            reason += " unless uncles, aunts, nephews and nieces by marriage count"
        reason += f"; possible: {', '.join(others)}." if others else "."
        counter = sorted(found.words - {row.label})
        drawing = _drawn(path, genders, row, counter[-1]) if counter else ""
        kind = SOME if some else NONE
        result.add(_finding(row, kind, reason, facts, entailed, drawing))
    _check_names(row, result)
    _check_proof(row, result, facts)
    _check_text(row, result, facts)
    _check_question(row, result)
    return entailed if entailed in WORDS else ""


def _drawn(facts: Facts, genders: Sequence[str], row: Row, word: str) -> str:
    """A family that fits the facts, in which the label does not hold."""
    found = _families(facts, genders, row.query).outcomes().get(word)
    if found is None:
        return ""
    family, people = found
    return draw(family, {row.people[int(name)][0]: person for name, person in people.items()})


def _finding(
    row: Row, kind: Kind, reason: str, facts: Facts = (), corrected: str = "", drawing: str = ""
) -> Finding:
    names = [name for name, _ in row.people]
    first, second = (names[person] for person in row.query)
    return Finding(
        kind,
        row.place,
        reason,
        tuple(sentences(row.fields["story"])),
        f"What is {second} to {first}?",
        row.label,
        corrected,
        tuple(f"{names[b]} is {names[a]}'s {word}" for word, a, b in facts),
        drawing,
    )


def _check_names(row: Row, result: Result) -> None:
    names = [name for name, _ in row.people]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        result.add(_finding(row, NAMES, f"Several people are called {', '.join(twice)}."))


# --- the stated proof -------------------------------------------------------------------------

Triple = tuple[str, str, str]


@lru_cache(maxsize=1 << 14)
def _follows(premises: Facts, genders: tuple[str, ...], query: tuple[int, int], word: str) -> bool:
    return judge(premises, genders, query).words == {word}


def _check_proof(row: Row, result: Result, facts: Facts) -> None:
    """Check proof_state step by step: premises stated or derived, conclusions entailed by them."""
    place = f"{result.file}, line {row.line}, proof_state"
    steps = _list(row.fields["proof_state"], place)
    names = [name for name, _ in row.people]
    told = {(names[a], word, names[b]) for word, a, b in facts}
    derived: dict[Triple, list[Triple]] = {}
    for step in steps:
        if not isinstance(step, dict):
            raise FabulaError(f"{place}: expected a list of tables, found {shown(step)}.")
        for conclusion, premises in step.items():
            derived[_triple(conclusion, place)] = [_triple(each, place) for each in premises]
    first, second = (names[person] for person in row.query)
    if derived and (first, row.label, second) not in derived:
        reason = f"proof_state does not conclude that {second} is {first}'s {row.label}."
        result.add(_finding(row, GOAL, reason))
    unsound = ""
    for conclusion, premises in derived.items():
        missing = [each for each in premises if each not in told and each not in derived]
        if missing:
            result.add(_finding(row, PREMISE, f"Neither told nor derived: {_say(missing[0])}."))
        if not _sound(conclusion, premises, row):
            because = " and ".join(map(_say, premises))
            unsound = unsound or f"That {_say(conclusion)} does not follow from {because}."
    if unsound:
        result.add(_finding(row, STEP, unsound))


def _triple(value: object, place: str) -> Triple:
    if not isinstance(value, tuple) or len(value) != 3 or not all(isinstance(v, str) for v in value):  # fmt: skip  # noqa: E501
        raise FabulaError(f"{place}: expected (name, relation, name), found {shown(value)}.")
    return value[0], _relation(value[1], place), value[2]


def _sound(conclusion: Triple, premises: Sequence[Triple], row: Row) -> bool:
    genders = dict(row.people)
    numbers: dict[str, int] = {}
    for first, _, second in (*premises, conclusion):
        for name in (first, second):
            numbers.setdefault(name, len(numbers))
    if not all(name in genders for name in numbers):
        return False
    facts = tuple((word, numbers[a], numbers[b]) for a, word, b in premises)
    query = (numbers[conclusion[0]], numbers[conclusion[2]])
    return _follows(facts, tuple(genders[name] for name in numbers), query, conclusion[1])


def _say(triple: Triple) -> str:
    return f"{triple[2]} is {triple[0]}'s {triple[1]}"


# --- text -------------------------------------------------------------------------------------

_NAME = r"\[([^\]]+)\]"
_KIN = "|".join(sorted((*BASIC, *SPELLINGS), key=len, reverse=True))
PATTERNS = (
    (re.compile(rf"{_NAME} is (?:a|an|the) ({_KIN}) of {_NAME}\."), (2, 1, 0)),
    (re.compile(rf"{_NAME} is {_NAME}'s ({_KIN})\."), (1, 2, 0)),
    (re.compile(rf"{_NAME} has (?:a|an) ({_KIN}) (?:named|called|who is) {_NAME}\."), (0, 1, 2)),
    (re.compile(rf"The ({_KIN}) of {_NAME} is {_NAME}\."), (1, 0, 2)),
)
"""The generator's own sentence patterns, and where first person, relation, second person stand."""
UNDIRECTED = re.compile(r"how are .* related|family connection between", re.IGNORECASE)


def sentences(text: str) -> list[str]:
    """The sentences of a story, in order."""
    return [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]


def parse(sentence: str) -> Triple:
    """The people and the relation in a sentence of the generator; ParseError if it is none."""
    for pattern, (first, word, second) in PATTERNS:
        found = pattern.fullmatch(sentence)
        if found:
            part = found.groups()
            return part[first], SPELLINGS.get(part[word], part[word]), part[second]
    raise ParseError(f"not one of the generator's sentences: {shown(sentence)}")


def _check_text(row: Row, result: Result, facts: Facts) -> None:
    """Compare synthetic sentences with the edges."""
    try:
        told = {parse(sentence) for sentence in sentences(row.fields["story"])}
    except ParseError:
        result.figures["crowd_text"] += 1
        return
    names = [name for name, _ in row.people]
    edges = {(names[a], word, names[b]) for word, a, b in facts}
    if len(row.words) < len(row.edges):  # the relations of the noise are only in the text
        pairs = {frozenset((names[a], names[b])) for a, b in row.edges[len(row.words) :]}
        told = {fact for fact in told if frozenset((fact[0], fact[2])) not in pairs}
    if told != edges:
        extra, lost = sorted(told - edges), sorted(edges - told)
        parts = [f"the text says {_say(extra[0])}"] if extra else []
        parts += [f"the text does not say that {_say(lost[0])}"] if lost else []
        reason = "; ".join(parts)
        result.add(_finding(row, TEXT, f"{reason[0].upper()}{reason[1:]}.", facts))


def _check_question(row: Row, result: Result) -> None:
    asked = row.fields.get("text_query", "")
    if UNDIRECTED.search(asked):
        result.add(_finding(row, DIRECTION, f"{shown(asked.strip())} fixes no direction."))


# --- the corrected edition --------------------------------------------------------------------


def corrected(table: Table, changes: Sequence[Change]) -> str:
    """The table with entailed labels, without the rows for which no label can be proven.

    A row that changes, or whose proof has a step that does not follow, gets a proof of which every
    step follows, or none if no chain of two-fact steps leads to the label. Where the label is a
    class id of the hub, the id of the new word is written, or -1 if the hub has none for it.
    """
    by_place = {change.place: change for change in changes if change.action != "proof"}
    unproven = {change.place for change in changes if change.action == "proof"}
    out = StringIO()
    lines = csv.DictWriter(out, table.columns, lineterminator="\n")
    lines.writeheader()
    for row in table.rows:
        change = by_place.get(row.place)
        if change is None and row.place not in unproven:
            lines.writerow(row.fields)
        elif change is None or change.action == "label":
            lines.writerow({**row.fields, **_rewritten(table, row, change)})
    return out.getvalue()


def _rewritten(table: Table, row: Row, change: Change | None) -> dict[str, str]:
    """The columns of a row that its correction changes."""
    label = change.after if change else row.label
    said = {"proof_state": repr(proof(row, label))}
    if change is None:
        return said
    said[table.layout] = label
    if table.layout != "target":
        said["target"] = str(HUB.get(label, -1))
    if row.fields.get("text_target"):
        first, second = (row.people[person][0] for person in row.query)
        said["text_target"] = repr([f"[{second}] is [{first}]'s {label}. "])
    return said


def proof(row: Row, label: str) -> list[dict[Triple, list[Triple]]]:
    """A derivation of the label by steps from two facts, outermost first; empty if there is none.

    Each step is entailed by its premises in every family.
    """
    chain = row.edges[: row.k]
    path = [chain[0][0], *(second for _, second in chain)]
    joined = all(one[1] == two[0] for one, two in pairwise(chain))
    if not joined or len(row.words) < row.k or (path[0], path[-1]) != row.query:
        return []
    genders = [gender for _, gender in row.people]
    word = {(at, at + 1): row.words[at] for at in range(row.k)}
    cut: dict[tuple[int, int], int] = {}
    for length in range(2, row.k + 1):
        for start in range(row.k - length + 1):
            end = start + length
            for middle in range(start + 1, end):
                parts = word.get((start, middle)), word.get((middle, end))
                if None in parts or path[start] == path[end]:
                    continue
                people = tuple(genders[path[at]] for at in (start, middle, end))
                found = _composed(str(parts[0]), str(parts[1]), people)
                if found and ((start, end) == (0, row.k)) <= (found == label):
                    word[start, end], cut[start, end] = found, middle
                    break
    if (0, row.k) not in cut:
        return []
    steps: list[dict[Triple, list[Triple]]] = []
    todo = [(0, row.k)]
    names = [row.people[person][0] for person in path]
    for start, end in todo:  # grows during iteration
        if (start, end) in cut:
            halves = [(start, cut[start, end]), (cut[start, end], end)]
            premises = [(names[a], word[a, b], names[b]) for a, b in halves]
            steps.append({(names[start], word[start, end], names[end]): premises})
            todo += halves
    return steps


@lru_cache(maxsize=1 << 14)
def _composed(one: str, two: str, genders: tuple[str, ...]) -> str:
    """The word that two relations in a row entail, or ''."""
    words = judge(((one, 0, 1), (two, 1, 2)), genders, (0, 2)).words
    return next(iter(words)) if len(words) == 1 else ""


HUB = {
    word: number
    for number, word in enumerate(
        (
            "aunt", "son-in-law", "grandfather", "brother", "sister", "father", "mother",
            "grandmother", "uncle", "daughter-in-law", "grandson", "granddaughter",
            "father-in-law", "mother-in-law", "nephew", "son", "daughter", "niece", "husband",
            "wife", "sister-in-law",
        )
    )
}  # fmt: skip
"""The class ids of the hub's copy."""


# --- files ------------------------------------------------------------------------------------


def tables(paths: Iterable[Path]) -> Iterator[Table]:
    """The tables at these paths; a folder stands for the CSV files in it."""
    for path in paths:
        if not path.exists():
            raise FabulaError(f"{path}: no such file or folder.")
        files = sorted(path.rglob("*.csv")) if path.is_dir() else [path]
        if not files:
            raise FabulaError(f"{path}: no .csv file in this folder.")
        for file in files:
            yield read(file)


def audit_tables(
    found_tables: Sequence[Table],
    keep: int = 20,
    progress: Callable[[int], None] = lambda count: None,
) -> list[Result]:
    """The audit of each table, in order; patterns held out from training are checked across."""
    found = []
    trained = {
        row.fields["f_comb"]
        for table in found_tables
        for row in table.rows
        if row.k > 2 and _is_training(table, row)
    }
    for table in found_tables:
        result = Result(str(table.path), keep=keep)
        result.figures = {"every": 0, "some": 0, "none": 0, "by_marriage": 0, "crowd_text": 0}
        for row in table.rows:
            _judge_row(table, row, result, trained)
            progress(1)
        _note(table, result)
        found.append(result)
    return found


def _judge_row(table: Table, row: Row, result: Result, trained: set[str]) -> None:
    before, mended = _errors(result), _label_errors(result)
    bad = result.counts[STEP.name] + result.counts[PREMISE.name] + result.counts[GOAL.name]
    entailed = audit_row(row, result)
    if row.k > 2 and not _is_training(table, row) and row.fields["f_comb"] in trained:
        reason = f"Training rows have the pattern {row.fields['f_comb']} too."
        result.add(_finding(row, LEAK, reason))
    result.items += 1
    found = _errors(result) - before
    result.sound += not found
    if found > _label_errors(result) - mended:  # names, text or facts that no label can mend
        reason = "no label can mend what the story says"
        result.changes.append(Change(row.place, "removed", row.label, "", reason))
        return
    if entailed == row.label:
        if result.counts[STEP.name] + result.counts[PREMISE.name] + result.counts[GOAL.name] > bad:
            change = Change(row.place, "proof", row.fields["proof_state"], repr(proof(row, entailed)), "a step does not follow")  # fmt: skip  # noqa: E501
            result.changes.append(change)
        return
    if entailed:
        change = Change(row.place, "label", row.label, entailed, "the only word that is entailed")
    else:
        change = Change(row.place, "removed", row.label, "", "no single word is entailed")
    result.changes.append(change)


def _errors(result: Result) -> int:
    kinds = result.kinds
    return sum(n for name, n in result.counts.items() if kinds[name].severity is Severity.ERROR)


def _label_errors(result: Result) -> int:
    return result.counts[SOME.name] + result.counts[NONE.name]


def _is_training(table: Table, row: Row) -> bool:
    return row.fields.get("task_split", "").strip() == "train" or (
        "task_split" not in row.fields and "train" in table.path.stem
    )


def _note(table: Table, result: Result) -> None:
    if result.figures["crowd_text"]:
        result.notes.append(
            f"{result.figures['crowd_text']:,} stories are not written in the generator's own "
            "sentences: their text is left alone, and only their edges are judged."
        )
    if any(len(row.words) < len(row.edges) for row in table.rows):
        result.notes.append("edge_types has the relations of the chain only: noise is not judged.")
