"""The game: what can be done, what is refused and why, what is told, what follows."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from fabula.analysis.verify import objections
from fabula.cli import main
from fabula.core.seeds import stream
from fabula.datasets.stored import records_of
from fabula.errors import FabulaError, ParseError, RecipeError
from fabula.play.behaviour import next_action
from fabula.play.script import run
from fabula.play.session import RefusedError, Session
from fabula.play.simulation import Action, Simulation
from fabula.play.worldfile import load_world, world_ids
from fabula.world.actors.questions import KINDS

WORLD = """
title = "Two rooms and a shed"
[places.kitchen]
exits = { north = "hall" }
[places.hall]
exits = ["shed"]
[places.shed]
[people.Mary]
at = "kitchen"
room = 4
[people.Joe]
at = "hall"
pronoun = "he"
[things.apple]
at = "kitchen"
size = 1
colour = "green"
[things.box]
at = "kitchen"
use = "in"
size = 2
room = 2
[things.chest]
at = "hall"
use = "in"
size = 5
[things.table]
at = "kitchen"
use = "on"
fixed = true
[things.melon]
at = "kitchen"
size = 3
[needs.hungry]
wants = ["apple"]
place = "kitchen"
[needs.playful]
wants = ["melon"]
place = "shed"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "rooms.toml"
    file.write_text(WORLD, encoding="utf-8")
    return file


@pytest.fixture
def session(path: Path) -> Session:
    return Session(load_world(path))


def do(session: Session, *lines: str) -> str:
    """What the last of some lines shows or tells."""
    reply = None
    for line in lines:
        reply = session.perform(line)
    assert reply is not None
    return reply.text or session.sentences[-1]


def facts(session: Session) -> list[tuple[str, ...]]:
    return [fact for told in session.reading.facts() for fact in told]


# --- what happens and is told -----------------------------------------------------------------


def test_every_action_happens_and_is_told(session: Session) -> None:
    do(session, "mary get apple", "mary put apple in box", "mary get apple from box")
    do(session, "mary put the apple on the table", "MARY, take the Apple!", "mary go north")
    do(session, "mary give apple to joe", "be joe", "drop the apple", "go shed")
    assert facts(session) == [
        ("grab", "Mary", "apple"),
        ("put", "Mary", "apple", "box"),
        ("take", "Mary", "apple", "box"),
        ("lay", "Mary", "apple", "table"),
        ("take", "Mary", "apple", "table"),  # 'take' alone gets it from where it is
        ("move", "Mary", "hall"),
        ("give", "Mary", "apple", "Joe"),
        ("drop", "Joe", "apple"),
        ("move", "Joe", "shed"),
    ]
    stage = session.simulation.stage
    assert (stage.place["Joe"], stage.spot["apple"], stage.holder["apple"]) == (
        "shed",
        "hall",
        None,
    )


def test_what_is_in_a_box_goes_where_the_box_goes(session: Session) -> None:
    do(session, "mary get apple", "mary put apple in box", "mary get box", "mary go hall")
    do(session, "mary put box in chest", "joe get chest", "joe go shed")
    reply = session.perform("where is the apple")
    assert reply.asked is not None
    assert (reply.asked.answer, reply.asked.support) == (("shed",), (2, 5, 6, 7))
    assert session.simulation.stage.spot["apple"] == "shed"
    reply = session.perform("where was the apple before the shed?")
    assert reply.asked is not None
    assert reply.asked.answer == ("hall",)
    assert do(session, "what is in the box").startswith("apple\n")
    assert do(session, "what is in chest?").startswith("box\n")


