"""Models behind an API, by Inspect AI's model layer: its providers, retries, limits and cache.

Nothing of a client is written here: Inspect AI knows the providers (openai/…, anthropic/…,
openai-api/SERVICE/MODEL for any compatible endpoint, mockllm/model for tests), keeps to their rate
limits and tries again; keys come from the environment as it documents.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from queue import SimpleQueue
from threading import Thread
from typing import Any

from fabula.errors import FabulaError
from fabula.evaluate.model import Ask, Reply, Usage
from fabula.harness import need
from fabula.instance import Instance

CUT_OFF = ("max_tokens", "model_length")
TRIES = 5


class InspectModel:
    """Any model that Inspect AI can ask; several questions at a time."""

    def __init__(self, name: str, ask: Ask, **settings: Any) -> None:
        need("inspect_ai")
        from inspect_ai.model import GenerateConfig, get_model

        config = GenerateConfig(
            max_tokens=ask.tokens,
            max_connections=ask.concurrency,
            max_retries=TRIES,
            temperature=0.0,
        )
        try:
            self.model = get_model(name, config=config, memoize=False, **settings)
        except Exception as error:
            raise FabulaError(f"{name}: {_line(error)}") from None
        self.name = name
        self.ask = ask
        self.spent = 0

    def about(self) -> dict[str, Any]:
        """The model as Inspect AI names it."""
        return {"kind": "inspect", "model": str(self.model), "temperature": 0.0}

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """Replies in the order in which they come, while others are on their way."""
        if self.ask.budget is not None and self.spent >= self.ask.budget:
            raise FabulaError(
                f"{self.name}: {self.spent:,} tokens are spent, the budget is {self.ask.budget:,}. "
                "What was answered is kept; the same command with another --budget goes on."
            )
        came: SimpleQueue[tuple[int, Reply] | BaseException | None] = SimpleQueue()
        loop = asyncio.new_event_loop()
        worker = Thread(target=self._work, args=(loop, asked, came), daemon=True)
        worker.start()
        try:
            while (found := came.get()) is not None:
                if isinstance(found, BaseException):
                    raise FabulaError(f"{self.name}: {_line(found)}") from found
                usage = found[1].usage
                self.spent += usage.input_tokens + usage.output_tokens
                yield found
        finally:  # stopped by whoever asked: nothing more is sent
            if worker.is_alive():
                loop.call_soon_threadsafe(_cancel, loop)
            worker.join()

    def _work(
        self,
        loop: asyncio.AbstractEventLoop,
        asked: Sequence[tuple[Instance, str]],
        came: SimpleQueue[tuple[int, Reply] | BaseException | None],
    ) -> None:
        try:
            loop.run_until_complete(self._all(asked, came))
        except asyncio.CancelledError:
            pass
        except Exception as error:
            came.put(error)
        finally:
            loop.close()
            came.put(None)

    async def _all(
        self,
        asked: Sequence[tuple[Instance, str]],
        came: SimpleQueue[tuple[int, Reply] | BaseException | None],
    ) -> None:
        gate = asyncio.Semaphore(self.ask.concurrency)

        async def one(at: int, prompt: str) -> None:
            async with gate:
                came.put((at, await self._reply(prompt)))

        await asyncio.gather(*(one(at, prompt) for at, (_, prompt) in enumerate(asked)))

    async def _reply(self, prompt: str) -> Reply:
        try:
            output = await self.model.generate(prompt, cache=self.ask.cache)
        except asyncio.CancelledError:
            raise
        except Exception as error:
            return Reply("", error=_line(error))
        if output.error:
            return Reply("", error=str(output.error))
        used = output.usage
        usage = Usage() if used is None else Usage(
            used.input_tokens, used.output_tokens, getattr(used, "total_cost", None) or 0.0
        )  # fmt: skip
        return Reply(output.completion, output.stop_reason in CUT_OFF, usage)


def _cancel(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _line(error: BaseException) -> str:
    """What an error says, in one line."""
    said = " ".join(str(error).split()) or type(error).__name__
    return said if len(said) < 400 else f"{said[:400]} …"
