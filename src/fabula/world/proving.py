"""Shared by the verifiers of several worlds: checking a claim, and loading a logic program."""

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
    """The objections to a claim about a story of `count` sentences, in English.

    `conclude` gives what a set of sentence numbers entails. It must equal `wanted` for the whole
    story and for each support, and must not once any sentence of a support is left out. That is
    tried sentence by sentence, unless `minimal` can show it at once.
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
    """The logic program next to a module, given the module's `__file__`."""
    return Path(module).with_name("rules.lp").read_text(encoding="utf-8")
