"""The verifier's own parser for units of a story about kin, and for questions.

A unit consists of scenes: sentences with slots in which people are mentioned. Scenes, settings,
mention forms and plain statements are plain patterns (see language/patterns.py) made from the
language files; a mention is a pattern inside a slot. Pronouns are resolved here:

- In the second or third slot of a scene, the pronoun of a mention ('his uncle Bob') refers to the
  person in the first slot; in the first slot, to the only person of the unit so far it can refer
  to.
- A pronoun that fills the second slot alone refers to the person who introduces the first ('Ann's
  uncle Bob taught her …').
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

from fabula.errors import ParseError
from fabula.language.patterns import (
    MEMO,
    SLOT,
    Memo,
    Patterns,
    Slot,
    language_data,
    matching,
    nothing_fits,
    one_of,
    silent,
    texts_in,
    written_facts,
)
from fabula.world.base import Claim, Fact, Query
from fabula.world.kinship import families
from fabula.world.kinship.claims import BASIC, GENDERS, WORDS

NAME = matching(r"[A-ZÀ-Þ][a-zß-ÿ]+(?:-[A-ZÀ-Þ][a-zß-ÿ]+)?|@entity-\d+")._replace(longest=1)
KIN = one_of({word: word for word in WORDS})
AN = re.compile(r"\b([Aa])n (?=[a-z])")
CHOICE = re.compile(r"\[([^\]]*)\]")
OTHER_FILES = ("grammar.toml", "names.toml")  # all others have scenes and settings
MARRIAGE = "kin-by-marriage"
QUESTIONS = {"question": "kin", "question_by_marriage": MARRIAGE}
CASES = {"possessive": "his", "object": "him", "subject": "he"}  # other names of the cases
OTHER = {"male": "female", "female": "male"}
ANY_GENDERS = frozenset((known, new) for known in GENDERS for new in GENDERS)


class Form(NamedTuple):
    """The meaning of a form of mention with these words."""

    genders: frozenset[tuple[str, str]]
    """The genders that the known and the new person may have, by the words."""
    relation: str
    """The relation of the new person to the known one if the form spells it out; else a slot."""


class Mention(NamedTuple):
    """A person as mentioned in a slot."""

    person: str
    """The person mentioned; empty if the mention is a pronoun."""
    known: str = ""
    """The person who introduces them; empty if it is a pronoun."""
    kin: str = ""
    """The relation of the person to the known one,"""
    back: str = ""
    """or the inverse relation."""
    genders: frozenset[tuple[str, str]] = frozenset()
    """Genders of both that the words allow."""
    introduced: bool = True
    """Whether anybody is introduced."""


class Grammar:
    """The patterns of one language."""

    def __init__(self, code: str) -> None:
        data = language_data(code, "kinship/grammar")
        self._code, self._silent = code, silent(code, "kinship")
        self._scenes, self._plain, self._questions = Patterns(), Patterns(), Patterns()
        self._mentions = Patterns()
        self._heard: dict[str, tuple[Mention, ...] | None] = {}
        cases = {
            gender: {CASES.get(case, case): word for case, word in words.items()}
            for gender, words in data["pronouns"].items()
        }
        self._pronouns: dict[str, str] = {}
        for gender, words in cases.items():
            for case in ("he", "him", "his"):
                self._pronouns[words[case]] = gender
        self._add_mentions(data, cases)
        self._leads: set[str] = set(data.get("thread", {}).get("leads", ()))
        self._asides: set[str] = set()
        self._read_files(code)
        plain = {"a": NAME, "b": NAME, "kin": KIN, "article": one_of({"a": "a"})}
        for text in data["plain"]["statements"]:
            self._plain.add(text, "", plain)
        for key, kind in QUESTIONS.items():
            self._questions.add(data[key], kind, {"a": NAME, "b": NAME})
        self.facts = Memo(self._parsed)
        """The facts of a unit: relations, and genders that no kin word gives."""

    # --- patterns ---------------------------------------------------------------------------

    def _read_files(self, code: str) -> None:
        """Load the files: scenes have slots; other sentences are asides; other text leads into a
        scene.
        """
        folder = resources.files("fabula.language") / code / "kinship"
        slots = {True: Slot(self._possessive), False: Slot(self._mention)}
        for path in sorted(folder.iterdir(), key=lambda path: path.name):
            if not path.name.endswith(".toml") or path.name in OTHER_FILES:
                continue
            data = language_data(code, f"kinship/{path.name.removesuffix('.toml')}")
            for variant in (variant for text in texts_in(data) for variant in _variants(text)):
                places = SLOT.findall(variant)
                if places:
                    kinds = {place: slots[place.endswith(" his")] for place in places}
                    self._scenes.add(variant, tuple(places), kinds)
                elif variant.endswith("."):
                    self._asides.update(_sentences(variant))
                else:
                    self._leads.add(variant)

    def _add_mentions(
        self, data: Mapping[str, Any], cases: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Every form of mention, with the words for each gender of the two people."""
        forms = [(text, "") for text in data.get("mentions", {})]
        for entry in data.get("mention", ()):
            spelt = entry["for"][0].replace("-", "_") if "path" in entry else ""
            forms.append((entry["text"], spelt))
        nouns = data.get("nouns", {})
        slots = {"a": NAME, "b": NAME, "kin": KIN, "inverse": KIN}
        for text, relation in forms:
            genders: dict[str, set[tuple[str, str]]] = {}
            for known, new in product(GENDERS, repeat=2):
                words = {
                    **cases[known],
                    **nouns.get(new, {}),
                    "begot": nouns.get(known, {}).get("bore", ""),
                    **{
                        slot: _word(kin, new)
                        for slot, kin in (
                            ("parent", "parent"),
                            ("child", "child"),
                            ("sibling", "sibling"),
                            ("husband", "spouse"),
                        )
                    },
                    "wife": _word("spouse", OTHER[known]),
                    "daughter": _word("child", OTHER[new]),
                    "a_kin": "a {kin}",
                    "an_inverse": "a {inverse}",
                }
                if relation == "spouse" and known == new:
                    continue
                filled = SLOT.sub(lambda slot: words.get(slot[1], slot[0]), text)  # noqa: B023
                genders.setdefault(filled, set()).add((known, new))
            for filled, allowed in genders.items():
                form = Form(frozenset(allowed), relation)
                for template in {filled, filled.removesuffix(",")}:
                    self._mentions.add(template, form, slots)
        self._mentions.add("{b}", Form(ANY_GENDERS, ""), slots)

    # --- mentions ---------------------------------------------------------------------------

    def _mention(self, text: str) -> tuple[Mention, ...] | None:
        """The ways to parse a text as the mention of a person."""
        if text not in self._heard:
            if len(self._heard) >= MEMO:
                self._heard.clear()
            small = text[:1].lower() + text[1:]
            found = tuple(dict.fromkeys([*self._read(text), *self._read(small)]))
            self._heard[text] = found or None
        return self._heard[text]

    def _possessive(self, text: str) -> tuple[Mention, ...] | None:
        if text in self._pronouns:
            return self._mention(text)
        return self._mention(text.removesuffix("'s")) if text.endswith("'s") else None

    def _read(self, text: str) -> Iterator[Mention]:
        gender = self._pronouns.get(text)
        if gender:
            allowed = frozenset((gender, new) for new in GENDERS)
            yield Mention("", genders=allowed)
            return
        for form, slots, _ in self._mentions.matches(text):
            genders, relation = form
            person, known = slots["b"], slots.get("a", "")
            kin, back = slots.get("kin", ""), slots.get("inverse", "")
            if person.lower() in self._pronouns or known == person:
                continue
            if relation:
                news = {new for _, new in genders}
                kin = _word(relation, news.pop()) if len(news) == 1 else ""
                if not kin:
                    continue
            elif not kin and not back:
                yield Mention(person, introduced=False)
                continue
            allowed = frozenset(
                (one, new) for one, new in genders if _is(kin, new) and _is(back, one)
            )
            if allowed:
                yield Mention(person, known, kin, back, allowed)

    # --- units ------------------------------------------------------------------------------

    def _parsed(self, unit: str) -> tuple[Fact, ...]:
        if self._silent(unit):
            return ()
        written = written_facts(unit)
        if written is not None:
            if not all(_sound(fact) for fact in written):
                raise nothing_fits(self._code, unit)
            return written
        heard = _Heard()
        for piece in _sentences(AN.sub(r"\1 ", unit)):
            if piece not in self._asides and not self._silent(piece):
                self._hear(piece, heard)
        return heard.facts()

    def _hear(self, sentence: str, heard: _Heard) -> None:
        """Take in a sentence: a scene, a setting and a scene, or a plain statement."""
        texts = [sentence]
        for comma in re.finditer(", ", sentence):
            if sentence[: comma.start()] in self._leads:
                texts.append(sentence[comma.end() :])
        meant: list[tuple[int, list[Mention]]] = []
        for text in texts:
            for places, slots, loose in self._scenes.matches(text):
                for mentions in product(*(slots[place] for place in places)):
                    meant.append((loose, list(mentions)))
        least = min((loose for loose, _ in meant), default=0)
        found: list[_Heard] = []
        problem: ParseError | None = None
        for loose, said in meant:
            if loose == least:
                twin = heard.copy()
                try:
                    twin.take(said, sentence)
                except ParseError as error:
                    problem = error
                else:
                    found.append(twin)
        if not meant:
            plain = self._plain.best(sentence)
            if plain is None:
                raise nothing_fits(self._code, sentence)
            heard.tell(plain.slots["kin"], plain.slots["a"], plain.slots["b"], sentence)
            return
        if not found:
            assert problem is not None
            raise problem
        if any(other.facts() != found[0].facts() for other in found[1:]):
            raise ParseError(f"'{sentence}' is ambiguous: more than one pattern fits.")
        heard.become(found[0])

    def question(self, text: str) -> Query:
        """The query behind a question."""
        found = self._questions.best(text.strip())
        if found is None:
            raise nothing_fits(self._code, text, "question")
        return (found.meaning, found.slots["a"], found.slots["b"])


