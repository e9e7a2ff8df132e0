"""Look-ups on chains of relations: what they know, and where they are reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import orjson
from tests.kinship_stories import shipped
from typer.testing import CliRunner

from fabula.cli import app
from fabula.core.instance import Instance
from fabula.datasets.lookups import LOOKUPS, chain_of, lookups
from fabula.generation.author import instance


def made(number: int, chain: list[str], answer: str) -> Instance:
    """A record with this chain and answer."""
    some = shipped("clutrr/gen-23", "test", 1)[0]
    edges = [[n, word, n + 1, "support"] for n, word in enumerate(chain)]
    edges.append([0, "uncle", 9, "irrelevant"])
    features = {**some.features, "edges": edges}
    return replace(some, id=f"x:test:{number}", answer=(answer,), features=features)


def test_chains_are_those_of_the_proof() -> None:
    assert chain_of(made(0, ["mother", "brother"], "uncle")) == ("parent", "sibling")
    assert chain_of(instance("actors/mix", "test")) is None
    assert lookups([instance("actors/mix", "test")]) == []


def test_look_ups_know_what_they_say() -> None:
    # the ends tell nothing, the bag all; genders do not count
    records = []
    for n in range(200):
        middle = ("mother", "father")[n % 2] if n % 4 < 2 else ("sister", "brother")[n % 2]
        answer = ("uncle", "aunt")[n % 2] if n % 4 < 2 else ("nephew", "niece")[n % 2]
        records.append(made(n, ["son", middle, "wife"], answer))
    ((split, hops, (ends, bag)),) = lookups(records)
    assert (split, hops, ends.total, bag.total) == ("test", 3, 200, 200)
    assert [ends.name, bag.name] == list(LOOKUPS)
    assert bag.accuracy == 1
    assert 0.3 < ends.accuracy < 0.6


def test_a_label_is_never_looked_up_in_itself() -> None:
    words = ("son", "mother", "wife", "brother", "uncle", "nephew", "grandson", "grandmother")
    records = [made(n, [word, word, word], word) for n, word in enumerate(words)]
    ((_, _, scores),) = lookups(records)
    assert [score.right for score in scores] == [0, 0]


def test_they_are_reported_by_command_and_card(tmp_path: Path) -> None:
    out = tmp_path / "gen"
    run = CliRunner().invoke
    size = "train=60,test=90"
    done = run(app, ["generate", "clutrr/gen-23", "--out", str(out), "--size", size])
    assert done.exit_code == 0, done.output
    told = orjson.loads(run(app, ["baselines", str(out), "--json"]).stdout)
    lengths = [(row["split"], row["hops"]) for row in told["chains"]]
    assert sorted(lengths) == sorted(
        [("train", 2), ("train", 3), *(("test", k) for k in range(2, 11))]
    )
    assert all(0 <= row[name] <= 1 for row in told["chains"] for name in LOOKUPS)
    shown = run(app, ["baselines", str(out)]).stdout
    assert "test, chains of 10: look-ups" in shown
    card = (out / "README.md").read_text(encoding="utf-8")
    assert (
        "| split | relations in the chain | questions | ends of the chain | bag of relations |"
        in card
    )
    for line in (
        "- held out: 25% of the clauses (chains of relations, whatever the genders)",
        "They never come in train, neither as the chain nor as a detour",
        "test has nothing else for k = 3.",
        "- held out: a fifth of the scenes and settings.",
        "- not held out: forms of mentioning a relative.",
        "- held out: names; every split has its own.",
    ):
        assert line in card
    plain = tmp_path / "qa1"
    run(app, ["generate", "babi/qa1", "--out", str(plain), "--size", "20"])
    assert "chain" not in (plain / "README.md").read_text(encoding="utf-8")
    assert "chains" not in orjson.loads(run(app, ["baselines", str(plain), "--json"]).stdout)
