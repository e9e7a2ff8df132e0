"""Tells kin facts in scenes and reads them back.

A *unit* is one element of a story: one to three sentences that state one to three facts, the links
of a path. Its scenes (language/<code>/kinship/scenes-*.toml) have slots for people. A scene itself
says nothing about kinship; what a sentence means depends only on how people are mentioned in it:
'Ann', 'her uncle Bob', 'Bob, whose niece is Ann,' (see mentions.py).

    During the cattle auction, Ann taught Bob, her uncle, three sailing knots. His wife Cara had
    tickets for the semifinal.      uncle(Ann, Bob), wife(Bob, Cara); Ann is female, Bob is male

Promises:
1. `parse` gives back exactly what `telling.tell` meant: the kin facts as worded and every gender
   that the words disclose. It needs no list of names, and raises ParseError rather than guess.
2. For each fact, the unit discloses the second person's gender, so that the fact follows from the
   unit even if it is worded the other way round ('Bob taught his niece Ann').
3. A pronoun in a mention ('her uncle Bob') refers to the person in the first slot of the scene; in
   the first slot it refers to the only person of the unit so far it can refer to. A pronoun that
   fills the second slot refers to the person who introduces the first ('Ann's uncle Bob taught her
   …') and is used only if the two have different genders.
4. A slot says which pronoun may fill it: {2 he} for a subject, {2 him} for an object, {2 his} for
   an owner, {2} for none. It may also limit the relatives that fit: {2, a descendant}.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import product
from typing import Any, NamedTuple

from fabula.core.seeds import Draw, fingerprint, pick
from fabula.errors import ParseError, RecipeError, hint
from fabula.language.conventions import silent
from fabula.language.notation import noted, read_notation
from fabula.world.kinship.algebra import FEMALE, MALE, OPTIONS, Vocabulary, vocabulary
from fabula.world.kinship.mentions import (
    FREE,
    NAME,
    NAME_LAST,
    NO_COMMA,
    Mention,
    MentionForms,
)

HELD_OUT = 0.2
"""Fraction of the scenes and settings that only held-out stories may use."""
SLOT = "\x00"

Kin = tuple[str, str, str]
"""(word, a, b): b is a's word."""


class Meaning(NamedTuple):
    """The facts that a unit states."""

    kin: tuple[Kin, ...]
    genders: tuple[tuple[str, str], ...]
    """Everyone whose gender the words disclose, with the gender; in order of mention."""


class Person(NamedTuple):
    """A person to be mentioned."""

    name: str
    gender: str


class Scene(NamedTuple):
    """A sentence with slots."""

    kind: str
    """pair, solo or trio."""
    base: int
    """The scene before its choices were expanded; scenes are held out by base."""
    parts: tuple[str, ...]
    """The text around the slots."""
    second: str
    """The pronoun that may fill the second slot: he, him, his, or '' for none."""
    leads: bool
    """Whether a setting may precede it: it begins with a person and is in the past tense."""
    rooms: tuple[int, ...]
    """For each slot, the mention forms that fit in it (see mentions.py)."""
    fits: frozenset[str]
    """Relations that the second person may have to the first; any if empty."""


class Pool(NamedTuple):
    """The scenes and settings that a story may use."""

    pair: tuple[tuple[Scene, ...], ...]
    """The variants of each base, so that a scene with many choices is not more frequent."""
    solo: tuple[tuple[Scene, ...], ...]
    trio: tuple[tuple[Scene, ...], ...]
    leads: tuple[tuple[str, ...], ...]
    asides: tuple[tuple[str, ...], ...]
    peopled: tuple[tuple[str, ...], ...] = ()
    """Leads that bring in somebody else, whom a pronoun might mean."""
    led: float = 0.5
    """Fraction of the sentences that get a lead, of those that can."""


class Phase(NamedTuple):
    """A part of an occasion (see thread.py)."""

    openings: tuple[str, ...]
    """Sentences that it may begin with."""
    pool: Pool


Occasion = tuple[Phase, ...]


