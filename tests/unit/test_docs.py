"""The documentation covers all that is registered, and its examples run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from docs import calling, examples, reference
from docs.build import filled
from docs.source import BuildError, section, terminal
from pydantic import BaseModel

import fabula
from fabula.cli import app
from fabula.datasets.formats import FORMATS
from fabula.recipe.cells import Cell, Compositional, Decoys, HeldOut
from fabula.recipe.loading import build, recipe_ids
from fabula.recipe.model import Recipe, Split
from fabula.world import WORLDS
from fabula.world.actors.events import EVENTS, TELLINGS
from fabula.world.actors.questions import KINDS

DOCS = Path(reference.__file__).parent
WRITTEN = {file.name: file.read_text(encoding="utf-8") for file in (DOCS / "pages").glob("*.md")}
MADE = {"formats.md", "cli.md", "python.md", "changelog.md", "keys.md", "records.md"}


@pytest.fixture(scope="module")
def recipes() -> dict[str, str]:
    return reference.recipe_pages()


def test_every_recipe_has_its_story_and_its_source(recipes: dict[str, str]) -> None:
    for name in recipe_ids():
        page = recipes[f"recipes/{name.partition('/')[0]}.md"]
        assert f"$ fabula show {name} " in page
        assert f'??? note "The recipe {name}"' in page
        assert f"#{name.replace('/', '-')})" in recipes["recipes/index.md"]


@pytest.fixture(scope="module")
def worlds() -> dict[str, str]:
    return reference.world_pages()


def test_every_world_has_its_page(worlds: dict[str, str]) -> None:
    for name, world in WORLDS.items():
        assert world.about.strip().partition("\n")[0] in worlds[f"worlds/{name}.md"]
        assert f"({name}.md)" in worlds["worlds/index.md"]


def keys_on(page: str) -> dict[str, str]:
    """The keys in the tables of a page, by their last part, and what is said about them."""
    rows = re.findall(r"^\| `([\w.]+)` \| [^|]*\| (.*) \|$", page, re.MULTILINE)
    return {key.rpartition(".")[2]: note.strip() for key, note in rows}


@pytest.mark.parametrize("part", [Recipe, Cell, Split, Decoys, Compositional, HeldOut])
def test_every_key_of_recipes_is_explained(part: type[BaseModel]) -> None:
    explained = keys_on(reference.key_page())
    assert not [key for key in part.model_fields if not explained.get(key)]


def test_every_key_of_every_world_is_explained(worlds: dict[str, str]) -> None:
    general = keys_on(reference.key_page().partition("## Keys of actors")[0])
    for name, world in WORLDS.items():
        section = reference.key_page().partition(f"{{ #{name} }}")[2].partition("\n## ")[0]
        explained = {**general, **keys_on(section)}
        assert f"../keys.md#{name}" in worlds[f"worlds/{name}.md"]
        models: list[type[BaseModel]] = [world.recipe]
        while models:
            model = models.pop()
            for key, field in model.model_fields.items():
                assert explained.get(key), f"{name}: {key}"
                inner = reference._table_in(field)
                models += [inner] if inner and inner not in reference.SEPARATE else []


def test_every_word_of_the_actor_world_is_explained(worlds: dict[str, str]) -> None:
    named = set(re.findall(r"`([\w-]+)`", worlds["worlds/actors.md"]))
    assert not {*EVENTS, *TELLINGS, *KINDS} - named


def test_every_format_and_world_is_in_the_reference() -> None:
    assert set(fabula.formats()) == set(FORMATS)
    assert set(fabula.worlds()) == set(WORLDS)


@pytest.mark.parametrize("name", sorted(WRITTEN))
def test_every_example_on_a_page_runs(name: str, tmp_path: Path) -> None:
    assert re.match(r"(---\n.*?\n---\n\n)?# ", filled(WRITTEN[name], tmp_path), re.DOTALL)


def test_the_recipe_on_its_page_does_what_the_page_says() -> None:
    source, *_ = re.findall(r"```toml\n(.*?)```", WRITTEN["recipe.md"], re.DOTALL)
    recipe = build({"id": "rooms", **tomllib.loads(source)})
    made = list(fabula.generate(recipe, "test", size=4))
    assert [one.features["support_size"] for one in made] == [2, 3, 2, 3]


def test_every_page_is_in_the_navigation() -> None:
    text = (DOCS / "mkdocs.yml").read_text(encoding="utf-8")
    assert yaml.safe_load(text)["nav"]
    assert not {*WRITTEN, *MADE} - set(re.findall(r"[\w-]+\.md", text))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("```sh\nfabula shwo babi/qa2\n```", "shwo"),
        ("```sh\nfabula show babi/qa2222\n```", "babi/qa2222"),
        ("<!-- not run: slow -->\n```sh\nfabula show babi/qa2 --indx 3\n```", "--indx"),
        ("```sh\nmake tset\n```", "no target 'tset'"),
        ("```sh\npip install 'fabula[trian]'\n```", "no such extra"),
        ("```sh\npip install examples/clock\n```", "examples/clock"),
        ("```sh\nrm -rf data\n```", "cannot be checked"),
        ("```python\n>>> 1 + undefined\n3\n```", "undefined"),
        ("```python\nimport fabulous\n```", "fabulous"),
        ("<!-- nto run: slow -->\n```sh\nfabula list\n```", "nto run"),
        ("<!-- nothing: of the kind -->", "nothing"),
        ("<!-- source: src/nothing.py -->", "src/nothing.py"),
    ],
)
def test_examples_that_are_wrong_end_the_build(page: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=re.escape(said)):
        filled(page, tmp_path)


def test_shown_output_is_replaced_by_what_is_printed(tmp_path: Path) -> None:
    page = "```console\n$ fabula show babi/qa1 --index 3\nsomething else\n\n…\n```"
    now = examples.page(page, tmp_path, lambda *_: "")
    assert now == "```console\n$ fabula show babi/qa1 --index 3\nbabi/qa1:train:3\n\n…\n```"


def test_shown_values_are_replaced_by_what_is_printed(tmp_path: Path) -> None:
    page = "```python\n>>> for n in range(2):\n...     print(n)\n7\n>>> 1 + 1  # two\n3\n```"
    now = examples.page(page, tmp_path, lambda *_: "")
    assert now == (
        "```python\n>>> for n in range(2):\n...     print(n)\n0\n1\n>>> 1 + 1  # two\n2\n```"
    )


def test_every_command_and_option_is_there() -> None:
    page = calling.command_page()
    names = {command.name or command.callback.__name__ for command in app.registered_commands}  # type: ignore[union-attr]
    assert all(f"## fabula {name}\n" in page for name in names)
    assert {"--workers N", "--json", "--set KEY=VALUE"} <= set(re.findall(r"`([^`\n]+)`", page))


def test_every_public_name_is_there() -> None:
    page = calling.python_page()
    public = [name for name in fabula.__all__ if not name.startswith("__")]
    missing = [
        name
        for name in public
        if f"### fabula.{name}\n" not in page and f"| `{name}` |" not in page  # an error
    ]
    assert not missing
    assert " object at 0x" not in page
    records = calling.record_page()
    for field in fabula.Instance.__annotations__:
        assert re.search(rf"^\| `{field}` \| \S", records, re.MULTILINE), field


def test_every_harness_is_there_with_its_bounds() -> None:
    page = calling.harness_sections()
    for extra in ("inspect", "lm-eval", "reasoning-gym", "verifiers"):
        assert re.search(rf"pip install 'fabula\[{extra}\]'  # [\w-]+>=\d", page)


def test_sections_that_pages_show_exist() -> None:
    for text in WRITTEN.values():
        for title in re.findall(r"<!-- contributing: (.*?) -->", text):
            assert section("CONTRIBUTING.md", title)
    with pytest.raises(BuildError, match="no section 'Nothing of the kind'"):
        section("README.md", "Nothing of the kind")


def test_the_support_stands_out() -> None:
    block = terminal("fabula show", ["  1 John left.", "* 2 Mary left.", "* 3 She ran."])
    assert block.startswith('```console hl_lines="3 4"\n$ fabula show\n')
