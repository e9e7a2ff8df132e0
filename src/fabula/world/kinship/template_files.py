"""Template files: a user's own sentences about kin, with slots for people and their meaning.

    [[template]]
    text = "{girl} wrote to {man}, the brother of her mother, about the flood."
    facts = [["girl", "uncle", "man"]]     # {man} is {girl}'s uncle
    genders = { girl = "female" }          # disclosed by other words of the text: 'her'

The same in the layout of CLUTRR's placeholder files, in JSON:

    {"uncle": {"female-male": ["ENT_0_female wrote to ENT_1_male, the brother of her mother."]}}

templates.py checks the meaning of a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from fabula.core.files import parse_json, parse_toml
from fabula.errors import ParseError, hint
from fabula.recipe.model import Strict
from fabula.world.kinship.algebra import OPTIONS, vocabulary


class Template(Strict):
    """One text with its meaning."""

    text: str
    facts: tuple[tuple[str, str, str], ...]
    """(first, word, second): the second is the first's word; people by their slots."""
    genders: dict[str, Literal["male", "female"]] = {}
    """Genders that the text discloses in addition to those of the kin words."""
    says: tuple[str, ...] = ()
    """Kin words in the text that are not about its facts."""
    place: str = Field("template", exclude=True)
    """Its place in the file, for error messages."""

    @field_validator("facts", mode="before")
    @classmethod
    def _one_fact(cls, facts: Any) -> Any:
        """A single fact may be given without the outer brackets."""
        alone = isinstance(facts, list | tuple) and facts and all(isinstance(f, str) for f in facts)
        return [facts] if alone else facts

    @property
    def slots(self) -> list[str]:
        """The slots in order of mention, repeated as often as they are mentioned."""
        return re.findall(r"\{(\w+)\}", self.text)

    def parts(self) -> list[str]:
        """The text around the slots."""
        return re.split(r"\{\w+\}", self.text)


def load_templates(path: str) -> list[Template]:
    """The templates in a file: our TOML, or JSON in CLUTRR's layout; raises ValueError
    otherwise.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ValueError(f"there is no file '{path}'.") from None
    except (OSError, ValueError) as error:
        raise ValueError(f"'{path}' cannot be read: {error}.") from None
    entries = _from_json(text, file.name) if file.suffix == ".json" else _from_toml(text, file.name)
    found = []
    for place, entry in entries:
        try:
            found.append(Template.model_validate({**entry, "place": place}))
        except ValidationError as error:
            raise ValueError(f"{place}: {_problem(error)}") from None
    if not found:
        raise ValueError(f"'{path}' has no templates; each begins with [[template]].")
    return found


def _problem(error: ValidationError) -> str:
    problem = error.errors()[0]
    key = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"unknown key '{key}'.{hint(key, ('text', 'facts', 'genders', 'says'))}"
    if key.startswith("facts"):
        return 'facts: each is ["first", "kin", "second"], such as ["girl", "uncle", "man"].'
    if problem["type"] == "missing":
        return f"the key '{key}' is missing."
    return f"{key}: {problem['msg']} (given: {problem.get('input')!r})."


def _from_toml(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        data = parse_toml(text, name)
    except ParseError as error:
        raise ValueError(str(error)) from None
    entries = data.pop("template", [])
    for key in data:
        raise ValueError(f"{name}: unknown key '{key}'.{hint(key, ['template'])}")
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ValueError(f"{name}: each template begins with [[template]].")
    heads = [
        number
        for number, line in enumerate(text.splitlines(), 1)
        if re.match(r"\s*\[\[\s*template\s*\]\]", line)
    ]
    for n, entry in enumerate(entries):
        line = f", line {heads[n]}" if len(heads) == len(entries) else ""
        yield f"{name}{line} (template {n + 1})", entry


def _from_json(text: str, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        data = parse_json(text.encode(), name)
    except ParseError as error:
        raise ValueError(str(error)) from None
    known = vocabulary(frozenset(OPTIONS)).words
    one = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    if not isinstance(data, dict):
        raise ValueError(f'{name}: the file must look like {{"uncle": {{"female-male": ["…"]}}}}.')
    for clause, by_genders in data.items():
        if not re.fullmatch(rf"(?:{one})(?:-(?:{one}))*", clause):
            remedy = hint(clause, known)
            raise ValueError(f"{name}, '{clause}': not a list of kin words joined by '-'.{remedy}")
        words = re.findall(rf"(?:{one})(?=-|$)", clause)
        for signature, texts in by_genders.items() if isinstance(by_genders, dict) else [("", 0)]:
            genders, place = signature.split("-"), f"{name}, '{clause}', '{signature}'"
            if len(genders) != len(words) + 1 or not isinstance(texts, list):
                raise ValueError(f"{place}: needs {len(words) + 1} genders and a list of texts.")
            for n, text in enumerate(texts, 1):
                yield f"{place}, text {n}", _placed(f"{place}, text {n}", str(text), words, genders)


def _placed(place: str, text: str, words: list[str], genders: list[str]) -> dict[str, Any]:
    """A text with placeholders as one of our templates."""
    for number, gender in re.findall(r"\bENT_(\d+)_(\w+?)\b", text):
        if int(number) > len(words) or gender != genders[int(number)]:
            raise ValueError(f"{place}: ENT_{number}_{gender} contradicts the genders above.")
    return {
        "text": re.sub(r"\bENT_(\d+)_(?:fe)?male\b", r"{p\1}", text),
        "facts": [(f"p{i}", word, f"p{i + 1}") for i, word in enumerate(words)],
        "genders": {f"p{i}": gender for i, gender in enumerate(genders)},
    }
