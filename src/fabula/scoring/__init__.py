"""Scores a reply: which answer does it give, and is it the right one?

Promises:
1. Answers are matched whole, over the closed set of answers that the question can have: 'none' is
   not 'one', 'upper left' is not 'left', 'mother-in-law' is not 'mother'.
2. Lists are compared as sets, ways ('south, then east') as sequences; case, articles, hyphens and
   punctuation do not matter.
3. An answer that is marked as such ('Answer: …', a tag, a box, bold) takes precedence, and the last
   mark over earlier ones. Reasoning is ignored. Without a mark, two different answers are wrong.
4. Any word of the recipe's vocabulary is an answer: 'kitchen' is a wrong answer to 'What did Bill
   give to Daniel?'. 'I do not know' (refusal), no answer at all (unparsed) and no answer yet
   (truncated) are distinguished from a wrong answer.
5. The right answer is consulted only at the end: parsing a reply never depends on it, except that
   it is always among the words of a list.
6. A reply that lists words of the vocabulary has not chosen one: 'yes, no, maybe, the garden' is
   wrong for every question.

answers.py   the closed set of answers, and the pattern that finds them
vocabulary.py  all words of the recipe, for answers to another question
phrases.py   phrases around an answer, in English and Hindi
clean.py     strips reasoning and a follow-up question from a reply
reply.py     a reply with its mentions
reading.py   the answer that a reply gives, or why there is none
listing.py   replies that list the vocabulary instead of answering
evidence.py  the sentences that a reply cites, judged by the reader
outcome.py   the outcome of a reply
"""

from __future__ import annotations

import re

from fabula.core.instance import UNKNOWN, Instance
from fabula.scoring.answers import Answers, answers_of, compass, fold, long
from fabula.scoring.clean import clean, without_next_question, without_reasoning
from fabula.scoring.echo import without_prompt
from fabula.scoring.listing import listed, may_list
from fabula.scoring.outcome import CitedScore, Outcome, Score
from fabula.scoring.reading import answer_in, plainly
from fabula.scoring.reply import ParsedReply

__all__ = ["CitedScore", "Outcome", "Score", "closed_score", "score"]


def score(instance: Instance, reply: str, truncated: bool = False, evidence: bool = False) -> Score:
    """How a reply to an instance is scored.

    Args:
        instance: what was asked.
        reply: what was said.
        truncated: whether it was cut off by a token limit.
        evidence: also judge the sentences that the reply cites, as the prompt style 'cite' asks
            for: 'Evidence: 2, 4' or a JSON object with the key 'evidence'.

    >>> import fabula
    >>> instance = fabula.instance("babi/qa2", "test", 3)
    >>> fabula.score(instance, f"She moved. Answer: the {instance.answer[0]}.").correct
    True
    >>> reply = f"Answer: {instance.answer[0]}\\nEvidence: {str(instance.support)[1:-1]}"
    >>> fabula.score(instance, reply, evidence=True).reason.value
    'right for the right reason'
    """
    if evidence:
        from fabula.scoring.evidence import citation, judge

        said = citation(without_reasoning(clean(reply)), len(instance.story))
        found = score(instance, said.rest, truncated)
        return CitedScore.of(found, judge(instance, said.numbers))
    reply = without_prompt(instance, reply)
    found = closed_score(instance, reply, truncated)
    if found.outcome is Outcome.CORRECT and may_list(reply):
        several = listed(instance, without_reasoning(clean(reply)))
        return Score(Outcome.WRONG, several) if several else found
    if found.outcome is not Outcome.UNPARSED or truncated:
        return found
    from fabula.scoring.vocabulary import wide  # reads recipes, which most replies do not need

    given = plainly(ParsedReply(without_reasoning(clean(reply)), wide(instance)))
    return Score(Outcome.WRONG, given) if given else found


def closed_score(instance: Instance, reply: str, truncated: bool = False) -> Score:
    """Score over the answers to this question alone: any other word is unparsed."""
    answers = answers_of(instance)
    plain = None if truncated else _plain(reply, answers)
    if plain is not None:
        return Score(_outcome([fold(plain)] == [*map(fold, instance.answer)]), (plain,))
    text = without_next_question(without_reasoning(clean(reply)), answers)
    found = answer_in(ParsedReply(text, answers), truncated)
    if found is Outcome.REFUSAL and UNKNOWN in (instance.choices or ()):
        found = (UNKNOWN,)  # where it is offered as an answer, 'I cannot tell' gives it
    if isinstance(found, Outcome):
        return Score(found)
    if answers.shape == "way" and not answers.names:
        right = found == tuple(compass(word) for word in instance.answer)
        style = str if all(len(word) == 1 for word in instance.answer) else long
        return Score(_outcome(right), tuple(style(word) for word in found))
    if answers.shape == "way":
        return Score(_outcome(found == instance.answer), found)
    expected = {fold(word) for word in instance.answer}
    return Score(_outcome({fold(word) for word in found} == expected), found)


_PLAIN = re.compile(
    r"\s*(?i:\**(?:Answer:|(?:The answer is:?|It is|It's)\s)\**\s*)?"
    r"\**(?i:(?:(?:in|at) )?(?:the )?)([A-Za-z][a-z-]+)\.?\**\.?\s*"
)


def _plain(reply: str, answers: Answers) -> str | None:
    """The answer of a reply that does nothing but give one of the choices.

    The full parser would give the same result (a test checks it), but most replies are of this
    kind, and this is faster.
    """
    match = _PLAIN.fullmatch(reply) if answers.shape == "one" else None
    return answers.names.get(fold(match[1])) if match else None


def _outcome(right: bool) -> Outcome:
    return Outcome.CORRECT if right else Outcome.WRONG
