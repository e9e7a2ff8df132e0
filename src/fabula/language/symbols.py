"""The symbolic form: bare events, and letters for names.

    A move B                       what happened: the first name, the kind, the other names
    he grab C                      a pronoun stays one: its referent is for the reader to find
    A left B; C above B            a sentence with several facts
    where-person A                 a question: its kind and its names

Letters are assigned in the order of mention: A, B, … Z, AA, …; words other than names (directions,
kin, numbers, true and false) have their own word in `symbolic/words.toml`. If a story relies on
common knowledge (that the hungry go to the kitchen), the words for it have the same letters in
every story: A, B, … in the order of the language file. Otherwise nobody could learn it.

Sentences are translated by the phrases of the world if it has any, and otherwise written in
notation. A world reads facts such as `left(Ann,Bob); above(Cid,Bob)` like any of its own sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from fabula.core.registry import WORLDS
from fabula.errors import ParseError, RecipeError
from fabula.language.lexicon import CITATION, Word
from fabula.language.notation import noted
from fabula.language.phrase import Phrase, Slots
from fabula.language.phrasebook import PhraseBook, Renaming
from fabula.language.tongue import Translated

if TYPE_CHECKING:
    from fabula.world.base import World

LETTER = "[A-Z]+"
NOTHING = "rule"  # a sentence that states no fact
ANYTHING = r"\w[\w' -]*"


class Lettered(Translated):
    """The symbolic form of one story.

    If it is not known what the letters of a story stand for, they serve as the names.
    """

    def __init__(
        self, book: PhraseBook, world: str, letters: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(book)
        self._world_name = world
        self.letters: dict[str, str] = dict(letters or {})
        self._given = {name.lower(): letter for letter, name in self.letters.items()}

    def begin(self) -> Lettered:
        """The tongue for a new story."""
        return Lettered(self.book, self._world_name)

    @property
    def _world(self) -> World:
        return WORLDS[self._world_name]

    # --- names --------------------------------------------------------------------------------

    def _word(self, name: str) -> Word:
        known = self.book.lexicon.words.get(name)
        if known is not None or not name[:1].isalpha():
            return known or Word(name, {CITATION: name})
        folded = name.lower()  # a question may write the name without its capital
        letter = self._given.get(folded)
        if letter is None:
            letter = self._given[folded] = letter_of(len(self._given))
            self.letters[letter] = name
        return Word(name, {CITATION: letter})

    def _name(self) -> Renaming | None:
        """Maps letters to names; unknown letters are the names themselves, capitalised as their
        slot requires.
        """
        letters = self.letters

        def name(letter: str, token: str) -> str:
            if re.fullmatch(LETTER, letter) and letter not in letters:
                letters[letter] = letter if re.fullmatch(token, letter) else letter.lower()
            return letters.get(letter, letter)

        return name

    def _names(self, words: Iterable[str]) -> tuple[str, ...]:
        """The names behind letters and words."""
        name, citations = self._name(), self.book.lexicon.citations
        assert name is not None
        return tuple(citations.get(word) or name(word, ANYTHING) for word in words)

    def hear_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of an answer in the language of the world."""
        return self._names(words)

    def tell(self, sentences: Sequence[str]) -> list[str]:
        """The sentences of a story."""
        moods = self.book.native.moods
        if moods and any(sentence.endswith(moods) for sentence in sentences):
            for word in self.book.native.lore:
                self._word(word)
        return super().tell(sentences)

    def _check(self, source: str, text: str, phrase: Phrase, slots: Slots, asked: bool) -> None:
        """All letters look alike, so each pattern is checked only once."""
        if phrase not in self.book.proven:
            super()._check(source, text, phrase, slots, asked)
            self.book.proven.add(phrase)

    # --- sentences and questions without phrases ------------------------------------------------

    def _tell(self, sentence: str, before: str) -> tuple[str, str]:
        try:
            return super()._tell(sentence, before)
        except RecipeError:
            facts = self._world.read(self.book.source, [sentence]).facts()[0]
            return "; ".join(map(self._bare, facts)) or NOTHING, ""

    def _bare(self, fact: tuple[str, ...]) -> str:
        kind, *args = fact
        if kind == "not":
            kind = f"not-{args.pop(0)}"
        first, *rest = self.say(args)
        return " ".join([first, kind, *rest])

    def hear(self, sentences: Sequence[str]) -> list[str]:
        """The sentences in the language of the world."""
        return [self._hear(sentence) for sentence in sentences]

    def _hear(self, sentence: str) -> str:
        try:
            return self.book.hear(sentence, False, self._name())
        except ParseError:
            if sentence == NOTHING:
                return noted(())
            facts = []
            for part in sentence.split("; "):
                first, _, rest = part.partition(" ")
                kind, *others = rest.split(" ")
                if not re.fullmatch(LETTER, first) or not kind:
                    raise
                negated = kind.startswith("not-")
                head = ("not", kind.removeprefix("not-")) if negated else (kind,)
                facts.append((*head, *self._names([first, *others])))
            return noted(facts)

    def ask(self, question: str) -> str:
        """A question about the story."""
        try:
            return super().ask(question)
        except RecipeError:
            kind, *args = self._world.parse_question(self.book.source, question)
            return " ".join([kind, *self.say(args)])

    def hear_question(self, question: str) -> str:
        """A question in the language of the world."""
        try:
            return self.book.hear(question, True, self._name())
        except ParseError:
            kind, *args = question.split(" ")
            try:
                return self._world.ask(self.book.source, (kind, *self._names(args)))
            except (KeyError, IndexError, ValueError, TypeError):
                raise ParseError(f"no {self.code} pattern fits '{question}'.") from None


def letter_of(number: int) -> str:
    """A, B, … Z, AA, AB, … for 0, 1, …"""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
