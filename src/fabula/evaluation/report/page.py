"""The page: sections of text, tables and figures, in one file that needs no network.

`page.html` is its template, filled in by Jinja2, which escapes all text; `page.css` and `page.js`
are included as they are. A section consists of the blocks below.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from typing import Any, NamedTuple

import orjson

from fabula.errors import MissingExtraError
from fabula.evaluation.report.figures import Figure
from fabula.evaluation.report.theme import DARK, LIGHT, config


class Table(NamedTuple):
    """Rows of text; the strong ones are significant."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    strong: Sequence[bool] = ()

    @property
    def words(self) -> list[bool]:
        """Which columns are words, and left-aligned."""
        columns = zip(*self.rows, strict=True)
        return [not any(cell[:1] in NUMERIC for cell in column) for column in columns]

    def is_strong(self, number: int) -> bool:
        """Whether a row is significant."""
        return number < len(self.strong) and self.strong[number]


class Chart(NamedTuple):
    """A figure, and the same as a table for those who cannot see it."""

    figure: Figure
    table: Table | None = None

    @property
    def wide(self) -> bool:
        """Whether it takes the full width."""
        return self.figure.spec.get("width") == "container"


class Group(NamedTuple):
    """Several blocks: in a grid, in panels side by side, or behind a title that opens them."""

    layout: str
    blocks: Sequence[Any]
    title: str = ""


class Story(NamedTuple):
    """A story with its question, the right answer and the reply; some sentences are highlighted."""

    title: str
    sentences: Sequence[tuple[str, bool]]
    question: str
    answer: str
    reply: str
    notes: Sequence[str] = ()
    right: bool = False
    """Whether the reply is right."""


class Square(NamedTuple):
    """A 2×2 table: two rows by two columns of large numbers, each with a line below it."""

    caption: str
    columns: tuple[str, str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]


class Code(NamedTuple):
    """Text to copy, e.g. a recipe."""

    title: str
    text: str


class Heading(NamedTuple):
    """A heading within a section."""

    text: str


class Notes(NamedTuple):
    """Lines that say what is missing, and why."""

    lines: Sequence[str]


class Drawing(NamedTuple):
    """Text in which spaces and lines matter, e.g. a story or a family tree."""

    text: str


class Legend(NamedTuple):
    """The legend of a figure: 'bars', 'heatmap' or 'differences'."""

    of: str


class Questions:
    """The browser of questions and replies."""


class Section(NamedTuple):
    """A part of the page."""

    name: str
    title: str
    lead: str
    blocks: Sequence[Any]


class Extra(NamedTuple):
    """A section that only some reports have, with its part of the summary and its numbers."""

    section: Section
    takeaways: Sequence[str] = ()
    """Plain sentences for the top of the page."""
    numbers: Any = None
    """Under the name of the section in numbers.json."""


class Card(NamedTuple):
    """The main numbers of a run."""

    name: str
    accuracy: str
    lines: Sequence[str]


NUMERIC = set("0123456789+−<–")
"""Characters that a cell with a number begins with."""


def points(value: float) -> str:
    """A difference of fractions in percentage points, as text."""
    return f"{100 * value:+.1f}".replace("-", "−")


def percent(value: float | None, digits: int = 1) -> str:
    """A fraction as a percentage."""
    return "–" if value is None or value != value else f"{value:.{digits}%}"


def p_value(value: float) -> str:
    """A p-value as text."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def page(
    title: str,
    lead: str,
    cards: Sequence[Card],
    sections: Sequence[Section],
    figures: Sequence[Figure],
    questions: Sequence[dict[str, Any]],
    foot: str,
    library: str,
    takeaways: Sequence[str] = (),
) -> str:
    """The whole page; `library` is the JavaScript that draws the figures."""
    data = {
        "figures": {figure.name: figure.spec for figure in figures},
        "themes": {"light": config(LIGHT), "dark": config(DARK)},
        "questions": list(questions),
    }
    made: str = _template().render(
        title=title,
        lead=lead,
        takeaways=takeaways,
        cards=cards,
        sections=sections,
        foot=foot,
        style=_file("page.css"),
        data=json_in_script(data),
        library=library.replace("</script", "<\\/script"),
        code=_file("page.js"),
    )
    return made


def _template() -> Any:
    try:
        from jinja2 import Environment, StrictUndefined
    except ModuleNotFoundError as error:
        if error.name != "jinja2":
            raise
        raise MissingExtraError(
            "reports are laid out by Jinja2. Install it: pip install 'fabula[report]'"
        ) from None
    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.globals["kind_of"] = lambda block: type(block).__name__.lower()
    return made.from_string(_file("page.html"))


def json_in_script(value: Any) -> str:
    """JSON that cannot end or change the script around it: it has no '<', '>' or '&'."""
    text = orjson.dumps(value).decode()
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _file(name: str) -> str:
    return (resources.files("fabula.evaluation.report") / name).read_text(encoding="utf-8")
