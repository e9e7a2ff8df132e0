"""Models behind an API, through Inspect AI's model layer: its providers, retries, limits and cache.

There is no client code here: Inspect AI knows the providers (openai/…, anthropic/…,
openai-api/SERVICE/MODEL for any compatible endpoint, mockllm/model for tests), respects their rate
limits and retries; keys come from the environment as it documents.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from math import ceil
from queue import SimpleQueue
from threading import Thread
from typing import Any

from fabula.core.instance import Instance
from fabula.core.registry import need
from fabula.errors import FabulaError
from fabula.evaluation.model import Ask, Reply, Usage

CUT_OFF = ("max_tokens", "model_length")
TRIES = 5


class InspectModel:
    """Any model that Inspect AI supports, with concurrent requests."""

    def __init__(self, name: str, ask: Ask, **settings: Any) -> None:
        need("inspect_ai", "inspect")
        if ask.cost is not None and not ask.price:
            raise FabulaError(
                f"--cost: the price of {name} is unknown; set it with --price, in dollars per "
                "million tokens of prompts and of replies, e.g. --price 0.5,1.5"
            )
        from inspect_ai.model import GenerateConfig, get_model

        config = GenerateConfig(
            max_tokens=ask.tokens,
            max_connections=ask.concurrency,
            max_retries=TRIES,
            temperature=0.0,
            timeout=None if ask.timeout is None else ceil(ask.timeout),
        )
        try:
            self.model = get_model(name, config=config, memoize=False, **settings)
        except Exception as error:
            raise FabulaError(f"{name}: {_line(error)}") from None
        self.name = name
        self.ask = ask
        self.spent = Usage()
        if ask.price:
            self._put_price(*ask.price)

    def _put_price(self, read: float, written: float) -> None:
        from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

        price = ModelCost(input=read, output=written, input_cache_write=read, input_cache_read=read)
        known = get_model_info(str(self.model)) or ModelInfo()
        set_model_info(str(self.model), known.model_copy(update={"cost": price}))

    def about(self) -> dict[str, Any]:
        """The model as Inspect AI names it."""
        return {"kind": "inspect", "model": str(self.model), "temperature": 0.0}

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """Replies in the order of arrival, with other requests in flight."""
        came: SimpleQueue[tuple[int, Reply] | BaseException | None] = SimpleQueue()
        loop = asyncio.new_event_loop()
        worker = Thread(target=self._work, args=(loop, asked, came), daemon=True)
        worker.start()
        left = len(asked)
        try:
            while (found := came.get()) is not None:
                if isinstance(found, BaseException):
                    raise FabulaError(f"{self.name}: {_line(found)}") from found
                left -= 1
                yield found
            if left:
                raise FabulaError(f"{self.name}: {self._over()}")
        finally:  # stopped by the caller: send nothing more
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
                if self._over():  # requests in flight still complete, but nothing more is sent
                    return
                said = await self._reply(prompt)
                self.spent = self.spent.plus(said.usage)
                came.put((at, said))

        await asyncio.gather(*(one(at, prompt) for at, (_, prompt) in enumerate(asked)))

    def _over(self) -> str:
        """The limit that is reached, if any."""
        tokens, ask = self.spent.input_tokens + self.spent.output_tokens, self.ask
        kept = "Replies so far are kept; the same command"
        if ask.budget is not None and tokens >= ask.budget:
            return (
                f"{tokens:,} tokens are spent; the budget is {ask.budget:,}. {kept} resumes with "
                "the same budget again."
            )
        if ask.cost is not None and self.spent.cost >= ask.cost:
            return (
                f"${self.spent.cost:,.4f} are spent; the limit is ${ask.cost:,.4f}. {kept} "
                "resumes with the same limit again."
            )
        return ""

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
    """The message of an error in one line, without terminal codes."""
    plain = re.sub(r"\[/?(?:bold|italic|blue|red|dim)\]", "", str(error))
    said = " ".join(plain.split()) or type(error).__name__
    return said if len(said) < 400 else f"{said[:400]} …"
