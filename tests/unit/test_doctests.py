"""The examples in docstrings run as they stand."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import fabula

ROOT = Path(fabula.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `fabula` imported, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(
        import_module(name),
        extraglobs={"fabula": fabula},
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE,
    )
    assert found.attempted, "the module has examples, but none that doctest finds"
    assert not found.failed


def test_the_public_api_has_examples() -> None:
    assert {"fabula", "fabula.api", "fabula.datasets.dataset", "fabula.datasets.writing"} <= set(
        MODULES
    )
