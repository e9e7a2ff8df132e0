"""The outcome of a reply, and of the sentences it cites."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """The outcome of a reply."""

    CORRECT = "correct"
    WRONG = "wrong"
    UNPARSED = "unparsed"
    """No word of the recipe's vocabulary is given as the answer."""
    REFUSAL = "refusal"
    """The reply says that it cannot tell."""
    TRUNCATED = "truncated"
    """It was cut off before an answer was marked."""


class Verdict(StrEnum):
    """How a cited set of sentences is judged."""

    MINIMAL = "minimal"
    IDLE = "idle"
    STALE = "stale"
    INSUFFICIENT = "insufficient"
    MISSING = "missing"

    @property
    def sufficient(self) -> bool:
        """Whether the answer follows from the set."""
        return self in (Verdict.MINIMAL, Verdict.IDLE)


class Reason(StrEnum):
    """Answer and evidence together."""

    RIGHT = "right for the right reason"
    LUCKY = "right for the wrong reason"
    SLIP = "wrong with the right evidence"
    WRONG = "wrong"

    @classmethod
    def of(cls, outcome: Outcome, verdict: Verdict) -> Reason:
        """The cell of the 2×2 table."""
        if outcome is Outcome.CORRECT:
            return cls.RIGHT if verdict.sufficient else cls.LUCKY
        return cls.SLIP if verdict.sufficient else cls.WRONG


class Evidence(NamedTuple):
    """The sentences that a reply cites, and how they are judged."""

    cited: tuple[int, ...]
    """Sentence numbers, ascending, each once."""
    verdict: Verdict
    precision: float
    """The share of the cited sentences that belong to one proof: the one they match best."""
    recall: float
    """The share of the sentences of that proof that are cited."""

    @property
    def score(self) -> float:
        """From 0 to 1: 1 for a support, less with idle sentences, 0 if it does not suffice."""
        return self.precision if self.verdict.sufficient else 0.0


class Score(NamedTuple):
    """The score of a reply."""

    outcome: Outcome
    answer: tuple[str, ...] = ()
    """The parsed answer, in the words of the answer set; several if it is ambiguous."""

    @property
    def correct(self) -> bool:
        """Whether the answer is right."""
        return self.outcome is Outcome.CORRECT

    @property
    def evidence(self) -> Evidence | None:
        """The cited sentences and how they are judged; None if that was not asked for."""
        return None

    @property
    def reason(self) -> Reason | None:
        """Answer and evidence together: right for the right reason, and so on."""
        return None


class CitedScore(Score):
    """How a reply was scored that cites sentences."""

    _evidence: Evidence | None

    @classmethod
    def of(cls, score: Score, evidence: Evidence | None) -> CitedScore:
        """A score with its evidence; None if the answer has no proof to judge it by."""
        made = cls(*score)
        made._evidence = evidence
        return made

    @property
    def evidence(self) -> Evidence | None:
        """The cited sentences and how they are judged; None if the answer has no proof."""
        return self._evidence

    @property
    def reason(self) -> Reason | None:
        """Answer and evidence together: right for the right reason, and so on."""
        return None if self._evidence is None else Reason.of(self.outcome, self._evidence.verdict)
