"""One game: commands are performed and told, questions are answered with their proof.

Promises:
1. An impossible command is rejected with the reason and changes nothing, not even random state.
2. Every sentence comes from the frames of the actor world and is read by its reader; an answer is
   the reader's, from the sentences told, with every minimal support. The simulation only checks it.
3. The same world, seed and lines give the same game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from fabula.core.instance import Asked
from fabula.core.seeds import Draw, stream
from fabula.core.supports import minimal, numbers_of
from fabula.errors import FabulaError
from fabula.language import Language, language
from fabula.play.behaviour import anybody, getting
from fabula.play.commands import Command, Grammar, Question
from fabula.play.reports import Reports
from fabula.play.simulation import Action, Refusal, Simulation
from fabula.play.worldfile import WorldFile
from fabula.world.actors import ACTORS
from fabula.world.actors.disclosure import Disclosure
from fabula.world.actors.events import Told
from fabula.world.actors.motives import SMALL
from fabula.world.actors.reading import ActorsReading
from fabula.world.actors.truth import truth
from fabula.world.base import Finding, Query, same_answer

SUPPORTS = 32  # the default of recipes
HOLDING = ("list", "count", "what-in", "what-on")


class RefusedError(FabulaError):
    """A command that is impossible now."""


class Response(NamedTuple):
    """The game's response to a line."""

    told: tuple[int, ...] = ()
    """Numbers of the new sentences."""
    text: str = ""
    """Further output that is not part of the story."""
    asked: Asked | None = None
    """The question that was answered."""
    unanswered: bool = False
    """Whether a question was asked that cannot be answered with a proof."""
    over: bool = False
    """Whether the game is over."""


class _Moment(NamedTuple):
    """A state that `undo` restores."""

    simulation: Simulation
    told: int
    asked: int


