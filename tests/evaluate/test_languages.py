"""Models are asked in the language of the story, and understood in it."""

from __future__ import annotations

import pytest

import fabula
from fabula.core.instance import Instance
from fabula.evaluation.run import judge
from fabula.prompting.prompt import case, forms, instruction, languages, prompt, reply, styles
from fabula.scoring import Outcome, score

RECIPES = ("babi/qa1", "babi/qa7", "babi/qa8", "babi/qa10", "babi/qa19")


def one(recipe: str, language: str, answer: str = "") -> Instance:
    """An instance with this answer."""
    for found in fabula.generate(recipe, "test", 7, 100, language=language):
        if not answer or found.answer == (answer,):
            return found
    raise AssertionError(answer)


def test_hindi_is_asked_in_hindi() -> None:
    assert {"en", "hi", "hi-Deva"} <= set(languages())
    for language, story, label in (("hi", "Kahani:", "Javaab:"), ("hi-Deva", "कहानी:", "जवाब:")):
        for style in styles():
            for form in forms():
                asked = prompt(one("babi/qa10", language), style, form=form)
                assert story in asked
                assert "Story" not in asked
                assert (label in asked) is (form in ("word", "letter"))
    roman = prompt(one("babi/qa19", "hi"))
    assert roman.isascii()
    assert "uttar, dakshin, poorav ya paschim" in roman


def test_the_language_of_the_instructions_can_be_chosen() -> None:
    hindi = one("babi/qa1", "hi")
    assert instruction(hindi, language="en") == instruction(one("babi/qa1", "en"))
    assert reply(hindi, language="en") == f"Answer: {hindi.answer[0]}"
    assert prompt(one("babi/qa1", "en"), language="hi-Deva").startswith("कहानी पढ़िए")


@pytest.mark.parametrize("language", ["hi", "hi-Deva", "symbolic", "shuffled"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_the_right_reply_is_right_in_any_language(recipe: str, language: str) -> None:
    for instance in fabula.generate(recipe, "test", 3, 12, language=language):
        for form in forms():
            for asked_in in ("", "en", "hi-Deva"):
                assert judge(instance, reply(instance, form, asked_in), form).correct


def test_a_prompt_names_answers_as_the_story_would() -> None:
    listed = one("babi/qa8", "shuffled", "mbqzemr")  # nothing
    assert "the answer is: mbqzemr." in case(listed)
    assert "whose letters are all exchanged" in instruction(listed)
    assert "letters stand for names" in instruction(one("babi/qa1", "symbolic"))
    steps = next(
        found
        for found in fabula.generate("stepgame/plus", "test", 7, 200)
        if "steps" in found.query
    )
    assert "each up, down, left or right, or two together as in up-left" in case(steps)


@pytest.mark.parametrize("stated", ["story", "prompt", "none"])
def test_a_prompt_names_every_step_of_a_room(stated: str) -> None:
    found = fabula.generate("stepgame/deep", "test", 7, 60, dialect="plus", conventions=stated)
    ways = [instance for instance in found if "steps" in instance.query]
    assert any("front" in step or "back" in step for way in ways for step in way.answer)
    for way in ways:
        for language in languages():
            looks = case(way, language=language).splitlines()[-1]
            for word in ("up", "down", "left", "right", "front", "back", "up-left-back"):
                assert f" {word}" in looks
        assert judge(way, reply(way)).correct


@pytest.mark.parametrize(
    ("language", "answer", "said"),
    [
        ("hi", "haan", "Haan, woh wahan hai."),
        ("hi", "haan", "उत्तर: हाँ"),
        ("hi", "nahi", "Nahin, woh rasoighar mein nahi hai."),
        ("hi", "shayad", "Javaab: ho sakta hai"),
        ("hi-Deva", "हाँ", "जी हां, वह वहाँ है।"),
        ("hi-Deva", "हाँ", "सोचते हैं। वह नहीं दिखा।\n**उत्तर:** हाँ"),
        ("hi-Deva", "नहीं", "नहीं।"),
        ("hi-Deva", "शायद", "जवाब है शायद।"),
    ],
)
def test_yes_no_and_maybe_in_hindi(language: str, answer: str, said: str) -> None:
    found = score(one("babi/qa10", language, answer), said)
    assert found.correct
    assert found.answer == (answer,)


@pytest.mark.parametrize("said", ["मुझे नहीं पता।", "पता नहीं", "कहा नहीं जा सकता", "Mujhe nahin pata."])
def test_not_to_know_is_not_no_in_hindi_either(said: str) -> None:
    for language, no in (("hi", "nahi"), ("hi-Deva", "नहीं")):
        assert score(one("babi/qa10", language, no), said).outcome is Outcome.REFUSAL


def test_places_in_hindi() -> None:
    instance = one("babi/qa1", "hi-Deva", "बग़ीचा")
    for said in ("वह बग़ीचे में है।", "बगीचा", "रसोईघर में नहीं, बग़ीचे में", "**जवाब:** बग़ीचा।"):
        assert score(instance, said).correct, said
    assert score(instance, "रसोईघर में").outcome is Outcome.WRONG
    assert score(instance, "बग़ीचे में नहीं").outcome is Outcome.UNPARSED
