"""Translates a story from the language of its world into another and back.

A world tells, reads, splits and proves in its own language. Records, in whatever language, are
translated from that: the same seed and index have the same facts in every language.

Promises:
1. `hear` undoes `tell`, `hear_question` undoes `ask`, `hear_words` undoes `say`, up to distinctions
   that the language does not make (which of two verbs for going was used).
2. The world's own language costs nothing: it has no Tongue (`catalogue.tongue_for` returns None).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabula.errors import RecipeError
from fabula.language.cipher import Cipher
from fabula.language.lexicon import Word
from fabula.language.phrase import Phrase, Slots
from fabula.language.phrasebook import MEMO_LIMIT, PhraseBook, Renaming


class Tongue:
    """One language for one story or, unless it renames things, for any story."""

    code = ""
    letters: dict[str, str] | None = None
    """Letters and the names they stand for, if it replaces names."""

    def begin(self) -> Tongue:
        """The tongue for a new story."""
        return self

    def tell(self, sentences: Sequence[str]) -> list[str]:
        """The sentences of a story, translated from the world's."""
        raise NotImplementedError

    def ask(self, question: str) -> str:
        """A question about the story."""
        raise NotImplementedError

    def say(
        self, words: Sequence[str], query: Sequence[str] = (), listed: bool = False
    ) -> tuple[str, ...]:
        """The words of an answer to a query; `listed`: in the order in which the language lists
        them.
        """
        raise NotImplementedError

    def hear(self, sentences: Sequence[str]) -> list[str]:
        """The sentences in the language of the world."""
        raise NotImplementedError

    def hear_question(self, question: str) -> str:
        """A question in the language of the world."""
        raise NotImplementedError

    def hear_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of an answer in the language of the world."""
        raise NotImplementedError

    def forms(self) -> tuple[tuple[str, str], ...]:
        """Other forms of words, each with the form used in answers: बग़ीचे for बग़ीचा."""
        return ()


class Translated(Tongue):
    """A language by phrase book."""

    def __init__(self, book: PhraseBook, pronouns: Mapping[str, str] | None = None) -> None:
        self.code = book.code
        self.book = book
        self._pronouns = pronouns or {}
        self._told: dict[tuple[str, str], tuple[str, str]] = {}
        self._asked: dict[str, str] = {}

    def tell(self, sentences: Sequence[str]) -> list[str]:
        """The sentences of a story."""
        told, before = [], ""
        for sentence in sentences:
            known = self._told.get((before, sentence))
            if known is None:
                known = self._tell(sentence, before)
                if len(self._told) >= MEMO_LIMIT:
                    self._told.clear()
                self._told[before, sentence] = known
            text, before = known
            told.append(text)
        return told

    def _tell(self, sentence: str, before: str) -> tuple[str, str]:
        """A sentence, and the gender of its subject."""
        phrase, slots = self.book.understand(sentence)
        words = {slot: self._word(name) for slot, name in slots.items()}
        text = self.book.say(phrase, words, before)
        self._check(sentence, text, phrase, slots, False)
        if phrase.subject:
            kind = self.book.lexicon.group([words[slot] for slot in phrase.subject], before)
            before = kind.partition(".")[0]
        return text, before

    def _word(self, name: str) -> Word:
        lexicon = self.book.lexicon
        pronoun = self._pronouns.get(name)
        return lexicon.word(name, lexicon.word(pronoun).gender if pronoun else "")

    def _name(self) -> Renaming | None:
        """Maps replaced names back, if any were replaced."""
        return None

    def _check(self, source: str, text: str, phrase: Phrase, slots: Slots, asked: bool) -> None:
        heard, back = self.book.understand(self.book.hear(text, asked, self._name()), asked)
        pronouns = {slot for slot in slots if self.book.type_of(slot) == "pronoun"}
        same = all(
            slot in pronouns or back.get(slot, "").lower() == name.lower()
            for slot, name in slots.items()
        )
        if heard.right != phrase.right or not same:
            raise RecipeError(
                f"'{source}' becomes '{text}' in the language '{self.code}', which cannot be "
                "translated back; choose other names."
            )

    def ask(self, question: str) -> str:
        """A question about the story."""
        known = self._asked.get(question)
        if known is None:
            phrase, slots = self.book.understand(question, True)
            words = {slot: self._word(name) for slot, name in slots.items()}
            known = self.book.say(phrase, words)
            self._check(question, known, phrase, slots, True)
            if len(self._asked) >= MEMO_LIMIT:
                self._asked.clear()
            self._asked[question] = known
        return known

    def say(
        self, words: Sequence[str], query: Sequence[str] = (), listed: bool = False
    ) -> tuple[str, ...]:
        """The words of an answer to a query; words that agree do so with the subject of the
        query.
        """
        found = [self._word(word) for word in words]
        agrees = len(query) > 1 and any(word.answers for word in found)
        gender = self._word(query[1]).gender if agrees else ""
        said = [self.book.lexicon.answer(word, gender) for word in found]
        return tuple(sorted(said) if listed else said)

    def hear(self, sentences: Sequence[str]) -> list[str]:
        """The sentences in the language of the world."""
        name = self._name()
        return [self.book.hear(sentence, False, name) for sentence in sentences]

    def hear_question(self, question: str) -> str:
        """A question in the language of the world."""
        return self.book.hear(question, True, self._name())

    def hear_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of an answer in the language of the world."""
        meanings = self.book.lexicon.meanings
        return tuple(meanings.get(word, word) for word in words)

    def forms(self) -> tuple[tuple[str, str], ...]:
        """Other forms of words, each with the form used in answers."""
        return self.book.lexicon.other_forms


class Ciphered(Tongue):
    """A language in cipher."""

    def __init__(self, table: Cipher, inner: Tongue | None, code: str) -> None:
        self.code = code
        self._table, self._inner = table, inner

    @property
    def letters(self) -> dict[str, str] | None:  # type: ignore[override]
        """Those of the language that is enciphered."""
        return self._inner.letters if self._inner else None

    def begin(self) -> Tongue:
        """The tongue for a new story."""
        return (
            self if self._inner is None else Ciphered(self._table, self._inner.begin(), self.code)
        )

    def tell(self, sentences: Sequence[str]) -> list[str]:
        """The sentences of a story."""
        told = self._inner.tell(sentences) if self._inner else sentences
        return [self._table.write(sentence) for sentence in told]

    def ask(self, question: str) -> str:
        """A question about the story."""
        return self._table.write(self._inner.ask(question) if self._inner else question)

    def say(
        self, words: Sequence[str], query: Sequence[str] = (), listed: bool = False
    ) -> tuple[str, ...]:
        """The words of an answer to a query."""
        said = self._inner.say(words, query, listed) if self._inner else words
        return tuple(map(self._table.write, said))

    def hear(self, sentences: Sequence[str]) -> list[str]:
        """The sentences in the language of the world."""
        heard = [self._table.read(sentence) for sentence in sentences]
        return self._inner.hear(heard) if self._inner else heard

    def hear_question(self, question: str) -> str:
        """A question in the language of the world."""
        heard = self._table.read(question)
        return self._inner.hear_question(heard) if self._inner else heard

    def hear_words(self, words: Sequence[str]) -> tuple[str, ...]:
        """The words of an answer in the language of the world."""
        heard = tuple(map(self._table.read, words))
        return self._inner.hear_words(heard) if self._inner else heard

    def forms(self) -> tuple[tuple[str, str], ...]:
        """Other forms of words, each with the form used in answers."""
        write = self._table.write
        return tuple((write(a), write(b)) for a, b in self._inner.forms()) if self._inner else ()
