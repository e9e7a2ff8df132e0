"""Questions about needs: what people will do, and why they did it.

    1 Sumit is tired.   2 Sumit went to the bedroom.   3 Sumit took the pajamas there.
    Why did Sumit get the pajamas? tired, by {1}.

What a mood makes people do is common knowledge: it is in the language file and in no story. A need
is in force from the sentence that states it until its owner has got the thing, in any way, or is in
another mood. The support is the sentence of the need alone, since the question itself says that
they went there or got it.

    Where will P go?        where P's need leads, unless the story says that P is, or may be, there
    Why did P go to the L?  the need in force when P last came to L, if it leads there; nothing if
                            P never came to L, or if a later movement may have led there again
    Why did P get the O?    the need in force when P last took O, if O is what P wanted; nothing if
                            P never took O

An excerpt of a story need not say that they went there or got it: there, the question is believed,
and the need in force at the end of the excerpt is the reason.
"""

from __future__ import annotations

from collections.abc import Callable

from fabula.language import Language
from fabula.world.actors.asking import Cast, Conclusion, Kind
from fabula.world.actors.knowledge import NEVER, Knowledge, Urge, open_places, place_bit
from fabula.world.base import Candidate, Fact, Query

SHIFTY = ("not-at", "either")
"""Facts that leave open where somebody went."""
SMALL = ("where-will-go", "why-go", "why-get")
"""Question kinds in which a name may be written without its capital."""


def resolved(knowledge: Knowledge, query: Query) -> Query:
    """The query with the name as the story writes it."""
    if query[0] not in SMALL or query[1] in knowledge.urges:
        return query
    return (query[0], query[1][:1].upper() + query[1][1:], *query[2:])


def _in_force(knowledge: Knowledge, person: str, number: int = NEVER) -> Urge | None:
    """The need of a person that was in force at a sentence, or that is in force now."""
    for urge in reversed(knowledge.urges.get(person, ())):
        if urge.told < number:
            return urge if number <= urge.until else None
    return None


# --- where will … go --------------------------------------------------------------------------


def _plan(knowledge: Knowledge, query: Query) -> tuple[Urge, str] | None:
    """A person's need and where they will go for it."""
    person = resolved(knowledge, query)[1]
    urge = _in_force(knowledge, person)
    if urge is None:
        return None
    place = knowledge.lore.needs[urge.mood].place
    stay = knowledge.stays.get(person)
    domain = open_places(stay) if stay else -1
    return None if domain != -1 and domain & place_bit(place) else (urge, place)


def _where_will_go(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    plan = _plan(knowledge, query)
    return Conclusion((plan[1],), plan[0].told) if plan else None


def _plan_masks(knowledge: Knowledge, query: Query) -> list[int]:
    plan = _plan(knowledge, query)
    return [plan[0].mask] if plan else []


def _survey_plans(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
    found = []
    for person in knowledge.urges:
        query = ("where-will-go", person)
        plan = _plan(knowledge, query)
        if plan:
            found.append(Candidate(query, (plan[1],)))
    return found


def _destinations(cast: Cast, language: Language) -> list[str]:
    needs = language.lore.needs
    return list(dict.fromkeys(needs[mood].place for mood in cast.moods))


# --- why did … go, why did … get --------------------------------------------------------------


def _happened(query: Query, person: str, fact: Fact) -> bool | None:
    """Whether a fact is the event whose reason is asked for; None if that is left open."""
    if fact[1] != person:
        return False
    kind, wanted = fact[0], query[2]
    if query[0] == "why-get":
        return kind in ("grab", "take") and fact[2] == wanted
    if kind == "not-at":
        return None if fact[2] != wanted else False
    if kind == "either" and fact[2] != fact[3]:
        return None if wanted in fact[2:] else False
    return kind in ("move", "at", "either") and fact[2] == wanted


def _reason(knowledge: Knowledge, query: Query) -> Urge | None:
    """The need that explains the event in the question."""
    person = resolved(knowledge, query)[1]
    facts, when = knowledge.facts, NEVER
    for number in reversed(facts):
        verdicts = [_happened(query, person, fact) for fact in facts[number]]
        if True in verdicts:
            when = number
            break
        if None in verdicts:
            return None
    if when == NEVER and not knowledge.excerpt:  # the whole story, and it never happened
        return None
    urge = _in_force(knowledge, person, when)
    if urge is None:
        return None
    need = knowledge.lore.needs[urge.mood]
    return urge if query[2] == (need.place if query[0] == "why-go" else need.thing) else None


def _why(knowledge: Knowledge, query: Query, language: Language) -> Conclusion | None:
    urge = _reason(knowledge, query)
    return Conclusion((urge.mood,), urge.told) if urge else None


def _why_masks(knowledge: Knowledge, query: Query) -> list[int]:
    urge = _reason(knowledge, query)
    return [urge.mask] if urge else []


def _survey_why(kind: str) -> Callable[[Knowledge, Cast, Language], list[Candidate]]:
    def survey(knowledge: Knowledge, cast: Cast, language: Language) -> list[Candidate]:
        """The events in the story that can be explained; found in one pass."""
        needs, urges = knowledge.lore.needs, knowledge.urges
        if not urges:
            return []
        goals = {need.place if kind == "why-go" else need.thing for need in needs.values()}
        latest: dict[Query, int | None] = {}
        for number, facts in knowledge.facts.items():
            for fact in facts:
                if fact[1] not in urges:
                    continue
                if fact[0] in SHIFTY and kind == "why-go":
                    for query in latest:
                        if _happened(query, fact[1], fact) is None:
                            latest[query] = None
                if fact[2] in goals:
                    query = (kind, fact[1], fact[2])
                    if _happened(query, fact[1], fact):
                        latest[query] = number
        found = []
        for query, when in latest.items():
            urge = _in_force(knowledge, query[1], when) if when else None
            if urge:
                need = needs[urge.mood]
                if query[2] == (need.place if kind == "why-go" else need.thing):
                    found.append(Candidate(query, (urge.mood,)))
        return found

    return survey


def _moods(cast: Cast, language: Language) -> list[str]:
    return list(cast.moods)


KINDS: dict[str, Kind] = {
    "where-will-go": Kind(_survey_plans, _where_will_go, _plan_masks, _destinations),
    "why-go": Kind(_survey_why("why-go"), _why, _why_masks, _moods),
    "why-get": Kind(_survey_why("why-get"), _why, _why_masks, _moods),
}
