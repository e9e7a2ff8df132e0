"""Every error a user can meet: one small tree, each message naming the place and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FabulaError(Exception):
    """Something the user can put right; the command line prints it without a traceback."""


class RecipeError(FabulaError):
    """A recipe that cannot be read or contradicts itself."""


class QuotaError(FabulaError):
    """A kind of instance that a recipe asks for and that its stories do not yield."""


class ParseError(FabulaError):
    """A sentence, question or file that cannot be understood."""


class OutputError(FabulaError):
    """Output that cannot be written where it was asked for."""


class MissingExtraError(FabulaError):
    """An optional dependency that is not installed."""


def hint(word: str, known: Iterable[str]) -> str:
    """A ready ' Did you mean ...?' for a misspelt word, or a list of what there is."""
    options = sorted(known)
    close = difflib.get_close_matches(word, options, n=1, cutoff=0.6)
    if close:
        return f" Did you mean '{close[0]}'?"
    if not options:
        return ""
    shown = ", ".join(options[:12]) + (", …" if len(options) > 12 else "")
    return f" Known: {shown}."
