"""Audits tasks of the reasoning-gym package: are the answers of its generators right?

The package's own generator is run, its questions are read from their text, and each answer is
decided by another route:

family_relationships  families that fit the text (world/kinship/families.py); genders come from the
                      package's lists of names
syllogism             all ways in which the regions of three overlapping sets can be empty or not
knights_knaves        all assignments of truth-tellers and liars

Promises:
1. Labels are only compared with what follows from the text. A question that cannot be read is an
   error, never skipped.
2. A syllogism's answer counts as wrong only if it is wrong under both readings of existence (sets
   may be empty; no set is empty); answers that depend on the reading are counted apart.
3. The task's own scorer is tried on the same items (see scorer.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from fabula.analysis.audits.findings import Finding, Kind, Result, Severity
from fabula.analysis.audits.replies import Item
from fabula.analysis.audits.scorer import audit_accepts
from fabula.analysis.audits.trees import draw
from fabula.errors import MissingExtraError, ParseError, UsageError, hint
from fabula.world.base import Fact
from fabula.world.kinship.claims import WORDS
from fabula.world.kinship.families import Families

WRONG = Kind("wrong-answer", Severity.ERROR, "The answer does not follow from the question's text.")
READING = Kind("depends-on-existence", Severity.WARNING, "The answer is right only if no set is empty, or only if sets may be empty; the question does not say which.")  # fmt: skip  # noqa: E501
SHARED = Kind("shared-by-seeds", Severity.WARNING, "The next seed generates the same item again.")
SEVERAL = Kind("several-solutions", Severity.ERROR, "More than one assignment fits, or none does.")


class Verdict(NamedTuple):
    """The answers that follow from the text of a question."""

    right: bool
    answers: tuple[str, ...]
    """The right answers; several if it depends on how the question is read."""
    reason: str = ""
    drawing: str = ""
    depends: bool = False
    """Whether the answer depends on a reading that the question leaves open."""
    choices: tuple[str, ...] = ()


Decide = Callable[[Mapping[str, Any], Any], Verdict]

# --- family_relationships -----------------------------------------------------------------------

MARRIED = re.compile(r"(\w+) is married to (\w+)\.")
CHILDREN = re.compile(r"They have (?:a child|children) called ([^.]+)\.")
ASKED = re.compile(r"(?:What is|How is|What relation is) (\w+) (?:related )?to (\w+)\?")
KIN_CHOICES = tuple(WORDS)


def decide_family(entry: Mapping[str, Any], config: Any) -> Verdict:
    """Decide a question of family_relationships."""
    story, _, question = entry["question"].partition("\n\n")
    asked = ASKED.match(question)
    if asked is None:
        raise ParseError(f"the question is not understood: {question!r}")
    first, second = asked.groups()
    sexes = dict.fromkeys(config.male_names, "male")
    sexes |= {name: "female" for name in config.female_names if name not in sexes}
    facts: list[list[Fact]] = []
    couple: tuple[str, str] | None = None
    for sentence in re.findall(r"[^.]+\.", story):
        said = sentence.strip()
        if found := MARRIED.fullmatch(said):
            couple = (found[1], found[2])
            word = "wife" if sexes[found[2]] == "female" else "husband"
            facts.append([(word, found[1], found[2])])
        elif (found := CHILDREN.fullmatch(said)) and couple:
            for child in re.split(r", | and ", found[1]):
                word = "daughter" if sexes[child] == "female" else "son"
                facts += [[(word, parent, child)] for parent in couple]
        else:
            raise ParseError(f"not understood: {said!r}")
    people = {name for each in facts for fact in each for name in fact[1:]}
    facts += [[(sexes[name], name)] for name in sorted(people)]
    outcomes = Families(facts, ("kin", second, first), KIN_CHOICES).outcomes()
    answers = tuple(sorted(word for word in outcomes if word))
    right = tuple(outcomes) == (entry["answer"].strip().lower(),)
    reason = f"{first} is {second}'s {' or '.join(answers) or 'relative without a word of its own'}"
    drawing = "" if right or not outcomes else draw(*next(iter(outcomes.values())))
    return Verdict(right, answers, f"{reason}.", drawing, choices=KIN_CHOICES)


# --- syllogism ----------------------------------------------------------------------------------

STATEMENT = re.compile(r"(All|No|Some) (.+?) are (not )?(.+)")


def _statement(text: str) -> tuple[str, str, str]:
    found = STATEMENT.fullmatch(text.strip().rstrip("?."))
    if found is None or (found[3] and found[1] != "Some"):
        raise ParseError(f"not understood: {text!r}")
    return ("Some not" if found[3] else found[1]), found[2], found[4]


@lru_cache(maxsize=4096)
def _valid(
    premises: tuple[tuple[str, int, int], ...], conclusion: tuple[str, int, int], inhabited: bool
) -> bool:
    """Whether a conclusion holds in every model of three sets; `inhabited`: none of them empty."""
    for filled in product((False, True), repeat=7):
        regions = [region for region, full in zip(range(1, 8), filled, strict=True) if full]
        if inhabited and not all(any(r >> term & 1 for r in regions) for term in range(3)):
            continue
        if all(_holds(p, regions) for p in premises) and not _holds(conclusion, regions):
            return False
    return True


def _holds(statement: tuple[str, int, int], regions: list[int]) -> bool:
    kind, subject, predicate = statement
    inside = [bool(r >> predicate & 1) for r in regions if r >> subject & 1]
    return {"All": all(inside), "No": not any(inside), "Some": any(inside)}.get(
        kind, not all(inside)
    )


def decide_syllogism(entry: Mapping[str, Any], config: Any) -> Verdict:
    """Decide a question of syllogism."""
    found = re.search(r"1\. (.+)\n2\. (.+)\n\n.*?:\n(.+)\?", entry["question"])
    if found is None:
        raise ParseError(f"not understood: {entry['question']!r}")
    said = [_statement(text) for text in found.groups()]
    terms: dict[str, int] = {}
    coded = [(kind, *(terms.setdefault(t, len(terms)) for t in pair)) for kind, *pair in said]
    if len(terms) > 3:
        raise ParseError(f"more than three terms: {entry['question']!r}")
    *premises, conclusion = coded
    readings = {
        inhabited: "yes" if _valid(tuple(premises), conclusion, inhabited) else "no"
        for inhabited in (False, True)
    }
    answers = tuple(dict.fromkeys(readings.values()))
    label = entry["answer"].strip().lower()
    strict = "it follows" if readings[False] == "yes" else "it does not follow"
    reason = f"Sets may be empty: {strict}"
    reason += "." if len(answers) == 1 else "; if no set is empty, it is the other way round."
    return Verdict(
        label == readings[False], answers, reason, depends=len(answers) > 1, choices=("yes", "no")
    )


# --- knights_knaves -----------------------------------------------------------------------------

MEET = re.compile(
    r"You meet \d+ inhabitants: ([^.]+)\.(.*) So who is an? (\w+) and who is an? (\w+)\?", re.S
)
TOKENS = re.compile(
    r"\(|\)|if and only if|it is not the case that|\bif\b|\bthen\b|\band\b|\bor\b"
    r"|[A-Z]\w* is an? \w+",
    re.I,
)


def decide_knights(entry: Mapping[str, Any], config: Any) -> Verdict:
    """Decide a question of knights_knaves."""
    found = MEET.search(entry["question"])
    if found is None:
        raise ParseError(f"not understood: {entry['question']!r}")
    names = [name for name in re.split(r", and |, | and ", found[1]) if name]
    truthful = found[3]
    said = _statements(found[2], names)
    fits = []
    for values in product((True, False), repeat=len(names)):
        world = dict(zip(names, values, strict=True))
        if all(_Formula(text, truthful).value(world) == world[name] for name, text in said):
            fits.append(world)
    roles = {True: found[3], False: found[4]}
    answers = tuple(
        ", ".join(
            f"{name} is {'an' if roles[v][0] in 'aeiou' else 'a'} {roles[v]}"
            for name, v in world.items()
        )
        for world in fits
    )
    claimed = dict(re.findall(r"(\w+) is an? (\w+)", entry["answer"]))
    right = len(fits) == 1 and claimed == {name: roles[v] for name, v in fits[0].items()}
    return Verdict(right, answers, f"{len(fits)} assignments fit: {'; '.join(answers)}.")


def _statements(text: str, names: list[str]) -> list[tuple[str, str]]:
    """Speaker and content of each statement."""
    found: list[tuple[str, str]] = []
    alternatives = "|".join(map(re.escape, names))
    quoted = rf'(?:According to |In |As |In a statement by )?({alternatives})[^".]*?"([^"]+)"\.?'
    pattern = re.compile(
        rf'"([^"]+)"\s*-?\s*({alternatives})[^".]*\.'
        rf"|{quoted}"
        rf"|({alternatives}) (?:said|told you|expressed) that ([^\"]+?)\.(?= |$)"
    )
    for match in pattern.finditer(text):
        groups = match.groups()
        if groups[0]:
            found.append((groups[1], groups[0]))
        elif groups[2]:
            found.append((groups[2], groups[3]))
        else:
            found.append((groups[4], groups[5]))
    if sorted(name for name, _ in found) != sorted(names):
        raise ParseError(f"not every statement is understood: {text!r}")
    return found


class _Formula:
    """A statement, parsed as it is evaluated."""

    def __init__(self, text: str, truthful: str) -> None:
        self._tokens = TOKENS.findall(text)
        left = TOKENS.sub("", text).strip(" ,.")
        if left or not self._tokens:
            raise ParseError(f"not understood: {text!r}")
        self._truthful = truthful

    def value(self, world: Mapping[str, bool]) -> bool:
        self._at = 0
        found = self._whole(world)
        if self._at != len(self._tokens):
            raise ParseError(f"not understood: {self._tokens!r}")
        return found

    def _next(self) -> str:
        return self._tokens[self._at].lower() if self._at < len(self._tokens) else ""

    def _whole(self, world: Mapping[str, bool]) -> bool:
        if self._next() == "if":
            self._at += 1
            given = self._part(world)
            if self._next() != "then":
                raise ParseError(f"'then' is missing: {self._tokens!r}")
            self._at += 1
            then = self._part(world)
            return not given or then
        found = self._part(world)
        joint = self._next()
        while self._next() in ("and", "or", "if and only if"):
            if self._next() != joint:
                raise ParseError(f"ambiguous without parentheses: {self._tokens!r}")
            self._at += 1
            other = self._part(world)
            found = {"and": found and other, "or": found or other}.get(joint, found == other)
        return found

    def _part(self, world: Mapping[str, bool]) -> bool:
        token = self._next()
        raw = self._tokens[self._at] if self._at < len(self._tokens) else ""
        self._at += 1
        if token == "(":
            found = self._whole(world)
            if self._next() != ")":
                raise ParseError(f"')' is missing: {self._tokens!r}")
            self._at += 1
            return found
        if token.startswith("it is not"):
            return not self._part(world)
        name, _, role = raw.partition(" is ")
        if name not in world:
            raise ParseError(f"not understood: {raw!r}")
        return world[name] == (role.split()[-1] == self._truthful)


# --- the audit ----------------------------------------------------------------------------------

TASKS: dict[str, Decide] = {
    "family_relationships": decide_family,
    "syllogism": decide_syllogism,
    "knights_knaves": decide_knights,
}
SCORED = 20
"""Number of items on which the task's own scorer is tried."""


