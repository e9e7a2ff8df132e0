"""Decides what a story, or any part of it, entails, in one pass.

It follows the numbered promises of rules.lp and shares no rule with the reader or with that
program. The reader searches all sets of sentences that confine a place; here the sentences are
given, and what follows from them is found by walking along the story:

- First, which sentences are understood, who moves and who holds what: these are then fixed. Only
  places are open.
- A place lasts from one movement to the next. Each such *stretch* of a person or thing is a
  variable; sentences say that two stretches have the same place, or which places one may have.
- So stretches fall into groups of the same place, each with a set of possible places, and any
  choice of one place per group is a consistent course of events. If a set is empty, there is none.

A part of a story takes time proportional to its own sentences; a test for staleness goes over the
story once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from fabula.language import Lore
from fabula.world.actors.claims import (
    ELSEWHERE,
    FACTS,
    HOLDING,
    NEVER,
    NO_LORE,
    PAST,
    PRONOUN,
    QUERIES,
    REASONED,
    WHY,
    Conclusion,
    Examination,
    Query,
    Sentence,
    description,
    number_word,
)
from fabula.world.base import Claim

Fact = tuple[str, ...]
Holder = tuple[str, str]
"""('person', P), ('in', C) or ('on', C)."""

PERSON, OBJECT = "person", "object"
STAYS = ("move", "at", "not-at", "either")
USES = {"put": "in", "lay": "on"}
NOWHERE = ""  # the place without a name


def resolved(sentences: Sequence[Sentence]) -> list[tuple[Fact, ...]]:
    """The facts of each sentence; a pronoun stands for the subjects of the previous sentence."""
    found: list[tuple[Fact, ...]] = []
    subjects: list[str] = []
    for facts, _ in sentences:
        told: list[Fact] = []
        for fact in facts:
            if fact[1] == PRONOUN:
                told += [(fact[0], person, *fact[2:]) for person in subjects]
            else:
                told.append(fact)
        subjects = [fact[1] for fact in told]
        found.append(tuple(told))
    return found


class Course:
    """One walk along a story: what is known about places, and who holds what in the end."""

    def __init__(self, places: frozenset[str]) -> None:
        self._places = places
        self._root: list[int] = []
        self._domain: list[frozenset[str]] = []
        self.now: dict[tuple[str, str], int] = {}
        """The current stretch of each person and thing."""
        self.holder: dict[str, Holder | None] = {}
        self.consistent = True
        self.ways: dict[tuple[str, str], list[tuple[int, int]]] = {}
        """For those who are tracked: (sentence, stretch), beginning with sentence 0."""
        self.first: dict[tuple[str, str], int] = {}
        """The stretch with which the present of each person or thing begins."""
        self.past: dict[tuple[str, int], frozenset[str]] = {}
        """Where somebody may have been in a part of the past."""

    # --- places ---------------------------------------------------------------------------

    def fresh(self) -> int:
        """A new stretch, which may be anywhere."""
        self._root.append(len(self._root))
        self._domain.append(self._places)
        return len(self._root) - 1

    def find(self, stretch: int) -> int:
        """The representative of all stretches with the same place."""
        root = self._root
        while root[stretch] != stretch:
            root[stretch] = root[root[stretch]]
            stretch = root[stretch]
        return stretch

    def domain(self, stretch: int) -> frozenset[str]:
        """The possible places of a stretch."""
        return self._domain[self.find(stretch)]

    def same(self, one: int, other: int) -> None:
        """Give two stretches the same place."""
        one, other = self.find(one), self.find(other)
        if one != other:
            self._root[other] = one
            self.confine(one, self._domain[other])

    def confine(self, stretch: int, places: frozenset[str]) -> None:
        """Confine a stretch to these places."""
        stretch = self.find(stretch)
        if self._domain[stretch] is not places:
            self._domain[stretch] &= places
            if not self._domain[stretch]:
                self.consistent = False

    def at(self, sort: str, name: str) -> int:
        """The current stretch of a person or thing."""
        stretch = self.now.get((sort, name))
        if stretch is None:
            stretch = self.now[sort, name] = self.first[sort, name] = self.fresh()
        return stretch

    def was(self, person: str, part: int, place: str) -> None:
        """Record where somebody was in a part of the past; 0 is where the present begins."""
        here = self.past.get((person, part), self._places) & {place}
        self.past[person, part] = here
        if not here:
            self.consistent = False
        elif part == 0:
            self.at(PERSON, person)
            self.confine(self.first[PERSON, person], here)

    # --- events ---------------------------------------------------------------------------

    def move(self, number: int, person: str) -> None:
        """Begin a new stay of a person, who takes along what they hold."""
        self.at(PERSON, person)
        self._enter((PERSON, person), number, self.fresh())
        self._bring((PERSON, person), number, self.now[PERSON, person])

    def _bring(self, holder: Holder, number: int, stretch: int) -> None:
        bearers, brought = [holder], set[str]()
        for bearer in bearers:  # grows during iteration
            for thing, held in self.holder.items():
                if held == bearer and thing not in brought:
                    brought.add(thing)
                    self.at(OBJECT, thing)
                    self._enter((OBJECT, thing), number, stretch)
                    bearers += [("in", thing), ("on", thing)]

    def _enter(self, who: tuple[str, str], number: int, stretch: int) -> None:
        way = self.ways.get(who)
        if way is not None:
            if not way:
                way.append((0, self.first[who]))
            way.append((number, stretch))
        self.now[who] = stretch

    def way(self, who: tuple[str, str]) -> list[tuple[int, int]]:
        """The stretches of a person or thing that is tracked."""
        return self.ways[who] or [(0, self.at(*who))]


class Timeline(Examination):
    """A story that can be queried for what its parts entail."""

    def __init__(self, sentences: Sequence[Sentence], lore: Lore = NO_LORE) -> None:
        self._length = len(sentences)
        self._lore = lore
        self._refers = [sentence.refers for sentence in sentences]
        self.facts = resolved(sentences)
        for fact in (fact for facts in self.facts for fact in facts):
            if FACTS.get(fact[0]) != len(fact) - 1:
                raise ValueError(f"unknown fact: {fact}")
        places = {NOWHERE}
        self._entities: set[tuple[str, str]] = set()
        for facts in self.facts:
            for fact in facts:
                self._meet(fact, places)
        self._places = frozenset(places)
        self._past = {fact[1] for facts in self.facts for fact in facts if fact[0] == "went"}
        self._only: dict[str, frozenset[str]] = {place: frozenset({place}) for place in places}
        self._last: dict[Query, dict[str | None, tuple[int, ...]]] = {}
        """By the whole story: where things may have come from last, and when."""
        self._happened = [True] * (self._length + 1)
        for number in self._numbers():
            refers = self._refers[number - 1]
            self._happened[number] = not refers or (number > 1 and self._happened[number - 1])

    def _meet(self, fact: Fact, places: set[str]) -> None:
        kind = fact[0]
        if kind in ("colour", "state"):
            return
        self._entities.add((PERSON, fact[1]))
        if kind in STAYS:
            places.update(fact[2:])
        elif kind == "went":
            places.add(fact[2])
        elif kind == "need":
            need = self._lore.needs.get(fact[2])
            if need:
                places.add(need.place)
        else:
            self._entities.add((OBJECT, fact[2]))
            if kind == "give":
                self._entities.add((PERSON, fact[3]))
            elif len(fact) > 3:
                self._entities.add((OBJECT, fact[3]))

    # --- walking --------------------------------------------------------------------------

    def _understood(self, subset: Collection[int] | None) -> list[int]:
        """The told sentences that can be understood, in order."""
        if subset is None:
            told: Sequence[int] = self._numbers()
        else:
            told = sorted(set(subset))
            if told and not 1 <= told[0] <= told[-1] <= self._length:
                raise ValueError(f"there are no sentences {told}")
        found: list[int] = []
        for number in told:
            if not self._refers[number - 1] or (found and found[-1] == number - 1):
                found.append(number)
        return found

    def _walk(
        self,
        understood: Sequence[int],
        asked: frozenset[str],
        follow: tuple[str, str] | None = None,
        stirring: bool = False,
        handling: bool = False,
    ) -> Course:
        """The course of events by the understood sentences, and what else is known to happen."""
        course = Course(self._places | asked)
        if follow:
            course.ways[follow] = []
        if not stirring and not handling:
            for number in understood:
                self._hear(course, number, True, True, True)
            return course
        heard = set(understood)
        for number in self._numbers():
            told, happened = number in heard, self._happened[number]
            if told or happened:
                self._hear(course, number, told, told or stirring, told or handling)
        return course

    def _hear(self, course: Course, number: int, told: bool, stirs: bool, handles: bool) -> None:
        facts = self.facts[number - 1]
        if stirs:
            for fact in facts:
                if fact[0] in STAYS:
                    course.move(number, fact[1])
        for fact in facts:
            kind, who = fact[0], fact[1]
            if kind in STAYS:
                if told:
                    course.confine(course.at(PERSON, who), self._told_places(course, fact))
            elif kind == "went":
                if told:
                    course.was(who, self._part(fact[3]), fact[2])
            elif kind not in ("colour", "state", "need"):
                thing = fact[2]
                if told:
                    here = course.at(OBJECT, thing)
                    course.same(course.at(PERSON, who), here)
                    if kind == "give":
                        course.same(course.at(PERSON, fact[3]), here)
                    elif len(fact) > 3:
                        course.same(course.at(PERSON, who), course.at(OBJECT, fact[3]))
                if handles:
                    course.holder[thing] = _holder(fact)

    def _part(self, word: str) -> int:
        """The part of the past that a word names: 0 for the last, -1 for the one before."""
        return self._lore.times.index(word) - len(self._lore.times) + 1

    def _told_places(self, course: Course, fact: Fact) -> frozenset[str]:
        kind = fact[0]
        if kind == "not-at":
            return course._places - {fact[2]}
        if kind == "either":
            return frozenset(fact[2:4])
        return self._only[fact[2]]

    # --- conclusions ----------------------------------------------------------------------

    def conclude(self, query: Query, subset: Collection[int] | None = None) -> Conclusion | None:
        """The conclusion of the story, or of only the sentences in `subset`, for a query."""
        if QUERIES.get(query[0]) != len(query) - 1:
            raise ValueError(f"unknown query: {query}")
        if subset is None and query[0] in WHY and not self._ever(query):
            return None
        understood = self._understood(subset)
        who = _subject(query)
        course = self._walk(understood, _asked(query), who if query[0] in PAST else None)
        if not course.consistent:
            return None
        if query[0] in HOLDING:
            return self._holding(query, course, understood)
        if query[0] in REASONED:
            return self._reason(query, course, understood)
        if query[0] in PAST:
            before = self._before(query, course)
            if len(before) != 1 or before == {None: ()}:
                return None
            (place,) = before
            return _at(place) if place else None
        if query[0].startswith("where") or query[0] == "yes-no":
            if who not in self._entities:
                return None
            return _place(query, course.domain(course.at(*who)), course._places)
        return self._latest(query, understood)

    def _holding(
        self, query: Query, course: Course, understood: Sequence[int]
    ) -> Conclusion | None:
        use = query[0].removeprefix("what-")
        holder = (use, query[1]) if use in ("in", "on") else (PERSON, query[1])
        latest: dict[str, int] = {}
        for number in understood:
            for fact in self.facts[number - 1]:
                if holder in _dealing(fact):
                    latest[fact[2]] = number
        if not latest:
            return None
        kept = {thing for thing in latest if course.holder.get(thing) == holder}
        detail = [
            (thing, "held" if thing in kept else "lost", str(number))
            for thing, number in latest.items()
        ]
        if query[0] == "count":
            return Conclusion((number_word(len(kept)),), tuple(sorted(detail)))
        return Conclusion(tuple(sorted(kept)) or ("nothing",), tuple(sorted(detail)))

    def _latest(self, query: Query, understood: Sequence[int]) -> Conclusion | None:
        """The answer of the latest matching sentence, if it is unique."""
        for number in reversed(understood):
            found = {_answer(query, fact) for fact in self.facts[number - 1]} - {None}
            if found:
                (answer,) = found if len(found) == 1 else (None,)
                return Conclusion((answer,), ((str(number),),)) if answer else None
        return None

    # --- needs ----------------------------------------------------------------------------

    def _mood(self, person: str, understood: Sequence[int]) -> tuple[int, str] | None:
        """A person's need after these sentences: its sentence and mood."""
        mood: tuple[int, str] | None = None
        for number in understood:
            for fact in self.facts[number - 1]:
                if fact[0] == "need" and fact[1] == person:
                    mood = number, fact[2]
                elif mood and number > mood[0] and _obtains(fact) == (PERSON, person):
                    need = self._lore.needs.get(mood[1])
                    if need and need.thing == fact[2]:
                        mood = None
        return mood

    def _ever(self, query: Query) -> bool:
        """Whether some sentence states the event whose reason is asked for."""
        return any(_happened(query, fact) for facts in self.facts for fact in facts)

    def _reason(self, query: Query, course: Course, understood: Sequence[int]) -> Conclusion | None:
        kind, person = query[0], query[1]
        if kind == "where-will-go":
            mood = self._mood(person, understood)
            need = self._lore.needs.get(mood[1]) if mood else None
            if mood is None or need is None:
                return None
            # nobody goes where they already are, or may be
            domain = course.domain(course.at(PERSON, person))
            if need.place in domain and len(domain) < len(course._places):
                return None
            return Conclusion((need.place,), ((str(mood[0]),),))
        until = len(understood)
        for place in range(len(understood) - 1, -1, -1):
            said = {_happened(query, fact) for fact in self.facts[understood[place] - 1]}
            if True in said:
                until = place
                break
            if None in said:
                return None
        mood = self._mood(person, understood[:until])
        need = self._lore.needs.get(mood[1]) if mood else None
        if mood is None or need is None:
            return None
        wanted = need.place if kind == "why-go" else need.thing
        return Conclusion((mood[1],), ((str(mood[0]),),)) if wanted == query[2] else None

    # --- where it was before --------------------------------------------------------------

    def _steps(self, query: Query, course: Course) -> list[tuple[int, frozenset[str], int, bool]]:
        """The way of the subject: (time, places, group, whether one may arrive there)."""
        who = _subject(query)
        steps: list[tuple[int, frozenset[str], int, bool]] = []
        start = False
        if who[0] == PERSON and who[1] in self._past:
            for part in range(-len(self._lore.times), 0):
                here = course.past.get((who[1], part))
                steps.append((part, here or course._places, part - 1, here is not None))
            start = (who[1], 0) in course.past
        for number, stretch in course.way(who):
            steps.append(
                (number, course.domain(stretch), course.find(stretch), number > 0 or start)
            )
        return steps

    def _before(self, query: Query, course: Course) -> dict[str | None, tuple[int, ...]]:
        """Where it may have been before it last came there; None if it may never have come.

        Each with the times at which it may last have come from there. All places without a name
        count as one: ''.
        """
        steps, goal = self._steps(query, course), query[2]
        found: dict[str | None, tuple[int, ...]] = {}
        for last in range(len(steps) - 1, 0, -1):
            time, here, _, may = steps[last]
            origin = steps[last - 1][1]
            if not may or goal not in here:
                continue
            if _fits(steps, goal, last):
                for place in origin - {goal}:
                    found[place] = (*found.get(place, ()), time)
            if here == {goal} and goal not in origin:
                return found  # it certainly came then, so what was before does not matter
        if _fits(steps, goal, None):
            found[None] = ()
        return found

    # --- staleness ------------------------------------------------------------------------

    def stale(self, query: Query, whole: Conclusion, support: Collection[int]) -> str:
        """The alternatives left by everything else that happens; empty if the conclusion holds."""
        understood, asked, who = self._understood(support), _asked(query), _subject(query)
        follow = who if query[0] in PAST else None
        for handling in (False, True):
            course = self._walk(understood, asked, follow, True, handling)
            if not course.consistent:
                continue
            if query[0] in PAST:
                lasts = self._comes(query, whole, course)
            else:
                domain = course.domain(course.at(*who))
                if whole.answer == ("no",):
                    lasts = query[2] not in domain
                elif whole.answer == ("yes",):
                    lasts = domain == {query[2]}
                else:
                    lasts = domain <= {_name(place) for place in whole.detail}
            if not lasts:
                return self._described(query, course, understood)
        return ""

    def _comes(self, query: Query, whole: Conclusion, course: Course) -> bool:
        """Whether it came from the place of the answer at one of the times at which, by the whole
        story, it may have come last. That it has not come again since is left to the story.
        """
        if query not in self._last:
            story = self._walk(self._understood(None), _asked(query), _subject(query))
            self._last[query] = self._before(query, story)
        origin, goal = whole.answer[0], query[2]
        times = self._last[query].get(origin, ())
        steps = self._steps(query, course)
        arrivals = []
        for before, (time, here, group, may) in pairwise(steps):
            if time in times and may and before[2] != group:
                arrivals.append((before, (time, here, group, may)))
        return not _avoidable(arrivals, origin, goal)

    # --- descriptions ---------------------------------------------------------------------

    def described(self, query: Query, subset: Collection[int] | None = None) -> str:
        """Describes what a part of the story says about a query, to follow 'the story' or 'it'."""
        understood = self._understood(subset)
        follow = _subject(query) if query[0] in PAST else None
        return self._described(query, self._walk(understood, _asked(query), follow), understood)

    def _described(self, query: Query, course: Course, understood: Sequence[int]) -> str:
        conclusion, places, options = None, list[tuple[str, ...]](), len(course._places)
        if course.consistent:
            if query[0] in PAST:
                before = self._before(query, course)
                places = [NEVER if place is None else _detail(place) for place in before]
                if len(places) == 1 and places[0][0] == "in":
                    conclusion = Conclusion((places[0][1],), (places[0],))
            elif _subject(query) in self._entities:
                domain = course.domain(course.at(*_subject(query)))
                places = [_detail(place) for place in domain]
                if query[0].startswith("where") or query[0] == "yes-no":
                    conclusion = _place(query, domain, course._places)
            if query[0] in HOLDING:
                conclusion = self._holding(query, course, understood)
            elif query[0] in REASONED:
                conclusion = self._reason(query, course, understood)
            elif not query[0].startswith("where") and query[0] != "yes-no":
                conclusion = self._latest(query, understood)
        return description(query, course.consistent, conclusion, places, options)


