"""Things at places on a grid; bAbI tasks 4, 17 and 19, and StepGame.

    1 Otto is one row higher than Vera and one column further to the left.
    2 Hugo can be found to the left of Nina.
    3 You find Vera to the left of Hugo.

    What is the relation of the agent Nina to the agent Otto?  lower-right: sentences 1, 2, 3.

A sentence states the position of one thing relative to another, in one of eight directions. By
convention it means exactly one step on the grid (`unit-step`) and no offset in directions that it
does not name (`straight`: 'to the left' keeps the row, 'above' keeps the column). So a chain of
sentences between two things determines their relative position, and nothing less does. The world
has several vocabularies: compass words for rooms (4, 19), sides for figures (17), and a phrase bank
of some three hundred expressions (StepGame). A path between rooms (19) uses stated neighbours only.

A recipe of the phrase bank can have more, e.g. stepgame/plus: several steps in one sentence
(`steps`), two links in one sentence (`joined`), denials (`noise.negation`), and other questions:

    1 Theo is three steps to the right of Edith and below Edgar.
    2 Nina is two rows higher than Edgar and two columns further to the left.
    3 You will not find Karl directly to the left of Edith.
    4 It is not true that Nina is in the same place as Theo.

    relation  What is the relation of the agent Nina to the agent Edith?  upper-right: 1, 2.
    yes-no    Is Karl directly to the left of Edith?  no: 3, a denial. Is Nina directly above Edith?
              no: 1, 2.
    which     Which agents are anywhere to the left of Theo?  Edith, Nina: 1, 2. All who certainly
              are further left than Theo, in whatever row. (Edgar is above Theo.)
    path      Following the relations as told, by which steps does one get from Edith to Edgar?
              right, right, right, up: 1. The shortest path over stated links, if all shortest
              paths have the same steps.
    how-far   How many steps is Nina away from Edith, if steps may be diagonal?  3: 1, 2.

With `dimensions = 3` (stepgame/deep) things are in a room seen from the front, told by phrases of
its own: above and below are heights, in front is towards the viewer, and a sentence may name up to
three sides (`front-view`). A flat story is the plane of one depth, so no word changes its meaning.

    1 Going one step up and one step to the front from Otto brings you to Vera.
    2 Hugo is to the right of, above and behind Vera.

    relation  What is the relation of the agent Hugo to the agent Otto?  upper-right: 1, 2.

A denial excludes one relative position, at any distance ('directly to the left', 'to the upper
left', 'in the same place'); it is always true, and it can prove a 'no'. In three dimensions it
excludes a whole side, so it can prove a 'yes' too: if Otto is not anywhere behind Vera, and Vera is
in front of Hugo, then Otto is in front of Hugo. All these supports are found (see denials.py).

`hops` counts the links and denials that the proof uses, `support_size` its sentences: a sentence
with two links can add two hops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.seeds import Draw
from fabula.core.split import Splitter
from fabula.core.supports import numbers_of
from fabula.world.base import Account, Brief, Citation, Claim, Fact, Query, Tale, Witness, World
from fabula.world.fast import FastPath
from fabula.world.relations.amounts import bounds
from fabula.world.space import conventions, plainly, quick_babi, release, witness
from fabula.world.space.grid import FACING, INVERSE, xyz
from fabula.world.space.grid import vector as vector_of
from fabula.world.space.language import Statement, language
from fabula.world.space.reading import NOTHING, SpaceReading, read
from fabula.world.space.recipe import SpaceRecipe
from fabula.world.space.tale import SpaceTale


class Space(World):
    """Things at places on a grid."""

    name = "space"
    recipe = SpaceRecipe
    open_kinds = witness.OPEN_KINDS

    def read(self, code: str, sentences: Sequence[str]) -> SpaceReading:
        """The reading of the sentences."""
        return read(code, sentences)

    def begin(self, recipe: SpaceRecipe, unfold: Draw, tell: Draw, brief: Brief) -> Tale:
        """Begin a story that fits the brief."""
        return SpaceTale(recipe, unfold, brief)  # one stream: the map is drawn before it is told

    def fast_path(
        self, recipe: SpaceRecipe, seed: int, split: str, splitter: Splitter
    ) -> FastPath | None:
        """The fast path of plain recipes."""
        return quick_babi.fast_path(recipe, seed, split, splitter)

    def canonical(self, fact: Fact) -> Fact:
        """A relation or its inverse, whichever has the alphabetically first name in front."""
        if fact[0] == "not":
            _, pattern, one, other = fact
            return fact if one <= other else ("not", FACING[pattern], other, one)
        relation, one, other, *steps = fact
        return fact if one <= other else (INVERSE[relation], other, one, *steps)

    def canon(self, reading: SpaceReading, mask: int) -> list[str]:
        """The canonical facts of these sentences as text."""
        if reading.more:
            facts = reading.facts()
            return [
                " ".join(self.canonical(fact)) for n in numbers_of(mask) for fact in facts[n - 1]
            ]
        found, told = [], reading.told
        for number in numbers_of(mask):
            relation, one, other, _ = told[number - 1]
            if one <= other:
                found.append(f"{relation} {one} {other}")
            else:
                found.append(f"{INVERSE[relation]} {other} {one}")
        return found

    def plain(self, code: str, facts: Sequence[Fact]) -> str | None:
        """A sentence that tells just these facts, in the plainest words."""
        return plainly.plain(code, facts)

    def simpler(self, fact: Fact) -> tuple[Fact, ...]:
        """The same with one step, and with the simplest relation."""
        return plainly.simpler(fact)

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return language(code).ask(query)

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        return language(code).parse_question(question)

    def choices(self, recipe: SpaceRecipe, query: Query) -> list[str] | None:
        """All answers that this kind of question can have in the recipe."""
        if query[0] == "relation":
            return list(recipe.space.labels)
        if query[0] == "yes-no":
            return ["yes", "no"]
        if query[0] == "how-far":
            return [str(number) for number in range(bounds(recipe.hops)[1] * recipe.longest + 1)]
        return None if query[0] in ("path", "which") else list(recipe.pool)

    def account(self, code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        """The verifier's own view of the sentences."""
        from fabula.world.space.account import Account as Own

        return Own(code, sentences)

    def hops(self, reading: SpaceReading, query: Query, mask: int) -> int:
        """The number of links in the proof that these sentences give."""
        return reading.hops(query, mask)

    def citations(self, reading: SpaceReading, query: Query) -> list[Citation]:
        """The answers and supports that the bAbI release gives."""
        return release.citations(reading, query)

    def conventions(self, recipe: SpaceRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return conventions.in_force(recipe)

    def relies(
        self, reading: SpaceReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on."""
        return conventions.relies(reading, query, answer, masks)

    def state(self, reading: SpaceReading) -> dict[str, Any]:
        """For each thing its place, [from where it is counted, across, upright, depth]; the told
        links, which ways follow; and what is denied."""
        chart = reading.chart
        state: dict[str, Any] = {}
        homes: dict[int, str] = {}
        for name, place in chart.places.items():
            home = homes.setdefault(id(chart.parts[name]), name)
            state[f"place({name})"] = [home, *xyz(place - chart.places[home])]
        for _, figure, vector, ground in chart.told:
            state[f"link({figure},{ground})"] = list(xyz(vector))
        for _, told in reading.denials:
            state[f"not({told.relation},{told.figure},{told.ground})"] = True
        return state

    def resume(self, code: str, state: Mapping[str, Any]) -> SpaceReading:
        """A reading that knows just what a state says; its places follow from its links."""
        reading = SpaceReading(language(code))
        for name, value in state.items():
            kind, _, args = name.rstrip(")").partition("(")
            if kind == "place":
                continue
            reading.told.append(NOTHING)
            number = len(reading.told)
            reading.more[number] = ()
            if kind == "not":
                relation, figure, ground = args.split(",")
                denied = Statement(relation, figure, ground, "", 0)
                reading.more[number] = (denied,)
                reading.denials.append((number, denied))
            else:
                figure, ground = args.split(",")
                reading.chart.add(1 << number, figure, vector_of(*value), ground)
        return reading

    def confirms(
        self,
        code: str,
        sentences: Sequence[str],
        features: Mapping[str, Any],
        reading: Any,
        claim: Claim,
    ) -> bool:
        """The reader finds every contradiction itself."""
        return True

    def witnesses(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query
    ) -> list[Witness] | None:
        """Two worlds that fit the facts and answer a query differently."""
        return witness.worlds(facts, query)

    def fits(
        self, code: str, facts: Sequence[Sequence[Fact]], query: Query, whole: Mapping[str, Any]
    ) -> tuple[str, ...] | None:
        """The answer in a complete world; None if some fact does not hold in it."""
        return witness.answer_in(facts, query, whole)


SPACE = Space()
