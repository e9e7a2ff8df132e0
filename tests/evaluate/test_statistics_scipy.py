"""Our statistics against SciPy's, on data drawn at random."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from fabula.core.seeds import stream
from fabula.evaluation.statistics import (
    Story,
    _student,
    difference,
    holm,
    kendall,
    mcnemar,
    pearson,
    sign_flip,
    wilson,
)


def lists(kind: str, *sizes: int) -> Iterator[tuple[list[float], list[float]]]:
    """Pairs of lists that go together to some degree; of whole numbers, so that there are ties."""
    for size in sizes:
        draw = stream("scipy", size, kind, 0, "lists")
        first = [int(draw() * 9) for _ in range(size)]
        yield [float(a) for a in first], [float(a + int(draw() * 12)) for a in first]


@pytest.mark.parametrize(
    ("right", "count"), [(0, 1), (1, 1), (0, 20), (7, 9), (81, 263), (999, 999)]
)
def test_wilson(right: int, count: int) -> None:
    interval = stats.binomtest(right, count).proportion_ci(method="wilson")
    assert wilson(right, count)[1:] == pytest.approx((interval.low, interval.high), abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second"), [(0, 1), (3, 3), (2, 9), (40, 61), (700, 820), (4000, 4321)]
)
def test_mcnemar(first: int, second: int) -> None:
    expected = stats.binomtest(first, first + second).pvalue
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 7, 20, 100, 5000])
def test_quantiles_of_t(freedom: int) -> None:
    # the expansion is at its worst for three degrees of freedom
    assert _student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=2e-3)


def test_quantiles_of_t_are_close_from_ten_degrees_on() -> None:
    for freedom in range(10, 400, 13):
        assert _student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=5e-6)


@pytest.mark.parametrize("size", [2, 5, 9, 12])
def test_sign_flip(size: int) -> None:
    draw = stream("scipy", size, "flip", 0, "differences")
    found = [int(draw() * 9) - 3 for _ in range(size)]
    exact = stats.permutation_test(
        (np.array(found),), np.sum, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(found) == pytest.approx(exact.pvalue, rel=1e-9)


def test_difference_is_the_t_interval_where_stories_have_one_question() -> None:
    draw = stream("scipy", 1, "difference", 0, "stories")
    gaps = [int(draw() * 3) - 1 for _ in range(60)]
    expected = stats.ttest_1samp(gaps, 0).confidence_interval(0.95)
    found = difference([Story(gap, 1) for gap in gaps])
    assert found == pytest.approx((np.mean(gaps), expected.low, expected.high), rel=1e-6)


def test_correlations() -> None:
    for first, second in lists("pearson", 4, 7, 30, 200):
        expected = stats.pearsonr(first, second)
        interval = expected.confidence_interval(0.95)
        found = pearson(first, second)
        assert found == pytest.approx((expected.statistic, interval.low, interval.high), rel=1e-9)
    for first, second in lists("kendall", 5, 12, 40):
        assert kendall(first, second).value == pytest.approx(
            stats.kendalltau(first, second).statistic
        )


def test_holm() -> None:
    """SciPy has no Holm; a hypothesis is rejected by ours exactly if it is by the definition."""
    draw = stream("scipy", 1, "holm", 0, "values")
    for size in (1, 3, 10):
        values = [draw() ** 3 for _ in range(size)]
        corrected = holm(values)
        assert corrected == pytest.approx(
            [
                max(
                    min(1.0, other * sum(each >= other for each in values))
                    for other in values
                    if other <= value
                )
                for value in values
            ]
        )
