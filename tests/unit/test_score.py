"""Hard replies, by kind of question: what each one says, and how it is scored."""

from __future__ import annotations

import sys
from itertools import islice
from typing import Any

import pytest

from fabula.core.instance import Instance
from fabula.generation.author import generate
from fabula.recipe.loading import load, recipe_ids
from fabula.scoring import Outcome, Score, score

PLACES = ("bathroom", "bedroom", "garden", "hallway", "kitchen", "office")
PEOPLE = ("Bill", "Fred", "Jeff", "Mary", "Will")
SIDES = (
    "left", "right", "above", "below", "upper-left", "upper-right", "lower-left", "lower-right",
    "overlap",
)  # fmt: skip
KIN = ("mother", "father", "grandmother", "mother-in-law", "sister", "sister-in-law")


def question(
    text: str, query: tuple[str, ...], answer: tuple[str, ...], choices: tuple[str, ...] | None
) -> Instance:
    story = (
        "Mary went to the kitchen.",
        "Mary took the apple.",
        "Mary took the milk.",
        "Mary dropped the football.",
        "Mary went to the garden.",
    )
    facts = (
        (("move", "Mary", "kitchen"),),
        (("grab", "Mary", "apple"),),
        (("grab", "Mary", "milk"),),
        (("drop", "Mary", "football"),),
        (("move", "Mary", "garden"),),
    )
    return Instance(
        id="x:test:0", story=story, question=text, answer=answer, choices=choices,
        support=(5,), supports=((5,),), facts=facts, query=query, composition=("MOVE",),
        roles=("distractor",) * 4 + ("support",), features={}, signature="", provenance={},
    )  # fmt: skip


ASKED = {
    "where": question("Where is Mary?", ("where-person", "Mary"), ("garden",), PLACES),
    "before": question(
        "Where was the apple before the garden?",
        ("where-was-object", "apple", "garden"),
        ("kitchen",),
        PLACES,
    ),
    "yes": question(
        "Is Mary in the garden?", ("yes-no", "Mary", "garden"), ("yes",), ("yes", "no", "maybe")
    ),
    "no": question(
        "Is Mary in the kitchen?", ("yes-no", "Mary", "kitchen"), ("no",), ("yes", "no", "maybe")
    ),
    "maybe": question(
        "Is Bill in the park?", ("yes-no", "Bill", "park"), ("maybe",), ("yes", "no", "maybe")
    ),
    "count": question(
        "How many objects is Mary carrying?",
        ("count", "Mary"),
        ("two",),
        ("none", "one", "two", "three"),
    ),
    "zero": question(
        "How many objects is Bill carrying?",
        ("count", "Bill"),
        ("none",),
        ("none", "one", "two", "three"),
    ),
    "list": question("What is Mary carrying?", ("list", "Mary"), ("apple", "milk"), None),
    "nothing": question("What is Bill carrying?", ("list", "Bill"), ("nothing",), None),
    "gave": question(
        "Who gave the milk to Fred?", ("who-gave-to", "milk", "Fred"), ("Mary",), PEOPLE
    ),
    "side": question(
        "What is the relation of A to B?", ("relation", "A", "B"), ("upper-left",), SIDES
    ),
    "left": question("What is the relation of A to B?", ("relation", "A", "B"), ("left",), SIDES),
    "kin": question("What is Ann to Bob?", ("kin", "Ann", "Bob"), ("mother-in-law",), KIN),
    "kin2": question("What is Ann to Bob?", ("kin", "Ann", "Bob"), ("mother",), KIN),
    "box": question(
        "What fits in the chest?",
        ("fits", "chest"),
        ("box of chocolates",),
        ("box", "chocolate", "box of chocolates", "chest"),
    ),
    "way": question("How do you go from A to B?", ("path", "A", "B"), ("s", "e"), None),
    "twice": question("How do you go from A to B?", ("path", "A", "B"), ("n", "n"), None),
}

THINK = "<think>Mary was in the kitchen. The answer is kitchen.</think>"

