"""Languages: data files of words and sentence patterns, and what tells and reads by them.

A world tells and reads in one language by itself (`grammar`, and the `language.py` of the worlds).
All others are told from that and read back into it, by data alone:

catalogue   which languages there are; finds the tongue of a recipe or a record
tongue      a story told in another language, and heard again
phrasebook  patterns of sentences beside those of another language (`phrase`: one of them)
lexicon     words with their forms, and what agrees with them
symbols     bare events, and letters for names
cipher      letters for letters
notation    facts written down as they are
"""

from fabula.language.grammar import Language, Lore, Need, Statement, language, language_file

__all__ = ["Language", "Lore", "Need", "Statement", "language", "language_file"]
