"""Facts about positions in the plainest words: as the bAbI tasks tell them, or the shortest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabula.world.base import Fact
from fabula.world.space.grid import COMPASS
from fabula.world.space.language import SpaceLanguage, language
from fabula.world.space.words import SIDES


def plain(code: str, facts: Sequence[Fact]) -> str | None:
    """The facts of one sentence, at most two."""
    tongue = language(code)
    told = [_told(tongue, fact) for fact in facts]
    if None in told or not 1 <= len(told) <= 2:
        return None
    sentences = [text for text in told if text]
    return sentences[0] if len(sentences) == 1 else tongue.both(*sentences)


def simpler(fact: Fact) -> tuple[Fact, ...]:
    """The same with one step, and with the simplest relation."""
    relation, *names = fact
    if relation == "not":
        return ()
    simplest = "north" if relation in COMPASS else "left"
    found = [(simplest, *names[:2]), (relation, *names[:2])]
    return tuple(each for each in found if each != fact)


def _told(tongue: SpaceLanguage, fact: Fact) -> str | None:
    return min(_wordings(tongue, fact), key=lambda text: (len(text), text), default=None)


def _wordings(tongue: SpaceLanguage, fact: Fact) -> Iterator[str]:
    if fact[0] == "not":
        relation, figure, ground = f"not {fact[1]}", fact[2], fact[3]
    else:
        relation, figure, ground, *steps = fact
        if not steps and (relation in COMPASS or (figure[0].islower() and relation in SIDES)):
            yield tongue.tell(relation, figure, ground, lambda: 0.0)
            return
        relation = " ".join([relation, *steps])
    for dimensions in tongue.banks:
        texts = tongue.texts(relation, "", dimensions)
        for text in texts:
            yield tongue.fill(text, figure, ground)
        if texts:
            return