def prove(
    sentences: Sequence[Sentence], claims: Sequence[Claim], lore: Lore = NO_LORE
) -> list[list[str]]:
    """The objections to each claim, in English; empty if it is proven."""
    timeline = Timeline(sentences, lore)
    return [timeline.prove(claim) for claim in claims]


# --- facts ----------------------------------------------------------------------------------------


def _holder(fact: Fact) -> Holder | None:
    """Who or what holds the thing of a fact afterwards."""
    kind = fact[0]
    if kind in ("grab", "take"):
        return PERSON, fact[1]
    if kind == "give":
        return PERSON, fact[3]
    return (USES[kind], fact[3]) if kind in USES else None


def _obtains(fact: Fact) -> Holder | None:
    return _holder(fact) if fact[0] in ("grab", "take", "give") else None


def _dealing(fact: Fact) -> tuple[Holder, ...]:
    """Those who handle the thing of a fact: people, and the containers involved."""
    kind = fact[0]
    if kind in STAYS or kind in ("colour", "state", "went", "need"):
        return ()
    people: tuple[Holder, ...] = ((PERSON, fact[1]),)
    if kind == "give":
        return (*people, (PERSON, fact[3]))
    if kind == "take":
        return (*people, ("in", fact[3]), ("on", fact[3]))
    return (*people, (USES[kind], fact[3])) if kind in USES else people


