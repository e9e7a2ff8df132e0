"""The figures of a report as Vega-Lite: data and encoding here, colours in theme.py.

Promise: a figure contains the numbers it shows, so it can be used elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any, NamedTuple

import orjson

from fabula.evaluation.report.numbers import FEW, Row
from fabula.evaluation.report.theme import DARK_INK, DIFFERENCES, OUTCOMES, RAMP, WHITE_INK, ink_on
from fabula.scoring import Outcome

Spec = dict[str, Any]

ROWS = 30
"""Compositions in a panel of the heatmap: the most frequent ones."""
GAPS = {"paddingInner": 0.1, "paddingOuter": 0.05}
PERCENT = {"format": ".0%", "tickCount": 5}
ROOM = 96
"""Pixels kept free next to bars for their value and number."""


class Figure(NamedTuple):
    """One figure."""

    name: str
    """The stem of its file names."""
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
        {"field": "trivial", "title": "baseline"},
    ]


def trivial(row: Row) -> str:
    """The best trivial baseline of a row, in words."""
    if row.get("baseline_accuracy") is None:
        return "–"
    return f"{row['baseline_accuracy']:.1%} ({row['baseline']})"


def _figure(name: str, title: str, rows: Sequence[Row], rest: Spec) -> Figure:
    values = [{**row, "trivial": trivial(row)} if "accuracy" in row else row for row in rows]
    return Figure(name, title, {"data": {"values": values}, "width": "container", **rest})


def _series(runs: Sequence[str]) -> Spec:
    """The colour of a run; with a legend only if there are several."""
    longest = max((len(run) for run in runs), default=0)
    beside = f"max(1, floor(width / {7 * min(longest, 34) + 30}))"  # as many as there is room for
    legend = {"orient": "top", "title": None, "columns": {"expr": beside}, "symbolOpacity": 1,
              "labelLimit": {"expr": "min(240, width - 20)"}}  # fmt: skip
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
    """Accuracy of each value with interval, value and number; runs next to each other.

    A diamond marks the best trivial baseline on the same questions.
    """
    order = list(
        dict.fromkeys(str(r[field]) for r in sorted(rows, key=lambda r: r.get("order", 0)))
    )
    band: Spec = {
        "field": field,
        "type": "nominal",
        "sort": order,
        "axis": {"title": None, "labelLimit": 190, **_in_two_lines(order)},
    }
    offset: Spec = {"yOffset": {"field": "run", "sort": list(runs)}} if len(runs) > 1 else {}
    across = {"y": {**band, "scale": {"paddingInner": 0.3}}, **offset}
    thick = 13 if len(runs) > 1 else 20
    # room for the labels at the right, however wide the figure is
    scale = {"domainMin": 0, "domainMax": {"expr": f"width / max(width - {ROOM}, 40)"},
             "nice": False}  # fmt: skip
    axis = {"title": "accuracy", "format": ".0%", "values": [0, 0.25, 0.5, 0.75, 1]}
    tip = _tooltip(("run", "run"), (field, title.lower()))
    labelled = [{**row, "label": f"{row['accuracy']:.1%}  n {row['count']:,}"} for row in rows]
    known = any(row.get("baseline_accuracy") is not None for row in rows)
    diamond: Spec = {
        "transform": [{"filter": "isValid(datum.baseline_accuracy)"}],
        "mark": {"type": "point", "shape": "diamond", "style": "baseline", "size": 46,
                 "filled": True},
        "encoding": {"x": {"field": "baseline_accuracy", "type": "quantitative"},
                     "tooltip": tip},
    }  # fmt: skip
    broken = bool(_in_two_lines(order))
    return _figure(
        name,
        title,
        labelled,
        {
            "height": len(order) * (23 * len(runs) if len(runs) > 1 else 36 if broken else 27),
            "encoding": across,
            "layer": [
                {
                    "mark": {"type": "bar", "cornerRadiusEnd": 3, "height": thick},
                    "encoding": {
                        "x": {"field": "accuracy", "type": "quantitative", "scale": scale,
                              "axis": axis},
                        "color": _series(runs),
                        "opacity": {
                            "condition": {"test": f"datum.count < {FEW}", "value": 0.35},
                            "value": 0.9,
                        },
                        "tooltip": tip,
                    },
                },
                {
                    "mark": {"type": "rule", "style": "interval", "strokeWidth": 1.5},
                    "encoding": {
                        "x": {"field": "low", "type": "quantitative"},
                        "x2": {"field": "high"},
                        "tooltip": tip,
                    },
                },
                *([diamond] if known else []),
                {
                    "mark": {"type": "text", "style": "value", "align": "left", "dx": 12,
                             "fontSize": 11},
                    "encoding": {"x": {"datum": 1}, "text": {"field": "label"}},
                },
            ],
        },
    )  # fmt: skip


def _in_two_lines(labels: Sequence[str]) -> Spec:
    """Axis options that wrap long labels, to save room on a narrow screen."""
    broken = {
        label: wrap(label, max(14, len(label) // 2 + 4)) for label in labels if len(label) > 16
    }
    if not broken:
        return {}
    return {"labelExpr": f"({orjson.dumps(broken).decode()})[datum.label] || datum.label"}


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
        "Outcomes of the replies",
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
    """One panel of accuracy: compositions against kinds of question."""
    tip = [
        *_tooltip(("kind", "question"), ("composition", "support"), ("training", "in training")),
        {"field": "example", "title": "e.g."},
        {"field": "another", "title": "or"},
    ]
    shown = [
        {
            **row,
            "label": str(row["count"]) if row["few"] else f"{row['accuracy']:.0%}",
            "ink": ink_on(RAMP, row["accuracy"]),
            "example": row["examples"][0] if row["examples"] else "",
            "another": row["examples"][1] if len(row["examples"]) > 1 else "",
        }
        for row in rows
    ]
    return _cells(name, title, shown, _mean(rows, "accuracy"), "accuracy", SCALE, tip)


def differences(name: str, title: str, rows: Sequence[Row], first: str, second: str) -> Figure:
    """The same for two runs: the difference of their accuracies in each cell."""
    tip = [
        {"field": "kind", "title": "question"},
        {"field": "composition", "title": "support"},
        {"field": "training", "title": "in training"},
        {"field": "first", "title": first, "format": ".1%"},
        {"field": "second", "title": second, "format": ".1%"},
        {"field": "difference", "title": "difference", "format": "+.1%"},
        {"field": "interval", "title": "95%"},
        {"field": "count", "title": "questions", "format": ","},
    ]
    shown = [
        {
            **row,
            "label": str(row["count"]) if row["few"] else
            f"{100 * row['difference']:+.0f}".replace("-", "−"),
            "ink": ink_on(DIFFERENCES, (row["difference"] + 1) / 2),
            "interval": "–" if row["low"] is None else f"{row['low']:+.1%} to {row['high']:+.1%}",
        }
        for row in rows
    ]  # fmt: skip
    scale = {"domain": [-1, -0.5, 0, 0.5, 1], "range": DIFFERENCES, "interpolate": "rgb"}
    return _cells(name, title, shown, _mean(rows, "difference"), "difference", scale, tip)


def _mean(rows: Sequence[Row], field: str) -> dict[str, float]:
    """The mean of a field over the questions of each composition; small cells count if alone."""
    total: dict[str, list[float]] = {}
    solid = {row["composition"] for row in rows if not row["few"]}
    for row in rows:
        if row["few"] and row["composition"] in solid:
            continue
        cell = total.setdefault(row["composition"], [0.0, 0.0])
        cell[0] += row[field] * row["count"]
        cell[1] += row["count"]
    return {name: value / count for name, (value, count) in total.items()}


GROUPS = {
    frozenset({False}): "not seen in training",
    frozenset({True, False}): "seen with other questions",
    frozenset({True}): "seen in training",
    frozenset({None}): "",
}
"""Rows of a heatmap by whether their cells were seen in training, in the order of the groups."""


def _cells(
    name: str,
    title: str,
    rows: Sequence[Row],
    rank: dict[str, float],
    field: str,
    scale: Spec,
    tip: list[Spec],
) -> Figure:
    """Compositions by question kind: unseen in training before seen, the worst first."""
    total: dict[str, int] = {}
    seen: dict[str, set[bool | None]] = {}
    for row in rows:
        total[row["composition"]] = total.get(row["composition"], 0) + row["count"]
        seen.setdefault(row["composition"], set()).add(row["seen"])
    kept = sorted(total, key=lambda c: -total[c])[:ROWS]
    solid = {row["composition"] for row in rows if not row["few"]}
    kept.sort(key=lambda c: (c not in solid, rank[c], c))  # those with too few questions last
    kinds = sorted({row["kind"] for row in rows if row["composition"] in kept})
    shown = [
        {
            **row,
            "group": GROUPS[frozenset(seen[row["composition"]])],
            "training": {True: "seen", False: "not seen", None: "not known"}[row["seen"]],
        }
        for row in rows
        if row["composition"] in kept
    ]
    groups = [group for group in GROUPS.values() if any(row["group"] == group for row in shown)]
    extent = min(230, 7 * max(map(len, kept)) + 8)  # the same for all groups, so that they align

    def panel(named: bool) -> Spec:
        return {
            "height": {"step": 28},
            "width": {"step": 62},
            "encoding": {
                "x": {
                    "field": "kind",
                    "type": "nominal",
                    "scale": {"domain": kinds, **GAPS},
                    "axis": {
                        "title": None,
                        "orient": "top",
                        "labelAngle": -35,
                        "domain": False,
                        "ticks": False,
                        "labels": named,
                    },
                },
                "y": {
                    "field": "composition",
                    "type": "nominal",
                    "sort": kept,
                    "scale": GAPS,
                    "axis": {
                        "title": None,
                        "domain": False,
                        "ticks": False,
                        "labelLimit": 230,
                        "minExtent": extent,
                        "maxExtent": extent,
                        "labelPadding": 8,
                    },
                },
            },
            "layer": [
                {"transform": [{"filter": "!datum.few"}], **_coloured(tip, field, scale)},
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
                {"transform": [{"filter": "!datum.few"}], **_figure_on_colour(11, tip)},
                {
                    "transform": [{"filter": "datum.few"}],
                    "mark": {"type": "text", "style": "fewtext", "fontSize": 11},
                    "encoding": {"text": {"field": "label"}, "tooltip": tip},
                },
            ],
        }

    if groups == [""]:
        return _figure(name, title, shown, panel(True))
    parts = []
    for number, group in enumerate(groups):
        rows = [{**row, "trivial": trivial(row)} for row in shown if row["group"] == group]
        named = {"title": {"text": group, "anchor": "start", "offset": 6}}
        parts.append({"data": {"values": rows}, **named, **panel(not number)})
    return Figure(name, title, {"vconcat": parts, "spacing": 10})


SCALE = {"domain": [0, 0.25, 0.5, 0.75, 1], "range": RAMP, "interpolate": "rgb"}


def _coloured(tip: Any, field: str = "accuracy", scale: Spec = SCALE) -> Spec:
    """Cells coloured by a fraction."""
    return {
        "mark": {"type": "rect", "cornerRadius": 3, "stroke": None},
        "encoding": {
            "color": {
                "field": field,
                "type": "quantitative",
                "scale": scale,
                "legend": None,
            },
            "tooltip": tip,
        },
    }


def _figure_on_colour(size: int, tip: list[Spec]) -> Spec:
    """The labels of such cells: dark or white, whichever is more readable."""
    return {
        "mark": {"type": "text", "fontSize": size},
        "encoding": {
            "text": {"field": "label"},
            "tooltip": tip,
            "color": {
                "condition": {"test": f"datum.ink == '{DARK_INK}'", "value": DARK_INK},
                "value": WHITE_INK,
            },
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
    if any(row.get("baseline_accuracy") is not None for row in rows):
        layers.append(
            {
                "transform": [{"filter": {"field": "run", "equal": rows[0]["run"]}}],
                "mark": {"type": "line", "style": "rule", "strokeDash": [3, 4], "point": False},
                "encoding": {
                    "x": x,
                    "y": {"field": "baseline_accuracy", "type": "quantitative"},
                    "tooltip": tip,
                },
            }
        )
    return _figure("steps", "Accuracy against k", rows, {"height": 260, "layer": layers})


def curve(
    name: str, title: str, rows: Sequence[Row], axis: str, goal: float | None = None
) -> Figure:
    """Accuracy against training examples or doses, on a scale that includes zero."""
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
    """The noise matrix: noise in training (or the run) against noise in the test."""
    row_field = "trained" if by_training else "run"
    cells = [
        {**row, "label": f"{row['accuracy']:.0%}", "ink": ink_on(RAMP, row["accuracy"])}
        for row in rows
    ]
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
                _figure_on_colour(12, tip),
            ],
        },
    )  # fmt: skip
