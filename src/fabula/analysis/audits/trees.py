"""A family drawn as text, to show a family in which a claim does not hold.

Lena ⚭ Dennis
└─ Jessie
a man ⚭ a woman
├─ Dennis (⚭ above)
└─ Peter
"""

from __future__ import annotations

from collections.abc import Mapping

from fabula.world.kinship.families import NOBODY, Family

WORDS = {"male": "a man", "female": "a woman", "": "someone"}


def draw(family: Family, people: Mapping[str, int]) -> str:
    """The couples of a family with their children, oldest generation first."""
    names: dict[int, str] = {}
    for name, person in people.items():
        names[family.who(person)] = name
    partners: dict[int, list[int]] = {}
    children: dict[int, list[int]] = {}
    everyone = [person for person, same in enumerate(family.people) if person == same]
    for person in everyone:
        own, born = family.which(family.own[person]), family.which(family.birth[person])
        if own != NOBODY:
            partners.setdefault(own, []).append(person)
        if born != NOBODY:
            children.setdefault(born, []).append(person)
    drawn: set[int] = set()

    def called(person: int) -> str:
        return names.get(person, WORDS[family.likely_gender(person)])

    def pair(couple: int) -> str:
        both = [called(person) for person in partners.get(couple, ())]
        missing = 2 - len(both)
        known = {family.likely_gender(person) for person in partners.get(couple, ())}
        other = {"male": "a woman", "female": "a man"}.get(next(iter(known), ""), "someone")
        return " ⚭ ".join([*both, *([other] if missing == 1 else ["someone"] * missing)])

    lines: list[str] = []

    def below(couple: int, indent: str) -> None:
        drawn.add(couple)
        born = children.get(couple, [])
        for at, person in enumerate(born):
            last = at == len(born) - 1
            own = family.which(family.own[person])
            text = called(person)
            follow = own != NOBODY and own not in drawn and (own in children or own in partners)
            if own in drawn:
                text += " (⚭ above)"
            elif follow:
                mates = [called(p) for p in partners.get(own, ()) if p != person]
                text += f" ⚭ {mates[0]}" if mates else ""
            lines.append(f"{indent}{'└─' if last else '├─'} {text}")
            if follow:
                below(own, indent + ("   " if last else "│  "))

    def is_root(couple: int) -> bool:
        return all(family.birth[person] == NOBODY for person in partners.get(couple, ()))

    couples = list(dict.fromkeys([*children, *partners]))
    for couple in sorted(couples, key=lambda couple: not is_root(couple)):
        if couple not in drawn and (is_root(couple) or couple in children):
            lines.append(pair(couple))
            below(couple, "")
    alone = [p for p in everyone if family.own[p] == NOBODY == family.birth[p]]
    lines += [called(person) for person in alone]
    return "\n".join(lines)
