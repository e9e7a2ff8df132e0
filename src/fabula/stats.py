"""What is in a data set: counted in one pass, in memory that does not grow with its size.

    summarise(paths) -> Summary -> tables with bars in the terminal, JSON, or an SVG picture

JSONL records have all there is to count; bAbI text offers sentences, questions, answers and the
support it cites, but no alternative supports and no compositions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fabula.errors import FabulaError, ParseError
from fabula.formats import babi, read_jsonl

if TYPE_CHECKING:
    from rich.console import Console

MOST_KEYS = 5_000  # distinct things told apart in one count; the rest is counted together
OTHERS = "(others)"


@dataclass
class Summary:
    """What was counted."""

    files: list[str] = field(default_factory=list)
    bytes: int = 0
    instances: int = 0
    recipes: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    """Kinds of question; in bAbI text, the first two words of questions."""
    answers: Counter[str] = field(default_factory=Counter)
    sentences: Counter[int] = field(default_factory=Counter)
    """Instances by the number of sentences before the question."""
    words: int = 0
    """Words of all stories."""
    support_sizes: Counter[int] = field(default_factory=Counter)
    supports: Counter[int] = field(default_factory=Counter)
    """Instances by the number of alternative minimal supports."""
    compositions: Counter[str] = field(default_factory=Counter)
    """Events and tellings in the support, together."""
    recency: Counter[int] = field(default_factory=Counter)
    """Instances by the sentences told after the last supporting one."""
    defects: int = 0
    """Labels declared not to follow from the text."""

    @property
    def majority(self) -> float:
        """Part of the questions that the commonest answer gets right."""
        return max(self.answers.values(), default=0) / self.instances if self.instances else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The summary as JSON has it, the commonest first or in numerical order."""
        return {
            "files": self.files,
            "bytes": self.bytes,
            "instances": self.instances,
            "majority_answer": round(self.majority, 4),
            "mean_sentences": _mean(self.sentences),
            "mean_words": round(self.words / self.instances, 2) if self.instances else None,
            "mean_support_size": _mean(self.support_sizes),
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


def _mean(counts: Mapping[int, int]) -> float | None:
    total = sum(counts.values())
    return round(sum(n * c for n, c in counts.items()) / total, 2) if total else None


def _numeric(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(number): counts[number] for number in sorted(counts)}


# --- counting ---------------------------------------------------------------------------------


def summarise(paths: Iterable[Path]) -> Summary:
    """The summary of data files, or of the data files in folders."""
    summary = Summary()
    for path in paths:
        for file in _files(path):
            _count_file(summary, file)
    if not summary.instances:
        raise FabulaError(f"{', '.join(summary.files)}: there is no question to count.")
    return summary


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise FabulaError(f"{path}: there is no such file or folder.")
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.jsonl")) or sorted(path.glob("*.txt"))
    if not found:
        raise FabulaError(f"{path}: no .jsonl and no .txt file in this folder; name another.")
    return found


def _count_file(summary: Summary, path: Path) -> None:
    summary.files.append(str(path))
    try:
        summary.bytes += path.stat().st_size
        if path.suffix == ".txt":
            for story in babi.read(path):
                _count_story(summary, story, path.stem)
        else:
            _count_records(summary, path)
    except OSError as error:
        raise FabulaError(f"{path}: cannot be read: {error.strerror or error}.") from None


def _count_records(summary: Summary, path: Path) -> None:
    for number, record in enumerate(read_jsonl(path), 1):
        if not isinstance(record.features, dict) or not isinstance(record.provenance, dict):
            raise ParseError(f"{path}, record {number}: features and provenance must be objects.")
        size = len(record.story)
        summary.instances += 1
        _add(summary.recipes, str(record.provenance.get("recipe", "?")))
        _add(summary.splits, str(record.provenance.get("split", path.stem)))
        _add(summary.kinds, record.query[0] if record.query else "?")
        _add(summary.answers, ", ".join(map(str, record.answer)))
        _add(summary.sentences, size)
        summary.words += sum(len(str(sentence).split()) for sentence in record.story)
        _add(summary.support_sizes, len(record.support))
        _add(summary.supports, len(record.supports))
        _add(summary.compositions, " + ".join(map(str, record.composition)) or "(nothing)")
        if record.support:
            _add(summary.recency, size - max(record.support))
        summary.defects += "defect" in record.features


def _count_story(summary: Summary, story: babi.Story, split: str) -> None:
    lengths = [len(sentence.split()) for sentence in story.sentences]
    for question in story.questions:
        summary.instances += 1
        _add(summary.splits, split)
        _add(summary.kinds, " ".join(question.text.split()[:2]))
        _add(summary.answers, ", ".join(word.strip() for word in question.answer.split(",")))
        _add(summary.sentences, question.position)
        summary.words += sum(lengths[: question.position])
        _add(summary.support_sizes, len(question.support))
        if question.support:
            _add(summary.recency, question.position - max(question.support))


def _add(counts: Counter[Any], key: str | int) -> None:
    if key in counts or len(counts) < MOST_KEYS or isinstance(key, int):
        counts[key] += 1
    else:
        counts[OTHERS] += 1


# --- what is shown ------------------------------------------------------------------------------


class Bar(NamedTuple):
    """One bar of a chart."""

    label: str
    value: int


class Chart(NamedTuple):
    """One count as a bar chart."""

    title: str
    bars: list[Bar]
    numeric: bool
    """Whether the labels are numbers in their order."""
    note: str = ""


def charts(summary: Summary, most: int = 12, most_numbers: int = 20) -> Iterator[Chart]:
    """The counts worth a picture, each with at most so many bars."""
    named = (
        ("Splits", summary.splits),
        ("Recipes", summary.recipes),
        ("Kinds of question", summary.kinds),
        ("Answers", summary.answers),
        ("Composition of the support", summary.compositions),
    )
    for title, counts in named:
        if len(counts) > 1 or (counts and title == "Kinds of question"):
            yield Chart(title, _top(counts, most), False, _variety(counts, most))
    numeric = (
        ("Sentences before the question", summary.sentences),
        ("Sentences in the support", summary.support_sizes),
        ("Alternative supports", summary.supports),
        ("Sentences after the last supporting one", summary.recency),
    )
    for title, numbers in numeric:
        if numbers:
            yield Chart(title, _binned(numbers, most_numbers), True, f"mean {_mean(numbers):,}")


def _top(counts: Counter[str], most: int) -> list[Bar]:
    ranked = sorted(counts.items(), key=lambda item: (item[0] == OTHERS, -item[1], item[0]))
    if len(ranked) <= most:
        return [Bar(*item) for item in ranked]
    rest = sum(count for _, count in ranked[most - 1 :])
    return [*(Bar(*item) for item in ranked[: most - 1]), Bar(OTHERS, rest)]


def _longest(bars: Sequence[Bar]) -> int:
    """The count that fills the width; what is counted together may be cut off at it."""
    named = [bar.value for bar in bars if bar.label != OTHERS]
    return max(named, default=0) or max(bar.value for bar in bars) or 1


def _variety(counts: Counter[str], most: int) -> str:
    return f"{len(counts):,} different" if len(counts) > most else ""


def _binned(counts: Mapping[int, int], most: int) -> list[Bar]:
    """Bars of equal width over the numbers."""
    low, high = min(counts), max(counts)
    width = next(w for w in _widths() if high // w - low // w < most)
    bars = []
    for step in range(low // width, high // width + 1):
        first, last = step * width, step * width + width - 1
        held = (
            sum(counts.get(n, 0) for n in range(first, last + 1))
            if width < 10_000
            else sum(count for n, count in counts.items() if first <= n <= last)
        )
        bars.append(Bar(str(first) if width == 1 else f"{first}–{last}", held))
    return bars


def _widths() -> Iterator[int]:
    scale = 1
    while True:
        yield from (scale, 2 * scale, 5 * scale)
        scale *= 10


def file_size(count: float) -> str:
    """A number of bytes for people."""
    if count < 1000:
        return f"{count:,.0f} bytes"
    for unit in ("kB", "MB"):
        count /= 1000
        if count < 999.95:
            return f"{count:,.1f} {unit}"
    return f"{count / 1000:,.1f} GB"


def headline(summary: Summary) -> str:
    """The main numbers in a line or two."""
    per = summary.instances
    parts = [
        f"{per:,} questions",
        f"{len(summary.files):,} file{'s' * (len(summary.files) != 1)}, {file_size(summary.bytes)}",
        f"{_mean(summary.sentences)} sentences and {summary.words / per:,.0f} words a story",
        f"commonest answer {summary.majority:.1%}",
    ]
    if summary.defects:
        parts.append(f"{summary.defects:,} labels declared as defects")
    return " · ".join(parts)


# --- in the terminal ----------------------------------------------------------------------------

BLOCKS = " ▏▎▍▌▋▊▉█"


def show(summary: Summary, console: Console) -> None:
    """Print tables with bars."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console.print(Text(headline(summary)), style="bold")
    plain = "utf" not in (console.encoding or "").lower()
    for chart in charts(summary):
        note = f"  {chart.note}" if chart.note else ""
        table = Table(
            box=box.SIMPLE_HEAD if not plain else box.ASCII,
            show_header=False,
            show_edge=False,
            pad_edge=False,
            padding=(0, 1),
        )
        widest = max(len(bar.label) for bar in chart.bars)
        table.add_column(width=min(widest, max(12, console.width - 45)), overflow="ellipsis",
                         no_wrap=True, justify="right" if chart.numeric else "left")  # fmt: skip
        table.add_column(justify="right", no_wrap=True)
        table.add_column(justify="right", no_wrap=True, style="dim")
        table.add_column(no_wrap=True, style="cyan")
        longest = _longest(chart.bars)
        for label, count in chart.bars:
            share = f"{count / summary.instances:.1%}"
            table.add_row(
                Text(label), f"{count:,}", share, bar_of(min(1, count / longest), 24, plain)
            )
        console.print()
        console.print(Text.assemble((chart.title, "bold"), (note, "dim")))
        console.print(table)


def bar_of(part: float, width: int, plain: bool = False) -> str:
    """A bar that fills a part of a width, in eighths of a character."""
    if plain:
        return "#" * max(round(part * width), part > 0)
    eighths = max(round(part * width * 8), part > 0)
    return "█" * (eighths // 8) + BLOCKS[eighths % 8].strip()


# --- as a picture -------------------------------------------------------------------------------

PANEL, GAP, MARGIN, ROW = 520, 28, 36, 26
INK, SOFT, LINE, PAPER, CARD = "#1c2733", "#5b6b7b", "#dfe5ec", "#f6f8fa", "#ffffff"
COLOURS = ("#2f6fb3", "#2a9d8f", "#8a5fbf", "#d1793a", "#b8475f")
FONT = "font-family=\"'Inter','Segoe UI',Helvetica,Arial,sans-serif\""


def svg(summary: Summary, title: str = "") -> str:
    """The summary as a self-contained picture."""
    shown = list(charts(summary))
    columns: list[list[tuple[int, Chart, str]]] = [[], []]
    heights = [0, 0]
    for number, chart in enumerate(shown):  # each into the shorter column
        side = heights.index(min(heights))
        columns[side].append((heights[side], chart, COLOURS[number % len(COLOURS)]))
        heights[side] += _height(chart) + GAP
    top = 128
    width = 2 * MARGIN + 2 * PANEL + GAP if columns[1] else 2 * MARGIN + PANEL
    height = top + max(heights) + MARGIN - GAP
    title = title or ", ".join(islice(summary.recipes, 4)) or Path(summary.files[0]).name
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" {FONT}>',
        f"<title>{escape(_printable(title))}</title>",
        f"<desc>{escape(headline(summary))}</desc>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        _text(MARGIN, 58, _short(title, width - 2 * MARGIN, 28), 28, INK, weight=700),
    ]
    for number, line in enumerate(_lines(headline(summary), (width - 2 * MARGIN) // 9)):
        parts.append(_text(MARGIN, 86 + 20 * number, line, 15, SOFT))
    for side, column in enumerate(columns):
        for y, chart, colour in column:
            parts += _panel(
                chart, MARGIN + side * (PANEL + GAP), top + y, colour, summary.instances
            )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _lines(text: str, width: int) -> list[str]:
    lines = [""]
    for part in text.split(" · "):
        joined = f"{lines[-1]} · {part}" if lines[-1] else part
        if len(joined) > width and lines[-1]:
            lines.append(part)
        else:
            lines[-1] = joined
    return lines


def _height(chart: Chart) -> int:
    return 62 + (210 if chart.numeric else ROW * len(chart.bars) + 8)


def _panel(chart: Chart, x: int, y: int, colour: str, total: int) -> Iterator[str]:
    height = _height(chart)
    yield (
        f'<rect x="{x}" y="{y}" width="{PANEL}" height="{height}" rx="10" '
        f'fill="{CARD}" stroke="{LINE}"/>'
    )
    yield _text(x + 20, y + 32, chart.title, 16, INK, weight=600)
    if chart.note:
        yield _text(x + PANEL - 20, y + 32, chart.note, 13, SOFT, anchor="end")
    draw = _upright if chart.numeric else _lying
    yield from draw(chart.bars, x + 20, y + 50, colour, total)


def _lying(bars: Sequence[Bar], x: int, y: int, colour: str, total: int) -> Iterator[str]:
    """Horizontal bars, for names."""
    longest = _longest(bars)
    label = min(230, max(60, round(max(_wide(bar.label[:60], 13) for bar in bars)) + 8))
    room = PANEL - 40 - label - 104
    for number, (name, count) in enumerate(bars):
        middle = y + number * ROW + ROW / 2
        length = max(1.5, room * min(1, count / longest)) if count else 0
        tone = SOFT if name == OTHERS else colour
        yield f"<g><title>{escape(_printable(name))}: {count:,}</title>"
        yield _text(x, middle + 4.5, _short(name, label - 6, 13), 13, INK)
        yield (
            f'<rect x="{x + label}" y="{middle - 8:g}" width="{length:.1f}" height="16" rx="3" '
            f'fill="{tone}"/>'
        )
        value = f"{count:,} ({count / total:.1%})"
        yield _text(x + label + length + 8, middle + 4.5, value, 12, SOFT) + "</g>"


def _upright(bars: Sequence[Bar], x: int, y: int, colour: str, total: int) -> Iterator[str]:
    """Vertical bars, for numbers."""
    longest = max(bar.value for bar in bars) or 1
    floor, room, width = y + 180, 150, PANEL - 40
    step = min(width / len(bars), 70)
    left = x + (width - step * len(bars)) / 2
    for line in (0.5, 1.0):
        at = floor - room * line
        yield f'<line x1="{x}" x2="{x + width}" y1="{at:g}" y2="{at:g}" stroke="{LINE}"/>'
    for number, (name, count) in enumerate(bars):
        middle = left + step * (number + 0.5)
        tall = max(1.5, room * count / longest) if count else 0
        yield f"<g><title>{escape(_printable(name))}: {count:,}</title>"
        yield (
            f'<rect x="{middle - step * 0.38:.1f}" y="{floor - tall:.1f}" '
            f'width="{step * 0.76:.1f}" height="{tall:.1f}" rx="2" fill="{colour}"/>'
        )
        if count:
            share = count / total
            value = f"{share:.0%}" if share >= 0.01 else "<1%"
            yield _text(middle, floor - tall - 5, value, 11, SOFT, anchor="middle")
        size = max(8, min(12, int(12 * step / max(1.0, _wide(name, 12)))))
        yield _text(middle, floor + 17, name, size, INK, anchor="middle") + "</g>"
    yield f'<line x1="{x}" x2="{x + width}" y1="{floor}" y2="{floor}" stroke="{SOFT}"/>'


def _text(
    x: float, y: float, text: str, size: int, fill: str, anchor: str = "start", weight: int = 400
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(_printable(text), quote=False)}</text>'
    )


def _printable(text: str) -> str:
    """The text without characters that XML does not allow."""
    return "".join(c if c.isprintable() else "�" for c in text)


def _wide(text: str, size: int) -> float:
    """About how many pixels a text takes, rather more than less."""
    return size * sum(0.76 if c.isupper() or ord(c) > 0x2E7F else 0.6 for c in text)


def _short(text: str, room: float, size: int) -> str:
    """The text cut to a width in pixels."""
    if _wide(text, size) <= room:
        return text
    while text and _wide(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"
