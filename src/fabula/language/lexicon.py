"""The words of a translated language, with their forms: gender, case, number, agreement.

A *word* is identified by its name in the facts ('garden') and has a form for each position in a
sentence ('word' alone, 'obl' before a postposition, 'ne' as the agent, …). Words that agree with it
('went', 'big') take the form of its *class*, e.g. m, f, m.pl, f.pl.

Promises:
1. No two words have the same citation form, so an answer is never ambiguous; checked on loading.
2. A name without a word in the language is passed through as it is. If it equals the word for
   something else, RecipeError says so.
3. In a second spelling every word is spelt as its table says; a word missing from the table is an
   error on loading, never a mixture of scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from fabula.errors import RecipeError

CITATION = "word"
PLURAL = "pl"


class Word(NamedTuple):
    """One word with its forms."""

    name: str
    """Its name in the facts."""
    forms: Mapping[str, str]
    gender: str = ""
    """Empty if the language has no gender, or if it follows from the previous sentence."""
    plural: bool = False
    classes: tuple[str, ...] = ()
    """For words that agree: the form for each class."""
    answers: tuple[str, ...] = ()
    """For words that also agree as answers: the form for each gender."""


class Lexicon:
    """The words of one language in one spelling.

    `data` is a file of words: [words], [names], [pronouns], [agree], [forms], [compounds] (see
    hi/words.toml), and `same` for words that stay as they are.
    """

    def __init__(self, data: Mapping[str, Any], spell: Callable[[str], str] = str) -> None:
        self.classes: tuple[str, ...] = tuple(data.get("classes", ("",)))
        self._genders = tuple(c for c in self.classes if "." not in c)
        self.spell = spell
        self.templates: dict[str, str] = {k: spell(v) for k, v in data.get("forms", {}).items()}
        self.words: dict[str, Word] = {
            name: self._word(name, entry)
            for table in ("words", "names", "pronouns")
            for name, entry in data.get(table, {}).items()
        }
        self.words |= {name: Word(name, {CITATION: name}) for name in data.get("same", ())}
        for word in self._compounds(data.get("compounds", {})):
            self.words[word.name] = word
        self.agree: dict[str, tuple[str, ...]] = {
            spell(first): tuple(map(spell, (first, *rest)))
            for first, rest in data.get("agree", {}).items()
        }
        """Agreeing words, by their first form, with the form for each class."""
        self.citations: dict[str, str] = {}
        for name, word in self.words.items():
            if name not in data.get("pronouns", {}):
                other = self.citations.setdefault(self.form(word, CITATION), name)
                if other != name:
                    raise ValueError(
                        f"'{other}' and '{name}' have the same word; give each its own"
                    )

    # --- reading the file -------------------------------------------------------------------

    def _word(self, name: str, entry: str | Mapping[str, Any]) -> Word:
        if isinstance(entry, str):
            return Word(name, {CITATION: self.spell(entry)})
        forms: dict[str, str] = {}
        gender = ""
        classes: tuple[str, ...] = ()
        for key, value in entry.items():
            if key in self._genders:
                gender = key
                forms[CITATION] = self.spell(value)
            elif key == "agrees":
                classes = tuple(map(self.spell, value))
                forms.setdefault(CITATION, classes[0])
            elif key not in ("plural", "answers"):
                forms[key] = self.spell(value)
        answers = tuple(map(self.spell, entry.get("answers", ())))
        return Word(name, forms, gender, bool(entry.get("plural")), classes, answers)

    def _compounds(self, data: Mapping[str, Sequence[str]]) -> Iterator[Word]:
        """Compounds such as 'red square': an adjective and a noun, in every form of the noun."""
        for first, second in product(data.get("adjectives", ()), data.get("nouns", ())):
            adjective, noun = self.words[first], self.words[second]
            at = self.classes.index(noun.gender)
            # before a postposition an adjective of the first gender has its plural form
            oblique = self.classes.index(f"{noun.gender}.{PLURAL}")
            forms = {
                form: f"{adjective.classes[at if form == CITATION else oblique]} {surface}"
                for form, surface in noun.forms.items()
            }
            forms.setdefault("obl", f"{adjective.classes[oblique]} {noun.forms[CITATION]}")
            yield Word(f"{first} {second}", forms, noun.gender)

    # --- using it ---------------------------------------------------------------------------

    def word(self, name: str, gender: str = "") -> Word:
        """The word for a name; an unknown name stands for itself."""
        found = self.words.get(name) or self.words.get(name[:1].upper() + name[1:])
        if found is not None:
            return found
        if self.citations.get(name, name) != name:
            raise RecipeError(
                f"the name '{name}' is already the word for '{self.citations[name]}' in this "
                "language; choose another name."
            )
        return Word(name, {CITATION: name}, gender or self._genders[0] if self._genders else "")

    def knows(self, word: Word) -> bool:
        """Whether the language has this word."""
        return word.name in self.words

    def form(self, word: Word, form: str) -> str:
        """A word in a form; by the template of the form, if it has none of its own."""
        own = word.forms.get(form)
        if own is not None:
            return own
        template = self.templates.get(form, "")
        if not template:
            return word.forms[CITATION]
        return re.sub(r"\{(\w+)\}", lambda found: self.form(word, found[1]), template)

    def answer(self, word: Word, gender: str = "") -> str:
        """A word as an answer about somebody of this gender."""
        if word.answers and gender in self._genders:
            return word.answers[self._genders.index(gender)]
        return word.forms[CITATION]

    @cached_property
    def meanings(self) -> dict[str, str]:
        """The names behind words, in every form that can appear in an answer."""
        spoken = {form: word.name for word in self.words.values() for form in word.answers}
        return {**spoken, **self.citations}

    @cached_property
    def other_forms(self) -> tuple[tuple[str, str], ...]:
        """All other forms of words, each with the citation form."""
        return tuple(
            (form, word.forms[CITATION])
            for word in self.words.values()
            for form in dict.fromkeys([*word.forms.values(), *word.classes, *word.answers])
            if form not in self.citations
        )

    def group(self, words: Sequence[Word], before: str) -> str:
        """The class of one word or of several together; `before` is the gender if they show
        none.
        """
        genders = {word.gender or before for word in words}
        gender = genders.pop() if len(genders) == 1 else (self._genders or ("",))[0]
        many = len(words) > 1 or words[0].plural
        kind = f"{gender}.{PLURAL}" if many else gender
        return kind if kind in self.classes else self.classes[0]

    def agreeing(self, forms: Sequence[str], kind: str) -> str:
        """The form for a class, among the forms of an agreeing word."""
        return forms[self.classes.index(kind)] if len(forms) > 1 else forms[0]


def speller(table: Mapping[str, str], script: str) -> Callable[[str], str]:
    """A function that respells text: each run of characters of the script, by the table."""
    run = re.compile(script)

    def spell(text: str) -> str:
        return run.sub(lambda found: _look_up(found[0], table), text)

    return spell


def _look_up(word: str, table: Mapping[str, str]) -> str:
    if word not in table:
        raise ValueError(f"the spelling table has no entry for '{word}'")
    return table[word]
