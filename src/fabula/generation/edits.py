"""One-sentence edits of a story: a name replaced, or a sentence replaced, dropped, inserted or
moved.

Edited sentences are made of the story's own words: a name is replaced by another of the same sort,
two names are swapped, or names are put into the frame of another sentence. Nothing here knows which
world a story comes from; the sorts of words are found from the facts. The reader decides whether an
edited story can be true, and what follows from it (contrast.py).

    sort    words that fill the same places of facts: 'Mary' and 'John', 'kitchen' and 'park'
    frame   a sentence without its names: '… went to the …'
    tied    a sentence whose pronoun refers to the sentence before it
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabula.core.seeds import Draw, below, fingerprint, pick, shuffled
from fabula.errors import FabulaError
from fabula.world.base import Fact, Query, Reading, World

NAME, REPLACE, DROP, INSERT, MOVE = "name", "replace", "drop", "insert", "move"
KINDS = (NAME, REPLACE, DROP, INSERT, MOVE)
MOST_HEARD = 20_000  # cached sentences with their facts, so that memory stays flat
LONGEST_FRAME = 12  # maximum number of words in a sentence that may be repeated with other names


class Edit(NamedTuple):
    """A change to a story; sentences are numbered from 1."""

    kind: str
    """name, replace, drop, insert or move."""
    sentence: int
    """Number of the sentence in the original; for an inserted one, that of the sentence before
    it.
    """
    to: int
    """Its number in the edited story; 0 if it was dropped."""
    before: str
    """The sentence in the original; empty if it was inserted."""
    after: str
    """The sentence in the edited story; empty if it was dropped."""
    names: tuple[str, ...] = ()
    """The old word and the new one."""

    def applied(self, sentences: Sequence[str]) -> list[str]:
        """The sentences of the edited story."""
        told, at = list(sentences), self.sentence
        if self.kind in (NAME, REPLACE):
            told[at - 1] = self.after
        elif self.kind == DROP:
            del told[at - 1]
        elif self.kind == INSERT:
            told.insert(at, self.after)
        else:
            told.insert(self.to - 1, told.pop(at - 1))
        return told

    def sources(self, count: int) -> list[int]:
        """For each sentence of the edited story its number in the original; 0 if it is new."""
        numbers, at = list(range(1, count + 1)), self.sentence
        if self.kind in (NAME, REPLACE):
            numbers[at - 1] = 0
        elif self.kind == DROP:
            del numbers[at - 1]
        elif self.kind == INSERT:
            numbers.insert(at, 0)
        else:
            numbers.insert(self.to - 1, numbers.pop(at - 1))
        return numbers


Slot = tuple[str, int]
"""A place in facts: a kind of fact and the index of an argument; 0 stands for the kind itself."""


class Vocabulary:
    """The sorts of words in the stories of a recipe.

    Words that fill the same slot have the same sort, and so do slots that share a word.
    """

    def __init__(
        self, stories: Sequence[Sequence[Sequence[Fact]]] = (), labels: Mapping[str, str] = {}
    ) -> None:
        """`stories`: the facts of some stories; `labels`: those of their words (World.sorts)."""
        self.labels = dict(labels)
        self.heard: dict[str, tuple[Fact, ...]] = {}
        """Cache of sentences read in isolation, with their facts."""
        words: dict[Slot, dict[str, None]] = {}
        for story in stories:
            for told in story:
                for fact in told:
                    for at, word in enumerate(fact):
                        words.setdefault(slot_of(fact, at), {})[word] = None
        home: dict[Slot, list[Slot]] = {slot: [slot] for slot in words}
        filled: dict[str, Slot] = {}
        for slot, known in words.items():
            for word in known:
                other = filled.setdefault(word, slot)
                if home[other] is not home[slot]:
                    joined = home[other] + home[slot]
                    for each in joined:
                        home[each] = joined
        self._home = {slot: slots[0] for slot, slots in home.items()}
        self._words: dict[Slot, dict[str, None]] = {}
        for slot, known in words.items():
            self._words.setdefault(self._home[slot], {}).update(known)

    def sort(self, slot: Slot) -> Slot:
        """The sort of the words in a slot."""
        return self._home.get(slot, slot)

    def words(self, sort: Slot) -> Iterable[str]:
        """The words of a sort."""
        return self._words.get(sort, ())


def slot_of(fact: Fact, at: int) -> Slot:
    """The slot of a fact's word."""
    return (fact[0], at) if at else (f"/{len(fact)}", 0)


