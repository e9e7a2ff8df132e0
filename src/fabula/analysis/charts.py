"""A summary as bar charts: in the terminal, and as an SVG picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabula.analysis.stats import OTHERS, Summary, mean
from fabula.core.files import file_size

if TYPE_CHECKING:
    from rich.console import Console


class Bar(NamedTuple):
    """One bar of a chart."""

    label: str
    value: int


class Chart(NamedTuple):
    """One set of counts as a bar chart."""

    title: str
    bars: list[Bar]
    numeric: bool
    """Whether the labels are numbers in order."""
    note: str = ""


def charts(summary: Summary, most: int = 12, most_numbers: int = 20) -> Iterator[Chart]:
    """The counts worth a chart, each with its maximum number of bars."""
    named = (
        ("Splits", summary.splits),
        ("Recipes", summary.recipes),
        ("Question kinds", summary.kinds),
        ("Answers", summary.answers),
        ("Composition of the support", summary.compositions),
    )
    for title, counts in named:
        if len(counts) > 1 or (counts and title == "Question kinds"):
            yield Chart(title, _top(counts, most), False, _variety(counts, most))
    numeric = (
        ("Sentences before the question", summary.sentences),
        ("Sentences in the support", summary.support_sizes),
        ("Alternative supports", summary.supports),
        ("Sentences after the last supporting one", summary.recency),
    )
    for title, numbers in numeric:
        if numbers:
            yield Chart(title, _binned(numbers, most_numbers), True, f"mean {mean(numbers):,}")


def _top(counts: Counter[str], most: int) -> list[Bar]:
    ranked = sorted(counts.items(), key=lambda item: (item[0] == OTHERS, -item[1], item[0]))
    if len(ranked) <= most:
        return [Bar(*item) for item in ranked]
    rest = sum(count for _, count in ranked[most - 1 :])
    return [*(Bar(*item) for item in ranked[: most - 1]), Bar(OTHERS, rest)]


def _longest(bars: Sequence[Bar]) -> int:
    """The count that fills the width: the largest, so that no bar is cut off."""
    return max(bar.value for bar in bars) or 1


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


def headline(summary: Summary) -> str:
    """The main numbers in a line or two."""
    per = summary.instances
    parts = [
        f"{per:,} questions",
        f"{len(summary.files):,} file{'s' * (len(summary.files) != 1)}, {file_size(summary.bytes)}",
        f"{mean(summary.sentences)} sentences and {summary.words / per:,.0f} words per story",
        f"most frequent answer {summary.majority:.1%}",
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
            table.add_row(Text(label), f"{count:,}", share, bar_of(count / longest, 24, plain))
        console.print()
        console.print(Text.assemble((chart.title, "bold"), (note, "dim")))
        console.print(table)


def bar_of(part: float, width: int, plain: bool = False) -> str:
    """A bar that fills a fraction of a width, in eighths of a character."""
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
        length = max(1.5, room * count / longest) if count else 0
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
    """A rough upper bound on the width of a text in pixels."""
    return size * sum(0.76 if c.isupper() or ord(c) > 0x2E7F else 0.6 for c in text)


def _short(text: str, room: float, size: int) -> str:
    """The text truncated to a width in pixels."""
    if _wide(text, size) <= room:
        return text
    while text and _wide(text + "…", size) > room:
        text = text[:-1]
    return text.rstrip() + "…"
