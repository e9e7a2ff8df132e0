"""Mention forms: the ways to mention one person as a relative of another.

    name                     text                                     meaning, for an uncle
    his-kin                  {his} {kin} {b}                          her uncle Bob
    name-whose-inverse-is-a  {b}, whose {inverse} is {a},             Bob, whose niece is Ann,
    sibling-of-his-parent    {b}, a {sibling} of one of {his} parents,

The forms of a language are in the file grammar.toml of its folder, which explains their slots.

Promises:
1. A form has one meaning: what it says about {a} and {b}, and whose gender it discloses, follows
   from its words; `parse` gives it back or raises ParseError.
2. A form that spells a relation out instead of naming it is used only if both mean the same under
   the axioms (algebra.py): the relation follows from the words, and the words from it.
3. `MentionForms.choose` is the only way to select the forms that a story may use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import Any, NamedTuple

from fabula.core.seeds import fingerprint
from fabula.errors import ParseError, hint
from fabula.world.kinship.algebra import (
    FEMALE,
    MALE,
    OPTIONS,
    Vocabulary,
    fold,
    vocabulary,
)

NAME = r"(?:[A-ZÀ-Þ][a-zß-ÿ]+(?:-[A-ZÀ-Þ][a-zß-ÿ]+)?\b|@entity-\d+)"
SPLIT = re.compile(f"({NAME})")
ENDS = ".;:!?"
SOMEBODY, KIN = "\x01", "\x02"  # stand for a name and a kin word in an abstract sentence

FREE, NO_COMMA, NAME_LAST = 0, 1, 2
"""The mentions that fit in a slot: any form, none that ends in a comma, only one that ends in
{b}.
"""

GENDERS = (MALE, FEMALE)
OTHER = {MALE: FEMALE, FEMALE: MALE}
PRONOUNS = ("he", "him", "his", "hers")
HELD_OUT = 0.2
"""Fraction of the forms in the pool 'held-out'."""


class Form(NamedTuple):
    """A way to mention somebody."""

    name: str
    text: str
    weight: int
    relations: frozenset[str]
    """The relations it can state; all if empty."""
    path: tuple[str, ...]
    """The relation in steps, if the form spells it out."""
    own: bool
    """Whether it uses a pronoun for the other person."""


class Wording(NamedTuple):
    """A form with the words for one relation and two genders; only the names are missing."""

    form: str
    text: str
    own: bool
    tells_known: bool
    """Whether it discloses the gender of the person already known."""
    tells_new: bool


class Mention(NamedTuple):
    """A person as mentioned in a sentence."""

    form: str
    """The name of a form; 'name' for a bare name, 'pronoun' for a pronoun."""
    person: str
    word: str = ""
    anchor: str = ""
    """The other person's name, or the pronoun."""
    own: bool = False
    turned: bool = False
    """Whether the word is the inverse relation: that of the other to the person."""
    known_gender: str = ""
    """The other's gender, if anything besides the word discloses it."""
    gender: str = ""


class Filled(NamedTuple):
    """The text of a form with the words for two genders."""

    text: str
    known_gender: str
    """The gender of the known person if these words disclose it, else ''."""
    gender: str


class _Meaning(NamedTuple):
    """The meaning of one sequence of words; people are indices among its names."""

    form: str
    person: int
    word: str
    anchor: int
    """-1 for a pronoun."""
    own: bool
    turned: bool
    known_gender: str
    gender: str


