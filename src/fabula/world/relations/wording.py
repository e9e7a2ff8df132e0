"""Sentence patterns with named slots: rendered, and parsed back.

Promises:
1. Every rendered sentence parses back to its meaning, whatever the names: no list of names is
   needed.
2. A sentence that fits no pattern raises ParseError; there is no guessing.
3. If two patterns fit, the one with more fixed text wins ('the box of chocolates').
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from fabula.core.seeds import Draw, pick
from fabula.errors import ParseError

MEMO_LIMIT = 200_000  # cached sentences, so that memory stays flat
NAME = r"[\w'-]+(?: [\w'-]+){0,7}"  # a name has at most eight words


class Wording:
    """Patterns by their meaning; a slot is a role in braces, such as {figure}."""

    def __init__(
        self,
        patterns: Mapping[str, Sequence[str]],
        roles: Sequence[str],
        tokens: Mapping[str, str] | None = None,
    ) -> None:
        self.patterns = {meaning: tuple(texts) for meaning, texts in patterns.items()}
        self.roles = tuple(roles)
        tokens = tokens or {}
        compiled: list[tuple[int, str, re.Pattern[str]]] = []
        for meaning, texts in self.patterns.items():
            for text in texts:
                fixed = len(re.sub(r"\{\w+\}", "", text))
                compiled.append((fixed, meaning, compile_pattern(text, self.roles, tokens)))
        self._compiled = [(m, p) for _, m, p in sorted(compiled, key=lambda entry: -entry[0])]
        self._positional = {
            meaning: tuple(_positional(text, self.roles) for text in texts)
            for meaning, texts in self.patterns.items()
        }
        self._memo: dict[str, tuple[str, ...]] = {}

    def say(self, meaning: str, fillers: Sequence[str], draw: Draw) -> str:
        """A sentence with this meaning; `fillers` are in the order of the roles."""
        texts = self._positional[meaning]
        text = texts[0] if len(texts) == 1 else pick(draw, texts)
        return text.format(*fillers)

    def positional(self, meaning: str) -> tuple[str, ...]:
        """The sentences with this meaning; a slot is the number of its role, such as {0}."""
        return self._positional.get(meaning, ())

    def parse(self, sentence: str) -> tuple[str, ...]:
        """The meaning of a sentence and its fillers in the order of the roles."""
        known = self._memo.get(sentence)
        if known is None:
            known = self._parse(sentence)
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            self._memo[sentence] = known
        return known

    def _parse(self, sentence: str) -> tuple[str, ...]:
        text = sentence.strip()
        for meaning, pattern in self._compiled:
            found = pattern.fullmatch(text)
            if found:
                groups = found.groupdict()
                return (meaning, *(groups[role] for role in self.roles if role in groups))
        raise ParseError(f"no pattern fits '{sentence}'.")


def compile_pattern(text: str, roles: Iterable[str], tokens: Mapping[str, str]) -> re.Pattern[str]:
    """The pattern as a regular expression with a group for each role."""
    parts = re.split(r"\{(\w+)\}", text)
    known = set(roles)
    for role in parts[1::2]:
        if role not in known:
            raise ValueError(f"'{text}': unknown slot {{{role}}}")
    return re.compile(
        "".join(
            f"(?P<{part}>{tokens.get(part, NAME)})" if i % 2 else re.escape(part)
            for i, part in enumerate(parts)
        )
    )


def _positional(text: str, roles: Sequence[str]) -> str:
    for i, role in enumerate(roles):
        text = text.replace(f"{{{role}}}", f"{{{i}}}")
    return text
