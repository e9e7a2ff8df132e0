"""Bad input: mutated recipes, data files and command lines, drawn at random.

A case is a command line and the files it reads. Every shipped recipe, every file format and every
command that needs no trained model or network takes part.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cache
from importlib import resources
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import orjson

from fabula.analysis.rewrites import OPERATIONS
from fabula.cli.generate import FORMAT_NAMES
from fabula.datasets.formats import parquet
from fabula.recipe.loading import recipe_ids

GOLDEN = Path(__file__).parents[1] / "golden"


class Draw:
    """What a case is drawn with: one source of chance, so that no two cases are alike."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def number(self, low: int, high: int) -> int:
        """A number from low to high."""
        return self._random.randint(low, high)

    def one(self, items: Sequence[Any]) -> Any:
        """One of the items."""
        return self._random.choice(items)

    def text(self, most: int) -> str:
        """Some letters, of any script."""
        kinds = ((32, 126), (32, 126), (0, 31), (160, 0x24F), (0x900, 0x97F), (0x1F600, 0x1F640))
        return "".join(chr(self.number(*self.one(kinds))) for _ in range(self.number(0, most)))

    def word(self) -> str:
        """A word that nobody expects on a command line."""
        return str(self.one(HOSTILE_TEXT)) if self.number(0, 4) else self.text(8)

    def value(self) -> Any:
        """A value that nobody expects in a file."""
        how = self.number(0, 9)
        if how == 0:
            return self.number(-(10 ** self.number(1, 25)), 10 ** self.number(1, 25))
        if how == 1:
            return self._random.uniform(-10, 10)
        return self.text(12) if how == 2 else self.one(HOSTILE)


class Case(NamedTuple):
    """A command line, and the files in the folder in which it is given."""

    command: list[str]
    files: dict[str, bytes]


# --- values that nobody expects -------------------------------------------------------------------

DEEP: Any = []
for _ in range(40):
    DEEP = [DEEP]

HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 99, 100, 10**6, 2**31, 2**63, -(2**63), 10**20, 10**40,
    0.0, 0.5, -0.5, 2.0, 1e300, math.inf, -math.inf, math.nan,
    "", " ", "x", "5", "banana", "train", "../../victim", "/etc/passwd", "CON", ".", "..", "a/b/c",
    "a\\b", "nul.txt", "x" * 300, "y" * 5000, "\0", "\n", "\u2028", "ünïcödé", "𝔘", "{a}", "%s",
    "<script>", "kitchen, garden", "-x", "~", "Mary",
    [], [1], [1, 2], [2, 1], [0, 0], [-1, 3], [5, 5, 5], ["a"], ["a", "a"], [""], [[1]], [[]],
    [None], [True], [1.5], [10**30, 10**30], ["where-person"], DEEP,
    {}, {"a": 1}, {"": 1}, {"a": {"b": {}}}, {"size": 5}, {"support_size": 3}, {"share": -1},
]  # fmt: skip
HOSTILE_TEXT = [str(value) for value in HOSTILE if not isinstance(value, (list, dict))] + [
    "99999999999999999999999999", "1e5", "0x10", "1_000", "train=1", "train=", "=", "test=5,test=6",
    "nowhere=3", "[", "{", "[[[[", "'", '"', "a=b=c", "١٢", "1 2", "\ud800",
]  # fmt: skip

KNOWN_KEYS = [
    "id", "world", "language", "cipher", "dialect", "dialects", "seed", "length",
    "question_interval",
    "questions", "max_extensions", "allow_repeats", "asks", "balance", "keep", "cells", "bins",
    "balanced_answers", "also_ask",
    "max_per_signature", "compositional", "splits", "split_overrides", "split_key", "max_tries",
    "max_supports", "entities", "events", "tellings", "coref", "hops", "noise", "quotas", "family",
    "tasks", "names", "naming", "templates", "telling", "extends", "parts", "common", "steps",
    "things", "people", "recent_events", "there", "dimensions", "targets", "words", "group",
    "phrases",
]  # fmt: skip
SETTINGS = [
    "length", "question_interval", "questions", "max_extensions", "seed", "max_tries",
    "max_supports", "asks", "keep.support_size", "keep.answers", "keep.requires", "keep.exactly",
    "keep.distractors",
    "keep.recency", "keep.supports", "bins.where-person", "max_per_signature", "splits.train",
    "splits.test.share", "splits", "hops", "noise", "noise.supporting", "noise.irrelevant",
    "quotas", "events.MOVE", "tellings.COREF", "entities.persons", "entities.places", "language",
    "cipher", "dialect", "dialects.x", "world", "split_key", "cells", "compositional", "also_ask",
    "balanced_answers", "event_sampling", "recent_events", "family.generations", "tasks",
    "dimensions", "steps", "joined", "names", "balance", "templates", "a.b.c.d", "story", "shape",
    "wording", "entities",
]  # fmt: skip


