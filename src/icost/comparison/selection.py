"""What the recommended strategy's score is worth, as it was chosen for that score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.comparison.fold_run import FoldResult, Setup
from icost.comparison.splits import Splits
from icost.comparison.verdict import METRICS, best_strategy, choose
from icost.metrics import confusion_scores
from icost.statistics import N_DRAWS, chosen_score, corrected_error


def corrected_choice(
    by_name: Mapping[str, Sequence[FoldResult]],
    codes: NDArray[np.intp],
    splits: Splits,
    setup: Setup,
    chosen: str,
) -> dict[str, Any]:
    """Return the score of the recommended strategy as it is, and corrected for the choice.

    Rows, or groups of them, are drawn again and again; each time the recommendation is made anew
    from the predictions that there are, and judged by the rows that were not drawn.
    """
    names, metric = list(by_name), "mcc" if setup.costs is None else "cost"
    raw = float(np.mean([result.scores[metric] for result in by_name[chosen]]))
    folds, predicted = _predictions(by_name, splits, len(codes))
    found = chosen_score(
        codes,
        predicted,
        folds,
        names.index(chosen),
        score=partial(_score, costs=setup.costs),
        choose=partial(_choose, names=names, metric=metric, test_share=splits.test_share),
        groups=setup.groups,
        random_state=setup.random_state,
    )
    # A choice for being simple may be worse than others; its own score is then no promise too much.
    sign = 1.0 if METRICS[metric][2] else -1.0
    corrected = raw - sign * max(0.0, sign * found.optimism)
    least, most = (0.0, np.inf) if metric == "cost" else (-1.0, 1.0)
    ends = [float(np.clip(corrected + end, least, most)) for end in (found.below, found.above)]
    # Groups that leave no row of a class out tell nothing about the choice.
    low, high = (None, None) if np.isnan(found.optimism) else ends
    return {
        "name": chosen,
        "metric": metric,
        "raw": raw,
        "corrected": None if low is None else corrected,
        "low": low,
        "high": high,
        "share": float(found.shares[names.index(chosen)]),
        "n_draws": N_DRAWS,
    }


def _predictions(
    by_name: Mapping[str, Sequence[FoldResult]], splits: Splits, n_rows: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Folds and predictions of all rows by repeat, as `icost.statistics.chosen_score` wants."""
    folds = [np.full(n_rows, -1)]
    places = []
    for number, (_, test) in enumerate(splits.pairs):
        # A row that has been tested in this repeat begins the next one.
        if (folds[-1][test] >= 0).any():
            folds.append(np.full(n_rows, -1))
        folds[-1][test] = number
        places.append(len(folds) - 1)
    predicted = np.zeros((len(by_name), len(folds), n_rows), dtype=np.intp)
    for own, results in zip(predicted, by_name.values(), strict=True):
        for result in results:
            own[places[result.fold], result.rows] = result.predicted
    return np.array(folds), predicted


def _score(cells: NDArray[np.float64], costs: tuple[float, float] | None) -> NDArray[np.float64]:
    if costs is None:
        return confusion_scores(cells, names=["mcc"])["mcc"]
    cost_fn, cost_fp = costs
    total = np.maximum(cells.sum(axis=(-2, -1)), 1.0)  # a fold of which no row was drawn
    return (cost_fn * cells[..., 1, 0] + cost_fp * cells[..., 0, 1]) / total


def _choose(
    scores: NDArray[np.float64], names: Sequence[str], metric: str, test_share: float
) -> int:
    """Recommend by the scores of folds, as the comparison does."""
    means = dict(zip(names, scores.mean(axis=1).tolist(), strict=True))
    gaps = scores - scores[names.index(best_strategy(means, metric))]
    to_best = {
        name: {"mean": gap.mean(), "error": corrected_error(gap, test_share)}
        for name, gap in zip(names, gaps, strict=True)
    }
    return names.index(choose(means, to_best, metric))