class _Heard:
    """The facts of a unit so far."""

    def __init__(self) -> None:
        self.kin: list[Fact] = []
        self.people: dict[str, str] = {}
        """Everybody mentioned, with the gender as far as it is known."""
        self.worded: set[str] = set()
        """Those whose gender is given by a kin word."""

    def copy(self) -> _Heard:
        twin = _Heard()
        twin.kin, twin.people, twin.worded = [*self.kin], {**self.people}, {*self.worded}
        return twin

    def become(self, other: _Heard) -> None:
        self.kin, self.people, self.worded = other.kin, other.people, other.worded

    def facts(self) -> tuple[Fact, ...]:
        told = [(sex, name) for name, sex in self.people.items() if sex and name not in self.worded]
        return (*self.kin, *told)

    def sex(self, person: str, gender: str, sentence: str) -> None:
        known = self.people.get(person, "")
        if gender and known not in ("", gender):
            raise ParseError(f"{person} is both male and female in '{sentence}'.")
        self.people[person] = gender or known

    def tell(self, word: str, first: str, second: str, sentence: str) -> None:
        gender = WORDS[word][1]
        self.kin.append((word, first, second))
        self.sex(first, "", sentence)
        self.sex(second, "" if gender == "any" else gender, sentence)
        if gender != "any":
            self.worded.add(second)

    def take(self, mentions: Sequence[Mention], sentence: str) -> None:
        """Take in the mentions of a scene."""
        first = mentions[0]
        for place, mention in enumerate(mentions):
            knowns = {known for known, _ in mention.genders}
            known = mention.known
            if not mention.person:  # a pronoun alone
                if place != 1 or not first.known:
                    raise ParseError(f"a pronoun in '{sentence}' refers to nobody.")
                self.sex(first.known, knowns.pop(), sentence)
                continue
            if not mention.introduced:
                self.sex(mention.person, "", sentence)
                continue
            if not known:  # a pronoun stands for them
                (gender,) = knowns if len(knowns) == 1 else ("",)
                known = first.person if place else self._only(gender, sentence)
                self.sex(known, gender, sentence)
            if mention.kin:
                self.tell(mention.kin, known, mention.person, sentence)
            else:
                self.tell(mention.back, mention.person, known, sentence)
            for person, genders in (
                (known, knowns),
                (mention.person, {new for _, new in mention.genders}),
            ):
                if len(genders) == 1:
                    self.sex(person, next(iter(genders)), sentence)

    def _only(self, gender: str, sentence: str) -> str:
        """The only person so far who may have this gender."""
        found = [name for name, sex in self.people.items() if sex in ("", gender)]
        if len(found) != 1:
            raise ParseError(
                f"'{sentence}' is ambiguous: it is not clear whom a pronoun refers to."
            )
        return found[0]