# --- TOML -----------------------------------------------------------------------------------------


def toml(value: Any) -> str:
    """A value as TOML has it, tables inline."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value)
    return "''" if value is None else repr(value)


def toml_file(data: dict[str, Any]) -> bytes:
    """A table as a TOML file."""
    return "".join(f"{json.dumps(k)} = {toml(v)}\n" for k, v in data.items()).encode(
        errors="replace"
    )


# --- mutations ------------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of everything inside a value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*path, key)
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield (*path, at)
            yield from places(inner, (*path, at))


def mutated(draw: Draw, value: Any, keys: list[str], least: int = 1, most: int = 3) -> Any:
    """The value with some of its parts replaced, removed, doubled or added."""
    value = deepcopy(value)
    for _ in range(draw.number(least, most)):
        found = list(places(value))
        if not found:
            return draw.value()
        *path, last = draw.one(found)
        table = value
        for step in path:
            table = table[step]
        how = draw.one([*["replace"] * 4, "remove", "add", "double"])
        if how == "replace":
            table[last] = draw.value()
        elif how == "remove":
            del table[last]
        elif how == "double" and isinstance(table, list):
            table.append(table[last])
        elif isinstance(table, dict):
            table[draw.one(keys) if draw.number(0, 4) else draw.text(5)] = draw.value()
        else:
            table.append(draw.value())
    return value


def damaged(draw: Draw, content: bytes) -> bytes:
    """The file cut off, or with other bytes in it."""
    how = draw.one(["cut", "flip", "insert", "empty", "repeat", *["whole"] * 9])
    at = draw.number(0, len(content))
    if how == "cut":
        return content[:at]
    if how == "flip":
        return content[:at] + bytes([draw.number(0, 255)]) + content[at + 1 :]
    if how == "insert":
        more: bytes = draw.one([b"\0", b"\xff\xfe", b"\n\n", b"[" * 3000, b"x" * 20_000, b"\t"])
        return content[:at] + more + content[at:]
    if how == "repeat":
        return content + content[at:]
    return b"" if how == "empty" else content


# --- files ----------------------------------------------------------------------------------------


@cache
def recipe_data(name: str) -> dict[str, Any]:
    """A shipped recipe as its file has it."""
    path = resources.files("fabula.recipe.library") / f"{name}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


@cache
def records(name: str) -> list[dict[str, Any]]:
    """Some records of a shipped recipe."""
    file = sorted(GOLDEN.glob(f"{name.replace('/', '-')}*.jsonl"))[0]
    return [orjson.loads(line) for line in file.read_bytes().splitlines()]


RECORD_KEYS = ["defect", "templates", "people", "edges", "proof", "chain", "letters", "part"]


def data_file(draw: Draw) -> tuple[str, bytes]:
    """A file of records in one of the formats, with something wrong in it."""
    made: list[Any] = deepcopy(records(draw.one(recipe_ids(plugins=False))))
    at = draw.number(0, len(made) - 1)
    form = draw.one(["jsonl", "jsonl", "jsonl", "parquet", "txt", "txt", "json"])
    if form == "txt":
        return "data.txt", damaged(draw, babi_text(draw, made))
    if draw.number(0, 5):
        made[at] = mutated(draw, made[at], RECORD_KEYS)
    if form == "json":
        samples = {
            str(n): {"story": r.get("story"), "question": r.get("question"), "label": "left"}
            if isinstance(r, dict) else r
            for n, r in enumerate(made)
        }  # fmt: skip
        return "data.json", damaged(draw, dumped(samples))
    if form == "parquet":
        try:
            return "data.parquet", damaged(draw, parquet_file(made))
        except Exception:  # this record cannot be written as a table
            form = "jsonl"
    return "data.jsonl", damaged(draw, b"\n".join(map(dumped, made)) + b"\n")


def dumped(value: Any) -> bytes:
    """JSON, of numbers that are too large as well."""
    return json.dumps(value).encode()


def babi_text(draw: Draw, made: list[dict[str, Any]]) -> bytes:
    """Records as bAbI text, some words exchanged."""
    lines = []
    for record in made:
        story = [str(told) for told in record["story"]]
        lines += [f"{n} {told}" for n, told in enumerate(story, 1)]
        cited = " ".join(map(str, record["support"]))
        asked = f"{record['question']}\t{','.join(record['answer'])}\t{cited}"
        lines.append(f"{len(story) + 1} {asked}")
    for _ in range(draw.number(0, 2)):
        at = draw.number(0, len(lines) - 1)
        words = lines[at].split(" ")
        words[draw.number(0, len(words) - 1)] = draw.word()
        lines[at] = " ".join(words)
    return ("\n".join(lines) + "\n").encode(errors="replace")


def parquet_file(made: list[dict[str, Any]]) -> bytes:
    """Records as a table."""
    memory = BytesIO()
    sink = parquet.FORMAT.sink(memory)
    sink.add(parquet.batch(made))
    sink.close()
    return memory.getvalue()


# --- commands -------------------------------------------------------------------------------------


def options(draw: Draw, given: dict[str, list[str]], most: int = 2) -> list[str]:
    """Some of the options, each with a value of its list or any other."""
    found = []
    for name in dict.fromkeys(draw.one(sorted(given)) for _ in range(draw.number(0, most))):
        values = given[name]
        known = name == "--out" or draw.number(0, 1)  # what the user names may be anywhere
        found += [name] if not values else [name, draw.one(values) if known else draw.word()]
    return found


def setting(draw: Draw) -> str:
    """A --set with a value that may be anything."""
    key = draw.one(SETTINGS) if draw.number(0, 9) else draw.text(6)
    value = toml(draw.value()) if draw.number(0, 3) else draw.word()
    return f"{key}={value}"


def making(draw: Draw, recipe: str) -> list[str]:
    """A command that makes instances of a recipe."""
    command = draw.one(["show", "show", "generate", "generate", "lm-eval", "doses"])
    if command == "show":
        return ["show", recipe, *options(draw, {"--split": ["train"], "--index": ["3"],
                                                 "--seed": ["1"], "--json": []})]  # fmt: skip
    if command == "generate":
        forms = list(FORMAT_NAMES)
        more = {"--format": forms, "--seed": ["1"], "--shard-size": ["2"], "--force": [],
                "--out": ["out/x"], "--size": ["test=2"]}  # fmt: skip
        return ["generate", recipe, "--out", "out", "--size", "3", "--engine", "inline",
                *options(draw, more)]  # fmt: skip
    if command == "doses":
        return ["doses", recipe, "--out", "out", "--sizes", "2", *options(draw, {"--seed": ["2"]})]
    return ["lm-eval", recipe, "--out", "out"]


def recipe_cases(draw: Draw) -> Case:
    """A recipe file with something wrong in it."""
    name = draw.one(recipe_ids(plugins=False))
    data = mutated(draw, recipe_data(name), KNOWN_KEYS)
    if not isinstance(data, dict):
        data = {"world": data}
    if isinstance(data.get("splits"), dict):  # whole data sets are not made here
        small = {"size": 4}
        data["splits"] = {
            k: {**v, **small} if isinstance(v, dict) and "size" in v else v
            for k, v in data["splits"].items()
        }
    content = toml_file(data)
    if not draw.number(0, 8):
        content = damaged(draw, content)
    return Case(making(draw, "mine.toml"), {"mine.toml": content})


def setting_cases(draw: Draw) -> Case:
    """A shipped recipe with settings that may be anything."""
    recipe = draw.one(recipe_ids(plugins=False))
    command = draw.one(["show", "generate"])
    sets = [w for _ in range(draw.number(1, 2)) for w in ("--set", setting(draw))]
    if command == "show":
        return Case(["show", recipe, *sets], {})
    more = ["--out", "out", "--size", "2", "--engine", "inline"]
    return Case(["generate", recipe, *more, *sets], {})


def reading(draw: Draw, file: str) -> list[str]:
    """A command that reads data."""
    commands: dict[str, list[str]] = {
        "verify": ["--workers", "1"], "stats": [], "baselines": [], "leak": ["good.jsonl"],
        "diff": ["good.jsonl"], "rewrite": ["--out", "out"], "inject": ["--out", "out"],
        "audit babi": [], "audit stepgame": [], "lm-eval": ["--out", "out"], "eval": [],
        "doses": ["--out", "out", "--sizes", "1"],
    }  # fmt: skip
    command = draw.one(sorted(commands))
    more = commands[command]
    if command == "rewrite":
        operation = draw.one(sorted(OPERATIONS)) if draw.number(0, 9) else draw.word()
        extra = {"padded": ["--length", "30"], "trimmed": ["--tokens", "60"]}
        return ["rewrite", operation, file, *more, *extra.get(operation, [])]
    if command in ("leak", "diff"):
        both = [file, *more] if draw.number(0, 1) else [*more, file]
        return [command, *both]
    if command == "eval":
        return ["eval", "no-model", file, "--out", "out"]
    tail = draw.one([[], [], ["--json"]]) if command != "lm-eval" else []
    return [*command.split(), file, *more, *tail]


def data_cases(draw: Draw) -> Case:
    """A data file with something wrong in it."""
    name, content = data_file(draw)
    good = b"\n".join(map(dumped, records(draw.one(recipe_ids(plugins=False))))) + b"\n"
    folder = draw.one(["", "", "set/"])
    files = {f"{folder}{name}": content, "good.jsonl": good}
    if folder and draw.number(0, 1):
        manifest = {"splits": {"test": {"files": [{"file": name, "sha256": "0"}]}},
                    "content": {"world": "actors"}, "seed": 0}  # fmt: skip
        files["set/manifest.json"] = damaged(
            draw, dumped(mutated(draw, manifest, ["language", "cipher"]))
        )
    return Case(reading(draw, folder.rstrip("/") or name), files)


COMMANDS = [
    "list", "show", "generate", "rewrite", "inject", "concat", "verify", "audit", "leak", "stats",
    "diff", "baselines", "play", "models", "train", "experiment", "eval", "report", "doses",
    "curves", "concurrence", "lm-eval",
]  # fmt: skip


def line_cases(draw: Draw) -> Case:
    """A command line that may be anything."""
    some = ["babi/qa1", "actors/mix", "good.jsonl", "set", "memn2n", "home"]
    flags = ["--json", "--out", "out", "--seed", "--size", "--split", "--set", "--limit", "--help"]
    words = [
        draw.one([draw.one(some), draw.word(), draw.one(flags)]) for _ in range(draw.number(0, 4))
    ]
    words = ["out" if word[:1] in "./~" or ".." in word else word for word in words]
    command = draw.one(COMMANDS)
    if command in ("generate", "train", "experiment") and not draw.number(0, 3):
        words = [word for word in words if word not in ("babi/qa1", "actors/mix", "all")]
    good = b"\n".join(map(dumped, records("babi/qa1"))) + b"\n"
    size = ["--size", "2"] if command == "generate" else []
    return Case([command, *words, *size], {"good.jsonl": good, "set/test.jsonl": good})


SCRIPTS = [
    "go to the hallway", "take the milk", "where is John?", "new", "look", "drop the milk",
    "why did Daniel go to the kitchen?", "wait", "give the apple to Mary", "# a remark", "quit",
]  # fmt: skip


def play_cases(draw: Draw) -> Case:
    """A world or a script with something wrong in it."""
    path = resources.files("fabula.play") / "worlds" / "home.toml"
    world: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    keys = ["exits", "at", "use", "room", "need", "wants", "language", "pronoun", "state"]
    if draw.number(0, 1):
        world = mutated(draw, world, keys)
    lines = [
        draw.one(SCRIPTS) if draw.number(0, 9) else draw.word() for _ in range(draw.number(0, 8))
    ]
    script = "\n".join(lines).encode(errors="replace")
    more = options(draw, {"--seed": ["1"], "--as": ["john"], "--format": list(FORMAT_NAMES),
                          "--out": ["out"]})  # fmt: skip
    data = world if isinstance(world, dict) else {"places": world}
    return Case(
        ["play", "mine.toml", "--script", "moves.txt", *more],
        {"mine.toml": toml_file(data), "moves.txt": script},
    )


TEMPLATES = """\
[[template]]
text = "{girl} wrote to {man}, the brother of her mother, about the flood."
facts = [["girl", "uncle", "man"]]
genders = { girl = "female" }
"""
EXPERIMENT = {
    "id": "T1", "title": "t", "paper": "p", "finding": "f",
    "lines": [{"name": "one", "train": [{"recipe": "babi/qa1"}]}],
    "columns": [{"name": "memn2n", "model": "memn2n"}],
    "claims": [{"says": "it learns", "at_least": 50}],
    "scales": {"small": {"train_size": 10}},
}  # fmt: skip


def other_cases(draw: Draw) -> Case:
    """Files of other kinds: templates, experiments, tables of scores, runs."""
    kind = draw.one(["templates", "experiment", "scores", "run"])
    if kind == "templates":
        data = mutated(draw, tomllib.loads(TEMPLATES), ["text", "facts", "genders"])
        content = toml_file(data if isinstance(data, dict) else {"template": data})
        recipe = b'extends = "clutrr/gen-23"\ntelling = "templates"\ntemplates = "own.toml"\n'
        return Case(["show", "mine.toml"], {"mine.toml": recipe, "own.toml": content})
    if kind == "experiment":
        data = mutated(draw, EXPERIMENT, ["like", "every", "set", "measure"])
        content = damaged(draw, toml_file(data if isinstance(data, dict) else {"id": data}))
        return Case(["experiment"], {"experiments/T1.toml": content})
    if kind == "scores":
        rows = [["model", "a", "b"], *([f"m{n}", str(n), str(n * n % 7)] for n in range(6))]
        rows = mutated(draw, rows, ["x"])
        table = [
            ",".join(map(str, row)) if isinstance(row, list) else str(row)
            for row in (rows if isinstance(rows, list) else [rows])
        ]
        content = damaged(draw, "\n".join(table).encode(errors="replace"))
        return Case(["concurrence", "scores.csv"], {"scores.csv": content})
    manifest: Any = {
        "model": "m", "about": {"kind": "test"}, "data": "babi/qa1 test", "digest": "0",
        "instances": 5, "asked": 5, "failed": 0, "outcomes": {"correct": 5}, "version": "0",
        "ask.style": "direct", "baselines": {}, "usage": {"input": 0}, "seconds": 1.0,
    }  # fmt: skip
    lines = [
        {"id": record["id"], "outcome": "correct" if n % 2 else "wrong", "answer": ["garden"],
         "reply": "Answer: garden", "truncated": False, "usage": {}, "instance": record}
        for n, record in enumerate(records(draw.one(recipe_ids(plugins=False))))
    ]  # fmt: skip
    replies = mutated(draw, lines, ["outcome", "record"], 0, 2)
    made = list(replies) if isinstance(replies, list) else [replies]
    files = {
        "run/evaluation.json": damaged(draw, dumped(mutated(draw, manifest, ["outcomes"], 0, 1))),
        "run/replies.jsonl": damaged(draw, b"\n".join(map(dumped, made)) + b"\n"),
    }
    pictures = ["--no-pictures"] if draw.number(0, 3) else []  # each takes seconds
    command = draw.one([["curves", "run"], ["report", "run", "--out", "page.html", *pictures]])
    return Case(command, files)


CASES: list[Callable[[Draw], Case]] = [
    recipe_cases, recipe_cases, setting_cases, data_cases, data_cases, data_cases, line_cases,
    play_cases, other_cases,
]  # fmt: skip


def case_of(random: Random) -> Case:
    """A case of any kind."""
    draw = Draw(random)
    return draw.one(CASES)(draw)  # type: ignore[no-any-return]
