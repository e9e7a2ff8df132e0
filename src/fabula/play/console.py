"""The game in a terminal: lines in, replies out, until 'quit', the end of input or Ctrl-C twice."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from contextlib import suppress
from shutil import get_terminal_size
from textwrap import fill

from fabula.errors import FabulaError
from fabula.play.session import Response, Session

PROMPT = "> "


def play(session: Session, say: Callable[[str], None] | None = None) -> None:
    """Play until the player leaves."""
    asks = sys.stdin.isatty()
    say = say or (on_terminal if sys.stdout.isatty() else print)
    if asks:
        with suppress(ImportError):
            import readline  # noqa: F401  lines can be edited and called back
    say(welcome(session))
    if session.sentences:
        say(session.reports.numbered(session.sentences, range(1, len(session.sentences) + 1)))
    interrupted = False
    while True:
        try:
            line = input(PROMPT if asks else "")
            interrupted = False
        except EOFError:
            if asks:
                say("")
            return
        except KeyboardInterrupt:
            if interrupted or not asks:
                raise
            interrupted = True
            say(f"\n{session.reports.say('interrupted')}")
            continue
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not asks:
            say(f"{PROMPT}{line.strip()}")  # so that a transcript can be read
        reply = answer(session, line, say)
        if reply is not None and reply.over:
            return


def on_terminal(text: str) -> None:
    """Print a text wrapped at the width of the terminal."""
    width = get_terminal_size().columns
    print("\n".join(folded(line, width) for line in text.split("\n")))


def folded(line: str, width: int) -> str:
    """A line wrapped between words; a numbered sentence continues below its first word."""
    start = _NUMBERED.match(line)
    indent = " " * (start.end() if start else 0)
    if len(line) <= width or len(indent) * 2 > width:
        return line
    return fill(line, width, subsequent_indent=indent, break_long_words=False,
                break_on_hyphens=False, drop_whitespace=True)  # fmt: skip


_NUMBERED = re.compile(r"\s*\d+ ")


def answer(session: Session, line: str, say: Callable[[str], None]) -> Response | None:
    """Perform a line and print the result."""
    try:
        reply = session.perform(line)
    except FabulaError as error:
        say(str(error))
        return None
    if reply.told:
        say(session.reports.numbered(session.sentences, reply.told))
    if reply.text:
        say(reply.text)
    return reply


def welcome(session: Session) -> str:
    """The greeting."""
    reports, world = session.reports, session.world
    lines = [
        " ".join(part for part in (f"{world.title or world.id}.", world.about) if part),
        reports.say("places", ", ".join(world.places)),
        reports.say("persons", ", ".join(world.people)),
    ]
    if world.things:
        lines.append(reports.say("objects", ", ".join(world.things)))
    lines.append(reports.say("be", session.actor) if session.actor else "")
    someone, *_ = world.people
    somewhere = next(iter(world.ways[world.people[someone].at]), world.people[someone].at)
    lines.append(reports.say("begin", someone.lower(), somewhere))
    return "\n".join(line for line in lines if line) + "\n"
