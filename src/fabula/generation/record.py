"""From the questions of a passage to the fields of their records.

Fields shared by all records of an assignment or passage are computed once. Otherwise most of the
time between a story and its line of JSON would be spent here.
"""

from __future__ import annotations

from typing import Any

from fabula._version import __version__
from fabula.core.supports import numbers_of
from fabula.generation.pairs import Pairs
from fabula.generation.passage import Assignment, Passage
from fabula.generation.translate import OPEN
from fabula.language.tongue import Tongue
from fabula.world.base import World

REMEMBERED = 10_000  # queries whose choices are cached, so that memory stays flat


class Recorder:
    """Makes the fields of the records of one assignment."""

    def __init__(self, assignment: Assignment, world: World) -> None:
        self._assignment = assignment
        self._world = world
        self._id = f"{assignment.whole.id}:{assignment.split}:"
        self._stated = list(assignment.stated)
        self._digest = assignment.whole.digest
        self._choices: dict[tuple[str, ...], tuple[str, ...] | None] = {}
        self._source: dict[str, Any] = {}
        self._letters: dict[str, str] | None = None
        self._pairs = Pairs(assignment.recipe, world)

    def fields(self, passage: Passage) -> list[dict[str, Any]]:
        """The fields of the records of a passage, in the order of FIELDS."""
        tale, tongue = passage.tale, passage.tongue
        reading, annotate = tale.reading, tale.annotate
        shift = len(passage.preface)  # sentences before the first one that questions count
        facts, story = ((),) * shift + tuple(reading.facts()), tuple(passage.sentences)
        stated = ("convention",) * shift
        source = self._provenance(tongue)
        made = []
        for index, asked in enumerate(passage.asked, passage.first):
            count, query, question, answer, support, masks, relied = asked[:7]
            best = masks[0] if masks else sum(1 << n for n in support)
            note = annotate(query, best, count)
            hops = self._world.hops(reading, query, best)
            features = {**measures(best, len(masks), count, hops), **note.features}
            features["conventions"] = list(relied)
            if shift:
                support = tuple([number + shift for number in support])
            if not masks and answer != OPEN:
                features["defect"] = "the label follows the published data, not the text"
            made.append(
                {
                    "id": f"{self._id}{index}",
                    "story": story[: count + shift],
                    "question": question,
                    "answer": answer,
                    "choices": self._choices_of(query, tongue),
                    "support": support,
                    "supports": tuple([numbers_of(mask << shift) for mask in masks]),
                    "facts": facts[: count + shift],
                    "query": query,
                    "composition": reading.concepts(best),
                    "roles": stated + note.roles,
                    "features": features,
                    "signature": reading.signature(query, best),
                    "provenance": {**source, "index": index, "passage": passage.number},
                }
            )
        if passage.member is not None:
            self._pairs.note(passage, made)
        return made

    def _choices_of(self, query: tuple[str, ...], tongue: Tongue | None) -> tuple[str, ...] | None:
        """All answers that a question can have, in the words of the story."""
        if tongue and tongue.letters is not None:  # every story has its own names
            return self._find_choices(query, tongue)
        if query not in self._choices:
            if len(self._choices) >= REMEMBERED:
                self._choices.clear()
            self._choices[query] = self._find_choices(query, tongue)
        return self._choices[query]

    def _find_choices(
        self, query: tuple[str, ...], tongue: Tongue | None
    ) -> tuple[str, ...] | None:
        found = self._world.choices(self._assignment.recipe, query)
        if tongue and found:
            return tongue.say(found, query)
        return None if found is None else tuple(found)

    def _provenance(self, tongue: Tongue | None) -> dict[str, Any]:
        """The provenance shared by all records: all that is needed to generate them again."""
        letters = tongue.letters if tongue else None
        if not self._source or letters != self._letters:
            recipe, split, seed, whole, part = self._assignment
            self._letters = letters
            self._source = {
                "recipe": whole.id,
                **whole.origin.noted(bool(part)),
                **({"part": part} if part else {}),
                "dialect": recipe.dialect,
                "world": recipe.world,
                "language": recipe.language,
                **({"cipher": recipe.cipher} if recipe.cipher else {}),
                **({"letters": letters} if letters else {}),
                "conventions": {"stated": recipe.conventions, "names": self._stated},
                "recipe_digest": self._digest,
                "version": __version__,
                "seed": seed,
                "split": split,
            }
        return self._source


def measures(best: int, supports: int, count: int, hops: int) -> dict[str, Any]:
    """Features measured on every instance: size and number of supports, sentences, hops.

    `support_size` counts the sentences of the best support, `hops` the links of the proof: events,
    stated relations and denials. They differ if one sentence states several of these.
    """
    size = best.bit_count()
    return {
        "sentences": count,
        "support_size": size,
        "supports": supports,
        "hops": hops,
        "recency": count + 1 - best.bit_length() if best else None,
        "reach": count - (best & -best).bit_length() + 1 if best else None,
        "distractors": count - size,
    }
