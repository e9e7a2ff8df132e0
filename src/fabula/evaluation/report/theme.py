"""Colours of the figures, for light and dark: the same figure, another configuration.

The accuracy scale is light in the middle and dark at both ends, so it is readable on either page
and in greyscale, and does not need red against green.
"""

from __future__ import annotations

from typing import Any

RAMP = ["#b5432e", "#e08a5b", "#f0dfb8", "#7fb9a4", "#1c6f64"]
DIFFERENCES = ["#a8481f", "#e6a271", "#f1efe9", "#8fb0e0", "#2b58a8"]
DARK_INK, WHITE_INK = "#000000", "#ffffff"  # one of them has a contrast of 4.5 on any colour
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1d2430",
    "soft": "#5a6274",
    "line": "#e3e6ec",
    "grey": "#c9ced8",
    "band": "#4a66c8",
    "series": ["#3459c4", "#d0632c", "#1c8577", "#9a4fa8", "#b08415", "#6b7587"],
}
DARK = {
    "paper": "#1a202a",
    "ink": "#e9ecf2",
    "soft": "#a7b0c0",
    "line": "#2c3442",
    "grey": "#4c5566",
    "band": "#8aa4ff",
    "series": ["#86a3ff", "#ff9d6b", "#54c9b4", "#d69be2", "#e2bd55", "#a3adbe"],
}
# correct, wrong, unparsed, refusal, truncated
OUTCOMES = ["#1c8577", "#cf5a3c", "#c99a2e", "#8a6fc0", "#7d8797"]


def config(colours: dict[str, Any]) -> dict[str, Any]:
    """The Vega-Lite configuration for a set of colours."""
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
            "fewtext": {"color": ink},
            "value": {"color": soft},
            "baseline": {"color": ink, "stroke": colours["paper"], "strokeWidth": 1},
            "trained": {"color": colours["band"], "opacity": 0.12},
            "rule": {"color": soft},
        },
    }


def ink_on(ramp: list[str], part: float) -> str:
    """The text colour at a position of a colour scale: whichever is more readable there."""
    place = min(max(part, 0.0), 1.0) * (len(ramp) - 1)
    at = min(int(place), len(ramp) - 2)
    low, high = _rgb(ramp[at]), _rgb(ramp[at + 1])
    mixed = tuple(a + (b - a) * (place - at) for a, b in zip(low, high, strict=True))
    return max((DARK_INK, WHITE_INK), key=lambda ink: contrast(_rgb(ink), mixed))


def contrast(first: tuple[float, ...], second: tuple[float, ...]) -> float:
    """The contrast ratio of two colours, as WCAG defines it."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: tuple[float, ...]) -> float:
    parts = [c / 255 for c in colour]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))
