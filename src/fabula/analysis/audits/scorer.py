"""Audits a scoring function: which wrong replies does it accept, which right ones does it reject?

Promises:
1. The function is called with what its parameters are named after (reply, answer, choices,
   question, story, instance; see NAMES) and judged by its value alone: true or at least 0.5 is
   acceptance.
2. For every kind of reply that it gets wrong, the shortest reply is shown.
3. A function that raises is reported with the reply that made it raise.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from fabula.analysis.audits.findings import Finding, Kind, Result, Severity
from fabula.analysis.audits.replies import Item, Reply, replies
from fabula.core.instance import Instance
from fabula.errors import UsageError, hint

ACCEPTS = Kind("false-accept", Severity.ERROR, "A wrong reply is scored as right.")
REJECTS = Kind("false-reject", Severity.WARNING, "A right reply is scored as wrong.")
RAISES = Kind("raises", Severity.ERROR, "The scorer fails on a reply.")

NAMES: dict[str, str] = {
    **dict.fromkeys(("reply", "response", "completion", "prediction", "output", "solution_str", "model_answer"), "reply"),  # noqa: E501
    **dict.fromkeys(("answer", "target", "gold", "label", "expected", "ground_truth", "reference"), "answer"),  # noqa: E501
    **dict.fromkeys(("choices", "options", "vocabulary"), "choices"),
    **dict.fromkeys(("question", "prompt"), "question"),
    **dict.fromkeys(("story", "context"), "story"),
    **dict.fromkeys(("instance", "entry", "item", "record"), "instance"),
}  # fmt: skip
"""Names of parameters, and what is passed for them."""

Accepts = Callable[[Item, Any, str], bool]


def bound(score: Callable[..., Any]) -> Accepts:
    """The scorer as a function of item, instance and reply."""
    try:
        parameters = inspect.signature(score).parameters.values()
    except (TypeError, ValueError):
        raise UsageError(
            f"{score!r}: its parameters cannot be read; wrap it in a function."
        ) from None
    roles: dict[str, str] = {}
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in NAMES:
            roles[parameter.name] = NAMES[parameter.name]
        elif parameter.default is parameter.empty:
            raise UsageError(
                f"{getattr(score, '__name__', 'the scorer')}: there is nothing to pass for the "
                f"parameter '{parameter.name}'.{hint(parameter.name, NAMES)} Use reply, "
                "answer, choices, question, story and instance."
            )
    if "reply" not in roles.values():
        raise UsageError(
            f"{getattr(score, '__name__', 'the scorer')}: one parameter must be named 'reply'."
        )

    def accepts(item: Item, instance: Any, reply: str) -> bool:
        known = {**item._asdict(), "reply": reply, "instance": instance}
        value = score(**{name: known[role] for name, role in roles.items()})
        correct = getattr(value, "correct", value)
        return float(correct) >= 0.5

    return accepts


def item_of(instance: Instance) -> Item:
    """The item that replies to an instance are made from."""
    answer = ", ".join(instance.answer)
    choices = tuple(dict.fromkeys((answer, *(instance.choices or ()))))
    return Item(" ".join(instance.story), instance.question, answer, choices)


def audit_scorer(
    score: Callable[..., Any], instances: Iterable[Instance], name: str = "scorer", keep: int = 50
) -> Result:
    """The audit of a scoring function on replies to these instances."""
    pairs = [(item_of(instance), instance) for instance in instances]
    return audit_accepts(bound(score), pairs, name, keep)


def audit_accepts(
    accepts: Accepts, pairs: Iterable[tuple[Item, Any]], name: str, keep: int = 50
) -> Result:
    """The same for a function of item, instance and reply."""
    result = Result(name, keep=keep)
    kinds: set[str] = set()
    worst: dict[tuple[str, str], Finding] = {}
    for item, instance in pairs:
        for reply in replies(item):
            result.items += 1
            kinds.add(reply.kind)
            found = _judged(accepts, item, instance, reply)
            if found is None:
                result.sound += 1
                continue
            result.kinds[found.kind.name] = found.kind
            result.counts[found.kind.name] += 1
            key = (found.kind.name, reply.kind)
            if key not in worst or len(found.label) < len(worst[key].label):
                worst[key] = found
    for kind in result.kinds:
        of_kind = [found for (name_, _), found in worst.items() if name_ == kind]
        result.findings += sorted(of_kind, key=lambda found: len(found.label))[:keep]
    result.figures = {"kinds_of_reply": len(kinds), "kinds_misjudged": len(worst)}
    return result


def _judged(accepts: Accepts, item: Item, instance: Any, reply: Reply) -> Finding | None:
    """The finding about the judgement on a reply, if it is wrong."""
    place = f"{reply.content} | {reply.form}"
    try:
        accepted = accepts(item, instance, reply.text)
    except Exception as error:
        kind, reason = RAISES, f"{type(error).__name__}: {error}"
    else:
        if accepted == reply.right:
            return None
        kind = ACCEPTS if accepted else REJECTS
        reason = f"The right answer is '{item.answer}'."
    return Finding(kind, place, reason, (), item.question, reply.text, item.answer)
