"""Positions in words: the bAbI sentences, the questions, and the phrase bank.

Promises:
1. Every phrase is written once in the language file; its mirror images are derived by exchanging
   the words of a relation for those of another, never typed.
2. Everything said parses back to the relation, figure and ground it was said of; no list of names
   is needed. A sentence that fits nothing raises ParseError.
3. Parsing takes one pass of one regular expression: the names are cut out, and what is left, the
   *skeleton*, is looked up. So a large bank costs no more than a small one.
4. A sentence may say more, or other, than one step: several steps, a denial, two things at once, or
   the convention of the story, which is no fact. `statements` parses these too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import Any, NamedTuple

from fabula.errors import ParseError
from fabula.language import language_file
from fabula.relations import Wording
from fabula.relations.wording import MEMO_LIMIT
from fabula.seeds import Draw, pick
from fabula.worlds.base import Query
from fabula.worlds.space.grid import INVERSE, PATTERNS, SIDES, UNITS

Told = tuple[str, str, str, str]
"""Relation, figure, ground, and the kind of expression."""

ROLES = ("figure", "ground")


class Statement(NamedTuple):
    """One thing that a sentence says."""

    relation: str
    """Of a denial: one of grid.PATTERNS."""
    figure: str
    ground: str
    kind: str
    steps: int = 1
    """How many; 0: a denial."""


class Phrase(NamedTuple):
    """One expression for one relation."""

    kind: str
    relation: str
    text: str
    """With the slots {figure} and {ground}."""
    source: str
    """As it stands in the language file."""


class _Entry(NamedTuple):
    """What a skeleton means."""

    relation: str
    kind: str
    figures: tuple[int, ...]
    """Which of the words cut out are the figure."""
    grounds: tuple[int, ...]
    fixed: tuple[tuple[int, str], ...]
    """Words cut out that belong to the phrase: its first word has a capital too."""


class SpaceLanguage:
    """One language for positions."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.code: str = data["code"]
        self.names: dict[str, tuple[str, ...]] = {k: tuple(v) for k, v in data["names"].items()}
        self.phrases = tuple(_derive(data))
        self._simple = Wording({**data["compass"], **data["sides"]}, ROLES)
        self._queries = Wording(dict(_questions(data)), ROLES)
        self._say: dict[tuple[str, str], tuple[str, ...]] = {}
        for phrase in self.phrases:
            text = phrase.text.format(figure="{0}", ground="{1}")
            for kind in (phrase.kind, ""):
                self._say[kind, phrase.relation] = (
                    *self._say.get((kind, phrase.relation), ()),
                    text,
                )
        self.kinds = tuple(dict.fromkeys(phrase.kind for phrase in self.phrases))
        # what follows 'the' in a phrase is no name
        texts = " ".join(phrase.text for phrase in self.phrases)
        taken = "|".join(sorted(set(re.findall(r"[Tt]he (\w+)", texts))))
        self._capital = re.compile(r"([A-Z]\w*)")
        self._thing = re.compile(rf"[Tt]he (?!(?:{taken})\b)([a-z]\w*)")
        simple = [
            Phrase("compass" if group == "compass" else "plain", relation, text, text)
            for group in ("compass", "sides")
            for relation, texts in data[group].items()
            for text in texts
        ]
        self._by_capital = self._index(self._capital, self.phrases, "{}".format)
        self._quick = dict(_quick(self._by_capital))
        self._by_thing = self._index(self._thing, (*simple, *self.phrases), _the)
        self._memo: dict[str, Told] = {}
        self.conventions: dict[str, str] = data["conventions"]
        self._split, self._shared = _between(data["joining"]["both"]), data["joining"]["shared"]
        self.counted = tuple(_count(data))
        self.denials = tuple(_deny(data))
        self._beyond: dict[str, tuple[str, ...]] = {}
        for phrase in (*self.counted, *self.denials):
            text = phrase.text.format(figure="{0}", ground="{1}")
            self._beyond[phrase.relation] = (*self._beyond.get(phrase.relation, ()), text)
        # a comma or an 'and' of its own would hide where the second half begins
        self._whole = {text for texts in self._say.values() for text in texts if _simple(text)}
        self._at = dict(_places(data))
        special = (*self.counted, *self.denials)
        self._special = (
            (self._index(self._capital, special, "{}".format), self._capital),
            (self._index(self._thing, special, _the), self._thing),
        )

    # --- telling ---------------------------------------------------------------------------

    def say(self, relation: str, figure: str, ground: str, draw: Draw, kind: str = "") -> str:
        """A phrase of the bank, of a kind or of any."""
        text = pick(draw, self._say[kind, relation])
        return self.fill(text, figure, ground)

    def texts(self, relation: str, kind: str = "") -> tuple[str, ...]:
        """The phrases for a relation, of a kind or of any."""
        return self._say[kind, relation]

    def count(self, relation: str, figure: str, ground: str, steps: int, draw: Draw) -> str:
        """A sentence that tells several steps."""
        return self.fill(pick(draw, self._beyond[f"{relation} {steps}"]), figure, ground)

    def deny(self, pattern: str, figure: str, ground: str, draw: Draw) -> str:
        """A sentence that says how two do not lie."""
        return self.fill(pick(draw, self._beyond[f"not {pattern}"]), figure, ground)

    def joins(self, relation: str, kinds: Sequence[str], steps: int = 1) -> tuple[str, ...]:
        """The phrases for a relation that can be half of a sentence."""
        if steps > 1:
            return tuple(t for t in self._beyond[f"{relation} {steps}"] if _simple(t))
        texts = [t for kind in kinds or ("",) for t in self._say.get((kind, relation), ())]
        return tuple(text for text in texts if text in self._whole)

    def both(self, first: str, second: str) -> str:
        """Two sentences as one."""
        if not self._capital.match(second) or second.split(" ", 1)[0] in self._openings:
            second = second[0].lower() + second[1:]
        return f"{first[:-1]}{self._split}{second}"

    def shares(self, relation: str, steps: int) -> bool:
        """Whether this can be told in a sentence that tells two places of one figure."""
        return (relation, steps) in self._at

    def share(self, figure: str, first: tuple[str, int, str], second: tuple[str, int, str]) -> str:
        """Two places of one figure, each a relation, a number of steps and a ground."""
        noun: Callable[[str], str] = str if figure[0].isupper() else _the
        text = self._shared.format(
            figure=noun(figure),
            at=self._at[first[:2]],
            ground=noun(first[2]),
            other_at=self._at[second[:2]],
            other=noun(second[2]),
        )
        return _sentence(text)

    def fill(self, text: str, figure: str, ground: str) -> str:
        """A phrase of `joins`, and the like, with its names."""
        if figure[0].isupper():
            return text.format(figure, ground)
        return _sentence(text.format(f"the {figure}", f"the {ground}"))

    def tell(self, relation: str, figure: str, ground: str, draw: Draw) -> str:
        """A plain sentence, as in the bAbI tasks."""
        return self._simple.say(relation, (figure, ground), draw)

    def ask(self, query: Query) -> str:
        """The question in words."""
        kind, args = query[0], query[1:]
        agents = args[-1][0].isupper()
        if kind in ("relation", "how-far"):
            return self._queries.say(kind if agents else f"{kind}-things", args, _never)
        if kind == "path":
            if len(args) > 2:
                return self._queries.say("steps" if agents else "steps-things", args[1:], _never)
            return self._queries.say(kind, args, _never)
        if kind == "which":
            key = f"which {args[0]}" if agents else f"which-things {args[0]}"
            return self._queries.say(key, ("", args[1]), _never)
        if kind == "yes-no" and agents:
            return self._queries.say(f"yes-no-agents {args[0]}", args[1:], _never)
        if kind == "what-is":
            return self._queries.say(f"what-is {args[0]}", ("", args[1]), _never)
        if kind == "what-of":
            return self._queries.say(f"what-of {args[1]}", (args[0], ""), _never)
        return self._queries.say(f"yes-no {args[0]}", args[1:], _never)

    # --- parsing ---------------------------------------------------------------------------

    def step(self, sentence: str) -> Told | None:
        """The one step that a sentence tells, if it is of the phrase bank or remembered."""
        parts = self._capital.split(sentence)
        simple = self._quick.get("#".join(parts[::2]))
        if simple is not None:
            relation, kind, figure, ground, opening = simple
            if parts[figure] != parts[ground] and (not opening or parts[1] == opening):
                return relation, parts[figure], parts[ground], kind
        told = self._look_up(self._by_capital, self._capital, sentence)
        if told is None:
            told = self._memo.get(sentence)
        return told

    def parse(self, sentence: str) -> Told:
        """The one step that a sentence tells."""
        told = self.step(sentence)
        if told is not None:
            return told
        told = self._look_up(self._by_thing, self._thing, sentence)
        if told is None:
            try:
                if self._parse_shared(sentence):
                    raise ParseError("two things at once")
                relation, figure, ground = self._simple.parse(sentence)
            except ParseError:
                raise ParseError(f"no {self.code} sentence pattern fits '{sentence}'.") from None
            told = (relation, figure, ground, "plain" if relation in UNITS else "compass")
        if len(self._memo) >= MEMO_LIMIT:
            self._memo.clear()
        self._memo[sentence] = told
        return told

    def parse_question(self, question: str) -> Query:
        """The query behind a question."""
        try:
            meaning, *args = self._queries.parse(question)
        except ParseError:
            raise ParseError(f"no {self.code} question pattern fits '{question}'.") from None
        kind, _, relation = meaning.partition(" ")
        kind = kind.removesuffix("-things").removesuffix("-agents")
        if kind == "steps":
            return ("path", kind, *args)
        if kind == "what-of":
            return (kind, *args, relation)
        return (kind, relation, *args) if relation else (kind, *args)

    def statements(self, sentence: str) -> tuple[Statement, ...]:
        """All that a sentence says; nothing if it states the convention."""
        if sentence in self.conventions.values():
            return ()
        shared = self._parse_shared(sentence)
        if shared is not None:
            return shared
        whole = self._single(sentence)
        if whole is not None:
            return (whole,)
        first, middle, second = sentence.partition(self._split)
        if middle:
            halves = (self._single(f"{first}."), self._single(_sentence(second)))
            if halves[0] is not None and halves[1] is not None:
                return (halves[0], halves[1])
        raise ParseError(f"no {self.code} sentence pattern fits '{sentence}'.")

    def _single(self, sentence: str) -> Statement | None:
        for table, names in self._special:
            told = self._look_up(table, names, sentence)
            if told is not None:
                relation, figure, ground, kind = told
                if kind == "denial":
                    return Statement(relation.partition(" ")[2], figure, ground, kind, 0)
                relation, _, steps = relation.partition(" ")
                return Statement(relation, figure, ground, kind, int(steps))
        try:
            return Statement(*self.parse(sentence))
        except ParseError:
            return None

    def _parse_shared(self, sentence: str) -> tuple[Statement, Statement] | None:
        for names in (self._capital, self._thing):
            parts = names.split(sentence)
            if len(parts) != 7 or len(set(parts[1::2])) != 3:
                continue
            found = self._shared_skeletons.get("#".join(parts[::2]))
            if found is not None:
                figure, ground, other = parts[1::2]
                (first, count), (second, count2) = found
                return (
                    Statement(first, figure, ground, "plain" if count == 1 else "distance", count),
                    Statement(
                        second, figure, other, "plain" if count2 == 1 else "distance", count2
                    ),
                )
        return None

    @cached_property
    def _shared_skeletons(self) -> dict[str, tuple[tuple[str, int], tuple[str, int]]]:
        return {
            self._shared.format(figure="#", at=at, ground="#", other_at=other_at, other="#"): (a, b)
            for a, at in self._at.items()
            for b, other_at in self._at.items()
        }

    @cached_property
    def _openings(self) -> set[str]:
        """Words that begin a phrase."""
        texts = [p.text for p in (*self.phrases, *self.counted, *self.denials)]
        return {text.split(" ", 1)[0] for text in texts if not text.startswith("{")} | {"The"}

    def _look_up(
        self, table: Mapping[str, Sequence[_Entry]], names: re.Pattern[str], sentence: str
    ) -> Told | None:
        parts = names.split(sentence)
        entries = table.get("#".join(parts[::2]))
        if entries is None:
            return None
        words = parts[1::2]
        for relation, kind, figures, grounds, fixed in entries:
            figure, ground = words[figures[0]], words[grounds[0]]
            if figure == ground:
                continue
            if fixed and any(words[at] != word for at, word in fixed):
                continue
            if len(figures) > 1 and any(words[at] != figure for at in figures):
                continue
            if len(grounds) > 1 and any(words[at] != ground for at in grounds):
                continue
            return relation, figure, ground, kind
        return None

    def _index(
        self, names: re.Pattern[str], phrases: Sequence[Phrase], noun: Callable[[str], str]
    ) -> dict[str, tuple[_Entry, ...]]:
        """Skeleton to meaning: names are cut out of each phrase just as out of a sentence."""
        first, second = ("Xq", "Yq") if noun("x") == "x" else ("xq", "yq")
        table: dict[str, list[_Entry]] = {}
        for phrase in phrases:
            text = phrase.text
            if text.startswith("The {figure}"):  # a bAbI sentence has its articles already
                sentence = text.format(figure=first, ground=second)
            else:
                sentence = _sentence(text.format(figure=noun(first), ground=noun(second)))
            parts = names.split(sentence)
            words = parts[1::2]
            entry = _Entry(
                phrase.relation,
                phrase.kind,
                tuple(i for i, word in enumerate(words) if word == first),
                tuple(i for i, word in enumerate(words) if word == second),
                tuple((i, word) for i, word in enumerate(words) if word not in (first, second)),
            )
            entries = table.setdefault("#".join(parts[::2]), [])
            if all(entry[2:] != other[2:] for other in entries):
                entries.append(entry)
        return {skeleton: tuple(entries) for skeleton, entries in table.items()}

    def vocabulary(self) -> set[str]:
        """All words of phrases and questions, in lower case, as a careless tokeniser sees them."""
        texts = [p.text for p in (*self.phrases, *self.counted, *self.denials)]
        texts += [text for texts in self._queries.patterns.values() for text in texts]
        return {word.lower() for text in texts for word in re.findall(r"\w+", _bare(text))}


