"""Families: what is somebody to somebody else? CLUTRR's stories, with sound rules only.

    1 In the week of the regatta, Clara lent Hugo, her brother, thick mittens.
    2 Hugo's wife Ines grows basil in a disused bathtub. Her daughter Vera had tickets for the
      semifinal.

    What is Vera to Clara? Vera is Clara's ...   niece: units 1 and 2

By convention the parents of every child are married to each other (`married-parents`), couples
share all their children and nobody marries twice (`shared-children`), siblings share both parents
(`full-siblings`), and an uncle is a parent's brother, not an aunt's husband (`by-blood`). Nobody is
their own relative, and different names are different people. A word is the answer only if it holds
in every family that fits the text. A unit of a story is one to three sentences that state one to
three facts; a proof follows a chain of exactly k facts; noise is worded like the rest and labelled.

The recipe key `telling` sets the style: "scenes" puts each unit into a scene of its own, "thread"
makes all units one small story (a village fair from morning to night, a night on a train that is
snowed in), "plain" uses bare statements, "templates" uses your own sentences. Except in the last
two, relatives are mentioned in more than forty forms, direct ('her uncle Bob', 'Bob, uncle of
Ann,') and indirect ('Bob, whose niece is Ann,', 'Bob, a brother of one of her parents,').

A *clause* is the chain of relations of a proof, ignoring genders: sibling-spouse-child above. All
clauses that some family can have occur nearly equally often (see clauses.py), and `hold_out` says
what training and test do not share: clauses, scenes, forms of mentioning a relative.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from fabula.core.seeds import Draw
from fabula.world.base import (
    Account,
    Brief,
    Claim,
    Fact,
    Query,
    Witness,
    World,
)
from fabula.world.kinship import conventions, witness
from fabula.world.kinship.algebra import OPTIONS, vocabulary
from fabula.world.kinship.clauses import held_out
from fabula.world.kinship.phrases import names, phrases
from fabula.world.kinship.reading import BY_MARRIAGE, KinReading, idiom, read
from fabula.world.kinship.recipe import KinshipRecipe
from fabula.world.kinship.tale import KinshipTale


class Kinship(World):
    """Families."""

    name = "kinship"
    recipe = KinshipRecipe
    open_kinds = witness.OPEN_KINDS

    def read(self, code: str, sentences: Sequence[str]) -> KinReading:
        """The reading of the units of a story."""
        return read(code, sentences)

    def begin(self, recipe: KinshipRecipe, unfold: Draw, tell: Draw, brief: Brief) -> KinshipTale:
        """Begin a story; its cell sets the task and the answer."""
        return KinshipTale(recipe, unfold, tell, brief)

    def ask(self, code: str, query: Query) -> str:
        """A query in words."""
        return phrases(code).ask(query[1], query[2], query[0] == BY_MARRIAGE)

    def parse_question(self, code: str, question: str) -> Query:
        """The query behind a question."""
        first, second, by_marriage = phrases(code.partition("+")[0]).parse_question(question)
        return (BY_MARRIAGE if by_marriage else "kin", first, second)

    def choices(self, recipe: KinshipRecipe, query: Query) -> list[str] | None:
        """All answers that questions of the recipe can have."""
        return list(recipe.targets or recipe.vocabulary.words)

    def account(self, code: str, sentences: Sequence[str], features: Mapping[str, Any]) -> Account:
        """The verifier's own view, with the templates stored in the record."""
        from fabula.world.kinship.account import Account as Own

        return Own(code, sentences, features.get("templates") or ())

    def hops(self, reading: KinReading, query: Query, mask: int) -> int:
        """The number of facts on the shortest chain in these sentences; one sentence may state
        several.
        """
        found = [
            len(route.path)
            for route in reading.routes(query)
            if route.relation is not None and not route.used & ~mask
        ]
        return min(found, default=mask.bit_count())

    def plain(self, code: str, facts: Sequence[Fact]) -> str | None:
        """A unit that tells just these facts, in bare statements; it does not tell genders."""
        told = [fact for fact in facts if len(fact) == 3]
        statement = phrases(code.partition("+")[0]).statement
        return " ".join(statement(*fact) for fact in told) if told else None

    def idiom(self, code: str, features: Mapping[str, Any]) -> str:
        """The language code of a record, extended by the templates stored in it."""
        return idiom(code, features)

    def conventions(self, recipe: KinshipRecipe) -> tuple[str, ...]:
        """The conventions that answers of a recipe may rely on."""
        return conventions.in_force(recipe)

    def relies(
        self, reading: KinReading, query: Query, answer: tuple[str, ...], masks: Sequence[int]
    ) -> tuple[str, ...]:
        """The conventions that an answer relies on."""
        return conventions.relies(reading, query, answer, masks)

    def consistent(self, reading: KinReading) -> bool:
        """Whether some family fits the story."""
        from fabula.world.kinship.families import Families

        return Families(reading.facts(), ("kin", "", ""), ()).possible()

    def sorts(self, reading: KinReading) -> Mapping[str, str]:
        """The gender of names and of kin words: one is not exchanged for another."""
        known = _genders()
        told = {name: gender for name, (gender, _) in reading._gender.items()}
        words = {fact[0]: known[fact[0]] for told in reading.facts() for fact in told
                 if fact[0] in known}  # fmt: skip
        return {**known, **told} if not reading.facts() else {**words, **told}

    def permits(
        self, recipe: KinshipRecipe, reading: KinReading, query: Query, masks: Sequence[int]
    ) -> bool:
        """Whether the chains between the two people are clauses that a split may have."""
        best = masks[0]
        for route in reading.routes(query):
            if route.relation is None:
                continue
            clause = tuple(edge.relation for edge in route.path)
            if len(clause) not in recipe.guarded:
                continue
            which = recipe.which(len(clause))
            held = held_out(recipe.vocabulary, recipe.shape, clause, recipe.held_out)
            if held != (which == "held-out") and which != "any" and (held or route.used == best):
                return False
        return True

    def state(self, reading: KinReading) -> dict[str, Any]:
        """The stated relations between people, and their genders as far as they are known."""
        state: dict[str, Any] = {}
        for told in reading.facts():
            for fact in told:
                if len(fact) == 3:
                    state[f"kin({fact[1]},{fact[2]})"] = fact[0]
        for name, (gender, _) in reading._gender.items():
            state[f"gender({name})"] = gender
        return state

    def resume(self, code: str, state: Mapping[str, Any]) -> KinReading:
        """A reading that knows just what a state says."""
        told: list[tuple[list[Fact], list[tuple[str, str]]]] = []
        for name, value in state.items():
            kind, _, args = name.rstrip(")").partition("(")
            if kind == "kin":
                first, second = args.split(",")
                told.append(([(value, first, second)], []))
            else:
                told.append(([], [(args, value)]))
        reading = read(code, ())
        parser, reading.language = reading.language, _Recalled(told)
        for number in range(len(told)):
            reading.hear(str(number))
        reading.language = parser
        return reading

    def confirms(
        self,
        code: str,
        sentences: Sequence[str],
        features: Mapping[str, Any],
        reading: KinReading,
        claim: Claim,
    ) -> bool:
        """Whether the answer and its supports hold in all families that fit the facts."""
        from fabula.world.kinship import families
        from fabula.world.kinship.claims import BASIC, WORDS

        facts = reading.facts()
        told = {fact[0] for unit in facts for fact in unit if len(fact) == 3}
        words = [word for word in WORDS if word in BASIC or word in told.union(claim.answer)]
        return not families.prove(facts, [claim], words, claim.query[0] == BY_MARRIAGE)[0]

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


class _Recalled:
    """Gives facts that are known already, by number, in the place of what parses sentences."""

    def __init__(self, told: list[tuple[list[Fact], list[tuple[str, str]]]]) -> None:
        self._told = told

    def parse(self, unit: str) -> Any:
        """The facts and genders of this number."""
        return self._told[int(unit)]


@cache
def _genders() -> dict[str, str]:
    """Names and kin words with their gender."""
    found = {name: gender for gender, known in names("en").items() for name in known}
    words = vocabulary(frozenset(OPTIONS)).relation_of
    return {**found, **{word: f"word {gender}" for word, (_, gender) in words.items()}}


KINSHIP = Kinship()
