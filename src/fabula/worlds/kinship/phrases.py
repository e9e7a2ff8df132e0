"""Tells kin facts in scenes and reads them back.

A *unit* is one element of a story: one to three sentences that tell one to three facts, the links
of a path. Its scenes (language/<code>/kinship/scenes-*.toml) have slots for people and a formal
meaning through how people are mentioned in them: 'Ann', 'her uncle Bob', 'Bob, the uncle of Ann,'.

    During the cattle auction, Ann taught Bob, her uncle, three sailing knots. His wife Cara had
    tickets for the semifinal.      uncle(Ann, Bob), wife(Bob, Cara); Ann is female, Bob is male

Promises:
1. `parse` gives back exactly what `telling.tell` meant: the kin facts as worded and every gender
   that the words disclose. It needs no list of names, and fails with ParseError rather than guess.
2. Of each fact told, the second person's gender is disclosed in the same unit, so that the fact
   follows from the unit also where it is worded the other way round ('Bob taught his niece Ann').
3. 'his' and 'her' in the second or third place of a scene mean the person in the first place;
   elsewhere the only person of the unit so far who can be meant. 'him', 'her', 'he', 'she' mean
   the person by whom the first is introduced ('Ann's uncle Bob taught her …') and are used only
   where the two have different genders.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

from fabula.errors import ParseError, RecipeError, hint
from fabula.language.conventions import silent
from fabula.language.notation import noted, read_notation
from fabula.seeds import Draw, fingerprint, pick
from fabula.worlds.kinship.algebra import FEMALE, MALE, OPTIONS, Vocabulary, vocabulary

HELD_OUT = 0.2
"""Share of the scenes and settings that only held-out stories may use."""
SLOT = "\x00"
ENDS = ".;:!?"

Kin = tuple[str, str, str]
"""(word, a, b): b is a's word."""


class Meaning(NamedTuple):
    """What a unit says."""

    kin: tuple[Kin, ...]
    genders: tuple[tuple[str, str], ...]
    """Everyone whose gender the words disclose, with it; in order of mention."""


class Person(NamedTuple):
    """Somebody to be told of."""

    name: str
    gender: str


class Scene(NamedTuple):
    """A sentence with slots."""

    kind: str
    """pair, solo or trio."""
    base: int
    """The scene before its choices were made; hold-out is by base."""
    parts: tuple[str, ...]
    """The text around the slots."""
    second: str
    """What a pronoun in the second slot would be: object, subject, or '' where none fits."""
    leads: bool
    """Whether a setting may come before it: it begins with a person and tells of the past."""
    by_pronoun: tuple[str, ...]
    """The mentions with 'his' or 'her' that fit its second slot (the only one of a solo scene),
    each as often as its weight says."""
    by_name: tuple[str, ...]
    """The same with a name, for its last slot; in a pair for the first, if the second can have a
    pronoun."""
    either: tuple[str, ...]
    """Both."""


class Pool(NamedTuple):
    """The scenes and settings that a story may use."""

    pair: tuple[tuple[Scene, ...], ...]
    """For each base its variants, so that many choices do not make a scene frequent."""
    solo: tuple[tuple[Scene, ...], ...]
    trio: tuple[tuple[Scene, ...], ...]
    leads: tuple[tuple[str, ...], ...]
    asides: tuple[tuple[str, ...], ...]


class Mention(NamedTuple):
    """A person as mentioned in a slot."""

    form: str
    """name, his, of (introduced by a named person) or pronoun."""
    person: str
    word: str = ""
    anchor: str = ""
    """A name, or the pronoun."""


