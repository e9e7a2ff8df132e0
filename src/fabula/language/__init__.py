"""Languages: data files of words and sentence patterns, and the code that tells and reads with
them.

A world tells and reads in one language of its own (`grammar`, and the `language.py` of the worlds).
All other languages are translated from that one and back, by data alone:

    catalogue    the available languages; finds the tongue of a recipe or a record
    tongue       a story translated into another language, and back
    phrasebook   sentence patterns of one language paired with those of another (`phrase`: one pair)
    lexicon      words with their forms, and the words that agree with them
    symbols      bare events, and letters for names
    cipher       letter substitution
    notation     facts written as symbols
    patterns     the verifier's sentence patterns; foreign: its own translation
    conventions  assumptions that answers may rely on, stated in words
"""

from fabula.language.grammar import Language, Lore, Need, Statement, language, language_file

__all__ = ["Language", "Lore", "Need", "Statement", "language", "language_file"]