class Original:
    """A story to be edited."""

    def __init__(
        self,
        world: World,
        code: str,
        sentences: Sequence[str],
        reading: Reading,
        query: Query,
        choices: Sequence[str] | None,
        support: int,
        vocabulary: Vocabulary,
        fixed: int = 0,
        features: Mapping[str, Any] = {},
    ) -> None:
        """`support`: the sentences of the proof; the first `fixed` sentences stay as they are."""
        self.world = world
        self.code = code
        self.sentences = list(sentences)
        self.facts = reading.facts()[: len(sentences)]
        self.query = query
        self.support = [n for n in range(1, len(sentences) + 1) if support >> n & 1]
        self.fixed = fixed
        self.features = features
        self.tied: set[int] = getattr(reading, "pronouns", set())
        self._choices = choices or ()
        self._vocabulary = vocabulary
        self._labels = ChainMap(dict(world.sorts(reading)), vocabulary.labels)
        self._sorts: dict[str, Slot] = {}
        self._words: dict[Slot, list[str]] = {}
        self._found: dict[int, list[str]] = {}
        self._others: dict[str, list[str]] = {}

        self._repeats = len(set(self.facts)) < len(self.facts)

    @property
    def name(self) -> int:
        """A number for this story: another story at the same place is edited by other draws."""
        return fingerprint("\n".join(self.sentences))

    def facts_of(self, sentence: str) -> tuple[Fact, ...]:
        """The facts of a sentence in isolation; empty if it cannot be parsed."""
        known = self._vocabulary.heard.get(sentence)
        if known is None:
            try:
                (known,) = self.world.read(self.code, (sentence,)).facts()
            except (FabulaError, ValueError, KeyError):
                known = ()
            if len(self._vocabulary.heard) >= MOST_HEARD:
                self._vocabulary.heard.clear()
            self._vocabulary.heard[sentence] = known
        return known

    def is_new(self, facts: tuple[Fact, ...]) -> bool:
        """Whether facts may be used in an edited sentence: none relates something to itself, and
        the story does not have them already, unless it repeats itself anyway.
        """
        if not facts or any(len(set(fact)) < len(fact) for fact in facts):
            return False
        return self._repeats or facts not in self.facts

    def relates(self, number: int) -> bool:
        """Whether a sentence mentions two names of one sort."""
        words = self.words_in(number)
        return any(b in self.others(a) for i, a in enumerate(words) for b in words[i + 1 :])

    def editable(self) -> list[int]:
        """The sentences that may be edited."""
        return [n for n in range(self.fixed + 1, len(self.sentences) + 1) if self.facts[n - 1]]

    def free(self, number: int) -> bool:
        """Whether a sentence can be moved without changing the meaning of its neighbours."""
        return number not in self.tied and number + 1 not in self.tied

    # --- words ------------------------------------------------------------------------------

    def others(self, word: str) -> list[str]:
        """The words that may replace a word; those of the story first."""
        known = self._others.get(word)
        if known is None:
            known = self._others[word] = self._find_others(word)
        return known

    def _find_others(self, word: str) -> list[str]:
        if not self._sorts:
            self._sort()
        sort = self._sorts.get(word)
        if sort is None:
            return []
        others = [other for other in self._words[sort] if other != word]
        if not self._labels:
            return others
        label = self._labels.get(word)
        return [other for other in others if self._labels.get(other) == label]

    def _sort(self) -> None:
        """Find the sort of every word of the story, and the words of every sort."""
        sorts, known = self._sorts, self._vocabulary
        words: dict[Slot, dict[str, None]] = {}
        for told in self.facts:
            for fact in told:
                for at, word in enumerate(fact):
                    if word not in sorts:
                        sorts[word] = known.sort(slot_of(fact, at))
                    words.setdefault(sorts[word], {})[word] = None
        for sort, found in words.items():
            every = dict(found)
            every.update(dict.fromkeys(known.words(sort)))
            if any(choice in every for choice in self._choices):
                every.update(dict.fromkeys(self._choices))
            self._words[sort] = list(every)

    def decides(self, word: str) -> int:
        """How likely a word decides the answer: 0 if it has the sort of the answers or names a kind
        of fact, 1 if it has the sort of the question's last word, else 2.
        """
        others = self.others(word)
        if any(choice == word or choice in others for choice in self._choices[:2]):
            return 0
        if any(word == fact[0] for told in self.facts for fact in told):
            return 0
        return 1 if self.query[-1] == word or self.query[-1] in others else 2

    def told(self) -> set[str]:
        """All words of the story's facts."""
        return {word for told in self.facts for fact in told for word in fact}

    def words_in(self, number: int) -> list[str]:
        """The words of a sentence's facts that occur in its text, in the order of the text."""
        found = self._found.get(number)
        if found is None:
            text = self.sentences[number - 1]
            at = {}
            for fact in self.facts[number - 1]:
                for word in fact:
                    place = self._place(text, word)
                    if place is not None:
                        at[word] = place
            found = self._found[number] = sorted(at, key=lambda word: at[word])
        return found

    def _place(self, text: str, word: str) -> int | None:
        for form in self.world.spellings(self.code, word):
            place = word_position(text, form)
            if place is not None:
                return place
        return None

    def exchanged(self, text: str, new: Mapping[str, str]) -> str | None:
        """The text with words replaced, all at once; None if one does not occur exactly once."""
        for number, word in enumerate(new):
            marked = self._marked(text, word, chr(1 + number))
            if marked is None:
                return None
            text = marked
        for number, other in enumerate(new.values()):
            for at, form in enumerate(self.world.spellings(self.code, other)):
                text = _put(text, f"{chr(1 + number)}{at}\0", form)
        return text

    def _marked(self, text: str, word: str, mark: str) -> str | None:
        """The text with a mark for the word, one for each of its spellings."""
        found = False
        for at, form in enumerate(self.world.spellings(self.code, word)):
            start = 0
            while (place := word_position(text, form, start)) is not None:
                end = place + len(form)
                text = f"{text[:place]}{mark}{at}\0{text[end:]}"
                start, found = place + 3, True
        return text if found else None


