"""Statistics of one table: are differences between strategies more than chance?

They take the scores of cross-validation folds, which share training rows, or their predictions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, special

from icost._core.arrays import Floats, Ints
from icost._core.labels import bootstrap_rows, class_totals
from icost._core.validation import check_number, import_extra


def corrected_interval(
    values: ArrayLike, test_share: float, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the mean over folds with the corrected resampled t interval."""
    check_number("confidence", confidence, low=0, high=1, open_low=True, open_high=True)
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[~np.isnan(finite)]
    if not len(finite):
        return (np.nan,) * 3
    mean = float(finite.mean())
    quantile = special.stdtrit(max(1, len(finite) - 1), (1 + confidence) / 2)
    half = float(quantile * corrected_error(finite, test_share))
    return mean, mean - half, mean + half


def corrected_error(values: ArrayLike, test_share: float) -> Any:
    """Return the standard error of means over folds, which are the last axis.

    It is corrected as in `corrected_interval`, and NaN where fewer than two folds were run.
    """
    scores = np.asarray(values, dtype=np.float64)
    is_run = ~np.isnan(scores)
    n = is_run.sum(axis=-1, keepdims=True)
    mean = np.where(is_run, scores, 0.0).sum(axis=-1, keepdims=True) / np.maximum(n, 1)
    # `np.nanvar` would warn of those that have run on one fold only.
    squares = np.where(is_run, scores - mean, 0.0) ** 2
    n = n[..., 0]
    variance = squares.sum(axis=-1) / np.maximum(n - 1, 1) * (1 / np.maximum(n, 1) + test_share)
    return np.where(n > 1, np.sqrt(variance), np.nan)[()]


N_DRAWS = 500
"""Bootstrap samples by which the score of a chosen strategy is corrected."""


@dataclass(frozen=True, eq=False)
class ChosenScore:
    """What the score of a strategy that was chosen for it promises too much, and how sure it is."""

    optimism: float  # of the strategy's score, in the units of the score
    below: float  # from the corrected score to the ends of its 95 % interval; never above 0
    above: float
    shares: Floats  # of the draws, in which each strategy was chosen
    covariance: Floats  # of the strategies' scores, means of repeats, over draws


