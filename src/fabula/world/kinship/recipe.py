"""The recipe keys of the kinship world, in addition to those of every recipe."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from fabula.errors import hint
from fabula.recipe.cells import ANY
from fabula.recipe.model import Cell, Recipe, Strict
from fabula.world.kinship.algebra import OPTIONS, Vocabulary, vocabulary
from fabula.world.kinship.clauses import NEVER_HELD_OUT, Wanted, provable
from fabula.world.kinship.family import LARGEST, FamilyShape, largest
from fabula.world.kinship.phrases import names, phrases
from fabula.world.kinship.reading import BY_MARRIAGE, KINDS
from fabula.world.kinship.template_files import Template, load_templates
from fabula.world.kinship.templates import Book

Count = Annotated[int, Field(ge=0, le=50)]
NoiseKind = Literal["supporting", "irrelevant", "disconnected"]
NUMBERS = {"supporting": 2, "irrelevant": 3, "disconnected": 4}
"""The kinds of noise as CLUTRR numbers its tasks; 1 is none, 5 all three."""


class FamilyKeys(Strict):
    """The size of families."""

    generations: Annotated[int, Field(ge=2, le=12)] = 4
    children: tuple[Annotated[int, Field(ge=1, le=30)], Annotated[int, Field(ge=1, le=30)]] = (2, 3)
    """Minimum and maximum number of children of a couple above the last generation."""
    marriage: Annotated[float, Field(ge=0, le=1)] = 1.0
    """Probability that a child of the family marries; the first couple is always married."""

    @model_validator(mode="after")
    def _sound(self) -> FamilyKeys:
        if self.children[0] > self.children[1]:
            raise ValueError(
                f"children = {list(self.children)} is an empty range; put the smaller one first"
            )
        if largest(self.generations, self.children, self.marriage) > LARGEST:
            raise ValueError(
                f"a family could have more than {LARGEST:,} people; lower generations or children"
            )
        return self


class Amounts(Strict):
    """The amount of each kind of noise, as a range; an upper bound of 0 means half of k."""

    supporting: tuple[Count, Count] = (1, 0)
    """Detours of two facts."""
    irrelevant: tuple[Count, Count] = (1, 1)
    """Facts on the path that leads away."""
    disconnected: tuple[Count, Count] = (1, 0)
    """Facts on the separate path."""

    @model_validator(mode="after")
    def _in_order(self) -> Amounts:
        for kind in NUMBERS:
            low, high = getattr(self, kind)
            if high and high < low:
                raise ValueError(f"{kind} = [{low}, {high}] is reversed; write [{high}, {low}]")
        return self

    def of(self, kind: str, k: int) -> tuple[int, int]:
        """The minimum and maximum of a kind of noise in a story of k facts."""
        low, high = getattr(self, kind)
        return low, max(low, high or k // 2)


class Task(Strict):
    """A kind of story."""

    k: Annotated[int, Field(ge=1, le=30)]
    """Facts that the answer needs."""
    noise: tuple[NoiseKind, ...] = ()
    share: Annotated[int, Field(ge=1, le=1000)] = 1
    """The number of stories of this kind in each round."""

    @cached_property
    def name(self) -> str:
        """The name in CLUTRR's style: kind of noise, dot, k."""
        kinds = sorted({NUMBERS[kind] for kind in self.noise})
        number = "5" if len(kinds) == 3 else "+".join(map(str, kinds)) or "1"
        return f"{number}.{self.k}"


class TaskCell(Cell):
    """A cell of the recipe narrowed to one task and one answer."""

    task: Task
    target: str
    """The answer; empty if the facts of the task can prove none of the cell's answers."""


@lru_cache(maxsize=4096)
def _task_cell(cell: Cell, task: Task, target: str) -> TaskCell:
    """The part of a cell with this task and this answer."""
    own = dict(cell)
    own["name"] = " ".join(filter(None, (cell.name, task.name, target)))
    if target:
        own["answers"] = (target,)
    if cell.hops == ANY:
        own["hops"] = (task.k, task.k)
    return TaskCell(**own, task=task, target=target)


