"""Cited sentences are judged as the logic program of their world judges them, in all recipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.core.seeds import Draw, below, pick, stream
from fabula.language.catalogue import native
from fabula.language.foreign import Hearing
from fabula.recipe.loading import recipe_ids
from fabula.scoring.evidence import CONVENTION, Judge, Verdict
from fabula.world import WORLDS
from fabula.world.base import Claim


def mutants(instance: Instance, draw: Draw) -> Iterator[frozenset[int]]:
    """Recorded supports with a sentence dropped, added, exchanged; and any other sets."""
    tellers = [n for n, role in enumerate(instance.roles, 1) if role != CONVENTION]
    for recorded in instance.supports[:3]:
        support = frozenset(recorded)
        others = [n for n in tellers if n not in support]
        less = support - {pick(draw, sorted(support))} if support else support
        yield support
        yield less
        if others:
            yield support | {pick(draw, others)}
            yield less | {pick(draw, others)}
            yield support | {n for n in others if not below(draw, 3)}
        yield frozenset(n for n in tellers if below(draw, 2))


def said(reasons: Sequence[str]) -> Verdict:
    """The verdict of a prover on one cited set."""
    for words, verdict in (
        ("does not suffice", Verdict.INSUFFICIENT),
        ("is stale", Verdict.STALE),
        ("still suffices", Verdict.IDLE),
    ):
        if any(words in reason for reason in reasons):
            return verdict
    assert not reasons
    return Verdict.MINIMAL


def compare(instance: Instance, logic: bool) -> set[Verdict]:
    """Judge mutants by the reader and by a prover; the verdicts that occurred."""
    name = str(instance.provenance["world"])
    hearing = Hearing(name, instance.provenance)
    code = native(str(instance.provenance.get("language", "en")), name)
    story = [hearing.sentence(sentence) for sentence in instance.story]
    account = WORLDS[name].account(code, story, instance.features)
    assert account is not None
    sets = list(dict.fromkeys(mutants(instance, stream(instance.id, 3, "", 0, "mutants"))))
    answer = hearing.words(instance.answer)
    claims = [Claim(instance.query, answer, (tuple(sorted(each)),)) for each in sets]
    judge, found = Judge(instance), set()
    for cited, reasons in zip(sets, account.prove(claims, logic), strict=True):
        verdict = judge.verdict(cited)
        assert verdict is said(reasons), (instance, sorted(cited), reasons)
        found.add(verdict)
    return found


@pytest.mark.parametrize("recipe", recipe_ids())
def test_every_support_scores_full_and_mutants_as_the_logic_program_says(recipe: str) -> None:
    judged = set()
    for number, instance in enumerate(fabula.generate(recipe, "test", 5, 12)):
        if not instance.supports:
            continue
        judge = Judge(instance)
        for support in instance.supports:
            found = judge.evidence(support)
            assert (found.verdict, found.score) == (Verdict.MINIMAL, 1)
            assert (found.precision, found.recall) == (1, 1)
        judged |= compare(instance, logic=number < 1)
    assert {Verdict.MINIMAL, Verdict.INSUFFICIENT} <= judged


@pytest.mark.parametrize("language", ["hi", "hi-Deva", "symbolic"])
def test_in_other_languages(language: str) -> None:
    for recipe in ("babi/qa2", "babi/qa18", "babi/qa19"):
        for instance in fabula.generate(recipe, "test", 5, 10, language=language):
            compare(instance, logic=False)


def test_old_information_is_stale() -> None:
    """A place that somebody left and came back to is not proven by the first visit."""
    found = set()
    for recipe in ("babi/qa2", "babi/qa10", "dyna/mix-t2"):
        for instance in fabula.generate(recipe, "test", 5, 60):
            found |= compare(instance, logic=False)
    assert found == set(Verdict) - {Verdict.MISSING}