def audit(
    name: str,
    size: int = 5000,
    seed: int = 42,
    keep: int = 20,
    progress: Callable[[int], None] = lambda count: None,
    **settings: Any,
) -> list[Result]:
    """The audit of a task's answers and of its scorer.

    `settings` are keys of the task's configuration, e.g. max_family_size=12.
    """
    if name not in TASKS:
        raise UsageError(f"reasoning-gym, {name}: no audit for this task.{hint(name, TASKS)}")
    data = _dataset(name, size, seed, settings)
    result = Result(f"reasoning-gym {name}, seed {seed}", keep=keep)
    strict = 0
    pairs: list[tuple[Item, Any]] = []
    for entry in _entries(data, size):
        verdict = TASKS[name](entry, data.config)
        label = entry["answer"].strip().lower()
        wrong = not verdict.right and not (verdict.depends and label in verdict.answers)
        strict += not verdict.right
        if wrong or verdict.depends:
            result.add(_finding(WRONG if wrong else READING, entry, verdict))
        elif len(pairs) < SCORED and verdict.choices:
            story, _, asked = entry["question"].rpartition("\n\n")
            choices = tuple(dict.fromkeys((entry["answer"], *_as_written(verdict.choices, entry))))
            pairs.append((Item(story, asked, entry["answer"], choices), entry))
        result.items += 1
        result.sound += not wrong
        progress(1)
    if name == "syllogism":
        result.figures["wrong_if_sets_may_be_empty"] = strict
    _compare_seeds(result, name, min(size, 500), seed, settings)
    found = [result]
    if pairs:
        found.append(
            audit_accepts(
                lambda item, entry, reply: data.score_answer(reply, entry) >= 0.5,
                pairs,
                f"reasoning-gym {name}: its scorer",
                keep,
            )
        )
    return found


