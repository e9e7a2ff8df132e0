"""Which ways to mention a relative ('her uncle Bob', 'Bob, the uncle of Ann,') a story may use.

A form has a name, and a hash of the name decides whether it is held out: of the forms with a
pronoun and of those with a name each a fifth, at least one, so that both sides can tell every fact.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import cache

from fabula.seeds import fingerprint
from fabula.worlds.kinship.phrases import HELD_OUT, Phrases, Pool, Scene


def allowed(names: Iterable[str], side: str) -> frozenset[str]:
    """The forms among these that a side ('any', 'seen' or 'held-out') may use."""
    ranked = sorted(names, key=lambda name: fingerprint("form:" + name))
    cut = max(1, round(len(ranked) * HELD_OUT)) if len(ranked) > 1 else 0
    return frozenset({"any": ranked, "seen": ranked[cut:], "held-out": ranked[:cut]}[side])


@cache
def forms_of(tongue: Phrases, side: str) -> frozenset[str]:
    """The forms of a language that a side may use."""
    by_pronoun = [form for form in tongue.mentions if "{his}" in form]
    by_name = [form for form in tongue.mentions if "{his}" not in form]
    return allowed(by_pronoun, side) | allowed(by_name, side)


@cache
def pool_of(tongue: Phrases, scenes: str, forms: str) -> Pool:
    """The scenes of one side, with the mentions of one side."""
    pool = tongue.pools[scenes]
    if forms == "any":
        return pool
    return limited(pool, forms_of(tongue, forms))


def limited(pool: Pool, forms: Collection[str]) -> Pool:
    """The pool without other mentions than these, and without scenes that then cannot be told."""

    def fitting(groups: Iterable[tuple[Scene, ...]]) -> tuple[tuple[Scene, ...], ...]:
        kept = (tuple(filter(_tellable, map(_limited, group))) for group in groups)
        return tuple(group for group in kept if group)

    def _limited(scene: Scene) -> Scene:
        by_pronoun, by_name = (
            tuple(form for form in fits if form in forms)
            for fits in (scene.by_pronoun, scene.by_name)
        )
        return scene._replace(by_pronoun=by_pronoun, by_name=by_name, either=by_pronoun + by_name)

    return pool._replace(pair=fitting(pool.pair), solo=fitting(pool.solo), trio=fitting(pool.trio))


def _tellable(scene: Scene) -> bool:
    """Whether the scene has the mentions that the teller relies on."""
    if scene.kind == "pair":
        return bool(scene.by_pronoun)
    return bool(scene.by_pronoun and scene.by_name)
