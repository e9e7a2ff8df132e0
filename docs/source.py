"""Material for pages: sections of Markdown files, terminal sessions, docstrings.

A section or file that does not exist ends the build with its name.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

LINKS = {
    "GALLERY.md": "recipes/index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "README.md": "index.md",
}
"""Where files of the repository are found on the site."""


class BuildError(Exception):
    """A page that cannot be made."""


# --- sections of Markdown files ---------------------------------------------------------------


def section(file: str, title: str, level: int = 2) -> str:
    """The body of a section of a Markdown file, its own headings moved to `level` and below."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    heads = {
        n: match for n, line in _outside_code(lines) if (match := re.match(r"(#+) (.*)", line))
    }
    start = next((n for n, match in heads.items() if match[2].strip() == title), None)
    if start is None:
        raise BuildError(f"{file} has no section '{title}'; a page includes it.")
    depth = len(heads[start][1])
    ends = [n for n, match in heads.items() if n > start and len(match[1]) <= depth]
    end = ends[0] if ends else len(lines)
    moved = [
        "#" * (level + len(heads[n][1]) - depth - 1) + f" {heads[n][2]}" if n in heads else lines[n]
        for n in range(start + 1, end)
    ]
    return relinked("\n".join(moved).strip())


def _outside_code(lines: list[str]) -> list[tuple[int, str]]:
    fenced, kept = False, []
    for n, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            kept.append((n, line))
    return kept


def relinked(text: str) -> str:
    """Links to files of the repository, as links to pages; to those with no page, as words."""

    def there(match: re.Match[str]) -> str:
        words, target = match.groups()
        if "://" in target or target.startswith("#"):
            return match[0]
        return f"[{words}]({LINKS[target]})" if target in LINKS else words

    return re.sub(r"\[([^\]\n]+)\]\(([^)\s]+)\)", there, text)


def source(file: str) -> str:
    """A file of the repository as a block of code."""
    path = ROOT / file
    if not path.is_file():
        raise BuildError(f"{file}: not in the repository; a page shows it.")
    language = {".py": "python", ".lp": "prolog"}.get(path.suffix, path.suffix[1:])
    return f'```{language} title="{file}"\n{path.read_text(encoding="utf-8").strip()}\n```'


def folded(title: str, content: str) -> str:
    """A block that opens when it is clicked."""
    inner = "\n".join(f"    {line}" if line else "" for line in content.splitlines())
    return f'??? note "{title}"\n\n{inner}'


# --- terminal sessions ------------------------------------------------------------------------


def terminal(command: str, printed: Iterable[str]) -> str:
    """A command and what it printed, as a block in which the sentences of a support stand out."""
    lines = [f"$ {command}", *printed]
    marked = " ".join(str(n) for n, line in enumerate(lines, 1) if line.startswith("*"))
    return "\n".join([f'```console hl_lines="{marked}"' if marked else "```console", *lines, "```"])


# --- docstrings -------------------------------------------------------------------------------


SECTIONS = {"Args": "Arguments", "Returns": "Returns", "Raises": "Raises", "Yields": "Yields"}
"""Headings inside docstrings, and what they are called on a page."""


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: sections as lists, examples after '>>>' as code."""
    blocks = re.split(r"\n\n", inspect.cleandoc(docstring or ""))
    return "\n\n".join(_paragraph(block) for block in blocks)


def _paragraph(block: str) -> str:
    if block.startswith(">>>"):
        return f"```pycon\n{block}\n```"
    head, _, rest = block.partition("\n")
    if head.rstrip(":") not in SECTIONS or not head.endswith(":"):
        return block
    lines = textwrap.dedent(rest).splitlines()
    entries: list[str] = []
    for line in lines:
        if line.startswith(" ") and entries:
            entries[-1] += f" {line.strip()}"
        else:
            entries.append(line)
    items = (re.sub(r"^(\*{0,2}\w+)( \([^)]*\))?: ", r"- `\1`: ", one) for one in entries)
    title = f"**{SECTIONS[head.rstrip(':')]}**"
    return "\n".join([title, "", *(one if one.startswith("- ") else f"- {one}" for one in items)])


def opening(docstring: str | None) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join(inspect.cleandoc(docstring or "").partition("\n\n")[0].split())


@cache
def field_notes(cls: type) -> dict[str, str]:
    """The note under each field of a class and of its bases."""
    notes: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.partition(".")[0] in ("builtins", "pydantic", "typing"):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        assert isinstance(tree, ast.ClassDef)
        for field, after in zip(tree.body, tree.body[1:], strict=False):
            match field, after:
                case (
                    ast.AnnAssign(target=ast.Name(id=name))
                    | ast.Assign(targets=[ast.Name(id=name)]),
                    ast.Expr(value=ast.Constant(value=str(note))),
                ):
                    notes[name] = " ".join(note.split())
    return notes


def table(head: list[str], rows: list[list[Any]]) -> str:
    """A Markdown table; a bar inside a cell does not end it."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in line) + " |"
        for line in lines
    )
