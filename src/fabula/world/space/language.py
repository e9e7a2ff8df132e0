"""Positions in words: the bAbI sentences, the questions, and the phrase bank.

Promises:
1. Every phrase is written once in the language file; its mirror images are derived by swapping the
   words of one relation for those of another, never typed.
2. Every rendered sentence parses back to its relation, figure and ground; no list of names is
   needed. A sentence that fits no pattern raises ParseError.
3. Parsing takes one pass of one regular expression: the names are cut out, and what remains, the
   *skeleton*, is looked up. So a large bank costs no more than a small one.
4. A sentence may state something other than one step: several steps, a denial, two links, or a
   convention of the story, which is not a fact. `statements` parses these too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from fabula.core.seeds import Draw, pick
from fabula.errors import ParseError
from fabula.language import language_file
from fabula.language.conventions import silent
from fabula.language.notation import read_notation
from fabula.world.base import Fact, Query
from fabula.world.relations import Wording
from fabula.world.relations.wording import MEMO_LIMIT
from fabula.world.space.bank import Phrase, asked_regions, banks
from fabula.world.space.grid import COMPASS, REGIONS, UNITS, WORDS

Told = tuple[str, str, str, str]
"""Relation, figure, ground, and the kind of expression."""

ROLES = ("figure", "ground")


class Statement(NamedTuple):
    """One statement of a sentence."""

    relation: str
    """For a denial: a region (see grid.py)."""
    figure: str
    ground: str
    kind: str
    steps: int = 1
    """The number of steps; 0: a denial."""


class _Entry(NamedTuple):
    """The meaning of a skeleton."""

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
        self.banks = banks(data)
        self._simple = Wording({**data["compass"], **data["sides"]}, ROLES)
        self._queries = Wording(dict(_questions(data)), ROLES)
        self._split, self._shared = _between(data["joining"]["both"]), data["joining"]["shared"]
        self._say: dict[tuple[int, str, str], tuple[str, ...]] = {}
        """The phrases, by dimensions, kind of expression (or none) and relation."""
        for dimensions, bank in self.banks.items():
            for phrase in (*bank.phrases, *bank.counted, *bank.denials):
                text = phrase.text.format(figure="{0}", ground="{1}")
                for kind in (phrase.kind, ""):
                    key = (dimensions, kind, phrase.relation)
                    self._say[key] = (*self._say.get(key, ()), text)
        phrases = tuple(dict.fromkeys(p for bank in self.banks.values() for p in bank.phrases))
        special = tuple(p for bank in self.banks.values() for p in (*bank.counted, *bank.denials))
        self._vocabulary: frozenset[str] | None = None
        self._texts = [phrase.text for phrase in (*phrases, *special)]
        self._openings = {t.split(" ", 1)[0] for t in self._texts if t[0] != "{"} | {"The"}
        # words after 'the' in a phrase cannot be names
        taken = "|".join(sorted(set(re.findall(r"[Tt]he (\w+)", " ".join(self._texts)))))
        self._capital = re.compile(r"([A-Z]\w*)")
        self._thing = re.compile(rf"[Tt]he (?!(?:{taken})\b)([a-z]\w*)")
        simple = [
            Phrase("compass" if group == "compass" else "plain", relation, text, text)
            for group in ("compass", "sides")
            for relation, texts in data[group].items()
            for text in texts
        ]
        self._by_capital = self._index(self._capital, phrases, "{}".format)
        self._quick = dict(_quick(self._by_capital))
        self._by_thing = self._index(self._thing, (*simple, *phrases), _the)
        self._special = (
            (self._index(self._capital, special, "{}".format), self._capital),
            (self._index(self._thing, special, _the), self._thing),
        )
        self._both = dict(self._shared_skeletons())
        self._memo: dict[str, Told] = {}

    def kinds(self, dimensions: int = 2) -> tuple[str, ...]:
        """The kinds of expression."""
        return tuple(dict.fromkeys(phrase.kind for phrase in self.banks[dimensions].phrases))

    # --- telling ---------------------------------------------------------------------------

    def texts(self, relation: str, kind: str = "", dimensions: int = 2) -> tuple[str, ...]:
        """The phrases for a relation, of a kind or of any, to be filled; may be empty.

        A number of steps may follow the relation, and 'not' may precede a region.
        """
        return self._say.get((dimensions, kind, relation), ())

    def say(self, relation: str, figure: str, ground: str, draw: Draw, kind: str = "") -> str:
        """A phrase of the flat bank, of a kind or of any."""
        return self.fill(pick(draw, self.texts(relation, kind)), figure, ground)

    def joins(
        self, relation: str, kinds: Sequence[str], steps: int = 1, dimensions: int = 2
    ) -> tuple[str, ...]:
        """The phrases for a relation that can be half of a sentence."""
        if steps > 1:
            texts = self.texts(f"{relation} {steps}", "", dimensions)
        else:
            texts = tuple(t for k in kinds or ("",) for t in self.texts(relation, k, dimensions))
        # a comma or an 'and' of its own would hide where the second half begins
        return tuple(text for text in texts if "," not in text and " and " not in text)

    def both(self, first: str, second: str) -> str:
        """Two sentences as one."""
        if not self._capital.match(second) or second.split(" ", 1)[0] in self._openings:
            second = second[0].lower() + second[1:]
        return f"{first[:-1]}{self._split}{second}"

    def shares(self, relation: str, steps: int, dimensions: int = 2) -> bool:
        """Whether this relation fits in a sentence that states two positions of one figure."""
        return (relation, steps) in self.banks[dimensions].at

    def share(
        self,
        figure: str,
        first: tuple[str, int, str],
        second: tuple[str, int, str],
        dimensions: int = 2,
    ) -> str:
        """Two positions of one figure, each a relation, a number of steps and a ground."""
        noun: Callable[[str], str] = str if figure[0].isupper() else _the
        at = self.banks[dimensions].at
        text = self._shared.format(
            figure=noun(figure),
            at=at[first[:2]],
            ground=noun(first[2]),
            other_at=at[second[:2]],
            other=noun(second[2]),
        )
        return capitalised(text)

    def fill(self, text: str, figure: str, ground: str) -> str:
        """A phrase, such as one of `joins`, with its names."""
        if figure[0].isupper():
            return text.format(figure, ground)
        return capitalised(text.format(f"the {figure}", f"the {ground}"))

    def plain(self, relation: str) -> tuple[str, ...]:
        """The plain sentences for a relation, as in the bAbI tasks, to be filled."""
        return self._simple.positional(relation)

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
        """The one step that a sentence states, if it is in the phrase bank or cached."""
        known = self._memo.get(sentence)
        if known is not None:
            return known
        parts = self._capital.split(sentence)
        simple = self._quick.get("#".join(parts[::2]))
        if simple is not None:
            relation, kind, figure, ground, opening, _ = simple
            figure, ground = figure * 2 + 1, ground * 2 + 1
            if parts[figure] != parts[ground] and (not opening or parts[1] == opening):
                return relation, parts[figure], parts[ground], kind
        return _meant(self._by_capital.get("#".join(parts[::2]), ()), parts[1::2])

    def steps(self, sentences: Sequence[str]) -> list[Told] | None:
        """`step` of all sentences at once; None if one of them has none."""
        found: list[Told] = []
        if sentences[0] in self._memo:
            for sentence in sentences:
                told = self.step(sentence)
                if told is None:
                    return None
                found.append(told)
            return found
        parts = self._capital.split("\n".join(sentences))
        names, quick, at = parts[1::2], self._quick, 0
        for skeleton in "#".join(parts[::2]).split("\n"):
            simple = quick.get(skeleton)
            if simple is not None:
                relation, kind, first, second, opening, width = simple
                figure, ground = names[at + first], names[at + second]
                if figure == ground or (opening and names[at] != opening):
                    return None
                found.append((relation, figure, ground, kind))
            else:
                width = skeleton.count("#")
                told = _meant(self._by_capital.get(skeleton, ()), names[at : at + width])
                if told is None:
                    return None
                found.append(told)
            at += width
        return found

    def parse(self, sentence: str) -> Told:
        """The one step that a sentence states."""
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
        """All statements of a sentence; none if it states a convention or is a filler."""
        if sentence in silent(self.code, "space"):
            return ()
        shared = self._parse_shared(sentence)
        if shared is not None:
            return shared
        whole = self._single(sentence)
        if whole is not None:
            return (whole,)
        first, middle, second = sentence.partition(self._split)
        if middle:
            halves = (self._single(f"{first}."), self._single(capitalised(second)))
            if halves[0] is not None and halves[1] is not None:
                return (halves[0], halves[1])
        facts = read_notation(sentence)
        if facts is None:
            raise ParseError(f"no {self.code} sentence pattern fits '{sentence}'.")
        return tuple(map(_noted, facts))

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
            found = self._both.get("#".join(parts[::2]))
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

    def _shared_skeletons(
        self,
    ) -> Iterator[tuple[str, tuple[tuple[str, int], tuple[str, int]]]]:
        for bank in self.banks.values():
            for first, at in bank.at.items():
                for second, other_at in bank.at.items():
                    text = self._shared.format(
                        figure="#", at=at, ground="#", other_at=other_at, other="#"
                    )
                    yield text, (first, second)

    def _look_up(
        self, table: Mapping[str, Sequence[_Entry]], names: re.Pattern[str], sentence: str
    ) -> Told | None:
        parts = names.split(sentence)
        return _meant(table.get("#".join(parts[::2]), ()), parts[1::2])

    def _index(
        self, names: re.Pattern[str], phrases: Sequence[Phrase], noun: Callable[[str], str]
    ) -> dict[str, tuple[_Entry, ...]]:
        """Skeleton to meaning: names are cut out of each phrase exactly as out of a sentence."""
        first, second = ("Xq", "Yq") if noun("x") == "x" else ("xq", "yq")
        table: dict[str, list[_Entry]] = {}
        for phrase in phrases:
            text = phrase.text
            if text.startswith("The {figure}"):  # a bAbI sentence already has its articles
                sentence = text.format(figure=first, ground=second)
            else:
                sentence = capitalised(text.format(figure=noun(first), ground=noun(second)))
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

    def vocabulary(self) -> frozenset[str]:
        """All words of phrases and questions, in lower case, as a naive tokenizer sees them."""
        if self._vocabulary is None:
            texts = [*self._texts]
            texts += [text for texts in self._queries.patterns.values() for text in texts]
            words = (word.lower() for text in texts for word in re.findall(r"\w+", _bare(text)))
            self._vocabulary = frozenset(words)
        return self._vocabulary


def _bare(text: str) -> str:
    return re.sub(r"\{\w+\}", " ", text)


def _never() -> float:
    return 0.0


def _the(name: str) -> str:
    return f"the {name}"


def capitalised(text: str) -> str:
    """A text with its first letter as a capital."""
    return text[0].upper() + text[1:]


def _meant(entries: Sequence[_Entry], words: Sequence[str]) -> Told | None:
    """The meaning of a sentence, given the entries of its skeleton and the words cut out."""
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


def _questions(data: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for kind, text in data["questions"].items():
        if "{relation}" in text:
            for relation, words in asked_regions(data, kind).items():
                yield f"{kind} {relation}", (text.replace("{relation}", words),)
        else:
            yield kind, (text,)


def _quick(
    table: Mapping[str, Sequence[_Entry]],
) -> Iterator[tuple[str, tuple[str, str, int, int, str, int]]]:
    """The unambiguous skeletons that name each entity once, with at most one fixed word in front.

    Each with relation, kind, the indices of figure and ground among the words cut out, the fixed
    word, and the number of words.
    """
    for skeleton, entries in table.items():
        if len(entries) != 1:
            continue
        relation, kind, figures, grounds, fixed = entries[0]
        if len(figures) == len(grounds) == 1 and all(at == 0 for at, _ in fixed):
            opening = fixed[0][1] if fixed else ""
            width = 2 + bool(fixed)
            yield skeleton, (relation, kind, figures[0], grounds[0], opening, width)


def _between(text: str) -> str:
    """The words between the two halves of a joined sentence."""
    return text.removeprefix("{first}").removesuffix("{second}")


def _noted(fact: Fact) -> Statement:
    """The meaning of a fact in symbolic notation (see language/notation.py)."""
    denial = fact[0] == "not"
    told: Fact = fact[1:] if denial else fact
    steps = 0 if denial else 1
    count = "".join(fact[3:])
    if not denial and count.isdecimal():
        told, steps = fact[:3], int(count)
    if len(told) != 3 or told[0] not in (REGIONS if denial else WORDS):
        raise ParseError(f"'{' '.join(fact)}' is not a fact about positions.")
    kind = "compass" if told[0] in COMPASS else "plain" if steps == 1 else "distance"
    return Statement(told[0], told[1], told[2], "denial" if denial else kind, steps)


@cache
def language(code: str) -> SpaceLanguage:
    """The language with this code."""
    return SpaceLanguage(language_file(code, "space"))
