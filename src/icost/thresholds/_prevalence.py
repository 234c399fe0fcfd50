"""Another prevalence: a model where the minority's share is another one, and that share."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from icost._core.arrays import Floats, Ints
from icost._core.delegation import DelegatingClassifier
from icost._core.labels import bootstrap_rows
from icost._core.validation import check_number
from icost.thresholds._certificate import check_prevalence, lower_bound, odds_factor, upper_bound
from icost.thresholds._rule_mixin import RuleMixin
from icost.thresholds._scores import apply_calibrator, deciding_step, fit_calibrator

WIDEST = 4.0
"""Factor between the ends of an interval from which on a share is not estimated."""

N_DRAWS, MAX_ROWS = 100, 5000
"""Bootstrap samples behind the interval, and most held-out rows of each."""


class Prevalence(NamedTuple):
    """An estimated share of the minority, with an interval."""

    value: float
    low: float
    high: float


def at_prevalence(model: Any, prevalence: Any) -> Any:
    """Return the same model for rows among which the minority's share is another one.

    Probabilities are moved to that share, and the rule is followed again on the held-out rows, each
    counted as often as it would occur there. Nothing is fitted.

    Parameters
    ----------
    model : ThresholdClassifier, iCostEnsemble, iCostAuto or Pipeline
        Fitted to two classes; what decides in it is moved.
    prevalence : float
        Share of the minority where the model will be used, or what `estimate_prevalence` returned.

    Returns
    -------
    classifier
        A copy with another ``prevalence_``, ``threshold_`` and ``certificate_``.

    See Also
    --------
    icost.estimate_prevalence : The share, from rows without labels.

    Notes
    -----
    Only the share may change, not what the rows of a class look like. Costs per row stay those of
    the held-out rows.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost import ThresholdClassifier, at_prevalence
    >>> X, y = make_classification(1000, weights=[0.8], class_sep=1.5, random_state=0)
    >>> model = ThresholdClassifier(LogisticRegression(), "recall>=0.8", random_state=0).fit(X, y)
    >>> rare = at_prevalence(model, 0.01)
    >>> rare.prevalence_, bool((rare.predict(X) == model.predict(X)).all())
    (0.01, True)
    >>> rare.certificate_.precision < model.certificate_.precision
    True
    """
    if isinstance(model, Pipeline):
        moved = copy.copy(model)
        name, last = model.steps[-1]
        moved.steps = [*model.steps[:-1], (name, at_prevalence(last, prevalence))]
        return moved
    if isinstance(model, DelegatingClassifier):
        check_is_fitted(model, "model_")
        moved = copy.copy(model)
        moved.model_ = at_prevalence(model.model_, prevalence)
        return moved
    _check_model(model)
    share = check_prevalence(getattr(prevalence, "value", prevalence))
    moved = copy.copy(model)
    held_out = model.held_out_.at(share)
    moved._set_decision(held_out, moved._choose_cut(model.rule_, held_out))
    moved.prevalence_ = share
    return moved


def estimate_prevalence(
    model: Any,
    X: Any,
    *,
    confidence: float = 0.9,
    random_state: int | np.random.RandomState | None = 0,
) -> Prevalence:
    """Estimate the minority's share among rows without labels.

    The share under which the calibrated probabilities of these rows are most likely, to which
    expectation–maximisation converges.

    Parameters
    ----------
    model : ThresholdClassifier, iCostEnsemble, iCostAuto or Pipeline
        Fitted to two classes.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        Rows without labels.
    confidence : float, default=0.9
        Nominal coverage of the interval.
    random_state : int, RandomState or None, default=0
        Seed of the bootstrap samples.

    Returns
    -------
    Prevalence
        A tuple of ``value``, ``low`` and ``high``. The interval is from bootstrap samples of both
        these rows and those that the probabilities were calibrated on.

    Raises
    ------
    ValueError
        If the ends of the interval differ by more than a factor of 4.

    See Also
    --------
    icost.at_prevalence : The model at this share.

    Notes
    -----
    Only the share may differ from the training rows, not what the rows of a class look like: a
    shift of the features moves the estimate as well, and cannot be seen by it.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> from icost import ThresholdClassifier, estimate_prevalence
    >>> X, y = make_classification(2000, weights=[0.7], class_sep=1.5, random_state=0)
    >>> model = ThresholdClassifier(LogisticRegression(), random_state=0).fit(X[:1000], y[:1000])
    >>> rows = [*range(1000, 1700), *(i for i in range(1700, 2000) if y[i] == 1)]
    >>> share = estimate_prevalence(model, X[rows])
    >>> bool(share.low < y[rows].mean() < share.high)
    True
    """
    check_number("confidence", confidence, low=0, high=1, open_low=True, open_high=True)
    last = deciding_step(model)
    _check_model(last)
    proba = model.predict_proba(X)[:, last._minority]
    held_out, score = last.held_out_, _logit(proba)
    value = _most_likely_share(proba, held_out.prevalence)
    rng = check_random_state(random_state)
    draws = [
        _drawn_share(held_out, rows, score[rng.randint(len(score), size=len(score))])
        for rows in _held_out_draws(held_out, rng)
    ]
    tails = np.array([1 - confidence, 1 + confidence]) / 2
    low, high = (float(end) for end in np.quantile(draws, tails))
    # Samples of few rows are all alike; not even their labels would tell more than exact bounds.
    low = min(low, lower_bound(value, len(score), tails[1]))
    high = max(high, upper_bound(value, len(score), tails[1]))
    if not high <= WIDEST * low:
        raise ValueError(
            f"the minority's share among {len(score)} rows is too uncertain, {low:.2g} to "
            f"{high:.2g}: give more rows, or a model that separates the classes better."
        )
    return Prevalence(value, low, high)


def _check_model(model: Any) -> None:
    if not isinstance(model, RuleMixin):
        raise TypeError(
            f"model must be a ThresholdClassifier or an ensemble, got {model!r}: "
            "ThresholdClassifier(model, cv='prefit') takes a fitted one and a validation table."
        )
    check_is_fitted(model)
    if len(model.classes_) > 2:
        raise ValueError(f"model must be of two classes, got {len(model.classes_)}.")


def _logit(proba: Floats) -> Floats:
    return logit(np.clip(proba, 1e-12, 1 - 1e-12))


def _held_out_draws(held_out: Any, rng: np.random.RandomState) -> Any:
    """Yield bootstrap samples of the held-out rows by class, of whole groups if there are any."""
    rows = np.arange(len(held_out.score))
    if len(rows) > MAX_ROWS and held_out.groups is None:
        # Fewer rows make the interval a little wider, and the fits much faster.
        rows = rng.permutation(rows)[:MAX_ROWS]
    classes = [rows[held_out.is_minority[rows]], rows[~held_out.is_minority[rows]]]
    return bootstrap_rows(classes, N_DRAWS, rng, held_out.groups)


def _drawn_share(held_out: Any, rows: Ints, score: Floats) -> float:
    """Calibrate on some held-out rows, and estimate the share among some new ones."""
    codes, weight = held_out.is_minority[rows].astype(np.intp), held_out.weight[rows]
    calibrator = fit_calibrator(_logit(held_out.score[rows])[:, np.newaxis], codes, weight)
    proba = apply_calibrator(calibrator, score[:, np.newaxis])[:, 1]
    return _most_likely_share(proba, float(np.average(codes, weights=weight)))


def _most_likely_share(proba: Floats, before: float) -> float:
    """Return the share that expectation–maximisation converges to, by bisection.

    Each step of it sets the share to the mean of the probabilities at the last one. The gain of a
    step changes its sign at most once, since the likelihood of a share is concave.
    """
    low, high = 1e-6, 1 - 1e-6
    clipped = np.clip(proba, 1e-12, 1 - 1e-12)
    ratio = clipped / (1 - clipped) / odds_factor(0.5, before)
    for _ in range(50):
        share = (low + high) / 2
        gain = np.mean((ratio - 1) / (share * ratio + 1 - share))
        low, high = (share, high) if gain > 0 else (low, share)
    return float(share)