def word_position(text: str, form: str, start: int = 0) -> int | None:
    """The position of a word in a text, as a whole word."""
    while (place := text.find(form, start)) >= 0:
        end = place + len(form)
        before, after = text[place - 1 : place], text[end : end + 1]
        if not (before.isalnum() or before == "-" or after.isalnum() or after == "-"):
            return place
        start = place + 1
    return None


def _put(text: str, mark: str, form: str) -> str:
    """The text with a word for every mark, and the right article."""
    while (place := text.find(mark)) >= 0:
        before, after = text[:place], text[place + len(mark) :]
        if form[:1].islower():
            head, _, last = before.rstrip().rpartition(" ")
            if last.lower() in ("a", "an") and before.endswith(" "):
                article = last[0] + ("n" if form[0] in "aeiou" else "")
                before = f"{head} {article} " if head else f"{article} "
        text = f"{before}{form}{after}"
    return text


# --- edits ----------------------------------------------------------------------------------------

Maker = Callable[[Original, int, Draw], Iterator[Edit]]
"""The edits of one kind at a sentence, most promising first."""


def _names(story: Original, number: int, draw: Draw) -> Iterator[Edit]:
    """Edits that replace one name of the sentence by another of its sort."""
    text = story.sentences[number - 1]
    words = shuffled(draw, story.words_in(number))
    if draw() < 0.8:
        words.sort(key=story.decides)
    for word in words:
        others = shuffled(draw, story.others(word))
        if draw() < 0.5:  # names in the question matter more often
            others.sort(key=lambda other: other not in story.query)
        for other in others[:MOST_NAMES]:
            made = story.exchanged(text, {word: other})
            if made is not None:
                yield Edit(NAME, number, number, text, made, (word, other))


