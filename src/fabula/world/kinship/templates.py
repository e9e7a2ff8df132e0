"""User templates (see template_files.py): checked, told and parsed back.

Promises, checked when the file is loaded (errors name file, line and fix):
1. Every slot is a person of a fact and vice versa; the facts are a path of one to three.
2. No gender is stated in two ways, nor by a pronoun or kin word of the text that nobody fits. The
   kin words of the text are those of its facts, or spell them out ('the brother of her mother' is
   an uncle); others must be listed under `says`.
3. A rendered template parses back to exactly its facts and genders, and matches no other template
   and no built-in scene.
4. The templates that a recipe may use cover everything it may have to state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import orjson

from fabula.core.seeds import Draw, fingerprint, pick
from fabula.errors import ParseError, hint
from fabula.world.kinship.algebra import FEMALE, MALE, OPTIONS, Vocabulary, fold, vocabulary
from fabula.world.kinship.mentions import NAME
from fabula.world.kinship.phrases import (
    HELD_OUT,
    SLOT,
    Meaning,
    Person,
    Phrases,
    names,
    phrases,
)
from fabula.world.kinship.template_files import Template

MOST = 3  # maximum number of facts in a template
PRONOUNS = {"he": MALE, "him": MALE, "his": MALE, "she": FEMALE, "her": FEMALE, "hers": FEMALE}
GENDERLESS = ""

EVERY = vocabulary(frozenset(OPTIONS))

Key = tuple[tuple[str, ...], tuple[str, ...]]
"""The relations of a path and the genders of its people."""


class Entry(NamedTuple):
    """A checked template."""

    template: Template
    path: tuple[str, ...]
    """Its slots along the path of its facts."""
    relations: tuple[str, ...]
    """The relation of each to the one before."""
    genders: Mapping[str, str]
    """All genders that it states."""

    def meanings(self) -> Iterator[tuple[Key, tuple[str, ...]]]:
        """The chains it can state, either way along its path, with the slots in that order."""
        mirror = EVERY.mirror
        turned = tuple(mirror[relation] for relation in reversed(self.relations))
        for path, relations in ((self.path, self.relations), (self.path[::-1], turned)):
            known = [self.genders.get(slot, GENDERLESS) for slot in path]
            # the second person's gender of each fact must be stated
            if GENDERLESS not in known[1:]:
                for first in [known[0]] if known[0] else [MALE, FEMALE]:
                    yield (relations, (first, *known[1:])), path


class Book:
    """Templates on top of the built-in phrases: tells and parses like them."""

    def __init__(self, base: Phrases, templates: Sequence[Template]) -> None:
        self.base = base
        self._entries = [checked(base, template) for template in templates]
        self._fixed = frozenset(
            word
            for entry in self._entries
            for part in entry.template.parts()
            for word in re.findall(rf"{NAME}|\b[A-Z]\b", part)
        )
        self._known: dict[str, Entry] = {}
        for entry in self._entries:
            skeleton = SLOT.join(entry.template.parts())
            other = self._known.setdefault(skeleton, entry)
            if other is not entry:
                raise ValueError(
                    f"{entry.template.place}: cannot be told apart from {other.template.place}. "
                    "Change one of the two texts."
                )
        for entry in self._entries:
            self._parses_back(entry)
        self.pools = {name: self._pool(name) for name in ("any", "seen", "held-out")}

    def _pool(self, name: str) -> dict[Key, list[tuple[Entry, tuple[str, ...]]]]:
        """The chains that can be stated, with the templates of a pool for each."""
        alike: dict[object, list[Entry]] = {}
        for entry in self._entries:
            alike.setdefault(min(key for key, _ in entry.meanings()), []).append(entry)
        found: dict[Key, list[tuple[Entry, tuple[str, ...]]]] = {}
        for group in alike.values():
            order = sorted(group, key=lambda entry: fingerprint("template:" + entry.template.text))
            cut = max(1, round(len(order) * HELD_OUT)) if len(order) > 1 else 0
            for n, entry in enumerate(order):
                if name == "any" or (n < cut) == (name == "held-out"):
                    for key, path in entry.meanings():
                        found.setdefault(key, []).append((entry, path))
        return found

    def missing(self, words: Vocabulary, pool: str) -> str:
        """A fact of the vocabulary that no template of a pool states, in English; '' if none."""
        for relation in words.relations:
            for genders in product((MALE, FEMALE), repeat=2):
                possible = relation != "spouse" or genders[0] != genders[1]
                if possible and ((relation,), genders) not in self.pools[pool]:
                    return f"the {words.word(relation, genders[1])} of a {genders[0]} person"
        return ""

    # --- telling --------------------------------------------------------------------------

    def tell(
        self,
        people: Sequence[Person],
        links: Sequence[str],
        draw: Draw,
        pool: str,
        told: Sequence[Template],
    ) -> tuple[str, Template] | None:
        """A unit for a path and its template; None if no template of the pool states all of it.

        Templates that were used already are avoided as long as there are others.
        """
        key = (tuple(links), tuple([person.gender for person in people]))
        known = self.pools[pool].get(key, [])
        found = [each for each in known if each[0].template not in told] or known
        if not found:
            return None
        entry, path = pick(draw, found)
        names_of = {slot: person.name for slot, person in zip(path, people, strict=True)}
        return entry.template.text.format_map(names_of), entry.template

    # --- parsing --------------------------------------------------------------------------

    def parse(self, unit: str) -> Meaning:
        """The facts that a unit states."""
        found: list[str] = []

        def see(match: re.Match[str]) -> str:
            if match[0] in self._fixed:
                return match[0]
            found.append(match[0])
            return SLOT

        entry = self._known.get(ANYBODY.sub(see, unit))
        if entry is None:
            return self.base.parse(unit)
        person: dict[str, str] = {}
        for slot, name in zip(entry.template.slots, found, strict=True):
            if person.setdefault(slot, name) != name:
                raise ParseError(f"{{{slot}}} is both {person[slot]} and {name} in '{unit}'.")
        if len(set(person.values())) < len(person):
            raise ParseError(f"somebody is two people in '{unit}'.")
        return Meaning(
            tuple([(word, person[a], person[b]) for a, word, b in entry.template.facts]),
            tuple(
                [(person[slot], entry.genders[slot]) for slot in person if slot in entry.genders]
            ),
        )

    def _parses_back(self, entry: Entry) -> None:
        """Raise ValueError unless a rendered template means itself and nothing else."""
        place, text = entry.template.place, entry.template.text
        taken = sorted({name for known in names(self.base.code).values() for name in known})
        for word in sorted(self._fixed.intersection(taken)):
            if re.search(rf"\b{word}\b", " ".join(entry.template.parts())):
                raise ValueError(f"{place}: '{word}' is one of the names. Use another word.")
        free = [name for name in taken if name not in self._fixed]
        for stand_ins in (free, [f"@entity-{n}" for n in (0, 1, 12, 3)]):
            person = dict(zip(entry.path, stand_ins, strict=False))
            unit = text.format_map(person)
            meant = tuple((w, person[a], person[b]) for a, w, b in entry.template.facts)
            try:
                meaning = self.parse(unit)
            except ParseError:
                meaning = None
            if meaning is None or meaning.kin != meant:
                raise ValueError(
                    f"{place}: '{unit}' does not parse back to its facts. Separate names "
                    "from letters and hyphens."
                )
            try:
                other = self.base.parse(unit)
            except ParseError:
                continue
            if (set(other.kin), dict(other.genders)) != (set(meaning.kin), dict(meaning.genders)):
                raise ValueError(
                    f"{place}: '{unit}' is also a built-in sentence with another meaning, "
                    f"{_said(other)}. Change the text or the facts."
                )


ANYBODY = re.compile(NAME)


def _said(meaning: Meaning) -> str:
    return "; ".join(f"{b} is {a}'s {word}" for word, a, b in meaning.kin)


# --- checking -----------------------------------------------------------------------------------


def checked(base: Phrases, template: Template) -> Entry:
    """The template, with its meaning checked; raises ValueError if it is wrong."""
    try:
        return _checked(base, template)
    except ValueError as error:
        raise ValueError(f"{template.place}: {error}") from None


def _checked(base: Phrases, template: Template) -> Entry:
    words, slots = base.words, set(template.slots)
    told = {person for first, _, second in template.facts for person in (first, second)}
    if re.search(r"[{}]", "".join(template.parts())):
        raise ValueError("a slot is a word in braces, such as {uncle}.")
    if not 1 <= len(template.facts) <= MOST:
        raise ValueError(f"it must state one to {MOST} facts, not {len(template.facts)}.")
    for slot in [*dict.fromkeys(template.slots), *template.genders]:
        if slot not in told:
            raise ValueError(f"{{{slot}}} does not occur in the facts.{hint(slot, told)}")
    for person in sorted(told - slots):
        raise ValueError(
            f"the facts mention '{person}', but the text does not.{hint(person, slots)}"
        )
    if template.text[-1:] not in (".", "!", "?"):
        raise ValueError("the text must be whole sentences, with a full stop at the end.")
    genders: dict[str, str] = dict(template.genders)
    for first, word, second in template.facts:
        if word not in words.relation_of:
            raise ValueError(f"unknown kin '{word}'.{hint(word, words.words)}")
        if first == second:
            raise ValueError(f"{{{first}}} cannot be their own {word}.")
        gender = words.relation_of[word][1]
        if gender and genders.setdefault(second, gender) != gender:
            raise ValueError(f"{{{second}}} is both male and female ('{word}').")
    for first, word, second in template.facts:  # a husband's spouse is his wife
        if words.relation_of[word][0] == "spouse":
            for one, other in ((first, second), (second, first)):
                gender = MALE if genders.get(other) == FEMALE else FEMALE
                if other in genders and genders.setdefault(one, gender) != gender:
                    raise ValueError(
                        f"{{{one}}} and {{{other}}} are married and both {genders[other]}."
                    )
    path, relations = _path(words, template)
    _words_fit(words, template, relations, path, genders)
    _mentions_fit(base, template, relations, path, genders)
    entry = Entry(template, path, relations, genders)
    if not any(True for _ in entry.meanings()):
        open_ = [slot for slot in path if slot not in genders]
        raise ValueError(
            f"the gender of {{{open_[0]}}} is not stated; if the text implies it, add "
            f'genders = {{ {open_[0]} = "female" }}.'
        )
    return entry


def _path(words: Vocabulary, template: Template) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The slots in a row, and the relation of each to the one before."""
    near: dict[str, dict[str, str]] = {}
    for first, word, second in template.facts:
        relation = words.relation_of[word][0]
        if second in near.get(first, {}):
            raise ValueError(f"it states the relation of {{{first}}} and {{{second}}} twice.")
        near.setdefault(first, {})[second] = relation
        near.setdefault(second, {})[first] = words.mirror[relation]
    ends = [person for person in template.slots if len(near[person]) == 1]
    path, relations = ends[:1], []
    while path and len(path) <= len(template.facts):
        onward = [person for person in near[path[-1]] if person not in path]
        if not onward:
            break
        relations.append(near[path[-1]][onward[0]])
        path.append(onward[0])
    if len(path) != len(template.facts) + 1 or len(near) != len(path):
        raise ValueError("its facts must form a path: each person is related to the next.")
    return tuple(path), tuple(relations)


