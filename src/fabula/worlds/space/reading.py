"""The reader of positions: from the sentences alone, what lies where, and why.

Promises:
1. Every told relation is one step on the grid. So two entities are settled exactly if a chain of
   sentences links them, and the minimal supports are the simple chains.
2. 'What is north of X?' asks for what lies one step north; of several nothing is answered.
3. 'How do you go from X to Y?' counts told neighbours only, and the shortest way; if several
   shortest ways differ, nothing is answered.
4. A story that contradicts itself answers nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from fabula.labels import minimal, preference
from fabula.relations import Graph
from fabula.worlds.base import Fact, Finding, Query, numbered
from fabula.worlds.space.grid import KING, LETTERS, WORDS, along, label
from fabula.worlds.space.language import SpaceLanguage


class SpaceReading:
    """The reader's view of a story about positions."""

    def __init__(self, tongue: SpaceLanguage, sentences: Sequence[str] = ()) -> None:
        self.language = tongue
        self.told: list[tuple[str, str, str, str]] = []
        """For each sentence: relation, figure, ground, kind of expression."""
        self.graph: Graph[int] = Graph(KING)
        self._frame: list[tuple[int, int]] | None = None
        self._age = -1
        for sentence in sentences:
            self.hear(sentence)

    def hear(self, sentence: str) -> None:
        """Take in the next sentence."""
        told = self.language.parse(sentence)
        self.told.append(told)
        self.graph.add(len(self.told), told[1], WORDS[told[0]], told[2])

    def frame(self) -> list[tuple[int, int]] | None:
        """Component and position of each entity; None if the story contradicts itself."""
        if self._age != len(self.told):
            self._age = len(self.told)
            self._frame = self.graph.frame(0)
        return self._frame

    # --- questions ------------------------------------------------------------------------

    def find(self, query: Query) -> Finding | None:
        """What is found for a query, or None if the story does not tell."""
        if self.graph.woven and self.frame() is None:
            return None
        kind = query[0]
        if kind == "relation":
            return self._relation(query[1], query[2])
        if kind == "yes-no":
            return self._yes_no(*query[1:])
        if kind == "path":
            return self._path(query[1], query[2])
        if kind == "what-is":
            return self._neighbour(query[2], WORDS[query[1]])
        return self._neighbour(query[1], -WORDS[query[2]])

    def _masks(self, first: str, second: str) -> list[int]:
        routes = self.graph.routes(first, second)
        return [routes[0].mask] if len(routes) == 1 else minimal([r.mask for r in routes])

    def _relation(self, first: str, second: str) -> Finding | None:
        settled = self.graph.settled(first, second)
        if settled is None:
            return None
        answer = label(settled[0])
        return Finding((answer,), settled[1], answer)

    def _yes_no(self, relation: str, figure: str, ground: str) -> Finding | None:
        settled = self.graph.settled(figure, ground)
        if settled is None:
            return None
        answer = "yes" if along(settled[0], WORDS[relation]) > 0 else "no"
        return Finding((answer,), settled[1], answer)

    def around(self, ground: str, direction: int) -> list[str]:
        """What lies exactly there from an entity, as far as the story tells."""
        frame, index = self.frame(), self.graph.index
        if frame is None or ground not in index:
            return []
        component, position = frame[index[ground]]
        wanted = (component, position + direction)
        return [name for name, i in index.items() if frame[i] == wanted]

    def _neighbour(self, ground: str, direction: int) -> Finding | None:
        """What lies one step in a direction from the ground."""
        found = self.around(ground, direction)
        if len(found) != 1:
            return None
        return Finding((found[0],), self._masks(found[0], ground), found[0])

    def _path(self, start: str, goal: str) -> Finding | None:
        routes = self.graph.routes(start, goal)
        if not routes:
            return None
        size = min(route.mask.bit_count() for route in routes)
        ways: dict[tuple[str, ...] | None, list[int]] = {}
        for route in routes:
            if route.mask.bit_count() == size:
                ways.setdefault(self.letters(route.mask, start, goal), []).append(route.mask)
        if len(ways) > 1:
            return None
        ((letters, masks),) = ways.items()
        if letters is None:
            return None
        return Finding(letters, sorted(masks, key=preference), letters)

    def letters(self, mask: int, start: str, goal: str) -> tuple[str, ...] | None:
        """The way that these sentences tell, as letters."""
        steps = self.graph.path(mask, start, goal)
        letters = [LETTERS.get(-step) for _, step in steps or ()]
        return tuple(x for x in letters if x) if letters and None not in letters else None

    # --- checks ---------------------------------------------------------------------------

    def stands(self, query: Query, conclusion: object, mask: int) -> bool:
        """Whether these sentences alone give the conclusion and none can be dropped."""
        kind = query[0]
        if kind == "relation":
            alone = self.graph.alone(mask, query[1], query[2])
            return alone is not None and label(alone) == conclusion
        if kind == "yes-no":
            alone = self.graph.alone(mask, query[2], query[3])
            if alone is None:
                return False
            return ("yes" if along(alone, WORDS[query[1]]) > 0 else "no") == conclusion
        if kind == "path":
            return self.letters(mask, query[1], query[2]) == conclusion
        ground, direction = (
            (query[2], WORDS[query[1]]) if kind == "what-is" else (query[1], -WORDS[query[2]])
        )
        return self.graph.alone(mask, str(conclusion), ground) == direction

    def alone(self, query: Query, mask: int) -> tuple[str, ...] | None:
        """The answer if only these sentences had been told, or None if none follows."""
        part = SpaceReading(self.language)
        for number in numbered(mask):
            told = self.told[number - 1]
            part.told.append(told)
            part.graph.add(len(part.told), told[1], WORDS[told[0]], told[2])
        finding = part.find(query)
        return None if finding is None else finding.answer

    # --- descriptions ---------------------------------------------------------------------

    def facts(self) -> list[tuple[Fact, ...]]:
        """The fact of each sentence."""
        return [(told[:3],) for told in self.told]

    def concepts(self, mask: int) -> tuple[str, ...]:
        """The kinds of expression in these sentences, sorted."""
        return tuple(sorted({self.told[number - 1][3] for number in numbered(mask)}))

    def signature(self, query: Query, mask: int) -> str:
        """Question and support with names abstracted."""
        names: dict[str, str] = {}

        def short(word: str) -> str:
            return word if word in WORDS else names.setdefault(word, f"E{len(names) + 1}")

        told = [self.told[number - 1] for number in numbered(mask)]
        parts = [f"{t[0]}({short(t[1])},{short(t[2])})" for t in told]
        return f"{' '.join(parts)} ? {query[0]}({','.join(map(short, query[1:]))})"


def read(code: str, sentences: Sequence[str]) -> SpaceReading:
    """The reading of a story in a language."""
    from fabula.worlds.space.language import language

    return SpaceReading(language(code), sentences)