def _bare(text: str) -> str:
    return re.sub(r"\{\w+\}", " ", text)


def _never() -> float:
    return 0.0


def _the(name: str) -> str:
    return f"the {name}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _questions(data: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for kind, text in data["questions"].items():
        base = kind.removesuffix("-things").removesuffix("-agents")
        if base in data["asked"]:
            asked = data["asked"][base]
            if base == "yes-no":
                asked = asked | data["patterns"]
            for relation, words in asked.items():
                yield f"{kind} {relation}", (text.replace("{relation}", words),)
        else:
            yield kind, (text,)


def _quick(
    table: Mapping[str, Sequence[_Entry]],
) -> Iterator[tuple[str, tuple[str, str, int, int, str]]]:
    """The skeletons of one meaning that name each entity once, at most after a word of their own.

    With relation, kind, the places of figure and ground when the sentence is split, and that word.
    """
    for skeleton, entries in table.items():
        if len(entries) != 1:
            continue
        relation, kind, figures, grounds, fixed = entries[0]
        if len(figures) == len(grounds) == 1 and all(at == 0 for at, _ in fixed):
            opening = fixed[0][1] if fixed else ""
            yield skeleton, (relation, kind, figures[0] * 2 + 1, grounds[0] * 2 + 1, opening)


def _between(text: str) -> str:
    """What stands between the two halves of a joined sentence."""
    return text.removeprefix("{first}").removesuffix("{second}")