class KinshipRecipe(Recipe):
    """A recipe of the kinship world."""

    asks: dict[str, Annotated[float, Field(ge=0)]] = {"kin": 1.0}
    length: int | tuple[int, int] = 1
    """Not used: a story has as many units as its facts need."""
    split_key: Literal["story", "proof", "signature", "none"] = "none"
    """Splits differ by clauses, scenes and names instead."""
    family: FamilyKeys = FamilyKeys()
    words: tuple[str, ...] = ()
    """Words in addition to the basic twenty: sibling-in-law, cousin, great-grand, by-marriage."""
    targets: tuple[str, ...] = ()
    """The answers, in equal numbers; empty: every word that k facts can prove."""
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)] = (Task(k=2), Task(k=3))
    """Kinds of story, dealt out in turn."""
    hold_out: tuple[Literal["clauses", "scenes", "forms"], ...] = ("clauses", "scenes")
    """Content that training and test do not share: clauses (chains of relations, ignoring genders),
    scenes with their settings, and forms of mentioning a relative. `clauses` sets the side of a
    split for the first, `phrases` for the other two.
    """
    clauses: Literal["any", "kept", "held-out"] = "any"
    """Which clauses of three or more facts: all, those not held out, or those held out."""
    any_clause: tuple[int, ...] = ()
    """Numbers of facts to which `clauses` does not apply."""
    phrases: Literal["any", "seen", "held-out"] = "any"
    """Which scenes and forms: all, the 80% for training, or the 20% held out."""
    noise: Amounts = Amounts()
    held_out: Annotated[float, Field(ge=0, lt=1)] = 0.1
    """Fraction of the clauses of three or more facts that are held out: the same for every answer,
    at least one clause.
    """
    names: Literal["disjoint", "shared"] = "disjoint"
    """Whether each split has its own names."""
    telling: Literal["scenes", "thread", "plain", "templates"] = "scenes"
    """How facts are told: each unit in a scene of its own; all units as one story with a thread (an
    occasion with its phases); in plain sentences; or by your own templates.
    """
    templates: tuple[Template, ...] = ()
    """A file of your own templates for `telling = "templates"` (see templates.py), in the folder of
    the recipe; the recipe stores its content.
    """
    group: Annotated[int, Field(ge=1, le=3)] = 3
    """Maximum number of facts in one unit."""
    order: Literal["shuffled", "chain"] = "shuffled"
    """Order of the units: at random, or along the chain and then the noise."""

    @field_validator("templates", mode="before")
    @classmethod
    def _from_file(cls, given: Any) -> Any:
        return load_templates(given) if isinstance(given, str) else given

    @field_validator("words")
    @classmethod
    def _known_words(cls, words: tuple[str, ...]) -> tuple[str, ...]:
        for word in words:
            if word not in OPTIONS:
                raise ValueError(f"unknown '{word}'.{hint(word, OPTIONS)}")
        return words

    @model_validator(mode="after")
    def _sound_kinship(self) -> KinshipRecipe:
        for kind in self.asks:
            if kind not in KINDS:
                raise ValueError(f"asks: unknown question '{kind}'.{hint(kind, KINDS)}")
        marked = BY_MARRIAGE if "by-marriage" in self.words else "kin"
        if self.kinds() != (marked,):
            raise ValueError(f"asks: these words can only be asked for by '{marked}'")
        known = self.vocabulary.words
        for word in self.targets:
            if word not in known:
                raise ValueError(f"targets: unknown '{word}'.{hint(word, known)}")
        if self.telling == "plain" and self.group != 1:
            raise ValueError("group: plain telling has one fact per sentence; set group = 1")
        if self.questions != 1:
            raise ValueError("questions: a kinship story has one question")
        names(self.native)
        self._possible()
        if (self.telling == "templates") != bool(self.templates):
            raise ValueError('templates: use templates and telling = "templates" together')
        if self.templates:
            side = self.side("scenes")
            missing = Book(phrases(self.native), self.templates).missing(self.vocabulary, side)
            among = {"any": "", "seen": " seen in training", "held-out": " held out"}[side]
            if missing:
                raise ValueError(
                    f"templates: none{among} states {missing}. Add one"
                    + (" more with this meaning" if among else "")
                )
        return self

    def _possible(self) -> None:
        """Reject what no family can have, whatever its structure."""
        most = largest(*self.shape)
        for at, task in enumerate(self.tasks):
            amounts = {kind: self.noise.of(kind, task.k)[0] for kind in task.noise}
            detours, apart = amounts.get("supporting", 0), amounts.get("disconnected", 0)
            if detours > task.k:
                raise ValueError(
                    f"noise.supporting: at least {detours} detours are required, but a chain of "
                    f"{task.k} facts (tasks[{at}]) has room for {task.k}. Lower noise.supporting "
                    "or raise k"
                )
            people = task.k + 1 + sum(amounts.values()) + (apart > 0)
            if people > most:
                raise ValueError(
                    f"tasks[{at}]: k = {task.k}{' with this noise' if people > task.k + 1 else ''} "
                    f"needs {people} people, but such a family has at most {most}. Enlarge family, "
                    "or lower k or the noise"
                )
            if self.which(task.k) == "held-out" and not self.held_out:
                raise ValueError(
                    f"clauses: tasks[{at}] asks for held-out clauses, but held_out = 0 holds out "
                    f"none. Raise held_out, or add {task.k} to any_clause"
                )

    def which(self, k: int | None = None) -> str:
        """Which clauses (of k facts) a story may have: any, kept or held-out."""
        if "clauses" not in self.hold_out or k in self.any_clause:
            return "any"
        return self.clauses if k is None or k > NEVER_HELD_OUT else "any"

    def side(self, kind: str) -> Literal["any", "seen", "held-out"]:
        """Which of the 'scenes' or 'forms' the stories may use."""
        return self.phrases if kind in self.hold_out else "any"

    @cached_property
    def guarded(self) -> frozenset[int]:
        """The numbers of facts for which some split has held-out clauses."""
        splits = [Recipe.for_split(self, split) for split in self.split_overrides]
        return frozenset(
            task.k
            for own in (self, *splits)
            for task in own.tasks
            if own.which(task.k) == "held-out"
        )

    def for_split(self, split: str) -> Self:
        """The recipe with the overrides of a split applied; it knows what the other splits hold
        out.
        """
        own = super().for_split(split)
        own.__dict__["guarded"] = self.guarded
        return own

    def shared(self) -> tuple[str, ...]:
        """The content that splits share and do not share, for the dataset card."""
        own = {split: self.for_split(split) for split in self.splits}
        lines = []
        lengths = ", ".join(map(str, sorted(self.guarded)))
        kept = ", ".join(split for split, one in own.items() if one.which() == "kept")
        if lengths and kept:
            asking = ", ".join(s for s, one in own.items() if one.which() == "held-out")
            lines += [
                f"held out: {self.held_out:.0%} of the clauses (chains of relations, whatever the "
                "genders) of three facts and more, at least one for each answer. They never "
                f"come in {kept}, neither as the chain nor as a detour between the two people "
                f"asked about; {asking} has nothing else for k = {lengths}",
                "not held out: clauses of two facts, which are the rules; clauses of other "
                "lengths; parts of longer chains",
            ]
        else:
            lines.append("not held out: clauses")
        for kind, what in (
            ("scenes", "scenes and settings"),
            ("forms", "forms of mentioning a relative"),
        ):
            sides = {one.side(kind) for one in own.values()}
            apart = sides == {"seen", "held-out"}
            lines.append(f"held out: a fifth of the {what}" if apart else f"not held out: {what}")
        apart = self.names == "disjoint" and len(own) > 1
        lines.append("held out: names; every split has its own" if apart else "not held out: names")
        return tuple(f"{line}." for line in lines)

    @cached_property
    def shape(self) -> FamilyShape:
        """The parameters that families are drawn from."""
        return FamilyShape(self.family.generations, self.family.children, self.family.marriage)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the recipe."""
        return vocabulary(frozenset(self.words))

    def wanted(self, task: Task) -> Wanted:
        """The clauses that stories of a task may have."""
        return Wanted(self.shape, task.k, self.which(task.k), self.held_out)

    def cell_at(self, turn: int) -> TaskCell:
        """The task and the answer at this turn: each task as often as its share says, with all its
        answers equally often.

        Consecutive stories of a round have distant answers, so that even a few stories cover most
        of them.
        """
        times, place = divmod(turn, len(self.round))
        number = turn % len(self.dealt)
        cells = self._cells.get((number, place))
        if cells is None:
            cells = self._cells[number, place] = self._cells_at(turn, place)
        return cells[times % len(cells)]

    @cached_property
    def kits(self) -> dict[str, Any]:
        """For each split, what its stories share (see tale.py)."""
        return {}

    @cached_property
    def _cells(self) -> dict[tuple[int, int], tuple[TaskCell, ...]]:
        """For each cell and place in the round, the same with each answer in turn."""
        return {}

    def _cells_at(self, turn: int, place: int) -> tuple[TaskCell, ...]:
        cell, task = super().cell_at(turn), self.round[place]
        among = cell.answers or self.targets
        words = provable(self.vocabulary, self.wanted(task))
        answers = [word for word in words if word in among] if among else list(words)
        first = place * len(answers) // len(self.round)
        order = [*answers[first:], *answers[:first]] or [""]
        return tuple(_task_cell(cell, task, target) for target in order)

    @cached_property
    def round(self) -> tuple[Task, ...]:
        """The kinds of story, each as often as it occurs in one round."""
        return tuple(task for task in self.tasks for _ in range(task.share))