# question, reply, outcome; 'cut' replies were truncated
REPLIES: list[tuple[str, str, str]] = [
    # plain
    ("where", "garden", "correct"),
    ("where", "Garden.", "correct"),
    ("where", "  the GARDEN!  ", "correct"),
    ("where", "`garden`", "correct"),
    ("where", '"Garden"', "correct"),
    ("where", "“garden”", "correct"),
    ("where", "_garden_", "correct"),
    ("where", "- garden", "correct"),
    ("where", "-garden", "correct"),
    ("where", "Mary is in the garden.", "correct"),
    ("where", "in the garden", "correct"),
    ("where", "kitchen", "wrong"),
    ("where", "Mary is in the kitchen.", "wrong"),
    ("where", "gardens", "unparsed"),
    ("where", "the gardener's shed", "unparsed"),
    ("where", "kitchen-garden", "unparsed"),
    ("where", "the bath room", "unparsed"),
    ("where", "basement", "unparsed"),
    ("where", "", "unparsed"),
    ("where", " \n\t ", "unparsed"),
    ("where", "Mary", "wrong"),
    # several answers
    ("where", "garden or kitchen", "wrong"),
    ("where", "garden, kitchen", "wrong"),
    ("where", "garden\nkitchen", "wrong"),
    ("where", "garden and kitchen", "wrong"),
    ("where", "Mary went to the kitchen and then to the garden.", "wrong"),
    ("where", "Garden. No wait, kitchen.", "wrong"),
    ("where", "Garden. Actually, she moved to the kitchen.", "wrong"),
    ("where", "She is in the garden. She is in the kitchen.", "wrong"),
    ("where", "garden garden garden", "correct"),
    ("where", "Either the garden or the office.", "wrong"),
    # an answer with its explanation
    ("where", "Garden. Mary went to the kitchen, then to the garden.", "correct"),
    ("where", "garden\n\nMary left the kitchen before that.", "correct"),
    ("where", "Garden, because she left the kitchen.", "correct"),
    ("where", "Garden (she was in the kitchen before).", "correct"),
    ("where", "Mary was in the kitchen. Then she moved. So Mary is in the garden.", "correct"),
    (
        "where",
        "Mary went from the kitchen to the garden, therefore she is in the garden.",
        "correct",
    ),
    ("where", "Mary went to the kitchen.\nMary went to the garden.\n\nGarden", "correct"),
    ("where", "Is Mary in the kitchen? She is in the garden.", "correct"),
    # marks
    ("where", "Mary went to the kitchen. Answer: garden", "correct"),
    ("where", "Answer: garden\nShe left the kitchen.", "correct"),
    ("where", "Answer: kitchen\nWait.\nAnswer: garden", "correct"),
    ("where", "Answer: garden\nWait.\nAnswer: kitchen", "wrong"),
    ("where", "**Answer:** garden", "correct"),
    ("where", "**Answer**: the garden", "correct"),
    ("where", "### Final Answer\n\ngarden", "correct"),
    ("where", "Final answer: The garden.", "correct"),
    ("where", "ANSWER = garden", "correct"),
    ("where", "Answer:\n\n  garden\n\nShe was in the kitchen.", "correct"),
    ("where", "A: garden", "correct"),
    ("where", "Not the kitchen.\n#### garden", "correct"),
    ("where", "<answer>garden</answer> kitchen", "correct"),
    ("where", "<answer>kitchen</answer><answer>garden</answer>", "correct"),
    ("where", "<answer> garden", "correct"),
    ("where", r"First the kitchen, so \boxed{garden}", "correct"),
    ("where", r"$\boxed{\text{garden}}$ and not kitchen", "correct"),
    ("where", r"\boxed{kitchen} … no: \boxed{garden}", "correct"),
    ("where", "From the kitchen she went on. The answer is the garden.", "correct"),
    ("where", "The correct answer is: garden.", "correct"),
    ("where", "The answer to the question is garden, not kitchen.", "correct"),
    ("where", "The answer is clear from the story. She is in the garden.", "correct"),
    ("where", "The answer is kitchen or garden.", "wrong"),
    ("where", "The answer is not kitchen.", "unparsed"),
    ("where", "Mary was in the kitchen and is now in the **garden**.", "correct"),
    ("where", "First **kitchen**, finally **garden**.", "correct"),
    ("where", "**Mary** left the kitchen for the **garden**", "correct"),
    ("where", '{"answer": "garden", "why": "she left the kitchen"}', "correct"),
    ("where", '{"answer": "kitchen", "why": "garden"}', "wrong"),
    ("where", "She went to the garden. Answer: basement", "unparsed"),
    ("where", "Answer: garden, as she left the kitchen", "correct"),
    ("where", "Answer: garden or kitchen", "wrong"),
    ("where", "Answer: garden\n\nQuestion: Where is John?\nAnswer: kitchen", "correct"),
    ("where", "garden\nQ: Where is John?\nA: kitchen", "correct"),
    ("where", "Question: Where is Mary?\nAnswer: garden", "correct"),
    # reasoning
    ("where", THINK + "garden", "correct"),
    ("where", "She was in the kitchen.</think>\n\ngarden", "correct"),
    ("where", "<think>Mary is in the garden", "unparsed"),
    ("where", "<thinking>\nkitchen\n</thinking>\nIn the garden.", "correct"),
    ("where", "Reasoning: she was in the kitchen and left.\nAnswer: garden", "correct"),
    ("where", "Garden.\nReasoning: she was in the kitchen first.\n\nThen she left it.", "correct"),
    ("where", "Reasoning: She left the kitchen.\n\nGarden", "correct"),
    ("where", "**Explanation:** kitchen first.\n\nThen on.\n\nMary is in the garden.", "correct"),
    ("where", "Reasoning: Mary is in the garden.", "correct"),
    # not
    ("where", "not in the garden", "unparsed"),
    ("where", "Mary isn't in the garden.", "unparsed"),
    ("where", "Mary is not in the kitchen but in the garden.", "correct"),
    ("where", "She is no longer in the kitchen, she is in the garden.", "correct"),
    ("where", "Not in the kitchen, office, or hallway, but the garden.", "correct"),
    ("where", "neither the kitchen nor the office; the garden", "correct"),
    ("where", "the garden instead of the kitchen", "correct"),
    ("where", "garden, not kitchen", "correct"),
    ("where", "kitchen, not garden", "wrong"),
    ("where", "Answer: not the kitchen", "unparsed"),
    # refusal
    ("where", "I don't know.", "refusal"),
    ("where", "I do not know where Mary is.", "refusal"),
    ("where", "I don’t know", "refusal"),
    ("where", "It cannot be determined.", "refusal"),
    ("where", "Answer: unknown", "refusal"),
    ("where", "Answer: It cannot be determined from the story.", "refusal"),
    ("where", "The answer is not given.", "refusal"),
    ("where", "There is not enough information to say whether she is in the garden.", "refusal"),
    ("where", "I cannot tell if Mary is in the garden or the kitchen.", "refusal"),
    ("where", "Mary was in the garden. I don't know where she is now.", "refusal"),
    ("where", "The story does not say where Mary is.", "refusal"),
    ("where", "I'm sorry, but I can't help with that.", "refusal"),
    ("where", "**Unknown**", "refusal"),
    ("where", "I don't know, but probably the garden.", "correct"),
    ("where", "I'm not sure. Garden.", "correct"),
    ("where", "Maybe.", "unparsed"),
    ("where", "Maybe the garden.", "correct"),
    ("where", "Answer: garden, but I am not sure", "correct"),
    # the question echoed
    ("before", "The apple was in the kitchen before the garden.", "correct"),
    ("before", "Before the garden, the apple was in the kitchen.", "correct"),
    ("before", "the garden", "wrong"),
    ("before", "Answer: kitchen (before the garden)", "correct"),
    ("gave", "Mary gave the milk to Fred.", "correct"),
    ("gave", "Mary", "correct"),
    ("gave", "mary", "correct"),
    ("gave", "Fred gave it to Mary", "correct"),  # Fred is echoed: read as 'Mary'
    ("gave", "It will have been Mary.", "correct"),
    ("gave", "Will", "wrong"),
    ("gave", "Mary's friend", "unparsed"),
    ("gave", "Bill or Mary", "wrong"),
    # yes, no, maybe
    ("yes", "Yes", "correct"),
    ("yes", "yes, Mary is in the garden", "correct"),
    ("yes", "Yes, no doubt.", "correct"),
    ("yes", "Yes. There is no other place she could be.", "correct"),
    ("yes", "No, she is not.", "wrong"),
    ("yes", "Yes and no.", "wrong"),
    ("yes", "Yes or no? Yes.", "correct"),
    ("yes", "I do not know", "refusal"),
    ("yes", "Mary is in the garden.", "unparsed"),
    ("yes", "yesterday", "unparsed"),
    ("no", "No, Mary is no longer in the kitchen.", "correct"),
    ("no", "Nope", "correct"),
    ("no", "nobody knows", "unparsed"),
    ("no", "The answer is no.", "correct"),
    ("no", "<answer>No</answer>", "correct"),
    ("no", "Not necessarily", "unparsed"),
    ("maybe", "maybe", "correct"),
    ("maybe", "Maybe; it cannot be determined.", "correct"),
    ("maybe", "Maybe - we can't tell.", "correct"),
    ("maybe", "Perhaps.", "correct"),
    ("maybe", "It cannot be determined.", "refusal"),
    ("maybe", "yes, maybe", "wrong"),
    ("maybe", "yes, no, or maybe? Maybe.", "correct"),
    # counting
    ("count", "two", "correct"),
    ("count", "2", "correct"),
    ("count", "2.", "correct"),
    ("count", "Mary is carrying two objects: the apple and the milk.", "correct"),
    ("count", "Answer: 2 objects", "correct"),
    ("count", "**2**", "correct"),
    ("count", "By sentences 2 and 3 she has two.", "correct"),
    ("count", "1. apple\n2. milk\n\nAnswer: two", "correct"),
    ("count", "one", "wrong"),
    ("count", "Answer: five", "wrong"),
    ("count", "Answer: 25", "wrong"),
    ("count", "one or two", "wrong"),
    ("count", "One apple and one milk, so two.", "correct"),
    ("count", "No one knows.", "unparsed"),
    ("zero", "none", "correct"),
    ("zero", "None.", "correct"),
    ("zero", "0", "correct"),
    ("zero", "zero objects", "correct"),
    ("zero", "Bill is carrying no objects.", "correct"),
    ("zero", "nothing", "correct"),
    ("zero", "Bill is not carrying any objects.", "correct"),
    ("zero", "one", "wrong"),
    ("zero", "someone", "unparsed"),
    # lists
    ("list", "apple, milk", "correct"),
    ("list", "milk,apple", "correct"),
    ("list", "The milk and the apple.", "correct"),
    ("list", "Mary is carrying the apple and the milk.", "correct"),
    ("list", "- apple\n- milk", "correct"),
    ("list", "1. apple\n2. milk", "correct"),
    ("list", "Answer:\n* apple\n* milk", "correct"),
    ("list", "Answer: apple & milk", "correct"),
    ("list", "She carries the **apple** and the **milk**, not the football.", "correct"),
    ("list", '{"answer": ["milk", "apple"]}', "correct"),
    ("list", "apple", "wrong"),
    ("list", "apple, milk, football", "wrong"),
    ("list", "apple, milk, sword", "wrong"),
    ("list", "Answer: the apple, the milk and a lamp", "wrong"),
    ("list", "Answer: apple, milk (she dropped the football)", "correct"),
    ("list", "Apple and milk. She dropped the football.", "correct"),
    ("list", "apple, milk, apple", "correct"),
    ("list", "nothing", "wrong"),
    ("list", "She has nothing but the apple and the milk.", "correct"),
    ("list", "pineapple, milk", "wrong"),
    ("list", "a sword", "unparsed"),
    ("nothing", "nothing", "correct"),
    ("nothing", "Nothing. Mary has the apple.", "correct"),
    ("nothing", "None", "correct"),
    ("nothing", "He isn't carrying anything.", "correct"),
    ("nothing", "He gave the apple away, so he is carrying nothing.", "correct"),
    ("nothing", "Answer: nothing, he dropped the apple", "correct"),
    ("nothing", "apple", "wrong"),
    ("nothing", "I have no idea what he is carrying.", "refusal"),
    # sides
    ("side", "upper-left", "correct"),
    ("side", "Upper left", "correct"),
    ("side", "A is to the upper left of B.", "correct"),
    ("side", "upper\u2011left", "correct"),
    ("side", "top-left", "correct"),
    ("side", "A is above and to the left of B.", "correct"),
    ("side", "left", "wrong"),
    ("side", "lower-left", "wrong"),
    ("left", "upper-left", "wrong"),
    ("left", "top left", "wrong"),
    ("left", "A is to the left of B", "correct"),
    ("left", "leftover", "unparsed"),
    # kin
    ("kin", "mother-in-law", "correct"),
    ("kin", "Mother in law", "correct"),
    ("kin", "Ann is Bob's mother-in-law.", "correct"),
    ("kin", "mother", "wrong"),
    ("kin", "mother_in_law", "correct"),
    ("kin2", "mother-in-law", "wrong"),
    ("kin2", "grandmother", "wrong"),
    ("kin2", "great-grandmother", "unparsed"),
    ("kin2", "step-mother", "unparsed"),
    ("kin2", "father in law", "unparsed"),
    ("kin2", "Ann is Bob's mother.", "correct"),
    # several words
    ("box", "the box of chocolates", "correct"),
    ("box", "Box of Chocolates.", "correct"),
    ("box", "box-of-chocolates", "correct"),
    ("box", "the box", "wrong"),
    ("box", "The box of chocolates fits in the chest.", "correct"),
    ("box", "box of chocolates, not the box", "correct"),
    # ways
    ("way", "s,e", "correct"),
    ("way", "S, E", "correct"),
    ("way", "south, east", "correct"),
    ("way", "South then east.", "correct"),
    ("way", "Go south, and then go east.", "correct"),
    ("way", "south -> east", "correct"),
    ("way", "Answer: s,e", "correct"),
    (
        "way",
        "The hall is south of A and B is east of it, so go **south**, then **east**.",
        "correct",
    ),
    ("way", "e,s", "wrong"),
    ("way", "south", "wrong"),
    ("way", "s,e,e", "wrong"),
    ("way", "It's easy", "unparsed"),
    ("way", "southeast", "unparsed"),
    ("twice", "north twice", "correct"),
    ("twice", "north, north", "correct"),
    ("twice", "Go two steps north.", "correct"),
    ("twice", "n", "wrong"),
    ("where", "cut:Mary went to the kitchen and", "truncated"),
    ("where", "cut:Mary went to the garden", "truncated"),
    ("where", "cut:", "truncated"),
    ("where", "cut:<think>Mary is in the garden. So", "truncated"),
    ("where", "cut:The answer is", "truncated"),
    ("where", "cut:Answer: garden\nThis is because Mary", "correct"),
    ("where", "cut:Answer: kitchen. This is because", "wrong"),
    ("where", "cut:Answer: kitchen. Wait. Answer:", "truncated"),
    ("where", r"cut:\boxed{garden}", "correct"),
    ("where", "cut:Mary is in the **garden**, becau", "correct"),
    ("where", "cut:I do not know", "truncated"),
    ("kin2", "cut:Answer: mother", "truncated"),  # may go on '-in-law'
    ("kin2", "cut:<answer>mother</answer>", "correct"),
    ("box", "cut:The answer is the box", "truncated"),
]


