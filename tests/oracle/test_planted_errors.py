"""A mistake of the fast reader makes verification fail, in every world.

Each test plants one mistake where stories are parsed, and verifies records whose facts, query,
answer and supports are all as the mistaken reader sees them.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import pytest

import fabula
from fabula.analysis.verify import objections
from fabula.core.instance import Instance
from fabula.language.grammar import Language, Statement
from fabula.language.phrasebook import PhraseBook
from fabula.world import WORLDS
from fabula.world.actors import knowledge as actors_knowledge
from fabula.world.kinds.language import KindsLanguage
from fabula.world.kinship.phrases import Meaning, Phrases
from fabula.world.relations.wording import Wording
from fabula.world.space.language import SpaceLanguage

OWN = "by the verifier's own patterns"


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    """What the reader misread here must not be remembered by other tests."""
    yield
    for each in gc.get_objects():
        if type(each) is _lru_cache_wrapper and each.__module__.startswith("fabula"):
            each.cache_clear()


def misread(record: Instance, code: str = "en") -> Instance:
    """The record as the reader, mistaken or not, now sees it: facts, answer and supports."""
    world = WORLDS[str(record.provenance["world"])]
    reading = world.read(code, record.story)
    query = world.parse_question(code, record.question)
    finding = reading.find(query)
    record = replace(record, facts=tuple(reading.facts()), query=query)
    if finding is None:
        return record
    masks = [mask for mask in finding.masks if reading.stands(query, finding.conclusion, mask)]
    supports = tuple(
        tuple(n for n in range(1, len(record.story) + 1) if mask >> n & 1) for mask in masks
    )
    if not supports:
        return record
    return replace(record, answer=finding.answer, supports=supports, support=supports[0])


def caught(records: list[Instance], code: str = "en") -> int:
    """How many records as now read are refused; every refusal names the verifier's own reading."""
    found = 0
    for record in records:
        reasons = objections(misread(record, code))
        if reasons:
            assert any(OWN in reason for reason in reasons), reasons
            found += 1
    return found


def made(name: str, size: int = 25, **changes: Any) -> list[Instance]:
    """Records made by the reader as it should be; they are proven."""
    records = list(fabula.generate(name, "test", 7, size, **changes))
    for record in records[:5]:
        assert objections(record) == []
    return records


def test_records_as_read_are_proven() -> None:
    for name in ("actors/mix", "stepgame/clean", "clutrr/rob-clean", "babi/qa18", "babi/qa15"):
        assert caught(made(name, 5)) == 0, name


# --- actors ---------------------------------------------------------------------------------------

Change = Callable[[Statement], Statement]


def swap_slots(told: Statement) -> Statement:
    """Giver and receiver exchanged."""
    if told.kind != "GIVE" or len(told.subjects) != 1:
        return told
    return told._replace(subjects=(told.args[1],), args=(told.args[0], told.subjects[0]))


def second_only(told: Statement) -> Statement:
    """Of two people the first is overlooked."""
    return told._replace(subjects=told.subjects[-1:])


def grab_for_drop(told: Statement) -> Statement:
    return told._replace(kind="GRAB") if told.kind == "DROP" else told


def affirm_for_negate(told: Statement) -> Statement:
    return told._replace(kind="AFFIRM") if told.kind == "NEGATE" else told