class MentionForms:
    """The mention forms of a language."""

    def __init__(self, grammar: Mapping[str, Any], words: Vocabulary) -> None:
        self.words = words
        self._pronouns: dict[str, dict[str, str]] = grammar["pronouns"]
        self._nouns: dict[str, dict[str, str]] = grammar["nouns"]
        groups: dict[str, list[str]] = grammar["groups"]
        self.forms: dict[str, Form] = {}
        for entry in grammar["mention"]:
            form = self._form(entry, groups)
            if form.name in self.forms:
                raise ValueError(f"two mention forms are called '{form.name}'")
            self.forms[form.name] = form
        self.filled = {form.name: self._genders_told(form) for form in self.forms.values()}
        """For each form and pair of genders (known, new), its text with the words for them."""
        held = self._held_out()
        self.pools: dict[str, tuple[str, ...]] = {
            "any": tuple(self.forms),
            "seen": tuple(name for name in self.forms if name not in held),
            "held-out": tuple(name for name in self.forms if name in held),
        }
        """Names of forms: all, and a fixed part that is held out and the remainder."""
        self._choices: dict[tuple[frozenset[str], bool], Choice] = {}
        self._meanings = self._all_meanings()
        kin = "|".join(sorted(map(re.escape, words.words), key=len, reverse=True))
        self._kin = rf"\b(?:{kin})(?![-\w])"
        self._pattern = self._compiled()
        self.every: Choice = self.choose()
        """All forms."""

    def _form(self, entry: Mapping[str, Any], groups: Mapping[str, list[str]]) -> Form:
        name, text = entry["name"], entry["text"]
        slots = set(re.findall(r"\{(\w+)\}", text))
        limits = entry.get("for", [])
        relations = frozenset(groups[limits] if isinstance(limits, str) else limits)
        own = "a" not in slots
        if own == slots.isdisjoint(PRONOUNS) or "b" not in slots:
            raise ValueError(f"mention form {name}: it needs {{b}}, and {{a}} or a pronoun for a")
        named = slots & {"kin", "a_kin", "inverse", "an_inverse"}
        path = tuple(entry.get("path", ()))
        if len(named) + bool(path) != 1 or (path and len(relations) != 1):
            raise ValueError(f"mention form {name}: it needs a kin word or a path")
        return Form(name, text, entry.get("weight", 1), relations, path, own)

    def _held_out(self) -> set[str]:
        """A fixed fifth of the forms, of every sort, so that either part can state everything."""
        sorts: dict[object, list[str]] = {}
        for form in self.forms.values():
            sorts.setdefault((form.own, not form.relations), []).append(form.name)
        held: set[str] = set()
        for names in sorts.values():
            # the most frequent of a sort stays
            most = max(names, key=lambda name: self.forms[name].weight)
            order = sorted(names, key=lambda name: fingerprint("form:" + name))
            order.remove(most)
            held.update(order[: max(1, round(len(names) * HELD_OUT))])
        return held

    def choose(self, names: Iterable[str] = (), by_marriage: bool = False) -> Choice:
        """The forms with these names, for telling; without names, all of them.

        `by_marriage` is for stories in which an aunt's husband is an uncle. Raises ValueError if a
        name is unknown or some relation could not be stated.
        """
        key = (frozenset(names), by_marriage)
        found = self._choices.get(key)
        if found is None:
            for name in sorted(key[0] - set(self.forms)):
                raise ValueError(f"unknown mention form '{name}'.{hint(name, self.forms)}")
            chosen = [form for form in self.forms.values() if not key[0] or form.name in key[0]]
            found = self._choices[key] = Choice(self, chosen, by_marriage)
            missing = found.missing()
            if missing:
                raise ValueError(
                    f"these mention forms cannot introduce {missing}; add 'his-kin' or "
                    "'name-his-kin', which fit all relations."
                )
        return found

    # --- words ----------------------------------------------------------------------------

    def _filled(self, form: Form, known: str, new: str) -> str:
        """The text of a form with all words that depend only on the two genders."""
        word, nouns = self.words.word, self._nouns
        fillings = {
            **{pronoun: self._pronouns[known][pronoun] for pronoun in PRONOUNS},
            **nouns[new],
            "begot": nouns[known]["bore"],
            "parent": word("parent", new),
            "child": word("child", new),
            "sibling": word("sibling", new),
            "husband": word("spouse", new),
            "wife": word("spouse", OTHER[known]),
            "daughter": word("child", OTHER[new]),
        }
        return re.sub(r"\{(\w+)\}", lambda slot: fillings.get(slot[1], slot[0]), form.text)

    def _genders_told(self, form: Form) -> dict[tuple[str, str], Filled]:
        """The filled texts of a form for all pairs of genders (known, new) that it can state."""
        married = form.path == ("spouse",)
        texts = {
            (known, new): self._filled(form, known, new)
            for known, new in product(GENDERS, repeat=2)
            if not (married and known == new)  # a couple is a man and a woman
        }
        found = {}
        for pair, text in texts.items():
            alike = [other for other, same in texts.items() if same == text]
            known, new = ("" if len({other[n] for other in alike}) > 1 else pair[n] for n in (0, 1))
            found[pair] = Filled(text, known, new)
        return found

    def worded(self, form: Form, relation: str, known: str, new: str) -> Wording:
        """A form for a new person as a relative of a known one, given their genders."""
        words = self.words
        filled, *disclosed = self.filled[form.name][known, new]
        tells = [bool(gender) for gender in disclosed]
        kin, inverse = words.word(relation, new), words.word(words.mirror[relation], known)
        if "kin}" in form.text and words.relation_of[kin][1]:
            tells[1] = True
        if "inverse}" in form.text and words.relation_of[inverse][1]:
            tells[0] = True
        text = filled.replace("{kin}", kin).replace("{inverse}", inverse)
        text = text.replace("{a_kin}", f"{_article(kin)} {kin}")
        text = text.replace("{an_inverse}", f"{_article(inverse)} {inverse}")
        return Wording(form.name, text, form.own, tells[0], tells[1])

    # --- parsing --------------------------------------------------------------------------

    def _all_meanings(self) -> dict[str, _Meaning]:
        """The meaning of every sequence of words that a mention can have; ValueError if one has
        two.
        """
        found: dict[str, _Meaning] = {}
        words = self.words
        for form in self.forms.values():
            for relation in sorted(form.relations) or words.relations:
                for (known, new), filled in self.filled[form.name].items():
                    if (form.path and not filled.gender) or (form.own and not filled.known_gender):
                        raise ValueError(f"mention form {form.name} leaves a gender open")
                    turned = "inverse}" in form.text
                    word = (
                        words.word(words.mirror[relation], known)
                        if turned
                        else words.word(relation, new)
                    )
                    text = self.worded(form, relation, known, new).text.removesuffix(",")
                    slots = re.findall(r"\{([ab])\}", text)
                    meaning = _Meaning(
                        form.name, slots.index("b"), word, -1 if form.own else slots.index("a"),
                        form.own, turned, filled.known_gender, filled.gender,
                    )  # fmt: skip
                    key = re.sub(r"\{[ab]\}", SOMEBODY, text)
                    other = found.setdefault(key, meaning)
                    if other != meaning:
                        raise ValueError(f"mention forms {other.form} and {form.name} read alike")
        return found

    def _compiled(self) -> re.Pattern[str]:
        """The pattern for all mentions, longer ones first, and for names and pronouns."""
        commas = {form.name for form in self.forms.values() if form.text[-1] == ","}
        ends: dict[str, str] = {}
        for key, meaning in self._meanings.items():
            abstract = re.sub(self._kin, KIN, key)
            ends[abstract] = rf"(?:,|(?=[{ENDS}]))" if meaning.form in commas else ""
        named: dict[str, str] = {}
        other: dict[str, str] = {}
        for text, end in ends.items():
            (named if text[0] == SOMEBODY else other)[text] = end
        capital = {text[0].upper() + text[1:]: end for text, end in other.items()}
        return re.compile(
            rf"(?=[A-ZÀ-Þ@ahs])(?:^{self._tree(capital)}|{self._tree({**named, SOMEBODY: ''})}"
            rf"|\b(?:{self._tree(other)}|(?:him|his|her|he|she)\b))"
        )

    def _tree(self, texts: Mapping[str, str]) -> str:
        """A pattern for texts with what must follow each, sharing common prefixes."""
        branches: dict[str, dict[str, str]] = {}
        for text, end in texts.items():
            if text:
                branches.setdefault(text[0], {})[text[1:]] = end
        symbols = {SOMEBODY: NAME, KIN: self._kin}
        found = [
            symbols.get(first, re.escape(first)) + self._tree(rest)
            for first, rest in branches.items()
        ]
        if "" in texts:
            found.append(texts[""])
        return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"

    def parse(self, sentence: str, fixed: frozenset[str]) -> tuple[str, list[Mention]]:
        """The mentions in a sentence, and the sentence with `\\x00` in their places.

        Words in `fixed` are not names. 'her' as a pronoun becomes `\\x03`, since it may stand for
        'him' or for 'his'; the latter stands for a mention with "'s".
        """
        opening, comma, rest = sentence.partition(", ")
        if comma and opening in fixed:  # 'Blindfolded, Giulia's son, Derek, …' names two people
            skeleton, mentions = self.parse(rest, fixed)
            return f"{opening}, {skeleton}", mentions
        mentions = []

        def see(found: re.Match[str]) -> str:
            text = found[0]
            if " " not in text:
                if text in fixed:
                    return text
                if text in PRONOUN_MARKS:
                    mentions.append(Mention("pronoun", "", "", text))
                    return PRONOUN_MARKS[text]
                mentions.append(Mention("name", text))
                return "\x00"
            if text.startswith(OPENINGS):
                text = text[0].lower() + text[1:]
            pieces = SPLIT.split(text.removesuffix(","))
            told = pieces[1::2]
            meaning = self._meanings.get(SOMEBODY.join(pieces[::2]))
            if meaning is None:
                raise ParseError(
                    f"'{sentence}' is ambiguous: it is not clear which relative is meant."
                )
            form, person, word, anchor, own, turned, known, new = meaning
            other = "" if anchor < 0 else told[anchor]
            mentions.append(Mention(form, told[person], word, other, own, turned, known, new))
            return "\x00"

        return self._pattern.sub(see, sentence), mentions


