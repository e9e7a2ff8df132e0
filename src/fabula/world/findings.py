"""Findings and candidate questions: small objects, created many times for every question."""

from __future__ import annotations

Query = tuple[str, ...]
"""A kind of question and its arguments, e.g. ('where-was-object', 'apple', 'kitchen')."""


class Finding:
    """The reader's answer to a query, with its proofs."""

    __slots__ = ("answer", "conclusion", "masks")

    def __init__(self, answer: tuple[str, ...], masks: list[int], conclusion: object) -> None:
        self.answer = answer
        self.masks = masks
        """Every minimal support, best first, as bit masks (see core/supports.py)."""
        self.conclusion = conclusion
        """The statement a support must establish; for most questions the answer itself."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Finding)
            and self.answer == other.answer
            and self.masks == other.masks
            and self.conclusion == other.conclusion
        )

    def __hash__(self) -> int:
        return hash(self.answer)

    def __repr__(self) -> str:
        return f"Finding({self.answer!r}, {self.masks!r}, {self.conclusion!r})"


class Candidate:
    """A question that could be asked, with its answer; its proof is searched once it is drawn."""

    __slots__ = ("answer", "cited", "query")

    def __init__(self, query: Query, answer: tuple[str, ...], cited: tuple[int, ...] = ()) -> None:
        self.query = query
        self.answer = answer
        self.cited = cited
        """The support in the order of a published convention, if the recipe asks for one."""

    def _replace(
        self, query: Query | None = None, answer: tuple[str, ...] | None = None
    ) -> Candidate:
        """The same with another query or answer."""
        return Candidate(
            self.query if query is None else query,
            self.answer if answer is None else answer,
            self.cited,
        )

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Candidate)
            and self.query == other.query
            and self.answer == other.answer
            and self.cited == other.cited
        )

    def __hash__(self) -> int:
        return hash((self.query, self.answer))

    def __repr__(self) -> str:
        return f"Candidate({self.query!r}, {self.answer!r}, {self.cited!r})"
