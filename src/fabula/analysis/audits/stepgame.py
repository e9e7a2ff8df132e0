"""Audits StepGame's data: does each label follow from the meaning of the sentences?

Promises:
1. A sentence is parsed by the meaning of its words (sides, heights, compass, clock, diagonals) and
   their positions; there is no list of known sentences. The parser shares no code with the reader
   of the space world, so the two check each other.
2. A sentence with an unknown word, a negation, a distance, or two readings is reported as not
   understood; there is no guessing.
3. The convention of the data: every sentence states exactly one step on the grid. Positions follow
   from agent to agent; a cycle that does not close is a contradiction.
4. Labels are only compared with what follows; every remark has its place and a reason.
5. A file in which no sentence is understood is an error.

Terms used here:

    figure   the agent that a sentence places    ground   the agent it is placed relative to
    anchor   an agent that a phrase makes the ground of the whole sentence, e.g. 'seen from B'
    form     a sentence with its agents numbered in order of appearance, e.g. '#0 is above #1.'
    step     (x, y), each -1, 0 or 1; x grows to the right, y upwards
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from fabula.analysis.audits.findings import Change
from fabula.core.soundness import shown
from fabula.datasets.formats.stepgame import Sample, read
from fabula.errors import FabulaError, ParseError
from fabula.language.conventions import conventions

Step = tuple[int, int]
STATED = frozenset(conventions("en", "space").values())
"""Sentences of our own files that state a convention and no relation."""

# --- words ------------------------------------------------------------------------------------


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_HEIGHTS = {
    1: "above over atop up upper uppermost top higher upward upwards north northern northward "
    "northwards front",  # 'front' on a drawn map: away from the viewer
    -1: "below under underneath beneath down lower lowermost bottom downward downwards south "
    "southern southward southwards",
}
_SIDES = {
    -1: "left lefthand leftmost leftward leftwards west western westward westwards",
    1: "right righthand rightmost rightward rightwards east eastern eastward eastwards",
}
DIRECTIONS: Mapping[str, Step] = {
    **{word: (0, y) for y, words in _HEIGHTS.items() for word in words.split()},
    **{word: (x, 0) for x, words in _SIDES.items() for word in words.split()},
    **{
        f"{height}{side}{end}": (x, y)
        for height, y in (("north", 1), ("south", -1))
        for side, x in (("west", -1), ("east", 1))
        for end in ("", "ern")
    },
}
PREPOSITIONS = _words("above over atop below under underneath beneath")
"""Directions that take a ground without a link: 'above B', but 'to the left of B'."""
LINKS = _words("of to from than")
ARTICLES = _words("the a an object objects agent agents labeled labelled called named")
TRANSPARENT = ARTICLES | _words(
    "position side corner edge direction neighbour neighbor hand handed part end point spot place "
    "square cell step one single next also both further farther slightly just directly immediately "
    "exactly due little bit row column clock face o'clock relative respect on in at towards toward "
    "adjacent straight diagonally diagonal"
)
"""Words allowed between a direction and its ground."""
OTHERS = _words(
    "and , . ; ? ! it its is are was were be been being has have there here with by you we they "
    "each other another them two both if then when where that this while as so too lies lie lying "
    "stands stand standing sits sit sitting located positioned placed put found find finds seen "
    "see sees drawn shown set situated appears appear presents present comes come coming notice "
    "notices looking look looks facing comparing compared viewed view going go goes walk walking "
    "walks move moving moves brings bring get gets reach reached reaches arrive holds hold "
    "contains contain fills fill occupies occupy touches touch touching meets meet points turns "
    "turn turning fixed centred centered pinned anchored mounted hour center centre middle off "
    "line plane level horizontal horizontally vertical vertically parallel same share shares "
    "sharing aligned angle degree degrees about approximately roughly gap small between "
    "neighbours neighbors sides way map page picture board paper grid before can your our around "
    "round compare pair within half quarter past relation what how does do "
    "steps squares cells"
)
"""Known words that end a phrase or have no meaning here."""
MOVES = _words(
    "point points turn turns move moves walk walks go goes look looks see sees find finds notice "
    "notices get gets reach reaches arrive"
)
"""After an agent these say what it does, not where it is: 'A points left to B'."""
NEGATIONS = _words("not no never neither nor none without except cannot")
NUMBERS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
LEXICON = frozenset(DIRECTIONS) | LINKS | TRANSPARENT | OTHERS | NEGATIONS | frozenset(NUMBERS)
CENTRES = _words("centre center middle")
BEARINGS = _words("row column level angle degrees relative respect compared aligned")
"""Words that make the agent after 'of', 'to' or 'with' an anchor: 'in the row of B'."""
ASKING = _words("relation relative where located position direction respect lie")
"""A question about the relation of two agents contains one of these."""
FASTENED = _words("fixed centred centered pinned anchored mounted")

LABELS: Mapping[Step, str] = {
    (-1, 1): "upper-left",
    (0, 1): "above",
    (1, 1): "upper-right",
    (-1, 0): "left",
    (0, 0): "overlap",
    (1, 0): "right",
    (-1, -1): "lower-left",
    (0, -1): "below",
    (1, -1): "lower-right",
}

# --- from a sentence to its form --------------------------------------------------------------

_TOKEN = re.compile(r"o['’]clock|['’]s\b|\d{1,2}:\d\d|\d+|[^\W\d_]+|[.,;?!]")
Form = tuple[str, ...]


def form_of(sentence: str) -> tuple[Form, tuple[str, ...]]:
    """A sentence with its agents numbered, and the agents.

    An agent is a word with a capital, or after 'the', that has no other meaning; single capital
    letters are agents unless they are clearly articles.
    """
    tokens = _TOKEN.findall(sentence)
    agents: dict[str, int] = {}
    form: list[str] = []
    for at, token in enumerate(tokens):
        word = token.lower().replace("’", "'")
        if _names(token, word, form, tokens[at + 1] if at + 1 < len(tokens) else ""):
            form.append(f"#{agents.setdefault(token, len(agents))}")
        else:
            form.append(word)
    return tuple(form), tuple(agents)


def _names(token: str, word: str, before: Sequence[str], following: str) -> bool:
    if not token[0].isalpha() or word == "o'clock":
        return False
    if len(token) == 1 and token.isupper():
        article = token == "A" and (following in TRANSPARENT or following in DIRECTIONS)
        return not (article and (not before or before[-1] == "."))
    if word in LEXICON:
        return False
    return token[0].isupper() or (bool(before) and before[-1] in ARTICLES)


def show(form: Form) -> str:
    """A form as text."""
    return re.sub(r" (?=[.,;?!]|'s)", "", " ".join(form))


# --- from a form to its meaning -----------------------------------------------------------------


class UnclearError(Exception):
    """Why a sentence is not understood."""


class Agent(NamedTuple):
    """An agent, by its number."""

    number: int


class Direction(NamedTuple):
    """A direction; `bare` if it takes a ground without a link."""

    step: Step
    bare: bool


Item = Agent | Direction | str


@lru_cache(maxsize=1 << 14)
def meaning(form: Form) -> Step | str:
    """The position of agent 0 relative to agent 1 according to a form, or why it is unclear."""
    try:
        return _meaning(form)
    except UnclearError as reason:
        return str(reason)


def _meaning(form: Form) -> Step:
    agents = {word for word in form if word[0] == "#"}
    if len(agents) != 2:
        told = "only one agent" if len(agents) == 1 else f"{len(agents)} agents"
        raise UnclearError(f"it names {told}")
    words, oblique = _without_neither(form)
    _refuse(words)
    items = _items(words)
    grounds = {at: _ground(items, at) for at, i in enumerate(items) if isinstance(i, Direction)}
    if not grounds:
        raise UnclearError("it states no direction")
    anchor = _anchor(items)
    found: Step = (0, 0)
    for at, place in grounds.items():
        item = items[at]
        assert isinstance(item, Direction)
        if place is not None:
            ground = items[place]
            assert isinstance(ground, Agent)
            figure = 1 - ground.number
        elif anchor is not None:
            figure = 1 - anchor
        else:
            figure = _subject(items, at, set(grounds.values()))
        found = _unite(found, item.step if figure == 0 else (-item.step[0], -item.step[1]))
    _fits(found, words, oblique)
    return found


def _refuse(words: Sequence[str]) -> None:
    """Raise UnclearError for an unknown word, or one that reverses the meaning."""
    for word in words:
        if word in NEGATIONS:
            raise UnclearError(f"it has a negation, '{word}'")
        if word[0] != "#" and word != "'s" and not word[0].isdigit() and word not in LEXICON:
            raise UnclearError(f"unknown word '{word}'")
    for one, then in pairwise(words):
        if one[0] == "#" and then in MOVES:
            raise UnclearError(f"'{then}' says what an agent does, not where it is")


def _without_neither(form: Form) -> tuple[list[str], bool]:
    """Handles 'Neither in the row nor in the column of B', which means that the step is
    diagonal.
    """
    words = list(form)
    if "neither" in words and "nor" in words:
        start, end = words.index("neither"), words.index("nor")
        if {"row", "column"} <= set(words[start : end + 5]):
            return words[:start] + words[start + 1 : end] + words[end + 1 :], True
    return words, False


def _items(words: Sequence[str]) -> list[Item]:
    """Agents, directions and the other words; adjacent direction words form one direction."""
    clock = any(w in ("clock", "o'clock", "hour") or ":" in w for w in words)
    items: list[Item] = []
    at = 0
    while at < len(words):
        word = words[at]
        after = words[at + 1] if at + 1 < len(words) else ""
        used = 1
        if word[0] == "#":
            items.append(Agent(int(word[1:])))
        elif word == "over" and after in ("there", "here"):
            items.append(word)
        elif word == "right" and _stresses(words, at, after):
            pass
        elif word in DIRECTIONS:
            before = items[-1] if items else None
            here = Direction(DIRECTIONS[word], word in PREPOSITIONS)
            if isinstance(before, Direction):
                items[-1] = Direction(_unite(before.step, here.step), here.bare)
            else:
                items.append(here)
        elif clock and (hour := _hour(words, at)):
            items.append(Direction(_hand(hour[0]), False))
            used = hour[1]
        elif word[0].isdigit() or word in NUMBERS:
            items.append(word)
            _count(words, at, after)
        else:
            items.append(word)
        at += used
    return items


def _stresses(words: Sequence[str], at: int, after: str) -> bool:
    """Whether 'right' only adds emphasis: 'right above', 'right next to'."""
    return after in PREPOSITIONS | {"next", "there", "here"} and (not at or words[at - 1] != "the")


def _count(words: Sequence[str], at: int, after: str) -> None:
    """Raise UnclearError if a number states a distance other than one step."""
    number = words[at]
    if number in ("one", "1") or (number == "two" and at and words[at - 1] == "the"):
        return
    if number == "45" and after in ("degree", "degrees"):
        return
    raise UnclearError(f"the number '{number}' is neither an hour nor one step")


def _hour(words: Sequence[str], at: int) -> tuple[float, int] | None:
    """The hour stated at this position, and the number of its words."""
    word = words[at]
    if word in ("half", "quarter") and words[at + 1 : at + 2] == ["past"]:
        hour = _whole(words, at + 2)
        return None if hour is None else (hour + (0.5 if word == "half" else 0.25), 3)
    if word == "between" and words[at + 2 : at + 3] == ["and"]:
        low, high = _whole(words, at + 1), _whole(words, at + 3)
        if low is None or high is None:
            return None
        if (high - low) % 12 != 1:
            raise UnclearError(f"between {low} and {high} is more than one hour")
        return low + 0.5, 4
    if ":" in word:
        whole, minutes = map(int, word.split(":"))
        if not 1 <= whole <= 12 or minutes > 59:
            raise UnclearError(f"there is no hour '{word}'")
        return whole + minutes / 60, 1
    hour = _whole(words, at)
    return None if hour is None else (float(hour), 1)


def _whole(words: Sequence[str], at: int) -> int | None:
    if at >= len(words) or (at + 1 < len(words) and words[at + 1] in ("degree", "degrees", "step")):
        return None
    word = words[at]
    number = int(word) if word.isdecimal() else NUMBERS.get(word, 0)
    return number if 1 <= number <= 12 else None


def _hand(hour: float) -> Step:
    """Where the hour hand points: the quarters of the face are the diagonals."""
    quarter, rest = divmod(hour % 12, 3)
    straight: Sequence[Step] = ((0, 1), (1, 0), (0, -1), (-1, 0))
    between: Sequence[Step] = ((1, 1), (1, -1), (-1, -1), (-1, 1))
    return (between if rest else straight)[int(quarter)]


def _ground(items: Sequence[Item], at: int) -> int | None:
    """The index of a direction's ground, if the words around it determine it.

    It follows after a link ('left of B', 'higher than B'), or is the possessor ("at B's left");
    directions joined by 'and' share the ground of the last.
    """
    if at >= 2 and items[at - 1] == "'s" and isinstance(items[at - 2], Agent):
        return at - 2
    here = items[at]
    assert isinstance(here, Direction)
    linked, crossed = here.bare, False
    for place in range(at + 1, len(items)):
        item = items[place]
        if isinstance(item, Agent):
            return place if linked and not crossed else None
        if isinstance(item, Direction):
            return _ground(items, place)
        if item in ("and", ","):
            crossed = True
        elif item in LINKS:
            linked = True
        elif item not in TRANSPARENT:
            return None
    return None


def _anchor(items: Sequence[Item]) -> int | None:
    """The agent that a phrase makes the ground of the sentence, if any."""
    found = {
        item.number
        for at, item in enumerate(items)
        if isinstance(item, Agent) and (_fastened(items, at) or _pointed_out(items, at))
    }
    if len(found) > 1:
        raise UnclearError("it can be read relative to either agent")
    return found.pop() if found else None


def _fastened(items: Sequence[Item], at: int) -> bool:
    """Whether the words before an agent make it an anchor: 'seen from B', 'in the row of B'."""
    end = at
    while end and items[end - 1] in ARTICLES:
        end -= 1
    mark, what, link = ("", "", "", *items[:end])[-3:]
    if what == "line":  # 'in line with B', but not 'in a line with B on top'
        return mark == "in" and link == "with"
    return (
        link in ("from", "around", "round")
        or (what in BEARINGS and link in ("of", "to", "with"))
        or (what in FASTENED and link in ("at", "on", "in", "to"))
    )


def _pointed_out(items: Sequence[Item], at: int) -> bool:
    """Whether the words after an agent make it an anchor: 'B is the centre', 'B is over there'."""
    after = [item for item in items[at + 1 : at + 6] if item not in ARTICLES]
    while after and after[0] in ("is", "in", "at", "as", "being", "over"):
        if after[1:2] == ["there"] or after[1:2] == ["here"]:
            return items[at + 1] == "is"
        after = after[1:]
        if after and after[0] in CENTRES:
            return True
    return False


def _subject(items: Sequence[Item], at: int, grounds: set[int | None]) -> int:
    """The agent that a direction without a ground places: the last one that is not a ground."""
    for place in range(at - 1, -1, -1):
        item = items[place]
        if isinstance(item, Agent) and place not in grounds:
            return item.number
    raise UnclearError("it does not say who is placed")


def _unite(one: Step, other: Step) -> Step:
    """Two directions of the same figure combined: 'above' and 'left' is upper left."""
    if one[0] * other[0] < 0 or one[1] * other[1] < 0:
        raise UnclearError("its directions contradict each other")
    return one[0] or other[0], one[1] or other[1]


def _fits(step: Step, words: Sequence[str], oblique: bool) -> None:
    """Raise UnclearError if a sentence says 'diagonal', 'same row' or the like, but its step is
    not.
    """
    pairs = set(pairwise(words))
    shared = "share" in words

    def aligned(line: str) -> bool:
        return (line, "of") in pairs or ("same", line) in pairs or (shared and line in words)

    diagonal = oblique or bool({"diagonal", "diagonally", "45", "corner"} & set(words))
    level = bool({"horizontal", "horizontally", "level"} & set(words)) or aligned("row")
    upright = bool({"vertical", "vertically"} & set(words)) or aligned("column")
    if diagonal and 0 in step:
        raise UnclearError("it says 'diagonal' but states only one direction")
    if not oblique and ((level and step[1]) or (upright and step[0])):
        raise UnclearError("it says that both are in line but states another direction")


# --- sentences, questions, labels ---------------------------------------------------------------


class Told(NamedTuple):
    """The meaning of a sentence: the figure lies `step` from the ground."""

    figure: str
    step: Step
    ground: str


def understand(sentence: str) -> Told | str:
    """The meaning of a sentence, or why it is unclear."""
    form, agents = form_of(sentence)
    step = meaning(form)
    return step if isinstance(step, str) else Told(agents[0], step, agents[1])


def asked(question: str) -> tuple[str, str] | None:
    """Figure and ground of a question, or None if it does not ask for the relation of two
    agents.
    """
    form, agents = form_of(question)
    if len(agents) != 2 or not ASKING & set(form):
        return None
    bare = [word for word in form if word not in ARTICLES]
    after = {bare[at - 1]: word for at, word in enumerate(bare) if at and word[0] == "#"}
    ground = after.get("to") or after.get("from") or after.get("than")
    if ground is None:
        return None
    return (agents[1], agents[0]) if ground == "#0" else (agents[0], agents[1])


def label_step(label: str) -> Step | None:
    """The signs that a label stands for, by the meaning of its words; None if it has none."""
    if label.lower() in ("overlap", "same"):
        return 0, 0
    step: Step = (0, 0)
    for word in re.split(r"[-_ ]+", label.lower()):
        if word not in DIRECTIONS:
            return None
        try:
            step = _unite(step, DIRECTIONS[word])
        except UnclearError:
            return None
    return step


# --- positions ----------------------------------------------------------------------------------


class Grid:
    """The position of every agent, as far as the sentences determine it."""

    def __init__(self, told: Mapping[int, Told]) -> None:
        self.near: dict[str, list[tuple[int, str, Step]]] = {}
        """Agent to (sentence, other agent, step to it)."""
        for number, (figure, (x, y), ground) in told.items():
            self.near.setdefault(ground, []).append((number, figure, (x, y)))
            self.near.setdefault(figure, []).append((number, ground, (-x, -y)))
        self.places: dict[str, tuple[int, int, int]] = {}
        """Agent to component and position."""
        self.clashes: dict[int, tuple[int, ...]] = {}
        """Component to sentences that cannot all be true."""
        self._from: dict[str, tuple[int, str]] = {}
        for agent in self.near:
            if agent not in self.places:
                self._spread(agent, len(self.places))

    def _spread(self, start: str, component: int) -> None:
        self.places[start] = (component, 0, 0)
        queue = deque([start])
        while queue:
            here = queue.popleft()
            _, x, y = self.places[here]
            for number, there, (dx, dy) in self.near[here]:
                spot = (component, x + dx, y + dy)
                if there not in self.places:
                    self.places[there] = spot
                    self._from[there] = (number, here)
                    queue.append(there)
                elif self.places[there] != spot and component not in self.clashes:
                    self.clashes[component] = self._cycle(number, here, there)

    def _cycle(self, number: int, one: str, other: str) -> tuple[int, ...]:
        """The sentences of the cycle that a link closes."""
        return tuple(sorted({number} | (self._way(one) ^ self._way(other))))

    def _way(self, agent: str) -> set[int]:
        way = set()
        while agent in self._from:
            number, agent = self._from[agent]
            way.add(number)
        return way

    def signs(self, figure: str, ground: str) -> Step | None:
        """The relation of two agents, ignoring distances; None if no sentences link them."""
        one, other = self.places.get(figure), self.places.get(ground)
        if one is None or other is None or one[0] != other[0]:
            return None
        return _sign(one[1] - other[1]), _sign(one[2] - other[2])

    def clash(self, agent: str) -> tuple[int, ...]:
        """Sentences around an agent that cannot all be true; empty if they can."""
        place = self.places.get(agent)
        return () if place is None else self.clashes.get(place[0], ())

    def chain(self, figure: str, ground: str) -> tuple[int, ...]:
        """The sentences of a shortest chain between two agents; empty if there is none."""
        came: dict[str, tuple[int, str]] = {}
        queue = deque([figure])
        while queue and ground not in came:
            here = queue.popleft()
            for number, there, _ in self.near.get(here, ()):
                if there not in came and there != figure:
                    came[there] = (number, here)
                    queue.append(there)
        chain = []
        at = ground
        while at in came and at != figure:
            number, at = came[at]
            chain.append(number)
        return tuple(sorted(chain))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


# --- the audit ----------------------------------------------------------------------------------


class Remark(NamedTuple):
    """One problem with a sample."""

    place: str
    question: str
    label: str
    reason: str
    story: tuple[str, ...]


class Trial(NamedTuple):
    """How often a form is right and wrong when it alone decides the answer."""

    tried: int
    wrong: int


@dataclass
class StepGameAudit:
    """The findings for one file."""

    file: str
    stories: int = 0
    sentences: int = 0
    parsed: int = 0
    """Number of sentences that are understood."""
    unparsed: Counter[str] = field(default_factory=Counter)
    """Forms that are not understood, with counts; see `reasons`."""
    reasons: dict[str, str] = field(default_factory=dict)
    """Form to the reason why it is not understood."""
    contradictory: int = 0
    """Stories whose sentences cannot all be true."""
    agree: int = 0
    """Labels that follow from the story."""
    disagree: int = 0
    """Labels that the story refutes."""
    underived: int = 0
    """Labels about which the story says nothing, or contradicts itself."""
    cited: int = 0
    """Samples that cite sentences."""
    proven: int = 0
    """Samples whose cited sentences alone give the label."""
    hops: dict[int | None, Counter[int]] = field(default_factory=dict)
    """k to the numbers of steps that questions need; 0 if there is no chain."""
    trials: dict[str, Trial] = field(default_factory=dict)
    """Form to its results in questions about exactly its two agents."""
    changes: list[Change] = field(default_factory=list)
    """The changes of the corrected edition: refuted labels are replaced, underived ones removed."""
    contradictions: list[Remark] = field(default_factory=list)
    refuted: list[Remark] = field(default_factory=list)
    unknown: list[Remark] = field(default_factory=list)
    """The first remarks of each kind; the counts above are complete."""

    @property
    def deep(self) -> int:
        """Number of questions that need exactly k steps."""
        return sum(counts[k] for k, counts in self.hops.items() if k is not None)

    @property
    def suspects(self) -> dict[str, Trial]:
        """Forms that disagreed with a label, the most often wrong first."""
        wrong = [(form, trial) for form, trial in self.trials.items() if trial.wrong]
        return dict(sorted(wrong, key=lambda pair: (-pair[1].wrong, pair[0])))

    def to_dict(self) -> dict[str, Any]:
        """The audit as JSON data."""
        counts = (
            "file", "stories", "sentences", "parsed", "contradictory", "agree", "disagree",
            "underived", "cited", "proven", "deep",
        )  # fmt: skip
        lists = ("contradictions", "refuted", "unknown")
        return {
            **{name: getattr(self, name) for name in counts},
            "hops": {str(k): dict(sorted(counts.items())) for k, counts in self.hops.items()},
            "unparsed": [
                {"form": form, "count": count, "reason": self.reasons[form]}
                for form, count in self.unparsed.most_common()
            ],
            "suspects": {form: trial._asdict() for form, trial in self.suspects.items()},
            **{name: [remark._asdict() for remark in getattr(self, name)] for name in lists},
        }


def audit(paths: Iterable[Path], keep: int = 20) -> Iterator[StepGameAudit]:
    """The audit of each file, one after another; a folder stands for the data files in it.

    The first `keep` remarks of each kind are kept per file.
    """
    for path in paths:
        for file in data_files(path):
            yield audit_file(file, keep)


def data_files(path: Path) -> list[Path]:
    """The StepGame files at a path, in order of k."""
    if not path.exists():
        raise FabulaError(f"{path}: no such file or folder.")
    if not path.is_dir():
        return [path]
    found = [
        file
        for file in path.rglob("*")
        if file.suffix in (".json", ".jsonl", ".txt")
        and file.stem.lower() not in ("manifest", "readme", "license", "statistic")
    ]
    if not found:
        raise FabulaError(f"{path}: no .json, .jsonl or .txt file in this folder.")
    return sorted(found, key=_order)


def _order(path: Path) -> tuple[str, int, str]:
    number = re.match(r"qa(\d+)", path.name)
    return str(path.parent), int(number[1]) if number else 0, path.name


def audit_file(path: Path, keep: int = 20) -> StepGameAudit:
    """The audit of one file; ParseError if no sentence of it is understood."""
    result = audit_samples(read(path), path.name, keep)
    if not result.parsed:
        forms = [f"no sentence is understood, e.g. {shown(form)}" for form in result.unparsed]
        what = forms[0] if forms else "the stories have no sentences"
        raise ParseError(f"{path}: {what}. Is this StepGame's data?")
    return result


def audit_samples(samples: Iterable[Sample], file: str, keep: int = 20) -> StepGameAudit:
    """The audit of samples from any source."""
    result = StepGameAudit(file)
    for sample in samples:
        _audit_sample(result, sample, keep)
    return result


def _audit_sample(result: StepGameAudit, sample: Sample, keep: int) -> None:
    result.stories += 1
    told: dict[int, Told] = {}
    lost = []
    stated = STATED & set(sample.story)
    for number, sentence in enumerate(sample.story, 1):
        if sentence in stated:
            continue
        found = understand(sentence)
        if isinstance(found, str):
            form = show(form_of(sentence)[0])
            result.unparsed[form] += 1
            result.reasons[form] = found
            lost.append(number)
        else:
            told[number] = found
    result.sentences += len(sample.story) - len(stated)
    result.parsed += len(told)
    grid = Grid(told)
    if grid.clashes:
        result.contradictory += 1
        _note(result.contradictions, sample, _cannot(next(iter(grid.clashes.values()))), keep)
    query = asked(sample.question)
    if query is None:
        result.underived += 1
        _note(result.unknown, sample, "the question is not understood", keep)
        _change(result, sample, "", "the question is not understood")
        return
    chain = grid.chain(*query)
    result.hops.setdefault(sample.k, Counter())[len(chain)] += 1
    found_signs, label = grid.signs(*query), label_step(sample.label)
    clash = grid.clash(query[0])
    if found_signs is None or clash:
        result.underived += 1
        reason = _cannot(clash) if clash and found_signs else _unlinked(query, told, lost)
        _note(result.unknown, sample, reason, keep)
        _change(result, sample, "", reason)
        return
    right = found_signs == label
    if right:
        result.agree += 1
    else:
        result.disagree += 1
        reason = (
            f"'{sample.label}' is not a relation"
            if label is None
            else f"{_list(chain)} say{'s' * (len(chain) == 1)} '{LABELS[found_signs]}', "
            f"the label '{sample.label}'"
        )
        _note(result.refuted, sample, reason, keep)
        _change(result, sample, LABELS[found_signs], reason)
    if len(chain) == 1:
        form = show(form_of(sample.story[chain[0] - 1])[0])
        tried, wrong = result.trials.get(form, Trial(0, 0))
        result.trials[form] = Trial(tried + 1, wrong + (not right))
    if sample.support:
        result.cited += 1
        part = Grid({n: told[n] for n in sample.support if n in told})
        result.proven += part.signs(*query) == label


def _change(result: StepGameAudit, sample: Sample, label: str, reason: str) -> None:
    action = "label" if label else "removed"
    result.changes.append(Change(sample.place, action, sample.label, label, reason))


def _note(remarks: list[Remark], sample: Sample, reason: str, keep: int) -> None:
    if len(remarks) < keep:
        remarks.append(Remark(sample.place, sample.question, sample.label, reason, sample.story))


def _cannot(numbers: Sequence[int]) -> str:
    return f"{_list(numbers)} cannot all be true"


def _unlinked(query: tuple[str, str], told: Mapping[int, Told], lost: Sequence[int]) -> str:
    named = {agent for said in told.values() for agent in (said.figure, said.ground)}
    absent = [agent for agent in query if agent not in named]
    reason = (
        f"the story does not place {' and '.join(absent)}"
        if absent
        else f"no sentences link {query[0]} and {query[1]}"
    )
    return f"{reason}; {_list(lost)} is not understood" if lost else reason


def _list(numbers: Sequence[int]) -> str:
    return ("sentence " if len(numbers) == 1 else "sentences ") + ", ".join(map(str, numbers))
