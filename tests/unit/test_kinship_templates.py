"""A user's own templates: loaded, checked, told, parsed back, verified."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from tests.kinship_stories import recipe

from fabula.analysis.verify import objections, verify
from fabula.datasets.engines import write
from fabula.errors import RecipeError
from fabula.generation.author import Author
from fabula.recipe.loading import load
from fabula.recipe.model import Recipe
from fabula.world.kinship.algebra import vocabulary
from fabula.world.kinship.cloze import anonymised

WORDS = vocabulary().words
TEXTS = (
    "{x} phoned {y}, the famous KIN.",
    "On Monday {x} met {y}, a proud KIN, at the harbour. {x} was late.",
)
UNCLE_AND_WIFE = """
[[template]]
text = "{girl} wrote to {man}, the brother of her mother. {lady}, married to {man}, answered."
facts = [["girl", "uncle", "man"], ["man", "wife", "lady"]]
genders = { girl = "female" }
"""


def entry(text: str, *facts: tuple[str, str, str], **genders: str) -> str:
    """A template as it is written in a file."""
    pairs = ", ".join(f"{slot} = {json.dumps(gender)}" for slot, gender in genders.items())
    return (
        f"[[template]]\ntext = {json.dumps(text)}\nfacts = {json.dumps(facts)}\n"
        f"genders = {{ {pairs} }}\n"
    )


def whole_file(*more: str, texts: tuple[str, ...] = TEXTS, words: tuple[str, ...] = WORDS) -> str:
    """Templates for all words, and more."""
    each = (entry(text.replace("KIN", word), ("x", word, "y")) for word in words for text in texts)
    return "\n".join(chain(each, more))


def with_templates(folder: Path, content: str, name: str = "mine.toml", **keys: Any) -> Recipe:
    (folder / name).write_text(content, encoding="utf-8")
    return recipe(telling="templates", templates=str(folder / name), **keys)


def test_stories_are_told_and_proven(tmp_path: Path) -> None:
    own = with_templates(
        tmp_path,
        whole_file(UNCLE_AND_WIFE),
        tasks=[{"k": 2}, {"k": 3, "noise": ["irrelevant"]}],
        splits={"train": 40},
    )
    records = list(Author(own, "train").instances(0, 40))
    for record in records:
        assert not objections(record), record.story
        assert not objections(anonymised(record)), record.story
        texts = [template["text"] for template in record.features["templates"]]
        assert len(texts) <= len(record.story)
    told = " ".join(unit for record in records for unit in record.story)
    assert "the famous" in told
    assert "On Monday" in told


def test_several_facts_in_one_template(tmp_path: Path) -> None:
    own = with_templates(
        tmp_path,
        whole_file(UNCLE_AND_WIFE),
        words=["by-marriage"],
        asks={"kin-by-marriage": 1},
        tasks=[{"k": 2}],
        targets=["aunt"],
    )
    records = list(Author(own, "train").instances(0, 60))
    joined = [r for r in records if any("brother of her mother" in unit for unit in r.story)]
    assert joined
    for record in joined:
        assert len(record.story) == 1
        assert {fact[0] for fact in record.facts[0]} == {"uncle", "wife", "female"}
        assert not objections(record), record.story


def test_a_data_set_is_verified_without_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "mine.toml").write_text(whole_file(), encoding="utf-8")
    (folder / "own.toml").write_text(
        'world = "kinship"\ntelling = "templates"\ntemplates = "mine.toml"\n[splits]\ntrain = 6\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)  # the file is found beside the recipe
    own = load(folder / "own.toml")
    out = tmp_path / "out"
    write(own, out, {"train": 6})
    (folder / "mine.toml").unlink()
    found = verify(out)
    assert (found.proven, found.failed) == (6, 0)
    # the recipe has taken in what the file said
    assert load(own).digest == own.digest
    assert "mine.toml" not in (out / "manifest.json").read_text(encoding="utf-8")


def test_the_digest_follows_the_templates(tmp_path: Path) -> None:
    one = with_templates(tmp_path, whole_file())
    same = with_templates(tmp_path, whole_file(), name="renamed.toml")
    other = with_templates(tmp_path, whole_file(UNCLE_AND_WIFE))
    assert one.digest == same.digest != other.digest


def test_a_record_with_other_templates_is_refused(tmp_path: Path) -> None:
    own = with_templates(tmp_path, whole_file(), tasks=[{"k": 2}])
    record = next(iter(Author(own, "train").instances(0, 1)))
    for wrong in (
        [],
        [{"text": "{x} met {y}.", "facts": [["x", "uncle", "y"]]}],
        [{"text": "{x} met {z}.", "facts": [["x", "uncle", "y"]]}],
        "nonsense",
    ):
        features = {**record.features, "templates": wrong}
        assert objections(replace(record, features=features))


def test_held_out_templates_are_never_seen(tmp_path: Path) -> None:
    own = with_templates(
        tmp_path,
        whole_file(),
        phrases="seen",
        split_overrides={"test": {"phrases": "held-out"}},
    )
    texts = [
        {
            template["text"]
            for record in Author(own, split).instances(0, 80)
            for template in record.features["templates"]
        }
        for split in ("train", "test")
    ]
    assert texts[0]
    assert texts[1]
    assert not texts[0] & texts[1]


def test_placeholder_files_as_clutrr_lays_them_out(tmp_path: Path) -> None:
    genders = {"male": ("male", "female"), "female": ("male", "female")}
    content: dict[str, dict[str, list[str]]] = {}
    for word in WORDS:
        gender = vocabulary().relation_of[word][1]
        for first in genders:
            if word not in ("husband", "wife") or first != gender:
                text = f"ENT_1_{gender} is the {word} whom ENT_0_{first} always talks about."
                content.setdefault(word, {})[f"{first}-{gender}"] = [text.replace("is", "was")]
    content["mother-son-in-law"] = {
        "female-female-male": ["ENT_0_female rang ENT_1_female, who sat with ENT_2_male."]
    }
    for word, by_genders in content.items():
        for first, texts in by_genders.items():
            if word != "mother-son-in-law":
                texts[0] = texts[0].replace("always", "always" if first[0] == "m" else "often")
    own = with_templates(tmp_path, json.dumps(content), name="mine.json")
    for record in Author(own, "train").instances(0, 30):
        assert not objections(record), record.story


BAD = [
    (entry("{x} likes {z}.", ("x", "uncle", "y")), "template 41.: {z} does not occur"),
    (entry("{x} likes.", ("x", "uncle", "y")), "mention 'y', but the text does not"),
    (entry("{x} likes {y}.", ("x", "unkle", "y")), "unknown kin 'unkle'. Did you mean 'uncle'"),
    (entry("{x} likes his aunt {y}.", ("x", "aunt", "y")), "says 'his', but nobody is male"),
    (entry("{x} likes uncle {y}.", ("x", "aunt", "y"), y="male"), "both male and female"),
    (entry("{x} and {y} agree.", ("x", "wife", "y"), x="female"), "married and both"),
    (entry("{x} had uncle {y}.", ("x", "aunt", "y")), "says 'uncle', but {y} is female"),
    (entry("{y} and niece {x} sang.", ("x", "uncle", "y")), 'add genders = { x = "female" }'),
    (entry("{x} phoned {y}, the famous nephew.", ("x", "nephew", "y")), "apart from mine.toml"),
    (entry("{x}{y} sing.", ("x", "nephew", "y")), "does not parse back"),
    (entry("Hugo saw {x} and {y}.", ("x", "nephew", "y")), "'Hugo' is one of the names"),
    (entry("{x} saw {y}.", ("x", "cousin", "y")), "the gender of {x} is not stated"),
    (entry("{x} saw {y", ("x", "uncle", "y")), "a slot is a word in braces"),
    (entry("{x} saw {y}", ("x", "uncle", "y")), "full stop"),
    (entry("{x} saw {y} and {z}.", ("x", "uncle", "y"), ("x", "aunt", "z"), ("y", "wife", "z")),
     "must form a path"),
    (entry("{x} saw {x}.", ("x", "uncle", "x")), "their own uncle"),
    (entry("{y} is {x}'s uncle.", ("x", "nephew", "y")), "'uncle' implies that {x} is male"),
    (entry("{y} is {x}'s grandson.", ("x", "nephew", "y")), "'grandson', but the facts do"),
    (entry("{x} met his wife {y}.", ("x", "sister", "y"), x="male"),
     "says 'wife', but the facts do not .{y} is {x}'s sister."),
    (entry("{x} met her sisters {y} and {z}.", ("x", "niece", "y"), ("y", "daughter", "z"),
           x="female"), "says 'sister', but the facts do not"),
    (entry("{x}'s sister {z} met {y}, his wife.", ("x", "wife", "y"), ("y", "sister", "z"),
           x="male"), "calls {z} {x}'s sister, but the facts do not"),
    (entry("{x} met {y}, like a sister.", ("x", "wife", "y")), "add says = ..sister"),
    (entry("Sister of {x}, {y} sang.", ("x", "wife", "y")), "says 'sister', but the facts do not"),
    ('[[template]]\ntext = "{x} saw {y}."\nfacts = [["x", "aunt", "y"]]\nsays = ["ant"]\n',
     "says: unknown kin 'ant'. Did you mean 'aunt'"),
    ('[[template]]\ntext = "{y} is {x}\'s grandson."\nfacts = [["x", "nephew", "y"]]\n'
     'says = ["grandson"]\n', "also a built-in sentence"),
    (entry("{x} and {y} agree.", ("x", "husband", "y"), x="male"),
     "{x} and {y} are married and both male"),
    (entry("{x} and {y} agree.", ("x", "wife", "y"), x="female"),
     "{x} and {y} are married and both female"),
    ('[[template]]\ntext = "{x} saw {y}."\nfacts = [["x", "uncle"]]\n', "each is"),
    ("[[template]]\ntxt = 3\nfacts = []\n", "text' is missing"),
    ("[[templte]]\n", "unknown key 'templte'. Did you mean 'template'"),
    ("[[", "not valid TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("more", "message"), BAD)
def test_bad_templates(tmp_path: Path, more: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message.replace("{", r"\{")):
        with_templates(tmp_path, whole_file(more))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "the file must look like"),
        ("{", "not valid JSON"),
        ('{"unkle": {}}', "Did you mean 'uncle'"),
        ('{"uncle": []}', "2 genders and a list of texts"),
        ('{"uncle": {"male": ["ENT_0_male met ENT_1_male."]}}', "2 genders and a list of texts"),
        (
            '{"uncle": {"female-male": ["ENT_0_male met ENT_1_male."]}}',
            "text 1: ENT_0_male contradicts",
        ),
        (
            '{"uncle": {"female-male": ["ENT_2_male met ENT_1_male."]}}',
            "text 1: ENT_2_male contradicts",
        ),
        ('{"uncle": {"female-woman": ["ENT_0_female met Bob."]}}', "genders"),
        ('{"uncle": {"female-male": ["ENT_0_female met Bob."]}}', "the text does not"),
    ],
)
def test_bad_placeholder_files(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        with_templates(tmp_path, content, name="mine.json")


def test_what_is_not_covered_is_named(tmp_path: Path) -> None:
    some = tuple(word for word in WORDS if word != "aunt")
    with pytest.raises(RecipeError, match="none states the aunt of a male person"):
        with_templates(tmp_path, whole_file(words=some))
    with pytest.raises(RecipeError, match=r"none held out states .* Add one more"):
        with_templates(tmp_path, whole_file(texts=TEXTS[:1]), phrases="held-out")
    with pytest.raises(RecipeError, match="states the cousin"):
        with_templates(tmp_path, whole_file(), words=["cousin"])


def test_templates_and_their_telling_go_together(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match='telling = "templates"'):
        recipe(telling="templates")
    (tmp_path / "mine.toml").write_text(whole_file(), encoding="utf-8")
    with pytest.raises(RecipeError, match='telling = "templates"'):
        recipe(templates=str(tmp_path / "mine.toml"))
    with pytest.raises(RecipeError, match="there is no file"):
        recipe(telling="templates", templates="nowhere.toml")


@pytest.mark.parametrize(
    "more",
    [
        UNCLE_AND_WIFE,
        entry("{x} met {y}, the brother of her mother.", ("x", "uncle", "y"), x="female"),
        entry("{x} met {y}, her husband's father.", ("x", "father-in-law", "y"), x="female"),
        entry("{y} met his nephew {x}.", ("x", "uncle", "y"), x="male"),
        '[[template]]\ntext = "{x} met {y}, his wife, and nobody\'s sister."\n'
        'facts = [["x", "wife", "y"]]\nsays = ["sister"]\n',
    ],
)
def test_kin_words_that_spell_the_facts_out_are_accepted(tmp_path: Path, more: str) -> None:
    with_templates(tmp_path, whole_file(more))


def test_several_records_are_read_side_by_side(tmp_path: Path) -> None:
    from fabula.world.kinship import KINSHIP

    own = with_templates(tmp_path, whole_file(), tasks=[{"k": 2}], group=1)
    records = list(Author(own, "train").instances(0, 4))
    codes = [KINSHIP.idiom("en", record.features) for record in records]
    assert len(set(codes)) == 4
    for code, record in zip(codes, records, strict=True):
        assert tuple(KINSHIP.read(code, record.story).facts()) == record.facts
