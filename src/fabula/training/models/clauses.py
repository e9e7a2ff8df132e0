"""Sentences as clauses: pronouns resolved, the verb, and its arguments.

The output of a parser and a coreference tool, by rules that are exact for the short sentences of
the benchmarks: an argument is a name, or the word after a determiner; the verb is everything
between the subject and the next argument; a pronoun refers to the latest subject that agrees in
number. The tables are English, like the tools of the original. In another language, names are still
found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabula.training.data import WORD

DETERMINERS = frozenset(("the", "a", "an", "this", "that", "these", "those", "some", "any"))
SINGULAR = frozenset(("he", "she", "it", "him", "her"))
PLURAL = frozenset(("they", "them"))
PRONOUNS = SINGULAR | PLURAL
AND = "and"
HOLE = "_"  # marks an argument in the words of a question


class Argument(NamedTuple):
    """One argument of a verb."""

    role: int
    """0 for a subject, then counted."""
    name: str


class Clause(NamedTuple):
    """One sentence or question, lower-cased."""

    words: tuple[str, ...]
    """Without determiners."""
    verb: str
    arguments: tuple[Argument, ...]


EMPTY = Clause(("",), "", ())
"""The encoding of a missing fact."""


def clauses(told: Sequence[str], asked: str) -> list[Clause]:
    """The sentences in order, and the question as the last."""
    sentences = [WORD.findall(text) for text in told]
    question = WORD.findall(asked)
    names = {
        word.lower()
        for tokens, first in (*((tokens, _begins_with_name(tokens)) for tokens in sentences),
                              (question, False))
        for at, word in enumerate(tokens)
        if word[0].isupper() and (at > 0 or first)
    } - DETERMINERS - PRONOUNS  # fmt: skip
    one: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    found = []
    for tokens in sentences:
        pieces = _pieces(tokens, names, one, several)
        subjects, clause = _statement(pieces)
        if len(subjects) == 1:
            one = subjects
        elif subjects:
            several = subjects
        found.append(clause)
    return [*found, _question(_pieces(question, names, one, several))]


class _Piece(NamedTuple):
    word: str
    is_argument: bool


def _begins_with_name(tokens: Sequence[str]) -> bool:
    """Every sentence begins with a capital; only a subject that is a name has no name before it."""
    if len(tokens) < 2:
        return False
    after = tokens[1]
    return not after[0].isupper() and after not in DETERMINERS | PRONOUNS


def _pieces(
    tokens: Sequence[str], names: set[str], one: tuple[str, ...], several: tuple[str, ...]
) -> list[_Piece]:
    """The words of a sentence, with pronouns replaced by their referents."""
    pieces = []
    for at, token in enumerate(tokens):
        word = token.lower()
        determined = at > 0 and tokens[at - 1].lower() in DETERMINERS
        if word in PRONOUNS:
            meant = (one if word in SINGULAR else several) or (word,)
            pieces += [_Piece(name, True) for name in meant]
        elif word not in DETERMINERS:
            pieces.append(_Piece(word, determined or word in names))
    return pieces


def _statement(pieces: Sequence[_Piece]) -> tuple[tuple[str, ...], Clause]:
    """(its subjects, the clause)."""
    subjects: list[str] = []
    verb: list[str] = []
    others: list[str] = []
    for word, is_argument in pieces:
        if is_argument:
            (others if verb else subjects).append(word)
        elif subjects and not others and word != AND:
            verb.append(word)
    arguments = [Argument(0, name) for name in subjects]
    arguments += [Argument(role, name) for role, name in enumerate(others, start=1)]
    words = tuple(piece.word for piece in pieces)
    return tuple(subjects), Clause(words, " ".join(verb or words), tuple(arguments))


def _question(pieces: Sequence[_Piece]) -> Clause:
    """The clause of a question: its verb is everything that is not an argument, since words are on
    both sides of the subject.
    """
    names = [piece.word for piece in pieces if piece.is_argument]
    verb = " ".join(HOLE if piece.is_argument else piece.word for piece in pieces)
    arguments = tuple(Argument(role, name) for role, name in enumerate(names))
    return Clause(tuple(piece.word for piece in pieces), verb, arguments)
