"""Examples for models: words and answers as numbers, ragged stories as compact batches.

Promises:
1. The vocabulary and the answers come from the training examples alone: a word that only the test
   has is unknown, and an answer that only the test has counts as wrong; none is dropped.
2. A batch is trimmed to its own longest story and sentence; padding is 0 and the lengths are given,
   so a model can (and must) mask it.
3. Validation examples are held out by story, since questions about one story are not independent.

Glossary: N examples, S sentences, W words of a sentence, Q words of a question, T words of a whole
story with its question, E entities, A answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

import torch
from torch import Tensor

from fabula.core.instance import Instance, story_name
from fabula.core.seeds import fingerprint
from fabula.errors import FabulaError
from fabula.evaluation.seen import noise_of

PAD, UNKNOWN = 0, 1
PLACEHOLDERS = 20  # rows for anonymous entities, right after padding and unknown
FIRST_WORD = 2 + PLACEHOLDERS
MAX_SUPPORTS = 10
CHUNK = 50  # number of batches that are sorted by length together

LETTER = r"[\w\u0900-\u0963]"  # `re` does not count vowel signs of Devanagari as letters
# 's is a separate word, so that a name stays the same word
WORD = re.compile(rf"@?{LETTER}+(?:-{LETTER}+)*|'{LETTER}+")


class Graph(NamedTuple):
    """A story as a graph: entities are numbered in order of mention."""

    entities: tuple[str, ...]
    edges: tuple[tuple[int, str, int], ...]
    """(from, relation, to), one for each fact about two entities."""
    query: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Example:
    """One question, as models see it."""

    story: tuple[tuple[str, ...], ...]
    question: tuple[str, ...]
    answer: tuple[str, ...]
    support: tuple[int, ...]
    """Sentence indices from 0, in the order of look-up (see `chained`)."""
    graph: Graph | None
    group: str
    """The story; questions about one story share it."""
    features: Mapping[str, Any]
    """Features that results are broken down by: recipe, question, support_size, hops, …"""
    told: tuple[str, ...] = ()
    """The original sentences, for models with their own tokenizer."""
    asked: str = ""
    """The original question."""


def words(text: str) -> tuple[str, ...]:
    """The words of a sentence, lower-cased, without punctuation."""
    return tuple(WORD.findall(text.lower()))


def example(instance: Instance) -> Example:
    """An instance as an example."""
    source = instance.provenance
    story, question = tuple(map(words, instance.story)), words(instance.question)
    support = tuple(number - 1 for number in instance.support)
    if source.get("dialect") != "release":  # which has its own order
        support = chained(support, story, question)
    return Example(
        story=story,
        question=question,
        answer=instance.answer,
        support=support,
        graph=graph(instance),
        group=story_name(source, instance.id),
        told=instance.story,
        asked=instance.question,
        features={
            "recipe": source.get("recipe"),
            "question": instance.query[0],
            "answer": label(instance.answer),
            "composition": "+".join(instance.composition),
            "noise": noise_of(instance.features, instance.roles),
            **{
                name: value
                for name, value in instance.features.items()
                if isinstance(value, (int, str)) or value is None
            },
        },
    )


def chained(
    support: tuple[int, ...], story: Sequence[Sequence[str]], question: Sequence[str]
) -> tuple[int, ...]:
    """Supports in the order in which a reader looks them up.

    The next one is the one that shares most words with the question and the previous ones, with
    rare words counting more; ties go to the latest. A model that is trained to fetch its supports
    one after another cannot learn any other order: 'Lily is a frog' must be known before 'Julius is
    a frog' becomes relevant.
    """
    if len(support) < 2:
        return support
    often = Counter(word for sentence in story for word in set(sentence))
    left, found, known = list(support), [], set(question)
    while left:
        shares = [sum(1 / often[w] for w in set(story[n]) & known) for n in left]
        best = max(range(len(left)), key=lambda at: (round(shares[at], 9), left[at]))
        found.append(left.pop(best))
        known.update(story[found[-1]])
    return tuple(found)


def graph(instance: Instance) -> Graph | None:
    """The facts about two entities as edges, if the question is about two entities.

    If a record has its own graph (kinship: the chain and its noise, each edge in the direction of
    the chain), that one is used.
    """
    numbers: dict[str, int] = {}
    edges = []
    if "edges" in instance.features:
        for name, _ in instance.features["people"]:
            numbers.setdefault(name, len(numbers))
        edges = [
            (first, relation, second) for first, relation, second, _ in instance.features["edges"]
        ]
    else:
        for fact in (fact for facts in instance.facts for fact in facts if len(fact) == 3):
            relation, *ends = fact
            first, second = (numbers.setdefault(name, len(numbers)) for name in ends)
            edges.append((first, relation, second))
    asked = [numbers[name] for name in instance.query[1:] if name in numbers]
    if len(asked) != 2 or asked[0] == asked[1]:
        return None
    return Graph(tuple(numbers), tuple(edges), (asked[0], asked[1]))


# --- words as numbers ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Vocabulary:
    """Words, answers and relations of the training examples, as numbers."""

    words: tuple[str, ...]
    answers: tuple[str, ...]
    """Labels; a list of several words is one label, joined by commas."""
    relations: tuple[str, ...]
    _word: dict[str, int] = field(init=False, repr=False, compare=False)
    _answer: dict[str, int] = field(init=False, repr=False, compare=False)
    _relation: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_word", {w: i + FIRST_WORD for i, w in enumerate(self.words)})
        object.__setattr__(self, "_answer", {a: i for i, a in enumerate(self.answers)})
        object.__setattr__(self, "_relation", {r: i + 1 for i, r in enumerate(self.relations)})

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Vocabulary:
        """The vocabulary of training examples."""
        if not examples:
            raise FabulaError("no training examples; choose a recipe or folder that has some.")
        seen = {w for e in examples for sentence in (*e.story, e.question) for w in sentence}
        relations = {r for e in examples if e.graph for _, r, _ in e.graph.edges}
        answers = {label(e.answer) for e in examples}
        return cls(tuple(sorted(seen)), tuple(sorted(answers)), tuple(sorted(relations)))

    @property
    def size(self) -> int:
        """Rows of the word table: padding, unknown, placeholders, words."""
        return FIRST_WORD + len(self.words)

    def word(self, text: str) -> int:
        """The number of a word."""
        return self._word.get(text, UNKNOWN)

    def word_of(self, answer: str) -> int:
        """The number of the word that an answer consists of; -1 if it has none or several."""
        return self._word.get(answer.lower(), -1)

    def answer(self, words: Sequence[str]) -> int:
        """The number of an answer, -1 if it does not occur in training."""
        return self._answer.get(label(words), -1)

    def answer_parts(self) -> tuple[tuple[int, ...], ...]:
        """The words of each answer, numbered from 0 among the words of all answers."""
        split = [answer.split(",") for answer in self.answers]
        numbers = {word: at for at, word in enumerate(sorted(set(chain.from_iterable(split))))}
        return tuple(tuple(numbers[word] for word in words) for words in split)

    def relation(self, name: str) -> int:
        """The number of a relation, from 1; 0 if unknown."""
        return self._relation.get(name, 0)

    def to_dict(self) -> dict[str, Any]:
        """The vocabulary as JSON data, for checkpoints."""
        return {"words": self.words, "answers": self.answers, "relations": self.relations}


def label(answer: Sequence[str]) -> str:
    """An answer as one label."""
    return ",".join(answer)


# --- stories as tensors -------------------------------------------------------------------------


@dataclass(slots=True)
class Batch:
    """Some examples as tensors, trimmed to the longest of them."""

    story: Tensor
    """[B, S, W] words."""
    sentences: Tensor
    """[B] number of sentences in each story."""
    question: Tensor
    """[B, Q] words."""
    answer: Tensor
    """[B] answers, -1 for one that does not occur in training."""
    support: Tensor
    """[B, 10] sentence indices in order, padded with -1."""
    edges: Tensor
    """[B, E, E] relations from row to column, 0 for none; E is 0 if there are no graphs."""
    nodes: Tensor
    """[B] number of entities in each graph."""
    query: Tensor
    """[B, 2] the entities in the question."""
    entities: Tensor
    """[B, 2, S, W] whether a word of the story is the first or the second entity of the
    question.
    """
    examples: tuple[Example, ...] = ()
    """The examples themselves, in order."""

    def __len__(self) -> int:
        return len(self.answer)

    def to(self, device: torch.device) -> Batch:
        """The batch on a device."""
        tensors = {name: getattr(self, name) for name in self.__slots__ if name != "examples"}
        return replace(self, **{name: tensor.to(device) for name, tensor in tensors.items()})

    @property
    def flat(self) -> tuple[Tensor, Tensor]:
        """The words of story and question in one row, [B, T], and the length of each row."""
        count, size = len(self), self.story.shape[1] * self.story.shape[2]
        row = torch.cat([self.story.reshape(count, size), self.question], 1)
        order, lengths = without_gaps(row)
        return row.gather(1, order), lengths


def without_gaps(row: Tensor) -> tuple[Tensor, Tensor]:
    """(indices of the words in rows [B, N], without padding; their number per row)."""
    kept = row != PAD
    lengths = kept.sum(1)
    order = (~kept).to(torch.int8).sort(dim=1, stable=True).indices
    return order[:, : max(1, int(lengths.max()))], lengths


class Tensors:
    """Examples converted to tensors once; batches are cut from them."""

    def __init__(
        self,
        examples: Sequence[Example],
        vocabulary: Vocabulary,
        max_sentences: int | None = None,
        cloze: bool = False,
    ) -> None:
        """With `max_sentences`, only the most recent sentences of a story are kept.

        With `cloze`, names of entities become placeholders, redrawn for each batch.
        """
        self.examples = examples
        self.vocabulary = vocabulary
        self.cloze = cloze
        stories = [e.story[-max_sentences:] if max_sentences else e.story for e in examples]
        dropped = [len(e.story) - len(s) for e, s in zip(examples, stories, strict=True)]
        self.sentences = torch.tensor([len(story) for story in stories])
        self.width = _longest(s for story in stories for s in story)
        deepest = _longest(stories)
        self.story = torch.zeros(len(stories), deepest, self.width, dtype=torch.int32)
        asked = _longest(e.question for e in examples)
        self.question = torch.zeros(len(stories), asked, dtype=torch.int32)
        number = vocabulary.word
        for row, (e, story) in enumerate(zip(examples, stories, strict=True)):
            _fill(self.story[row], [[number(w) for w in sentence] for sentence in story])
            _fill(self.question[row : row + 1], [[number(w) for w in e.question]])
        self.answer = torch.tensor([vocabulary.answer(e.answer) for e in examples])
        self.support = torch.full((len(examples), MAX_SUPPORTS), -1)
        for row, (e, lost) in enumerate(zip(examples, dropped, strict=True)):
            kept = [s - lost for s in e.support if s >= lost][:MAX_SUPPORTS]
            self.support[row, : len(kept)] = torch.tensor(kept, dtype=torch.long)
        self.words_in_sentence = (self.story != PAD).sum(2)
        self._draw_graphs(stories)

    def _draw_graphs(self, stories: Sequence[Sequence[Sequence[str]]]) -> None:
        """Build the graphs as tensors: edges, the entities of the question, and where each is
        mentioned.
        """
        graphs = [e.graph for e in self.examples]
        count = len(graphs)
        self.nodes = torch.tensor([len(g.entities) if g else 0 for g in graphs])
        most = max((len(g.edges) for g in graphs if g), default=0)
        self.edges = torch.zeros(count, most, 3, dtype=torch.int32)  # from, relation, to
        self.query = torch.full((count, 2), -1)
        # an entity is identified by its name, not by its number: all names that only a test has
        # share one
        self.who = torch.zeros(self.story.shape, dtype=torch.int16)
        self.who_asked = torch.zeros(self.question.shape, dtype=torch.int16)
        relation = self.vocabulary.relation
        for row, known in enumerate(graphs):
            if known is None:
                continue
            if self.cloze and len(known.entities) > PLACEHOLDERS:
                raise FabulaError(
                    f"a story has {len(known.entities)} entities, but there are only "
                    f"{PLACEHOLDERS} placeholders; train without cloze."
                )
            _fill(self.edges[row], [[one, relation(name), two] for one, name, two in known.edges])
            self.query[row] = torch.tensor(known.query)
            named = {name.lower(): node for node, name in enumerate(known.entities, 1)}
            asked = self.examples[row].question
            _fill(self.who[row], [[named.get(w, 0) for w in told] for told in stories[row]])
            _fill(self.who_asked[row : row + 1], [[named.get(w, 0) for w in asked]])
        self.who -= 1
        self.who_asked -= 1

    def __len__(self) -> int:
        return len(self.examples)

    def batch(self, rows: Tensor, shuffle: torch.Generator | None = None) -> Batch:
        """These rows as a batch; with `shuffle`, entities get random numbers and placeholders."""
        depth = max(1, int(self.sentences[rows].max()))
        width = max(1, int(self.words_in_sentence[rows].max()) if self.story.shape[1] else 1)
        story = self.story[rows, :depth, :width].long()
        question = self.question[rows].long()
        question = question[:, : max(1, int((question != PAD).sum(1).max()))]
        who = self.who[rows, :depth, :width]
        asked = who.unsqueeze(1) == self.query[rows][:, :, None, None]
        asked &= (self.query[rows] >= 0)[:, :, None, None]
        nodes = self.nodes[rows]
        if self.cloze:
            holders = 2 + _shuffled(torch.full_like(nodes, PLACEHOLDERS), PLACEHOLDERS, shuffle)
            story = _anonymous(story, who, holders)
            question = _anonymous(question, self.who_asked[rows, : question.shape[1]], holders)
        place = _shuffled(nodes, int(nodes.max()), shuffle)
        return Batch(
            story,
            self.sentences[rows],
            question,
            self.answer[rows],
            self.support[rows],
            _matrix(self.edges[rows].long(), place),
            nodes,
            place.gather(1, self.query[rows].clamp(min=0)) if place.shape[1] else self.query[rows],
            asked,
            tuple(self.examples[row] for row in rows.tolist()),
        )

    def batches(
        self, size: int, generator: torch.Generator | None = None
    ) -> Iterator[tuple[Tensor, Batch]]:
        """All rows once, as (row numbers, batch); in random order if a generator is given.

        Stories of similar length are batched together: chunks of many batches are sorted by length,
        and the batches shuffled again.
        """
        count = len(self)
        order = (
            torch.arange(count) if generator is None else torch.randperm(count, generator=generator)
        )
        for start in range(0, count, size * CHUNK):
            chunk = order[start : start + size * CHUNK]
            chunk = chunk[self.sentences[chunk].argsort(stable=True)]
            groups = list(torch.split(chunk, size))
            turns = (
                range(len(groups))
                if generator is None
                else torch.randperm(len(groups), generator=generator).tolist()
            )
            for turn in turns:
                yield groups[turn], self.batch(groups[turn], generator)


def _longest(rows: Iterable[Sequence[Any]]) -> int:
    """The length of the longest row; at least 1."""
    return max(1, max(map(len, rows), default=1))


def _fill(rows: Tensor, values: Sequence[Sequence[int]]) -> None:
    """Write ragged rows of numbers into a tensor of zeros."""
    wide = rows.shape[1]
    flat = [number for row in values for number in (*row, *(0,) * (wide - len(row)))]
    rows[: len(values)] = torch.tensor(flat, dtype=rows.dtype).view(len(values), wide)


def _shuffled(counts: Tensor, most: int, generator: torch.Generator | None) -> Tensor:
    """[B, most] the numbers below each count in random order; in order without a generator."""
    order = torch.arange(most).expand(len(counts), most)
    if generator is None:
        return order
    drawn = torch.rand(order.shape, generator=generator)
    return drawn.masked_fill(order >= counts.unsqueeze(1), 2.0).argsort(1).argsort(1)


def _anonymous(words: Tensor, who: Tensor, holders: Tensor) -> Tensor:
    """Words with placeholders for the entities that are mentioned."""
    shape = words.shape
    node = who.reshape(len(words), -1).long()
    held = holders.gather(1, node.clamp(min=0)).view(shape)
    return torch.where(who >= 0, held, words)


def _matrix(edges: Tensor, place: Tensor) -> Tensor:
    """[B, E, E] relations from row to column; `edges` [B, M, 3], `place` of each entity."""
    most = place.shape[1]
    matrix = torch.zeros(len(edges), most, most, dtype=torch.long)
    if not most or not edges.shape[1]:
        return matrix
    ends = place.gather(1, edges[:, :, 0]) * most + place.gather(1, edges[:, :, 2])
    # a missing edge has relation 0; it must not overwrite an existing one
    return (
        matrix.view(len(edges), -1).scatter_reduce(1, ends, edges[:, :, 1], "amax").view_as(matrix)
    )


# --- examples from instances --------------------------------------------------------------------


def hold_out(examples: Sequence[Example], share: float) -> tuple[list[Example], list[Example]]:
    """Training and validation examples: a fraction of the stories, drawn by name, is held out.

    Not the last ones: a recipe may fill its rarest cells last.
    """
    groups = sorted({e.group for e in examples}, key=fingerprint)
    if len(groups) < 2:
        raise FabulaError(
            "a single story cannot be split into training and validation; use more examples."
        )
    kept = set(groups[: min(len(groups) - 1, max(1, round(len(groups) * (1 - share))))])
    return [e for e in examples if e.group in kept], [e for e in examples if e.group not in kept]


def examples_of(instances: Iterable[Instance]) -> list[Example]:
    """Instances as examples."""
    return [example(found) for found in instances]