@pytest.mark.parametrize(
    ("before", "line", "why"),
    [
        ([], "mary go shed", "There is no way from the kitchen to the shed. From the kitchen you "
         "can go to the hall."),
        ([], "mary go east", "There is no way east from the kitchen. From there you can go north."),
        ([], "mary go kitchen", "Mary is already in the kitchen."),
        ([], "joe get apple", "There is no apple in the hall, where Joe is."),
        ([], "mary get table", "The table cannot be carried."),
        (["mary get apple"], "mary get apple", "Mary already has the apple."),
        (["mary get apple", "joe go south"], "joe get apple", "Mary has the apple; Joe cannot "
         "take it."),
        ([], "mary drop apple", "Mary does not have the apple."),
        (["mary get apple"], "mary give apple to joe", "Joe is not in the kitchen, where Mary is."),
        (["mary get apple"], "mary give apple to mary", "Mary cannot give anything to Mary."),
        (["mary get apple"], "mary put apple in table", "You can put things on the table, but not "
         "in it."),
        (["mary get apple"], "mary put apple in melon", "You cannot put anything in or on the "
         "melon."),
        (["mary get box"], "mary put box in box", "The box cannot be put in itself."),
        (["mary get box", "mary go hall", "mary put box in chest", "joe get chest"],
         "joe put chest in box", "The chest cannot be put in the box, which it holds."),
        (["mary get melon"], "mary put melon in box", "The melon does not fit: the box has room "
         "for 2, of which 0 is taken; the melon needs 3."),
        (["mary get box"], "mary get melon", "The melon is too much: Mary can carry 4 and has 2; "
         "the melon needs 3."),
        (["mary get apple", "set box closed"], "mary put apple in box", "The box is closed. "
         "'set box open' opens it."),
        (["mary get apple", "mary put apple in box", "mary get box", "mary go hall",
          "mary put box in chest", "set chest locked"], "mary get apple from box",
         "The chest is locked. 'set chest open' opens it."),
        ([], "mary get apple from box", "The apple is not in the box."),
        (["mary get apple", "mary put apple in box", "mary get box", "joe go south"],
         "joe get apple from box", "Mary carries the box, so Joe cannot reach into it."),
        ([], "go hall", "Who? Name somebody ('Mary go'), or 'be Mary' first."),
        ([], "set mary tall", "This world has no need 'tall'. It has hungry or playful."),
        ([], "set hall red", "Places cannot be set; only things and people can."),
        ([], "set box hungry", "The box has no needs; only people do."),
        ([], "set apple size 3", "The size of the apple is fixed by the world file."),
        ([], "joe set apple red", "Joe is in the hall and cannot see the apple."),
        ([], "undo", "There is nothing to undo."),
        (["be joe"], "examine apple", "Joe is in the hall and cannot see the apple."),
    ],
)  # fmt: skip
def test_the_impossible_is_refused_and_changes_nothing(
    session: Session, before: list[str], line: str, why: str
) -> None:
    for command in before:
        session.perform(command)
    state, told = vars(session.simulation.copy().stage), list(session.sentences)
    with pytest.raises(RefusedError) as refused:
        session.perform(line)
    assert str(refused.value) == why
    assert vars(session.simulation.stage) == state
    assert session.sentences == told
    with pytest.raises(RefusedError):
        session.perform(line)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mary get aple", "There is no thing 'aple' here. Did you mean 'apple'?"),
        ("mary go kitchn", "There is no place 'kitchn' here. Did you mean 'kitchen'?"),
        ("marry go hall", "There is nobody called 'marry' here. Did you mean 'Mary'?"),
        ("Bill go hall", "There is nobody called 'Bill' here. Known: Joe, Mary."),
        (
            "mary tkae apple",
            "'mary tkae apple' is not a command or question. Did you mean 'take'?",
        ),
        ("where is jo", "There is no person 'jo' here. Did you mean 'Joe'?"),
        ("what is the meaning of life?", "This question cannot be asked here"),
        (
            "mary put",
            "'mary put' is not understood. Type it like this: 'put the apple in the box'",
        ),
        ("wait 0", "'0' is not a number from 1 to 1000."),
        ("???", "This question cannot"),
        ("x" * 600, "That is too long"),
    ],
)
def test_what_is_not_understood_gets_a_suggestion(session: Session, line: str, said: str) -> None:
    with pytest.raises(ParseError) as error:
        session.perform(line)
    assert str(error.value).startswith(said)


def test_looking_tells_nothing(session: Session) -> None:
    do(session, "be mary")
    assert "Things here: apple, box, table and melon." in do(session, "look")
    assert do(session, "inventory") == "Mary has nothing."
    assert "The apple is green." in do(session, "examine the apple")
    assert session.sentences == []
    assert do(session, "where is the apple") == "The story does not say."


def test_what_is_opened_again_can_be_used(session: Session) -> None:
    do(session, "mary get apple", "set box closed", "mary set box open", "mary put apple in box")
    assert session.simulation.stage.holder["apple"] == "box"


def test_things_may_be_asked_about_in_the_plural(session: Session) -> None:
    do(session, "mary get apple", "mary go hall")
    assert do(session, "where are the apple?").startswith("hall")


def test_undo_and_new(session: Session) -> None:
    do(session, "mary get apple", "mary go hall", "undo")
    assert session.simulation.stage.place["Mary"] == "kitchen"
    assert facts(session) == [("grab", "Mary", "apple")]
    again = do(session, "mary go hall")
    do(session, "undo")
    assert do(session, "mary go hall") == again, "the same words: nothing random is used up"
    do(session, "new")
    assert (session.sentences, facts(session)) == ([], [])
    assert session.simulation.stage.holder["apple"] is None


def test_looks_are_set_told_and_asked(session: Session) -> None:
    assert do(session, "set apple colour red") == "The apple is red."
    assert do(session, "set apple ripe") == "The apple is ripe."
    assert do(session, "set the apple to yellow") == "The apple is yellow."
    reply = session.perform("what color is the apple")
    assert reply.asked is not None
    assert (reply.asked.answer, reply.asked.support) == (("yellow",), (3,))
    assert do(session, "what state is the apple in?").startswith("ripe")
    with pytest.raises(RefusedError, match="No sentence of this language says"):
        session.perform("set apple invisible")


