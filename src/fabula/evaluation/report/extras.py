"""Sections that only some runs have: one function each, in the order of the page.

A function takes the runs and returns an `Extra` (page.py), or None if no run has anything to show.
It may read further files in `run.folder`. To add a section, write such a function and name it here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabula.evaluation.report import cited, contrast, probed, smallest
from fabula.evaluation.report.cases import Run
from fabula.evaluation.report.page import Extra

Finder = Callable[[Sequence[Run]], Extra | None]

FIRST: list[Finder] = [smallest.section, probed.section]
"""Directly after the summary."""
LATER: list[Finder] = [cited.section, contrast.pairs, contrast.unknown]
"""After the outcomes."""


def found(finders: Sequence[Finder], runs: Sequence[Run]) -> list[Extra]:
    """The sections that these runs have."""
    return [extra for finder in finders if (extra := finder(runs)) is not None]
