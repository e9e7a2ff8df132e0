"""The available languages, and the code for each.

A language is either one that worlds tell in directly (a folder with a file per world, such as
`en`), or one that is translated from another: then its folder has a `language.toml` that says so,
and a file of phrases per world. One folder may have several codes, for several spellings.

The provenance of a record says what is needed to read it: the language, the cipher (which with the
seed determines its table), and which letter stands for which name in the symbolic form.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

from fabula.errors import RecipeError, hint
from fabula.language.cipher import CIPHERS, cipher
from fabula.language.conventions import patterns
from fabula.language.grammar import folders, language_file
from fabula.language.lexicon import Lexicon, speller
from fabula.language.phrasebook import FREE, PhraseBook
from fabula.language.symbols import LETTER, Lettered
from fabula.language.tongue import Ciphered, Tongue, Translated

ABOUT = "language.toml"
WORDS = "words"


class Entry(NamedTuple):
    """One language that is translated from another."""

    code: str
    folder: str
    name: str
    source: str
    """The language it is translated from."""
    cipher: str = ""
    """The default cipher, if the recipe names none."""
    letters: bool = False
    """Whether names are replaced by letters, in the order of mention."""
    spelling: str = ""
    """The spelling table in its file of words; empty: as its files are written."""
    script: str = ""
    """The characters that the table respells, as a regular expression."""
    capitals: bool = False
    """Whether a sentence begins with a capital."""
    latin: bool = True


@cache
def catalogue() -> dict[str, Entry]:
    """The translated languages, by their codes."""
    found = {}
    for folder in resources.files("fabula.language").iterdir():
        if (folder / ABOUT).is_file():
            data = tomllib.loads((folder / ABOUT).read_text("utf-8"))
            common = {"folder": folder.name, "name": data["name"], "source": data["from"]}
            common |= {key: data[key] for key in ("cipher", "letters") if key in data}
            for code, more in data.get("codes", {folder.name: {}}).items():
                found[code] = Entry(code=code, **{**common, **more})
    return dict(sorted(found.items()))


@cache
def codes(world: str) -> tuple[str, ...]:
    """The languages available for a world, its own first."""
    own = {
        folder.name
        for place in folders()
        for folder in place.iterdir()
        if folder.is_dir() and _has(folder.name, world) and folder.name not in _folders()
    }
    others = [
        code
        for code, entry in catalogue().items()
        if entry.source in own and (entry.cipher or _has(entry.folder, world))
    ]
    return (*sorted(own), *others)


def _folders() -> set[str]:
    return {entry.folder for entry in catalogue().values()}


def _has(folder: str, world: str) -> bool:
    return _is_file(folder, world) or (
        bool(world) and any((place / folder / world).is_dir() for place in folders())
    )


def _is_file(folder: str, world: str) -> bool:
    return any((place / folder / f"{world}.toml").is_file() for place in folders())


def native(code: str, world: str) -> str:
    """The world's own language that a language is translated from, or that language itself."""
    if code not in codes(world):
        raise RecipeError(
            f"no language '{code}' for the world '{world}'.{hint(code, codes(world))}"
        )
    entry = catalogue().get(code)
    return entry.source if entry else code


def check(world: str, code: str, kind: str) -> None:
    """Raise ValueError if a world is not available in this language and cipher."""
    try:
        native(code, world)
    except RecipeError as error:
        raise ValueError(f"language: {error}") from None
    if kind and kind not in CIPHERS:
        raise ValueError(f"cipher: unknown '{kind}'.{hint(kind, CIPHERS)}")
    entry = catalogue().get(code)
    if kind and entry and not entry.latin:
        near = [c for c, e in catalogue().items() if e.folder == entry.folder and e.latin]
        raise ValueError(f"cipher: only Latin script can be enciphered.{hint(code, near)}")


@cache
def phrase_book(code: str, world: str) -> PhraseBook:
    """The phrase book of a language for a world."""
    entry = catalogue()[code]
    words, phrases = (language_file(entry.folder, part) for part in (WORDS, world))
    if entry.letters:  # conventions are stated in words, with letters for names
        stated = patterns(entry.source, world).values()
        phrases["sentences"] |= {text: text for text in stated}
    words["words"] = {**words["words"], **phrases.get("words", {})}
    spell = speller(words[entry.spelling], entry.script) if entry.spelling else str
    return PhraseBook(
        code,
        phrases,
        Lexicon(words, spell),
        language_file(entry.source, world) if _is_file(entry.source, world) else {},
        entry.capitals,
        LETTER if entry.letters else FREE,
        entry.source,
    )


def tongue_for(
    world: str,
    code: str,
    kind: str = "",
    seed: int = 0,
    pronouns: Mapping[str, str] | None = None,
    letters: Mapping[str, str] | None = None,
) -> Tongue | None:
    """The tongue of a language with a cipher, or None if it is the world's own without one.

    `pronouns` gives the gender of names that the language does not know; `letters` gives the names
    behind the letters of a story in symbolic form.
    """
    native(code, world)
    entry = catalogue().get(code)
    inner: Tongue | None = None
    if entry is not None and not entry.cipher:
        book = phrase_book(code, world)
        inner = Lettered(book, world, letters) if entry.letters else Translated(book, pronouns)
    kind = kind or (entry.cipher if entry else "")
    return Ciphered(cipher(kind, seed), inner, code) if kind else inner


def tongue_of(world: str, provenance: Mapping[str, Any]) -> Tongue | None:
    """The tongue of a record, from its provenance."""
    return tongue_for(
        world,
        str(provenance.get("language", "en")),
        str(provenance.get("cipher", "")),
        int(provenance.get("seed", 0)),
        letters=provenance.get("letters"),
    )
