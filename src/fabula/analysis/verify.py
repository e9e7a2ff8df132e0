"""Proves every instance of a data set by two routes that have to agree.

For each record, from its text alone:
1. The reader parses the sentences and the question to the record's facts and query, finds the
   answer, and accepts every support.
2. A second route, which shares neither code nor rules with the reader, does so again. It matches
   sentences and question with plain patterns made from the language files (`account.py` of each
   world, `language/patterns.py`, `language/foreign.py`), resolves pronouns by its own rules, and
   proves by its own decision procedure that the answer follows, that each support suffices and is
   not stale, and that no sentence of a support can be dropped. With `logic`, the logic program of
   the world (`rules.lp`) has to prove the same from the same facts, which takes far longer.
3. The cited support is one of the proofs, unless it follows a published convention.
4. The record names exactly the conventions without which the answer does not follow.
5. A question that the story leaves open has two witnesses: complete worlds in which every sentence
   is true and that answer it differently. Neither route finds either answer.
6. A record of a contrast pair tells truly what was edited: undone, the edit gives a story with the
   answer of the original, proven by its supports; variables and spans are those of the story.

A label that the recipe declares a defect of published data (`features.defect`) must indeed not
follow by either route; these are counted separately.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from fabula.analysis.pairs import pair_objections
from fabula.core.instance import UNKNOWN, Instance
from fabula.core.supports import mask_of
from fabula.core.workers import Workers
from fabula.datasets.dataset import Dataset
from fabula.datasets.formats import babi
from fabula.datasets.manifest import altered
from fabula.datasets.stored import ENDINGS, count_of, data_files, records_of
from fabula.errors import FabulaError, ParseError, hint
from fabula.language.catalogue import native, tongue_of
from fabula.language.foreign import Hearing
from fabula.language.tongue import Tongue
from fabula.world import WORLDS
from fabula.world.base import (
    Claim,
    Concluding,
    Finding,
    Query,
    Reading,
    World,
    same_answer,
)

BATCH = 50
UNDUE = "declared a defect, but the answer follows from the text"
NOT_ENTAILED = "is not entailed"


class Failure(NamedTuple):
    """An instance that is not proven, and why."""

    id: str
    story: tuple[str, ...]
    question: str
    answer: tuple[str, ...]
    support: tuple[int, ...]
    reasons: tuple[str, ...]


class Verdict(NamedTuple):
    """The result of a verification."""

    instances: int
    proven: int
    defects: int
    """Labels declared as defects of published data, which indeed do not follow."""
    failures: list[Failure]
    """The first ones, up to the limit."""
    altered: tuple[str, ...] = ()
    """Files that differ from the manifest of the data set, and how."""

    @property
    def failed(self) -> int:
        """The number of instances that are not proven."""
        return self.instances - self.proven - self.defects


def objections(instance: Instance, logic: bool = False) -> list[str]:
    """Objections to a record; empty if it is proven.

    With `logic`, the logic program has to prove it too.
    """
    world = _world(instance)
    name = str(instance.provenance["world"])
    written = instance
    code = native(str(instance.provenance.get("language", "en")), name)
    tongue = tongue_of(name, instance.provenance)
    try:
        if tongue:
            instance = _in_own_words(instance, tongue)
        code = world.idiom(code, instance.features)
        reading = world.read(code, instance.story)
        query = world.parse_question(code, instance.question)
    except ParseError as error:
        return [str(error)]
    if tongue and [word.lower() for word in query] == [word.lower() for word in instance.query]:
        query = instance.query  # other scripts do not distinguish 'gertrude' from 'Gertrude'
    found = []
    if tuple(reading.facts()) != instance.facts:
        found.append("the facts of the record are not those of its sentences")
    if query != instance.query:
        # a query that the world does not know cannot be put to the reader
        return [*found, f"the question asks {query}, the record {instance.query}"]
    if len(instance.roles) != len(instance.story):
        found.append("the number of roles differs from the number of sentences")
    if not instance.answerable:
        found += _left_open(instance, world, code, reading)
    elif "defect" in instance.features:
        found += _undue_defect(world, code, instance)
    else:
        found += _by_reader(instance, reading)
        found += _by_convention(instance, world, reading)
    found += _by_second_route(written, name, world, logic)
    found += pair_objections(instance, written, world, code)
    return list(dict.fromkeys(found))


def _by_second_route(instance: Instance, name: str, world: World, logic: bool) -> list[str]:
    """Objections to a record as written, by the verifier's own parser and rules."""
    hearing = Hearing(name, instance.provenance)
    code = native(str(instance.provenance.get("language", "en")), name)
    try:
        story = list(map(hearing.sentence, instance.story))
        account = world.account(code, story, instance.features)
        if account is None and not instance.answerable:
            return []
        if account is None:  # a world without its own verifier
            claim = Claim(instance.query, hearing.words(instance.answer), instance.supports)
            return [] if "defect" in instance.features else world.prove(code, story, [claim])[0]
        asked = hearing.question(instance.question)
        query = account.query(asked) if isinstance(asked, str) else asked
    except ParseError as error:
        return [str(error)]
    found = []
    facts = account.facts()
    if len(facts) != len(instance.facts):
        found.append(f"the record has facts of {len(instance.facts)} sentences, not {len(facts)}")
    for number, (own, recorded) in enumerate(zip(facts, instance.facts, strict=False), 1):
        if set(own) != set(recorded):
            found.append(
                f"sentence {number} states {_listed(own)} by the verifier's own patterns, "
                f"but the record says {_listed(recorded)}"
            )
    # other scripts do not distinguish 'gertrude' from 'Gertrude'
    same = str.lower if hearing.changes else str
    if [same(word) for word in query] != [same(word) for word in instance.query]:
        found.append(
            f"the question asks {query} by the verifier's own patterns, "
            f"the record says {instance.query}"
        )
    if not instance.answerable:
        for answer in _witnessed(instance):
            proofs = account.prove([Claim(query, answer, ())], logic)
            if not any(NOT_ENTAILED in reason for reason in proofs[0]):
                found.append(f"{','.join(answer)} follows, though the record says {UNKNOWN}")
        return found
    claim = Claim(query, hearing.words(instance.answer), instance.supports)
    if "defect" in instance.features:
        proofs = account.prove([claim._replace(supports=())])
        if not any(NOT_ENTAILED in reason for reason in proofs[0]):
            found.append(UNDUE)
        return found
    for by_logic in (False, True)[: 1 + logic]:
        found += account.prove([claim], by_logic)[0]
    return found


