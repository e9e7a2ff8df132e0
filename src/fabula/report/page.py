"""The page: sections of text, tables and figures, in one file that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Any, NamedTuple

import orjson

from fabula.report.figures import Figure
from fabula.report.theme import DARK, LIGHT, config


class Section(NamedTuple):
    """A part of the page."""

    name: str
    title: str
    lead: str
    body: str
    """HTML."""


NUMERIC = set("0123456789+−<–")
"""What a cell with a number begins with."""


def points(value: float) -> str:
    """A difference of shares for people, in points of a hundred."""
    return f"{100 * value:+.1f}".replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    """A share for people."""
    return "–" if value is None or value != value else f"{value:.{digits}%}"


def p_value(value: float) -> str:
    """A p-value for people."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def chart(figure: Figure) -> str:
    """The place of a figure, as wide as there is room or as it says."""
    wide = figure.spec["width"] == "container"
    return (
        f"<figure><figcaption>{escape(figure.title)}</figcaption>"
        f'<div class="scroll"><div class="chart{"" if wide else " fixed"}" '
        f'data-figure="{escape(figure.name)}"></div></div></figure>'
    )


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], strong: Sequence[bool] | None = None
) -> str:
    """A table; rows that are to be believed are strong, columns of words begin at the left."""
    rows = list(rows)
    words = [not any(cell[:1] in NUMERIC for cell in column) for column in zip(*rows, strict=True)]

    def line(cells: Sequence[str], tag: str) -> str:
        kinds = [' class="text"' if text else "" for text in words]
        return "".join(
            f"<{tag}{kind}>{escape(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True)
        )

    lines = []
    for number, row in enumerate(rows):
        kind = ' class="believed"' if strong and strong[number] else ""
        lines.append(f"<tr{kind}>{line(row, 'td')}</tr>")
    return (
        f'<div class="scroll"><table><thead><tr>{line(head, "th")}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def notes(lines: Sequence[str]) -> str:
    """Lines that say what is not there, and why."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="notes">{items}</ul>' if items else ""


def cards(rows: Sequence[dict[str, Any]]) -> str:
    """The main number of each run."""
    made = []
    for row in rows:
        made.append(
            f'<div class="run"><div class="name">{escape(row["run"])}</div>'
            f"<b>{percent(row['accuracy'])}</b>"
            f"<div>{percent(row['low'])} to {percent(row['high'])}</div>"
            f'<div class="soft">{row["right"]:,} of {row["count"]:,} right'
            + (
                f"; by stories ({row['stories']:,}) {percent(row['story_low'])} to "
                f"{percent(row['story_high'])}"
                if row["stories"] < row["count"] and row["story_low"] is not None
                else ""
            )
            + f'</div><div class="soft">{escape(row["about"])}</div></div>'
        )
    return f'<div class="runs">{"".join(made)}</div>'


HEATMAP_KEY = (
    '<div class="key"><span><i class="ramp"></i>0 to 100 % right</span>'
    '<span><i class="framed"></i>seen in training</span>'
    '<span><i class="few"></i>fewer than 10 cases: their number</span></div>'
)

BROWSER = (
    '<div class="tools"><select id="pick-run" aria-label="run"></select>'
    '<select id="pick-kind" aria-label="kind of question"></select>'
    '<select id="pick-outcome" aria-label="outcome"></select>'
    '<span class="count" id="failure-count" aria-live="polite"></span>'
    '<button id="failure-back" type="button">← previous</button>'
    '<button id="failure-on" type="button">next →</button></div>'
    '<div class="failure" id="failure"></div>'
)


def page(
    title: str,
    lead: str,
    head: str,
    sections: Sequence[Section],
    figures: Sequence[Figure],
    failures: Sequence[dict[str, Any]],
    foot: str,
    library: str,
) -> str:
    """The whole page; `library` is the JavaScript that draws."""
    data = {
        "figures": {figure.name: figure.spec for figure in figures},
        "themes": {"light": config(LIGHT), "dark": config(DARK)},
        "failures": list(failures),
    }
    links = "".join(f'<a href="#{s.name}">{escape(s.title)}</a>' for s in sections)
    body = "".join(
        f'<section id="{s.name}"><h2>{escape(s.title)}</h2>'
        f'<p class="lead">{escape(s.lead)}</p>{s.body}</section>'
        for s in sections
    )
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Fabula"><link rel="icon" href="data:,">
<title>{escape(title)}</title><style>{_file("page.css")}</style></head>
<body><header class="top"><h1>{escape(title)}</h1><p class="soft">{escape(lead)}</p>{head}</header>
<nav><div>{links}<button id="theme" type="button" aria-label="light or dark">◐</button></div></nav>
<main>{body}</main><footer>{escape(foot)}</footer>
<script type="application/json" id="page-data">{_safe(orjson.dumps(data).decode())}</script>
<script type="module">{_code(library)}</script>
<script type="module">{_file("page.js")}</script></body></html>
"""


def _file(name: str) -> str:
    return (resources.files("fabula.report") / name).read_text(encoding="utf-8")


def _code(text: str) -> str:
    """JavaScript that cannot end the script it stands in."""
    return text.replace("</script", "<\\/script")


def _safe(text: str) -> str:
    """JSON that cannot end the script it stands in."""
    return text.replace("</", "<\\/").replace("<!--", "<\\!--")
