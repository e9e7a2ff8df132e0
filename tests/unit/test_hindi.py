"""Hindi: what agrees with what, forms before postpositions, pronouns, and the spellings."""

from __future__ import annotations

import unicodedata
from importlib import resources

import pytest

from fabula.errors import ParseError
from fabula.language import language_file
from fabula.language.catalogue import tongue_for


def hindi(*sentences: str, code: str = "hi-Deva", world: str = "actors") -> list[str]:
    """Sentences in Hindi."""
    spoken = tongue_for(world, code)
    assert spoken is not None
    return spoken.tell(sentences)


@pytest.mark.parametrize(
    ("english", "deva", "roman"),
    [
        # a verb of motion agrees with who moves
        ("John went to the garden.", "मोहित बग़ीचे में गया।", "Mohit bagichey mein gaya."),
        ("Mary went to the garden.", "सीता बग़ीचे में गई।", "Sita bagichey mein gayi."),
        ("Mary and John went to the office.",
         "सीता और मोहित दफ़्तर में गए।",
         "Sita aur Mohit daftar mein gaye."),
        ("Mary and Sandra went to the office.",
         "सीता और प्रिया दफ़्तर में गईं।",
         "Sita aur Priya daftar mein gayin."),
        ("Mary moved to the school.",
         "सीता पाठशाला में चली गई।",
         "Sita paathshaala mein chali gayi."),
        # what was done to a thing agrees with the thing, and who did it has 'ne'
        ("John picked up the football.", "मोहित ने गेंद उठाई।", "Mohit ne gayend uthayi."),
        ("Mary picked up the apple.", "सीता ने सेब उठाया।", "Sita ne seb uthaya."),
        ("Mary and Sandra got the milk there.",
         "सीता और प्रिया ने वहाँ दूध लिया।",
         "Sita aur Priya ne vahaan dhoodh liya."),
        ("John gave the football to Mary.",
         "मोहित ने सीता को गेंद दी।",
         "Mohit ne Sita ko gayend di."),
        # states, denials and two possibilities
        ("Mary is no longer in the hallway.",
         "सीता अब गलियारे में नहीं है।",
         "Sita ab galiyarey mein nahi hai."),
        ("Bill is either in the park or the cinema.",
         "मनोज या तो बाग़ में है या चलचित्रघर में।",
         "Manoj ya to baagh mein hai ya chalchitraghar mein."),
        ("Mary is hungry.", "सीता भूखी है।", "Sita bhuki hai."),
        ("Mary is tired.", "सीता थकी हुई है।", "Sita thaki hui hai."),
        ("Mary is cold.", "सीता को ठंड लग रही है।", "Sita ko thand lag rahi hai."),
        ("This morning Mary went back to the park.",
         "आज सुबह सीता बाग़ में वापस गई।",
         "Aaj subha Sita baagh mein vaapas gayi."),
        ("Fred moved to the school yesterday.",
         "हरि कल पाठशाला में चला गया।",
         "Hari kal paathshaala mein chala gaya."),
        ("John put the book in the box.",
         "मोहित ने किताब डिब्बे में रखी।",
         "Mohit ne kitaab dabbey mein rakhi."),
    ],
)  # fmt: skip
def test_hindi_sentences(english: str, deva: str, roman: str) -> None:
    assert hindi(english) == [deva]
    assert hindi(english, code="hi") == [roman]


def test_a_pronoun_has_the_gender_of_the_sentence_before() -> None:
    first, then = "Mary and Sandra went to the park.", "After that they went to the school."
    assert hindi(first, then)[1] == "उसके बाद वे पाठशाला में गईं।"
    assert hindi(first.replace("Sandra", "John"), then)[1] == "उसके बाद वे पाठशाला में गए।"
    assert hindi("Mary got the milk.", "Then she went to the park.")[1] == "फिर वह बाग़ में गई।"
    # the agent's pronoun is a word of its own, and the verb agrees with the thing
    assert hindi("John got the milk.", "Then he dropped the football.")[1] == (
        "फिर उसने गेंद गिरा दी।"
    )
    assert hindi("Mary is cold.", "Then she is cold.")[1] == "फिर उसे ठंड लग रही है।"