_GIFTS: Mapping[str, tuple[tuple[int, ...], int]] = {
    # which parts of ('give', giver, thing, receiver) the question names, and which it asks for
    "who-gave-to": ((2, 3), 1),
    "who-gave": ((2,), 1),
    "who-received": ((2,), 3),
    "who-given-to": ((1, 2), 3),
    "what-given": ((1, 3), 2),
}


def _answer(query: Query, fact: Fact) -> str | None:
    """The answer that a fact gives to a question about the latest of its kind."""
    if query[0] in ("what-colour", "what-state"):
        return (
            fact[2] if fact[0] == query[0].removeprefix("what-") and fact[1] == query[1] else None
        )
    if fact[0] != "give":
        return None
    named, asked = _GIFTS[query[0]]
    return (
        fact[asked]
        if all(fact[at] == word for at, word in zip(named, query[1:], strict=True))
        else None
    )


def _happened(query: Query, fact: Fact) -> bool | None:
    """Whether a fact is the event of a why-question; None if that is left open."""
    kind, person, wanted = fact[0], query[1], query[2]
    if fact[1] != person:
        return False
    if query[0] == "why-get":
        return kind in ("grab", "take") and fact[2] == wanted
    if kind in ("move", "at"):
        return fact[2] == wanted
    if kind == "not-at":
        return None if fact[2] != wanted else False
    if kind == "either" and wanted in fact[2:]:
        return True if fact[2] == fact[3] else None
    return False


