"""Statistics of a data set, counted in one pass by a columnar engine, for any size.

    summarise(paths) -> Summary -> tables with bars in the terminal, JSON, or an SVG picture
                                   (charts.py)

Records (JSONL, gzipped or not, and Parquet) have everything; bAbI text has sentences, questions,
answers and the support it cites, but no alternative supports and no compositions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fabula.analysis.inputs import Source, on_disk
from fabula.analysis.tables import blaming, engine, rows_of
from fabula.datasets.formats import babi
from fabula.datasets.stored import ENDINGS, data_files, split_of
from fabula.errors import FabulaError
from fabula.language.conventions import conventions
from fabula.world import WORLDS

if TYPE_CHECKING:
    import duckdb

MOST_KEYS = 5_000  # distinct values per count; the rest is counted together
OTHERS = "(others)"


@dataclass
class Summary:
    """The counts of a data set."""

    files: list[str] = field(default_factory=list)
    bytes: int = 0
    instances: int = 0
    recipes: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Question kinds; in bAbI text, the first two words of questions."""
    answers: Counter[str] = field(default_factory=Counter)
    sentences: Counter[int] = field(default_factory=Counter)
    """Instances by the number of sentences before the question."""
    words: int = 0
    """Number of words in all stories."""
    support_sizes: Counter[int] = field(default_factory=Counter)
    supports: Counter[int] = field(default_factory=Counter)
    """Instances by the number of alternative minimal supports."""
    compositions: Counter[str] = field(default_factory=Counter)
    """Events and tellings in the support, combined."""
    recency: Counter[int] = field(default_factory=Counter)
    """Instances by the number of sentences after the last supporting one."""
    defects: int = 0
    """Labels declared not to follow from the text."""

    @property
    def majority(self) -> float:
        """Fraction of the questions that the most frequent answer gets right."""
        return max(self.answers.values(), default=0) / self.instances if self.instances else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON data, most frequent first or in numerical order."""
        return {
            "files": self.files,
            "bytes": self.bytes,
            "instances": self.instances,
            "majority_answer": round(self.majority, 4),
            "mean_sentences": mean(self.sentences),
            "mean_words": round(self.words / self.instances, 2) if self.instances else None,
            "mean_support_size": mean(self.support_sizes),
            "defects": self.defects,
            "recipes": dict(self.recipes.most_common()),
            "splits": dict(self.splits.most_common()),
            "kinds": dict(self.kinds.most_common()),
            "answers": dict(self.answers.most_common()),
            "compositions": dict(self.compositions.most_common()),
            "sentences": _numeric(self.sentences),
            "support_sizes": _numeric(self.support_sizes),
            "supports": _numeric(self.supports),
            "recency": _numeric(self.recency),
        }


def mean(counts: Mapping[int, int]) -> float | None:
    """The mean of counted numbers."""
    total = sum(counts.values())
    return round(sum(n * c for n, c in counts.items()) / total, 2) if total else None


def _numeric(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(number): counts[number] for number in sorted(counts)}


# --- counting ---------------------------------------------------------------------------------

STATED = frozenset(text for world in WORLDS for text in conventions("en", world).values())
"""Sentences that state a convention; they are not counted."""
BATCH = 2_000  # questions of bAbI text per table

COUNTED = {
    "recipes": "recipe",
    "splits": "split",
    "kinds": "kind",
    "answers": "array_to_string(answer, ', ')",
    "sentences": "len(story) - stated",
    "words": "list_sum([len(string_split_regex(trim(told), '\\s+')) for told in story])",
    "support_sizes": "len(support)",
    "supports": "len(supports)",
    "compositions": (
        "CASE WHEN len(composition) = 0 THEN '(nothing)' "
        "ELSE array_to_string(composition, ' + ') END"
    ),
    "recency": "len(story) - list_max(support)",
    "defects": "CASE WHEN defect THEN 1 END",
}
"""The counts, as SQL over the columns of a question; null is not counted."""

NUMERIC = ("sentences", "words", "support_sizes", "supports", "recency", "defects")


def stats(source: Source) -> Summary:
    """Statistics of a data set: answers, support sizes, compositions and more.

    >>> import fabula
    >>> fabula.stats(fabula.Dataset("babi/qa6", size=50)).kinds
    Counter({'yes-no': 50})
    """
    with on_disk(source) as path:
        found = summarise([path])
    if not isinstance(source, str | Path):
        found.files.clear()
    return found


def summarise(paths: Iterable[Path]) -> Summary:
    """The summary of data files, or of the data files in folders."""
    summary = Summary()
    with engine() as tables:
        for path in paths:
            for file in data_files(path, *ENDINGS, ".txt"):
                _count_file(summary, file, tables)
    if not summary.instances:
        raise FabulaError(f"{', '.join(summary.files)}: there are no questions to count.")
    return summary


def _count_file(summary: Summary, path: Path, tables: duckdb.DuckDBPyConnection) -> None:
    summary.files.append(str(path))
    try:
        summary.bytes += path.stat().st_size
        if path.suffix == ".txt":
            _count_text(summary, path, tables)
        else:
            stem = split_of(path).replace("'", "''")
            columns = (
                "coalesce(query[1], '?') AS kind, coalesce(provenance->>'recipe', '?') AS recipe, "
                f"coalesce(provenance->>'split', '{stem}') AS split, answer, story, support, "
                "supports, composition, json_exists(features, '$.defect') AS defect, "
                "len(list_filter(roles, lambda role: role = 'convention')) AS stated"
            )
            with blaming(path):
                _count(summary, f"(SELECT {columns} FROM {rows_of(path)})", tables)
    except OSError as error:
        raise FabulaError(f"{path}: cannot be read: {error.strerror or error}.") from None


def _count_text(summary: Summary, path: Path, tables: duckdb.DuckDBPyConnection) -> None:
    import pyarrow as pa

    words, numbers = pa.list_(pa.string()), pa.list_(pa.int32())
    kinds = pa.schema(
        {
            "kind": pa.string(), "recipe": pa.string(), "split": pa.string(), "answer": words,
            "story": words, "support": numbers, "supports": pa.list_(numbers),
            "composition": words, "defect": pa.bool_(), "stated": pa.int32(),
        }
    )  # fmt: skip
    rows = _questions(path)
    while batch := list(islice(rows, BATCH)):
        tables.register("batch", pa.Table.from_pylist(batch, kinds))
        _count(summary, "batch", tables)
        tables.unregister("batch")


def _questions(path: Path) -> Iterator[dict[str, Any]]:
    """The questions of bAbI text as rows; columns that text does not have are left out."""
    for story in babi.read(path):
        for question in story.questions:
            yield {
                "kind": " ".join(question.text.split()[:2]),
                "split": path.stem,
                "answer": [word.strip() for word in question.answer.split(",")],
                "story": story.sentences[: question.position],
                "support": question.support,
                "stated": sum(told in STATED for told in story.sentences),
            }


def _count(summary: Summary, source: str, tables: duckdb.DuckDBPyConnection) -> None:
    """Count the rows of a table in one pass."""
    values = ", ".join(
        f"{{'what': '{what}', 'value': ({value})::VARCHAR}}" for what, value in COUNTED.items()
    )
    found = tables.execute(
        f"SELECT one.what, one.value, count(*) FROM (SELECT unnest([{values}]) AS one FROM "
        f"{source}) WHERE one.value IS NOT NULL GROUP BY ALL ORDER BY 1, 3 DESC, 2"
    ).fetchall()
    for what, value, count in found:
        if what == "words":
            summary.words += int(value) * count
        elif what == "defects":
            summary.defects += count
        else:
            _add(getattr(summary, what), int(value) if what in NUMERIC else value, count)
            summary.instances += count if what == "splits" else 0


def _add(counts: Counter[Any], key: str | int, count: int = 1) -> None:
    if key in counts or len(counts) < MOST_KEYS or isinstance(key, int):
        counts[key] += count
    else:
        counts[OTHERS] += count
