"""Which clauses there are, and which are held out.

A clause is a sequence of (relation, gender), written as its words: mother-brother. Short ones (up
to LISTED facts) are listed, so that stories can go through them in turn and a tenth of those for
each target can be held out exactly; of the many longer ones a hash decides. Clauses of two facts
are the rules themselves and are never held out, so training on k = 2 shows every rule.

For longer chains, `ends` weighs the clauses they grow from so that the first and the last relation
tell as little of the target as can be: nothing from five facts on, whereas equally frequent
clauses would let a table of these two guess every other one.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

from fabula.seeds import Draw, fingerprint, pick, stream
from fabula.worlds.kinship.algebra import FEMALE, MALE, Vocabulary, fold, mask_of
from fabula.worlds.kinship.chains import along, grown
from fabula.worlds.kinship.family import Family

LISTED = 3
SEED = 5  # facts of the clause from which a longer chain grows
SAMPLE = 40  # families looked through for a clause before it is called impossible

Clause = tuple[tuple[str, str], ...]


class FamilyShape(NamedTuple):
    """What a family is drawn from."""

    generations: int
    children: tuple[int, int]
    marriage: float


def spelled(vocabulary: Vocabulary, clause: Clause) -> str:
    """The clause as words."""
    return "-".join(vocabulary.word(relation, gender) for relation, gender in clause)


@lru_cache(maxsize=32)
def listed(vocabulary: Vocabulary, shape: FamilyShape, k: int) -> dict[str, tuple[Clause, ...]]:
    """For each target word all clauses of k facts that such families hold, in a mixed order."""
    draw = stream("kinship clauses", 0, "", k, repr(shape))
    families = [Family(draw, vocabulary, *shape) for _ in range(SAMPLE)]
    found: dict[str, list[Clause]] = {word: [] for word in vocabulary.words}
    for relations, head in vocabulary.clauses(k).items():
        # first of all whatever the genders, since most clauses that no family holds fail here
        for genders in [[""] * k, *product((MALE, FEMALE), repeat=k)]:
            clause = tuple(zip(relations, genders, strict=True))
            if genders[-1] and (not _gendered(vocabulary, clause) or _at_odds(vocabulary, clause)):
                continue
            held = any(along(family, vocabulary, draw, clause, tries=60) for family in families)
            if held and genders[-1]:
                found[vocabulary.word(head, genders[-1])].append(clause)
            elif not held and not genders[-1]:
                break
    return {
        word: tuple(sorted(set(clauses), key=lambda c: fingerprint(spelled(vocabulary, c))))
        for word, clauses in found.items()
        if clauses
    }


def _gendered(vocabulary: Vocabulary, clause: Clause) -> bool:
    """Whether the last word tells the gender (cousin does not), or the clause needs none."""
    relation = vocabulary.relations[clause[-1][0]]
    if relation.male != relation.female:
        return True
    head = vocabulary.named(fold([vocabulary.mask[r] for r, _ in clause]))
    return head is not None and vocabulary.relations[head].male == vocabulary.relations[head].female


def _at_odds(vocabulary: Vocabulary, clause: Clause) -> bool:
    """Whether two of one gender would be married."""
    masks = [vocabulary.mask[relation] for relation, _ in clause]
    married = mask_of(["M"])
    for i in range(len(clause)):
        for j in range(i + 1, len(clause)):
            # from person i + 1 to person j + 1
            if clause[i][1] == clause[j][1] and fold(masks[i + 1 : j + 1]) == married:
                return True
    return False


@lru_cache(maxsize=32)
def _held(vocabulary: Vocabulary, shape: FamilyShape, k: int, share: float) -> frozenset[str]:
    """The listed clauses that are held out: of every target the same share, at least one."""
    held = set()
    for clauses in listed(vocabulary, shape, k).values():
        count = max(1, round(len(clauses) * share)) if len(clauses) > 1 and share else 0
        held |= {spelled(vocabulary, clause) for clause in clauses[:count]}
    return frozenset(held)


def held_out(vocabulary: Vocabulary, shape: FamilyShape, clause: Clause, share: float) -> bool:
    """Whether a clause is held out of training."""
    k = len(clause)
    if k <= 2:
        return False
    text = spelled(vocabulary, clause)
    if k <= LISTED:
        return text in _held(vocabulary, shape, k, share)
    return fingerprint("clause:" + text) < share * 2**64


@lru_cache(maxsize=128)
def choice(
    vocabulary: Vocabulary, shape: FamilyShape, k: int, which: str, share: float
) -> dict[str, tuple[Clause, ...]]:
    """The listed clauses of k facts by target: 'any', those 'kept', or those 'held-out'."""
    found = {}
    for word, clauses in listed(vocabulary, shape, k).items():
        wanted = tuple(
            clause
            for clause in clauses
            if which == "any" or held_out(vocabulary, shape, clause, share) == (which == "held-out")
        )
        if wanted:
            found[word] = wanted
    return found


class Ends(NamedTuple):
    """The clauses of a target by their first and last relation."""

    pairs: tuple[tuple[str, str], ...]
    weights: tuple[float, ...]
    """How often each pair should come."""
    clauses: tuple[tuple[tuple[str, ...], ...], ...]
    """For each pair the clauses."""


@lru_cache(maxsize=32)
def _seeds(
    vocabulary: Vocabulary, shape: FamilyShape, k: int
) -> dict[str, dict[tuple[str, str], list[tuple[str, ...]]]]:
    """For each relation its clauses of k facts that most families hold, by their ends."""
    draw = stream("kinship seeds", 0, "", k, repr(shape))
    families = [Family(draw, vocabulary, *shape) for _ in range(12)]
    found: dict[str, dict[tuple[str, str], list[tuple[str, ...]]]] = {}
    for clause, head in vocabulary.clauses(k).items():
        wanted = tuple((relation, "") for relation in clause)
        easy = sum(along(family, vocabulary, draw, wanted) is not None for family in families)
        if easy * 2 >= len(families):
            found.setdefault(head, {}).setdefault((clause[0], clause[-1]), []).append(clause)
    return found


def _grows(
    family: Family, vocabulary: Vocabulary, draw: Draw, seeds: list[tuple[str, ...]], k: int
) -> bool:
    """Whether a chain of k facts soon grows from one of these clauses."""
    for _ in range(3):
        clause = tuple((relation, "") for relation in pick(draw, seeds))
        links = along(family, vocabulary, draw, clause)
        if links and grown(family, vocabulary, draw, links, k, fixed_ends=True) is not None:
            return True
    return False


@lru_cache(maxsize=64)
def ends(vocabulary: Vocabulary, shape: FamilyShape, k: int, rounds: int = 60) -> dict[str, Ends]:
    """For each relation the clauses from which chains of k facts grow, weighed by their ends.

    Of all ways to weigh them it is the one in which the ends carry the least information on the
    target when targets are equally frequent. Found as for a rate-distortion function: in turn, the
    ends of a target as frequent as these ends are on the whole, among those it can have.
    """
    draw = stream("kinship ends", 0, "", k, repr(shape))
    families = [Family(draw, vocabulary, *shape) for _ in range(12)]
    found: dict[str, dict[tuple[str, str], list[tuple[str, ...]]]] = {}
    for head, by_ends in _seeds(vocabulary, shape, min(k, SEED)).items():
        for pair, seeds in by_ends.items():
            # easily grown, so that drawing it does not fail and shift the weights
            easy = sum(_grows(family, vocabulary, draw, seeds, k) for family in families)
            if easy * 2 >= len(families):
                found.setdefault(head, {})[pair] = seeds
    overall: dict[tuple[str, str], float] = {}
    weights = {head: dict.fromkeys(pairs, 1 / len(pairs)) for head, pairs in found.items()}
    for _ in range(rounds):
        overall.clear()
        for pairs in weights.values():
            for pair, weight in pairs.items():
                overall[pair] = overall.get(pair, 0.0) + weight
        for pairs in weights.values():
            total = sum(overall[pair] for pair in pairs)
            for pair in pairs:
                pairs[pair] = overall[pair] / total
    return {
        head: Ends(tuple(pairs), tuple(weights[head].values()), tuple(map(tuple, pairs.values())))
        for head, pairs in found.items()
    }
