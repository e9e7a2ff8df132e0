"""A story about kinds in progress."""

from __future__ import annotations

from collections.abc import Callable

from fabula.core.seeds import Draw, pick, shuffled
from fabula.core.split import proof_content
from fabula.world.base import Annotation, Brief, Candidate, Fact, OneWording, Query, Reading
from fabula.world.kinds import release
from fabula.world.kinds.language import language
from fabula.world.kinds.reading import KindsReading
from fabula.world.kinds.recipe import KindsRecipe
from fabula.world.relations.amounts import bounds, draw_amount, some

EXCHANGES = 64
"""Maximum number of names tried to make a proof fit its split."""


class KindsTale(OneWording):
    """One story: individuals of several kinds, and the properties of the kinds."""

    def __init__(
        self, recipe: KindsRecipe, unfold: Draw, tell: Draw, brief: Brief | None = None
    ) -> None:
        self.recipe = recipe
        self.language = language(recipe.native)
        self.sentences: list[str] = []
        self._reading = KindsReading(self.language)
        self.reading: Reading = self._reading
        self.answers: dict[str, str] = {}
        """The answer for each individual that may be asked about."""
        self._known: list[Candidate] = []
        self._released = recipe.labels == "release"
        self._inductive = bool(recipe.asks.get("colour"))
        self.facts = self._colours(unfold) if self._inductive else self._fears(unfold)
        if self._inductive and recipe.split_key == "proof" and brief and brief.admits:
            self._exchange(unfold, brief.admits)

    # --- deduction ------------------------------------------------------------------------

    def _fears(self, draw: Draw) -> list[Fact]:
        recipe = self.recipe
        species = some(draw, recipe.animals, draw_amount(draw, recipe.species))
        people = some(draw, recipe.people, draw_amount(draw, recipe.individuals))
        steps = draw_amount(draw, recipe.steps)
        groups = some(draw, recipe.groups, steps * len(species))
        above: dict[str, str] = {}
        level, heads = species, {kind: kind for kind in species}
        for _ in range(steps):
            # a new level of groups, with a place for every kind of the level below
            fresh, groups = groups[: len(species)], groups[len(species) :]
            above |= {kind: pick(draw, fresh) for kind in level}
            level = list(dict.fromkeys(above[kind] for kind in level))
            heads = {kind: above[head] for kind, head in heads.items()}
        fears: dict[str, str] = {}
        for group in level:
            others = [kind for kind in species if heads[kind] != group] or species
            fears[group] = pick(draw, others)
        kinds = {name: pick(draw, species) for name in people}
        self.answers = {name: fears[heads[kind]] for name, kind in kinds.items()}
        rules: list[Fact] = [("fear", *pair) for pair in fears.items()]
        rules += [("subkind", *pair) for pair in above.items()]
        members: list[Fact] = [("member", *pair) for pair in kinds.items()]
        if not self._released:
            return shuffled(draw, [*rules, *members])
        return _fears_first(draw, rules, members)

    # --- induction ------------------------------------------------------------------------

    def _colours(self, draw: Draw) -> list[Fact]:
        recipe = self.recipe
        people = some(draw, recipe.people, draw_amount(draw, recipe.individuals))
        species = some(draw, recipe.animals, draw_amount(draw, recipe.species))
        if self._released:
            return self._colours_as_released(draw, people, species)
        asked, others = people[0], people[1:]
        low, high = bounds(recipe.peers)
        count = min(draw_amount(draw, (low, high)), len(others))
        kinds = {asked: species[0]}
        for at, name in enumerate(others):
            alone = at < count or len(species) == 1
            kinds[name] = species[0] if alone else pick(draw, species[1:])
        colour = dict(zip(species, some(draw, recipe.colours, len(species)), strict=True))
        self.answers = {asked: colour[species[0]]}
        facts: list[Fact] = [("member", *pair) for pair in kinds.items()]
        facts += [("colour", name, colour[kinds[name]]) for name in others]
        return shuffled(draw, facts)

    def _exchange(self, draw: Draw, admits: Callable[[str], bool]) -> None:
        """Rename the individual in the question until the proof belongs to the split.

        So no story is told and read for another split; the reader still checks the result.
        """
        ((asked, answer),) = self.answers.items()
        places = {fact[:2]: at for at, fact in enumerate(self.facts)}
        mine = places["member", asked]
        kind = self.facts[mine][2]
        proofs = [
            (at, places["colour", fact[1]])
            for at, fact in enumerate(self.facts)
            if fact[0] == "member" and fact[2] == kind and at != mine
        ]
        told = [self.language.say(self.facts[at]) for at in max(proofs, key=_latest)]
        free = [name for name in self.recipe.people if ("member", name) not in places]
        for _ in range(EXCHANGES if free else 0):
            query = ("colour", asked.lower() if self.recipe.lowercase_names else asked)
            said = self.language.say(("member", asked, kind))
            if admits(proof_content([*told, said], query)):
                break
            asked = pick(draw, free)
        self.answers = {asked: answer}
        self.facts[mine] = ("member", asked, kind)

    def _colours_as_released(self, draw: Draw, people: list[str], species: list[str]) -> list[Fact]:
        """Kind and colour of each, in this order; the question is about the one whose colour would
        be last.

        An individual's colour is that of the previous one of its kind, or drawn freely.
        """
        recipe = self.recipe
        turns: list[str] = []
        waiting, begun = list(people), set[str]()
        while waiting:
            at = int(draw() * len(waiting))
            name = waiting[at]
            turns.append(name)
            if name in begun:
                del waiting[at]
            begun.add(name)
        asked = turns.pop()
        peers = 0
        kinds: dict[str, str] = {}
        while peers in (0, 2):  # these do not occur in the release
            peers = -1
            for name in people:
                kinds[name] = species[int(draw() * len(species))]
            for kind in kinds.values():
                peers += kind == kinds[asked]
        facts: list[Fact] = []
        before: dict[str, str] = {}
        told = set[str]()
        for name in turns:
            kind = kinds[name]
            if name not in told:
                told.add(name)
                facts.append(("member", name, kind))
                continue
            if kind not in before or draw() < recipe.exception_rate:
                before[kind] = pick(draw, recipe.colours)
            facts.append(("colour", name, before[kind]))
        self.answers = {asked: before.get(kinds[asked], "")}  # as if nothing were drawn freely
        return facts

    # --- the rest -------------------------------------------------------------------------

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the whole story; `goal` does not matter."""
        facts = self.facts
        end = len(facts) if pause is None else min(pause, len(facts))
        for at in range(len(self.sentences), end):
            sentence = self.language.say(facts[at])
            self.sentences.append(sentence)
            self._reading.hear(sentence)
        return True

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """One question for each individual that may be asked about."""
        if self._known:
            return list(self._known)
        found = self._known
        for name, answer in self.answers.items():
            query = (kind, name.lower() if self.recipe.lowercase_names else name)
            if self._released:
                cited = release.cite(self._reading, query)
                if cited is not None:
                    found.append(Candidate(query, *cited))
            else:
                found.append(Candidate(query, (answer,)))
        return list(found)

    def truth(self, query: Query) -> tuple[str, ...]:
        """The answer by the kinds.

        In the release dialect an individual has the colour of the previous one of its kind, or one
        drawn freely; the individual in the question has the former.
        """
        asked = query[1].lower()  # questions may write names without a capital
        return tuple(answer for name, answer in self.answers.items() if name.lower() == asked)

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """Roles of the sentences, and the kind of inference."""
        roles = ["support" if mask >> n & 1 else "distractor" for n in range(1, position + 1)]
        features: dict[str, object] = {"inference": "deduction"}
        if self._inductive:
            features["inference"] = "induction"
        return Annotation(tuple(roles), features)


def _latest(places: tuple[int, int]) -> tuple[int, int]:
    """Sort key: the proof with the later sentences is written."""
    return max(places), min(places)


def _fears_first(draw: Draw, rules: list[Fact], members: list[Fact]) -> list[Fact]:
    """Rules and members interleaved, each member after the fear of its kind."""
    facts: list[Fact] = []
    waiting = [*rules, *members]
    fears = {rule[1] for rule in rules if rule[0] == "fear"}
    while waiting:
        ready = [fact for fact in waiting if fact[0] != "member" or fact[2] not in fears]
        fact = pick(draw, ready)
        waiting.remove(fact)
        if fact[0] == "fear":
            fears.discard(fact[1])
        facts.append(fact)
    return facts