def _words_fit(
    words: Vocabulary,
    template: Template,
    relations: Sequence[str],
    path: Sequence[str],
    genders: Mapping[str, str],
) -> None:
    """Raise ValueError if the text has a pronoun or a kin word that nobody in it fits."""
    fixed = " ".join(template.parts())
    for word in re.findall(r"[A-Za-z-]+", fixed):
        gender = PRONOUNS.get(word.lower())
        if gender and gender not in genders.values():
            slot = next((slot for slot in path if slot not in genders), path[0])
            raise ValueError(
                f"the text says '{word}', but nobody is {gender}. Change the text, or add "
                f'genders = {{ {slot} = "{gender}" }}.'
            )
        if word not in words.relation_of:
            continue
        relation, gender = words.relation_of[word]
        meant = [path[n + 1] for n, told in enumerate(relations) if told == relation]
        meant += [path[n] for n, told in enumerate(relations) if words.mirror[told] == relation]
        if gender and meant and gender not in [genders.get(slot) for slot in meant]:
            slot = meant[0]
            known = genders.get(slot)
            raise ValueError(
                f"the text says '{word}', but {{{slot}}} is {known}."
                if known
                else f"'{word}' implies that {{{slot}}} is {gender}: add "
                f'genders = {{ {slot} = "{gender}" }}.'
            )
    _kin_words_are_told(words, template, relations)


