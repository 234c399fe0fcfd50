"""Does anything rank minority rows above others, or is all of it guessing?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from icost._core.arrays import Ints
from icost._core.doubts import GUESSING_LEVEL, guessing_p_value, rank_sum, right_decisions
from icost.comparison._fold_run import FoldResult

NOTHING_BETTER = (
    "Nothing here is better than guessing. No model is recommended: check the target and the "
    "columns."
)

NOTHING_IN_TIME = (
    "Nothing that there was time for is better than guessing. No model is recommended: allow more "
    "time."
)

TOO_FEW_GROUPS = (
    "Class '{}' has rows in {} groups only: even a perfect model could not be shown to be better "
    "than guessing. No model is recommended: collect more such groups."
)


def better_than_guessing(
    by_name: Mapping[str, Sequence[FoldResult]],
    codes: Ints,
    groups: Ints | None = None,
    n_tests: int = 0,
    minority: int = 1,
) -> set[str]:
    """Return the strategies whose out-of-fold scores rank minority rows above others.

    ``by_name`` has results of one repeat, in which every row is tested at most once. The test is
    Holm's: each p-value, the least first, is set against the level divided by the number of
    strategies that are left, until one is larger. ``n_tests`` counts those as well that were not
    run since others did better.
    """
    p_values = {name: p_value(runs, codes, groups, minority) for name, runs in by_name.items()}
    n_tests, better = max(n_tests, len(p_values)), set[str]()
    for name in sorted(p_values, key=p_values.__getitem__):
        if p_values[name] > GUESSING_LEVEL / (n_tests - len(better)):
            break
        better.add(name)
    return better


def p_value(
    results: Sequence[FoldResult], codes: Ints, groups: Ints | None = None, minority: int = 1
) -> float:
    """Return the one-sided p-value of guessing for one strategy.

    For two classes, one of which is the ``minority`` that the scores are of, the test is Mann and
    Whitney's, fold by fold, as scores of different models have no common scale. For more classes
    the number of right decisions is set against that of shuffled ones. With groups the variances
    count groups instead of rows.
    """
    tests = [_excess_of_fold(result, codes, groups, minority) for result in results]
    return guessing_p_value(sum(test[0] for test in tests), sum(test[1] for test in tests))


def can_be_shown(
    results: Sequence[FoldResult], codes: Ints, groups: Ints | None, minority: int, level: float
) -> bool:
    """Whether perfect predictions would be called better than guessing; few groups are too few."""
    perfect = []
    for result in results:
        truth = codes[result.rows]
        ranking = None if result.ranking is None else (truth == minority).astype(float)
        perfect.append(replace(result, predicted=truth, ranking=ranking))
    return p_value(perfect, codes, groups, minority) <= level


def _excess_of_fold(
    result: FoldResult, codes: Ints, groups: Ints | None, minority: int
) -> tuple[float, float]:
    """Return how far a statistic is above what guessing gives, and its variance."""
    truth, of_rows = codes[result.rows], None if groups is None else groups[result.rows]
    if result.ranking is None:
        return right_decisions(truth, result.predicted, of_rows)
    return rank_sum(truth == minority, result.ranking, of_rows)
