"""Where training data come from: a recipe by name or file, or generated data in any format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from fabula._version import __version__
from fabula.core.files import lines_of, make_folder, parse_json, write_whole
from fabula.core.instance import Instance
from fabula.core.seeds import fingerprint
from fabula.core.soundness import shown
from fabula.datasets.stored import Stored, digests, is_data
from fabula.errors import FabulaError, ParseError, hint
from fabula.generation.author import author
from fabula.recipe.loading import is_shipped, load, near
from fabula.training.data import Example, Graph, examples_of, words


def plain(said: Mapping[str, Any]) -> dict[str, Any]:
    """A value as it looks after being written and read as JSON."""
    try:
        return dict(orjson.loads(orjson.dumps(said)))
    except TypeError:
        raise FabulaError("a number is too large: it must fit into 64 bits.") from None


@dataclass(frozen=True)
class Source:
    """Some examples of a recipe, or of a data set written as records."""

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Changes to the recipe."""
    size: int | None = None
    seed: int | None = None
    split: str | None = None
    """A split other than the default, such as 'iid' for a test."""

    def to_dict(self) -> dict[str, Any]:
        """Everything that determines the examples, including the content of the recipe or
        folder.
        """
        if is_data(self.name):
            content = digest(digests(self.name))
        else:
            recipe = load(self.name, dict(self.changes))
            sizes = {name: split.size for name, split in recipe.splits.items()}
            content = digest([recipe.digest, recipe.seed, sizes])
        return plain({**asdict(self), "content": content})

    def near(self) -> Source:
        """This source, if it only reads built-in recipes and files in the current folder.

        For sources named in a file that may come from somebody else: an experiment, the plan of a
        run.
        """
        if not is_shipped(self.name):
            try:
                path = Path(self.name)
                path.is_dir()
                here = path.expanduser().resolve().is_relative_to(Path.cwd())
            except (OSError, RuntimeError, ValueError):  # too long, a NUL, a loop of links
                here = False
            if not here:
                raise FabulaError(
                    f"{shown(self.name)}: outside the current folder. Copy the data "
                    "here, or give them on the command line."
                )
        return replace(self, changes=near(self.changes, f"recipe {self.name}"))

    @classmethod
    def from_dict(cls, said: Any) -> Source:
        """The source that `to_dict` wrote; ParseError if it did not."""
        try:
            found = {name: value for name, value in said.items() if name != "content"}
            TypeAdapter(cls).validate_json(orjson.dumps(found), strict=True)
            return cls(**found)
        except (AttributeError, TypeError, ValidationError):
            raise ParseError(f"not a source of data: {shown(said)}.") from None

    def check(self, split: str) -> None:
        """Raise an error if there is no such split, or too little data, before anything is made."""
        split = self.split or split
        if is_data(self.name):
            needed = islice(self._stored(split).scan(), self.size or 1)
            self._enough(sum(1 for _ in needed), split)
            return
        splits = load(self.name, dict(self.changes)).splits
        if split not in splits:
            remedy = hint(split, splits)
            if split == "train":
                remedy += (
                    " It is a test set; train on another recipe or add --set splits.train=1000."
                )
            raise FabulaError(f"{self.name}: no split '{split}'.{remedy}")

    def instances(self, split: str) -> Iterator[Instance]:
        """The instances of this split."""
        split = self.split or split
        if is_data(self.name):
            return islice(self._stored(split).scan(), self.size)
        made = author(self.name, split, self.seed, self.changes)
        size = made.recipe.splits[split].size if self.size is None else self.size
        return made.instances(0, size)

    def _stored(self, split: str) -> Stored:
        """A split of generated data."""
        if self.changes or self.seed is not None:
            raise FabulaError(
                f"{self.name}: already generated; settings and a seed only apply to recipes."
            )
        return Stored(self.name, split)

    def examples(self, split: str, store: Path | None = None) -> list[Example]:
        """The examples of this split; cached in the folder `store`, if given."""
        if store is None or is_data(self.name):
            return self._made(split)
        path = store / f"{digest([self.to_dict(), split, __version__])}.examples"
        if path.is_file():
            with suppress(ParseError):  # damaged files are made again
                return kept(path)
        make_folder(store)
        made = self._made(split)
        write_whole(path, b"".join(map(written, made)))
        return made

    def _made(self, split: str) -> list[Example]:
        made = examples_of(self.instances(split))
        self._enough(len(made), self.split or split)
        return made

    def _enough(self, count: int, split: str) -> None:
        if count < (self.size or 1):
            raise FabulaError(
                f"{self.name}: split '{split}' has {count:,} examples, but "
                f"{f'{self.size:,}' if self.size else 'some'} are needed; generate more or "
                "ask for fewer."
            )


def instances(sources: Sequence[Source], split: str) -> Iterator[Instance]:
    """The instances of several sources, one after another."""
    return chain.from_iterable(source.instances(split) for source in sources)


def digest(value: Any) -> str:
    """A short hash of a JSON value."""
    return f"{fingerprint(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()):016x}"


# --- examples on disk ---------------------------------------------------------------------------


def written(example: Example) -> bytes:
    """An example as a line of JSON; its words follow from its sentences."""
    each, graph = example, example.graph and tuple(example.graph)
    return orjson.dumps(
        [each.told, each.asked, each.answer, each.support, graph, each.group, each.features],
        option=orjson.OPT_APPEND_NEWLINE,
    )


def kept(path: Path) -> list[Example]:
    """The examples in a file of such lines; ParseError for anything else."""
    found = []
    for number, line in lines_of(path):
        place = f"{path}, line {number}"
        said = parse_json(line, place)
        try:
            found.append(_example(*said))
        except (AttributeError, TypeError, ValueError):
            raise ParseError(f"{place}: not an example of this version.") from None
    return found


def _example(
    told: Any, asked: Any, answer: Any, support: Any, graph: Any, group: Any, features: Any
) -> Example:
    """An example with its types checked; raises an error otherwise."""
    sound = all(
        type(texts) is list and all(type(text) is str for text in texts)
        for texts in (told, answer, [asked, group], list(features))
    )
    sound = sound and bool(answer) and _among(support, len(told))
    sound = sound and all(isinstance(x, (int, str)) or x is None for x in features.values())
    if graph is not None:
        entities, edges, query = graph
        sound = sound and all(type(name) is str for name in entities)
        sound = sound and len(query) == 2 and _among(query, len(entities))
        for first, word, second in edges:
            sound = sound and type(word) is str and _among([first, second], len(entities))
        graph = Graph(tuple(entities), tuple(map(tuple, edges)), tuple(query))
    if not sound:
        raise ValueError("a part has the wrong type")
    return Example(
        story=tuple(map(words, told)),
        question=words(asked),
        answer=tuple(answer),
        support=tuple(support),
        graph=graph,
        group=group,
        features=features,
        told=tuple(told),
        asked=asked,
    )


def _among(numbers: list[Any], count: int) -> bool:
    """Whether these are valid indices into `count` things."""
    return all(type(number) is int and 0 <= number < count for number in numbers)