@pytest.mark.parametrize(("asked", "reply", "outcome"), REPLIES)
def test_reply(asked: str, reply: str, outcome: str) -> None:
    truncated = reply.startswith("cut:")
    result = score(ASKED[asked], reply.removeprefix("cut:"), truncated=truncated)
    assert result.outcome == outcome, result


def test_enough_replies() -> None:
    assert len(REPLIES) >= 100
    assert len({(asked, reply) for asked, reply, _ in REPLIES}) == len(REPLIES)


def test_the_answer_is_given_in_the_words_of_the_set() -> None:
    assert score(ASKED["where"], "The KITCHEN.") == Score(Outcome.WRONG, ("kitchen",))
    assert score(ASKED["where"], "?") == Score(Outcome.UNPARSED, ())
    assert score(ASKED["where"], "garden or office").answer == ("garden", "office")
    assert score(ASKED["count"], "3").answer == ("three",)
    assert score(ASKED["way"], "South, East").answer == ("s", "e")
    assert score(ASKED["side"], "Top left").answer == ("upper-left",)
    assert score(ASKED["where"], "garden").correct
    assert not score(ASKED["where"], "office").correct


@pytest.mark.parametrize("asked", ASKED)
def test_the_right_answer_alone_is_right(asked: str) -> None:
    instance = ASKED[asked]
    for text in (
        ", ".join(instance.answer),
        ",".join(instance.answer),
        " and ".join(instance.answer),
    ):
        for form in ("{}", "{}.", "Answer: {}", "The answer is {}.", "**{}**", r"\boxed{{{}}}"):
            assert score(instance, form.format(text)).correct, (form, text)


