"""The pages about how it is called: commands, harnesses, Python; made from the code."""

from __future__ import annotations

import ast
import inspect
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from docs.source import ROOT, field_notes, opening, prose, section, table

import fabula
from fabula.integrations import EXTRAS

# --- commands ---------------------------------------------------------------------------------


def command_page() -> str:
    """Every command with its options, from the help texts."""
    from typer.main import get_command

    from fabula.cli import app

    root: Any = get_command(app)
    parts = ["# Command line", opening(root.help), section("README.md", "The command line")]
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
    """What the module of each harness says of itself, with the command that installs it."""
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
    parts = ["# Python", prose(fabula.__doc__)]
    for name in fabula.__all__:
        thing = getattr(fabula, name)
        if inspect.isfunction(thing):
            parts += _function(f"fabula.{name}", thing)
    parts += _function("fabula.prompting.prompt.prompt", prompt.prompt)
    parts += _function("fabula.prompting.prompt.reply", prompt.reply)
    parts += _record("fabula.Instance", fabula.Instance)
    parts += _methods(fabula.Instance)
    parts += _record("fabula.scoring.Score", score.Score)
    parts.append("The five outcomes: [In other harnesses](harnesses.md).")
    parts += ["## Errors", *_errors()]
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
    rows = [[f"`{key}`", notes.get(key, "")] for key in cls.__annotations__]
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