def test_holding_that_was_never_told_is_not_answered_wrongly(tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    text = WORLD.replace('[things.apple]\nat = "kitchen"', '[things.apple]\nat = "table"')
    file.write_text(text, encoding="utf-8")
    session = Session(load_world(file))
    do(session, "mary get melon", "mary put melon on table")
    reply = session.perform("what is on the table")
    assert reply.unanswered
    assert reply.text.startswith("By the story: melon. But")


def test_a_proof_by_an_earlier_get_that_does_as_well(tmp_path: Path) -> None:
    """The get in force is not needed: the reader finds it, and one sentence less will do."""
    file = tmp_path / "w.toml"
    text = WORLD.replace('[things.apple]\nat = "kitchen"', '[things.apple]\nat = "box"')
    file.write_text(text, encoding="utf-8")
    lines = ["be mary", "get apple", "drop apple", "get apple", "go hall", "set joe in kitchen"]
    lines += ["joe get box", "where was the apple before the hall?"]
    played = run(load_world(file), lines, "here")
    (record,) = played.author.records(played.passages[0])
    assert (record.answer, record.support) == (("kitchen",), (1, 4, 5, 6))
    assert objections(record) == []


# --- behaviour --------------------------------------------------------------------------------


def test_the_hungry_seek_food_by_the_shortest_way_and_take_it(path: Path) -> None:
    simulation = Simulation(load_world(path))
    simulation.transport("Joe", "shed")
    simulation.do(Action("GRAB", ("Mary", "apple")))
    simulation.do(Action("PUT", ("Mary", "apple", "box")))
    simulation.need["Joe"] = "hungry"
    done = []
    while "Joe" in simulation.need:
        action = next_action(simulation, "Joe", stream("x", 0, "x", 0, "x"))
        assert action is not None
        assert simulation.refusal(action) is None
        simulation.do(action)
        done.append(action)
    assert done == [
        Action("MOVE", ("Joe", "hall")),
        Action("MOVE", ("Joe", "kitchen")),
        Action("TAKE", ("Joe", "apple", "box")),
    ]


def test_needs_are_told_if_everybody_knows_them(session: Session) -> None:
    assert do(session, "set joe hungry") == "Joe is hungry."
    reply = session.perform("where will joe go")
    assert reply.asked is not None
    assert reply.asked.answer == ("kitchen",)
    assert "It is not part of the story" in do(session, "set mary playful")
    assert "It is not part of the story" in do(session, "set mary hungry")
    do(session, "mary get apple")
    with pytest.raises(RefusedError, match="Mary has the apple, so Mary is not hungry"):
        session.perform("set mary hungry")


@pytest.mark.parametrize("name", world_ids())
def test_what_people_do_on_their_own_is_possible_and_every_answer_agrees(name: str) -> None:
    world = load_world(name)
    session = Session(world, seed=3)
    for person, need in zip(world.people, world.needs, strict=False):
        session.perform(f"set {person} {need}")
    proven = 0
    for _ in range(8):
        assert len(session.perform("auto 5").told) == 5
        for kind, questions in KINDS.items():
            found = questions.survey(session.reading.knowledge, world.recipe.cast, session.language)  # type: ignore[attr-defined]
            for candidate in found:
                asked = session.perform(session.language.ask(candidate.query)).asked
                proven += asked is not None  # the session compares with the simulation
                assert asked is not None or kind in ("list", "count", "what-in", "what-on")
    assert proven > 100


# --- worlds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('at = "hall"\npronoun', 'at = "hal"\npronoun', "people.Joe.at: there is no place 'hal'. "
         "Did you mean 'hall'?"),
        ('use = "in"\nsize = 2', 'use = "inn"\nsize = 2', "things.box.use: input should be 'in' or "
         "'on'"),
        ('fixed = true', 'fixd = true', "things.table.fixd: unknown key. Did you mean 'fixed'?"),
        ('north = "hall"', 'norht = "hall"', "places.kitchen.exits: there is no direction 'norht'. "
         "Did you mean 'north'?"),
        ("title", 'language = "hi"\ntitle', "language: no language 'hi' for the world 'play'."),
        ('exits = ["shed"]', '', "places.shed: cannot be reached from kitchen; add an exit"),
        ('[things.melon]\nat = "kitchen"', '[things.melon]\nat = "apple"',
         "things.melon.at: nothing can be put in or on 'apple'"),
        ('[things.box]\nat = "kitchen"', '[things.box]\nat = "box"',
         "things.box.at: it is inside itself: box in box"),
        ('[things.melon]\nat = "kitchen"', '[things.melon]\nat = "box"', "things.box.room: 2 is "
         "less than its contents, 3"),
        ('wants = ["apple"]', 'wants = ["appel"]', "needs.hungry.wants: there is no thing 'appel'. "
         "Did you mean 'apple'?"),
        ('colour = "green"', 'colour = "gren"', "things.apple.colour: there is no colour 'gren'. "
         "Did you mean 'green'?"),
        ('[people.Joe]', '[people.joe]', "persons: 'joe' cannot be parsed back"),
        ('[things.table]', '[things.Hall]', "things.Hall: places.hall already has this name"),
        ('size = 3', 'size = -3', "things.melon.size: input should be greater than or equal to 0"),
        ('title =', 'title', "not valid TOML"),
    ],
)  # fmt: skip
def test_a_broken_world_is_refused_with_place_and_remedy(
    path: Path, old: str, new: str, said: str
) -> None:
    assert old in WORLD
    path.write_text(WORLD.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RecipeError) as error:
        load_world(path)
    assert str(error.value).startswith(f"world {path}")
    assert said in str(error.value)