class Session:
    """One story in progress, told by commands."""

    def __init__(self, world: WorldFile, seed: int = 0, actor: str | None = None) -> None:
        self.world = world
        self.grammar = Grammar(world)
        self.language: Language = language(world.language, "actors")
        self.reports = Reports(self.grammar.phrases)
        self.seed = seed
        self.actor = None if actor is None else self.grammar.person(actor)
        self.simulation = Simulation(world)
        self.sentences: list[str] = []
        self.told: list[Told] = []
        """The event of each sentence."""
        self.reading = ActorsReading(self.language)
        self.asked: list[Asked] = []
        self._past: list[_Moment] = []
        self._open()
        self._commands: dict[str, Callable[[Command], Response]] = {
            "go": self._go,
            "look": self._look,
            "inventory": self._inventory,
            "examine": self._examine,
            "set": self._set,
            "set-place": self._set_place,
            "wait": self._let_others,
            "auto": self._let_others,
            "be": self._be,
            "nobody": self._be,
            "story": self._story,
            "questions": self._questions,
            "undo": self._undo,
            "new": self._new,
            "help": lambda _: Response(text=self.grammar.phrases["help"]["text"].strip("\n")),
            "quit": lambda _: Response(text=self.reports.say("bye"), over=True),
        }

    def perform(self, line: str) -> Response:
        """Perform a line. RefusedError if it is impossible, ParseError if it cannot be parsed."""
        meant = self.grammar.understand(line)
        if isinstance(meant, Question):
            return self._ask(meant.query)
        return self._commands.get(meant.name, self._act)(meant)

    def begins_anew(self, line: str) -> bool:
        """Whether a line ends the story and begins another."""
        meant = self.grammar.understand(line)
        return isinstance(meant, Command) and meant.name == "new"

    # --- what happens ---------------------------------------------------------------------

    def _who(self, command: Command) -> str:
        who = command.actor or self.actor
        if who is None:
            example = next(iter(self.world.people))
            verb = command.name.split("-")[0]
            raise self._refused(Refusal("no-actor", ("", example, verb)))
        return who

    def _refused(self, refusal: Refusal) -> RefusedError:
        return RefusedError(self.reports.refusal(refusal))

    def _draw(self, stage: str) -> Draw:
        # by the number of sentences: rejected or undone commands leave no trace
        return stream(f"play/{self.world.id}", self.seed, "play", len(self.sentences), stage)

    def _happen(self, action: Action) -> int:
        refusal = self.simulation.refusal(action)
        if refusal is not None:
            raise self._refused(refusal)
        return self._tell(self.simulation.do(action))

    def _tell(self, told: Told) -> int:
        sentence = self.language.say(told.kind, told.subjects[0], told.args, self._draw("tell"))
        self.sentences.append(sentence)
        self.told.append(told)
        self.reading.hear(sentence)
        return len(self.sentences)

    def _open(self) -> None:
        """Open the story with the needs that people have from the beginning."""
        for person in self.simulation.need:
            told = self.simulation.need_told(person, self.language)
            if told is not None:
                self._tell(told)

    def _remember(self) -> None:
        self._past.append(_Moment(self.simulation.copy(), len(self.sentences), len(self.asked)))

    def _try(self, happen: Callable[[], Response]) -> Response:
        """Perform something that can be undone; if it fails, nothing has changed."""
        self._remember()
        try:
            return happen()
        except RefusedError:
            self._past.pop()
            raise

    def _act(self, command: Command) -> Response:
        who, args = self._who(command), command.args
        thing = args["thing"]
        if command.name == "get":
            action = getting(self.simulation, who, thing)
        elif command.name == "give":
            action = Action("GIVE", (who, thing, args["person"]))
        elif command.name == "drop":
            action = Action("DROP", (who, thing))
        else:
            kind = {"get-from": "TAKE", "put-in": "PUT", "put-on": "LAY"}[command.name]
            action = Action(kind, (who, thing, args["holder"]))
        return self._try(lambda: Response(told=(self._happen(action),)))

    def _go(self, command: Command) -> Response:
        who = self._who(command)
        place = command.args.get("place")
        if place is None:
            here = self.simulation.stage.place[who]
            ways, direction = self.world.ways[here], command.args["direction"]
            place = next((there for there, way in ways.items() if way == direction), None)
            if place is None:
                known = [way or there for there, way in ways.items()]
                raise self._refused(Refusal("no-exit", (who, direction, here, *known)))
        action = Action("MOVE", (who, place))
        return self._try(lambda: Response(told=(self._happen(action),)))

    def _let_others(self, command: Command) -> Response:
        people = list(self.world.people)
        waiting = command.actor or self.actor
        if command.name == "wait" and waiting is not None and len(people) > 1:
            people.remove(waiting)

        def happen() -> Response:
            told = []
            for _ in range(int(command.args.get("number", 1))):
                action = anybody(self.simulation, people, self._draw("act"))
                if action is None:
                    break
                told.append(self._happen(action))
            if not told:
                raise self._refused(Refusal("nothing-happens", ()))
            return Response(told=tuple(told))

        return self._try(happen)

    def _set_place(self, command: Command) -> Response:
        person, place = command.args["person"], command.args["place"]

        def happen() -> Response:
            return Response(told=(self._tell(self.simulation.transport(person, place)),))

        return self._try(happen)

    def _set(self, command: Command) -> Response:
        entity, word = command.args["entity"], command.args["word"]
        name = command.args.get("property")
        if command.actor is not None:  # the world itself is everywhere
            self._check_seen(command.actor, entity)

        def happen() -> Response:
            told = self.simulation.set(entity, name, word, self.language)
            if isinstance(told, Refusal):
                raise self._refused(told)
            return (
                Response(told=(self._tell(told),))
                if told
                else Response(text=self.reports.say("set"))
            )

        return self._try(happen)

    # --- what is shown --------------------------------------------------------------------

    def _look(self, command: Command) -> Response:
        return Response(text=self.reports.look(self.simulation, self._who(command)))

    def _inventory(self, command: Command) -> Response:
        return Response(text=self.reports.inventory(self.simulation, self._who(command)))

    def _examine(self, command: Command) -> Response:
        entity, who = command.args["entity"], command.actor or self.actor
        if who is not None:
            self._check_seen(who, entity)
        return Response(text=self.reports.examine(self.simulation, entity))

    def _check_seen(self, who: str, entity: str) -> None:
        stage = self.simulation.stage
        where = {**stage.place, **stage.spot}.get(entity, entity)
        if where != stage.place[who]:
            reason = "away-person" if entity in stage.place else "away"
            raise self._refused(Refusal(reason, (who, entity, stage.place[who])))

    def _be(self, command: Command) -> Response:
        self.actor = command.args.get("person")
        said = self.reports.say("be", self.actor) if self.actor else self.reports.say("nobody")
        return Response(text=said)

    def _story(self, command: Command) -> Response:
        text = self.reports.numbered(self.sentences, range(1, len(self.sentences) + 1))
        return Response(text=text or self.reports.say("no-story"))

    def _questions(self, command: Command) -> Response:
        return Response(text="\n".join(f"  {frame}" for frame in self.reports.kinds(self.language)))

    # --- going back -----------------------------------------------------------------------

    def _undo(self, command: Command) -> Response:
        if not self._past:
            raise self._refused(Refusal("nothing-to-undo", ()))
        moment = self._past.pop()
        lost = self.sentences[moment.told :]
        self._restore(moment)
        if not lost:
            return Response(text=self.reports.say("undone-nothing-told"))
        return Response(text=self.reports.say("undone", " ".join(lost)))

    def _restore(self, moment: _Moment) -> None:
        self.simulation = moment.simulation
        self.sentences = self.sentences[: moment.told]
        self.told = self.told[: moment.told]
        self.asked = self.asked[: moment.asked]
        self.reading = ActorsReading(self.language, self.sentences)

    def _new(self, command: Command) -> Response:
        self._restore(_Moment(Simulation(self.world), 0, 0))
        self._past.clear()
        self._open()
        told = tuple(range(1, len(self.sentences) + 1))
        return Response(told=told, text=self.reports.say("new"))

    def _truth(self, query: Query) -> tuple[str, ...] | None:
        """The simulation's answer to a question; None if it keeps no record."""
        simulation = self.simulation
        if query[0] in ("what-colour", "what-state"):
            known = simulation.colour if query[0] == "what-colour" else simulation.state
            return (known[query[1]],) if query[1] in known else None
        if query[0] in SMALL:  # the reasons of people in the game are not recorded
            return None
        return truth(simulation.stage, self.language, query, lambda: Disclosure(self.told))

    def _proofs(self, query: Query, finding: Finding) -> list[int]:
        """The supports that hold, best first.

        The reader's supports rest on current holdings. A sentence of one may be redundant, because
        an earlier get works as well: then the reduced one is the proof.
        """
        reading, masks = self.reading, finding.masks[:SUPPORTS]
        for tried in (masks, (m & ~(1 << n) for m in masks for n in numbers_of(m))):
            found = [m for m in tried if reading.stands(query, finding.conclusion, m)]
            if found:
                return minimal(found)
        return []

    # --- what is asked --------------------------------------------------------------------

    def _ask(self, query: Query) -> Response:
        reading = self.reading
        finding = reading.find(query)
        if finding is None:
            return Response(text=self.reports.say("untold"), unanswered=True)
        known = self._truth(query)
        if known is not None and not same_answer(query, known, finding.answer):
            # holding is closed-world in stories, but in a game somebody or something may hold a
            # thing that no sentence has mentioned yet
            assert query[0] in HOLDING, (query, known, finding)
            said = self.reports.say("partial", ", ".join(finding.answer))
            return Response(text=said, unanswered=True)
        masks = self._proofs(query, finding)
        if not masks:
            said = self.reports.say("unproven", ", ".join(finding.answer))
            return Response(text=said, unanswered=True)
        asked = Asked(
            len(self.sentences),
            query,
            self.language.ask(query),
            finding.answer,
            numbers_of(masks[0]),
            masks,
            ACTORS.relies(reading, query, finding.answer, masks),
        )
        self.asked.append(asked)
        return Response(text=self.reports.answer(asked, self.sentences), asked=asked)