OPENINGS = ("His ", "Her ", "A ", "An ")
"""Words other than names that a mention at the beginning of a sentence may begin with."""
PRONOUN_MARKS = {"him": "\x00", "he": "\x00", "she": "\x00", "his": "\x00's", "her": "\x03"}


class Choice:
    """The forms that a story may use."""

    def __init__(self, language: MentionForms, forms: list[Form], by_marriage: bool) -> None:
        self.names: tuple[str, ...] = tuple(form.name for form in forms)
        self._language, self._forms = language, forms
        options = frozenset(OPTIONS) if by_marriage else frozenset(OPTIONS) - {"by-marriage"}
        self._words = vocabulary(options)
        relations = self._words.relations.values()
        self.genderless = frozenset(each.name for each in relations if each.male == each.female)
        """The relations whose words disclose no gender."""
        self._fitting: dict[tuple[object, ...], tuple[Wording, ...]] = {}

    def fitting(
        self, own: bool, relation: str, known: str, new: str, room: int, needs: tuple[bool, bool]
    ) -> tuple[Wording, ...]:
        """The wordings that fit, each as often as its weight says.

        `relation` is that of the new person to the known one, `known` and `new` are their genders;
        `needs` says whose gender must be disclosed.
        """
        key = (own, relation, known, new, room, needs)
        found = self._fitting.get(key)
        if found is None:
            found = self._fitting[key] = tuple(self._find(*key))
        return found

    def _find(
        self, own: bool, relation: str, known: str, new: str, room: int, needs: tuple[bool, bool]
    ) -> Iterable[Wording]:
        for form in self._forms:
            if form.own != own or (form.relations and relation not in form.relations):
                continue
            if room and (form.text[-1] == "," or (room == NAME_LAST and form.text[-3:] != "{b}")):
                continue
            if form.path and not self._means(form, relation):
                continue
            if (known, new) not in self._language.filled[form.name]:
                continue
            wording = self._language.worded(form, relation, known, new)
            if wording.tells_known >= needs[0] and wording.tells_new >= needs[1]:
                for _ in range(form.weight):
                    yield wording

    def _means(self, form: Form, relation: str) -> bool:
        """Whether the path of a form is equivalent to the relation."""
        mask = self._words.mask
        return fold([mask[step] for step in form.path]) == mask[relation]

    def missing(self) -> str:
        """A relative that no form introduces with both genders, in English; '' if there is none."""
        for relation, known, new in product(self._words.relations, GENDERS, GENDERS):
            if relation == "spouse" and known == new:
                continue
            gendered = relation not in self.genderless
            if not self.fitting(True, relation, known, new, FREE, (gendered, gendered)):
                return f"the {self._words.word(relation, new)} of a {known} person by a pronoun"
        return ""


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"