def chosen_score(
    codes: Ints,
    predicted: Ints,
    folds: Ints,
    chosen: int,
    *,
    score: Callable[..., Floats],
    choose: Callable[[Floats], int],
    groups: NDArray[Any] | None = None,
    row_cost: Floats | None = None,
    last: int | None = None,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> ChosenScore:
    """Correct the score of the chosen one of several strategies, from held-out predictions alone.

    Bootstrap samples of the rows show the optimism: choose on the rows drawn, score on those left
    out (Tsamardinos, Greasidou & Borboudakis, 2018, Bootstrapping the out-of-sample predictions for
    efficient and accurate cross-validation). It is the mean, over draws, of how much the strategy
    ``chosen`` on all rows scores more than the one of the draw, both on the rows left out.

    ``predicted`` has the shape (n_strategies, n_repeats, n_rows), ``folds`` (n_repeats, n_rows)
    with numbers that go on from one repeat to the next, -1 where a row was not tested. A strategy
    that was not fitted in a fold predicts -1 there. ``score`` takes confusion matrices, and with
    ``row_cost``, what an error costs for each row, matrices in which rows count as much as well;
    ``choose`` takes scores of the shape (n_strategies, n_folds). The class ``last`` is drawn after
    the others, so that the order of labels changes no draw.
    """
    cells = _Cells(codes, predicted, folds)

    def counted(weight: NDArray[Any]) -> list[Floats]:
        weights = [weight] if row_cost is None else [weight, weight * row_cost]
        return [cells.by_fold(values) for values in weights]

    rng = np.random.RandomState(random_state)
    rows = np.flatnonzero((folds >= 0).any(axis=0))
    present = sorted(np.unique(codes[rows]), key=lambda code: code == last)
    classes = [rows[codes[rows] == code] for code in present]
    wins = np.zeros(len(predicted))
    gaps: list[float] = []
    outside: list[float] = []
    inside: list[Floats] = []
    for drawn in bootstrap_rows(classes, n_draws, rng, groups):
        times = np.bincount(drawn, minlength=len(codes))
        by_fold = counted(times)
        winner = choose(np.where(cells.is_run, score(*by_fold), np.nan))
        wins[winner] += 1
        by_repeat = np.where(cells.is_repeated, score(*map(cells.pool, by_fold)), np.nan)
        inside.append(np.nanmean(by_repeat, axis=1))
        left = np.zeros(len(codes))
        left[rows] = times[rows] == 0
        if len(np.unique(codes[left > 0])) < len(present):
            continue
        scores = np.where(cells.is_repeated, score(*map(cells.pool, counted(left))), np.nan)
        gaps.append(float(np.nanmean(scores[chosen] - scores[winner])))
        outside.append(float(np.nanmean(scores[winner])))
    covariance = np.atleast_2d(np.cov(np.transpose(inside)))
    if not gaps:
        return ChosenScore(np.nan, np.nan, np.nan, wins / n_draws, covariance)
    low, high = np.percentile(outside, [2.5, 97.5]) - np.mean(outside)
    return ChosenScore(float(np.mean(gaps)), float(low), float(high), wins / n_draws, covariance)


class _Cells:
    """Confusion matrices of weighted rows; rows that are alike in all predictions are one."""

    def __init__(self, codes: Ints, predicted: Ints, folds: Ints) -> None:
        n_strategies, n_repeats, n_rows = predicted.shape
        n_classes = int(max(codes.max(), predicted.max())) + 1
        n_folds = int(folds.max()) + 1
        self.shape = (n_strategies, n_folds, n_classes, n_classes)
        table = np.vstack([codes, folds, predicted.reshape(-1, n_rows)]).astype(np.int32)
        kinds, places = np.unique(table, axis=1, return_inverse=True)
        self.places, n_kinds = np.ravel(places), kinds.shape[1]
        own_fold = np.broadcast_to(kinds[1 : n_repeats + 1], (n_strategies, n_repeats, n_kinds))
        given = kinds[n_repeats + 1 :].reshape(n_strategies, n_repeats, n_kinds)
        number, _, pattern = np.indices(given.shape)
        cell = ((number * n_folds + own_fold) * n_classes + kinds[0][pattern]) * n_classes + given
        is_tested = (own_fold >= 0) & (given >= 0)
        entries = (np.ones(is_tested.sum()), (cell[is_tested], pattern[is_tested]))
        self.counts = sparse.csr_matrix(entries, shape=(int(np.prod(self.shape)), n_kinds))
        # The repeat of each fold: folds are pooled within one, as every row is tested once in it.
        tested = [of_rows[of_rows >= 0] for of_rows in folds]
        self.starts = [int(numbers.min()) for numbers in tested if len(numbers)]
        all_rows = np.ones(n_rows)
        self.is_run = self.by_fold(all_rows).any(axis=(-2, -1))
        self.is_repeated = self.by_repeat(all_rows).any(axis=(-2, -1))

    def by_fold(self, weight: NDArray[Any]) -> Floats:
        """Return matrices of the shape (n_strategies, n_folds, n_classes, n_classes)."""
        kinds = np.bincount(self.places, weights=weight, minlength=self.counts.shape[1])
        return (self.counts @ kinds).reshape(self.shape)

    def by_repeat(self, weight: NDArray[Any]) -> Floats:
        """Return matrices of the shape (n_strategies, n_repeats, n_classes, n_classes)."""
        return self.pool(self.by_fold(weight))

    def pool(self, by_fold: Floats) -> Floats:
        """Add the matrices of the folds of each repeat."""
        return np.add.reduceat(by_fold, self.starts, axis=1)


DEFAULT_NEIGHBORS = 5
"""Neighbours that SMOTE and its kin draw from by default."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """Resampled training rows, and a note on what was done otherwise than asked."""

    X: Floats
    y: Ints
    note: str = ""


def resample(X: Floats, y: Ints, sampler: str, random_state: int | None = 0) -> Resampled:
    """Resample training rows with imbalanced-learn's default settings.

    A sampler that needs more minority neighbours than there are gets fewer; one that cannot sample
    leaves the rows as they are. Both are noted.
    """
    k = max(1, min(DEFAULT_NEIGHBORS, int(class_totals(y).min()) - 1))
    lowered = sampler in NEIGHBOR_SAMPLERS and k < DEFAULT_NEIGHBORS
    note = f"k lowered to {k}" if lowered else ""
    try:
        new_X, new_y = SAMPLERS[sampler](k, random_state).fit_resample(X, y)
    except (ValueError, RuntimeError) as error:
        return Resampled(X, y, f"unsampled: {_first_sentence(error)}")
    if len(np.unique(new_y)) < len(np.unique(y)):
        return Resampled(X, y, "unsampled: a class would be lost")
    return Resampled(new_X, new_y, note)


def _first_sentence(error: Exception) -> str:
    return str(error).partition(". ")[0].strip()[:120]


def _module(name: str) -> Any:
    return import_extra(f"imblearn.{name}", "", "Resampling")


def _smote(k: int, seed: int | None) -> Any:
    return _module("over_sampling").SMOTE(k_neighbors=k, random_state=seed)


def _cleaned_smote(name: str, k: int, seed: int | None) -> Any:
    # SMOTE within these has a seed and neighbours of its own, which they do not hand on.
    return getattr(_module("combine"), name)(smote=_smote(k, seed), random_state=seed)


SAMPLERS: dict[str, Callable[[int, int | None], Any]] = {
    "ros": lambda k, seed: _module("over_sampling").RandomOverSampler(random_state=seed),
    "rus": lambda k, seed: _module("under_sampling").RandomUnderSampler(random_state=seed),
    "smote": _smote,
    "bl-smote": lambda k, seed: _module("over_sampling").BorderlineSMOTE(
        k_neighbors=k, random_state=seed
    ),
    "adasyn": lambda k, seed: _module("over_sampling").ADASYN(n_neighbors=k, random_state=seed),
    "smote-enn": partial(_cleaned_smote, "SMOTEENN"),
    "smote-tomek": partial(_cleaned_smote, "SMOTETomek"),
    "enn": lambda k, seed: _module("under_sampling").EditedNearestNeighbours(),
    "tomek": lambda k, seed: _module("under_sampling").TomekLinks(),
}
"""The paper's resamplers by name; each takes the number of neighbours and a seed."""

NEIGHBOR_SAMPLERS = ("smote", "bl-smote", "adasyn", "smote-enn", "smote-tomek")
"""Those that draw from neighbours within the minority."""