@pytest.mark.parametrize(
    ("world", "english", "deva"),
    [
        ("actors", "Who gave the football to Mary?", "सीता को गेंद किसने दी?"),
        ("actors", "Who received the milk?", "दूध किसे मिला?"),
        ("actors", "Where was the football before the garden?", "बग़ीचे से पहले गेंद कहाँ थी?"),
        ("actors", "Where was Julie before the park?", "बाग़ से पहले गीता कहाँ थी?"),
        ("actors", "Where will sumit go?", "सुमित कहाँ जाएगा?"),
        ("actors", "Why did yann get the football?", "श्याम ने गेंद क्यों ली?"),
        ("actors", "Is Mary in the kitchen?", "क्या सीता रसोईघर में है?"),
        ("kinds", "What is gertrude afraid of?", "पल्लवी किससे डरती है?"),
        ("kinds", "What color is Greg?", "सुहृद किस रंग का है?"),
        ("kinds", "What color is Lily?", "रुचि किस रंग की है?"),
        ("sizes", "Is the chest bigger than the box?", "क्या अलमारी डिब्बे से बड़ी है?"),
        ("space", "What is the garden north of?", "बग़ीचा किसके उत्तर में है?"),
        ("space", "Is the blue square above the triangle?", "क्या नीला चौकोर त्रिकोण के ऊपर है?"),
        ("space", "How do you go from the garden to the office?", "बग़ीचे से दफ़्तर तक कैसे जाएँगे?"),
    ],
)
def test_hindi_questions(world: str, english: str, deva: str) -> None:
    spoken = tongue_for(world, "hi-Deva")
    assert spoken is not None
    assert spoken.ask(english) == deva
    assert spoken.hear_question(deva).lower() == english.lower()


@pytest.mark.parametrize(
    ("world", "english", "deva"),
    [
        ("kinds", "Mice are afraid of wolves.", "चूहे भेड़ियों से डरते हैं।"),
        ("kinds", "Cats are afraid of sheep.", "बिल्लियाँ भेड़ों से डरती हैं।"),
        ("kinds", "All cats are climbers.", "सभी बिल्लियाँ चढ़ने वाले जीव हैं।"),
        ("kinds", "Lily is yellow.", "रुचि पीली है।"),
        ("kinds", "Greg is yellow.", "सुहृद पीला है।"),
        ("sizes", "The chest fits inside the box.", "अलमारी डिब्बे के अंदर समा जाती है।"),
        ("sizes", "The box is bigger than the box of chocolates.",
         "डिब्बा मिठाई के डिब्बे से बड़ा है।"),
        ("space", "The red sphere is to the left of the blue square.",
         "लाल गोला नीले चौकोर के बाएँ है।"),
    ],
)  # fmt: skip
def test_hindi_of_the_other_worlds(world: str, english: str, deva: str) -> None:
    assert hindi(english, world=world) == [deva]
    spoken = tongue_for(world, "hi-Deva")
    assert spoken is not None
    assert spoken.hear([deva]) == [english]


def test_answers_are_words_of_the_language() -> None:
    for code, maybe in (("hi", "shayad"), ("hi-Deva", "शायद"), ("symbolic", "unknown")):
        spoken = tongue_for("actors", code)
        assert spoken is not None
        assert spoken.say(["maybe"]) == (maybe,)
        assert spoken.hear_words([maybe]) == ("maybe",)


def test_a_wrong_form_is_not_understood() -> None:
    spoken = tongue_for("actors", "hi")
    assert spoken is not None
    assert spoken.hear(["Sita bagichey mein gayi."]) == ["Mary went to the garden."]
    for wrong in ("Sita bagicha mein gayi.", "Sita bagichey gayi.", "Sita bagichey mein gaya ka."):
        with pytest.raises(ParseError, match="no hi pattern fits"):
            spoken.hear([wrong])


def test_files_are_in_one_normal_form() -> None:
    for path in (resources.files("fabula.language") / "hi").iterdir():
        text = path.read_text("utf-8")
        assert unicodedata.is_normalized("NFC", text), path
    spoken = tongue_for("actors", "hi-Deva")
    assert spoken is not None
    decomposed = unicodedata.normalize("NFD", "सीता ने सेब उठाया।")
    assert spoken.hear([decomposed]) == ["Mary picked up the apple."]


def test_one_name_for_each_person() -> None:
    words = language_file("hi", "words")
    names = [next(iter(entry.values())) for entry in words["names"].values()]
    assert len(set(names)) == len(names)
