"""Statistics against values known from elsewhere."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, isnan

import pytest

from fabula.core.seeds import Draw, stream
from fabula.evaluation import statistics
from fabula.evaluation.statistics import (
    Story,
    difference,
    effective,
    holm,
    kendall,
    mcnemar,
    pearson,
    share,
    sign_flip,
    wilson,
)


def test_wilson_as_in_the_textbooks() -> None:
    # Newcombe 1998, Table I, method 3
    assert wilson(81, 263) == pytest.approx((81 / 263, 0.2553, 0.3662), abs=5e-5)
    assert wilson(15, 148) == pytest.approx((15 / 148, 0.0624, 0.1605), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.0, 0.1611), abs=5e-5)
    assert wilson(1, 29) == pytest.approx((1 / 29, 0.0061, 0.1718), abs=5e-5)
    assert wilson(5, 5).high == 1.0


def test_no_cases_are_no_share() -> None:
    value, low, high = wilson(0, 0)
    assert isnan(value)
    assert (low, high) == (0, 1)


@pytest.mark.parametrize(("first", "second"), [(0, 5), (2, 9), (10, 10), (40, 61)])
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    count = first + second
    tail = sum(Fraction(comb(count, k), 2**count) for k in range(min(first, second) + 1))
    assert mcnemar(first, second) == pytest.approx(float(min(Fraction(1), 2 * tail)), rel=1e-12)


def test_mcnemar_of_many_cases_agrees_with_whole_numbers() -> None:
    for first, second in ((480, 520), (450, 551), (3000, 3150)):
        count = first + second
        tail = sum(comb(count, k) for k in range(first + 1))
        assert mcnemar(first, second) == pytest.approx(
            float(Fraction(2 * tail, 2**count)), rel=1e-9
        )
    assert mcnemar(500, 500) == 1.0
    assert 0 <= mcnemar(0, 50_000) < 1e-300
    assert mcnemar(0, 0) == 1.0


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def drawn(draw: Draw, accuracy: float, questions: int) -> Story:
    """A story whose questions are easy or hard together: right with a chance of its own."""
    chance = draw() ** ((1 - accuracy) / accuracy)  # a beta distribution with this mean
    return Story(sum(draw() < chance for _ in range(questions)), questions)


def test_without_shared_stories_all_is_as_for_single_cases() -> None:
    stories = [Story(at % 3 > 0, 1) for at in range(90)]
    assert effective(stories) == 90
    assert share(stories) == wilson(60, 90)
    assert sign_flip([1] * 9 + [-1] * 2 + [0] * 40) == mcnemar(2, 9)
    assert sign_flip([]) == sign_flip([0, 0]) == sign_flip([3, -3]) == 1.0


def test_questions_that_stand_or_fall_together_are_worth_one() -> None:
    together = [Story(5 * (at % 2), 5) for at in range(400)]
    assert effective(together) == pytest.approx(400, rel=0.02)
    apart = [Story(2 + at % 2, 5) for at in range(400)]  # hardly differ between stories
    assert effective(apart) == pytest.approx(2000, rel=0.02)
    # all right: nobody knows how much the questions of a story agree
    assert effective([Story(5, 5)] * 400) == pytest.approx(400, rel=0.02)
    assert share([Story(10, 10)]).low < 0.3
    assert isnan(share([]).value)
    assert share([Story(5, 5), Story(0, 5)]).high - share([Story(5, 5), Story(0, 5)]).low > 0.8


def test_the_sign_flip_test_counts_all_choices_of_signs() -> None:
    for found in ([3, 1, 1, -2], [5, 4, -1], [2, 2, 2, -1, 3, 1, -4], [7]):
        sums = [
            abs(sum(sign * size for sign, size in zip(signs, found, strict=True)))
            for signs in product((1, -1), repeat=len(found))
        ]
        extreme = sum(each >= abs(sum(found)) for each in sums)
        assert sign_flip(found) == pytest.approx(extreme / len(sums), rel=1e-12)


def test_the_approximation_for_many_stories_agrees_with_the_exact_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw = stream("test", 1, "", 0, "normal")
    found = [int(draw() * 8) - 3 for _ in range(300)]
    exact = sign_flip(found)
    monkeypatch.setattr(statistics, "EXACT", 0)
    assert sign_flip(found) == pytest.approx(exact, rel=0.1)
    assert 1e-6 < exact < 0.05


@pytest.mark.parametrize(("stories", "accuracy"), [(40, 0.5), (40, 0.8)])
def test_level_and_coverage_with_ten_questions_to_a_story(stories: int, accuracy: float) -> None:
    """No difference: the test rejects about 5%; McNemar over questions would about half."""
    draw = stream("test", 1, "", stories, "level")
    times, rejected, naive, covered, covered_difference = 400, 0, 0, 0, 0
    for _ in range(times):
        first, second = ([drawn(draw, accuracy, 10) for _ in range(stories)] for _ in range(2))
        gaps = [int(a.value - b.value) for a, b in zip(first, second, strict=True)]
        rejected += sign_flip(gaps) < 0.05
        # of questions answered by chances of their own, as many differ either way on average
        only_first = sum(a.value * (10 - b.value) / 10 for a, b in zip(first, second, strict=True))
        only_second = sum(b.value * (10 - a.value) / 10 for a, b in zip(first, second, strict=True))
        naive += mcnemar(round(only_first), round(only_second)) < 0.05
        value = share(first)
        covered += value.low <= accuracy <= value.high
        gap = difference([Story(each, 10) for each in gaps])
        covered_difference += gap.low <= 0 <= gap.high
    assert 0.025 <= rejected / times <= 0.075
    assert naive / times > 0.2
    assert 0.92 <= covered / times <= 0.98
    assert 0.92 <= covered_difference / times <= 0.98


def test_a_difference_is_never_certain() -> None:
    assert difference([Story(0, 1)] * 50) == pytest.approx((0, -0.04, 0.04), abs=0.001)
    assert isnan(difference([Story(1, 4)]).low)
    assert isnan(difference([]).value)


def test_correlations() -> None:
    # Anscombe's first quartet
    x = [10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5]
    y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68]
    r = pearson(x, y)
    assert r.value == pytest.approx(0.81642, abs=1e-5)
    assert (r.low, r.high) == pytest.approx((0.4244, 0.9507), abs=1e-4)
    # ties, by hand: 4 pairs agree, none disagrees, one tie each: 4 / sqrt(5 * 5)
    assert kendall([1, 1, 2, 3], [1, 2, 3, 3]).value == pytest.approx(0.8)
    assert isnan(pearson([1, 1], [2, 3]).value)
