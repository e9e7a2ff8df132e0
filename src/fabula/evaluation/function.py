"""A Python function as a model: prompts (or instances) in, replies out, one at a time or batched.

    def answer(prompt: str) -> str                              one prompt at a time
    def answer(prompts: list[str]) -> list[str]                 batches of prompts
    def answer(instance: fabula.Instance) -> str                one instance at a time
    def answer(instances: list[fabula.Instance]) -> list[str]   batches of instances

The annotation of the parameter decides; without one, its name does (`prompts`, `instance`,
`instances`). Anything else gets a prompt. `concurrency` sets the batch size.

Promises:
1. Every reply is passed on as soon as the function returns it, so a later error loses nothing.
2. If a function raises, takes longer than `timeout`, or returns something other than replies, the
   error names the function, the instance and what it should have returned.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from traceback import extract_tb
from typing import Any

from fabula.core.files import hashed
from fabula.core.instance import Instance
from fabula.core.soundness import shown
from fabula.errors import FabulaError, MissingFileError, UsageError, hint
from fabula.evaluation.model import Ask, Model, Reply

BATCHES = re.compile(r"\b(?:[Ll]ist|[Ss]equence|[Ii]terable|[Cc]ollection|[Tt]uple)\b")
UNTYPED = ("Any", "typing.Any", "object")
KEPT = "Replies so far are kept; fix the function and run the evaluation again to resume."


class Function:
    """Any function from prompts or instances to replies."""

    def __init__(self, function: Callable[..., Any], ask: Ask, name: str = "") -> None:
        self.function = function
        self.name = name or _name_of(function)
        self.batch = ask.concurrency
        self.timeout = ask.timeout
        self.instances, self.batched = _takes(function, self.name)

    def about(self) -> dict[str, Any]:
        """The name of the function and its file."""
        takes = "instance" if self.instances else "prompt"
        found: dict[str, Any] = {
            "kind": "function", "function": self.name, "takes": takes + "s" * self.batched
        }  # fmt: skip
        with suppress(TypeError, OSError):
            file = Path(inspect.getfile(inspect.unwrap(self.function)))
            found |= {"file": str(file), "sha256": hashed(file)}
        return found

    def replies(self, asked: Sequence[tuple[Instance, str]]) -> Iterator[tuple[int, Reply]]:
        """The replies, in order."""
        size = self.batch if self.batched else 1
        for start in range(0, len(asked), size):
            part = asked[start : start + size]
            given = [found if self.instances else prompt for found, prompt in part]
            at = part[0][0].id
            if self.batched:
                yield from enumerate(self._of_batch(given, at), start)
            else:
                yield start, self._checked(self._call(given[0], at), at)

    def _of_batch(self, given: list[Any], at: str) -> Iterator[Reply]:
        """The replies to a batch that begins with the instance `at`."""
        said = self._call(given, at)
        wanted = f"a list of {len(given)} replies, one for each item of the batch"
        if said is None or isinstance(said, (str, bytes, Reply)) or not isinstance(said, Iterable):
            raise self._wrong(f"returned {_kind(said)} for a batch; return {wanted}", at)
        if isinstance(said, Sequence) and len(said) != len(given):
            raise self._wrong(f"returned {len(said)} replies; return {wanted}", at)
        count = 0
        replies = iter(said)
        while True:
            try:
                each = next(replies)
            except StopIteration:
                break
            except Exception as error:
                raise self._raised(error, at) from error
            count += 1
            if count > len(given):
                break
            yield self._checked(each, at)
        if count != len(given):
            more = " or more" if count > len(given) else ""
            raise self._wrong(f"returned {count} replies{more}; return {wanted}", at)

    def _call(self, given: Any, at: str) -> Any:
        try:
            return self.function(given) if self.timeout is None else self._in_time(given, at)
        except FabulaError:
            raise
        except Exception as error:
            raise self._raised(error, at) from error

    def _in_time(self, given: Any, at: str) -> Any:
        """Call the function in a thread of its own, which is left behind if it takes too long."""
        ended: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

        def call() -> None:
            try:
                ended.put((self.function(given), None))
            except BaseException as error:
                ended.put((None, error))

        Thread(target=call, daemon=True).start()
        try:
            said, error = ended.get(timeout=self.timeout)
        except Empty:
            raise self._wrong(
                f"did not return within {self.timeout:g} seconds; make it faster or raise the "
                "timeout", at
            ) from None  # fmt: skip
        if error is not None:
            raise error
        return said

    def _checked(self, said: Any, at: str) -> Reply:
        if isinstance(said, Reply):
            return said
        if isinstance(said, str):
            return Reply(said.encode(errors="replace").decode())  # lone surrogates cannot be stored
        if inspect.isawaitable(said):
            if inspect.iscoroutine(said):
                said.close()
            remedy = "wrap an async function in one that calls asyncio.run"
        elif isinstance(said, (list, tuple)) and not self.batched:
            name = "instances" if self.instances else "prompts"
            remedy = f"return a str, or name the parameter '{name}' to be called with batches"
        else:
            remedy = "return the reply as a str ('' if there is none)"
        raise self._wrong(f"returned {_kind(said)}; {remedy}", at)

    def _wrong(self, what: str, at: str) -> FabulaError:
        return FabulaError(f"model {self.name} {what} (instance {at}). {KEPT}")

    def _raised(self, error: Exception, at: str) -> FabulaError:
        what = f"{type(error).__name__}: {error}".rstrip(": .")
        where = f"{_place(error)}instance {at}"
        return FabulaError(f"model {self.name} raised {what} ({where}). {KEPT}")


def from_file(text: str, ask: Ask) -> Model:
    """The model that FILE.py:FUNCTION names: a function, or a class with the methods of `Model`."""
    found = object_at(text)
    name = f"{Path(text.rpartition(':')[0]).name}:{text.rpartition(':')[2]}"
    return model_of(found() if isinstance(found, type) else found, ask, name)


def object_at(text: str) -> Any:
    """The function or class that FILE.py:NAME names."""
    file, colon, name = text.rpartition(":")
    path = Path(file)
    if not colon or not name or path.suffix != ".py":
        raise UsageError(f"py:{text}: write py:FILE.py:FUNCTION, e.g. py:my_model.py:answer")
    if not path.is_file():
        raise MissingFileError(f"{file}: no such file (in py:{text}).")
    module = _loaded(path)
    found = getattr(module, name, None)
    if found is None:
        own = [
            each
            for each, value in vars(module).items()
            if callable(value) and getattr(value, "__module__", "") == module.__name__
        ]
        raise UsageError(f"{file}: no function '{name}'.{hint(name, own)}")
    return found


def model_of(given: Any, ask: Ask, name: str = "") -> Model:
    """A model object as it is, or any function as a model."""
    if callable(getattr(given, "replies", None)) and callable(getattr(given, "about", None)):
        model: Model = given
        return model
    if callable(given):
        return Function(given, ask, name)
    raise UsageError(
        f"{name or 'model'}: {_kind(given)} is not a model. Give a name (a run folder, hf:…, "
        "PROVIDER/MODEL, py:FILE.py:FUNCTION), a function, or an object with the methods of "
        "fabula.evaluation.model.Model."
    )


def _loaded(path: Path) -> Any:
    """The module in a file, which may import its neighbours."""
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = spec_from_file_location(f"fabula_model_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses and pickle look modules up
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        place = _place(error).removesuffix(", ")
        raise FabulaError(f"{path}: cannot be imported: {what} ({place or path.name}).") from error
    return module


def _takes(function: Callable[..., Any], name: str) -> tuple[bool, bool]:
    """Whether a function takes instances, and whether it takes batches."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some builtins have no signature
        return False, False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = [p for p in parameters if p.default is p.empty and p.kind != p.VAR_KEYWORD]
    needed = [p for p in needed if p.kind != p.VAR_POSITIONAL]
    several = len(needed) > 1 or any(p.kind == p.KEYWORD_ONLY for p in needed)
    if several or not (positional or any(p.kind == p.VAR_POSITIONAL for p in parameters)):
        takes = ", ".join(p.name for p in parameters) or "no arguments"
        raise UsageError(
            f"model {name} takes {takes}; it must take one argument: a prompt, an instance, or a "
            "list of either."
        )
    first = (positional or parameters)[0]
    said = first.annotation
    text = said if isinstance(said, str) else inspect.formatannotation(said)
    if said is not first.empty and text not in UNTYPED:
        return "Instance" in text, bool(BATCHES.search(text))
    return first.name in ("instance", "instances"), first.name in ("prompts", "instances")


def _name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return "lambda" if "<lambda>" in name else str(name).replace(".<locals>", "")


def _kind(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {shown(value)}"


def _place(error: Exception) -> str:
    """Where an error was raised: the innermost line outside this module."""
    for frame in reversed(extract_tb(error.__traceback__)):
        if Path(frame.filename) != Path(__file__) and "importlib" not in frame.filename:
            return f"{Path(frame.filename).name}, line {frame.lineno}, "
    return ""