def _left_open(instance: Instance, world: World, code: str, reading: Reading) -> Iterator[str]:
    """Whether a question has no answer: two complete worlds fit the story and differ in theirs."""
    finding = _found(reading, instance.query)
    if finding is not None:
        yield f"the reader finds {','.join(finding.answer)}, the record says {UNKNOWN}"
    if instance.support or instance.supports:
        yield "a question without an answer has no support"
    kind = instance.query[0]
    if kind not in world.open_kinds:
        yield f"a story always answers questions of kind {kind}"
        return
    facts, answers = reading.facts(), []
    for number, witness in enumerate(instance.extras.get("witnesses") or (), 1):
        try:
            answer = world.fits(code, facts, instance.query, witness["world"])
        except (KeyError, TypeError, ValueError, AttributeError, IndexError):
            yield f"witness {number} is not a world of this kind"
            continue
        if answer is None:
            yield f"witness {number} does not fit the story, or answers nothing"
        elif list(answer) != list(witness["answer"]):
            said = ",".join(witness["answer"])
            yield f"witness {number} answers {','.join(answer)}, the record says {said}"
        else:
            answers.append(answer)
    if len(answers) == 2 and answers[0] == answers[1]:
        yield "both witnesses give the same answer"
    if len(instance.extras.get("witnesses") or ()) != 2:
        yield "there are not two witnesses"


def _witnessed(instance: Instance) -> list[tuple[str, ...]]:
    """The answers of the witnesses."""
    return [tuple(each["answer"]) for each in instance.extras.get("witnesses") or ()]


def _listed(facts: Sequence[tuple[str, ...]]) -> str:
    return "; ".join(f"{kind}({', '.join(args)})" for kind, *args in facts) or "nothing"


def _world(instance: Instance) -> World:
    name = str(instance.provenance.get("world", ""))
    if name not in WORLDS:
        raise FabulaError(f"{instance.id}: unknown world '{name}'.{hint(name, WORLDS)}")
    return WORLDS[name]


def _in_own_words(instance: Instance, tongue: Tongue) -> Instance:
    """The record in the language of its world."""
    return replace(
        instance,
        story=tuple(tongue.hear(instance.story)),
        question=tongue.hear_question(instance.question),
        answer=tongue.hear_words(instance.answer),
    )


def _undue_defect(world: World, code: str, instance: Instance) -> list[str]:
    """A declared defect whose label follows after all."""
    finding = _found(world.read(code, instance.story), instance.query)
    if finding is not None and same_answer(instance.query, finding.answer, instance.answer):
        return [UNDUE]
    return []


def _found(reading: Reading, query: Query) -> Finding | None:
    """The reader's answer to a query; the supports to check are those of the record."""
    return reading.concluded(query) if isinstance(reading, Concluding) else reading.find(query)


def _by_reader(instance: Instance, reading: Reading) -> Iterator[str]:
    finding = _found(reading, instance.query)
    if finding is None or not same_answer(instance.query, finding.answer, instance.answer):
        said = "nothing" if finding is None else ",".join(finding.answer)
        yield f"the reader finds {said}, the record says {','.join(instance.answer)}"
        return
    if not instance.supports:
        yield "there is no support"
    size = len(instance.story)
    for support in instance.supports:
        if any(not 1 <= number <= size for number in support):
            yield f"support {list(support)} names a sentence that is not there"
        elif not reading.stands(instance.query, finding.conclusion, mask_of(support)):
            yield f"the reader does not accept support {list(support)}"
    cited = tuple(sorted(instance.support))
    if cited not in instance.supports and instance.provenance.get("dialect") != "release":
        yield f"the cited support {list(cited)} is not one of the proofs"


