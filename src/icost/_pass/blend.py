"""From held-out scores of candidates to one probability: calibrators, weights and a last step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, logit, logsumexp, softmax

from icost._core.arrays import Floats, Ints
from icost._core.doubts import FEW_ROWS
from icost._core.labels import bootstrap_rows
from icost._pass.cross_fit import OutOfFold
from icost.thresholds._scores import fit_calibrator as fit_logistic
from icost.thresholds._scores import held_out_scores

STRENGTH = 100.0
"""Inverse of the penalty on a standardised slope: weak, enough where scores separate classes."""

SMALLEST = 1e-12
"""Probabilities below this one are taken as this one before a logarithm."""

LARGEST_LOG_SLOPE = 5.0
"""Bound of a slope's logarithm, so that no step of the search overflows."""

N_BAGS, N_STEPS, MOST_ROWS = 8, 25, 5_000
"""Bootstrap samples of the greedy selection, its steps, and the rows of a sample."""

PRIOR_ROWS = 10
"""Weights are drawn towards equal ones as by so many rows of the smallest class: three rows cannot
choose among ten candidates."""

LEAST_WEIGHT = 0.03
"""Candidates with less are left out."""


@dataclass(frozen=True, eq=False)
class Blend:
    """How scores of candidates become probabilities.

    Each candidate has one array of coefficients for its calibrator, the mean over repeats: slopes
    of the scores, and intercepts as the last row. ``last`` is a slope for all log-probabilities
    and an offset for each class, or None.
    """

    names: tuple[str, ...]
    calibrators: tuple[Floats, ...]
    weights: Floats
    last: Floats | None = None

    def proba(self, scores: Mapping[str, Floats]) -> Floats:
        """Return probabilities of all classes from scores of the shape (n_rows, n_columns)."""
        pairs = zip(self.names, self.calibrators, strict=True)
        columns = [to_proba(apply_linear(scores[n], c)) for n, c in pairs]
        return recalibrate(self.last, np.tensordot(self.weights, columns, axes=1))


def apply_linear(scores: Floats, coefficients: Floats) -> Floats:
    """Return the linear part of a calibrator for scores as columns."""
    # A sum of products in a fixed order, so that no BLAS decides about the last bit.
    linear = np.repeat(coefficients[-1:], len(scores), axis=0)
    for column, slopes in zip(scores.T, coefficients[:-1], strict=True):
        linear = linear + column[:, np.newaxis] * slopes
    return linear


def to_proba(linear: Floats) -> Floats:
    """Return probabilities of all classes from the linear part of a calibrator."""
    if linear.shape[1] > 1:
        return softmax(linear, axis=1)
    second = expit(linear)
    return np.hstack([1 - second, second])


def held_out_proba(
    blend: Blend, out_of_fold: OutOfFold, rows: Ints, per_repeat: Mapping[str, Sequence[Floats]]
) -> Floats:
    """Return probabilities of held-out rows, each repeat by its own calibrator."""
    columns = [
        to_proba(_mean_linear(out_of_fold.scores[name], per_repeat[name], rows))
        for name in blend.names
    ]
    return recalibrate(blend.last, np.tensordot(blend.weights, columns, axes=1))


def _mean_linear(scores: Floats, calibrators: Sequence[Floats], rows: Ints) -> Floats:
    parts = [apply_linear(s[rows], c) for s, c in zip(scores, calibrators, strict=True)]
    return np.mean(parts, axis=0)


@dataclass(frozen=True, eq=False)
class FittedBlend:
    """A blend, with what it makes of held-out rows."""

    blend: Blend
    per_repeat: Mapping[str, Sequence[Floats]]
    out_of_fold: OutOfFold

    def proba(self, rows: Ints) -> Floats:
        """Return the probabilities of held-out rows."""
        return held_out_proba(self.blend, self.out_of_fold, rows, self.per_repeat)


