"""Every question that is generated has the simulator's own answer, and a wrong reader is caught."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import fabula
from fabula.analysis.gallery import Variant, sample_split, variants
from fabula.generation.author import Author
from fabula.language import Language, language
from fabula.recipe.loading import load
from fabula.world.actors import questions
from fabula.world.actors.asking import Cast, Conclusion
from fabula.world.actors.disclosure import Confines, Disclosure
from fabula.world.actors.events import Told
from fabula.world.actors.knowledge import Knowledge
from fabula.world.base import Candidate, Query, same_answer


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_every_question_has_the_simulators_own_answer(variant: Variant) -> None:
    author = Author(load(variant.recipe, variant.changes), sample_split(variant), 5)
    wrong = asked_in_all = 0
    for passage in author.passages(0, 60):
        # the world goes on after a question, so only those asked at the end can be asked again
        end = len(passage.tale.sentences)
        for asked in passage.asked:
            if asked.position == end:
                asked_in_all += 1
                answer = passage.tale.truth(asked.query)
                assert answer, asked.query
                wrong += bool(asked.masks) and not same_answer(asked.query, answer, asked.answer)
    assert asked_in_all > 4
    assert wrong == 0


def test_all_kinds_of_question_of_the_actor_world_are_among_them() -> None:
    kinds: Counter[str] = Counter()
    for name in ("actors/mix", "actors/motives", "actors/containers"):
        kinds.update(each.query[0] for each in fabula.generate(name, "train", seed=5, size=300))
    assert set(questions.KINDS) - set(kinds) == {"what-colour", "what-state"}  # never generated


# --- a reader that is wrong is caught ---------------------------------------------------------


def always(word: str) -> Callable[[Knowledge, Query, Language], Conclusion | None]:
    return lambda knowledge, query, tongue: Conclusion((tongue.answers[word],), word)


@pytest.mark.parametrize("word", ["yes", "no", "maybe"])
def test_a_reader_with_a_wrong_verdict_is_caught(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = questions.KINDS["yes-no"]

    def survey(knowledge: Knowledge, cast: Cast, tongue: Language) -> list[Candidate]:
        said = (tongue.answers[word],)
        return [c._replace(answer=said) for c in kind.survey(knowledge, cast, tongue)]

    wrong = kind._replace(survey=survey, conclude=always(word))
    monkeypatch.setitem(questions.KINDS, "yes-no", wrong)
    monkeypatch.setattr("fabula.world.actors.reading.ActorsReading.stands", lambda *_: True)
    with pytest.raises(AssertionError, match="reader and simulator disagree"):
        list(fabula.generate("actors/mix", "train", size=50, asks={"yes-no": 1}))


@pytest.mark.parametrize("kind", questions.GIVE_KINDS)
def test_a_reader_that_takes_the_first_give_is_caught(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, asked = questions.GIVE_KINDS[kind]
    real = questions.KINDS[kind]

    def survey(knowledge: Knowledge, cast: Cast, tongue: Language) -> list[Candidate]:
        first: dict[Query, tuple[str, ...]] = {}
        for give in knowledge.gives:
            query = (kind, *(give.parts[part] for part in given))
            first.setdefault(query, (give.parts[asked],))
        return [Candidate(query, answer) for query, answer in first.items()]

    def conclude(knowledge: Knowledge, query: Query, tongue: Language) -> Conclusion | None:
        found = [c for c in survey(knowledge, Cast((), (), ()), tongue) if c.query == query]
        return Conclusion(found[0].answer, 0) if found else None

    monkeypatch.setitem(questions.KINDS, kind, real._replace(survey=survey, conclude=conclude))
    monkeypatch.setattr("fabula.world.actors.reading.ActorsReading.stands", lambda *_: True)
    with pytest.raises(AssertionError, match="reader and simulator disagree"):
        list(fabula.generate("actors/mix", "train", size=400, length=40, asks={kind: 1}))


def test_the_simulator_imports_nothing_of_the_reader() -> None:
    folder = Path(questions.__file__).parent
    readers = {"reading", "questions", "ways", "motives", "looks", "asking", "course"}
    for module in ("events", "furnished", "past", "wants", "relay", "disclosure", "truth"):
        tree = ast.parse((folder / f"{module}.py").read_text())
        imported = {
            (node.module or "").rsplit(".", 1)[-1]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
        }
        assert not imported & readers, module


# --- what was disclosed -----------------------------------------------------------------------


def told(*lines: str) -> list[Told]:
    """Events from lines such as 'GIVE Mary apple John'."""
    events = []
    for line in lines:
        kind, person, *args = line.split()
        events.append(Told(kind, (person,), tuple(args)))
    return events


@pytest.mark.parametrize(
    ("lines", "name", "verdicts"),
    [
        (["MOVE Mary park"], "Mary", "park yes, hall no"),
        (["NEGATE Mary park"], "Mary", "park no, hall maybe"),
        (["INDEF Mary park hall"], "Mary", "park maybe, hall maybe, den no"),
        (["INDEF Mary park hall", "MOVE Mary den"], "Mary", "park no, den yes"),
        # together in one place: both are confined
        (
            ["INDEF Mary park hall", "INDEF John hall den", "GRAB Mary cup", "GIVE Mary cup John"],
            "John",
            "hall yes, park no, den no",
        ),
        # what somebody has goes along, and who takes it there is there
        (
            ["GRAB Mary cup", "MOVE Mary den", "DROP Mary cup", "GRAB John cup"],
            "John",
            "den yes, hall no",
        ),
        # what is told later says where somebody was who has not moved since
        (["GRAB John cup", "DROP John cup", "MOVE Mary den", "GRAB Mary cup"], "John", "den yes"),
        # a box goes along with what is in it
        (
            ["GRAB Mary box", "PUT Mary cup box", "MOVE Mary den", "TAKE John cup box"],
            "John",
            "den yes",
        ),
        # the last part of the past is where the present begins, whenever it is told
        (["GRAB Mary cup", "MOVE Mary den", "TIME Mary hall evening"], "Mary", "den yes"),
        (["GRAB Mary cup", "TIME Mary hall evening"], "Mary", "hall yes"),
        (["GRAB Mary cup", "TIME Mary hall morning"], "Mary", "hall maybe"),
    ],
)
def test_what_was_disclosed(lines: list[str], name: str, verdicts: str) -> None:
    confines: Confines = Disclosure(told(*lines), "evening").of(name)
    for pair in verdicts.split(", "):
        place, verdict = pair.split()
        assert confines.verdict(place) == verdict, place


def test_language_has_a_last_part_of_the_past() -> None:
    assert language("en", "actors").lore.times[-1] == "this evening"
