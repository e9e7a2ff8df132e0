"""Reference pages generated from the code: command line, Python API, records, harnesses."""

from __future__ import annotations

import ast
import inspect
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cached_property
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
    """Every command with its options, in the groups of the help texts."""
    from typer.main import get_command

    from fabula.cli import app

    root: Any = get_command(app)
    groups: dict[str, list[str]] = {}
    for panel, path, command in _commands("fabula", root):
        groups.setdefault(panel, []).extend([f"### {path}", *_command(path, command)])
    parts = ["# Command line", opening(root.help), COMMANDS]
    for panel, sections in groups.items():
        parts += [f"## {panel}", *sections]
    return "\n\n".join(parts)


def _commands(path: str, command: Any, panel: str = "") -> Iterator[tuple[str, str, Any]]:
    inner = getattr(command, "commands", None)
    panel = _panel(command) or panel or "Commands"
    if inner is None:
        yield panel, path, command
        return
    for name, one in inner.items():
        if not one.hidden:
            yield from _commands(f"{path} {name}", one, panel if path != "fabula" else "")


def _panel(thing: Any) -> str:
    """The group that a command or option is in, if it is in one."""
    panel = getattr(thing, "rich_help_panel", None)
    return panel if isinstance(panel, str) else ""


def _command(path: str, command: Any) -> Iterator[str]:
    said, _, examples = inspect.cleandoc(command.help or "").partition("Examples:\n")
    yield re.sub(r"\[bold\](.*?)\[/bold\]", r"`\1`", said.strip())
    shown = re.findall(r"\[bold\](.*?)\[/bold\]", examples)
    if shown:
        yield "\n".join(["```console", *(f"$ {line}" for line in shown), "```"])
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [one for one in command.params if one.param_type_name == "option"]
    words = " ".join(_metavar(one) if one.required else f"[{_metavar(one)}]" for one in arguments)
    yield f"```text\n{path} {words} [OPTIONS]\n```".replace("  ", " ")
    if arguments:
        rows = [[f"`{_metavar(one)}`", "", one.help or ""] for one in arguments]
        yield table(["Arguments", "", "meaning"], rows)
    panels: dict[str, list[list[str]]] = {}
    for one in options:
        if one.hidden:
            continue
        value = "" if one.is_flag else f" {_metavar(one)}"
        name = max(one.opts, key=len)
        rows = panels.setdefault(_panel(one) or "Options", [])
        rows.append([f"`{name}{value}`", _usual(one), one.help or ""])
    for panel, rows in panels.items():
        yield table([panel, "default", "meaning"], rows)


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


GROUPS = {
    "Make data": (
        "Dataset", "instance", "generate", "write", "rewrite",
        "recipes", "load", "Recipe", "worlds", "formats",
    ),
    "Check data": ("verify", "read", "stats", "baselines", "leak", "diff", "audit"),
    "Evaluate": ("prompt", "score", "evaluate", "Evaluation", "report"),
    "Train": ("models", "train"),
    "More": (),
}  # fmt: skip
"""The public names in the order of the page; those that are not here come last, under More."""


def python_page() -> str:
    """The public functions and classes, from their signatures and docstrings."""
    grouped = {name for names in GROUPS.values() for name in names}
    others = [
        name
        for name in fabula.__all__
        if name not in grouped and not name.startswith("__") and not name.endswith("Error")
    ]
    parts = ["# Python", prose(fabula.__doc__)]
    for title, names in GROUPS.items():
        shown = [*names, *(sorted(others) if title == "More" else ())]
        if title == "More":
            shown = [one for one in shown if one != "Instance"]
        if shown:
            parts.append(f"## {title}")
        for name in shown:
            thing = getattr(fabula, name)
            parts += _class(name, thing) if isinstance(thing, type) else _function(name, thing)
    parts += [
        "## Records",
        "### fabula.Instance",
        "One question about one story, with its proof. [The fields](records.md).",
        *_methods(fabula.Instance),
        *_record("fabula.scoring.Score", import_module("fabula.scoring").Score, level=3),
        "The outcomes: [Evaluate in other harnesses](harnesses.md#outcomes).",
        "## Errors",
        *_errors(),
    ]
    return "\n\n".join(parts)


def _class(name: str, cls: type) -> list[str]:
    parts = [f"### fabula.{name}"]
    start = vars(cls).get("__init__")
    if inspect.isfunction(start) and not hasattr(cls, "model_fields"):
        parts.append(_signature(f"fabula.{name}", start))
    parts.append(prose(cls.__doc__))
    if inspect.isfunction(start) and start.__doc__ and not hasattr(cls, "model_fields"):
        parts.append(prose(start.__doc__))
    if hasattr(cls, "model_fields"):
        parts.append("Its fields are the [keys of a recipe](keys.md).")
    elif hasattr(cls, "__dataclass_fields__"):
        notes = field_notes(cls)
        rows = [[f"`{key}`", notes.get(key, "")] for key in cls.__annotations__ if key[0] != "_"]
        parts.append(table(["field", "content"], rows))
    if not hasattr(cls, "model_fields"):
        parts += _methods(cls)
    return parts


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
    full = f"fabula.{name}"
    return [f"### {full}", _signature(full, function), prose(function.__doc__)]


def _signature(name: str, function: Any) -> str:
    """The call as code, over several lines if it is long."""
    signature = inspect.signature(function)
    arguments = []
    for one in signature.parameters.values():
        if one.name == "self":
            continue
        if one.kind is one.KEYWORD_ONLY and "*" not in arguments:
            arguments.append("*")
        arguments.append(_argument(one))
    returns = signature.return_annotation
    end = "" if returns in (None, "None", signature.empty) else f" -> {returns}"
    line = f"{name}({', '.join(arguments)}){end}"
    if len(line) > 88:
        inner = "".join(f"    {one},\n" for one in arguments)
        line = f"{name}(\n{inner}){end}"
    return f"```python\n{line}\n```"


def _argument(parameter: inspect.Parameter) -> str:
    stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
    stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else stars
    usual = "..." if repr(parameter.default).startswith("<") else repr(parameter.default)
    default = "" if parameter.default is parameter.empty else f" = {usual}"
    kind = re.sub(r" \| _\w+", "", str(parameter.annotation))
    return f"{stars}{parameter.name}: {kind}{default}"


def _record(name: str, cls: type, level: int = 2) -> list[str]:
    notes = field_notes(cls)
    rows = [[f"`{key}`", notes.get(key, OBVIOUS.get(key, ""))] for key in cls.__annotations__]
    return [f"{'#' * level} {name}", prose(cls.__doc__), table(["field", "content"], rows)]


def _methods(cls: type) -> list[str]:
    """The public methods and properties of a class, one row each."""
    rows = []
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property | cached_property):
            got = member.fget if isinstance(member, property) else member.func
            rows.append([f"`{name}`", opening(got.__doc__ if got else "")])
            continue
        function = getattr(member, "__func__", member)
        if inspect.isfunction(function):
            names = [one for one in inspect.signature(function).parameters if one != "self"]
            rows.append([f"`{name}({', '.join(names)})`", opening(function.__doc__)])
    return [table(["method or property", "what it gives"], rows)] if rows else []


def _errors() -> list[str]:
    errors = import_module("fabula.errors")
    rows = [
        [f"`{name}`", opening(thing.__doc__)]
        for name, thing in vars(errors).items()
        if isinstance(thing, type) and issubclass(thing, errors.FabulaError)
    ]
    return [prose(errors.__doc__), table(["error", "meaning"], rows)]
