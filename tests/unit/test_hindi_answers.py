"""Answers in Hindi: their gender, their order, what a reply may say."""

from __future__ import annotations

from itertools import islice

import pytest

from fabula.generation.author import generate
from fabula.language.catalogue import tongue_for
from fabula.language.tongue import Tongue
from fabula.scoring import score


def spoken(code: str, world: str = "actors") -> Tongue:
    found = tongue_for(world, code)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("mood", "man", "woman", "roman"),
    [
        ("hungry", "भूखा", "भूखी", "bhuki"),
        ("thirsty", "प्यासा", "प्यासी", "pyasi"),
        ("tired", "थका", "थकी", "thaki"),
        ("bored", "ऊबा", "ऊबी", "oobi"),
        ("cold", "ठंड", "ठंड", "thand"),
        ("curious", "जिज्ञासु", "जिज्ञासु", "jigyasu"),
    ],
)
def test_a_mood_agrees_with_whom_it_is_about(mood: str, man: str, woman: str, roman: str) -> None:
    hindi = spoken("hi-Deva")
    assert hindi.say([mood], ("why-go", "john", "garden")) == (man,)
    assert hindi.say([mood], ("why-go", "mary", "garden")) == (woman,)
    assert spoken("hi").say([mood], ("why-go", "mary", "garden")) == (roman,)
    assert hindi.hear_words([man]) == hindi.hear_words([woman]) == (mood,)


def test_shapes_have_their_names_and_the_published_spelling_stays() -> None:
    assert spoken("hi-Deva", "space").say(["rectangle", "sphere"]) == ("आयत", "गोला")
    assert spoken("hi", "space").say(["rectangle", "sphere"]) == ("sumkon", "golashetra")
    story = ["The rectangle is above the sphere.", "The sphere is below the red sphere."]
    hindi = spoken("hi-Deva", "space")
    assert hindi.tell(story) == ["आयत गोले के ऊपर है।", "गोला लाल गोले के नीचे है।"]
    assert hindi.hear(hindi.tell(story)) == story
    assert spoken("hi", "space").tell(story)[0] == "Sumkon golashetra ke uupar hai."


@pytest.mark.parametrize("code", ["hi-Deva", "hi"])
def test_every_form_of_the_answer_is_right_and_every_other_mood_is_wrong(code: str) -> None:
    hindi = spoken(code)
    seen = set()
    for found in islice(generate("babi/qa20", "train", seed=4, language=code), 300):
        if not found.query[0].startswith("why"):
            continue
        assert found.choices is not None
        assert found.answer[0] in found.choices
        (mood,) = hindi.hear_words(found.answer)
        words = [form for form, word in hindi.forms() if hindi.hear_words([word]) == (mood,)]
        for reply in (*words, *hindi.say([mood]), *found.answer):
            assert score(found, reply).outcome == "correct", (found.answer, reply)
        wrong = next(word for word in found.choices if word != found.answer[0])
        assert score(found, wrong).outcome == "wrong"
        seen.add(found.answer[0])
    assert len(seen) >= 8


def test_a_sentence_about_the_cold_is_understood() -> None:
    cold = ("cold",)
    made = generate("babi/qa20", "train", seed=4, language="hi-Deva")
    found = next(
        one for one in made if one.query[0] == "why-go"
        and spoken("hi-Deva").hear_words(one.answer) == cold
    )  # fmt: skip
    assert found.answer == ("ठंड",)
    for reply in ("ठंड", "ठंडा", "उसे ठंड लग रही थी", "उसे ठंड लग रही थी।", "क्योंकि उसे ठंड लग रही है।"):
        assert score(found, reply).outcome == "correct", reply


def test_lists_are_ordered_by_what_is_shown() -> None:
    several = 0
    for code in ("hi-Deva", "hi", "symbolic"):
        for found in islice(generate("babi/qa8", "train", seed=2, language=code), 80):
            assert list(found.answer) == sorted(found.answer)
            several += len(found.answer) > 1
    assert several > 20
