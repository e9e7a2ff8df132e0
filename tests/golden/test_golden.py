"""Five instances of every recipe in every dialect, byte for byte, so that a change shows in review.

A wanted change: `make golden`, look at the difference, and mark it **data** in the changelog.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from fabula import __version__, instance
from fabula.analysis.gallery import Variant, gallery, sample_split, variants

HERE = Path(__file__).parent
GALLERY = HERE.parent.parent / "GALLERY.md"
INDICES = (0, 1, 7, 19, 42)  # spread out: a story may have several questions
REMEDY = "if the change is wanted, run `make golden` and mark it as data in the changelog"


def golden(variant: Variant) -> Path:
    return HERE / f"{str(variant).replace('/', '-').replace(' ', '.')}.jsonl"


def written(variant: Variant) -> bytes:
    split = sample_split(variant)
    lines = [
        instance(variant.recipe, split, index, **variant.changes).to_json() + b"\n"
        for index in INDICES
    ]
    # a new version of the package alone is no change of the data
    return b"".join(lines).replace(f'"version":"{__version__}"'.encode(), b'"version":"*"')


@pytest.mark.parametrize("variant", variants(plugins=False), ids=str)
def test_golden(variant: Variant, refresh: bool) -> None:
    path, now = golden(variant), written(variant)
    if refresh:
        path.write_bytes(now)
    assert path.is_file(), f"{path.name} is missing; run `make golden`"
    for index, new, old in zip(
        INDICES, now.splitlines(), path.read_bytes().splitlines(), strict=True
    ):
        assert new == old, f"{variant}, instance {index}: {REMEDY}"


def test_no_golden_file_is_left_over(refresh: bool) -> None:
    stray = set(HERE.glob("*.jsonl")) - {golden(variant) for variant in variants(plugins=False)}
    if refresh:
        for path in stray:
            path.unlink()
        return
    assert not stray, "no recipe has these; run `make golden`"


def test_gallery_is_up_to_date(refresh: bool) -> None:
    now = gallery()
    if refresh:
        GALLERY.write_text(now, encoding="utf-8")
    assert GALLERY.read_text(encoding="utf-8") == now, REMEDY