def _by_convention(instance: Instance, world: World, reading: Reading) -> Iterator[str]:
    """Check that the record names the conventions its answer relies on, and that the recipe states
    them.
    """
    named = instance.features.get("conventions")
    if named is None or not instance.supports:  # text without features, or nothing to compare
        return
    masks = [mask_of(support) for support in instance.supports]
    relied = world.relies(reading, instance.query, instance.answer, masks)
    if tuple(named) != relied:
        yield f"the answer relies on {_list(relied)}, the record names {_list(named)}"
    stated = instance.provenance.get("conventions", {})
    if missing := [name for name in relied if name not in stated.get("names", relied)]:
        yield f"the answer relies on {_list(missing)}, which the recipe does not state"


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "no convention"


def verify(
    source: str | Path | Dataset | Iterable[Instance],
    limit: int = 5,
    workers: int = 1,
    sample: int | None = None,
    progress: Callable[[int], None] = lambda count: None,
    logic: bool = False,
) -> Verdict:
    """Prove instances again, from their text, by two routes that have to agree.

    Args:
        source: a file or folder (records or bAbI text), a Dataset, or instances.
        limit: maximum number of failures to list.
        workers: number of processes.
        sample: only check this many instances of each file, or of the data set.
        progress: called with the number of instances just checked.
        logic: whether the logic programs have to prove them too; this takes far longer.

    >>> import fabula
    >>> verdict = fabula.verify(fabula.Dataset("babi/qa2", split="test", size=20))
    >>> verdict.proven, verdict.failed
    (20, 0)
    """
    path = Path(source) if isinstance(source, str | Path) else None
    found: Iterator[Instance] = (
        records(Path(source), sample)
        if isinstance(source, str | Path)
        else islice(iter(source), sample)
    )
    count = proven = defects = 0
    failures: list[Failure] = []
    for batch in _checked(found, workers, logic):
        for failure, declared in batch:
            count += 1
            if failure is not None:
                if len(failures) < limit:
                    failures.append(failure)
            elif declared:
                defects += 1
            else:
                proven += 1
        progress(len(batch))
    if not count:
        raise FabulaError(f"{path or 'the data set'}: no instance to verify.")
    return Verdict(count, proven, defects, failures, altered(path) if path else ())


def _checked(
    records: Iterator[Instance], workers: int, logic: bool
) -> Iterator[list[tuple[Failure | None, bool]]]:
    batches = iter(lambda: list(islice(records, BATCH)), [])
    check = partial(_check, logic=logic)
    if workers <= 1:
        yield from map(check, batches)
        return
    with Workers(workers) as pool:
        yield from pool.ordered(check, batches)


def _check(batch: Iterable[Instance], logic: bool = False) -> list[tuple[Failure | None, bool]]:
    found = []
    for instance in batch:
        reasons = objections(instance, logic)
        failure = Failure(
            instance.id,
            instance.story,
            instance.question,
            instance.answer,
            instance.support,
            tuple(reasons),
        )
        found.append((failure if reasons else None, "defect" in instance.features))
    return found


def records(path: Path, sample: int | None = None) -> Iterator[Instance]:
    """The records of a file or folder, or the first `sample` of each file."""
    for file in data_files(path, *ENDINGS, ".txt"):
        found = from_text(file) if file.suffix == ".txt" else records_of(file)
        yield from islice(found, sample)


def count(path: Path, sample: int | None = None) -> int:
    """The number of records that `records` will give, as far as it is quickly known."""
    found = 0
    for file in data_files(path, *ENDINGS, ".txt"):
        size = 0
        if file.suffix == ".txt":
            with file.open("rb") as lines:
                size = sum(b"\t" in line for line in lines)
        else:
            with suppress(FabulaError):  # reading the file will report what is wrong with it
                size = count_of(file)
        found += size if sample is None else min(size, sample)
    return found


def from_text(path: Path) -> Iterator[Instance]:
    """Records of bAbI text: the story, the label, and the one support that it cites."""
    from fabula.analysis.audits.speech import speech_of

    stories = list(babi.read(path))
    speech = speech_of(stories, path)
    for story in stories:
        begun = speech.begin()
        own = begun.heard(story)
        letters = begun.tongue.letters if begun.tongue else None
        for question, asked in zip(story.questions, own.questions, strict=True):
            told = story.sentences[: question.position]
            place = f"{path}, line {question.line}"
            try:
                reading = speech.world.read(speech.code, own.sentences[: question.position])
                facts = tuple(reading.facts())
                query = speech.world.parse_question(speech.code, asked.text)
            except ParseError as error:
                raise ParseError(f"{place}: {error}") from None
            yield Instance(
                id=place,
                story=told,
                question=question.text,
                answer=tuple(word.strip() for word in question.answer.split(",")),
                choices=None,
                support=question.support,
                supports=(tuple(sorted(question.support)),),
                facts=facts,
                query=query,
                composition=(),
                roles=("",) * len(told),
                features={},
                signature="",
                provenance={
                    "world": speech.name,
                    **speech.provenance,
                    **({"letters": letters} if letters else {}),
                },
            )
