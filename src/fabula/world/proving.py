"""What the oracles of several worlds share: the examination of a claim, and loading of rules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from pathlib import Path

from fabula.world.base import Claim


def examine(
    claim: Claim,
    count: int,
    conclude: Callable[[Collection[int]], object],
    wanted: object,
    minimal: Callable[[Sequence[int]], bool] = lambda support: False,
) -> list[str]:
    """What is wrong with a claim about a story of `count` sentences, in English.

    `conclude` says what a set of sentence numbers entails; it must be `wanted` for the whole story
    and for each support, and no longer if a sentence of a support is left out. The latter is tried
    for each sentence, unless `minimal` can show it at once.
    """
    everything = range(1, count + 1)
    failures = []
    found = conclude(everything)
    if found != wanted:
        failures.append(f"{','.join(claim.answer)} is not entailed: the story gives {found}")
    if not claim.supports:
        failures.append("there is no support")
    for support in claim.supports:
        name = f"support {list(support)}"
        if not set(support) <= set(everything):
            failures.append(f"{name} is out of range")
        elif conclude(support) != wanted:
            failures.append(f"{name} does not suffice")
        elif not minimal(support):
            failures += [
                f"{name} still suffices without sentence {number}"
                for number in support
                if conclude([other for other in support if other != number]) == wanted
            ]
    return failures


@cache
def rules(module: str) -> str:
    """The logic program beside a module, given its `__file__`."""
    return Path(module).with_name("rules.lp").read_text(encoding="utf-8")
