"""The documentation has a place for everything there is, and its own links and pieces hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docs import calling, reference
from docs.source import BuildError, section, terminal

import fabula
from fabula.cli import app
from fabula.recipe.loading import recipe_ids
from fabula.world import WORLDS

DOCS = Path(reference.__file__).parent
WRITTEN = {file.name: file.read_text(encoding="utf-8") for file in (DOCS / "pages").glob("*.md")}
MADE = {"formats.md", "cli.md", "python.md", "changelog.md"}


@pytest.fixture(scope="module")
def recipes() -> dict[str, str]:
    return reference.recipe_pages()


def test_every_recipe_has_its_story_and_its_source(recipes: dict[str, str]) -> None:
    for name in recipe_ids():
        page = recipes[f"recipes/{name.partition('/')[0]}.md"]
        assert f"$ fabula show {name} " in page
        assert f'??? note "The recipe {name}"' in page
        assert f"#{name.replace('/', '-')})" in recipes["recipes/index.md"]


def test_every_world_has_its_page() -> None:
    pages = reference.world_pages()
    for name, world in WORLDS.items():
        assert world.about.strip().partition("\n")[0] in pages[f"worlds/{name}.md"]
        assert f"({name}.md)" in pages["worlds/index.md"]


def test_every_command_and_option_is_there() -> None:
    page = calling.command_page()
    names = {command.name or command.callback.__name__ for command in app.registered_commands}  # type: ignore[union-attr]
    assert all(f"## fabula {name}\n" in page for name in names)
    assert {"--workers N", "--json", "--set KEY=VALUE"} <= set(re.findall(r"`([^`\n]+)`", page))


def test_every_public_name_is_there() -> None:
    page = calling.python_page()
    assert all(f"## fabula.{name}\n" in page for name in ("generate", "instance", "score", "load"))
    assert all(f"| `{field}` |" in page for field in fabula.Instance.__annotations__)


def test_every_harness_is_there_with_its_bounds() -> None:
    page = calling.harness_sections()
    for extra in ("inspect", "lm-eval", "reasoning-gym", "verifiers"):
        assert re.search(rf"pip install 'fabula\[{extra}\]'  # [\w-]+>=\d", page)


def test_sections_that_pages_show_exist() -> None:
    for text in WRITTEN.values():
        for file, title in re.findall(r"<!-- (readme|contributing): (.*?) -->", text):
            name = {"readme": "README.md", "contributing": "CONTRIBUTING.md"}[file]
            assert section(name, title)
    with pytest.raises(BuildError, match="no section 'Nothing of the kind'"):
        section("README.md", "Nothing of the kind")


def test_links_between_pages_lead_somewhere(recipes: dict[str, str]) -> None:
    pages = {
        *WRITTEN,
        *MADE,
        *recipes,
        "worlds/index.md",
        *(f"worlds/{name}.md" for name in WORLDS),
    }
    for text in WRITTEN.values():
        targets = re.findall(r"\]\(([^)#]+\.md)", text)
        assert not set(targets) - pages


def test_the_support_stands_out() -> None:
    block = terminal("fabula show", ["  1 John left.", "* 2 Mary left.", "* 3 She ran."])
    assert block.startswith('```console hl_lines="3 4"\n$ fabula show\n')
