"""The text of kinship stories: cases, constraints of scenes, mention forms, threads."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import cycle, pairwise, product
from typing import Any

import pytest
from tests.kinship_stories import recipe, shipped, stories

from fabula.analysis.verify import objections
from fabula.core.seeds import pick, stream
from fabula.errors import ParseError
from fabula.world.kinship import KINSHIP
from fabula.world.kinship.algebra import FEMALE, MALE, OPTIONS, fold, vocabulary
from fabula.world.kinship.family import Family, members
from fabula.world.kinship.mentions import FREE, Wording
from fabula.world.kinship.phrases import Meaning, Person, Scene, phrases
from fabula.world.kinship.telling import tell

TONGUE = phrases("en")
FORMS = TONGUE.mentions
EVERY = vocabulary(frozenset(OPTIONS))
BLOOD = vocabulary(frozenset(OPTIONS) - {"by-marriage"})
GENDERS = (MALE, FEMALE)
ANYTHING = (False, False)
WOMEN, MEN = ("Ann", "Cara", "Dora", "Emma"), ("Bob", "Carl", "Dan", "Eric")


def all_scenes() -> list[Scene]:
    """Every scene, those of threads included."""
    return list(TONGUE._known.values())


def people(*genders: str) -> list[Person]:
    return [Person((MEN if g == MALE else WOMEN)[n], g) for n, g in enumerate(genders)]


def filled(scene: Scene, *fillers: str) -> str:
    """The sentence of a scene with these mentions, written as in a story."""
    text = scene.parts[0]
    for filler, part in zip(fillers, scene.parts[1:], strict=True):
        rest = part.removeprefix("'s") if filler in ("his", "her") else part
        text += (filler[:-1] if filler[-1] == "," and part[:1] in ".;:!?" else filler) + rest
    return text[0].upper() + text[1:]


@pytest.fixture(scope="module")
def units() -> list[str]:
    """Many units about all relations, of both ways to tell them."""
    draw = stream("text", 0, "", 0, "tell")
    found = []
    relations = list(BLOOD.relations)
    for n in range(12_000):
        links = [pick(draw, relations) for _ in range(1 + n % 3)]
        genders = [pick(draw, GENDERS)]
        for link in links:
            other = MALE if genders[-1] == FEMALE else FEMALE
            genders.append(other if link == "spouse" else pick(draw, GENDERS))
        pool = TONGUE.pools["any"]
        if n % 4 == 3:
            occasion = pick(draw, TONGUE.occasions["any"])
            pool = pick(draw, occasion).pool
        found.append(tell(TONGUE, people(*genders), links, draw, pool))
    return found


# --- cases and constraints ----------------------------------------------------------------------

KIN = "|".join(EVERY.words)
BAD_TEXT = {
    "an object where a subject must stand": r"\b(?:him|her) (?:had|has|was|were|could|would|did)\b",
    "an object after a conjunction": r"\b(?:how|while|because|although|until|so that) him\b",
    "a subject after a preposition": r"\b(?:of|with|to|for|from|at|by|about|on|past) (?:he|she)\b",
    "a possession 'of him'": r"\b(?:monogram|hair|cast|letters|diaries|memoirs|forearm|advice|"
    rf"encyclopaedias|campaign|supervision|behalf) of (?:him|her)\b(?! (?:{KIN}))",
    "a present since": r"\b(?:belongs|keeps|lives|owns)\b[^.]* since\b",
    "eloping": r"\belop",
    "a garden path": r"\bher (?:marrow|thick|three|four|ten|eleven|celestial|longer|pyjamas|win"
    r"|shorthand|back|hold|choose|half)\b",
    "a schoolchild": r"\b(?:recess|detention|pocket money|bedtime)\b",
}


@pytest.mark.parametrize("what", BAD_TEXT)
def test_a_large_sample_has_no(what: str, units: list[str]) -> None:
    found = [unit for unit in units if re.search(BAD_TEXT[what], unit, re.IGNORECASE)]
    assert not found, found[:3]


def test_every_pronoun_in_every_scene_has_its_case() -> None:
    for scene in all_scenes():
        if scene.second:
            for gender in GENDERS:
                pronoun = TONGUE.pronoun(gender, scene.second)
                text = filled(scene, "Alex", pronoun)
                for what, pattern in BAD_TEXT.items():
                    assert not re.search(pattern, text), (what, text)
    assert Counter(scene.second for scene in all_scenes())["his"] >= 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{1} lent {2 him} thick mittens.", "reads like a possessive"),
        ("{1} and {2 he} sang.", "no pronoun can stand"),
        ("{1 he} sang for {2}.", "only the second slot"),
        ("{2} sang for {1}.", "slots in order"),
        ("{1}, {2} sang.", "more than a comma"),
        ("{1} sang for {2}", "full stop"),
        ("{1} sang for {2 they}.", "slots in order"),
    ],
)
def test_a_scene_that_cannot_be_told_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TONGUE._scene("pair", 0, text)


def test_what_a_slot_takes_no_pronoun_for_is_not_parsed() -> None:
    text = "Ann's uncle Bob crowned {} marrow champion with a cardboard tiara."
    with pytest.raises(ParseError):
        TONGUE.parse(text.format("her"))
    TONGUE.parse("Ann's uncle Bob scored an own goal, and she has not stopped teasing since.")
    with pytest.raises(ParseError):
        TONGUE.parse("Ann's uncle Bob scored an own goal, and her has not stopped teasing since.")


OTHERS = re.compile(r"^(?:Following a tip|In the reign|With the stealth|According to)[^,]*,(.*)$")


def test_nobody_else_comes_before_a_possessive(units: list[str]) -> None:
    led = 0
    for unit in units:
        for sentence in unit.split(". "):
            rest = OTHERS.match(sentence)
            if rest:
                led += 1
                assert not re.search(r"\b(?:his|her|him|he|she|hers)\b", rest[1]), sentence
    assert led > 20


SOMEBODY_ELSE = re.compile(
    r"\b(?:a|an|the|some|no|one) (?:\w+ )?(?:man|woman|boy|girl|child|vicar|mayor|captain|guard"
    r"|cellist|pianist|reporter|customer|visitor|teacher|doctor|driver|conductor|baker|farmer)\b"
)


def test_scenes_bring_in_nobody_else_before_a_possessive() -> None:
    for scene in all_scenes():
        before = " ".join(scene.parts[: 1 if scene.kind == "solo" else 2]).lower()
        assert not SOMEBODY_ELSE.search(before), scene.parts


def relation_between(meaning: Meaning, first: str, second: str) -> str | None:
    """What the second person is to the first by one of the facts."""
    for word, a, b in meaning.kin:
        relation = EVERY.relation_of[word][0]
        if (a, b) == (first, second):
            return relation
        if (b, a) == (first, second):
            return EVERY.mirror[relation]
    return None


def test_scenes_keep_their_ages(units: list[str]) -> None:
    ages = {
        "notched the doorframe": {"child", "grandchild", "great-grandchild", "nibling"},
        "earned a badge": set(BLOOD.relations)
        - {"parent", "grandparent", "great-grandparent", "pibling", "parent-in-law"},
        "joined the fire brigade": set(BLOOD.relations)
        - {"child", "grandchild", "great-grandchild", "nibling", "child-in-law"},
    }
    seen: Counter[str] = Counter()
    draw = stream("ages", 0, "", 0, "tell")
    limited = tuple(group for group in TONGUE.pools["any"].pair if group[0].fits)
    assert len(limited) >= 5
    # each relation must still be tellable, so scenes without limits are among them
    pool = TONGUE.pools["any"]._replace(pair=(*limited, *TONGUE.pools["any"].pair[:5]), leads=())
    for relation, _ in product(BLOOD.relations, range(60)):
        genders = (MALE, FEMALE) if relation == "spouse" else (pick(draw, GENDERS), FEMALE)
        units.append(tell(TONGUE, people(*genders), [relation], draw, pool))
    for unit in units:
        for mark, allowed in ages.items():
            if mark in unit:
                sentence = next(s for s in TONGUE.without_settings(unit) if mark in s)
                first = re.findall(r"Ann|Bob|Cara|Carl|Dora|Dan|Emma|Eric", sentence)[0]
                scene, mentions = TONGUE._scene_of(sentence)
                assert scene
                told = [m.person for m in mentions if m.person] + [m.anchor for m in mentions]
                other = next(p for p in told if p and p != first and p[0].isupper())
                if mentions[0].form != "name":
                    first, other = mentions[0].person, mentions[0].anchor
                assert relation_between(TONGUE.parse(unit), first, other) in allowed, unit
                seen[mark] += 1
    assert min(seen[mark] for mark in ages) > 10


# --- mention forms ------------------------------------------------------------------------------


def test_there_are_many_forms() -> None:
    assert len(FORMS.forms) >= 26
    spelled_out = [form for form in FORMS.forms.values() if form.path]
    assert len(spelled_out) >= 15
    assert {form.own for form in FORMS.forms.values()} == {True, False}


def meaning_of(form: str, relation: str, known: Person, new: Person) -> set[tuple[str, str, str]]:
    """The fact that a form tells, as it words it: written down here a second time."""
    turned = re.search(r"\{(?:an_)?inverse\}", FORMS.forms[form].text)
    if turned:
        return {(EVERY.word(EVERY.mirror[relation], known.gender), new.name, known.name)}
    return {(EVERY.word(relation, new.gender), known.name, new.name)}


def combinations() -> list[tuple[Wording, str, Person, Person]]:
    """Every form with every relation and all genders that it can tell."""
    found: list[tuple[Wording, str, Person, Person]] = []
    for relation, known, new in product(BLOOD.relations, GENDERS, GENDERS):
        if relation == "spouse" and known == new:
            continue
        for own in (True, False):
            for wording in set(FORMS.every.fitting(own, relation, known, new, FREE, ANYTHING)):
                first, second = people(known, new)
                found.append((wording, relation, first, second))
    return sorted(found)


def test_every_form_tells_what_it_means() -> None:
    scene = TONGUE._known["\x00 and \x00 took up yoga and toppled like skittles."]
    named = TONGUE._known["\x00 dozed off at the dessert table, fork in hand."]
    used = set()
    for wording, relation, known, new in combinations():
        used.add(wording.form)
        mention = wording.text.format(a=known.name, b=new.name)
        unit = filled(scene, known.name, mention) if wording.own else filled(named, mention)
        meaning = TONGUE.parse(unit)
        assert set(meaning.kin) == meaning_of(wording.form, relation, known, new), unit
        told = dict(meaning.genders)
        assert told.items() <= {(known.name, known.gender), (new.name, new.gender)}, unit
        assert (known.name in told) == wording.tells_known, unit
        assert (new.name in told) == wording.tells_new, unit
    assert used == set(FORMS.forms)


def test_no_text_means_two_things() -> None:
    """Every form in every slot of every scene: the text parses back, so it has one meaning."""
    texts: dict[str, set[tuple[str, str, str]]] = {}
    by_form: defaultdict[tuple[str, bool], list[tuple[Wording, str, Person, Person]]]
    by_form = defaultdict(list)
    for each in combinations():
        by_form[each[0].form, each[0].own].append(each)
    turns = {key: cycle(found) for key, found in by_form.items()}
    count = 0
    for scene in all_scenes():
        for (form, own), turn in turns.items():
            wording, relation, known, new = next(turn)
            mention = wording.text.format(a=known.name, b=new.name)
            other = "Zoe"
            variants = []
            if scene.kind == "solo":
                variants = [] if own else [(0, [mention])]
            elif scene.kind == "pair":
                if own:
                    variants = [(1, [known.name, mention])]
                elif scene.second and known.gender != new.gender:
                    variants = [(0, [mention, TONGUE.pronoun(known.gender, scene.second)])]
            elif own:
                variants = [(1, [known.name, mention, other])]
            else:
                variants = [(2, [known.name, other, mention])]
            for slot, fillers in variants:
                room = scene.rooms[slot]
                fitting = FORMS.every.fitting(
                    own, relation, known.gender, new.gender, room, ANYTHING
                )
                if wording not in fitting:
                    continue
                text = filled(scene, *fillers)
                meant = meaning_of(form, relation, known, new)
                assert set(TONGUE.parse(text).kin) == meant, text
                assert texts.setdefault(text, meant) == meant, text
                count += 1
    assert count > 20_000


def test_forms_that_spell_a_relation_out_are_that_relation() -> None:
    """In families as they are drawn, the steps lead to exactly the relatives that are named."""
    families = [Family(stream("f", seed, "", 0, "x"), BLOOD, 4, (1, 3), 0.8) for seed in range(4)]
    for form in FORMS.forms.values():
        if not form.path:
            continue
        (relation,) = form.relations
        assert fold([BLOOD.mask[step] for step in form.path]) == BLOOD.mask[relation]
        for family in families:
            for person in range(len(family)):
                reached = {person}
                for step in form.path:
                    reached = {
                        q for p in reached for q in members(family.pedigree.relatives(p, step))
                    }
                known = set(members(family.pedigree.relatives(person, relation)))
                assert reached - {person} == known, form.name


def test_an_uncle_by_marriage_is_not_called_a_brother_of_a_parent() -> None:
    for by_marriage in (False, True):
        forms = FORMS.choose(by_marriage=by_marriage)
        found = forms.fitting(True, "pibling", FEMALE, MALE, FREE, ANYTHING)
        spelled_out = [wording for wording in found if FORMS.forms[wording.form].path]
        assert bool(spelled_out) != by_marriage
    keys: dict[str, Any] = {
        "words": ["by-marriage"],
        "asks": {"kin-by-marriage": 1},
        "tasks": [{"k": 3}],
    }
    for story in stories(60, **keys):
        assert not any("of one of" in unit and "brother" in unit for unit in story.story)


@pytest.mark.parametrize("pool", ["seen", "held-out"])
def test_only_chosen_forms_are_used(pool: str) -> None:
    names = FORMS.pools[pool]
    forms = FORMS.choose(names)
    draw, used = stream("forms", 0, pool, 0, "tell"), set()
    relations = list(BLOOD.relations)
    for _ in range(3000):
        links = [pick(draw, relations) for _ in range(3)]
        genders = [MALE, FEMALE, MALE, FEMALE]
        unit = tell(TONGUE, people(*genders), links, draw, TONGUE.pools["any"], forms=forms)
        for sentence in TONGUE.without_settings(unit):
            used |= {mention.form for mention in TONGUE._scene_of(sentence)[1]}
        assert len(TONGUE.parse(unit).kin) == 3
    assert used - {"name", "pronoun"} == set(names)


def test_pools_of_forms() -> None:
    seen, held = set(FORMS.pools["seen"]), set(FORMS.pools["held-out"])
    assert seen | held == set(FORMS.forms)
    assert not seen & held
    assert 0.15 < len(held) / len(FORMS.forms) < 0.3


def test_a_choice_of_forms_must_do() -> None:
    with pytest.raises(
        ValueError, match=r"unknown mention form 'his-kim'\. Did you mean 'his-kin'"
    ):
        FORMS.choose(["his-kim"])
    with pytest.raises(ValueError, match="cannot introduce the"):
        FORMS.choose(["a-kin"])
    assert FORMS.choose(["his-kin"]) is FORMS.choose(["his-kin"])


def test_all_forms_come_up_in_stories() -> None:
    used: Counter[str] = Counter()
    for story in shipped("clutrr/gen-234", "train", 1000):
        for unit, role in zip(story.story, story.roles, strict=True):
            if role == "convention":
                continue
            for sentence in TONGUE.without_settings(unit):
                used.update(mention.form for mention in TONGUE._scene_of(sentence)[1])
    assert len(set(used) & set(FORMS.forms)) >= 40
    common = used.most_common(3)
    assert common[0][1] / sum(used.values()) < 0.5


# --- threads ------------------------------------------------------------------------------------


def occasions_of(story: tuple[str, ...], pool: str = "any") -> list[int]:
    """The numbers of the phases that the sentences of a story come from, in order."""
    phase_of = {}
    phases = [phase for occasion in TONGUE.occasions[pool] for phase in occasion]
    for n, phase in enumerate(phases):
        for group in (*phase.pool.pair, *phase.pool.solo, *phase.pool.trio):
            phase_of[group[0].base] = n
    return [phase_of[base] for unit in story for base in TONGUE.scenes_in(unit)]


@pytest.mark.parametrize("k", [2, 4, 7, 10])
def test_a_story_with_a_thread_is_one_occasion(k: int) -> None:
    for record in stories(24, telling="thread", tasks=[{"k": k}]):
        told = occasions_of(record.story)
        assert len({n // 4 for n in told}) == 1
        assert told == sorted(told)
        bases = [base for unit in record.story for base in TONGUE.scenes_in(unit)]
        assert len(bases) == len(set(bases))
        openings = {o for occasion in TONGUE.occasions["any"] for o in occasion[0].openings}
        assert any(record.story[0].startswith(opening) for opening in openings)


def test_stories_with_a_thread_are_proven() -> None:
    noise = ["supporting", "irrelevant", "disconnected"]
    for record in stories(12, telling="thread", tasks=[{"k": 3, "noise": noise}, {"k": 5}]):
        assert not objections(record), record.story


def test_long_stories_have_several_occasions() -> None:
    noise = ["irrelevant", "disconnected"]
    tasks = [{"k": 20, "noise": noise}]
    for record in stories(6, telling="thread", tasks=tasks, family={"generations": 6}):
        told = occasions_of(record.story)
        assert 2 <= len({n // 4 for n in told}) <= 3
        order = [n // 4 for n in told]
        assert len([1 for a, b in pairwise(order) if a != b]) <= 2


def test_held_out_occasions_are_not_seen() -> None:
    seen, held = TONGUE.occasions["seen"], TONGUE.occasions["held-out"]
    assert len(seen) == 8
    assert len(held) == 2
    assert not set(seen) & set(held)
    keys: dict[str, Any] = {"telling": "thread", "phrases": "seen"}
    keys["split_overrides"] = {"test": {"phrases": "held-out"}}
    train, test = (
        {base for i in stories(40, split, **keys) for u in i.story for base in TONGUE.scenes_in(u)}
        for split in ("train", "test")
    )
    assert train
    assert test
    assert not train & test


def test_threads_go_along_the_chain_if_asked() -> None:
    for record in stories(10, telling="thread", order="chain", group=1, tasks=[{"k": 6}]):
        names = [name for name, _ in record.features["people"]]
        pairs = [{f[1], f[2]} for unit in record.facts for f in unit if len(f) == 3]
        assert pairs == [{a, b} for a, b in pairwise(names)]


def test_the_recipe_names_the_ways_of_telling() -> None:
    with pytest.raises(Exception, match="thread"):
        recipe(telling="threads")


def test_an_opening_word_is_not_a_name() -> None:
    told = "Giulia's son-in-law, Derek, identified seven vintages that she had decanted."
    reading = KINSHIP.read("en", [f"Blindfolded, {told}"])
    assert ("son-in-law", "Giulia", "Derek") in reading.facts()[0]