class Phrases:
    """The kinship phrases of one language."""

    def __init__(
        self,
        grammar: Mapping[str, Any],
        files: Iterable[Mapping[str, Any]],
        threads: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.code: str = grammar["code"]
        self._questions: tuple[str, str] = (grammar["question"], grammar["question_by_marriage"])
        self._pronouns: dict[str, dict[str, str]] = grammar["pronouns"]
        self._groups: dict[str, list[str]] = grammar["groups"]
        self._plain: tuple[str, ...] = tuple(grammar["plain"]["statements"])
        self._after_object = set(grammar["syntax"]["after_object"])
        self._timeless = set(grammar["syntax"]["timeless"])
        self.words: Vocabulary = vocabulary(frozenset(OPTIONS))
        self.mentions = MentionForms(grammar, self.words)
        kinds: dict[str, list[list[Scene]]] = {"pair": [], "solo": [], "trio": []}
        settings: dict[str, list[list[str]]] = {"leads": [], "asides": [], "peopled": []}
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
        connectives = tuple(grammar["thread"]["leads"])
        occasions: dict[str, Occasion] = {}
        for name, data in threads.items():
            phases = []
            for entry in data["phase"]:
                phases.append(self._phase(entry, number, connectives))
                number += len(entry["pair"] + entry["solo"] + entry["trio"])
            occasions[name] = tuple(phases)
        self.occasions = {name: _held_out(occasions, name) for name in self.pools}
        """The occasions of stories with a thread, by pool."""
        told = [phase for occasion in occasions.values() for phase in occasion]
        groups: list[Sequence[Scene]] = [group for part in kinds.values() for group in part]
        for phase in told:
            groups += [*phase.pool.pair, *phase.pool.solo, *phase.pool.trio]
        self._known: dict[str, Scene] = {}
        for scene in (scene for group in groups for scene in group):
            skeleton = SLOT.join(scene.parts)
            if skeleton in self._known:
                raise ValueError(f"two scenes read alike: {skeleton!r}")
            self._known[skeleton] = scene
        # 'her' may stand for "Ann" and for "Ann's"
        for skeleton in self._known:
            if SLOT + "'s" in skeleton and skeleton.replace(SLOT + "'s", SLOT) in self._known:
                raise ValueError(f"two scenes read alike with 'her': {skeleton!r}")
        self._leads = {
            text for kind in ("leads", "peopled") for group in settings[kind] for text in group
        } | set(connectives)
        if any(", " in lead for lead in self._leads):
            raise ValueError("a lead has no comma, since one follows it")
        self._asides = {text for group in settings["asides"] for text in group}
        for phase in told:
            self._asides.update(phase.openings, *phase.pool.asides)
        self._fixed = self._capitals()
        self._statements = [(frame, self._statement_pattern(frame)) for frame in self._plain]
        self._question_patterns = tuple(
            re.compile(_slots(question, {"a": NAME, "b": NAME})) for question in self._questions
        )

    # --- the bank -------------------------------------------------------------------------

    def _scene(self, kind: str, base: int, text: str) -> Scene:
        parts = re.split(r"\{[^}]*\}", text)
        slots = [re.fullmatch(SCENE_SLOT, slot) for slot in re.findall(r"\{[^}]*\}", text)]
        wanted = {"pair": 2, "solo": 1, "trio": 3}[kind]
        if [slot and slot["number"] for slot in slots] != [str(n + 1) for n in range(wanted)]:
            raise ValueError(f"a {kind} scene needs its slots in order: {text!r}")
        if text[-1] != "." or ". " in text:
            raise ValueError(f"a scene is one sentence with a full stop: {text!r}")
        if ", " in parts[1:-1]:
            raise ValueError(f"the people of a scene need more than a comma between them: {text!r}")
        second, fits = "", frozenset[str]()
        for n, slot in enumerate(slots):
            assert slot
            if (slot["case"] or slot["group"]) and (kind == "solo" or n != 1):
                raise ValueError(f"only the second slot of a scene may be limited: {text!r}")
            second = slot["case"] or second
            if slot["group"]:
                group = frozenset(self._groups[slot["group"]])
                fits = frozenset(self.words.relations) - group if slot["no"] else group
        if second == "him":
            after = re.match(r" ([\w-]+)", parts[2])
            if after and after[1] not in self._after_object:
                raise ValueError(f"'her {after[1]}' reads like a possessive: {text!r}")
        if second and (kind != "pair" or parts[1].strip() == "and"):
            raise ValueError(f"no pronoun can stand in the second slot: {text!r}")
        if second == "his":
            parts[2] = "'s" + parts[2]
        verb = (parts[1].split() or [""])[0]
        past = verb == "was" or not (verb.endswith("s") or verb in self._timeless)
        rooms = tuple(
            NAME_LAST if part[:2] == "'s" else NO_COMMA if part[:1] == "," else FREE
            for part in parts[1:]
        )
        return Scene(kind, base, tuple(parts), second, not parts[0] and past, rooms, fits)

    def _phase(self, entry: Mapping[str, Any], number: int, leads: tuple[str, ...]) -> Phase:
        """A phase of an occasion; its scenes are numbered from here."""
        parts: list[tuple[tuple[Scene, ...], ...]] = []
        for kind in ("pair", "solo", "trio"):
            scenes = [
                self._scene(kind, base, text) for base, text in enumerate(entry[kind], number)
            ]
            # 'Just then, Ann was late' is odd, since being late takes a while
            parts.append(
                tuple(
                    (scene._replace(leads=scene.leads and scene.parts[1][:5] != " was "),)
                    for scene in scenes
                )
            )
            number += len(scenes)
        asides = tuple((text,) for text in entry["asides"])
        pair, solo, trio = parts
        return Phase(tuple(entry["opening"]), Pool(pair, solo, trio, (leads,), asides, led=0.25))

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

        return Pool(
            scenes("pair"), scenes("solo"), scenes("trio"),
            texts("leads"), texts("asides"), texts("peopled"),
        )  # fmt: skip

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
            scene, _ = self._scene_of(sentence)
            found += [scene.base] if scene else []
        return found

    def _capitals(self) -> frozenset[str]:
        """Capitalised words of the bank and of mentions: they are not names."""
        texts = [*self.texts(), *OPENERS]
        return frozenset(w for text in texts for w in re.findall(r"\b[A-Z]\w*", text))

    def clash(self, name: str) -> bool:
        """Whether a name would be mistaken for an ordinary word, or cannot be parsed at all."""
        return name in self._fixed or not re.fullmatch(NAME, name)

    # --- telling --------------------------------------------------------------------------

    def plain(self, people: Sequence[Person], links: Sequence[str], draw: Draw) -> str:
        """One link in a plain sentence."""
        (relation,) = links
        word = self.words.word(relation, people[1].gender)
        return pick(draw, self._plain).format(
            a=people[0].name, b=people[1].name, kin=word, article=_article(word)
        )

    def statement(self, word: str, first: str, second: str) -> str:
        """That the second person is this to the first, in a bare statement."""
        return self._plain[0].format(a=first, b=second, kin=word, article=_article(word))

    def pronoun(self, gender: str, case: str) -> str:
        """he, him or his for a person of this gender."""
        return self._pronouns[gender][case]

    # --- parsing --------------------------------------------------------------------------

    def parse(self, unit: str) -> Meaning:
        """The facts of a unit; none if it is filler or states a convention."""
        heard, fillers = _Heard(), silent(self.code, "kinship")
        facts = read_notation(unit)
        for fact in facts or ():
            self._take_fact(fact, heard)
        for sentence in () if facts else _sentences(unit):
            if sentence in self._asides or sentence in fillers:
                continue
            scene, mentions = self._scene_of(sentence)
            if scene is None:
                self._parse_plain(sentence, heard)
            else:
                self._take(scene, mentions, heard, sentence)
        if not heard.kin and unit not in fillers:
            raise ParseError(f"'{unit}' says nothing about kin.")
        return Meaning(tuple(heard.kin), tuple(heard.genders.items()))

    def _take_fact(self, fact: tuple[str, ...], heard: _Heard) -> None:
        """Take in a fact in notation."""
        if len(fact) == 3 and fact[0] in self.words.relation_of:
            heard.tell(self.words, *fact)
        elif len(fact) == 2 and fact[0] in (MALE, FEMALE):
            heard.disclose(fact[1], fact[0], noted([fact]))
        else:
            raise ParseError(f"'{' '.join(fact)}' is not a fact about kin.")

    def _scene_of(self, sentence: str) -> tuple[Scene | None, list[Mention]]:
        """The scene of a sentence and the people in its slots."""
        lead, _, rest = sentence.partition(", ")
        led = lead in self._leads
        skeleton, mentions = self.mentions.parse(rest if led else sentence, self._fixed)
        scene = self._find(skeleton)
        return (None if led and scene and not scene.leads else scene), mentions

    def _find(self, skeleton: str) -> Scene | None:
        """The scene of a skeleton, in which 'her' may be an object or a possessive."""
        if HER in skeleton:
            object_ = self._known.get(skeleton.replace(HER, SLOT))
            return object_ or self._known.get(skeleton.replace(HER, SLOT + "'s"))
        return self._known.get(skeleton)

    def _take(
        self, scene: Scene, mentions: Sequence[Mention], heard: _Heard, sentence: str
    ) -> None:
        """Add the facts of a scene with these mentions."""
        first = mentions[0]
        for place, mention in enumerate(mentions):
            form, person, word, anchor, own, turned, known_gender, gender = mention
            if form == "name":
                heard.meet(person)
            elif form == "pronoun":
                self._take_pronoun(scene, first, place, anchor, heard, sentence)
            else:
                known = anchor
                if own:
                    if place > 1 or (place and first.form != "name"):
                        raise ParseError(
                            f"'{sentence}' is ambiguous: it is not clear whom a pronoun refers to."
                        )
                    known = first.person if place else heard.only(known_gender, sentence)
                if known_gender:
                    heard.disclose(known, known_gender, sentence)
                if turned:
                    heard.tell(self.words, word, person, known)
                else:
                    heard.tell(self.words, word, known, person)
                if gender:
                    heard.disclose(person, gender, sentence)

    def _take_pronoun(
        self, scene: Scene, first: Mention, place: int, pronoun: str, heard: _Heard, sentence: str
    ) -> None:
        """Add the facts of a scene whose second slot is a pronoun: the person who introduced the
        first.
        """
        if place == 1 and scene.second and first.anchor and not first.own:
            for gender in (MALE, FEMALE):
                same = heard.genders.get(first.person) == gender
                if self.pronoun(gender, scene.second) == pronoun and not same:
                    heard.disclose(first.anchor, gender, sentence)
                    return
        raise ParseError(f"'{sentence}' is ambiguous: it is not clear whom '{pronoun}' refers to.")

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
        """The question for the relation of the second person to the first."""
        return self._questions[by_marriage].format(a=first, b=second)

    def parse_question(self, question: str) -> tuple[str, str, bool]:
        """The pair (first, second) in a question, and whether kin by marriage counts."""
        for by_marriage, pattern in enumerate(self._question_patterns):
            found = pattern.fullmatch(question.strip())
            if found:
                return found["a"], found["b"], bool(by_marriage)
        raise ParseError(f"no {self.code} question about kin fits '{question}'.")


SCENE_SLOT = re.compile(
    r"\{(?P<number>\d)(?: (?P<case>he|him|his))?(?:, (?P<no>not )?an? (?P<group>\w+))?\}"
)
HER = "\x03"  # 'her' as a pronoun (see mentions.py)
OPENERS = ("His", "Her", "He", "She", "A", "An", "The")
# 'a' that must be 'an': before a vowel sound
ARTICLE = re.compile(r"\b([Aa]) (?=(?!eu|one\b|once\b)[aeio]|hour|u(?!ni|ku|se))")


def _sentences(unit: str) -> list[str]:
    """The sentences of a unit; all end in a full stop."""
    pieces = unit.split(". ")
    return [*(f"{piece}." for piece in pieces[:-1]), pieces[-1]]


class _Heard:
    """The facts of a unit so far."""

    __slots__ = ("genders", "kin", "people")

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
            raise ParseError(
                f"'{sentence}' is ambiguous: it is not clear whom a pronoun refers to."
            )
        return found[0]


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" else "a"


def _held_out(occasions: Mapping[str, Occasion], pool: str) -> tuple[Occasion, ...]:
    """The occasions of a pool: all, a fixed part of them, or the remainder."""
    order = sorted(occasions, key=lambda name: fingerprint("occasion:" + name))
    held = set(order[: round(len(order) * HELD_OUT)])
    return tuple(
        occasion
        for name, occasion in occasions.items()
        if pool == "any" or (name in held) == (pool == "held-out")
    )


def _expand(text: str) -> Iterator[str]:
    """Every expansion of the choices [a|b] in a text."""
    pieces = re.split(r"\[([^\]]*)\]", text)
    choices = [piece.split("|") if n % 2 else [piece] for n, piece in enumerate(pieces)]
    return (ARTICLE.sub(r"\1n ", "".join(chosen)) for chosen in product(*choices))


def _slots(frame: str, fillings: Mapping[str, str]) -> str:
    """The frame as a regular expression; a slot that occurs twice must be filled alike."""
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
    data = {
        path.name: tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.iterdir(), key=lambda path: path.name)
        if path.name.endswith(".toml") and path.name != "names.toml"
    }
    grammar = data.pop("grammar.toml")
    threads = {name: data.pop(name) for name in list(data) if name.startswith("thread-")}
    return Phrases(grammar, data.values(), threads)


@cache
def names(code: str) -> dict[str, tuple[str, ...]]:
    """The first names of a language by gender."""
    text = (_folder(code) / "names.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return {gender: tuple(data[gender].split()) for gender in (MALE, FEMALE)}
