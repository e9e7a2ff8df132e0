"""Cells and findings in plain sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.recipe.cells import UNBOUNDED

_COUNTED = {
    "support_size": "the proof needs {} sentence{}",
    "hops": "the proof has {} hop{}",
    "supports": "there {are} {} alternative proof{}",
    "recency": "{} sentence{} {follow} the last one of the proof",
    "reach": "{} sentence{} {follow} the first one of the proof",
    "sentences": "the story has {} sentence{}",
    "distractors": "there {are} {} distractor{}",
    "related_distractors": "{} distractor{} {name} whom or what is asked about",
}
_GUESSES = {
    "last": "the last possible answer in the story",
    "beside": "the last possible answer mentioned along with the name in the question",
    "first": "the first possible answer mentioned along with the name in the question",
}


def described(keys: Mapping[str, Any], settings: Mapping[str, Any] | None = None) -> str:
    """A cell as the kind of question that a model fails on.

    >>> described({"asks": ["where-object"], "requires": ["GIVE"]})
    'where-object questions when the proof uses GIVE'
    >>> described({"hops": [3, 1000000], "answers": ["maybe"]})
    "questions when the proof has 3 or more hops and the answer is 'maybe'"
    """
    what = " or ".join(keys.get("asks", ()))
    clauses = []
    if used := keys.get("requires"):
        clauses.append(f"the proof uses {_and(used)}")
    for key, pattern in _COUNTED.items():
        if key in keys:
            clauses.append(_range(pattern, *keys[key]))
    if answers := keys.get("answers"):
        said = " or ".join(f"'{answer}'" for answer in answers)
        clauses.append(f"the answer is {said}")
    for guess in keys.get("misleads", ()):
        clauses.append(f"{_GUESSES[guess]} is wrong")
    if noise := keys.get("noise"):
        clauses.append(f"there is {_and(noise)} noise")
    if others := keys.get("distracted_by"):
        clauses.append(f"{_and(others)} occur{'s' * (len(others) == 1)} outside the proof")
    for key, value in (settings or {}).items():
        clauses.append(f"{key} is {value}")
    return f"{what} questions".strip() + (f" when {_and(clauses)}" if clauses else "")


def sentence(
    keys: Mapping[str, Any],
    settings: Mapping[str, Any],
    accuracy: float,
    elsewhere: float,
    interval: Sequence[float],
    p: float,
) -> str:
    """A finding in one sentence."""
    low, high = interval
    chance = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    return (
        f"fails on {described(keys, settings)}: {accuracy:.0%} right against {elsewhere:.0%} "
        f"elsewhere (95% interval {low:.0%} to {high:.0%}, {chance})"
    )


def _range(pattern: str, low: int, high: int) -> str:
    if high >= UNBOUNDED:
        number, single = f"{low} or more", False
    elif low == high:
        number, single = str(low), low == 1
    elif low <= (1 if "proof needs" in pattern or "alternative" in pattern else 0):
        number, single = (f"at most {high}", high == 1) if high else ("no", False)
    else:
        number, single = f"{low} to {high}", False
    verbs = {"are": "is" if single else "are", "follow": "follows" if single else "follow",
             "name": "names" if single else "name"}  # fmt: skip
    return pattern.format(number, "" if single else "s", **verbs)


def _and(words: Sequence[str]) -> str:
    return " and ".join(words)