class Phrases:
    """One language's way to tell of kin."""

    def __init__(self, grammar: Mapping[str, Any], files: Iterable[Mapping[str, Any]]) -> None:
        self.code: str = grammar["code"]
        self._questions: tuple[str, str] = (grammar["question"], grammar["question_by_marriage"])
        self.mentions: dict[str, int] = grammar["mentions"]
        self._pronouns: dict[str, dict[str, str]] = grammar["pronouns"]
        self._plain: tuple[str, ...] = tuple(grammar["plain"]["statements"])
        self._subject_after = set(grammar["syntax"]["subject_after"])
        self._timeless = set(grammar["syntax"]["timeless"])
        self.words: Vocabulary = vocabulary(frozenset(OPTIONS))
        kinds: dict[str, list[list[Scene]]] = {"pair": [], "solo": [], "trio": []}
        settings: dict[str, list[list[str]]] = {"leads": [], "asides": []}
        number = 0
        for data in files:
            for kind, texts in data.items():
                for text in texts:
                    if kind in kinds:
                        variants = [self._scene(kind, number, t) for t in _expand(text)]
                        kinds[kind].append(variants)
                        number += 1
                    else:
                        settings[kind].append(list(_expand(text)))
        self.bank = kinds
        self._settings = settings
        self.pools = {name: self._pool(name) for name in ("any", "seen", "held-out")}
        self._known: dict[str, Scene] = {}
        for scene in (s for groups in kinds.values() for group in groups for s in group):
            skeleton = SLOT.join(scene.parts)
            if skeleton in self._known:
                raise ValueError(f"two scenes read alike: {skeleton!r}")
            self._known[skeleton] = scene
        self._leads = {text for group in settings["leads"] for text in group}
        self._asides = {text for group in settings["asides"] for text in group}
        self._fixed = self._capitals()
        self._pattern = self._mention_pattern()
        self._statements = [(frame, self._statement_pattern(frame)) for frame in self._plain]
        self._question_patterns = tuple(
            re.compile(_slots(question, {"a": NAME, "b": NAME})) for question in self._questions
        )

    # --- the bank -------------------------------------------------------------------------

    def _scene(self, kind: str, base: int, text: str) -> Scene:
        parts = re.split(r"\{\d\}", text)
        slots = re.findall(r"\{(\d)\}", text)
        wanted = {"pair": 2, "solo": 1, "trio": 3}[kind]
        if slots != [str(n) for n in range(1, wanted + 1)]:
            raise ValueError(f"a {kind} scene needs its slots in order: {text!r}")
        if text[-1] != "." or ". " in text:
            raise ValueError(f"a scene is one sentence with a full stop: {text!r}")
        second = ""
        if kind == "pair":
            before = parts[1].split()
            if parts[1].strip() != "and":
                second = "subject" if before[-1] in self._subject_after else "object"
        verb = (parts[1].split() or [""])[0]
        past = verb == "was" or not (verb.endswith("s") or verb in self._timeless)
        slots_of = {"pair": (2, 1), "solo": (1, 1), "trio": (2, 3)}[kind]
        by_pronoun, by_name = (
            self._fitting(mark, parts[slot])
            for mark, slot in zip(("{his}", "{a}"), slots_of, strict=True)
        )
        if kind == "pair" and not second:
            by_name = ()
        either = by_pronoun + by_name
        leads = not parts[0] and past
        return Scene(kind, base, tuple(parts), second, leads, by_pronoun, by_name, either)

    def _fitting(self, mark: str, rest: str) -> tuple[str, ...]:
        """The mentions with this mark that can stand before the rest, by weight."""
        return tuple(
            form
            for form, weight in self.mentions.items()
            # a mention that ends in a comma cannot stand before another comma
            if mark in form and not (form[-1] == "," and rest[:1] == ",")
            for _ in range(weight)
        )

    def _pool(self, name: str) -> Pool:
        def scenes(kind: str) -> tuple[tuple[Scene, ...], ...]:
            groups = self.bank[kind]
            order = sorted(groups, key=lambda g: fingerprint("scene:" + SLOT.join(g[0].parts)))
            cut = round(len(order) * HELD_OUT)
            held = {group[0].base for group in order[:cut]}
            return tuple(
                tuple(group)
                for group in groups
                if name == "any" or (group[0].base in held) == (name == "held-out")
            )

        def texts(kind: str) -> tuple[tuple[str, ...], ...]:
            found = []
            for group in self._settings[kind]:
                order = sorted(group, key=lambda text: fingerprint("setting:" + text))
                cut = max(1, round(len(order) * HELD_OUT))
                held = set(order[:cut])
                found.append(
                    tuple(t for t in group if name == "any" or (t in held) == (name == "held-out"))
                )
            return tuple(group for group in found if group)

        return Pool(scenes("pair"), scenes("solo"), scenes("trio"), texts("leads"), texts("asides"))

    def texts(self) -> Iterator[str]:
        """All fixed text of the bank."""
        for skeleton in self._known:
            yield skeleton.replace(SLOT, " ")
        yield from self._leads
        yield from self._asides

    def settings(self) -> Iterator[str]:
        """All leads and asides."""
        yield from self._leads
        yield from self._asides

    def without_settings(self, unit: str) -> list[str]:
        """The sentences of a unit that are scenes, without their leads."""
        found = []
        for sentence in _sentences(unit):
            if sentence in self._asides:
                continue
            lead, comma, rest = sentence.partition(", ")
            found.append(rest if comma and lead in self._leads else sentence)
        return found

    def scenes_in(self, unit: str) -> list[int]:
        """The numbers of the scenes in a unit."""
        found = []
        for sentence in self.without_settings(unit):
            scene = self._known.get(self._skeleton(sentence, []))
            found += [scene.base] if scene else []
        return found

    def _capitals(self) -> frozenset[str]:
        """Capitalised words of the bank: no names."""
        return frozenset(w for text in self.texts() for w in re.findall(r"\b[A-Z]\w*", text))

    def clash(self, name: str) -> bool:
        """Whether a name would be taken for an ordinary word, or cannot be read at all."""
        return name in self._fixed or not re.fullmatch(NAME, name)

    # --- telling --------------------------------------------------------------------------

    def plain(self, people: Sequence[Person], links: Sequence[str], draw: Draw) -> str:
        """One link in a plain sentence."""
        (relation,) = links
        word = self.words.word(relation, people[1].gender)
        return pick(draw, self._plain).format(
            a=people[0].name, b=people[1].name, kin=word, article=_article(word)
        )

    def kin(self, people: Sequence[Person], links: Sequence[str], known: int, new: int) -> str:
        """What people[new] is to people[known], next to each other on the path."""
        if new > known:
            return self.words.word(links[known], people[new].gender)
        return self.words.word(self.words.mirror[links[new]], people[new].gender)

    def pronoun(self, gender: str, case: str) -> str:
        """he, him, his, …"""
        return self._pronouns[gender][case]

    # --- parsing --------------------------------------------------------------------------

    def parse(self, unit: str) -> Meaning:
        """What a unit says; nothing if it is a filler or states a convention."""
        heard, fillers = _Heard(), silent(self.code, "kinship")
        facts = read_notation(unit)
        for fact in facts or ():
            self._take_fact(fact, heard)
        for sentence in () if facts else _sentences(unit):
            if sentence in self._asides or sentence in fillers:
                continue
            mentions: list[Mention] = []
            skeleton = self._skeleton(sentence, mentions)
            scene = self._known.get(skeleton)
            if scene is None:
                lead, _, rest = skeleton.partition(f", {SLOT}")
                scene = self._known.get(SLOT + rest) if lead in self._leads else None
            if scene is None:
                self._parse_plain(sentence, heard)
            else:
                self._take(scene, mentions, heard, sentence)
        if not heard.kin and unit not in fillers:
            raise ParseError(f"nothing about kin is said in '{unit}'.")
        return Meaning(tuple(heard.kin), tuple(heard.genders.items()))

    def _take_fact(self, fact: tuple[str, ...], heard: _Heard) -> None:
        """Take in a fact that is written down as such."""
        if len(fact) == 3 and fact[0] in self.words.relation_of:
            heard.tell(self.words, *fact)
        elif len(fact) == 2 and fact[0] in (MALE, FEMALE):
            heard.disclose(fact[1], fact[0], noted([fact]))
        else:
            raise ParseError(f"'{' '.join(fact)}' is no fact about kin.")

    def _skeleton(self, sentence: str, mentions: list[Mention]) -> str:
        fixed, add = self._fixed, mentions.append

        def see(found: re.Match[str]) -> str:
            match found.lastgroup:
                case "name":
                    word = found["n"]
                    if word in fixed:
                        return found[0]
                    add(Mention("name", word))
                case "his":
                    add(Mention("his", found["h3"], found["h2"], found["h1"].lower()))
                case "of":
                    add(Mention("of", found["o3"], found["o2"], found["n"]))
                case "own":
                    add(Mention("his", found["n"], found["a4"], found["a3"]))
                case "appos":
                    add(Mention("of", found["n"], found["a2"], found["a1"]))
                case "the":
                    add(Mention("of", found["n"], found["t1"], found["t2"]))
                case "who":
                    add(Mention("of", found["n"], found["w2"], found["w1"]))
                case _:
                    add(Mention("pronoun", "", "", found[0]))
            return SLOT

        return self._pattern.sub(see, sentence)

    def _mention_pattern(self) -> re.Pattern[str]:
        kin = "|".join(sorted(map(re.escape, self.words.words), key=len, reverse=True))
        kin = f"(?:{kin})(?![-\\w])"
        end = f"(?=[,{ENDS}]),?"
        return re.compile(
            r"(?=[A-ZÀ-Þ@hHs])(?:"  # all other places fail at once
            rf"(?P<n>(?!H(?:is|er)\b){NAME})(?:"
            rf"(?P<of>'s (?P<o2>{kin}) (?P<o3>{NAME}))"
            rf"|, (?:(?P<appos>(?P<a1>{NAME})'s (?P<a2>{kin}){end})"
            rf"|(?P<own>(?P<a3>his|her) (?P<a4>{kin}){end})"
            rf"|(?P<the>the (?P<t1>{kin}) of (?P<t2>{NAME}){end})"
            rf"|(?P<who>who is (?P<w1>{NAME})'s (?P<w2>{kin}){end}))"
            rf"|(?P<name>))"
            rf"|\b(?:(?P<his>(?P<h1>[Hh]is|[Hh]er) (?P<h2>{kin}) (?P<h3>{NAME}))"
            r"|(?P<pronoun>(?:him|her|he|she)\b)))"
        )

    def _take(
        self, scene: Scene, mentions: Sequence[Mention], heard: _Heard, sentence: str
    ) -> None:
        """Add what a scene with these mentions says."""
        first = mentions[0]
        for place, mention in enumerate(mentions):
            form, person, word, anchor = mention
            if form == "of":
                heard.tell(self.words, word, anchor, person)
            elif form == "his":
                gender = MALE if anchor == "his" else FEMALE
                owner = first.person if place else heard.only(gender, sentence)
                heard.disclose(owner, gender, sentence)
                heard.tell(self.words, word, owner, person)
            elif form == "name":
                heard.meet(person)
            else:
                if first.form != "of" or place != 1:
                    raise ParseError(f"nobody is meant by '{anchor}' in '{sentence}'.")
                male = anchor in ("him", "he")
                heard.disclose(first.anchor, MALE if male else FEMALE, sentence)

    def _parse_plain(self, sentence: str, heard: _Heard) -> None:
        for _, pattern in self._statements:
            found = pattern.fullmatch(sentence)
            if found:
                heard.tell(self.words, found["kin"], found["a"], found["b"])
                return
        raise ParseError(f"no {self.code} scene or statement about kin fits '{sentence}'.")

    def _statement_pattern(self, frame: str) -> re.Pattern[str]:
        kin = "|".join(sorted(map(re.escape, self.words.words), key=len, reverse=True))
        return re.compile(_slots(frame, {"a": NAME, "b": NAME, "kin": kin, "article": "an?"}))

    # --- questions ------------------------------------------------------------------------

    def ask(self, first: str, second: str, by_marriage: bool = False) -> str:
        """What is the second to the first?"""
        return self._questions[by_marriage].format(a=first, b=second)

    def parse_question(self, question: str) -> tuple[str, str, bool]:
        """The pair (first, second) behind a question, and whether kin by marriage counts."""
        for by_marriage, pattern in enumerate(self._question_patterns):
            found = pattern.fullmatch(question.strip())
            if found:
                return found["a"], found["b"], bool(by_marriage)
        raise ParseError(f"no {self.code} question about kin fits '{question}'.")


