"""A candidate: a classifier, and how it learns from the rows of a fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from icost._core.arrays import Floats, Ints
from icost._core.validation import take_rows
from icost._weights.classifier import iCost
from icost.complexity._methods import MEASURES

PLAIN = "plain"
"""The strategy that fits a classifier as it is."""

WEIGHTING = ("cs", *MEASURES)
"""Strategies that weight rows: by class, or by a measure of complexity."""

SURE = 0.005
"""Probabilities nearer to 0 or 1 have the log odds of this one: forests and neighbours vote."""


@dataclass(frozen=True)
class Candidate:
    """A classifier and a strategy, by which it learns: plain, with weights, or from resampled rows.

    ``make`` returns an unfitted classifier from a seed. ``strategy`` is ``"plain"``, ``"smote"``,
    ``"cs"``, the name of a measure, an `icost.iCost` without a base or a sampler of
    imbalanced-learn. It learns from at most ``most_rows`` rows, and from at
    most ``most_columns`` columns or not at all; ``cost`` is about how many times as
    long as logistic regression a fit takes, and ``words`` what it is called in a sentence.
    """

    name: str
    words: str
    make: Callable[[int], Any]
    strategy: Any = PLAIN
    most_rows: int | None = None
    most_columns: int | None = None
    cost: float = 1.0

    @property
    def resamples(self) -> bool:
        """Whether it learns from other rows than there are."""
        if isinstance(self.strategy, str):
            return self.strategy == "smote"
        return hasattr(self.strategy, "fit_resample")

    @property
    def supports_weight(self) -> bool:
        """Whether its fit counts rows by weights."""
        return not self.resamples and has_fit_parameter(_last_step(self.make(0)), "sample_weight")

    def build(self, seed: int, n_classes: int = 2) -> Any:
        """Return an unfitted classifier of codes, of which 1 is the minority of two."""
        base = self.make(seed)
        options = {"base_classifier": base, "random_state": seed}
        options |= {"minority_label": 1 if n_classes == 2 else None}
        if isinstance(self.strategy, iCost):
            return clone(self.strategy).set_params(**options)
        if isinstance(self.strategy, str) and self.strategy in WEIGHTING:
            return iCost(method=self.strategy, preprocessor=None, **options)
        return base


def fit_candidate(
    candidate: Candidate, X: Any, codes: Ints, weight: Floats | None, seed: int
) -> Any:
    """Return a fitted classifier; of too many rows, those of the larger classes are thinned.

    Calibration on held-out rows sets the shares of the classes right again.
    """
    kept = thinned_rows(codes, candidate.most_rows, seed)
    if kept is not None:
        X, codes = take_rows(X, kept), codes[kept]
        weight = None if weight is None else weight[kept]
    if candidate.resamples:
        X, codes = _resample(candidate.strategy, X, codes, seed)
    model = candidate.build(seed, int(codes.max()) + 1)
    if weight is None:
        return model.fit(X, codes)
    return model.fit(X, codes, **{_weight_name(model): weight})


def thinned_rows(codes: Ints, most: int | None, seed: int) -> Ints | None:
    """Return at most so many rows, all of the rare classes before any of the others; None for all.

    Classes keep as many rows as fit if all of them are cut at the same number.
    """
    if most is None or len(codes) <= most:
        return None
    counts = np.bincount(codes)
    sizes = np.zeros(len(counts), dtype=np.intp)
    left, order = most, np.argsort(counts, kind="stable")
    for place, code in enumerate(order):
        sizes[code] = min(counts[code], left // (len(order) - place))
        left -= sizes[code]
    rng = np.random.default_rng(seed)
    rows = [
        rng.choice(np.flatnonzero(codes == code), size, replace=False)
        for code, size in enumerate(sizes)
    ]
    return np.sort(np.concatenate(rows))


def raw_scores(model: Any, X: Any, n_classes: int) -> Floats:
    """Return what a classifier ranks rows by, as columns: one for two classes, that of the second.

    Probabilities become their log odds, or for more classes their logarithms.
    """
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        scores = scores[:, np.newaxis] if scores.ndim == 1 else scores
        if scores.shape[1] not in (1, n_classes):
            raise ValueError(
                f"a candidate must have a score for each of {n_classes} classes, got "
                f"{scores.shape[1]} columns from {model!r}."
            )
        if np.isnan(scores).any():
            raise ValueError("scores must be numbers, got NaN")
        return np.clip(scores, -1e100, 1e100)
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"a candidate must have decision_function or predict_proba, got {model!r}."
        )
    proba = np.clip(np.asarray(model.predict_proba(X), dtype=np.float64), SURE, 1 - SURE)
    if np.isnan(proba).any():
        raise ValueError("probabilities must be numbers, got NaN")
    if n_classes > 2:
        return np.log(proba)
    return np.log(proba[:, 1:] / (1 - proba[:, 1:]))


def _resample(strategy: Any, X: Any, codes: Ints, seed: int) -> tuple[Any, Ints]:
    if not isinstance(strategy, str):
        sampler = clone(strategy)
        if "random_state" in sampler.get_params():
            sampler.set_params(random_state=seed)
        return sampler.fit_resample(X, codes)
    from imblearn.over_sampling import SMOTE

    n_neighbors = min(5, int(np.bincount(codes).min()) - 1)
    if n_neighbors < 1:  # one row has no neighbour to go towards
        return X, codes
    return SMOTE(k_neighbors=n_neighbors, random_state=seed).fit_resample(X, codes)


def _last_step(model: Any) -> Any:
    return model[-1] if hasattr(model, "steps") else model


def _weight_name(model: Any) -> str:
    """Return what ``fit`` calls the weights; a pipeline takes those of its last step."""
    return f"{model.steps[-1][0]}__sample_weight" if hasattr(model, "steps") else "sample_weight"
