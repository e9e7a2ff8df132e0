"""Which step to try next: a generator that yields stories and is told whether the model fails.

Large cuts come first: down to a support, then halves, quarters and so on, then single sentences
(about 2 n questions for n sentences); then all tellings and names at once. In the end every single
step is tried until none is left that keeps proof and failure. Whoever answers remembers, so a story
that was asked before costs no question.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from fabula.evaluation.shrink.steps import Form, steps

SUPPORTS = 3
"""Supports that are tried alone."""

Search = Generator[Form, bool, Form]
"""Yields a story, is sent whether the model fails on it, returns the smallest."""


def search(start: Form) -> Search:
    """From a story that a model fails on to a 1-minimal one."""
    best = yield from _cut(start)
    for at_once in (Form.plain, Form.renamed):
        simpler = at_once(best)
        if simpler is not None and (yield simpler):
            best = simpler
    while True:
        for following in _further(best):
            if (yield following):
                best = following
                break
        else:
            return best


def _cut(start: Form) -> Search:
    """Large cuts first."""
    best = start
    for support in start.record.supports[:SUPPORTS]:
        bare = start.only(support)
        if bare is not None and (yield bare):
            best = bare
            break
    size = len(best.record.story) // 2
    while size:
        at = 0
        while at < len(best.record.story):
            less = best.without(range(at, at + size))
            if less is not None and (yield less):
                best = less
            else:
                at += size
        size //= 2
    return best


def _further(form: Form) -> Iterator[Form]:
    """Every single step, and then also two sentences at once."""
    yield from steps(form)
    yield from form.pairs()
