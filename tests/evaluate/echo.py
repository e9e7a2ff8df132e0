"""A model for tests: it knows the answers, is wrong as often as told, and keeps a list of what it
was asked; also a program, to be killed.

python -m tests.evaluate.echo RUN LIST SIZE SECONDS
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import fabula
from fabula.core.instance import Instance
from fabula.evaluation.model import Reply
from fabula.evaluation.run import evaluate
from fabula.prompting.prompt import reply


class Echo:
    """Right but for every n-th question."""

    def __init__(self, asked: Path | None = None, wrong: int = 0, seconds: float = 0) -> None:
        self.name = f"echo-{wrong}"
        self.asked, self.wrong, self.seconds = asked, wrong, seconds

    def about(self) -> dict[str, Any]:
        return {"kind": "test"}

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        for at, (instance, prompt) in enumerate(asked):
            assert instance.question in prompt
            time.sleep(self.seconds)
            index = int(instance.provenance["index"])
            right = not self.wrong or index % self.wrong
            yield at, Reply(reply(instance) if right else self._wrong(instance))
            if self.asked:  # only when the next is asked for has this one been written
                with self.asked.open("a") as file:
                    file.write(f"{instance.id}\n")

    def _wrong(self, instance: Instance) -> str:
        others = [word for word in instance.choices or () if word not in instance.answer]
        return f"Answer: {others[0]}" if others else "I do not know."


if __name__ == "__main__":
    run, kept, size, seconds = sys.argv[1:]
    evaluate(
        Echo(Path(kept), 3, float(seconds)),
        list(fabula.generate("babi/qa1", "test", 7, int(size))),
        Path(run),
        source="babi/qa1 test",
    )
