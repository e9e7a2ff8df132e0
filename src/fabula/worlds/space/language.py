"""Positions in words: the bAbI sentences, the questions, and the phrase bank.

Promises:
1. Every phrase is written once in the language file; its mirror images are derived by exchanging
   the words of a relation for those of another, never typed.
2. Everything said parses back to the relation, figure and ground it was said of; no list of names
   is needed. A sentence that fits nothing raises ParseError.
3. Parsing takes one pass of one regular expression: the names are cut out, and what is left, the
   *skeleton*, is looked up. So a large bank costs no more than a small one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from fabula.errors import ParseError, RecipeError, hint
from fabula.relations import Wording
from fabula.relations.wording import MEMO_LIMIT
from fabula.seeds import Draw, pick
from fabula.worlds.base import Query
from fabula.worlds.space.grid import INVERSE, UNITS

Told = tuple[str, str, str, str]
"""Relation, figure, ground, and the kind of expression."""

ROLES = ("figure", "ground")


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
        self._by_thing = self._index(self._thing, (*simple, *self.phrases), _the)
        self._memo: dict[str, Told] = {}

    # --- telling ---------------------------------------------------------------------------

    def say(self, relation: str, figure: str, ground: str, draw: Draw, kind: str = "") -> str:
        """A phrase of the bank, of a kind or of any."""
        text = pick(draw, self._say[kind, relation])
        if figure[0].isupper():
            return text.format(figure, ground)
        return _sentence(text.format(f"the {figure}", f"the {ground}"))

    def tell(self, relation: str, figure: str, ground: str, draw: Draw) -> str:
        """A plain sentence, as in the bAbI tasks."""
        return self._simple.say(relation, (figure, ground), draw)

    def ask(self, query: Query) -> str:
        """The question in words."""
        kind, args = query[0], query[1:]
        if kind == "relation":
            key = kind if args[0][0].isupper() else "relation-things"
            return self._queries.say(key, args, _never)
        if kind == "path":
            return self._queries.say(kind, args, _never)
        if kind == "what-is":
            return self._queries.say(f"what-is {args[0]}", ("", args[1]), _never)
        if kind == "what-of":
            return self._queries.say(f"what-of {args[1]}", (args[0], ""), _never)
        return self._queries.say(f"yes-no {args[0]}", args[1:], _never)

    # --- parsing ---------------------------------------------------------------------------

    def parse(self, sentence: str) -> Told:
        """What a sentence says."""
        told = self._memo.get(sentence)
        if told is not None:
            return told
        told = self._look_up(self._by_capital, self._capital, sentence)
        if told is not None:
            return told
        told = self._look_up(self._by_thing, self._thing, sentence)
        if told is None:
            try:
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
        if kind == "relation-things":
            return ("relation", *args)
        if kind == "what-of":
            return (kind, *args, relation)
        return (kind, relation, *args) if relation else (kind, *args)

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
        texts = [*(phrase.text for phrase in self.phrases)]
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
        if kind in data["asked"]:
            for relation, words in data["asked"][kind].items():
                yield f"{kind} {relation}", (text.replace("{relation}", words),)
        else:
            yield kind, (text,)


def _derive(data: Mapping[str, Any]) -> Iterator[Phrase]:
    """Every phrase for every relation it is meant for."""
    words, groups = data["words"], data["phrases"]["groups"]
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
    folder = resources.files("fabula.language")
    path = folder / code / "space.toml"
    if not path.is_file():
        codes = [p.name for p in folder.iterdir() if (p / "space.toml").is_file()]
        raise RecipeError(f"no language '{code}' for the world 'space'.{hint(code, codes)}")
    return SpaceLanguage(tomllib.loads(path.read_text(encoding="utf-8")))
