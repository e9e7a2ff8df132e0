"""Checks records that come from files: the type, length and references of every field.

Promises:
1. A record that passes has the types that `Instance` declares, one role and one list of facts for
   each sentence, and supports that name sentences of its story. Later code needs no checks.
2. A record that fails is rejected with its place, the field, the expected and the actual value.
3. Only known keys of features and provenance are checked; other keys may hold any JSON.

It is one pass over the fields, with tests that run at the speed of C: reading stays as fast as
parsing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

from fabula.errors import ParseError

LONGEST_TEXT = 2_000  # characters of a sentence or question; the longest we write has about 500
DEEPEST = 32  # maximum nesting of lists and tables; ours is five
SHOWN = 60  # characters of a wrong value in a message

Test = Callable[[Any, int], bool]
"""Whether the value of a field is valid in a record with n sentences."""

TEXT, NUMBER, LIST, LISTS = {str}, {int}, {list, tuple}, {list}


# --- tests of values ----------------------------------------------------------------------------


def _text(value: Any, told: int) -> bool:
    return type(value) is str


def _short_text(value: Any, told: int) -> bool:
    return type(value) is str and 0 < len(value) <= LONGEST_TEXT


def _name(value: Any, told: int) -> bool:
    return type(value) is str and value != ""


def _number(value: Any, told: int) -> bool:
    return type(value) is int  # integers beyond 64 bits come out of JSON as another type


def _texts(value: Any, told: int) -> bool:
    return type(value) in LIST and TEXT.issuperset(map(type, value))


def _some_texts(value: Any, told: int) -> bool:
    return type(value) in LIST and bool(value) and TEXT.issuperset(map(type, value))


def _texts_or_null(value: Any, told: int) -> bool:
    return value is None or _texts(value, told)


def _story(value: Any, told: int) -> bool:
    return _some_texts(value, told) and max(map(len, value)) <= LONGEST_TEXT


def _text_each(value: Any, told: int) -> bool:
    return _texts(value, told) and len(value) == told


def _support(value: Any, told: int) -> bool:
    if type(value) not in LIST or not NUMBER.issuperset(map(type, value)):
        return False
    return not value or (min(value) >= 1 and max(value) <= told)


def _supports(value: Any, told: int) -> bool:
    return type(value) in LIST and all(_support(numbers, told) for numbers in value)


def _facts(value: Any, told: int) -> bool:
    if type(value) not in LIST or len(value) != told or not LIST.issuperset(map(type, value)):
        return False
    facts = list(chain.from_iterable(value))
    if not LIST.issuperset(map(type, facts)) or not all(facts):
        return False
    return TEXT.issuperset(map(type, chain.from_iterable(facts)))


def _table(value: Any, told: int) -> bool:
    return isinstance(value, Mapping)


PERSON, EDGE, TRIPLE = (str, str), (int, str, int, str), (str, str, str)


def _rows(value: Any, kinds: tuple[type, ...]) -> bool:
    """Whether it is a list of rows with exactly these types."""
    if type(value) not in LIST or not LIST.issuperset(map(type, value)):
        return False
    return {kinds}.issuperset([tuple(map(type, row)) for row in value])


def _people(value: Any, told: int) -> bool:
    return _rows(value, PERSON)


def _edges(value: Any, told: int) -> bool:
    return _rows(value, EDGE)


def _proof(value: Any, told: int) -> bool:
    if type(value) not in LIST:
        return False
    triples = []
    for step in value:
        if not isinstance(step, Mapping) or "fact" not in step or "from" not in step:
            return False
        if type(step["from"]) not in LIST:
            return False
        triples += [step["fact"], *step["from"]]
    return _rows(triples, TRIPLE)


def _templates(value: Any, told: int) -> bool:
    return (
        type(value) in LIST and all(isinstance(each, Mapping) for each in value) and shallow(value)
    )


def _letters(value: Any, told: int) -> bool:
    return isinstance(value, Mapping) and TEXT.issuperset(map(type, value.values()))


# --- rules for each field -----------------------------------------------------------------------

RULES: tuple[tuple[str, Test, str], ...] = (
    ("id", _name, "a text"),
    ("story", _story, f"a list of sentences, each with at most {LONGEST_TEXT:,} characters"),
    ("question", _short_text, f"a text of 1 to {LONGEST_TEXT:,} characters"),
    ("answer", _some_texts, "a list of at least one text"),
    ("choices", _texts_or_null, "a list of texts, or null"),
    ("support", _support, "a list of sentence numbers from 1 to {told}"),
    ("supports", _supports, "a list of lists of sentence numbers from 1 to {told}"),
    ("facts", _facts, "{told} lists, one for each sentence, of facts such as ['move', 'Mary']"),
    ("query", _some_texts, "a list of texts: the kind of question and its arguments"),
    ("composition", _texts, "a list of texts"),
    ("roles", _text_each, "{told} texts, one for each sentence"),
    ("features", _table, "a table"),
    ("signature", _text, "a text"),
    ("provenance", _table, "a table"),
)
"""Field, test and expectation; `story` comes before the fields checked against it."""

_A_NUMBER, _A_TEXT = (_number, "a whole number of 64 bits"), (_text, "a text")
INSIDE: dict[str, dict[str, tuple[Test, str]]] = {
    "features": {
        **dict.fromkeys(
            (
                "sentences", "support_size", "supports", "hops", "recency", "reach", "distractors",
                "related_distractors", "chain", "k", "noise_facts",
            ),
            _A_NUMBER,
        ),
        **dict.fromkeys(("clause", "task", "convention", "inference"), _A_TEXT),
        "people": (_people, "a list of pairs [name, gender]"),
        "edges": (_edges, "a list of edges [person, relation, person, role]"),
        "proof": (_proof, "a list of steps {{'fact': [a, r, b], 'from': [[a, r, b], …]}}"),
        "noise": (_texts, "a list of texts"),
        "templates": (_templates, "a list of tables"),
    },
    "provenance": {
        **dict.fromkeys(
            (
                "recipe", "part", "dialect", "world", "language", "cipher", "recipe_digest",
                "version", "split", "passage", "rewrite", "of",
            ),
            _A_TEXT,
        ),
        **dict.fromkeys(("seed", "index"), _A_NUMBER),
        "letters": (_letters, "a table of texts"),
    },
}  # fmt: skip
"""Known keys of the two open tables."""


_shapes: dict[tuple[str, tuple[str, ...], tuple[type, ...]], tuple[str, ...]] = {}
"""Keys and types of valid tables, and those of their keys that hold lists or tables: records of one
data set have the same ones, so only nested values must be checked again.
"""
MOST_SHAPES = 1_000


def check(data: Mapping[str, Any], place: str) -> None:
    """Raise ParseError with place, field and expectation if a record is invalid."""
    if not _plainly_sound(data):
        story = data["story"]
        told = len(story) if type(story) in LIST else 0
        for name, test, expected in RULES:
            if not test(data[name], told):
                raise _refusal(place, name, expected.format(told=told), data[name])
    for name in INSIDE:
        table = data[name]
        shape = (name, tuple(table), tuple(map(type, table.values())))
        nested = _shapes.get(shape)
        if nested is None:
            for key in table:
                _check_key(name, key, table[key], place)
            if len(_shapes) >= MOST_SHAPES:
                _shapes.clear()
            nested = tuple([key for key in table if type(table[key]) in NESTED])
            _shapes[shape] = nested
        for key in nested:
            _check_key(name, key, table[key], place)
    features = data["features"]
    if "edges" in features:
        _check_edges(features, place)
    if len(data) > len(RULES):
        _check_extras(data, place)


def _variables(value: Any, told: int) -> bool:
    return (
        type(value) in LIST
        and len(value) == told
        and all(isinstance(each, Mapping) for each in value)
        and shallow(value)
    )


def _edit(value: Any, told: int) -> bool:
    if not isinstance(value, Mapping) or not shallow(dict(value)):
        return False
    texts = [value.get(key) for key in ("kind", "before", "after")]
    numbers = [value.get(key) for key in ("sentence", "to")]
    base = value.get("base")
    return (
        all(type(each) is str for each in texts)
        and all(type(each) is int and each >= 0 for each in numbers)
        and isinstance(base, Mapping)
        and _some_texts(base.get("answer"), told)
        and _supports(base.get("supports"), told + 1)
    )


def _spans(value: Any, told: int) -> bool:
    if not isinstance(value, Mapping) or set(value) != {"sentences", "names"}:
        return False
    sentences = value["sentences"]
    if not _rows(sentences, (int, int)) or len(sentences) != told:
        return False
    return _rows(value["names"], (str, int, int, int))


def _witnesses(value: Any, told: int) -> bool:
    return (
        type(value) in LIST
        and len(value) == 2
        and all(isinstance(each, Mapping) for each in value)
        and all(isinstance(each.get("world"), Mapping) for each in value)
        and all(_some_texts(each.get("answer"), told) for each in value)
        and shallow(list(value))
    )


EXTRAS: dict[str, tuple[Test, str]] = {
    "pair": (_name, "a text, the id of a record"),
    "variant": (_name, "base, flip, hold or unknown"),
    "edit": (_edit, "a table with kind, sentence, to, before, after and base"),
    "variables": (_variables, "{told} tables, one for each sentence"),
    "spans": (_spans, "sentences, {told} pairs [begin, end], and names"),
    "tokens": (_table, "a table"),
    "witnesses": (_witnesses, "two tables {{'world': …, 'answer': […]}}"),
}
"""Fields that only some records have."""


def _check_extras(data: Mapping[str, Any], place: str) -> None:
    told = len(data["story"])
    for name, (test, expected) in EXTRAS.items():
        value = data.get(name)
        if value is not None and not test(value, told):
            raise _refusal(place, name, expected.format(told=told), value)


_FIELDS = [name for name, _, _ in RULES]
_TYPES = {
    (str, list, str, list, choices, list, list, list, list, list, list, dict, str, dict)
    for choices in (list, type(None))
}


def _plainly_sound(data: Mapping[str, Any]) -> bool:
    """Whether a record from a file passes all RULES, in a third of the time; False if unsure.

    Joining is the fastest way to check that a list contains only texts.
    """
    values = [data[name] for name in _FIELDS]
    if tuple(map(type, values)) not in _TYPES:
        return False
    name, story, question, answer, choices, support, supports, facts = values[:8]
    query, composition, roles = values[8:11]
    told = len(story)
    try:
        length = len("".join(story))
        "".join(chain(answer, query, composition, roles, choices or ()))
        numbers = [*support, *chain.from_iterable(supports)]
        said = list(chain.from_iterable(facts))
        "".join(chain.from_iterable(said))
    except TypeError:
        return False
    return (
        len(facts) == len(roles) == told > 0
        and length > 0
        and (length <= LONGEST_TEXT or max(map(len, story)) <= LONGEST_TEXT)
        and 0 < len(question) <= LONGEST_TEXT
        and name != ""
        and bool(answer)
        and bool(query)
        and all(said)
        and LISTS.issuperset(map(type, supports))
        and LISTS.issuperset(map(type, facts))
        and LISTS.issuperset(map(type, said))
        and NUMBER.issuperset(map(type, numbers))
        and (not numbers or (min(numbers) >= 1 and max(numbers) <= told))
    )


def _check_key(name: str, key: str, value: Any, place: str) -> None:
    rule = INSIDE[name].get(key)
    if rule is not None:
        if not rule[0](value, 0):
            raise _refusal(place, f"{name}.{key}", rule[1].format(), value)
    elif type(value) in NESTED and not shallow(value):
        raise ParseError(f"{place}, field '{name}.{key}': nested deeper than {DEEPEST} levels.")


def _check_edges(features: Mapping[str, Any], place: str) -> None:
    """Check that edges refer to people of the record by number."""
    people = features.get("people")
    if people is None:
        raise ParseError(f"{place}, field 'features.people': missing, although there are edges.")
    for edge in features["edges"]:
        if not (0 <= edge[0] < len(people) and 0 <= edge[2] < len(people)):
            expected = f"edges between the {len(people)} people, counted from 0"
            raise _refusal(place, "features.edges", expected, edge)


NESTED = {list, tuple, dict}


def shallow(value: Any, levels: int = DEEPEST) -> bool:
    """Whether lists and tables are nested at most `levels` deep."""
    if levels < 0:
        return False
    inner = value.values() if type(value) is dict else value
    return all(shallow(each, levels - 1) for each in inner if type(each) in NESTED)


def _refusal(place: str, field: str, expected: str, found: Any) -> ParseError:
    return ParseError(f"{place}, field '{field}': expected {expected}, found {shown(found)}.")


def shown(value: Any) -> str:
    """A value in a message, truncated if it is long."""
    if isinstance(value, (list, tuple)):
        value = list(value[:SHOWN])
    elif isinstance(value, Mapping):
        value = dict(list(value.items())[:SHOWN])
    elif isinstance(value, str):
        value = value[: SHOWN + 1]
    try:
        text = repr(value)
    except RecursionError:
        text = "deeply nested data"
    except ValueError:
        text = "a very large number"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