@pytest.mark.parametrize("change", [swap_slots, second_only, grab_for_drop, affirm_for_negate])
def test_actors(change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    records = made("dyna/mix-t12", 40)
    parse = Language._parse
    monkeypatch.setattr(Language, "_parse", lambda self, text: change(parse(self, text)))
    language = fabula.language.language("en", "actors")
    known = dict(language.statements)
    language.statements.clear()
    try:
        assert caught(records) >= 3
    finally:
        language.statements.clear()
        language.statements.update(known)


def test_actors_pronoun_of_the_wrong_person(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pronoun after 'Mary gave the milk to John' is taken for John."""
    records = made("dyna/mix-t12", 60)
    hear = actors_knowledge.Knowledge.hear

    def planted(self: Any, number: int, statement: Statement) -> tuple[str, ...]:
        subjects = hear(self, number, statement)
        if statement.kind == "GIVE":
            self._previous_subjects = (statement.args[1],)
        return subjects

    monkeypatch.setattr(actors_knowledge.Knowledge, "hear", planted)
    told = [
        "Mary went to the park.",
        "Mary took the milk.",
        "Mary gave the milk to John.",
        "Then she went to the school.",
    ]
    record = replace(
        records[0],
        story=tuple(told),
        question="Where is Mary?",
        query=("where-person", "Mary"),
        answer=("park",),
        supports=((1,),),
        support=(1,),
        roles=("support", "distractor", "distractor", "distractor"),
    )
    reasons = objections(misread(record))
    assert any("sentence 4 states move(Mary, school)" in reason for reason in reasons), reasons
    assert any("is not entailed" in reason for reason in reasons), reasons


def test_a_question_read_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    records = made("babi/qa5", 30)
    ask = Language._parse_question

    def planted(self: Language, question: str) -> tuple[str, ...]:
        query = ask(self, question)
        return (query[0], *query[:0:-1]) if query[0] == "what-given" else query

    monkeypatch.setattr(Language, "_parse_question", planted)
    fabula.language.language("en", "actors")._queries.clear()
    try:
        assert caught(records) >= 3
    finally:
        fabula.language.language("en", "actors")._queries.clear()


def test_hindi_heard_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader's translation takes the kitchen for the garden."""
    records = made("babi/qa1", 30, language="hi")
    hear = PhraseBook.hear

    def planted(self: PhraseBook, sentence: str, *more: Any) -> str:
        return hear(self, sentence, *more).replace("kitchen", "garden")

    monkeypatch.setattr(PhraseBook, "hear", planted)
    found = [objections(record) for record in records]
    assert sum(map(bool, found)) > 10


# --- the other worlds -----------------------------------------------------------------------------


def test_space(monkeypatch: pytest.MonkeyPatch) -> None:
    records = made("stepgame/clean", 25)
    steps, step = SpaceLanguage.steps, SpaceLanguage.step

    def turned(told: Any) -> Any:
        """'Above' is read as 'below'."""
        return ("below", *told[1:]) if told and told[0] == "above" else told

    def all_turned(self: SpaceLanguage, sentences: Any) -> Any:
        found = steps(self, sentences)
        return None if found is None else list(map(turned, found))

    monkeypatch.setattr(SpaceLanguage, "steps", all_turned)
    monkeypatch.setattr(SpaceLanguage, "step", lambda self, text: turned(step(self, text)))
    assert caught(records) >= 3


@pytest.mark.parametrize("name", ["babi/qa4", "babi/qa18"])
def test_swapped_roles(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure and ground, or bigger and smaller, are exchanged wherever both are named."""
    records = made(name, 15)
    parse = Wording.parse

    def planted(self: Wording, sentence: str) -> tuple[str, ...]:
        meaning, *slots = parse(self, sentence)
        return (meaning, *reversed(slots)) if sentence.endswith(".") else (meaning, *slots)

    monkeypatch.setattr(Wording, "parse", planted)
    if name == "babi/qa4":
        monkeypatch.setattr(SpaceLanguage, "step", lambda self, text: None)
        monkeypatch.setattr(SpaceLanguage, "steps", lambda self, texts: None)
        monkeypatch.setattr(SpaceLanguage, "_look_up", lambda self, *more: None)
    assert caught(records) == 15


def test_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    records = made("babi/qa15", 15)
    parse = KindsLanguage.parse

    def planted(self: KindsLanguage, sentence: str) -> tuple[str, ...]:
        kind, first, second = parse(self, sentence)
        return (kind, second, first) if kind == "fear" else (kind, first, second)

    monkeypatch.setattr(KindsLanguage, "parse", planted)
    assert caught(records) == 15


def test_kinship_relation(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kin word is read the wrong way round: 'her father Bob' makes her the father of Bob."""
    records = [
        record
        for record in made("clutrr/rob-clean", 25)
        if any(fact[0] == "father" for facts in record.facts for fact in facts)
    ]
    parse = Phrases.parse

    def planted(self: Phrases, unit: str) -> Meaning:
        kin, genders = parse(self, unit)
        turned = [(word, b, a) if word == "father" else (word, a, b) for word, a, b in kin]
        return Meaning(tuple(turned), genders)

    monkeypatch.setattr(Phrases, "parse", planted)
    assert len(records) > 1
    assert caught(records) == len(records)


def test_kinship_pronoun(monkeypatch: pytest.MonkeyPatch) -> None:
    """'His' at the beginning of a sentence is taken for somebody else of the unit."""
    records = made("clutrr/gen-234", 60)
    parse = Phrases.parse

    def planted(self: Phrases, unit: str) -> Meaning:
        kin, genders = parse(self, unit)
        if not re.search(r"\. (His|Her) ", unit) or len(kin) < 2:
            return Meaning(kin, genders)
        word, owner, person = kin[-1]
        others = {name for fact in kin for name in fact[1:]} - {owner, person}
        return Meaning((*kin[:-1], (word, sorted(others)[0], person)), genders)

    pointing = [r for r in records if any(re.search(r"\. (His|Her) ", unit) for unit in r.story)]
    monkeypatch.setattr(Phrases, "parse", planted)
    assert len(pointing) > 1
    assert caught(pointing) > 1


def test_kinship_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader's algebra takes nephews for grandsons, when telling and when reading."""
    record = made("clutrr/rob-clean", 1)[0]
    told = replace(
        record,
        story=("Bob is Ann's brother.", "Cid is the son of Bob."),
        question="What is Cid to Ann? Cid is Ann's ...",
        query=("kin", "Ann", "Cid"),
        answer=("grandson",),
        supports=((1, 2),),
        support=(1, 2),
        roles=("support", "support"),
        facts=((("brother", "Ann", "Bob"),), (("son", "Bob", "Cid"),)),
    )
    reasons = objections(told)
    assert any("the story entails 'nephew'" in reason for reason in reasons), reasons


# --- independence ---------------------------------------------------------------------------------

SECOND = ("account", "timeline", "placing", "families", "claims", "words", "oracle")
FIRST = (
    "reading", "knowledge", "language", "phrases", "templates", "algebra", "grid", "bank", "tale",
    "questions", "motives", "tongue", "phrasebook", "phrase", "lexicon", "symbols", "wording",
    "filler",
)  # fmt: skip


def test_the_second_route_imports_nothing_of_the_first() -> None:
    folder = Path(fabula.__file__).parent
    files = [folder / "language" / f"{name}.py" for name in ("patterns", "foreign")]
    files += [file for name in SECOND for file in folder.glob(f"world/*/{name}.py")]
    assert len(files) == 18
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            names = [alias.name for alias in node.names]
            if node.module == "fabula.language":  # two plain records of what everybody knows
                assert set(names) <= {"Lore", "Need"}, file
                continue
            parts = [*node.module.split(".")[1:], *names]
            if node.module.startswith("fabula.language."):
                parts = parts[1:]
            assert not set(parts) & set(FIRST), (file, node.module, names)
