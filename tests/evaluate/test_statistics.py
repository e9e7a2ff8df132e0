"""Statistics against values known from elsewhere."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isnan

import pytest

from fabula.evaluate import statistics
from fabula.evaluate.statistics import (
    Story,
    bootstrap,
    holm,
    kendall,
    mcnemar,
    pearson,
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


def test_questions_of_one_story_count_together() -> None:
    alone = bootstrap([Story(at % 2, 1) for at in range(100)])
    together = bootstrap([Story(5 * (at % 2), 5) for at in range(20)])
    assert alone.value == together.value == 0.5
    assert together.high - together.low > 1.5 * (alone.high - alone.low)
    assert bootstrap([Story(at % 2, 1) for at in range(100)]) == alone  # the same every time


def test_the_interval_of_many_stories_is_what_resampling_comes_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stories = [Story(at % 4 // 2 * (1 + at % 3), 1 + at % 3) for at in range(600)]
    computed = bootstrap(stories)
    monkeypatch.setattr(statistics, "MANY", 10_000)
    assert bootstrap(stories) == pytest.approx(computed, abs=0.006)


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
