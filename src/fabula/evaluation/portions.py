"""Questions that are chosen by the replies so far: asked in portions, and never twice.

Shared by the probe and by adaptive evaluation. Both choose the next questions from the replies so
far, by a rule that depends on nothing else; so a resumed run makes the same choices, and reads the
replies it has from disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fabula.core.instance import Instance
from fabula.evaluation.guesses import right_guesses
from fabula.evaluation.model import Usage
from fabula.evaluation.run import REPLIES, Session, baselines_of, read_run

CONTEXT = 60
"""Number of instances that baselines such as `majority` see in addition to those asked."""


class Portions:
    """Asks instances of a run as they are chosen."""

    def __init__(
        self,
        session: Session,
        context: Sequence[Instance],
        report: Callable[[int, int], None] = lambda asked, right: None,
    ) -> None:
        self.session = session
        self.asked: dict[str, Instance] = {}
        """The answered instances by id, in the order in which they were chosen."""
        self.used = Usage()
        """The usage of their replies, whenever they arrived."""
        self._context, self._report = list(context[:CONTEXT]), report
        self._guessed: dict[str, Sequence[str]] = {}
        self._before = _usage(session.folder)

    def ask(self, chosen: Sequence[Instance]) -> list[bool | None]:
        """Whether the reply to each instance is right; None if there is none."""
        guessed = right_guesses([*self._context, *chosen])[len(self._context) :]
        self._guessed |= dict(zip((each.id for each in chosen), guessed, strict=True))
        done, spent = self.session.done, self.session.used
        missing = [each for each in chosen if each.id not in done]
        known = [each for each in chosen if each.id in done]
        for each in known:
            self.used = self.used.plus(self._before.get(each.id, Usage()))
        self._report(len(known), sum(done[each.id] == "correct" for each in known))
        if missing:
            self.session.ask(missing, self._guessed, self._report)
            again = [each for each in missing if each.id not in done]
            if again:  # a failed request gets a second chance
                try:
                    self.session.ask(again, self._guessed, self._report)
                except Exception:
                    if len(again) == len(missing):
                        raise
            now = self.session.used
            self.used = self.used.plus(
                Usage(
                    now.input_tokens - spent.input_tokens,
                    now.output_tokens - spent.output_tokens,
                    now.cost - spent.cost,
                )
            )
        for each in chosen:
            if each.id in done:
                self.asked[each.id] = each
        return [done[each.id] == "correct" if each.id in done else None for each in chosen]

    def finish(self, more: dict[str, Any]) -> dict[str, Any]:
        """Write the manifest of the run, and return it."""
        asked = list(self.asked.values())
        baselines = baselines_of(asked, self._guessed)
        count = len(self.session.done)
        return self.session.finish({"instances": count, "baselines": baselines, **more})


def _usage(folder: Path) -> dict[str, Usage]:
    """The usage of each reply that a run already has."""
    if not (folder / REPLIES).is_file():
        return {}
    return {said["id"]: Usage(**said["usage"]) for said in read_run(folder)}