def _dataset(name: str, size: int, seed: int, settings: Mapping[str, Any]) -> Any:
    try:
        import reasoning_gym
    except ImportError:
        raise MissingExtraError(
            "reasoning-gym is not installed: pip install 'reasoning-gym>=0.1.25'"
        ) from None
    try:
        return reasoning_gym.create_dataset(name, size=size, seed=seed, **settings)
    except (TypeError, AssertionError, ValueError) as error:
        raise UsageError(f"reasoning-gym, {name}: {error}.") from None


def _entries(data: Any, size: int) -> Iterator[Mapping[str, Any]]:
    for index in range(size):
        yield data[index]


def _compare_seeds(
    result: Result, name: str, size: int, seed: int, settings: Mapping[str, Any]
) -> None:
    one, two = (_dataset(name, size, each, settings) for each in (seed, seed + 1))
    first = {entry["question"] for entry in _entries(one, size)}
    shared = sum(entry["question"] in first for entry in _entries(two, size))
    result.figures["compared_with_next_seed"] = size
    result.figures["shared_with_next_seed"] = shared
    if shared:
        reason = f"{shared} of {size} items of seed {seed + 1} are items of seed {seed} too."
        result.add(Finding(SHARED, f"seeds {seed} and {seed + 1}", reason))
        result.counts[SHARED.name] = shared


def _as_written(choices: tuple[str, ...], entry: Mapping[str, Any]) -> list[str]:
    """The choices with a capital if the answer has one."""
    large = entry["answer"][:1].isupper()
    return [choice.capitalize() if large else choice for choice in choices]


def _finding(kind: Kind, entry: Mapping[str, Any], verdict: Verdict) -> Finding:
    story, _, asked = entry["question"].rpartition("\n\n")
    return Finding(
        kind,
        f"item {entry['metadata']['source_index']}",
        verdict.reason,
        tuple(story.split("\n")),
        asked,
        entry["answer"],
        verdict.answers[0] if len(verdict.answers) == 1 else "",
        drawing=verdict.drawing,
    )