def _simple(text: str) -> bool:
    return "," not in text and " and " not in text


def _count(data: Mapping[str, Any]) -> Iterator[Phrase]:
    """Every phrase that tells more than one step, for every relation and number."""
    lexicon, groups = _lexicon(data), data["phrases"]["groups"]
    for group, texts in data["steps"]["phrases"].items():
        for text in texts:
            for relation in groups[group]:
                for count, word in enumerate(data["steps"]["numbers"][1:], 2):
                    slots = {**lexicon[relation], "count": word}
                    filled = text.format(figure="{figure}", ground="{ground}", **slots)
                    yield Phrase("distance", f"{relation} {count}", filled, text)


def _deny(data: Mapping[str, Any]) -> Iterator[Phrase]:
    """Every phrase that denies a pattern."""
    for pattern in PATTERNS:
        for text in data["denials"]["texts"]:
            filled = text.replace("{relation}", data["patterns"][pattern])
            yield Phrase("denial", f"not {pattern}", filled, text)


def _places(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, int], str]]:
    """The words for relations and numbers of steps that stand before a ground."""
    for relation, words in _lexicon(data).items():
        yield (relation, 1), words["at"]
        if relation in SIDES:
            for count, word in enumerate(data["steps"]["numbers"][1:], 2):
                yield (relation, count), data["steps"]["at"].format(count=word, at=words["at"])


def _lexicon(data: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """For each relation the words of its slots."""
    words = data["words"]
    order = words["order"]
    lexicon = {
        relation: {slot: row[order.index(relation)] for slot, row in words.items()}
        for relation in order
    }
    for relation in order:
        back = lexicon[INVERSE[relation]]
        lexicon[relation] |= {
            f"{slot}_back": back[slot] for slot in words if not slot.endswith("_back")
        }
    return lexicon


def _derive(data: Mapping[str, Any]) -> Iterator[Phrase]:
    """Every phrase for every relation it is meant for."""
    lexicon, groups = _lexicon(data), data["phrases"]["groups"]
    for kind, lists in data["phrases"].items():
        if kind == "groups":
            continue
        for group, texts in lists.items():
            for text in texts:
                for relation in groups[group]:
                    filled = text.format(figure="{figure}", ground="{ground}", **lexicon[relation])
                    yield Phrase(kind, relation, filled, text)


@cache
def language(code: str) -> SpaceLanguage:
    """The language of this code."""
    return SpaceLanguage(language_file(code, "space"))
