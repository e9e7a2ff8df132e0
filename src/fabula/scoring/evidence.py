"""Judges the sentences that a reply cites: does the answer follow from them?

The reader decides, from the text: a cited set is not compared with one recorded support, so a proof
that nobody recorded counts fully.

    minimal       the answer follows from them, and each is needed: a support
    idle          the answer follows from them, but without some of them too
    stale         they say the answer, but it does not last through what else happens
    insufficient  the answer does not follow from them
    missing       the reply cites nothing

Promises:
1. Every minimal support is judged minimal, whether the record lists it or not.
2. Any set is judged as the logic program of its world judges it (a property test says so).
3. Sentences that state a convention are neither needed nor idle: citing them changes nothing.
4. The right answer of the record is what must follow, also where the reply gives another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from fabula.core.instance import Instance
from fabula.core.supports import mask_of, numbers_of
from fabula.errors import FabulaError, ParseError, hint
from fabula.language.catalogue import native, tongue_of
from fabula.scoring.outcome import Evidence, Reason, Verdict
from fabula.world import WORLDS
from fabula.world.base import (
    Concluding,
    Finding,
    Lasting,
    Query,
    Reading,
    World,
    same_answer,
)

__all__ = ["Citation", "Evidence", "Judge", "Reason", "Verdict", "citation", "judge", "reward"]

CONVENTION = "convention"
"""The role of a sentence that states a convention."""


# --- reading a reply ------------------------------------------------------------------------------

_NAMES = "evidence|pramaa?n|प्रमाण"
_MORE = r"support(?:ing)?(?: sentences?)?|sentences?(?: numbers?)?|proof|citations?|cited"
_LABEL = re.compile(
    rf"(?:(?<!\w)(?:{_NAMES})|(?:(?<=\n)|^)[ \t>*_#-]*(?:{_MORE}))[*_`]*\s*[:=：][*_`]*",
    re.IGNORECASE,
)
_KEY = re.compile(
    r""",?\s*["'](?:evidence|supports?|sentences|citations?|proof)["']\s*:\s*"""
    r"""(\[[^\]]*\]|"[^"]*"|'[^']*'|\d+|null)""",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\n]*")
_ITEMS = re.compile(r"[^\n]*(?:\n[ \t]*(?:[-*•]|\(?\d)[^\n]*)*")
_NUMBER = re.compile(r"(?<![\d:.])(\d{1,6})(?:[ \t]*(?:-|–|—|to|through)[ \t]*(\d{1,6}))?(?![\d:])")


class Citation(NamedTuple):
    """The sentences a reply cites, and the rest of the reply."""

    numbers: tuple[int, ...] | None
    """Sentence numbers, ascending; None if the reply has no evidence."""
    rest: str
    """The reply without its evidence, to look for the answer in."""


def citation(reply: str, sentences: int = 1_000) -> Citation:
    """The sentences that a reply cites; `sentences` is the length of the story.

    >>> citation("Answer: garden\\nEvidence: 2, 4-6").numbers
    (2, 4, 5, 6)
    >>> citation('{"answer": "garden", "evidence": [2, 4]}')
    Citation(numbers=(2, 4), rest='{"answer": "garden"}')
    """
    keys = list(_KEY.finditer(reply))
    if keys:
        last = keys[-1]
        return Citation(_numbers(last[1], sentences), reply[: last.start()] + reply[last.end() :])
    labels = list(_LABEL.finditer(reply))
    if not labels:
        return Citation(None, reply)
    last = labels[-1]
    line = _LINE.match(reply, last.end())
    assert line is not None
    said = line if line[0].strip(" *_`") else _ITEMS.match(reply, last.end())
    assert said is not None
    return Citation(_numbers(said[0], sentences), reply[: last.start()] + reply[said.end() :])


def _numbers(text: str, sentences: int) -> tuple[int, ...]:
    found = set()
    for match in _NUMBER.finditer(text):
        low, high = int(match[1]), int(match[2] or match[1])
        # a number beyond the story is kept, as one: it is cited and not there
        found |= set(range(low, min(high, sentences) + 1)) | {min(high, sentences + 1), low}
    return tuple(sorted(found))


# --- judging --------------------------------------------------------------------------------------


