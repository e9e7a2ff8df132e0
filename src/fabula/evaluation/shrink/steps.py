"""Smaller stories: every single step from a proven instance to a simpler one, proven again.

A step drops a sentence, tells it more plainly, tells less of it, makes one of two people or things,
puts two sentences in the usual order, or gives somebody or something a simpler name. The answer may
change with the story; the question must still have one that follows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import Any

from fabula.analysis.rewrites.reread import CONVENTION, Line, lines_of, retell
from fabula.core.instance import Instance
from fabula.errors import FabulaError, RecipeError
from fabula.language import language_file
from fabula.language.catalogue import native, tongue_of
from fabula.language.conventions import sentences
from fabula.language.tongue import Tongue
from fabula.recipe.collection import Collection as RecipeCollection
from fabula.recipe.loading import load_again
from fabula.world import WORLDS
from fabula.world.base import Fact, Query, World, same_answer

MARK = "+shrunk"
REMEMBERED = 64
_KNOWN: dict[tuple[str, ...], dict[str, list[str]]] = {}
"""The lists of names of recipes seen before."""
PAIRS = 6
"""Stories up to this length are also tried without any two sentences."""


class Form:
    """A proven story on the way to the smallest one, in the language of its world."""

    def __init__(self, record: Instance, frame: Frame) -> None:
        self.record = record
        self.frame = frame

    @property
    def lines(self) -> list[Line]:
        """The sentences; none is bound to what it said before."""
        return [line._replace(source=0) for line in lines_of(self.record)]

    @cached_property
    def asked(self) -> Instance:
        """The record as the model reads it, in the language it was failed in."""
        return self.frame.told(self.record)

    @property
    def size(self) -> int:
        """Sentences that are not conventions."""
        return sum(role != CONVENTION for role in self.record.roles)

    # --- steps ------------------------------------------------------------------------------

    def without(self, dropped: Collection[int]) -> Form | None:
        """The story without some sentences, counted from 0."""
        kept = [line for at, line in enumerate(self.lines) if at not in dropped]
        return self.frame.form(self.record, kept)

    def only(self, kept: Collection[int]) -> Form | None:
        """The story with these sentences, counted from 1, and the conventions."""
        lines = self.lines
        chosen = [line for at, line in enumerate(lines, 1) if at in kept or line.role == CONVENTION]
        return self.frame.form(self.record, chosen) if len(chosen) < len(lines) else None

    def drops(self) -> Iterator[Form]:
        """The story without one sentence."""
        for at in reversed(range(len(self.record.story))):
            if found := self.without({at}):
                yield found

    def pairs(self) -> Iterator[Form]:
        """The story without two sentences, if it is short."""
        if self.size <= PAIRS:
            for pair in combinations(range(len(self.record.story)), 2):
                if found := self.without(set(pair)):
                    yield found

    def tellings(self) -> Iterator[Form]:
        """One sentence told more plainly, or telling less; the plainest first."""
        lines = self.lines
        for at in range(len(lines)):
            for text in self._plainer(at):
                told = [*lines[:at], lines[at]._replace(text=text), *lines[at + 1 :]]
                if found := self.frame.form(self.record, told):
                    yield found

    def plain(self) -> Form | None:
        """All sentences in the plainest words for what they tell."""
        world, code = self.frame.world, self.frame.code
        texts = [
            (world.plain(code, facts) if facts else None) or text
            for text, facts in zip(self.record.story, self.record.facts, strict=True)
        ]
        if tuple(texts) == self.record.story:
            return None
        told = [line._replace(text=text) for line, text in zip(self.lines, texts, strict=True)]
        return self.frame.form(self.record, told)

    def _plainer(self, at: int) -> Iterator[str]:
        """Other texts for a sentence: telling less, or the same in plainer words."""
        world, code = self.frame.world, self.frame.code
        facts, text = self.record.facts[at], self.record.story[at]
        several = sum(len(fact) > 2 for fact in facts) > 1
        for less in range(len(facts)) if several else ():
            kept = [*facts[:less], *facts[less + 1 :]]
            if told := world.plain(code, kept):
                yield told
        for changed, fact in enumerate(facts):
            for simpler in world.simpler(fact):
                told = world.plain(code, [*facts[:changed], simpler, *facts[changed + 1 :]])
                if told:
                    yield told
        same = world.plain(code, facts) if facts else None
        if same and same != text:
            yield same

    def orders(self) -> Iterator[Form]:
        """Two neighbours exchanged, if they are of kinds that usually come the other way round.

        Which way is usual does not matter, only that it is the same for all stories: 'move' before
        'grab' before 'give', as it happens the reverse of the alphabet.
        """
        lines = self.lines
        kinds = [tuple(fact[0] for fact in facts) for facts in self.record.facts]
        for at in range(len(lines) - 1):
            if kinds[at] and kinds[at] < kinds[at + 1]:
                told = [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]
                if found := self.frame.form(self.record, told):
                    yield found

    def merges(self) -> Iterator[Form]:
        """One person, place or thing instead of two."""
        for first, second in combinations(self._names(), 2):
            if self.frame.pool(first) is not self.frame.pool(second):
                continue
            if found := self._exchanged({second: first}):
                yield found

    def renamings(self) -> Iterator[Form]:
        """Somebody or something with a simpler name: the first free one of its list."""
        used: set[str] = set()
        for name in self._names():
            pool = self.frame.pool(name)
            target = next((other for other in pool if other not in used), name)
            used.add(name)
            if pool.index(target) >= pool.index(name):
                continue
            found = self._exchanged({name: target, target: name})
            answer = tuple({name: target, target: name}.get(x, x) for x in self.record.answer)
            if found and same_answer(found.record.query, found.record.answer, answer):
                yield found

    def renamed(self) -> Form | None:
        """Everybody and everything with the simplest names, in order of appearance."""
        form = self
        for _ in self._names():  # each swap may free a name for a later one
            following = next(form.renamings(), None)
            if following is None:
                break
            form = following
        return None if form is self else form

    def _names(self) -> list[str]:
        """The names in the story and the question that could be others, as they appear."""
        told = [name for facts in self.record.facts for fact in facts for name in fact[1:]]
        return [name for name in dict.fromkeys([*told, *self.record.query[1:]])
                if self.frame.pool(name)]  # fmt: skip

    def _exchanged(self, new: Mapping[str, str]) -> Form | None:
        """The story with other names; None if it would not say just the same of these."""
        record, world, code = self.record, self.frame.world, self.frame.code
        pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, new))})\b")
        lines = []
        for line, facts in zip(self.lines, record.facts, strict=True):
            text = line.text
            if line.role != CONVENTION:
                changed = [_renamed(fact, new) for fact in facts]
                told = world.plain(code, facts) == text and world.plain(code, changed)
                text = told or pattern.sub(lambda found: new[found[0]], text)
            lines.append(line._replace(text=text))
        query = (record.query[0], *(new.get(word, word) for word in record.query[1:]))
        expected = tuple(tuple(_renamed(fact, new) for fact in facts) for facts in record.facts)
        if any(len(set(fact)) < len(fact) for facts in expected for fact in facts):
            return None  # nobody gives something to themselves
        form = self.frame.form(record, lines, query)
        return form if form is not None and form.record.facts == expected else None


def steps(form: Form) -> Iterator[Form]:
    """Every single step from here; 1-minimal is a story after all of which the model is right."""
    yield from form.drops()
    yield from form.tellings()
    yield from form.merges()
    yield from form.orders()
    yield from form.renamings()


def _renamed(fact: Fact, new: Mapping[str, str]) -> Fact:
    return (fact[0], *(new.get(word, word) for word in fact[1:]))


class Frame:
    """The context of a failure, the same in all its forms: world, language, lists of names."""

    def __init__(self, original: Instance) -> None:
        """FabulaError if the answer of the instance has no proof to keep."""
        name = str(original.provenance.get("world", ""))
        if name not in WORLDS:
            raise FabulaError(f"{original.id}: unknown world '{name}'.")
        self.original = original
        self.world: World = WORLDS[name]
        self._tongue: Tongue | None = tongue_of(name, original.provenance)
        language = native(str(original.provenance.get("language", "en")), name)
        self._own = _in_own_words(original, self._tongue, language)
        self.code = self.world.idiom(language, original.features)
        self._stated = self._conventions(language, name)
        self._pools = None if self._tongue else _pools_for(original, language, name)

    def begin(self) -> Form:
        """The original as a form; FabulaError if it is not proven."""
        form = self.form(self._own, [line._replace(source=0) for line in lines_of(self._own)])
        answer = self._own.answer
        if form is None or not same_answer(self._own.query, form.record.answer, answer):
            raise FabulaError(f"{self.original.id}: its answer is not proven from its story.")
        return form

    def form(self, of: Instance, lines: Sequence[Line], query: Query | None = None) -> Form | None:
        """The form with these sentences; None if the question is not proven from them."""
        if all(line.role == CONVENTION for line in lines):
            return None
        try:
            made = retell(of, "shrunk", lines, query or of.query)
        except (FabulaError, LookupError, ValueError):  # a sentence that the reader cannot parse
            return None
        if not isinstance(made, Instance):
            return None
        if made.choices and not set(made.answer) <= set(made.choices):
            return None
        kept = [line.text for line in lines if line.role == CONVENTION]
        provenance = self._provenance(kept)
        stated = provenance.get("conventions", {}).get("names")
        if stated is not None and not set(made.features["conventions"]) <= set(stated):
            return None
        return Form(replace(made, id=f"{self.original.id}{MARK}", choices=of.choices,
                            provenance=provenance), self)  # fmt: skip

    def told(self, record: Instance) -> Instance:
        """A record in the language of the original."""
        tongue = self._tongue
        if tongue is None:
            return record
        return replace(
            record,
            story=tuple(tongue.tell(record.story)),
            question=tongue.ask(record.question),
            answer=tongue.say(record.answer, record.query),
            choices=self.original.choices,
            provenance={**self.original.provenance, "rewrite": "shrunk", "of": self.original.id},
        )

    def pool(self, name: str) -> list[str]:
        """The names that could stand for one, the simplest first; none if it is not known."""
        return [] if self._pools is None else self._pools.get(name, [])

    def _conventions(self, language: str, world: str) -> dict[str, str]:
        """The conventions that the story states, and their sentences."""
        stated = self.original.provenance.get("conventions", {})
        if stated.get("stated") != "story":
            return {}
        names = list(stated.get("names", ()))
        return dict(zip(names, sentences(language, world, names), strict=True))

    def _provenance(self, kept: Sequence[str]) -> dict[str, Any]:
        made = {**self._own.provenance, "rewrite": "shrunk", "of": self.original.id}
        if made.get("conventions", {}).get("stated") == "story":
            names = [name for name, text in self._stated.items() if text in kept]
            made["conventions"] = {**made["conventions"], "names": names}
        if made.get("dialect") == "release":  # its support is a proof, not what was cited
            made |= {"dialect": "", "changes": {**made.get("changes", {}), "dialect": "release"}}
        return made


def _in_own_words(instance: Instance, tongue: Tongue | None, language: str) -> Instance:
    """The record in the language of its world."""
    if tongue is None:
        return instance
    own = {key: value for key, value in instance.provenance.items()
           if key not in ("cipher", "letters")}  # fmt: skip
    return replace(
        instance,
        story=tuple(tongue.hear(instance.story)),
        question=tongue.hear_question(instance.question),
        answer=tongue.hear_words(instance.answer),
        choices=None if instance.choices is None else tongue.hear_words(instance.choices),
        provenance={**own, "language": language},
    )


def _pools_for(instance: Instance, language: str, world: str) -> dict[str, list[str]]:
    made = instance.provenance
    key = (*(str(made.get(name)) for name in ("recipe_digest", "part", "dialect")), language)
    if key not in _KNOWN:
        if len(_KNOWN) >= REMEMBERED:
            _KNOWN.clear()
        _KNOWN[key] = _pools(instance, language, world)
    return _KNOWN[key]


def _pools(instance: Instance, language: str, world: str) -> dict[str, list[str]]:
    """For each name of the recipe those that it can be exchanged with, the first the simplest.

    A name is in a list of the recipe or of the language (people, places, names for women); two
    names can be exchanged if they are in the same lists.
    """
    lists = [*_lists(_recipe_data(instance)), *_lists(_language_data(language, world))]
    places: dict[str, list[int]] = {}
    for number, names in enumerate(lists):
        for name in dict.fromkeys(names):
            places.setdefault(name, []).append(number)
    pools: dict[tuple[int, ...], list[str]] = {}
    for name, where in places.items():
        pools.setdefault(tuple(where), []).append(name)
    for names in pools.values():
        names.sort(key=lambda name: (len(name), name))
    return {name: pools[tuple(where)] for name, where in places.items()}


def _recipe_data(instance: Instance) -> Any:
    try:
        recipe = load_again(instance.provenance)
    except RecipeError:
        return {}
    if isinstance(recipe, RecipeCollection):
        part = recipe.members.get(str(instance.provenance.get("part", "")))
        return {} if part is None else part.model_dump()
    return recipe.model_dump()


def _language_data(language: str, world: str) -> Any:
    names = "kinship/names" if world == "kinship" else world
    try:
        data = language_file(language, names)
    except RecipeError:
        return {}
    if world == "kinship":
        return [data["male"].split(), data["female"].split()]
    return {key: data[key] for key in ("pronouns", "names") if key in data}


def _lists(value: Any) -> Iterator[list[str]]:
    """All lists of texts within a value."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _lists(each)
    elif isinstance(value, list | tuple):
        if value and all(isinstance(each, str) for each in value):
            yield list(value)
        else:
            for each in value:
                yield from _lists(each)
