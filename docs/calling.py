"""Reference pages generated from the code: command line, Python API, records, harnesses."""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from docs.source import ROOT, field_notes, opening, prose, table

import fabula
from fabula.integrations import EXTRAS

# --- commands ---------------------------------------------------------------------------------


COMMANDS = """All commands but `play` take `--json`, for output that programs read. User errors
print one line that says what is wrong, where, and how to fix it, and exit with code 2.

Recipes, data sets and runs from others are safe to open: they run no code, and nothing outside the
folders you name is read or written. Records are checked as they are read."""


def command_page() -> str:
    """Every command with its options, from the help texts."""
    from typer.main import get_command

    from fabula.cli import app

    root: Any = get_command(app)
    parts = ["# Command line", opening(root.help), COMMANDS]
    for path, command in _commands("fabula", root):
        parts += [f"## {path}", *_command(path, command)]
    return "\n\n".join(parts)


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, one in inner.items():
        if not one.hidden:
            yield from _commands(f"{path} {name}", one)


def _command(path: str, command: Any) -> Iterator[str]:
    said, _, examples = inspect.cleandoc(command.help or "").partition("Examples:\n")
    yield re.sub(r"\[bold\](.*?)\[/bold\]", r"`\1`", said.strip())
    shown = re.findall(r"\[bold\](.*?)\[/bold\]", examples)
    if shown:
        yield "\n".join(["```console", *(f"$ {line}" for line in shown), "```"])
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    words = " ".join(_metavar(one) if one.required else f"[{_metavar(one)}]" for one in arguments)
    yield f"```console\n$ {path} {words} [OPTIONS]\n```".replace("  ", " ")
    rows = [[f"`{_metavar(one)}`", "", one.help or ""] for one in arguments]
    for one in options:
        value = "" if one.is_flag else f" {_metavar(one)}"
        rows.append([f"`{max(one.opts, key=len)}{value}`", _usual(one), one.help or ""])
    if rows:
        yield table(["option", "default", "meaning"], rows)


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _usual(option: Any) -> str:
    if option.required:
        return "required"
    if isinstance(option.show_default, str):
        return str(option.show_default)
    if option.default is None or option.default is False or callable(option.default):
        return ""
    return f"`{option.default}`"


# --- harnesses --------------------------------------------------------------------------------


def harness_sections() -> str:
    """The docstring of each adapter, with the command that installs it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    parts = []
    for package, extra in EXTRAS.items():
        module = ROOT / "src" / "fabula" / "integrations" / f"{package}.py"
        if not module.is_file():
            continue
        said = inspect.cleandoc(_docstring(module))
        head, _, rest = said.partition("\n\n")
        title, _, claim = " ".join(head.split()).partition(":")
        parts += [
            f"## {title}",
            f"{claim.strip()[:1].upper()}{claim.strip()[1:]}",
            f"```sh\npip install 'fabula[{extra}]'  # {', '.join(extras[extra])}\n```",
            rest,
        ]
    return "\n\n".join(parts)


def _docstring(file: Path) -> str:
    """Of a module that is not imported: what it needs may be missing."""
    return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""


# --- Python -----------------------------------------------------------------------------------


def python_page() -> str:
    """The public functions and records, from their signatures and docstrings."""
    prompt, score = import_module("fabula.prompting.prompt"), import_module("fabula.scoring")
    api = [(name, getattr(fabula, name)) for name in fabula.__all__]
    parts = ["# Python", prose(fabula.__doc__)]
    for name, thing in api:
        if inspect.isfunction(thing):
            parts += _function(f"fabula.{name}", thing)
    parts += _function("fabula.prompting.prompt.reply", prompt.reply)
    parts += ["## fabula.Dataset", prose(fabula.Dataset.__doc__), *_methods(fabula.Dataset)]
    parts += ["## fabula.Instance", "The record; its fields: [Records](records.md)."]
    parts += _methods(fabula.Instance)
    parts += _record("fabula.scoring.Score", score.Score)
    parts.append("The five outcomes: [In other harnesses](harnesses.md).")
    parts += ["## Errors", *_errors()]
    return "\n\n".join(parts)


FEATURES = {
    "sentences": "sentences of the story, conventions not counted",
    "support_size": "sentences of the support",
    "supports": "number of minimal supports",
    "hops": "links of the proof: events, stated relations and denials; a sentence can hold several",
    "recency": "sentences between the question and the latest sentence of the support",
    "reach": "sentences between the question and the earliest sentence of the support",
    "distractors": "sentences outside the support",
    "related_distractors": "distractors that name someone or something the question names",
    "conventions": "the conventions that the answer relies on",
}
"""Features that records of every world can have."""

OBVIOUS = {"question": "The question."}
"""Fields that need no line in the code."""

ROLES = "`support`, `distractor`, `convention`, or a kind of noise"


def record_page() -> str:
    """The fields of a record, with an example."""
    one = fabula.instance("babi/qa2", "test", 417, seed=7)
    example = ",\n".join(
        f'  "{name}": {json.dumps(getattr(one, name), ensure_ascii=False)}'
        for name in fabula.Instance.__annotations__
    )
    parts = [
        "# Records",
        "An instance is one line of JSON, with the same fields for every world. In Parquet the "
        "fields are columns.",
        *_record("Fields", fabula.Instance)[2:],
        "## An example",
        f"```json\n{{\n{example}\n}}\n```",
        "## Features",
        "Features are measured on the instance, not copied from the recipe. A world can add more.",
        table(["feature", "meaning"], [[f"`{key}`", note] for key, note in FEATURES.items()]),
        "## Roles",
        f"The role of a sentence is {ROLES}. A sentence that states several links has the role of "
        "the link closest to the proof.",
        "## Provenance",
        "Recipe and digest, dialect, world, language, conventions and where they are stated, "
        "version, seed, split and index; `changes` made to the recipe and the `file` of a recipe "
        "of your own, if any. Together they are enough to generate the record again.",
    ]
    return "\n\n".join(parts)


def _function(name: str, function: Any) -> list[str]:
    signature = inspect.signature(function)
    arguments = [_argument(one) for one in signature.parameters.values()]
    line = f"{name}({', '.join(arguments)}) -> {signature.return_annotation}"
    if len(line) > 88:
        inner = "".join(f"    {one},\n" for one in arguments)
        line = f"{name}(\n{inner}) -> {signature.return_annotation}"
    return [f"## {name}", f"```python\n{line}\n```", prose(function.__doc__)]


def _argument(parameter: inspect.Parameter) -> str:
    stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}: {parameter.annotation}{default}"


def _record(name: str, cls: type) -> list[str]:
    notes = field_notes(cls)
    rows = [[f"`{key}`", notes.get(key, OBVIOUS.get(key, ""))] for key in cls.__annotations__]
    return [f"## {name}", prose(cls.__doc__), table(["field", "content"], rows)]


def _methods(cls: type) -> list[str]:
    rows = []
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith("_"):
            rows.append([f"`{name}`", opening(function.__doc__)])
    return [table(["method", "what it gives"], rows)]


def _errors() -> list[str]:
    errors = import_module("fabula.errors")
    rows = [
        [f"`{name}`", opening(thing.__doc__)]
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, errors.FabulaError)
    ]
    return [prose(errors.__doc__), table(["error", "meaning"], rows)]