class Judge:
    """Judges sets of sentences of one instance; made once for all replies to it."""

    def __init__(self, instance: Instance) -> None:
        """FabulaError if the answer of the record does not follow from its story."""
        self.instance = instance
        self._reading, self._query, answer = _read(instance)
        found = _concluded(self._reading, self._query)
        if found is None or not same_answer(self._query, found.answer, answer):
            raise FabulaError(f"{instance.id}: its answer does not follow from the story.")
        self._finding = found
        stated = [n for n, role in enumerate(instance.roles, 1) if role == CONVENTION]
        self._stated = mask_of(stated)
        self._story = mask_of(range(1, len(instance.story) + 1))

    def verdict(self, cited: Iterable[int]) -> Verdict:
        """How a set of sentence numbers is judged; numbers beyond the story are idle."""
        numbers = set(cited)
        mask = mask_of(number for number in numbers if number > 0) & self._story
        beyond = mask.bit_count() < len(numbers)
        mask &= ~self._stated
        verdict = self._judged(mask)
        return Verdict.IDLE if verdict is Verdict.MINIMAL and beyond else verdict

    def evidence(self, cited: Iterable[int] | None) -> Evidence:
        """A cited set with its verdict, precision and recall; None: the reply cites nothing."""
        if cited is None:
            return Evidence((), Verdict.MISSING, 0.0, 0.0)
        numbers = tuple(sorted(set(cited)))
        verdict = self.verdict(numbers)
        return Evidence(numbers, verdict, *self._shares(numbers, verdict))

    def _judged(self, mask: int) -> Verdict:
        query, conclusion = self._query, self._finding.conclusion
        if not self._follows(mask):
            return Verdict.INSUFFICIENT
        if isinstance(self._reading, Lasting) and self._reading.stale(query, conclusion, mask):
            return Verdict.STALE
        needed = not any(self._suffices(mask & ~(1 << number)) for number in numbers_of(mask))
        return Verdict.MINIMAL if needed else Verdict.IDLE

    def _follows(self, mask: int) -> bool:
        """Whether these sentences alone give the conclusion of the story."""
        query = self._query
        if isinstance(self._reading, Lasting):
            return self._reading.follows(query, self._finding.conclusion, mask)
        alone = self._reading.alone(query, mask)
        return alone is not None and same_answer(query, alone, self._finding.answer)

    def _suffices(self, mask: int) -> bool:
        """Whether they give it, also in view of what else happens."""
        reading, conclusion = self._reading, self._finding.conclusion
        return self._follows(mask) and not (
            isinstance(reading, Lasting) and reading.stale(self._query, conclusion, mask)
        )

    def _shares(self, cited: tuple[int, ...], verdict: Verdict) -> tuple[float, float]:
        """Precision and recall against the proof that the cited set matches best."""
        stated = set(numbers_of(self._stated))
        counted = set(cited) - stated
        if verdict.sufficient:
            mask = mask_of(n for n in counted if 0 < n <= len(self.instance.story))
            needed = len(numbers_of(self._core(mask)))
            return (needed / len(counted) if counted else 1.0), 1.0
        best = (0.0, 0.0, 0.0)
        for support in self.instance.supports:
            both = len(counted & set(support))
            precision = both / len(counted) if counted else 0.0
            recall = both / len(support) if support else 0.0
            best = max(best, (precision + recall, precision, recall))
        return best[1], best[2]

    def _core(self, mask: int) -> int:
        """A support within a sufficient set: sentences are left out as long as it suffices."""
        for number in numbers_of(mask):
            rest = mask & ~(1 << number)
            if self._suffices(rest):
                mask = rest
        return mask


def judge(instance: Instance, cited: Iterable[int] | None) -> Evidence | None:
    """How the sentences cited for an instance are judged; None if its answer has no proof.

    >>> import fabula
    >>> instance = fabula.instance("babi/qa2", "test", 3)
    >>> judge(instance, instance.support).verdict.value
    'minimal'
    >>> judge(instance, instance.support[:1]).verdict.value
    'insufficient'
    """
    if not instance.supports or "defect" in instance.features:
        return None
    try:
        return Judge(instance).evidence(cited)
    except (FabulaError, LookupError, ValueError):  # a record of another version, or altered
        return None


def reward(instance: Instance, reply: str, weight: float = 0.5, truncated: bool = False) -> float:
    """A reward from 0 to 1 for reinforcement learning with the prompt style 'cite'.

    A right answer earns 1 - `weight`, the cited sentences `weight` times their score (see
    `Evidence.score`): all of it for a support, less with idle sentences, nothing if the answer does
    not follow from them. Citing the whole story does not pay.

    >>> import fabula
    >>> instance = fabula.instance("babi/qa2", "test", 3)
    >>> cited = ", ".join(map(str, instance.support))
    >>> reward(instance, f"Answer: {instance.answer[0]}\\nEvidence: {cited}")
    1.0
    >>> reward(instance, f"Answer: {instance.answer[0]}")
    0.5
    """
    from fabula.scoring import score

    if not 0 <= weight <= 1:
        raise FabulaError(f"weight {weight}: the share of the evidence must be from 0 to 1.")
    found = score(instance, reply, truncated, evidence=True)
    if found.evidence is None:  # nothing to judge it by
        return float(found.correct)
    return (1 - weight) * found.correct + weight * found.evidence.score


def _read(instance: Instance) -> tuple[Reading, Query, tuple[str, ...]]:
    """The story as the reader understands it, with query and answer in the words of the world."""
    name = str(instance.provenance.get("world", ""))
    if name not in WORLDS:
        raise ParseError(f"{instance.id}: unknown world '{name}'.{hint(name, WORLDS)}")
    world: World = WORLDS[name]
    tongue = tongue_of(name, instance.provenance)
    story = tongue.hear(instance.story) if tongue else instance.story
    answer = tongue.hear_words(instance.answer) if tongue else instance.answer
    code = native(str(instance.provenance.get("language", "en")), name)
    reading = world.read(world.idiom(code, instance.features), story)
    return reading, instance.query, tuple(answer)


def _concluded(reading: Reading, query: Query) -> Finding | None:
    return reading.concluded(query) if isinstance(reading, Concluding) else reading.find(query)