@pytest.mark.parametrize("asked", [name for name in ASKED if ASKED[name].choices])
def test_every_other_choice_is_wrong(asked: str) -> None:
    instance = ASKED[asked]
    for choice in instance.choices or ():
        for form in ("{}", "Answer: {}", "<answer>{}</answer>", "the {}"):
            result = score(instance, form.format(choice))
            assert result == Score(
                Outcome.CORRECT if choice in instance.answer else Outcome.WRONG, (choice,)
            ), (form, choice)


@pytest.mark.parametrize(
    "junk", ["<answer>", "**", "\\boxed{", "Answer:", "((((", "Q:", "\x00", "́"]
)
def test_odd_text_never_fails(junk: str) -> None:
    for asked in ASKED.values():
        for text in (junk, junk * 50, f"garden {junk} kitchen", f"{junk}\n{junk} no"):
            for cut in (True, False):
                assert score(asked, text, cut).outcome in Outcome


def test_reading_does_not_depend_on_the_label() -> None:
    other: Any = ASKED["where"]
    for choice in PLACES:
        same = question("Where is Mary?", ("where-person", "Mary"), (choice,), PLACES)
        for asked, reply, _ in REPLIES:
            if asked == "where":
                assert score(same, reply).answer == score(other, reply).answer


@pytest.mark.parametrize("name", recipe_ids())
def test_every_recipe_can_be_scored(name: str) -> None:
    split = next(iter(load(name).splits))
    for made in islice(generate(name, split, size=12), 0, None, 4):
        for form in ("{}", "Answer: {}.", "<think>no: yes, maybe</think> The answer is {}."):
            said = score(made, form.format(", ".join(made.answer)))
            assert said.correct, (made.id, made.answer, said)
        others = [word for word in made.choices or () if word not in made.answer]
        for other in others[:5]:
            assert score(made, f"Answer: {other}") == Score(Outcome.WRONG, (other,)), made.id
        assert score(made, "I do not know.").outcome is Outcome.REFUSAL
        assert score(made, "").outcome is Outcome.UNPARSED


PLAIN = (
    "{0}", "{0}.", "Answer: {0}", "**Answer:** {0}", "Answer: **{0}**.", "answer: the {0}",
    "The answer is {0}.", "The answer is: in the {0}", "It is {0}", "it's the {0}.", "In the {0}.",
    "**{0}**", " **{0}.** ", "at {0}", "Answer:{0}",
)  # fmt: skip


@pytest.mark.parametrize("name", ["babi/qa1", "babi/qa7", "babi/qa10", "babi/qa5", "actors/mix"])
def test_the_short_way_reads_as_the_long_one_does(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fabula.scoring import _plain
    from fabula.scoring.answers import answers_of

    said = [
        (instance, form.format(word))
        for instance in islice(generate(name, "test", 7), 8)
        for word in instance.choices or ()
        for form in PLAIN
        for word in (word, word.lower(), word.upper(), word.capitalize())
    ]
    quick = [score(instance, text) for instance, text in said]
    assert sum(_plain(text, answers_of(instance)) is not None for instance, text in said) > 0
    monkeypatch.setattr(sys.modules["fabula.scoring"], "_plain", lambda reply, answers: None)
    for (instance, text), found in zip(said, quick, strict=True):
        assert score(instance, text) == found, (instance.question, text)
