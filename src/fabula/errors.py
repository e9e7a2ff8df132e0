"""Every error a user can meet: one small tree. Each message names the place and a fix."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class FabulaError(Exception):
    """Something the user can fix; the command line prints it without a traceback."""


class UsageError(FabulaError, ValueError):
    """An argument that makes no sense here."""


class RecipeError(FabulaError, ValueError):
    """A recipe that cannot be read or contradicts itself."""


class UnknownRecipeError(RecipeError, LookupError):
    """A recipe name that does not exist."""


class QuotaError(FabulaError):
    """A kind of instance that a recipe requires but its stories never yield."""


class ParseError(FabulaError, ValueError):
    """A sentence, question or file that cannot be parsed."""


class MissingFileError(FabulaError, FileNotFoundError):
    """A file or folder that does not exist."""


class OutputError(FabulaError):
    """Output that cannot be written to the given place."""


class MissingExtraError(FabulaError, ImportError):
    """An optional dependency that is not installed."""


def hint(word: str, known: Iterable[str]) -> str:
    """The suffix ' Did you mean …?' for a misspelt word, or a list of the known words."""
    options = sorted(known)
    close = difflib.get_close_matches(word, options, n=1, cutoff=0.6)
    if close:
        return f" Did you mean '{close[0]}'?"
    if not options:
        return ""
    shown = ", ".join(options[:12]) + (", …" if len(options) > 12 else "")
    return f" Known: {shown}."