MOST_NAMES = 3  # names tried in the place of one


def _replaced(story: Original, number: int, draw: Draw) -> Iterator[Edit]:
    """Edits that swap two names of the sentence, or put its names into the frame of another."""
    text, words = story.sentences[number - 1], story.words_in(number)
    pairs = [(a, b) for i, a in enumerate(words) for b in words[i + 1 :] if b in story.others(a)]
    for one, other in shuffled(draw, pairs):
        made = story.exchanged(text, {one: other, other: one})
        if made is not None:
            yield Edit(REPLACE, number, number, text, made)
    yield from _refilled(story, number, words, draw)
    kinds = [fact[0] for fact in story.facts[number - 1]]
    for other_number in shuffled(draw, story.editable())[:MOST_FRAMES]:
        frame = story.sentences[other_number - 1]
        own = story.words_in(other_number)
        if [fact[0] for fact in story.facts[other_number - 1]] == kinds or not _short(frame):
            continue
        if len(own) == len(words) and all(
            one == new or one in story.others(new) for one, new in zip(own, words, strict=True)
        ):
            made = story.exchanged(frame, dict(zip(own, words, strict=True)))
            if made is not None:
                yield Edit(REPLACE, number, number, text, made)


MOST_FRAMES = 6  # sentences whose frame is tried


def _refilled(story: Original, number: int, words: list[str], draw: Draw) -> Iterator[Edit]:
    """Edits that replace two names of the sentence by two others of the story."""
    text, told = story.sentences[number - 1], story.told()
    for i, one in enumerate(words):
        for other in words[i + 1 :]:
            if other not in story.others(one):
                continue
            pool = [word for word in (one, *story.others(one)) if word in told]
            pairs = [(a, b) for a in pool for b in pool if a != b and {a, b} != {one, other}]
            chosen = shuffled(draw, pairs)
            if draw() < 0.7:
                chosen.sort(key=lambda new: -sum(word in story.query for word in new))
            for new in chosen[:MOST_PAIRS]:
                made = story.exchanged(text, {one: new[0], other: new[1]})
                if made is not None:
                    yield Edit(REPLACE, number, number, text, made)


MOST_PAIRS = 12  # pairs of names tried in the place of two


def _dropped(story: Original, number: int, draw: Draw) -> Iterator[Edit]:
    """The edit that drops the sentence."""
    if len(story.editable()) > 1 and story.free(number):
        yield Edit(DROP, number, 0, story.sentences[number - 1], "")


def _inserted(story: Original, number: int, draw: Draw) -> Iterator[Edit]:
    """Edits that repeat the sentence somewhere else, with one of its names replaced."""
    text = story.sentences[number - 1]
    if not _short(text) or number in story.tied:
        return
    gaps = [at for at in range(story.fixed, len(story.sentences) + 1) if at + 1 not in story.tied]
    for word in shuffled(draw, story.words_in(number)):
        for other in shuffled(draw, story.others(word))[:2]:
            made = story.exchanged(text, {word: other})
            if made is not None:
                # right after it, at the end, or anywhere
                at = pick(draw, (number, gaps[-1], pick(draw, gaps)))
                if at in gaps:
                    yield Edit(INSERT, at, at + 1, "", made)


def _moved(story: Original, number: int, draw: Draw) -> Iterator[Edit]:
    """Edits that move the sentence."""
    count = len(story.sentences)
    if not story.free(number) or count - story.fixed < 2:
        return
    text = story.sentences[number - 1]
    for _ in range(3):
        to = story.fixed + 1 + below(draw, count - story.fixed)
        # the sentence that will follow it must not refer back to the one before
        follows = to if to < number else to + 1
        if to != number and follows not in story.tied:
            yield Edit(MOVE, number, to, text, text)


def _short(frame: str) -> bool:
    return frame.count(" ") < LONGEST_FRAME


MAKERS: dict[str, Maker] = {
    NAME: _names,
    REPLACE: _replaced,
    DROP: _dropped,
    INSERT: _inserted,
    MOVE: _moved,
}
