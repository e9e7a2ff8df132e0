"""Builds the documentation site:  python docs/build.py OUT

Hand-written pages are in docs/pages; in them

    <!-- readme: Title -->          is the section of the README with that title
    <!-- contributing: Title -->    the same of CONTRIBUTING.md
    <!-- run: fabula … -->          is a command with what it prints; all of a page share a folder
    <!-- run 12: fabula … -->       the same, cut after 12 lines
    <!-- toml: FILE -->             is the recipe of the README, which is also written to FILE
    <!-- python -->                 has the next block of Python run and its output shown
    <!-- harnesses -->              is what the module of each harness says of itself
    <!-- experiments -->            is what came of each experiment

All other pages are made by docs/reference.py and docs/calling.py. A warning of the site builder
ends the build.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from docs import calling, reference  # noqa: E402
from docs.source import (  # noqa: E402
    ROOT,
    BuildError,
    code_block,
    executed,
    relinked,
    section,
    shown,
)


def pages(folder: Path) -> dict[str, str]:
    """All pages of the site; commands are run in folders below `folder`."""
    made = {
        **reference.recipe_pages(),
        **reference.world_pages(),
        "formats.md": reference.format_page(_fresh(folder / "formats")),
        "cli.md": calling.command_page(),
        "python.md": calling.python_page(),
        "changelog.md": relinked((ROOT / "CHANGELOG.md").read_text(encoding="utf-8")),
    }
    for file in sorted((HERE / "pages").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        made[file.name] = filled(text, _fresh(folder / file.stem))
    return made


def _fresh(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def filled(text: str, folder: Path) -> str:
    """A hand-written page with what its comments ask for."""

    def fill(match: re.Match[str]) -> str:
        kind, number, argument = match[1], match[2], (match[3] or "").strip()
        if kind == "readme":
            return section("README.md", argument)
        if kind == "contributing":
            return section("CONTRIBUTING.md", argument)
        if kind == "run":
            return shown(argument, folder, int(number or 0))
        if kind == "toml":
            source = code_block("README.md", "toml")
            (folder / argument).write_text(source, encoding="utf-8")
            return f'```toml title="{argument}"\n{source}```'
        if kind == "harnesses":
            return calling.harness_sections()
        if kind == "experiments":
            return reference.experiment_sections()
        raise BuildError(f"<!-- {kind} -->: no such piece.")

    def run(match: re.Match[str]) -> str:
        return executed(match[1], folder)

    # in the order of the page: a command may need what one before it has written
    parts = re.split(r"(<!-- python -->\n+```python\n.*?```)", text, flags=re.DOTALL)
    for n, part in enumerate(parts):
        if part.startswith("<!-- python -->"):
            parts[n] = re.sub(r"<!-- python -->\n+```python\n(.*?)```", run, part, flags=re.DOTALL)
        else:
            parts[n] = re.sub(r"<!-- (\w+)(?: (\d+))?(?:: (.*?))? -->", fill, part)
    return "".join(parts)


def navigation(template: list[Any], made: dict[str, str]) -> list[Any]:
    """The navigation, with all pages of a folder where it names the folder."""
    nav: list[Any] = []
    for entry in template:
        ((title, target),) = entry.items()
        if isinstance(target, str) and target.endswith("/"):
            first = [f"{target}index.md"]
            rest = [path for path in made if path.startswith(target) and path not in first]
            nav.append({title: [*first, *rest]})
        else:
            nav.append(entry)
    return nav


def build(out: Path) -> None:
    """Write the site into a folder."""
    with tempfile.TemporaryDirectory() as work:
        site = Path(work)
        made = pages(site / "runs")
        for path, text in made.items():
            target = site / "docs" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text + "\n", encoding="utf-8")
        shutil.copytree(HERE / "assets", site / "docs" / "assets")
        config = yaml.safe_load((HERE / "mkdocs.yml").read_text(encoding="utf-8"))
        config["nav"] = navigation(config["nav"], made)
        (site / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False), "utf-8")
        builder = Path(sys.executable).with_name("zensical")
        done = subprocess.run([str(builder), "build", "--clean", "--strict"], cwd=site, check=False)
        if done.returncode:
            raise BuildError("the site builder found something to complain about; see above.")
        if out.exists() and any(out.iterdir()) and not (out / "index.html").is_file():
            raise BuildError(f"{out} is not empty and holds no site; name another folder.")
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(site / "site", out)
    print(f"{len(made)} pages in {out}; begin with {out / 'index.html'}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python docs/build.py OUT")
    try:
        build(Path(sys.argv[1]))
    except BuildError as error:
        sys.exit(f"error: {error}")
