"""The figures of a report as Vega-Lite: data and encoding here, colours in theme.py.

Promise: a figure holds the numbers it shows, so that it can be taken out and used elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from fabula.report.numbers import Row
from fabula.report.theme import OUTCOMES
from fabula.score import Outcome

Spec = dict[str, Any]

ROWS = 30
"""Compositions in a panel of the heatmap: the commonest."""
GAPS = {"paddingInner": 0.1, "paddingOuter": 0.05}
PERCENT = {"format": ".0%", "tickCount": 5}


class Figure(NamedTuple):
    """One figure."""

    name: str
    """Of its files."""
    title: str
    spec: Spec


def _accuracy(title: str = "accuracy") -> Spec:
    return {
        "field": "accuracy",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"title": title, **PERCENT},
    }


def _tooltip(*fields: tuple[str, str]) -> list[Spec]:
    shown = [{"field": field, "title": title} for field, title in fields]
    return [
        *shown,
        {"field": "accuracy", "title": "accuracy", "format": ".1%"},
        {"field": "low", "title": "from", "format": ".1%"},
        {"field": "high", "title": "to", "format": ".1%"},
        {"field": "right", "title": "right", "format": ","},
        {"field": "count", "title": "of", "format": ","},
    ]


def _figure(name: str, title: str, rows: Sequence[Row], rest: Spec) -> Figure:
    spec = {"data": {"values": list(rows)}, "width": "container", **rest}
    return Figure(name, title, spec)


def _series(runs: Sequence[str]) -> Spec:
    """The colour of a run; a legend only if there are several."""
    legend = {"orient": "top", "title": None, "columns": 0, "symbolOpacity": 1}
    return {
        "field": "run",
        "type": "nominal",
        "scale": {"domain": list(runs)},
        "legend": legend if len(runs) > 1 else None,
        "sort": None,
    }


def bars(
    name: str, title: str, rows: Sequence[Row], runs: Sequence[str], field: str = "value"
) -> Figure:
    """Accuracy of each value with its interval, runs beside each other."""
    order = list(
        dict.fromkeys(str(r[field]) for r in sorted(rows, key=lambda r: r.get("order", 0)))
    )
    band: Spec = {
        "field": field,
        "type": "nominal",
        "sort": order,
        "axis": {"title": None, "labelLimit": 190},
    }
    offset: Spec = {"yOffset": {"field": "run", "sort": list(runs)}} if len(runs) > 1 else {}
    across = {"y": {**band, "scale": {"paddingInner": 0.3}}, **offset}
    thick = 13 if len(runs) > 1 else 20
    return _figure(
        name,
        title,
        rows,
        {
            "height": len(order) * (23 * len(runs) if len(runs) > 1 else 27),
            "encoding": across,
            "layer": [
                {
                    "mark": {"type": "bar", "cornerRadiusEnd": 3, "height": thick},
                    "encoding": {
                        "x": _accuracy(),
                        "color": _series(runs),
                        "opacity": {
                            "condition": {"test": "datum.count < 10", "value": 0.35},
                            "value": 0.9,
                        },
                        "tooltip": _tooltip(("run", "run"), (field, title.lower())),
                    },
                },
                {
                    "mark": {"type": "rule", "style": "interval", "strokeWidth": 1.5},
                    "encoding": {
                        "x": {"field": "low", "type": "quantitative"},
                        "x2": {"field": "high"},
                    },
                },
            ],
        },
    )


def outcomes(rows: Sequence[Row], runs: Sequence[str]) -> Figure:
    """The five outcomes of each run."""
    kinds = [str(outcome) for outcome in Outcome]
    values = [
        {"run": row["run"], "outcome": kind, "number": row[kind], "part": row[kind] / row["count"],
         "order": at}
        for row in rows
        for at, kind in enumerate(kinds)
    ]  # fmt: skip
    return _figure(
        "outcomes",
        "What became of the replies",
        values,
        {
            "height": 34 * len(runs),
            "mark": {"type": "bar", "height": 22},
            "encoding": {
                "y": {
                    "field": "run",
                    "type": "nominal",
                    "sort": list(runs),
                    "axis": {"title": None},
                },
                "x": {
                    "field": "part",
                    "type": "quantitative",
                    "scale": {"domain": [0, 1]},
                    "axis": {"title": "share of the replies", **PERCENT},
                },
                "color": {
                    "field": "outcome",
                    "type": "nominal",
                    "scale": {"domain": kinds, "range": OUTCOMES},
                    "legend": {"orient": "top", "title": None, "columns": 3},
                },
                "order": {"field": "order"},
                "tooltip": [
                    {"field": "run"},
                    {"field": "outcome"},
                    {"field": "number", "format": ","},
                    {"field": "part", "title": "share", "format": ".1%"},
                ],
            },
        },
    )


def heatmap(name: str, title: str, rows: Sequence[Row]) -> Figure:
    """One panel: compositions against kinds of question, what was seen in training framed."""
    total: dict[str, int] = {}
    for row in rows:
        total[row["composition"]] = total.get(row["composition"], 0) + row["count"]
    kept = sorted(sorted(total, key=lambda c: -total[c])[:ROWS])
    kinds = sorted({row["kind"] for row in rows})
    shown = [
        {
            **row,
            "label": str(row["count"]) if row["few"] else f"{row['accuracy']:.0%}",
            "example": row["examples"][0] if row["examples"] else "",
            "another": row["examples"][1] if len(row["examples"]) > 1 else "",
            "training": {True: "seen", False: "not seen", None: "not known"}[row["seen"]],
        }
        for row in rows
        if row["composition"] in kept
    ]
    tip = [
        *_tooltip(("kind", "question"), ("composition", "support"), ("training", "in training")),
        {"field": "example", "title": "e.g."},
        {"field": "another", "title": "or"},
    ]
    return _figure(
        name,
        title,
        shown,
        {
            "height": {"step": 28},
            "width": {"step": 62},
            "encoding": {
                "x": {
                    "field": "kind",
                    "type": "nominal",
                    "sort": kinds,
                    "scale": GAPS,
                    "axis": {"title": None, "orient": "top", "labelAngle": -35, "domain": False,
                             "ticks": False},
                },
                "y": {
                    "field": "composition",
                    "type": "nominal",
                    "sort": kept,
                    "scale": GAPS,
                    "axis": {"title": None, "domain": False, "ticks": False, "labelLimit": 230,
                             "labelPadding": 8},
                },
            },
            "layer": [
                {"transform": [{"filter": "!datum.few"}], **_coloured(tip)},
                {
                    "transform": [{"filter": "datum.few"}],
                    "mark": {"type": "rect", "style": "few", "cornerRadius": 3},
                    "encoding": {"tooltip": tip},
                },
                {
                    "transform": [{"filter": "datum.seen"}],
                    "mark": {"type": "rect", "style": "seen", "cornerRadius": 3, "filled": False},
                    "encoding": {"tooltip": tip},
                },
                {"transform": [{"filter": "!datum.few"}], **_figure_on_colour(11)},
                {
                    "transform": [{"filter": "datum.few"}],
                    "mark": {"type": "text", "style": "fewtext", "fontSize": 11},
                    "encoding": {"text": {"field": "label"}},
                },
            ],
        },
    )  # fmt: skip


def _coloured(tip: Any) -> Spec:
    """Cells coloured by accuracy."""
    return {
        "mark": {"type": "rect", "cornerRadius": 3, "stroke": None},
        "encoding": {
            "color": {
                "field": "accuracy",
                "type": "quantitative",
                "scale": {"domain": [0, 1]},
                "legend": None,
            },
            "tooltip": tip,
        },
    }


def _figure_on_colour(size: int) -> Spec:
    """The labels of such cells: dark on the light middle of the scale, else white."""
    middle = "datum.accuracy > 0.22 && datum.accuracy < 0.8"
    return {
        "mark": {"type": "text", "fontSize": size, "tooltip": None},
        "encoding": {
            "text": {"field": "label"},
            "color": {"condition": {"test": middle, "value": "#2a241a"}, "value": "#ffffff"},
        },
    }


def steps(rows: Sequence[Row], runs: Sequence[str]) -> Figure:
    """Accuracy against k; the range of the training is shaded."""
    trained = sorted({row["k"] for row in rows if row["trained"]})
    layers: list[Spec] = []
    if trained:
        layers.append(
            {
                "data": {"values": [{"from": trained[0] - 0.5, "to": trained[-1] + 0.5}]},
                "mark": {"type": "rect", "style": "trained"},
                "encoding": {
                    "x": {"field": "from", "type": "quantitative"},
                    "x2": {"field": "to"},
                },
            }
        )
    x: Spec = {
        "field": "k",
        "type": "quantitative",
        "scale": {"nice": False, "padding": 12, "zero": False},
        "axis": {"title": "k, the steps of the chain", "tickMinStep": 1, "grid": False,
                 "format": "d"},
    }  # fmt: skip
    tip = _tooltip(("run", "run"), ("k", "k"))
    layers += [
        {
            "mark": {"type": "area", "opacity": 0.15},
            "encoding": {
                "x": x,
                "y": {"field": "low", "type": "quantitative", "scale": {"domain": [0, 1]}},
                "y2": {"field": "high"},
                "color": _series(runs),
            },
        },
        {
            "mark": {"type": "line", "point": {"size": 55, "filled": True}, "strokeWidth": 2},
            "encoding": {"x": x, "y": _accuracy(), "color": _series(runs), "tooltip": tip},
        },
    ]
    return _figure("steps", "Accuracy against k", rows, {"height": 260, "layer": layers})


def curve(
    name: str, title: str, rows: Sequence[Row], axis: str, goal: float | None = None
) -> Figure:
    """Accuracy against training examples or doses, on a scale that has a place for none."""
    runs = list(dict.fromkeys(row["run"] for row in rows))
    values = sorted({row["examples"] for row in rows})
    x: Spec = {
        "field": "examples",
        "type": "quantitative",
        "scale": {"type": "symlog", "constant": max(1, min(filter(None, values)) / 2),
                  "nice": False, "padding": 12, "domain": [values[0], values[-1]]},
        "axis": {"title": axis, "grid": False, "format": ",d", "values": values,
                 "labelOverlap": True},
    }  # fmt: skip
    line = {"mark": {"type": "rule", "style": "rule", "strokeDash": [4, 4]},
            "data": {"values": [{"goal": goal}]},
            "encoding": {"y": {"field": "goal", "type": "quantitative"}}}  # fmt: skip
    return _figure(
        name,
        title,
        rows,
        {
            "height": 260,
            "layer": [
                *([line] if goal is not None else []),
                {
                    "mark": {"type": "area", "opacity": 0.15},
                    "encoding": {
                        "x": x,
                        "y": {"field": "low", "type": "quantitative", "scale": {"domain": [0, 1]}},
                        "y2": {"field": "high"},
                        "color": _series(runs),
                    },
                },
                {
                    "mark": {"type": "line", "point": {"size": 55, "filled": True},
                             "strokeWidth": 2},
                    "encoding": {
                        "x": x,
                        "y": _accuracy(),
                        "color": _series(runs),
                        "tooltip": _tooltip(("run", "curve"), ("examples", axis)),
                    },
                },
            ],
        },
    )  # fmt: skip


def noise(rows: Sequence[Row], by_training: bool) -> Figure:
    """The noise matrix: how it was trained (or which run) against what it is tested on."""
    row_field = "trained" if by_training else "run"
    cells = [{**row, "label": f"{row['accuracy']:.0%}", "few": row["count"] < 10} for row in rows]
    tip = _tooltip(("run", "run"), ("trained", "noise in training"), ("tested", "in the test"))
    return _figure(
        "noise",
        "Noise in training against noise in the test",
        cells,
        {
            "height": {"step": 44},
            "width": {"step": 96},
            "encoding": {
                "x": {
                    "field": "tested",
                    "type": "nominal",
                    "axis": {"title": "noise in the test", "orient": "top", "labelAngle": -25,
                             "labelLimit": 320, "domain": False, "ticks": False},
                },
                "y": {
                    "field": row_field,
                    "type": "nominal",
                    "axis": {"title": "noise in training" if by_training else None,
                             "domain": False, "ticks": False},
                },
            },
            "layer": [
                _coloured(tip),
                _figure_on_colour(12),
            ],
        },
    )  # fmt: skip