NAME = r"(?:[A-ZÀ-Þ][a-zß-ÿ]+(?:-[A-ZÀ-Þ][a-zß-ÿ]+)?\b|@entity-\d+)"
# 'a' that must be 'an': before a vowel that is heard as one
ARTICLE = re.compile(r"\b([Aa]) (?=(?!eu|one\b|once\b)[aeio]|hour|u(?!ni|ku|se))")


def _sentences(unit: str) -> list[str]:
    """The sentences of a unit, which all end in a full stop."""
    pieces = unit.split(". ")
    return [*(f"{piece}." for piece in pieces[:-1]), pieces[-1]]


class _Heard:
    """What a unit has said so far."""

    def __init__(self) -> None:
        self.kin: list[Kin] = []
        self.people: dict[str, None] = {}
        self.genders: dict[str, str] = {}

    def meet(self, person: str) -> None:
        self.people[person] = None

    def tell(self, words: Vocabulary, word: str, first: str, second: str) -> None:
        self.kin.append((word, first, second))
        self.people[first] = self.people[second] = None
        gender = words.relation_of[word][1]
        if gender:
            self.disclose(second, gender, word)

    def disclose(self, person: str, gender: str, sentence: str) -> None:
        if self.genders.setdefault(person, gender) != gender:
            raise ParseError(f"{person} is said to be both male and female in '{sentence}'.")

    def only(self, gender: str, sentence: str) -> str:
        """The only person so far who may have this gender."""
        found = [p for p in self.people if self.genders.get(p, gender) == gender]
        if len(found) != 1:
            raise ParseError(f"it is not clear who is meant in '{sentence}'.")
        return found[0]


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _expand(text: str) -> Iterator[str]:
    """Every way to make the choices [a|b] in a text."""
    pieces = re.split(r"\[([^\]]*)\]", text)
    choices = [piece.split("|") if n % 2 else [piece] for n, piece in enumerate(pieces)]
    return (ARTICLE.sub(r"\1n ", "".join(chosen)) for chosen in product(*choices))


