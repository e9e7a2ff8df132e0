"""A story of the kinship world: a family, a chain that proves a target, noise, and its telling."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import orjson

from fabula.errors import ParseError, QuotaError
from fabula.seeds import Draw, below, fingerprint, pick, pick_weighted, shuffled
from fabula.worlds.base import Annotation, Brief, Candidate, OneWording, Query
from fabula.worlds.kinship import chains, clauses
from fabula.worlds.kinship.algebra import FEMALE, MALE
from fabula.worlds.kinship.chains import Chain, Link, Strand
from fabula.worlds.kinship.clauses import LISTED, Clause, FamilyShape
from fabula.worlds.kinship.family import Family
from fabula.worlds.kinship.phrases import Person, names, phrases
from fabula.worlds.kinship.reading import KinReading
from fabula.worlds.kinship.recipe import KinshipRecipe, Task
from fabula.worlds.kinship.telling import Told, tell
from fabula.worlds.kinship.template_files import Template
from fabula.worlds.kinship.templates import Book, book
from fabula.worlds.kinship.thread import Thread

FAMILIES = 40  # families tried for one story
CHAINS = 12  # chains tried in one family
TRIES = 24  # chains with the same ends tried in one family


class KinshipTale(OneWording):
    """One story in the making. Its index decides task, target and clause, so quotas are exact."""

    def __init__(self, recipe: KinshipRecipe, unfold: Draw, wording: Draw, brief: Brief) -> None:
        self.recipe = recipe
        self.language = phrases(recipe.native)
        self.sentences: list[str] = []
        self.book = recipe.book
        self.reading = KinReading(self.book or self.language)
        self._templates: list[Template] = []
        self.roles: list[str] = []
        self._unfold, self._tell = unfold, wording
        self._split = brief.split
        self._wanted = brief.cell.answers or recipe.targets
        self._words = recipe.vocabulary
        keys = recipe.family
        self._shape = FamilyShape(keys.generations, keys.children, keys.marriage)
        self._round, self._place = divmod(brief.number, len(recipe.round))
        self.task: Task = recipe.round[self._place]
        self.chain: Chain | None = None
        self.noise: list[Strand] = []
        self._begun = False
        self._truth: tuple[str, ...] | None = None

    # --- unfolding ------------------------------------------------------------------------

    def advance(self, goal: int, pause: int | None = None) -> bool:
        """Tell the story, all of it at once; False if the family cannot hold such a story."""
        if not self._begun:
            self._begun = True
            if self._compose():
                self._narrate()
        return bool(self.sentences)

    def _compose(self) -> bool:
        draw, words = self._unfold, self._words
        for n in range(FAMILIES):
            family = Family(draw, words, *self._shape)
            chain = self._find_chain(family, max(0, n - FAMILIES // 2))
            if chain is None:
                continue
            noise = self._find_noise(family, chain)
            if noise is not None and self._nameable(family, chain, noise):
                self.family, self.chain, self.noise = family, chain, noise
                return True
        return False

    def _find_chain(self, family: Family, later: int = 0) -> Chain | None:
        """A chain for the target; with a clause so much later than its turn has, if need be."""
        draw, words, k = self._unfold, self._words, self.task.k
        which = "any" if k in self.recipe.any_clause else self.recipe.clauses
        if k <= LISTED:
            table = clauses.choice(words, self._shape, k, which, self.recipe.held_out)
            targets = self._targets(list(table))
            if not targets:
                raise QuotaError(self._nothing_for(which))
            cycle, at = self._turn(len(targets))
            options = table[targets[at]]
            # a clause may leave no room for the noise that the recipe wants
            clause = options[(cycle + later) % len(options)]
            links = chains.along(family, words, draw, clause)
            if links is None:
                return None
            return Chain(links, self._proof(links))
        targets = self._targets(list(words.words))
        if not targets:
            return None
        _, at = self._turn(len(targets))
        relation, gender = words.relation_of[targets[at]]
        gender = gender or pick(draw, (MALE, FEMALE))
        for n in range(CHAINS):
            # a small family may not hold what would be best
            if n < CHAINS // 2:
                chain = self._from_ends(family, relation, gender)
            else:
                chain = chains.backward(family, words, draw, relation, gender, k)
            if chain and self._fits(family, chain, relation, which):
                return chain
        return None

    def _turn(self, targets: int) -> tuple[int, int]:
        """How often all targets had their turn in this place of the round, and whose it is now.
        Places begin with targets far apart, so that a few stories already have most of them."""
        return divmod(self._round + self._place * targets // len(self.recipe.round), targets)

    def _nothing_for(self, which: str) -> str:
        shape, k = self._shape, self.task.k
        low, high = shape.children
        wanted = " or ".join(self._wanted) if self._wanted else "any word"
        kept = "" if which == "any" else f" ({which} clauses only)"
        return (
            f"recipe {self.recipe.id}, split {self._split}: in a family of {shape.generations} "
            f"generations with {low} to {high} children a couple, of whom {shape.marriage:.0%} "
            f"marry, no {k} facts prove {wanted}{kept}. Enlarge the family, or change k, targets "
            "or clauses."
        )

    def _from_ends(self, family: Family, relation: str, gender: str) -> Chain | None:
        """A chain whose first and last relation say as little as can be of the target."""
        draw, words, k = self._unfold, self._words, self.task.k
        known = clauses.ends(words, self._shape, k).get(relation)
        if known is None:
            return None
        at = pick_weighted(draw, range(len(known.pairs)), known.weights)
        # again and again with the same ends, or those that are hard to find would be rarer
        for _ in range(TRIES):
            relations = pick(draw, known.clauses[at])
            genders = [""] * (len(relations) - 1) + [gender]
            links = chains.along(family, words, draw, tuple(zip(relations, genders, strict=True)))
            if links:
                seed = list(links)
                steps = chains.grown(family, words, draw, links, k, fixed_ends=True)
                if steps is not None:
                    return Chain(links, self._proof(seed) + steps)
        return None

    def _proof(self, links: list[Link]) -> list[chains.Step]:
        """A proof of what the chain comes to."""
        steps = self._words.prove([link.relation for link in links])
        assert steps is not None
        known = {(n, n + 1): link for n, link in enumerate(links)}
        proof = []
        for i, cut, j in reversed(steps):
            one, two = known[i, cut], known[cut, j]
            head = Link(one.first, self._words.rules[one.relation, two.relation], two.second)
            known[i, j] = head
            proof.append((head, one, two))
        return proof[::-1]

    def _fits(self, family: Family, chain: Chain, relation: str, which: str) -> bool:
        words = self._words
        last = words.relations[chain.links[-1].relation]
        target = words.relations[relation]
        if last.male == last.female and target.male != target.female:
            return False  # 'cousin' leaves the gender open
        if which == "any":
            return True
        clause = self._clause(family, chain.links)
        held = clauses.held_out(words, self._shape, clause, self.recipe.held_out)
        return held == (which == "held-out")

    def _targets(self, words: list[str]) -> list[str]:
        return [word for word in words if not self._wanted or word in self._wanted]

    def _find_noise(self, family: Family, chain: Chain) -> list[Strand] | None:
        draw, found = self._unfold, []
        used = chains.mask_of(chain.links)
        for kind in self.task.noise:
            low, high = getattr(self.recipe.noise, kind)
            high = max(low, high or self.task.k // 2)
            amount = low + below(draw, high - low + 1)
            if not amount:
                continue
            if kind == "supporting":
                strands = chains.supporting(family, self._words, draw, chain, used, (low, amount))
            elif kind == "irrelevant":
                strands = chains.irrelevant(family, self._words, draw, chain, used, amount)
            else:
                strands = chains.disconnected(family, self._words, draw, used, amount)
            if strands is None:
                return None
            for strand in strands:
                used |= chains.mask_of(strand.links)
            found += strands
        return found

    def _nameable(self, family: Family, chain: Chain, noise: Sequence[Strand]) -> bool:
        pool = _names(self.recipe, self._split)
        people = chains.mask_of(chain.links)
        for strand in noise:
            people |= chains.mask_of(strand.links)
        men, women = people & family.men, people & family.women
        return men.bit_count() <= len(pool[MALE]) and women.bit_count() <= len(pool[FEMALE])

    def _clause(self, family: Family, links: Sequence[Link]) -> Clause:
        return tuple((link.relation, family.gender(link.second)) for link in links)

    # --- telling --------------------------------------------------------------------------

    def _narrate(self) -> None:
        assert self.chain is not None
        draw, strands = self._tell, [Strand("support", self.chain.links), *self.noise]
        self._christen(strands)
        pool = self.language.pools[self.recipe.phrases]
        forms = self.language.mentions.choose(by_marriage="by-marriage" in self.recipe.words)
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
            thread = Thread(self.language, self.recipe.phrases, len(groups), facts, draw)
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
        """A path in one unit, or each fact in one if no template tells it all."""
        told, pool = self._templates, self.recipe.phrases
        found = book.tell(people, relations, self._tell, pool, told)
        if found is None:
            assert len(relations) > 1  # the recipe has seen to it that all single facts are covered
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
        draw, pool = self._tell, _names(self.recipe, self._split)
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
        """What the family says."""
        if self._truth is None:
            assert self.chain is not None
            first, last = self.chain.links[0].first, self.chain.links[-1].second
            relation = self.family.relation(first, last)
            word = self._words.word(relation, self.family.gender(last)) if relation else None
            self._truth = (word,) if word else ()
        return self._truth

    def annotate(self, query: Query, mask: int, position: int) -> Annotation:
        """The symbolic story beside the text: people, facts, clause and proof."""
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
        if self._templates:  # so that whoever has the record can read it
            features["templates"] = [t.model_dump(mode="json") for t in self._templates]
        return Annotation(tuple(self._measured(mask)), features)

    def _measured(self, mask: int) -> Iterator[str]:
        """The roles of the sentences in this proof, which may be a shorter way than was planned."""
        for number, role in enumerate(self.roles, 1):
            if mask >> number & 1:
                yield "support"
            else:
                yield "supporting" if role == "support" else role


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


def read(code: str, sentences: Sequence[str]) -> KinReading:
    """The reading of a story in a language, which may bring templates along (see `idiom`)."""
    plain, _, templates = code.partition("+")
    tongue = book(plain, templates.encode()) if templates else phrases(plain)
    return KinReading(tongue, sentences)


def idiom(code: str, features: Mapping[str, Any]) -> str:
    """The language of a record: its code, followed by '+' and the record's templates in JSON."""
    templates = features.get("templates")
    if not templates:
        return code
    try:
        data = orjson.dumps(templates)
        book(code, data)
    except (ValueError, TypeError) as error:
        raise ParseError(f"the templates of the record are wrong: {error}") from None
    return f"{code}+{data.decode()}"