def _kin_words_are_told(words: Vocabulary, template: Template, relations: Sequence[str]) -> None:
    """Raise ValueError if the text has a kin word that its facts neither use nor consist of."""
    for word in template.says:
        if word not in words.relation_of:
            raise ValueError(f"says: unknown kin '{word}'.{hint(word, words.words)}")
    told = {relation for each in relations for relation in (each, words.mirror[each])}
    said: dict[str, str] = {}
    for word in re.findall(r"[a-z-]+", " ".join(template.parts()).lower()):
        singular = word if word in words.relation_of else word.removesuffix("s")
        if singular in words.relation_of and singular not in template.says:
            said[words.relation_of[singular][0]] = singular
    for relation, word in said.items():
        explained = any(
            words.rules.get(pair) in told
            for other in said
            for pair in ((relation, other), (other, relation))
        )
        if relation not in told and not explained:
            facts = "; ".join(f"{{{b}}} is {{{a}}}'s {kin}" for a, kin, b in template.facts)
            raise ValueError(
                f"the text says '{word}', but the facts do not ({facts}). Change the text or the "
                f'facts; if somebody else is meant, add says = ["{word}"].'
            )


def _mentions_fit(
    base: Phrases,
    template: Template,
    relations: Sequence[str],
    path: Sequence[str],
    genders: Mapping[str, str],
) -> None:
    """Raise ValueError if the text calls somebody a relative ('his wife {b}') that the facts do
    not.
    """
    words, place = base.words, {slot: n for n, slot in enumerate(path)}
    stand_ins = {slot: f"@entity-{n}" for n, slot in enumerate(path)}
    slot_of = {name: slot for slot, name in stand_ins.items()}
    try:
        _, mentions = base.mentions.parse(template.text.format_map(stand_ins), frozenset())
    except ParseError:
        return
    for mention in mentions:
        if not mention.word or mention.word in template.says or mention.person not in slot_of:
            continue
        person = slot_of[mention.person]
        relation = words.relation_of[mention.word][0]
        if mention.turned:
            relation = words.mirror[relation]
        if mention.anchor:
            known = [slot_of[mention.anchor]] if mention.anchor in slot_of else []
        else:
            known = [p for p in path if genders.get(p) in (None, mention.known_gender)]
        known = [slot for slot in known if slot != person]
        if known and not any(
            words.named(_between(words, relations, place[slot], place[person])) == relation
            for slot in known
        ):
            whose = f"{{{known[0]}}}'s" if mention.anchor else "somebody's"
            said = words.word(relation, genders.get(person, MALE))
            facts = "; ".join(f"{{{b}}} is {{{a}}}'s {kin}" for a, kin, b in template.facts)
            raise ValueError(
                f"the text calls {{{person}}} {whose} {said}, but the facts do not ({facts}). "
                f'Change one of them; if somebody else is meant, add says = ["{mention.word}"].'
            )


def _between(words: Vocabulary, relations: Sequence[str], first: int, second: int) -> int:
    """The position of the second person of a path, relative to the first."""
    if first < second:
        return fold([words.mask[relation] for relation in relations[first:second]])
    back = [words.mirror[relation] for relation in reversed(relations[second:first])]
    return fold([words.mask[relation] for relation in back])


# --- finding ------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def book(code: str, templates: bytes) -> Book:
    """The book of templates as stored in a record, in JSON; ValueError if one is invalid."""
    return Book(phrases(code), [Template.model_validate(each) for each in orjson.loads(templates)])
