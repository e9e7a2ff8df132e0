"""The section *Smallest failures*: the groups that `fabula shrink` found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from fabula.core.files import read_json
from fabula.errors import FabulaError
from fabula.evaluation.report.cases import Run
from fabula.evaluation.report.page import Extra, Group, Heading, Notes, Section, Story

FILE = ("shrink", "smallest.json")
SHOWN = 6
"""Groups shown at once; the others can be opened."""
MOST = 40
"""Groups on the page; all are in numbers.json."""
LEAD = (
    "The shortest proven stories that the model still fails on, one for each form of failure. "
    "Every sentence is needed: without it, or told more simply, the model is right or the answer "
    "does not follow. The highlighted sentences prove the answer."
)
Failure = Mapping[str, Any]


def section(runs: Sequence[Run]) -> Extra | None:
    """The section; None if no run has been shrunk."""
    known = {run.name: found for run in runs if (found := _read(run))}
    if not known:
        return None
    blocks: list[Any] = []
    takeaways, numbers = [], {}
    for name, found in known.items():
        groups = _groups(found["failures"])
        numbers[name] = {
            "failures": len(found["failures"]),
            "groups": [{"group": key, "count": len(each), **_plain(each[0])}
                       for key, each in groups.items()],
        }  # fmt: skip
        if len(runs) > 1:
            blocks.append(Heading(name))
        stories = [_story(key, each) for key, each in list(groups.items())[:MOST]]
        blocks.append(Group("stories", stories[:SHOWN]))
        if len(stories) > SHOWN:
            rest = stories[SHOWN:]
            blocks.append(
                Group(
                    "details",
                    [Group("stories", rest)],
                    f"{len(rest)} more form{'s' * (len(rest) > 1)}",
                )
            )
        blocks += _notes(found)
        takeaways.append(_sentence(name, found, groups))
    takeaways += _only(known)
    return Extra(Section("smallest", "Smallest failures", LEAD, blocks), takeaways, numbers)


def _read(run: Run) -> dict[str, Any] | None:
    path = run.folder.joinpath(*FILE)
    if not path.is_file():
        return None
    found = read_json(path, "failures")
    keys = {"id", "story", "question", "answer", "reply", "group", "support"}
    if not isinstance(found["failures"], list) or any(
        not isinstance(each, dict) or not keys <= each.keys() for each in found["failures"]
    ):
        raise FabulaError(f"{path}: not as `fabula shrink` writes it; remove it and shrink again.")
    return found if found["failures"] else None


def _groups(failures: Sequence[Failure]) -> dict[str, list[Failure]]:
    """Failures by form, the most frequent first; within each the shortest story first."""
    found: dict[str, list[Failure]] = defaultdict(list)
    for each in failures:
        found[each["group"]].append(each)
    for group in found.values():
        group.sort(key=lambda each: sum(map(len, each["story"])))
    return dict(sorted(found.items(), key=lambda item: (-len(item[1]), len(item[1][0]["story"]))))


def _story(group: str, failures: Sequence[Failure]) -> Story:
    first, count = failures[0], len(failures)
    others = [each["id"] for each in failures[:4]]
    more = f" and {count - 4} more" if count > 4 else ""
    return Story(
        f"{count:,} failure{'s' * (count != 1)}",
        [(text, number in first["support"]) for number, text in enumerate(first["story"], 1)],
        first["question"],
        ", ".join(first["answer"]),
        " ".join(first["reply"].split())[:300],
        [group, f"from {', '.join(others)}{more}"],
    )


def _notes(found: Mapping[str, Any]) -> list[Notes]:
    lines = []
    skipped = found.get("skipped") or {}
    count, total = len(found["failures"]), int(found.get("total") or 0)
    if total > count + len(skipped):
        lines.append(
            f"{count:,} of {total:,} failures were shrunk; fabula shrink --most N takes more."
        )
    lines += [f"Not shrunk: {name}: {why}." for name, why in list(skipped.items())[:5]]
    return [Notes(lines)] if lines else []


def _sentence(name: str, found: Mapping[str, Any], groups: Mapping[str, Sequence[Failure]]) -> str:
    count, forms = len(found["failures"]), len(groups)
    frequent = next(iter(groups.values()))
    told, reply = frequent[0], " ".join(frequent[0]["reply"].split())[:80]
    many = f"{count:,} failures of {name} come down to {forms:,} form{'s' * (forms != 1)}"
    if count == 1:
        many = f"One failure of {name} was shrunk"
    conventions = told.get("instance", {}).get("roles", []).count("convention")
    story = " ".join(told["story"][conventions:])
    return (
        f"{many}; the most frequent ({len(frequent):,}): “{story} {told['question']}” It says "
        f"“{reply}”, the answer is {', '.join(told['answer'])}."
    )


def _only(known: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Forms that just one of two runs fails on."""
    if len(known) != 2:
        return []
    (one, first), (other, second) = known.items()
    forms = [{each["group"] for each in found["failures"]} for found in (first, second)]
    both = len(forms[0] & forms[1])
    shared = f"{both:,} of these forms {'is' if both == 1 else 'are'}" if both else "No form is"
    return [
        f"{shared} common to both; {len(forms[0] - forms[1]):,} only {one} fails on, "
        f"{len(forms[1] - forms[0]):,} only {other}."
    ]


def _plain(failure: Failure) -> dict[str, Any]:
    keys = ("id", "story", "question", "answer", "reply")
    return {key: failure[key] for key in keys}
