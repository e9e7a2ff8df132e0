"""Charts of experiment results: one dot plot per experiment, as SVG that sits inside a page.

Promises:
1. Every figure of the result is drawn once: a dot for a mean, with the deviation over seeds as a
   line through it. The paper's figure is a ring of the same colour, chance is a tick.
2. Colours of text and lines come from the page, so a chart works in light and dark mode.
3. The chart has a title and a description that screen readers speak. The page has the same figures
   as a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import isnan
from typing import Any, NamedTuple

from fabula.training.experiments.spec import Experiment

WIDTH = 720
RIGHT, TOP, FOOT = 24, 8, 44
APART = 4
"""Distance of the dots of one row, so that equal figures do not cover each other."""

COLOURS = ("#3b6fd4", "#d9622b", "#2a9d6f", "#8e5bd0", "#c7356b", "#a07c12", "#1f98b5", "#7a7f87")
"""Distinguishable for colour-blind readers in this order, on white and on dark grey."""


class Dot(NamedTuple):
    """One figure of a chart."""

    series: str
    mean: float
    deviation: float = 0.0
    published: float | None = None


class Row(NamedTuple):
    """One line of an experiment, with a dot for each column."""

    name: str
    dots: list[Dot]
    chance: float | None


def rows(experiment: Experiment, result: Mapping[str, Any]) -> list[Row]:
    """The figures of a result, in the order of the experiment."""
    place = {line.name: at for at, line in enumerate(experiment.lines)}
    found = []
    for line in result["lines"]:
        at, cells = place[line["name"]], line["cells"]
        dots = []
        for column in experiment.columns:
            if column.name not in cells:
                continue
            cell = cells[column.name]
            paper = column.published[at] if column.published else float("nan")
            spread = cell["deviation"] if len(cell["runs"]) > 1 else 0.0
            known = None if isnan(paper) else paper
            dots.append(Dot(column.name, cell["mean"], spread, known))
        if "measured" in line:
            dots.append(Dot("measured", line["measured"]))
        chances = [cell["chance"] for cell in cells.values()]
        found.append(Row(line["name"], dots, sum(chances) / len(chances) if chances else None))
    return found


def svg(experiment: Experiment, result: Mapping[str, Any]) -> str:
    """The chart of an experiment."""
    shown = rows(experiment, result)
    names = list(dict.fromkeys(dot.series for row in shown for dot in row.dots))
    colours = {name: COLOURS[at % len(COLOURS)] for at, name in enumerate(names)}
    low = min([0.0, *(dot.mean - dot.deviation for row in shown for dot in row.dots)])
    start = -25.0 * -(-low // -25) if low < 0 else 0.0
    left = 12 + max(_wide(row.name) for row in shown)
    legend = list(_legend(names, colours, shown, left))
    top = TOP + 20 * (1 + max(line for line, _ in legend))
    high = 14 + APART * max(2, len(names))
    bottom = top + high * len(shown)
    scale = _Scale(left, WIDTH - RIGHT, start)
    title = f"{experiment.id}. {experiment.title}"
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {bottom + FOOT}" role="img" '
        f'aria-labelledby="{experiment.id}-t {experiment.id}-d">',
        f'<title id="{experiment.id}-t">{escape(title)}</title>',
        f'<desc id="{experiment.id}-d">{escape(spoken(shown))}</desc>',
        *(text for _, text in legend),
        *_axis(scale, top, bottom),
    ]
    for at, row in enumerate(shown):
        parts += _row(row, top + high * at + high / 2, scale, colours)
    return "\n".join([*parts, "</svg>"])


def spoken(shown: Sequence[Row]) -> str:
    """The figures in words, for readers who do not see the chart."""
    lines = (
        f"{row.name}: " + ", ".join(f"{dot.series} {dot.mean:.1f}" for dot in row.dots)
        for row in shown
    )
    return "Percent correct. " + "; ".join(lines) + "."


class _Scale(NamedTuple):
    """Where a percentage is drawn."""

    left: float
    right: float
    start: float

    def at(self, value: float) -> str:
        share = (value - self.start) / (100 - self.start)
        return f"{self.left + share * (self.right - self.left):.1f}"


def _wide(words: str) -> float:
    """About the width of words in a chart."""
    return sum(8.4 if letter.isupper() else 6.2 for letter in words)


def _legend(
    names: Sequence[str], colours: Mapping[str, str], shown: Sequence[Row], left: float
) -> Iterator[tuple[int, str]]:
    """Each entry with the line that it is on."""
    entries = [(name, f'<circle r="4.5" cy="-4" fill="{colours[name]}"/>') for name in names]
    if any(dot.published is not None for row in shown for dot in row.dots):
        entries.append(("published", '<circle r="4.5" cy="-4" class="paper"/>'))
    if any(row.chance is not None for row in shown):
        entries.append(("chance", '<path d="M0,-10V2" class="chance"/>'))
    line, x = 0, left + 5.0
    for name, mark in entries:
        wide = 28 + _wide(name)
        if x + wide > WIDTH and x > left + 5:
            line, x = line + 1, left + 5.0
        y = TOP + 20 * line + 12
        words = f'<text x="10">{escape(name)}</text>'
        yield line, f'<g transform="translate({x:.0f},{y})">{mark}{words}</g>'
        x += wide


def _axis(scale: _Scale, top: float, bottom: float) -> Iterator[str]:
    value = scale.start
    while value <= 100:
        x = scale.at(value)
        yield f'<path d="M{x},{top}V{bottom}" class="grid"/>'
        yield f'<text x="{x}" y="{bottom + 16}" class="tick">{value:g}</text>'
        value += 25
    middle = scale.at((scale.start + 100) / 2)
    yield f'<text x="{middle}" y="{bottom + 34}" class="tick">percent correct</text>'


def _row(row: Row, y: float, scale: _Scale, colours: Mapping[str, str]) -> Iterator[str]:
    yield f'<text x="{scale.left - 12:.1f}" y="{y + 4:g}" class="name">{escape(row.name)}</text>'
    yield f'<path d="M{scale.left:.1f},{y:g}H{scale.right}" class="grid"/>'
    if row.chance is not None:
        yield f'<path d="M{scale.at(row.chance)},{y - 7:g}v14" class="chance"/>'
    order = list(colours)
    heights = {name: y + APART * (at - (len(order) - 1) / 2) for at, name in enumerate(order)}
    for dot in row.dots:
        if dot.published is not None:
            yield (
                f'<circle cx="{scale.at(dot.published)}" cy="{heights[dot.series]:g}" r="4.5" '
                f'style="fill:none;stroke:{colours[dot.series]};stroke-width:1.5">'
                f"<title>{escape(dot.series)}, published: {dot.published:g}</title></circle>"
            )
    for dot in row.dots:
        at, colour = heights[dot.series], colours[dot.series]
        if dot.deviation:
            first = scale.at(max(dot.mean - dot.deviation, scale.start))
            last = scale.at(min(dot.mean + dot.deviation, 100))
            style = f"stroke:{colour};stroke-width:2;opacity:.45"
            yield f'<path d="M{first},{at:g}H{last}" style="{style}"/>'
        more = f" ± {dot.deviation:.1f}" if dot.deviation else ""
        yield (
            f'<circle cx="{scale.at(dot.mean)}" cy="{at:g}" r="4.5" fill="{colour}">'
            f"<title>{escape(dot.series)}: {dot.mean:.1f}{more}</title></circle>"
        )
