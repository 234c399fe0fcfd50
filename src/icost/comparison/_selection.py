"""What the recommended strategy's score is worth, as it was chosen for that score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from statistics import NormalDist
from typing import Any

import numpy as np

from icost._core.arrays import Floats, Ints
from icost._core.statistics import N_DRAWS, chosen_score, corrected_interval
from icost._core.views import METRICS
from icost.comparison._fold_run import FoldResult, Setup
from icost.comparison._splits import Splits
from icost.comparison._stages import choose_run
from icost.metrics import confusion_scores


def corrected_choice(
    by_name: Mapping[str, Sequence[FoldResult]],
    codes: Ints,
    splits: Splits,
    setup: Setup,
    chosen: str,
) -> tuple[dict[str, Any], Floats]:
    """Return the score of the recommended strategy, raw and corrected, and a covariance of scores.

    Rows, or groups of them, are drawn again and again; each time the recommendation is made anew
    from the predictions that there are, in all of its stages, and judged by the rows that were not
    drawn. The covariance is that of all strategies, in their order, over these draws.
    """
    names, metric, share = list(by_name), setup.metric, splits.test_share
    raw = float(np.mean([result.scores[metric] for result in by_name[chosen]]))
    folds, predicted = _predictions(by_name, splits, len(codes))
    expected = chosen_score(
        codes,
        predicted,
        folds,
        names.index(chosen),
        score=_mcc if setup.costs is None else _mean_cost,
        choose=partial(_choose, names=names, setup=setup, splits=splits),
        groups=setup.groups,
        row_cost=None if setup.costs is None else np.where(codes == setup.minority, *setup.costs),
        last=setup.minority if setup.n_classes == 2 else None,
        n_draws=N_DRAWS,
        random_state=setup.random_state,
    )
    # A choice for being simple may be worse than others; its own score is then no promise too much.
    sign = 1.0 if METRICS[metric][2] else -1.0
    corrected = raw - sign * max(0.0, sign * expected.optimism)
    least, most = (0.0, np.inf) if metric == "cost" else (-1.0, 1.0)
    reach = np.array([expected.below, expected.above])
    if splits.is_by_time:
        # Times differ by more than rows of one time do, which is all that the draws know.
        mean, *around = corrected_interval([r.scores[metric] for r in by_name[chosen]], share)
        reach = np.array([min(reach[0], around[0] - mean), max(reach[1], around[1] - mean)])
    ends = np.clip(corrected + reach, least, most).tolist()
    # Groups that leave no row of a class out tell nothing about the choice.
    low, high = (None, None) if np.isnan(expected.optimism) else ends
    selection = {
        "name": chosen,
        "metric": metric,
        "raw": raw,
        "corrected": None if low is None else corrected,
        "low": low,
        "high": high,
        "share": float(expected.shares[names.index(chosen)]),
        "n_draws": N_DRAWS,
    }
    return selection, expected.covariance


REFIT = 2.0
"""Variance of a difference on other rows, in multiples of that over draws of the tested rows.

The folds' models are not fitted again in the bootstrap, so that it misses what other training rows
would change. `docs/research/intervals.md` shows how often intervals with this factor contain the
true difference.
"""


def half_width(covariance: Floats, one: int, other: int, quantile: float) -> float:
    """Return half the width of the interval of a difference of two strategies."""
    variance = covariance[one, one] + covariance[other, other] - 2 * covariance[one, other]
    return float(quantile * np.sqrt(max(0.0, REFIT * variance)))


def joint_quantile(covariance: Floats, pairs: Sequence[tuple[int, int]], level: float) -> float:
    """Return how many standard errors contain the differences of all pairs at once.

    It is less than Bonferroni's bound, as differences to the same strategy go together.
    """
    identity = np.eye(len(covariance))
    contrasts = np.array([identity[one] - identity[other] for one, other in pairs or [(0, 0)]])
    spread = contrasts @ covariance @ contrasts.T
    differs = np.diag(spread) > 1e-12  # strategies that decide alike add nothing
    if not differs.any():
        return NormalDist().inv_cdf((1 + level) / 2)
    spread = spread[np.ix_(differs, differs)]
    rng = np.random.default_rng(0)
    drawn = rng.multivariate_normal(np.zeros(len(spread)), spread, 10_000, method="eigh")
    largest = np.abs(drawn / np.sqrt(np.diag(spread))).max(axis=1)
    return float(np.quantile(largest, level))


def _predictions(
    by_name: Mapping[str, Sequence[FoldResult]], splits: Splits, n_rows: int
) -> tuple[Ints, Ints]:
    """Folds and predictions of all rows by repeat, as `chosen_score` expects them."""
    folds = [np.full(n_rows, -1)]
    places = []
    for number, (_, test) in enumerate(splits.pairs):
        # A row that has been tested in this repeat begins the next one.
        if (folds[-1][test] >= 0).any():
            folds.append(np.full(n_rows, -1))
        folds[-1][test] = number
        places.append(len(folds) - 1)
    predicted = np.full((len(by_name), len(folds), n_rows), -1)
    for labels, results in zip(predicted, by_name.values(), strict=True):
        for result in results:
            labels[places[result.fold], result.rows] = result.predicted
    return np.array(folds), predicted


def _mcc(cells: Floats) -> Floats:
    return confusion_scores(cells, names=["mcc"])["mcc"]


def _mean_cost(cells: Floats, costs: Floats) -> Floats:
    """Return the cost per row, from counts of rows and from their costs by cell."""
    total = np.maximum(cells.sum(axis=(-2, -1)), 1.0)  # a fold of which no row was drawn
    return (costs[..., 1, 0] + costs[..., 0, 1]) / total


def _choose(scores: Floats, names: Sequence[str], setup: Setup, splits: Splits) -> int:
    """Recommend by the scores of folds, as the comparison does."""
    by_name = dict(zip(names, scores, strict=True))
    return names.index(choose_run(setup, by_name, splits.test_share, splits.n_folds))
