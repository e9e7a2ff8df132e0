"""Languages that are told from another: phrases, agreement, ciphers, letters, mistakes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fabula
from fabula.analysis.audits.babi import audit_file
from fabula.analysis.show import command
from fabula.analysis.verify import objections, verify
from fabula.cli import app
from fabula.datasets.formats import babi, clutrr_csv
from fabula.errors import FabulaError, ParseError, RecipeError
from fabula.language import language, language_file
from fabula.language.catalogue import catalogue, codes, phrase_book, tongue_for
from fabula.language.cipher import cipher
from fabula.language.lexicon import Lexicon
from fabula.language.notation import noted, read_notation
from fabula.language.phrasebook import PhraseBook
from fabula.language.symbols import letter_of
from fabula.language.tongue import Translated
from fabula.recipe.loading import load
from fabula.world import WORLDS

HINDI = ("hi", "hi-Deva")
BOOKS = [
    (code, world)
    for code, entry in catalogue().items()
    if not entry.cipher
    for world in WORLDS
    if code in codes(world)
]


# --- every pattern --------------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "world"), BOOKS)
def test_every_pattern_is_heard_as_it_is_told(code: str, world: str) -> None:
    """With a name that is known and with one that is not, as far as the slot allows."""
    book = phrase_book(code, world)
    pools = (
        {
            "person": ["Mary", "John", "Julie"],
            "place": ["garden", "park"],
            "object": ["football", "apple"],
        },
        {
            "person": ["Zoe", "Max", "Ida"],
            "place": ["rooftop", "pit"],
            "object": ["gizmo", "gadget"],
        },
    )
    spare = {"time": "this morning", "mood": "hungry", "pronoun": "she", "colour": "red",
             "state": "open", "anyone": "Mary", "one": "Lily", "kind": "mouse"}  # fmt: skip
    for asked, phrases in ((False, book.sentences), (True, book.questions)):
        for phrase in phrases:
            for pool in pools:
                slots: dict[str, str] = {}
                for slot in phrase.slots:
                    token, used = book.token(slot), set(slots.values())
                    kind = book.type_of(slot)
                    options = [spare.get(kind, ""), *pool.get(kind, ()), "cat", "box", "office"]
                    slots[slot] = next(
                        word
                        for word in options
                        if word and word not in used and re.fullmatch(token, word)
                    )
                native = phrase.native(slots)
                spoken = tongue_for(world, code)
                assert spoken is not None
                told = spoken.ask(native) if asked else spoken.tell([native])[0]
                back = spoken.hear_question(told) if asked else spoken.hear([told])[0]
                again = spoken.ask(back) if asked else spoken.tell([back])[0]
                assert again == told, (native, told, back)


@pytest.mark.parametrize("code", [*HINDI, "symbolic"])
def test_no_sentence_of_the_actors_is_without_words(code: str) -> None:
    data = language_file("en", "actors")
    words = {"person": "John", "anyone": "john", "place": "park", "object": "apple",
             "time": "yesterday", "mood": "hungry", "colour": "red", "state": "open"}  # fmt: skip
    spoken = tongue_for("actors", code)
    assert spoken is not None
    for key, frames in data["frames"].items():
        kind = key.split("-")[0]
        who = words["object" if kind in data.get("things", ()) else "person"]
        args = [words[slot] for slot in data["slots"][kind]]
        for frame in frames:
            for verb in data["verbs"].get(kind, [""]):
                sentence = frame.replace("{v}", verb).format(who, *args)
                assert spoken.tell([sentence[0].upper() + sentence[1:]])
    for lead in data["subject"]["leads"]:
        for pronoun in data["pronouns"]:
            _, then = spoken.tell(["John is hungry.", f"{lead} {pronoun} went to the park."])
            assert spoken.hear([then])[0].startswith(lead) or code == "symbolic"
    for kind, frame in data["questions"].items():
        slots = data["question_slots"][kind]
        assert spoken.ask(frame.format(*(words[slot] for slot in slots)))


# --- a language is data ---------------------------------------------------------------------------

TOY = """
[sentences]
"{person} went to the {place}." = "{person} gik nar {place}."
[questions]
"Where is {person}?" = "Vo is {person}?"
"""


def test_a_new_language_needs_two_files() -> None:
    lexicon = Lexicon({"words": {"garden": "tun"}, "names": {"Mary": "Maria"}})
    book = PhraseBook("toy", tomllib.loads(TOY), lexicon, language_file("en", "actors"))
    spoken = Translated(book)
    assert spoken.tell(["Mary went to the garden."]) == ["Maria gik nar tun."]
    assert spoken.hear(["Zoe gik nar attic."]) == ["Zoe went to the attic."]
    assert spoken.hear_question("Vo is Maria?") == "Where is Mary?"
    with pytest.raises(RecipeError, match=r"has no phrase for 'Mary is in the garden\.'"):
        spoken.tell(["Mary is in the garden."])


@pytest.mark.parametrize(
    ("phrases", "problem"),
    [
        ('[sentences]\n"{person} is here." = "hier."\n[questions]', "the same slots"),
        ('[sentences]\n"<who> is here." = "<who> hier."\n[questions]', "the part <who> is missing"),
        ('[sentences]\n"{person} is here." = "{person} {gik~person}."\n[questions]', "agrees"),
        ('[sentences]\n"{person} is here." = "{person} {x~they}."\n[questions]', "no slot 'they'"),
    ],
)
def test_mistakes_in_phrases_are_found_on_loading(phrases: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        PhraseBook("toy", tomllib.loads(phrases), Lexicon({}), language_file("en", "actors"))


def test_words_must_differ() -> None:
    with pytest.raises(ValueError, match="'garden' and 'yard' have the same word"):
        Lexicon({"words": {"garden": "tun", "yard": "tun"}})


# --- names ----------------------------------------------------------------------------------------


def _rooms(**changes: object) -> fabula.Recipe:
    content = {
        "world": "actors", "id": "rooms", "language": "hi", "length": 8,
        "entities": {"persons": ["Zoe", "Max"], "places": ["attic", "rose garden", "pit"]},
        "pronouns": {"Zoe": "she", "Max": "he"},
        "events": {"MOVE": 1}, "tellings": {"COREF": 1}, "asks": {"where-person": 1},
        **changes,
    }  # fmt: skip
    from fabula.recipe.loading import build

    return build(content)


def test_unknown_names_pass_through_with_the_gender_of_their_pronoun() -> None:
    story = " ".join(s for i in fabula.generate(_rooms(), "test", size=20) for s in i.story)
    assert re.search(r"Zoe rose garden mein (gayi|aayi|pahunchi|chali gayi)\.", story)
    assert re.search(r"Max pit mein (gaya|aaya|pahuncha|chala gaya)\.", story)


def test_a_name_that_means_somebody_else_is_refused() -> None:
    places = ["attic", "pit", "cellar"]
    recipe = _rooms(
        entities={"persons": ["Sita", "Mary"], "places": places}, pronouns={"Sita": "she"}
    )
    with pytest.raises(RecipeError, match="'Sita' is already the word for 'Mary'"):
        list(fabula.generate(recipe, "test", size=20))


# --- ciphers --------------------------------------------------------------------------------------


def test_the_published_cipher() -> None:
    table = cipher("release")
    assert table.write("The the 3 he, she?") == "Rzh qzh 3 zh, lzh?"
    assert table.write("n,s,e,w") == "m,l,h,j"
    assert table.read(table.write("Jumping Foxes waltz by, QED!")) == "Jumping Foxes waltz by, QED!"


def test_a_cipher_for_each_seed() -> None:
    one, other = (fabula.instance("babi/qa11", "test", 2, seed=5, language="shuffled", cipher=kind)
                  for kind in ("seed", "release"))  # fmt: skip
    assert one.story != other.story
    assert one.facts == other.facts
    assert one.provenance["cipher"] == "seed"
    assert cipher("seed", 5).read(one.story[1]) == cipher("release").read(other.story[1])
    assert cipher("seed", 5).write("abcdef") != cipher("seed", 6).write("abcdef")
    assert re.search(r"\b\w+ (he|she) ", cipher("seed", 5).read(one.story[1]))


def test_romanised_hindi_can_be_enciphered_too() -> None:
    one = fabula.instance("babi/qa1", "test", 1, seed=5, language="hi", cipher="seed")
    other = fabula.instance("babi/qa1", "test", 1, seed=5, language="hi")
    assert [cipher("seed", 5).read(sentence) for sentence in one.story] == list(other.story)


# --- letters --------------------------------------------------------------------------------------


def test_letters() -> None:
    assert [letter_of(n) for n in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA"
    ]  # fmt: skip


def test_symbolic_stories() -> None:
    instance = fabula.instance("babi/qa11", "test", 3, seed=7, language="symbolic")
    assert instance.story[0] == "A move B"
    assert re.fullmatch(r"(he|she) move C", instance.story[1])
    assert instance.provenance["letters"]["A"] == instance.facts[0][0][1]
    yes_no = fabula.instance("babi/qa10", "test", 3, seed=7, language="symbolic")
    assert yes_no.choices == ("true", "false", "unknown")


def test_choices_have_the_letters_of_their_own_story() -> None:
    seen: dict[tuple[str, ...], set[tuple[str, ...] | None]] = {}
    places = set(fabula.instance("babi/qa1", "test").choices or ())
    for instance in fabula.generate("babi/qa1", "test", seed=7, size=40, language="symbolic"):
        letters = instance.provenance["letters"]
        assert instance.choices is not None
        assert {letters[letter] for letter in instance.choices} == places
        seen.setdefault(instance.query, set()).add(instance.choices)
    assert any(len(choices) > 1 for choices in seen.values())


def test_what_everybody_knows_has_the_same_letters_in_every_story() -> None:
    for index in (0, 40):
        letters = fabula.instance("babi/qa20", "test", index, language="symbolic").provenance[
            "letters"
        ]
        assert (letters["A"], letters["B"], letters["C"]) == ("hungry", "kitchen", "apple")


def test_facts_can_be_written_down() -> None:
    facts = (("left", "Ann", "red square"), ("not", "above", "Ann", "Cid"))
    assert read_notation(noted(facts)) == facts
    assert read_notation(noted(())) == ()
    assert read_notation("Ann is to the left of Bob.") is None
    assert read_notation("left(Ann,Bob) and so on)") is None
    with pytest.raises(ParseError, match="not a fact about positions"):
        WORLDS["space"].read("en", ["beside(Ann,Bob)"])
    with pytest.raises(ParseError, match="not a fact about kin"):
        WORLDS["kinship"].read("en", ["boss(Ann,Bob)"])


# --- the rest of the program ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"language": "hi-deva"}, r"recipe babi/qa1: language: .* Did you mean 'hi-Deva'\?"),
        ({"cipher": "seeds"}, r"recipe babi/qa1: cipher: unknown 'seeds'. Did you mean 'seed'\?"),
        ({"language": "hi-Deva", "cipher": "seed"}, r"only Latin script .* Known: hi\."),
    ],
)
def test_mistakes_in_recipes(changes: dict[str, str], problem: str) -> None:
    with pytest.raises(RecipeError, match=problem):
        load("babi/qa1", changes)


def test_hindi_has_no_words_for_families() -> None:
    with pytest.raises(RecipeError, match="no language 'hi' for the world 'kinship'"):
        load("clutrr/gen-23", {"language": "hi"})
    with pytest.raises(RecipeError, match="'hi' has no phrase for"):
        fabula.instance("stepgame/clean", "test", 0, language="hi")


def test_tables_of_clutrr_are_english() -> None:
    instance = fabula.instance("clutrr/gen-23", "test", 0, language="shuffled")
    with pytest.raises(FabulaError, match="CLUTRR's tables are in English only"):
        clutrr_csv.columns(instance)


def test_forms_of_an_answer_are_understood() -> None:
    places = fabula.generate("babi/qa1", "test", 7, 50, language="hi-Deva")
    place = next(each for each in places if each.answer == ("बग़ीचा",))
    assert fabula.score(place, "प्रिया बग़ीचे में है।").correct
    assert not fabula.score(place, "प्रिया गलियारे में है।").correct
    kinds = fabula.generate("babi/qa15", "test", 7, 50, language="hi-Deva")
    kind = next(each for each in kinds if each.answer == ("भेड़",))
    assert not fabula.score(kind, "भेड़ियों से").correct


def test_the_command_that_shows_a_record_names_its_language() -> None:
    instance = fabula.instance("babi/qa1", "test", 0, language="hi", cipher="seed")
    assert command(instance.provenance).endswith(
        "--set dialect=fixed --set language=hi --set cipher=seed"
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"language": "hi"},
        {"language": "hi-Deva"},
        {"language": "shuffled"},
        {"language": "symbolic"},
        {"language": "shuffled", "cipher": "seed"},
    ],
    ids=lambda changes: "-".join(changes.values()),
)
@pytest.mark.parametrize("name", ["babi/qa2", "babi/qa15", "babi/qa19"])
def test_text_files_are_audited_and_proven(
    name: str, changes: dict[str, str], tmp_path: Path
) -> None:
    out = tmp_path / "data"
    given = [word for key, value in changes.items() for word in ("--set", f"{key}={value}")]
    made = CliRunner().invoke(
        app,
        ["generate", name, "--out", str(out), "--size", "test=20", "--format", "babi", *given],
    )
    assert made.exit_code == 0, made.output
    (file,) = out.glob("**/*.txt")
    result = audit_file(file)
    assert (result.questions, result.answers, result.proofs, result.minimal) == (20, 20, 20, 20)
    assert result.identical
    verdict = verify(file)
    assert (verdict.instances, verdict.proven) == (20, 20)
    stories = list(babi.read(file))
    assert all(not re.search(r" went to | afraid ", s) for st in stories for s in st.sentences)


@pytest.mark.parametrize(
    ("query", "question"),
    [
        (("where-object", "pajamas"), "Where are the pajamas?"),
        (("where-was-object", "pajamas", "park"), "Where were the pajamas before the park?"),
        (("what-colour", "pajamas"), "What colour are the pajamas?"),
        (("who-gave", "pajamas"), "Who gave the pajamas?"),
        (("where-object", "coat"), "Where is the coat?"),
    ],
)
def test_what_is_asked_of_a_plural_agrees(query: tuple[str, ...], question: str) -> None:
    tongue = language("en", "actors")
    assert tongue.ask(query) == question
    assert tongue.parse_question(question) == query


def test_what_is_said_of_a_plural_agrees() -> None:
    tongue = language("en", "actors")
    for thing, said in (("pajamas", "The pajamas are red."), ("coat", "The coat is red.")):
        assert tongue.say("COLOUR", thing, ("red",), lambda: 0.0) == said
        parsed = tongue.parse(said)
        assert (parsed.kind, parsed.subjects, parsed.args) == ("COLOUR", (thing,), ("red",))


@pytest.mark.parametrize("code", ["hi", "hi-Deva", "symbolic", "shuffled"])
def test_questions_about_plurals_are_the_same_in_every_language(code: str) -> None:
    made = fabula.generate(
        "actors/motives", "test", size=60, language=code, asks={"where-object": 1}
    )
    found = [each for each in made if each.query[1] == "pajamas"]
    assert found
    assert [objections(each) for each in found] == [[]] * len(found)