def fit_blend(
    out_of_fold: OutOfFold, rows: Ints, random_state: int = 0, names: Sequence[str] | None = None
) -> FittedBlend:
    """Return the blend that some held-out rows give; ``names`` are taken as they are if given."""
    chosen = list(out_of_fold.scores if names is None else names)
    codes, weight, groups = out_of_fold.targets[rows], *_of_rows(out_of_fold, rows)
    calibrators = {
        name: [_calibrator(s[rows], codes, weight) for s in out_of_fold.scores[name]]
        for name in chosen
    }
    columns = np.array(
        [
            to_proba(_mean_linear(out_of_fold.scores[name], calibrators[name], rows))
            for name in chosen
        ]
    )
    if len(chosen) == 1:
        weights = np.ones(1)
    else:
        weights = _greedy_weights(columns, codes, weight, groups, random_state)
        kept = weights >= min(LEAST_WEIGHT, weights.max())
        chosen = [name for name, is_kept in zip(chosen, kept, strict=True) if is_kept]
        weights, columns = weights[kept] / weights[kept].sum(), columns[kept]
    last = None
    if np.bincount(codes).min() >= FEW_ROWS:
        last = fit_recalibration(np.tensordot(weights, columns, axes=1), codes, weight)
    means = tuple(np.mean(calibrators[name], axis=0) for name in chosen)
    blend = Blend(tuple(chosen), means, weights, last)
    return FittedBlend(blend, {name: calibrators[name] for name in chosen}, out_of_fold)


def survivors(out_of_fold: OutOfFold, rows: Ints) -> list[str]:
    """Return the candidates that have weight in a blend."""
    return list(fit_blend(out_of_fold, rows).blend.names)


def _of_rows(out_of_fold: OutOfFold, rows: Ints) -> tuple[Floats | None, Ints | None]:
    weight, groups = out_of_fold.rows.weight, out_of_fold.rows.groups
    # Relative weights: multiplied by a constant, they must not change the penalties.
    relative = None if weight is None else weight[rows] / weight[rows].mean()
    return relative, None if groups is None else groups[rows]


def _calibrator(scores: Floats, codes: Ints, weight: Floats | None) -> Floats:
    """Return slopes and intercepts that turn scores into log odds."""
    scores = held_out_scores(scores)
    if scores.shape[1] == 1:
        slope, intercept = fit_slope(scores[:, 0], codes, weight)
        return np.array([[slope], [intercept]])
    pipeline = fit_logistic(scores, codes, weight)
    scaler, model = pipeline[0], pipeline[-1]
    slopes = model.coef_.T / scaler.scale_[:, np.newaxis]
    return np.vstack([slopes, model.intercept_ - (scaler.mean_[:, np.newaxis] * slopes).sum(0)])


def fit_slope(scores: Floats, codes: Ints, weight: Floats | None = None) -> tuple[float, float]:
    """Return slope and intercept of the log odds, by Newton's method with a line search.

    Scores that run against the labels give the share of the class alone: turned round, noise would
    seem informative. Without the line search the method diverges where classes nearly separate.
    """
    weight = np.ones(len(codes)) if weight is None else weight
    mean, spread = np.average(scores, weights=weight), scores.std() or 1.0
    share = np.clip(np.average(codes, weights=weight), 1e-6, 1 - 1e-6)
    x, penalty = (scores - mean) / spread, np.array([1 / STRENGTH, 1e-9])
    beta = np.array([0.0, logit(share)])

    def loss(values: Floats) -> float:
        linear = values[0] * x + values[1]
        fit = (weight * (np.logaddexp(0, linear) - codes * linear)).sum()
        return float(fit + (penalty * values**2).sum() / 2)

    now = loss(beta)
    for _ in range(50):
        step = _newton_step(beta, x, codes, weight, penalty)
        while (then := loss(beta - step)) > now and np.abs(step).max() > 1e-10:
            step = step / 2
        if then > now:
            break
        beta, gain, now = beta - step, now - then, then
        if gain < 1e-9 * max(1.0, now):
            break
    if beta[0] <= 0:
        return 0.0, float(logit(share))
    return float(beta[0] / spread), float(beta[1] - beta[0] * mean / spread)


