"""Languages: data files of words and sentence patterns, and the grammar that reads them."""

from fabula.language.grammar import Language, Statement, language, language_file

__all__ = ["Language", "Statement", "language", "language_file"]
