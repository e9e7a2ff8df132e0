"""Phrases around an answer in replies: labels, 'not', 'I do not know', 'therefore'.

A phrase is searched only if the text has one of the words it cannot do without: most replies have
none of them, and looking for words is far faster than matching patterns.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet


class Phrase:
    """A pattern, with the words at least one of which it needs."""

    def __init__(self, words: str, pattern: str, flags: re.RegexFlag = re.IGNORECASE) -> None:
        self.words = frozenset(words.split())
        self.pattern = re.compile(pattern, flags)

    def matches(self, text: str, words: AbstractSet[str]) -> list[re.Match[str]]:
        """Its matches in a text with these words."""
        return [] if self.words.isdisjoint(words) else list(self.pattern.finditer(text))

    def is_in(self, text: str, words: AbstractSet[str]) -> bool:
        """Whether it matches in a text with these words."""
        return not self.words.isdisjoint(words) and self.pattern.search(text) is not None


def words_in(text: str, within: str = "") -> set[str]:
    """The words of a text, in lower case; these signs belong to words, others separate them: isn,
    t.
    """
    lower = text.lower()
    if lower.isascii():  # five times as fast as the pattern
        return set(lower.encode().translate(_BLANKED[within]).decode().split())
    return set(_WORDS[within].findall(lower))


_WORDS = {"": re.compile(r"\w+"), "'-": re.compile(r"[\w'-]+")}
_BLANKED = {
    within: bytes(
        code if chr(code).isalnum() or chr(code) in f"_{within}" else ord(" ")
        for code in range(256)
    )
    for within in _WORDS
}

# --- marks ----------------------------------------------------------------------------------------

LABEL = re.compile(
    r"(?:(?<=\n)|^)[\s>*_#-]*(?:A|ans)[*_`]*\s*:[*_`]*"
    r"|\b(?:answer|ans|java+b|jawa+b|uttar|जवाब|उत्तर)['\"]?[*_`]*\s*(?::=?|=|\s[-–—](?=\s))[*_`]*"
    r"|(?:(?<=\n)|^)[>*_#\s-]*answer[*_`]*\n"
    r"|(?:(?<=\n)|^)####(?!#)",
    re.IGNORECASE,
)
ANSWER_IS = re.compile(
    r"\b(?:the|my|our)\s+(?:(?:final|correct|right|best|only)\s+)*answer\s+"
    r"(?:(?:to|for)\s[^.\n]{1,80}?\s)?(?:is|would\s+be|should\s+be|must\s+be|will\s+be)\b\s*:?"
    r"|(?<!\w)(?:java+b|jawa+b|जवाब)\s+(?:hai|है)(?!\w)\s*:?",
    re.IGNORECASE,
)
HEADING = re.compile(
    r"^[\s*#_>-]*(?:reasoning|explanation|rationale|thought process|thoughts?|analysis|"
    r"justification|chain of thought|step[- ]by[- ]step[\w ]*)\s*[*_]*\s*:",
    re.IGNORECASE | re.MULTILINE,
)
NEXT = re.compile(r"^[\s*#>]*(?:question|q|story|passage|context)[*_]*\s*\d*\s*:", re.I | re.M)

# --- within sentences -----------------------------------------------------------------------------

NEGATOR = Phrase(
    "not never cannot neither nor without t no instead rather other except excluding anything "
    "impossible unable whether unclear unknown",
    r"\b(?:not(?!\s+(?:only|just)\b)|never|cannot|neither|nor|without|\w+n't|no\s+longer|"
    r"instead\s+of|rather\s+than|other\s+than|except(?:\s+for)?|excluding|anything\s+but|"
    r"impossible|unable|whether|unclear|unknown)\b",
)
NO_SUCH = re.compile(r"\bno\s+(?:\w+\s+)?(?:the\s+)?$", re.IGNORECASE)
"""'no' before what it denies."""
NOT_AFTER = Phrase(
    "nahi nahin नह",
    r"\s*(?:(?:mein|me|par|ke paas|में|पर|के पास)\s+)?(?:nahin?|नहीं?)(?![\w\u0900-\u0963])",
)
"""'not' after what it denies, as in Hindi. A vowel sign ends a word for `re`, so नहीं begins with
the word नह.
"""
CLAUSE_END = re.compile(
    r"[.;:!?\n()—–।]|\b(?:but|however|instead(?!\s+of)|so|because|since|though|although|"
    r"and\s+(?:is|was|are|now|then|she|he|it|they|has|went|moved|so))\b",
    re.IGNORECASE,
)
REFUSAL = Phrase(
    "not t never cannot no insufficient impossible unable unknown unclear undetermined "
    "indeterminate undeterminable unsure unanswerable ambiguous refuse decline n",
    r"\b(?:(?:do(?:es)?\s+not|don't|doesn't|did\s+not|didn't|can\s*not|can't|could\s+not|couldn't|"
    r"never)\s+(?:\w+\s+){0,3}?"
    r"(?:know|tell|determined?|say|said|state|specify|mention|answer|help|inferred?|concluded?|"
    r"deduced?|known|told|provide|give|indicate|have\s+(?:enough|sufficient|that|the))\b"
    r"|(?:not|n't|no)\s+(?:\w+\s+)?(?:enough|sufficient)\s+(?:\w+\s+)?(?:information|info|context|"
    r"details?|data|facts|evidence)"
    r"|insufficient\s+(?:\w+\s+)?(?:information|info|context|data|details?)"
    r"|(?:impossible|not\s+possible|no\s+way)\s+to\s+(?:\w+\s+)?"
    r"(?:tell|know|say|determine|answer|infer|deduce)"
    r"|unable\s+to|unknown|unclear|undetermined|indeterminate|undeterminable|unsure|unanswerable|"
    r"not\s+(?:sure|certain|clear|stated|specified|given|mentioned|known|determinable|provided)|"
    r"no\s+(?:idea|clue|information|mention)|ambiguous|cannot\s+be\s+determined"
    r"|i\s+(?:refuse|decline)|won't\s+(?:answer|be\s+able)"
    r")\b|(?<!\w)n/a(?!\w)",
)
NOT_KNOWN = Phrase(
    "nahi nahin नह",
    r"(?<!\w)(?:(?:pata|ma+lu?oom|malum|ja+nka+ri|spasht|bata+ya)\s+nahin?"
    r"|nahin?\s+(?:pata|ma+lu?oom|malum|ja+nta|ja+nti|bata+ya)"
    r"|(?:keh|kah|bata)\s+nahin?\s+sak\w*|kaha\s+nahin?\s+ja\s+sakta)(?!\w)"
    r"|(?:पता|मालूम|जानकारी|स्पष्ट|बताया)\s+नहीं?|नहीं?\s+(?:पता|मालूम|जानता|जानती|बताया)"
    r"|(?:कह|बता)\s+नहीं?\s+सक|कहा\s+नहीं?\s+जा\s+सकता",
)
"""The same in Hindi, where the 'no' in it does not count as an answer."""
# words in which an answer only seems to occur
IDIOM = Phrase(
    "no none nothing yes one",
    r"\bno\s+(?:longer|one|doubt|more|information|mention|way|idea|clue|evidence|indication|matter|"
    r"problem|enough|sufficient|need|other|further|reason|change)\b"
    r"|\bno(?=\s+(?:person|place|room|sentence|statement))"
    r"|\bnone\s+of\s+the\s+(?:above|other)|\b(?:nothing|none)\s+(?:but|except|other\s+than|else)\b"
    r"|\byes\s*(?:/|or)\s*no(?:\s*(?:/|or)\s*maybe)?\b|\byes\s*,\s*no\s*,?\s*or\s+maybe\b"
    r"|\bthe\s+one\s+(?=who|that)|\bat\s+one\s+point|\bone\s+(?:by\s+one|another)",
)
NUMBERED = re.compile(
    r"\b(?:sentence|line|step|fact|statement|clue|event)s?\s+#?\d+(?:\s*(?:,|and|&|-|to)\s*\d+)*"
    r"|(?<!:\s)(?<!:)\[\d+(?:\s*,\s*\d+)*\]|(?:(?<=\n)|^)\s*\d+[.)](?=\s)",
    re.IGNORECASE,
)
"""Numbers of sentences and list items, which do not count as answers."""
ASIDE = re.compile(
    r"\([^()]*\)|\[[^\[\]]*\]"
    r"|(?:,\s*)?\b(?:because|since|given\s+that|due\s+to|as\s+(?:she|he|it|they|the|[A-Z])|"
    r"after\s+(?:leaving|moving|being)|having|which|where\s+(?:she|he|it|they)|"
    r"(?:she|he|they)\s+(?:just\s+)?(?:left|dropped|gave|put))\b[^.\n]*"
)
REVISION = Phrase(
    "wait actually correction sorry oops scratch on",
    r"\b(?:wait|actually|correction|sorry|oops|scratch that|on second)\b",
)
THEREFORE = Phrase(
    "so therefore thus hence consequently conclusion total result means follows",
    r"(?:^|[.,;:\n]\s*|\band\s+)(?:so|therefore|thus|hence|consequently|"
    r"(?:in )?conclusion|(?:in )?total|result|"
    r"th(?:is|at) means(?: that)?|it follows(?: that)?)\b[,:]?",
)
FILLER = frozenset(
    re.findall(
        r"[\w'-]+",
        "the a an in at on to of is it it's its be inside within located probably likely surely "
        "definitely just only and or both i i'd i'm think believe guess say would must therefore "
        "so thus well ok okay sure actually wait object objects item items thing things there "
        "currently now still room go goes then s "
        "vah voh woh ve mein me par hai hain ab aur ya sahi ke paas javaab jawab uttar "
        "वह वे में पर है हैं अब और या सही के पास जवाब उत्तर",
    )
)
"""Words that may occur in a sentence that does nothing but answer."""
PRONOUNS = frozenset({"she", "he", "they"})