class Account:
    """The verifier's view of a story; `templates` are those stored in the record."""

    def __init__(
        self, code: str, sentences: Sequence[str], templates: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self._grammar = grammar(code)
        own = _templates(repr(templates), tuple(map(_frozen, templates))) if templates else None
        self._facts = [
            (own and _by_template(own, sentence)) or self._grammar.facts(sentence)
            for sentence in sentences
        ]

    def facts(self) -> list[tuple[Fact, ...]]:
        """The facts of each unit, pronouns resolved."""
        return self._facts

    def query(self, question: str) -> Query:
        """The query behind a question."""
        return self._grammar.question(question)

    def prove(self, claims: Sequence[Claim], logic: bool = False) -> list[list[str]]:
        """Objections to each claim, by the logic program if `logic` is set; empty if it is
        proven.
        """
        told = {fact[0] for unit in self._facts for fact in unit if len(fact) == 3}
        found = []
        for claim in claims:
            # the basic words, and any others that the story or the claim uses
            more = told.union(claim.answer)
            words = [word for word in WORDS if word in BASIC or word in more]
            marriage = claim.query[0] == MARRIAGE
            if logic:
                from fabula.world.kinship import oracle

                found += oracle.prove(self._facts, [claim], words, marriage)
            else:
                found += families.prove(self._facts, [claim], words, marriage)
        return found


# --- templates of a user --------------------------------------------------------------------------

Frozen = tuple[str, tuple[tuple[str, str, str], ...], tuple[tuple[str, str], ...]]


def _frozen(template: Mapping[str, Any]) -> Frozen:
    facts = tuple((first, word, second) for first, word, second in template["facts"])
    return template["text"], facts, tuple(template.get("genders", {}).items())


@lru_cache(maxsize=64)
def _templates(key: str, templates: tuple[Frozen, ...]) -> Patterns:
    found = Patterns()
    for text, facts, genders in templates:
        found.add(text, (facts, genders), dict.fromkeys(SLOT.findall(text), NAME))
    return found


def _by_template(templates: Patterns, unit: str) -> tuple[Fact, ...] | None:
    """The facts of a unit that matches a template, as the template states them."""
    found = templates.best(unit)
    if found is None or len(set(found.slots.values())) < len(found.slots):
        return None
    (facts, genders), person = found.meaning, found.slots
    heard = _Heard()
    for first, word, second in facts:
        heard.tell(word, person[first], person[second], unit)
    for slot, gender in genders:
        heard.sex(person[slot], gender, unit)
    for first, word, second in facts:  # a husband's spouse is his wife
        if WORDS[word][0] == "spouse":
            heard.sex(person[first], OTHER[WORDS[word][1]], unit)
            heard.sex(person[second], WORDS[word][1], unit)
    order = [person[slot] for slot in SLOT.findall(" ".join(f"{{{s}}}" for s in person))]
    heard.people = {name: heard.people[name] for name in order if name in heard.people}
    return heard.facts()


# --- words ----------------------------------------------------------------------------------------


def _word(relation: str, gender: str) -> str:
    return next(w for w, (r, sex, _) in WORDS.items() if r == relation and sex in (gender, "any"))


def _is(word: str, gender: str) -> bool:
    return not word or WORDS[word][1] in ("any", gender)


def _sound(fact: Fact) -> bool:
    return (len(fact) == 3 and fact[0] in WORDS) or (len(fact) == 2 and fact[0] in GENDERS)


def _sentences(text: str) -> list[str]:
    """The sentences of a text; all end in a full stop."""
    pieces = text.split(". ")
    return [*(f"{piece}." for piece in pieces[:-1]), pieces[-1]]


def _variants(text: str) -> Iterable[str]:
    """Every expansion of the choices [a|b] in a text; 'an' becomes 'a', as in the text to be
    read.
    """
    parts = CHOICE.split(text)
    choices = [part.split("|") if n % 2 else [part] for n, part in enumerate(parts)]
    return (AN.sub(r"\1 ", "".join(chosen)) for chosen in product(*choices))


@cache
def grammar(code: str) -> Grammar:
    """The patterns of a language."""
    return Grammar(code)
