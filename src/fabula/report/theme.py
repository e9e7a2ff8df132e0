"""Colours of the figures, for light and dark: the same figure, another configuration.

The ramp of accuracy is light in the middle and dark at both ends, so that it reads on either page
and in grey, and does not need red against green.
"""

from __future__ import annotations

from typing import Any

RAMP = ["#b5432e", "#e08a5b", "#f0dfb8", "#7fb9a4", "#1c6f64"]
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

LIGHT = {
    "ink": "#1d2430",
    "soft": "#687083",
    "line": "#e3e6ec",
    "grey": "#c9ced8",
    "band": "#4a66c8",
    "series": ["#3459c4", "#d0632c", "#1c8577", "#9a4fa8", "#b08415", "#6b7587"],
}
DARK = {
    "ink": "#e9ecf2",
    "soft": "#9aa4b5",
    "line": "#2c3442",
    "grey": "#4c5566",
    "band": "#8aa4ff",
    "series": ["#86a3ff", "#ff9d6b", "#54c9b4", "#d69be2", "#e2bd55", "#a3adbe"],
}
# correct, wrong, unparsed, refusal, truncated
OUTCOMES = ["#1c8577", "#cf5a3c", "#c99a2e", "#8a6fc0", "#7d8797"]


def config(colours: dict[str, Any]) -> dict[str, Any]:
    """The configuration of Vega-Lite for a set of colours."""
    ink, soft, line = colours["ink"], colours["soft"], colours["line"]
    axis = {
        "labelColor": soft,
        "titleColor": soft,
        "gridColor": line,
        "domainColor": colours["grey"],
        "tickColor": colours["grey"],
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 170,
        "titlePadding": 10,
    }
    return {
        "background": "transparent",
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "legend": {
            "labelColor": soft,
            "titleColor": soft,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": 240,
        },
        "header": {"labelColor": ink, "titleColor": soft, "labelFontSize": 12},
        "title": {"color": ink, "fontSize": 13, "anchor": "start"},
        "range": {"category": colours["series"], "heatmap": RAMP, "ramp": RAMP},
        "style": {
            "interval": {"color": ink, "opacity": 0.75},
            "seen": {"color": ink, "strokeWidth": 2},
            "few": {"color": colours["grey"], "opacity": 0.35},
            "fewtext": {"color": soft},
            "trained": {"color": colours["band"], "opacity": 0.12},
            "rule": {"color": soft},
        },
    }
