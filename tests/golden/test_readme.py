"""The README: short, complete, and true. Every example in it runs and prints what is shown."""

from __future__ import annotations

import re
from pathlib import Path

from docs import story
from docs.build import filled

from fabula.recipe.loading import recipe_ids

PATH = Path(__file__).parent.parent.parent / "README.md"
README = PATH.read_text(encoding="utf-8")


def test_its_examples_print_what_it_shows(refresh: bool, tmp_path: Path) -> None:
    now = filled(story.told(README), tmp_path)
    if refresh:
        PATH.write_text(now, encoding="utf-8")
        return
    assert now == README, "run `make golden` and read the difference"


def test_its_story_is_explained() -> None:
    text = PATH.read_text(encoding="utf-8")
    proof = re.findall(r"^\* +(\d+) ", text, re.MULTILINE)
    explanation = text.partition("The asterisks mark the proof.")[2].partition("\n\n")[0]
    assert re.findall(r"\((\d+)\)", explanation) == proof


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150


def test_every_family_of_recipes_is_named() -> None:
    named = set(re.findall(r"`([\w-]+)", README))
    assert not {name.partition("/")[0] for name in recipe_ids(plugins=False)} - named


def test_its_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)", README)
    assert len(targets) > 10
    missing = [one for one in targets if "://" not in one and not (PATH.parent / one).exists()]
    assert not missing
