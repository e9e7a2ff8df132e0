"""A story of the kinship world: a clause, a family that has it, noise, and its telling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from fabula.core.seeds import Draw, below, fingerprint, pick, shuffled
from fabula.errors import QuotaError
from fabula.world.base import Annotation, Brief, Candidate, OneWording, Query
from fabula.world.kinship import chains, clauses
from fabula.world.kinship.algebra import FEMALE, MALE
from fabula.world.kinship.chains import Chain, Link, Strand
from fabula.world.kinship.clauses import Wanted
from fabula.world.kinship.family import Family
from fabula.world.kinship.phrases import Person, names, phrases
from fabula.world.kinship.reading import KinReading
from fabula.world.kinship.recipe import KinshipRecipe, Task, TaskCell
from fabula.world.kinship.telling import Told, tell
from fabula.world.kinship.template_files import Template
from fabula.world.kinship.templates import Book
from fabula.world.kinship.thread import Thread

FAMILIES = 2_000  # families tried for one story before it is called impossible
PEOPLE = 200_000  # maximum number of people in them, so that large families fail as soon
AS_THEY_COME, LARGEST = 6, 2  # families tried for one clause


class _Kit:
    """The values that all stories of one split of a recipe share."""

    def __init__(self, recipe: KinshipRecipe, split: str) -> None:
        language = self.language = phrases(recipe.native)
        self.book = Book(language, recipe.templates) if recipe.templates else None
        self.words = recipe.vocabulary
        self.shape = recipe.shape
        self.names = _names(recipe, split)
        self.pool = language.pools[recipe.side("scenes")]
        self.forms = language.mentions.choose(
            language.mentions.pools[recipe.side("forms")], "by-marriage" in recipe.words
        )
        self.wanted: dict[Task, Wanted] = {task: recipe.wanted(task) for task in recipe.tasks}


def _kit(recipe: KinshipRecipe, split: str) -> _Kit:
    kit: _Kit | None = recipe.kits.get(split)
    if kit is None:
        kit = recipe.kits[split] = _Kit(recipe, split)
    return kit


class KinshipTale(OneWording):
    """One story in progress. Its cell sets the task and the answer, so quotas are exact."""

    def __init__(self, recipe: KinshipRecipe, unfold: Draw, wording: Draw, brief: Brief) -> None:
        self.recipe = recipe
        kit = self._kit = _kit(recipe, brief.split)
        self.language = kit.language
        self.sentences: list[str] = []
        self.book = kit.book
        self.reading = KinReading(self.book or self.language)
        self._templates: list[Template] = []
        self.roles: list[str] = []
        self._unfold, self._tell = unfold, wording
        self._split = brief.split
        self._words = kit.words
        assert isinstance(brief.cell, TaskCell)
        self._cell = brief.cell
        self.task = brief.cell.task
        self.chain: Chain | None = None
        self.noise: list[Strand] = []
        self._begun = False
        self._truth: tuple[str, ...] | None = None

    # --- unfolding ------------------------------------------------------------------------

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the whole story at once; a QuotaError says why it is impossible."""
        if not self._begun:
            self._begun = True
            self._compose()
            self._narrate()
        return True

    def _compose(self) -> None:
        """Draw a clause for the answer, then a family that has it, and noise around it."""
        draw, words, shape = self._unfold, self._words, self._kit.shape
        wanted = self._kit.wanted[self.task]
        if not self._cell.target:
            raise QuotaError(self._nothing_for(wanted))
        relation, gender = words.relation_of[self._cell.target]
        most = shape.children[1]
        failed: list[str] = []
        people = 0
        while len(failed) < FAMILIES and people < PEOPLE:
            drawn = clauses.drawn(words, wanted, relation, draw)
            if drawn is None:
                raise QuotaError(self._nothing_for(wanted))
            # try the same clause in other families, or clauses that are hard to find would be rarer
            for n in range(AS_THEY_COME + LARGEST):
                if n < AS_THEY_COME:
                    family = Family(draw, words, shape.generations, shape.children, shape.marriage)
                else:
                    always = 1.0 if shape.marriage else 0.0
                    family = Family(draw, words, shape.generations, (most, most), always)
                people += len(family)
                links = chains.along(family, words, draw, drawn.clause)
                if links is None:
                    failed.append("chain")
                    continue
                if gender:
                    family.settle([(links[-1].second, gender)])
                noise = self._find_noise(family, links)
                if isinstance(noise, str):
                    failed.append(noise)
                    continue
                self.family, self.noise = family, noise
                self.chain = Chain(links, self._proof(links, drawn.steps))
                return
        raise QuotaError(self._no_room(Counter(failed)))

    def _nothing_for(self, wanted: Wanted) -> str:
        among = self._cell.answers or self.recipe.targets
        answers = " or ".join(among) if among else "any answer"
        place = f"recipe {self.recipe.id}, split {self._split}"
        everything = clauses.provable(self._words, wanted._replace(which="any"))
        if any(not among or word in among for word in everything):
            return (
                f"{place}: of the clauses of {wanted.k} facts that prove {answers}, none is "
                f"{wanted.which}, with held_out = {wanted.share:g}. Change held_out, add "
                f"{wanted.k} to any_clause, or ask for other targets."
            )
        return (
            f"{place}: {_described(wanted)} no {wanted.k} facts prove {answers}. Enlarge the "
            "family, lower k, or ask for other targets."
        )

    def _no_room(self, failed: Counter[str]) -> str:
        """The most frequent reason why a family was rejected, and a fix."""
        recipe, task = self.recipe, self.task
        ((worst, times),) = failed.most_common(1)
        noise = recipe.noise
        remedies = {
            "chain": "had no such chain. Enlarge the family, or lower k",
            "supporting": f"had no people left for {_amount(noise.supporting, task.k)} detours. "
            "Lower noise.supporting, or enlarge the family",
            "irrelevant": f"had no people left for a branch of {_amount(noise.irrelevant, task.k)} "
            "facts. Lower noise.irrelevant, or enlarge the family",
            "disconnected": "had no people left for a separate path of "
            f"{_amount(noise.disconnected, task.k)} facts. Lower noise.disconnected, or enlarge "
            "the family",
            "held-out": "had only detours that spell a held-out clause. Lower noise.supporting or "
            "held_out",
            "names": "had more men or women in the story than the split has names for. "
            'Set names = "shared", or lower k or the noise',
        }
        return (
            f"recipe {recipe.id}, split {self._split}, task {task.name}: none of "
            f"{failed.total():,} families could hold the story; {times:,} of them "
            f"{remedies[worst]}."
        )

    def _proof(self, links: list[Link], steps: clauses.Steps) -> list[chains.Step]:
        """The proof of a clause, with the people of the chain."""
        known = {(n, n + 1): link for n, link in enumerate(links)}
        proof = []
        for i, cut, j in reversed(steps):
            one, two = known[i, cut], known[cut, j]
            head = Link(one.first, self._words.rules[one.relation, two.relation], two.second)
            known[i, j] = head
            proof.append((head, one, two))
        return proof[::-1]

    def _find_noise(self, family: Family, links: list[Link]) -> list[Strand] | str:
        """The noise that the task requires, or the kind of noise there is no room for."""
        draw, words, recipe = self._unfold, self._words, self.recipe
        found: list[Strand] = []
        used = chains.mask_of_people(links)
        for kind in self.task.noise:
            low, high = recipe.noise.of(kind, self.task.k)
            amount = low + below(draw, high - low + 1)
            if not amount:
                continue
            if kind == "supporting":
                strands = chains.supporting(family, words, draw, links, used, (low, amount))
                if strands is not None and self._spells_held_out(links, strands):
                    return "held-out"
            elif kind == "irrelevant":
                strands = chains.irrelevant(family, words, draw, links, used, amount)
            else:
                strands = chains.disconnected(family, words, draw, used, amount)
            if strands is None:
                return kind
            for strand in strands:
                used |= chains.mask_of_people(strand.links)
            found += strands
        return found if self._nameable(family, links, found) else "names"

    def _spells_held_out(self, links: list[Link], detours: Sequence[Strand]) -> bool:
        """Whether an alternative route between the two people in the question is a held-out clause
        that belongs to another split.
        """
        recipe = self.recipe
        if recipe.which() != "kept":
            return False
        return any(
            clauses.held_out(self._words, recipe.shape, clause, recipe.held_out)
            for clause in chains.detoured(links, detours, recipe.guarded)
        )

    def _nameable(self, family: Family, links: list[Link], noise: Sequence[Strand]) -> bool:
        pool = self._kit.names
        people = chains.mask_of_people(links)
        for strand in noise:
            people |= chains.mask_of_people(strand.links)
        men, women = people & family.men, people & family.women
        return men.bit_count() <= len(pool[MALE]) and women.bit_count() <= len(pool[FEMALE])

    # --- telling --------------------------------------------------------------------------

    def _narrate(self) -> None:
        assert self.chain is not None
        draw, strands = self._tell, [Strand("support", self.chain.links), *self.noise]
        self._christen(strands)
        recipe, pool, forms = self.recipe, self._kit.pool, self._kit.forms
        units: list[tuple[str, str]] = []
        told: Told = set()
        groups = [
            (group, strand.role) for strand in strands for group in self._groups(strand.links)
        ]
        thread = None
        if self.recipe.telling == "thread":
            if self.recipe.order == "shuffled":
                groups = shuffled(draw, groups)
            facts = sum(len(group) for group, _ in groups)
            thread = Thread(self.language, recipe.side("scenes"), len(groups), facts, draw)
        for group, role in groups:
            people = [self.people[person] for person in chains.people_of(group)]
            relations = [link.relation for link in group]
            if thread:
                texts = [thread.tell(people, relations, forms)]
            elif self.recipe.telling == "plain":
                texts = [self.language.plain(people, relations, draw)]
            elif self.book:
                texts = self._by_templates(self.book, people, relations)
            else:
                texts = [tell(self.language, people, relations, draw, pool, told, forms)]
            units += [(text, role) for text in texts]
        if self.recipe.order == "shuffled" and not thread:
            units = shuffled(draw, units)
        for text, role in units:
            self.sentences.append(text)
            self.roles.append(role)
            self.reading.hear(text)

    def _by_templates(
        self, book: Book, people: Sequence[Person], relations: Sequence[str]
    ) -> list[str]:
        """A path in one unit, or each fact in its own if no template states all of it."""
        told, pool = self._templates, self.recipe.side("scenes")
        found = book.tell(people, relations, self._tell, pool, told)
        if found is None:
            assert len(relations) > 1  # the recipe has checked that all single facts are covered
            return [
                text
                for n, relation in enumerate(relations)
                for text in self._by_templates(book, people[n : n + 2], [relation])
            ]
        if found[1] not in told:
            told.append(found[1])
        return [found[0]]

    def _christen(self, strands: Sequence[Strand]) -> None:
        """Give everyone a name of their own."""
        draw, pool = self._tell, self._kit.names
        self.people: dict[int, Person] = {}
        taken: set[str] = set()
        for strand in strands:
            for person in chains.people_of(strand.links):
                if person not in self.people:
                    gender = self.family.gender(person)
                    name = pick(draw, pool[gender])
                    while name in taken:
                        name = pick(draw, pool[gender])
                    taken.add(name)
                    self.people[person] = Person(name, gender)

    def _groups(self, links: list[Link]) -> list[list[Link]]:
        """The links in runs of one to `group`."""
        groups, at = [], 0
        while at < len(links):
            size = 1 + below(self._tell, min(self.recipe.group, len(links) - at))
            groups.append(links[at : at + size])
            at += size
        return groups

    # --- asking ---------------------------------------------------------------------------

    def candidates(self, kind: str, draw: Draw) -> list[Candidate]:
        """The one question: what is the last person of the chain to the first?"""
        if self.chain is None:
            return []
        links = self.chain.links
        ends = links[0].first, links[-1].second
        query = (kind, *(self.people[person].name for person in ends))
        return [Candidate(query, self.truth(query))]

    def truth(self, query: Query) -> tuple[str, ...]:
        """The answer by the family."""
        if self._truth is None:
            assert self.chain is not None
            first, last = self.chain.links[0].first, self.chain.links[-1].second
            relation = self.family.relation(first, last)
            word = self._words.word(relation, self.family.gender(last)) if relation else None
            self._truth = (word,) if word else ()
        return self._truth

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """The symbolic story next to the text: people, facts, clause and proof."""
        assert self.chain is not None
        links = self.chain.links
        order = list(self.people)
        number = {person: n for n, person in enumerate(order)}

        def word(link: Link) -> str:
            return self._words.word(link[1], self.people[link[2]].gender)

        def fact(link: Link) -> list[str]:
            second = self.people[link[2]]
            return [
                self.people[link[0]].name, self._words.word(link[1], second.gender), second.name
            ]  # fmt: skip

        def edge(link: Link, role: str) -> list[Any]:
            return [number[link[0]], word(link), number[link[2]], role]

        edges = [edge(link, "support") for link in links]
        edges += [edge(link, strand.role) for strand in self.noise for link in strand.links]
        features: dict[str, Any] = {
            "task": self.task.name,
            "k": self.task.k,
            "hops": len(links),
            "noise": sorted({strand.role for strand in self.noise}),
            "noise_facts": sum(len(strand.links) for strand in self.noise),
            "clause": "-".join(map(word, links)),
            "people": [[person.name, person.gender] for person in self.people.values()],
            "edges": edges,
            "proof": [
                {"fact": fact(head), "from": [fact(one), fact(two)]}
                for head, one, two in self.chain.proof
            ],
        }
        if self._templates:  # so that anyone with the record can parse it
            features["templates"] = [t.model_dump(mode="json") for t in self._templates]
        # among supports of one size the reader prefers the fewest facts, so it cites the chain
        assert mask == sum(1 << n for n, role in enumerate(self.roles, 1) if role == "support")
        return Annotation(tuple(self.roles), features)


def _described(wanted: Wanted) -> str:
    generations, (low, high), marriage = wanted.shape
    return (
        f"in a family of {generations} generations with {low} to {high} children per "
        f"couple ({marriage:.0%} of them marry),"
    )


def _amount(bounds: tuple[int, int], k: int) -> str:
    low, high = bounds[0], max(bounds[0], bounds[1] or k // 2)
    return str(low) if low == high else f"{low} to {high}"


def _names(recipe: KinshipRecipe, split: str) -> dict[str, tuple[str, ...]]:
    """The names that a split may use, by gender."""
    splits = tuple(recipe.splits)
    if recipe.names == "shared" or len(splits) == 1:
        return names(recipe.native)
    return _own_names(recipe.native, len(splits), splits.index(split))


@lru_cache(maxsize=64)
def _own_names(code: str, parts: int, part: int) -> dict[str, tuple[str, ...]]:
    return {
        gender: tuple(n for n in known if fingerprint("name:" + n) % parts == part)
        for gender, known in names(code).items()
    }