def test_a_world_in_which_nothing_can_happen_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "cell.toml"
    file.write_text('[places.cell]\n[people.Mary]\nat = "cell"\n', encoding="utf-8")
    with pytest.raises(RecipeError, match="places: nothing can happen in one place without things"):
        load_world(file)


# --- scripts ----------------------------------------------------------------------------------

SCRIPT = """# two stories
mary get apple
be mary
put apple in box

get box
north
where is the apple?
what is in the box
new
auto 6
set joe in shed
where is joe
"""


def play(*arguments: str) -> int:
    return main(["play", *arguments])


def test_a_script_becomes_proven_records(path: Path, tmp_path: Path) -> None:
    script, out = tmp_path / "s.txt", tmp_path / "new" / "folder"
    script.write_text(SCRIPT, encoding="utf-8")
    assert play(str(path), "--script", str(script), "--out", str(out)) == 0
    (file,) = out.iterdir()
    records = list(records_of(file))
    assert [record.answer for record in records] == [("hall",), ("apple",), ("shed",)]
    assert [record.support for record in records] == [(2, 3, 4), (2,), (7,)]
    assert [objections(record) for record in records] == [[], [], []]
    first = file.read_bytes()
    assert play(str(path), "--script", str(script), "--out", str(out), "--force") == 0
    assert file.read_bytes() == first
    assert play(str(path), "--script", str(script), "--out", str(out)) == 2  # not without --force


def test_a_script_in_other_formats(
    path: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    script = tmp_path / "s.txt"
    script.write_text(SCRIPT, encoding="utf-8")
    assert play(str(path), "--script", str(script)) == 0
    text = capsysbinary.readouterr().out.decode()
    assert text.count("\n1 ") == 1
    assert "\tshed\t7\n" in text
    assert play(str(path), "--script", str(script), "--out", str(tmp_path / "s.out.txt")) == 0
    assert (tmp_path / "s.out.txt").read_text(encoding="utf-8") == text
    assert main(["verify", str(tmp_path / "s.out.txt"), "--workers", "1"]) == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("mary fly", "line 2: 'mary fly': 'mary fly' is not a command"),
        ("mary drop apple", "line 2: 'mary drop apple': Mary does not have the apple."),
        ("where is joe?", "line 2: 'where is joe?' cannot be answered: The story does not say."),
        ("look", "the script asks no questions, so there is nothing to write"),
    ],
)
def test_a_broken_script_is_refused_whole(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    script, out = tmp_path / "s.txt", tmp_path / "out.jsonl"
    script.write_text(f"be mary\n{line}\n", encoding="utf-8")
    assert play(str(path), "--script", str(script), "--out", str(out)) == 2
    assert f"error: {script}" in (found := capsys.readouterr().err)
    assert said in found
    assert not out.exists()


# --- the terminal -----------------------------------------------------------------------------


def test_a_game_that_is_piped_in(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = "\n\n# nothing\nMARY GET THE APPLE\nnonsense\nwhere is mary\nwhat is mary carrying\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert play(str(path)) == 0
    shown = capsys.readouterr().out
    assert "Two rooms and a shed." in shown
    assert "'nonsense' is not a command" in shown
    assert "The story does not say." in shown
    assert shown.rstrip().endswith("the apple.")


def test_options_that_need_a_script(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert play(str(path), "--format", "babi") == 2
    assert "--script" in capsys.readouterr().err
    assert play("hom") == 2
    assert "Did you mean 'home'?" in capsys.readouterr().err
    assert play(str(path), "--as", "jo") == 2
    assert "Did you mean 'Joe'?" in capsys.readouterr().err


def test_errors_are_of_one_tree() -> None:
    assert issubclass(RefusedError, FabulaError)