def _slots(frame: str, fillings: Mapping[str, str]) -> str:
    """The frame as a regular expression; a slot used twice must be filled alike."""
    parts, seen = re.split(r"\{(\w+)\}", frame), set()
    text = ""
    for n, part in enumerate(parts):
        if n % 2 == 0:
            text += re.escape(part)
        elif part in seen:
            text += f"(?P={part})"
        else:
            seen.add(part)
            text += f"(?P<{part}>{fillings[part]})"
    return text


# --- loading ------------------------------------------------------------------------------------


def _folder(code: str) -> Any:
    folder = resources.files("fabula.language") / code / "kinship"
    if not (folder / "grammar.toml").is_file():
        codes = [
            p.name
            for p in resources.files("fabula.language").iterdir()
            if (p / "kinship" / "grammar.toml").is_file()
        ]
        raise RecipeError(f"no language '{code}' for the world 'kinship'.{hint(code, codes)}")
    return folder


@cache
def phrases(code: str) -> Phrases:
    """The phrase bank of a language."""
    folder = _folder(code)
    names = sorted(p.name for p in folder.iterdir() if p.name.startswith(("scenes-", "settings")))
    files = [tomllib.loads((folder / name).read_text(encoding="utf-8")) for name in names]
    grammar = tomllib.loads((folder / "grammar.toml").read_text(encoding="utf-8"))
    return Phrases(grammar, files)


@cache
def names(code: str) -> dict[str, tuple[str, ...]]:
    """The first names of a language by gender."""
    text = (_folder(code) / "names.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return {gender: tuple(data[gender].split()) for gender in (MALE, FEMALE)}