def _newton_step(beta: Floats, x: Floats, codes: Ints, weight: Floats, penalty: Floats) -> Floats:
    proba = expit(beta[0] * x + beta[1])
    excess, curve = weight * (proba - codes), weight * proba * (1 - proba)
    gradient = np.array([(excess * x).sum(), excess.sum()]) + penalty * beta
    cross = (curve * x).sum()
    hessian = np.array([[(curve * x * x).sum(), cross], [cross, curve.sum()]])
    return np.linalg.solve(hessian + np.diag(penalty + 1e-9), gradient)


def _greedy_weights(
    columns: Floats, codes: Ints, weight: Floats | None, groups: Ints | None, seed: int
) -> Floats:
    """Return weights of candidates: the mean over bootstrap samples of the best greedy selection.

    ``columns`` has the shape (n_candidates, n_rows, n_classes).
    """
    n_candidates, n_rows, n_classes = columns.shape
    right = columns[:, np.arange(n_rows), codes].T
    counts = np.ones(n_rows) if weight is None else weight
    classes = [np.flatnonzero(codes == code) for code in range(n_classes)]
    rng = np.random.RandomState(seed)
    draws: Iterable[Ints]
    if groups is None and n_rows > MOST_ROWS:
        sizes = [max(1, round(len(rows) * MOST_ROWS / n_rows)) for rows in classes]
        draws = (
            np.concatenate([rng.choice(r, n) for r, n in zip(classes, sizes, strict=True)])
            for _ in range(N_BAGS)
        )
    else:
        draws = bootstrap_rows(classes, N_BAGS, rng, groups)
    total = np.zeros(n_candidates)
    for drawn in draws:
        total += _best_selection(right[drawn], counts[drawn])
    few = min(len(rows) for rows in classes)
    return (few * total / N_BAGS + PRIOR_ROWS / n_candidates) / (few + PRIOR_ROWS)


def _best_selection(right: Floats, weight: Floats) -> Floats:
    """Return how often each candidate is in the best greedy selection by log loss."""
    picked, total = np.zeros(right.shape[1]), np.zeros(len(right))
    best, best_loss = picked, np.inf
    for step in range(1, N_STEPS + 1):
        logs = np.log(np.clip((total[:, np.newaxis] + right) / step, SMALLEST, 1))
        losses = -(weight[:, np.newaxis] * logs).sum(axis=0)
        place = int(losses.argmin())
        picked[place] += 1
        total = total + right[:, place]
        if losses[place] < best_loss:
            best, best_loss = picked / step, float(losses[place])
    return best


def fit_recalibration(proba: Floats, codes: Ints, weight: Floats | None = None) -> Floats:
    """Return a slope for all log-probabilities and an offset for each class, by held-out rows.

    The mean of calibrated probabilities is under-confident: where classifiers disagree, it lies
    between them. The likelihood is maximised with standard normal penalties on the offsets and on
    the logarithm of the slope: the slope is positive, and few rows change little.
    """
    logs, is_class = log_proba(proba), np.eye(proba.shape[1])[codes]
    weight = np.ones(len(codes)) if weight is None else weight / weight.mean()

    def penalised_loss(values: Floats) -> tuple[float, Floats]:
        slope = np.exp(values[0])
        logits = slope * logs + values[1:]
        total = logsumexp(logits, axis=1, keepdims=True)
        loss = weight @ (total[:, 0] - (logits * is_class).sum(axis=1)) + values @ values / 2
        excess = weight[:, np.newaxis] * (np.exp(logits - total) - is_class)
        return loss, np.append(slope * (excess * logs).sum(), excess.sum(axis=0)) + values

    bounds = [(-LARGEST_LOG_SLOPE, LARGEST_LOG_SLOPE)] + [(None, None)] * proba.shape[1]
    start = np.zeros(1 + proba.shape[1])
    values = minimize(penalised_loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x
    return np.append(np.exp(values[0]), values[1:])


def recalibrate(last: Floats | None, proba: Floats) -> Floats:
    """Return probabilities after the last step; None leaves them as they are."""
    if last is None:
        return proba
    return softmax(last[0] * log_proba(proba) + last[1:], axis=1)


def log_proba(proba: Floats) -> Floats:
    """Return logarithms that are finite."""
    return np.log(np.clip(proba, SMALLEST, None))