# --- places ---------------------------------------------------------------------------------------


def _subject(query: Query) -> tuple[str, str]:
    return (OBJECT if query[0] in ("where-object", "where-was-object") else PERSON), query[1]


def _asked(query: Query) -> frozenset[str]:
    """The places that a question names."""
    return frozenset({query[2]}) if query[0] in ("yes-no", *PAST) else frozenset()


def _detail(place: str) -> tuple[str, ...]:
    return ("in", place) if place else ELSEWHERE


def _name(detail: tuple[str, ...]) -> str:
    return detail[1] if detail[0] == "in" else NOWHERE


def _at(place: str) -> Conclusion:
    return Conclusion((place,), (("in", place),))


def _place(query: Query, domain: frozenset[str], places: frozenset[str]) -> Conclusion | None:
    if query[0] != "yes-no":
        (place,) = domain if len(domain) == 1 else (NOWHERE,)
        return _at(place) if place else None
    if len(domain) == len(places):
        return None
    if query[2] not in domain:
        return Conclusion(("no",), (("no",),))
    if len(domain) == 1:
        return Conclusion(("yes",), (("yes",),))
    return Conclusion(("maybe",), tuple(sorted(map(_detail, domain))))


def _fits(
    steps: Sequence[tuple[int, frozenset[str], int, bool]], goal: str, last: int | None
) -> bool:
    """Whether some course reaches the goal at step `last` and not again; or never, for None."""
    there = {group for _, here, group, _ in steps if here == {goal}}
    away = {group for _, here, group, _ in steps if goal not in here}
    if last is not None:
        there.add(steps[last][2])
        away.add(steps[last - 1][2])
    grows = True
    while grows and not there & away:
        grows = False
        # no arrival: whoever is there was there before
        for at in range(len(steps) - 1, last or 0, -1):
            if steps[at][3] and steps[at][2] in there and steps[at - 1][2] not in there:
                there.add(steps[at - 1][2])
                grows = True
    return not there & away


def _avoidable(
    arrivals: Sequence[tuple[tuple[int, frozenset[str], int, bool], ...]], origin: str, goal: str
) -> bool:
    """Whether places can be chosen so that no arrival is from the origin to the goal."""

    def search(at: int, banned: Mapping[int, frozenset[str]]) -> bool:
        if at == len(arrivals):
            return True
        for (_, here, group, _), place in zip(arrivals[at], (origin, goal), strict=True):
            out = banned.get(group, frozenset()) | {place}
            if here - out and search(at + 1, {**banned, group: out}):
                return True
        return False

    return search(0, {})
