"""Dataset: a sequence of instances, made on demand.

    data = fabula.Dataset("babi/qa2", split="test", seed=7)     a recipe, by name, file or object
    data = fabula.Dataset("out/qa2", split="test")              a folder, file or URL of records
    data = fabula.Dataset(instances)                            a list

Promises:
1. `data[i]` generates one instance, not those before it; the order of access does not matter.
2. Slices, `take`, `filter`, `shuffle` and `sample` are views: nothing is generated until it is
   used.
3. `size=None` makes a recipe endless. Operations that need an end (`len`, `data[-1]`) then raise an
   error.
4. A data set can be pickled, and sent to the workers of a `DataLoader`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from fabula.core.instance import Instance
from fabula.core.seeds import below, stream
from fabula.datasets.stored import Stored, is_data
from fabula.errors import FabulaError, UsageError, hint
from fabula.generation.author import Author
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe

if TYPE_CHECKING:
    import pyarrow as pa

    from fabula.analysis.stats import Summary
    from fabula.analysis.verify import Verdict
    from fabula.scoring import Score

ENDLESS = sys.maxsize
SEARCHED = 100_000  # instances of an endless data set that a filter tries without a match


class _Unset:
    """Marks a size that was not given: the recipe decides."""


_UNSET = _Unset()


class Source(Protocol):
    """A source of instances."""

    @property
    def size(self) -> int | None:
        """The number of instances; None if there is no end."""

    def get(self, index: int) -> Instance:
        """The instance at this position."""

    def scan(self, start: int, stop: int) -> Iterator[Instance]:
        """The instances from start to stop, in order."""


class Generated:
    """Instances of a split of a recipe, generated on demand."""

    def __init__(self, recipe: Recipe, split: str, seed: int | None, size: int | None) -> None:
        self.recipe = recipe
        self.split = split
        self.seed = recipe.seed if seed is None else seed
        self.size = size
        self._author: Author | None = Author(recipe, split, self.seed)
        self._block: tuple[int, list[Instance]] | None = None

    def __getstate__(self) -> dict[str, Any]:
        content = self.recipe.model_dump(exclude_unset=True)
        return {"content": content, "split": self.split, "seed": self.seed, "size": self.size}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from fabula.recipe.loading import build

        self.recipe = build(state["content"])
        self.split, self.seed, self.size = state["split"], state["seed"], state["size"]
        self._author = self._block = None

    def __repr__(self) -> str:
        return f"{self.recipe.id} ({self.split}, seed {self.seed})"

    @property
    def author(self) -> Author:
        """The author that generates the instances."""
        if self._author is None:
            self._author = Author(self.recipe, self.split, self.seed)
        return self._author

    def get(self, index: int) -> Instance:
        """The instance with this index."""
        size = self.author.block
        start = index - index % size
        if self._block is None or self._block[0] != start:
            self._block = start, list(self.author.instances(start, start + size))
        return self._block[1][index - start]

    def scan(self, start: int, stop: int) -> Iterator[Instance]:
        """The instances from start to stop, in order."""
        return self.author.instances(start, stop)


class Listed:
    """Instances in a list."""

    def __init__(self, instances: Sequence[Instance]) -> None:
        self._instances = instances
        self.size = len(instances)

    def __repr__(self) -> str:
        return "a list"

    def get(self, index: int) -> Instance:
        """The instance at this position."""
        return self._instances[index]

    def scan(self, start: int, stop: int) -> Iterator[Instance]:
        """The instances from start to stop, in order."""
        return iter(self._instances[start:stop])


class Filtered:
    """The instances of a data set that meet a condition, found as they are needed."""

    def __init__(self, data: Dataset, condition: Callable[[Instance], bool]) -> None:
        self._data = data
        self._condition = condition
        self._found: list[int] = []
        self._looked = 0  # positions checked so far

    def __repr__(self) -> str:
        return f"{self._data._source!r}, filtered"

    @property
    def size(self) -> int | None:
        """The number of matches; this checks all instances."""
        if self._data.endless:
            return None
        self._look(ENDLESS)
        return len(self._found)

    def _look(self, wanted: int) -> None:
        """Check instances until this many matches are found, or there are no more."""
        end = ENDLESS if self._data.endless else len(self._data)
        missed = 0
        for instance in self._data._scan(self._looked, end):
            if len(self._found) >= wanted:
                return
            if self._condition(instance):
                self._found.append(self._looked)
                missed = 0
            else:
                missed += 1
            self._looked += 1
            if self._data.endless and missed >= SEARCHED:
                raise FabulaError(
                    f"filter: none of the last {SEARCHED:,} instances meets the condition. "
                    "Set a quota in the recipe (keep, cells) instead of filtering."
                )

    def get(self, index: int) -> Instance:
        """The instance at this position."""
        self._look(index + 1)
        return self._data[self._found[index]]

    def scan(self, start: int, stop: int) -> Iterator[Instance]:
        """The instances from start to stop, in order."""
        for index in range(start, stop):
            self._look(index + 1)
            if index >= len(self._found):
                return
            yield self._data[self._found[index]]


class Dataset(Sequence[Instance]):
    """A sequence of instances of a recipe, a stored data set or a list.

    >>> import fabula
    >>> data = fabula.Dataset("babi/qa1", split="test", seed=7, size=100)
    >>> len(data), len(data[10:20]), data[-1] == data[99]
    (100, 10, True)
    >>> [each.answer for each in data.filter(lambda each: each.answer == ("garden",)).take(2)]
    [('garden',), ('garden',)]
    """

    def __init__(
        self,
        source: str | Path | Recipe | Dataset | Iterable[Instance],
        split: str | None = None,
        seed: int | None = None,
        size: int | _Unset | None = _UNSET,
        **changes: Any,
    ) -> None:
        """`source` is a recipe (name, `.toml` file or object), a stored data set, or instances.

        Args:
            split: the split; by default 'train' if there is one, or else the first.
            seed: another seed gives another data set of the same kind.
            size: number of instances; None for no end. By default as in the recipe.
            changes: keys of the recipe to change, e.g. `dialect="release"`.
        """
        self._source: Source
        self._rows: Sequence[int] | None = None
        if isinstance(source, Dataset):
            _refuse("a data set", split=split, seed=seed, **changes)
            self._source, self._rows = source._source, source._rows
        elif isinstance(source, Recipe) or (isinstance(source, str | Path) and not is_data(source)):
            self._from_recipe(source, split, seed, size, changes)
            return
        elif isinstance(source, str | Path):
            _refuse(f"{source}: a data set that is already generated", seed=seed, **changes)
            self._source = Stored(source, split)
        else:
            _refuse("a list of instances", split=split, seed=seed, **changes)
            instances = tuple(source)
            for each in instances:
                if not isinstance(each, Instance):
                    raise UsageError(
                        f"a data set holds instances, not {type(each).__name__}. Give a recipe, a "
                        "folder, or a list of fabula.Instance."
                    )
            self._source = Listed(instances)
        if not isinstance(size, _Unset):
            if size is None:
                raise UsageError("size=None: only a recipe can be endless.")
            have = len(self)
            if size > have:
                raise UsageError(f"size={size:,}: there are only {have:,} instances.")
            self._rows = self._all()[: _count(size)]

    def _from_recipe(
        self,
        source: str | Path | Recipe,
        split: str | None,
        seed: int | None,
        size: int | _Unset | None,
        changes: Mapping[str, Any],
    ) -> None:
        recipe = load(source, changes)
        if split is None:
            split = "train" if "train" in recipe.splits else next(iter(recipe.splits))
        if split not in recipe.splits:
            raise UsageError(f"recipe {recipe.id}: no split '{split}'.{hint(split, recipe.splits)}")
        if isinstance(size, _Unset):
            size = recipe.splits[split].size
        elif size is not None:
            size = _count(size)
        self._source = Generated(recipe, split, seed, size)

    @classmethod
    def _view(cls, source: Source, rows: Sequence[int] | None) -> Dataset:
        made = cls.__new__(cls)
        made._source, made._rows = source, rows
        return made

    # --- a sequence -----------------------------------------------------------------------------

    @property
    def endless(self) -> bool:
        """Whether there is no last instance."""
        if isinstance(self._rows, range):
            return self._rows.stop == ENDLESS
        if self._rows is not None:
            return False
        if isinstance(self._source, Filtered):
            return self._source._data.endless
        return self._source.size is None

    def _all(self) -> Sequence[int]:
        """The positions in the source, in order."""
        if self._rows is None:
            size = None if self.endless else self._source.size
            return range(ENDLESS if size is None else size)
        return self._rows

    def __len__(self) -> int:
        if self.endless:
            raise TypeError(
                "this data set is endless and has no length. Use take(n), a slice, or size=n."
            )
        return len(self._all())

    @overload
    def __getitem__(self, index: int) -> Instance: ...
    @overload
    def __getitem__(self, index: slice) -> Dataset: ...
    def __getitem__(self, index: int | slice) -> Instance | Dataset:
        """The instance at a position, or a view of several."""
        if isinstance(index, slice):
            if self.endless and any(part is not None and part < 0 for part in
                                    (index.start, index.stop, index.step)):  # fmt: skip
                raise TypeError("this data set is endless: slices cannot count from its end.")
            return self._view(self._source, self._all()[index])
        if index < 0 and self.endless:
            raise TypeError("this data set is endless: indices cannot count from its end.")
        if isinstance(self._source, Filtered) and self._rows is None and index >= 0:
            return self._source.get(index)
        rows = self._all()
        try:
            row = rows[index]
        except IndexError:
            raise IndexError(f"index {index} of a data set of {len(rows):,} instances") from None
        return self._source.get(row)

    def __iter__(self) -> Iterator[Instance]:
        return self._scan(0, ENDLESS)

    def _scan(self, start: int, stop: int) -> Iterator[Instance]:
        """The instances at positions start to stop, in order."""
        rows = self._rows
        if rows is None:
            if isinstance(self._source, Filtered):
                yield from self._source.scan(start, stop)
                return
            size = self._source.size
            yield from self._source.scan(start, stop if size is None else min(stop, size))
        elif isinstance(rows, range) and rows.step == 1:
            part = rows[start:stop]
            yield from self._source.scan(part.start, part.stop)
        else:
            for row in islice(rows, start, stop):
                yield self._source.get(row)

    def __contains__(self, item: object) -> bool:
        if not isinstance(item, Instance):
            return False
        try:
            return self[self._position(item.id)] == item
        except (KeyError, IndexError):
            return False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        if self.endless or other.endless:
            return self.endless and other.endless and self._key() == other._key()
        return len(self) == len(other) and (
            self._key() == other._key() or all(a == b for a, b in zip(self, other, strict=True))
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, which may be large

    def _key(self) -> object:
        """Equal keys mean equal content; different ones say nothing."""
        made = self._source
        rows = self._rows if self._rows is None or isinstance(self._rows, range) else id(self._rows)
        if isinstance(made, Generated) and (self.endless or rows is not None):
            return made.recipe.digest, made.recipe.id, made.split, made.seed, rows
        if isinstance(made, Generated):
            return made.recipe.digest, made.recipe.id, made.split, made.seed, range(made.size or 0)
        return id(made), rows

    def __repr__(self) -> str:
        size = "endless" if self.endless else "filtered" if self._unknown else f"{len(self):,}"
        head = f"Dataset({self._source!r}, {size})"
        first = next(iter(self.take(1)), None) if not self._unknown else None
        if first is None:
            return head
        told = list(first.story[:8]) + (["…"] if len(first.story) > 8 else [])
        lines = "\n".join(f"  {line}" for line in told)
        return f"{head}\n{lines}\n  {first.question}  {', '.join(first.answer)}"

    def _prefix(self) -> int | None:
        """The number of instances, if these are the first ones of their source."""
        rows = self._rows
        if rows is None:
            return self._source.size
        first = isinstance(rows, range) and rows.start == 0 and rows.step == 1
        return len(rows) if first else None

    @property
    def _unknown(self) -> bool:
        """Whether counting would mean checking every instance."""
        return isinstance(self._source, Filtered) and self._rows is None

    # --- views ----------------------------------------------------------------------------------

    def take(self, n: int) -> Dataset:
        """The first n instances, or all if there are fewer."""
        if self._unknown:
            return Dataset(list(islice(self, _count(n))))
        return self[: _count(n)]

    def first(self, n: int) -> Iterator[Instance]:
        """The first n instances one by one, without counting the rest."""
        return islice(self, _count(n))

    def filter(self, condition: Callable[[Instance], bool]) -> Dataset:
        """The instances that meet a condition, as a view.

        >>> import fabula
        >>> data = fabula.Dataset("babi/qa6", split="test", size=20)
        >>> {each.answer for each in data.filter(lambda each: each.answer == ("no",))}
        {('no',)}
        """
        return self._view(Filtered(self, condition), None)

    def shuffle(self, seed: int = 0) -> Dataset:
        """All instances in random order, as a view."""
        return self.sample(len(self), seed)

    def sample(self, n: int, seed: int = 0) -> Dataset:
        """n different instances drawn at random, as a view."""
        if self.endless:
            raise TypeError("this data set is endless: its instances are random as they come.")
        rows, n = self._all(), _count(n)
        if n > len(rows):
            raise UsageError(f"sample({n:,}): there are only {len(rows):,} instances.")
        draw = stream("sample", seed, "", n, "shuffle")
        moved: dict[int, int] = {}  # a shuffle that stops after n, without a list of all
        drawn = []
        for at in range(n):
            other = at + below(draw, len(rows) - at)
            drawn.append(rows[moved.get(other, other)])
            moved[other] = moved.get(at, at)
        return self._view(self._source, tuple(drawn))

    @property
    def split(self) -> str:
        """The split of the first instance; 'data' if unknown."""
        first = next(self.first(1), None)
        return str(first.provenance.get("split", "data")) if first else "data"

    # --- use ------------------------------------------------------------------------------------

    def prompts(self, style: str = "direct", form: str = "word", **more: Any) -> Iterator[str]:
        """The prompt of each instance, in order (see `fabula.prompt`)."""
        from fabula.prompting.prompt import prompt

        return (prompt(each, style, form=form, **more) for each in self)

    def score(self, which: int | str, reply: str) -> Score:
        """Score a reply to an instance, given by position or id (see `fabula.score`)."""
        from fabula.scoring import score

        return score(self[which if isinstance(which, int) else self.index_of(which)], reply)

    def index_of(self, name: str) -> int:
        """The position of the instance with this id."""
        try:
            return self._position(name)
        except KeyError:
            raise UsageError(f"no instance '{name}' in {self._source!r}.") from None

    def _position(self, name: str) -> int:
        made, rows = self._source, self._rows
        number = name.rpartition(":")[2]
        plain = rows is None or (isinstance(rows, range) and rows.step == 1)
        if isinstance(made, Generated) and plain and number.isdecimal():
            at = int(number) - (rows.start if isinstance(rows, range) else 0)
            if at >= 0 and (self.endless or at < len(self)) and self[at].id == name:
                return at
            raise KeyError(name)
        for at, each in enumerate(self):
            if each.id == name:
                return at
        raise KeyError(name)

    def verify(self, workers: int = 1) -> Verdict:
        """Prove every instance again, from its text."""
        import fabula

        return fabula.verify(self, workers=workers)  # it belongs to a higher layer

    def stats(self) -> Summary:
        """Statistics of the data set: answers, support sizes, compositions."""
        import fabula

        return fabula.stats(self)

    def write(self, path: str | Path, format: str = "jsonl", **options: Any) -> dict[str, Any]:
        """Write the data set to a folder or URL and return the manifest (see `fabula.write`)."""
        import fabula

        return fabula.write(self, path, format=format, **options)

    # --- other libraries ------------------------------------------------------------------------

    def to_arrow(self) -> pa.Table:
        """The records as an Arrow table; open-ended fields are JSON strings."""
        import pyarrow as pa

        from fabula.datasets.formats.parquet import batch, schema

        self._finite("to_arrow")
        rows: list[pa.RecordBatch] = []
        left = iter(self)
        while portion := list(islice(left, 1_000)):
            rows.append(batch([one.fields() for one in portion]))
        return pa.Table.from_batches(rows, schema=schema())

    def to_pandas(self) -> Any:
        """The records as a pandas data frame."""
        return self.to_arrow().to_pandas()

    def to_hf(self) -> Any:
        """A `datasets.Dataset`, or an `IterableDataset` if the data set is endless."""
        from fabula.core.registry import need

        hub = need("datasets", "hub")
        if self.endless:
            return hub.IterableDataset.from_generator(_rows_of, gen_kwargs={"data": [self]})
        return hub.Dataset(self.to_arrow())

    def to_torch(self) -> Any:
        """A map-style `torch.utils.data.Dataset`, or an iterable one if the data set is endless."""
        from fabula.core.registry import need

        need("torch", "train")
        from fabula.datasets.torch import EndlessInstances, Instances

        return EndlessInstances(self) if self.endless else Instances(self)

    def _finite(self, what: str) -> None:
        if self.endless:
            raise TypeError(f"{what}: this data set is endless. Use take(n) or size=n.")


def _rows_of(data: list[Dataset]) -> Iterator[dict[str, Any]]:
    import orjson

    from fabula.datasets.formats.parquet import AS_JSON, row

    for each in data[0]:
        yield {
            name: orjson.dumps(value).decode() if name in AS_JSON and value is not None else value
            for name, value in row(each.fields()).items()
        }


def _count(number: int) -> int:
    if type(number) is not int or number < 0:  # a boolean is not a number here
        raise UsageError(f"{number!r} is not a number of instances.")
    return number


def _refuse(what: str, **given: Any) -> None:
    """Raise an error if arguments were given that only a recipe takes."""
    named = [name for name, value in given.items() if value is not None]
    if named:
        raise UsageError(f"{what}: '{named[0]}' applies to recipes only.")
