"""From out-of-fold probabilities to the odds that a label is wrong, and to suspects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import LogisticRegression

from icost._core.arrays import Bools, Floats, Ints
from icost._core.labels import class_totals
from icost.ensemble._calibration import fit_calibrator

FLOOR = 0.005
"""Half a vote of a hundred trees: no probability counts as lower."""

STACK_STRENGTH = 0.02
"""Inverse of the regularisation of the stack."""

CORE_SHARE, CORE_ROWS = 0.1, 3
"""Least size of the core of a class, as a share of its rows and as a number."""

MOST_ERRORS = 0.3
"""Expected errors between two classes, at most, as a share of the smaller one."""

SUSPECT_LIMIT = 0.5
"""A suspect has less than this share of what chance gives it among classes of equal weight."""

SUSPECT_ODDS = 0.3
"""A suspect has odds above this."""


def _log_ratios(P: Floats) -> Floats:
    """Return log-probabilities, or the one log-odds of two classes."""
    logs = np.log(np.clip(P, FLOOR, 1 - FLOOR))
    return logs[:, 1:] - logs[:, :1] if P.shape[1] == 2 else logs


def stack_probabilities(
    models: Sequence[Floats], codes: Ints, weight: Floats | None = None
) -> Floats:
    """Return the probabilities of a logistic regression on the out-of-fold ones of several models.

    A single model is calibrated instead.
    """
    if len(models) == 1:
        return calibrate(models[0], codes, weight)
    features = np.hstack([_log_ratios(P) for P in models])
    stack = LogisticRegression(C=STACK_STRENGTH, max_iter=2000)
    return stack.fit(features, codes, sample_weight=weight).predict_proba(features)


def calibrate(P: Floats, codes: Ints, weight: Floats | None = None) -> Floats:
    """Return probabilities that agree with the shares of the classes among held-out rows."""
    scores = _log_ratios(P)
    return fit_calibrator(scores, codes, weight).predict_proba(scores)


def expected_errors(P: Floats, codes: Ints, weight: Floats | None = None) -> Floats:
    """Return at most how many rows of class j (a row of the result) bear label y (a column).

    The core of class j are the rows labelled j that look most like j rather than y. Rows
    labelled y are counted among them, per row of the core. The core with the lowest rate counts,
    since overlap adds to all of them.
    """
    weight = np.ones(len(codes)) if weight is None else weight
    totals = class_totals(codes, weight)
    logs = np.log(np.clip(P, FLOOR, 1 - FLOOR))
    errors = np.zeros((len(totals), len(totals)))
    members = [np.flatnonzero(codes == code) for code in range(len(totals))]
    for j, core in enumerate(members):
        for y, other in enumerate(members):
            if j != y:
                lead = logs[:, j] - logs[:, y]
                rate = _core_rate(lead[core], weight[core], lead[other], weight[other])
                most = MOST_ERRORS * min(totals[j], totals[y])
                errors[j, y] = min(rate * totals[j], most)
    return errors


def _core_rate(core: Floats, core_weight: Floats, other: Floats, other_weight: Floats) -> float:
    """Return the lowest rate of other rows per core row, over all cores that are large enough."""
    least = min(len(core), max(CORE_ROWS, int(np.ceil(CORE_SHARE * len(core)))))
    cuts = np.sort(core)[: len(core) - least + 1]
    in_core = _weight_above(core, core_weight, cuts)
    in_other = _weight_above(other, other_weight, cuts)
    # Rows of weight 0 alone are no core.
    return float(((in_other + 1)[in_core > 0] / in_core[in_core > 0]).min())


def _weight_above(values: Floats, weight: Floats, cuts: Floats) -> Floats:
    """Return the total weight of the values at or above each cut."""
    order = np.argsort(values, kind="stable")
    below = np.r_[0.0, np.cumsum(weight[order])]
    return below[-1] - below[np.searchsorted(values[order], cuts, "left")]


def error_odds(P: Floats, codes: Ints, rates: Floats) -> Floats:
    """Return the odds of each other class being the true one, of shape (n_samples, n_classes).

    ``rates`` are expected errors per row of the true class. The sum over classes is the odds that
    the label is wrong.
    """
    P = np.clip(P, FLOOR, 1 - FLOOR)
    # Nobody of a class is wrongly labelled as that class, so that a label itself drops out.
    return P * rates.T[codes] / P[np.arange(len(codes)), codes][:, np.newaxis]


def find_suspects(P: Floats, codes: Ints, odds: Floats, weight: Floats | None = None) -> Bools:
    """Return labels that all of four conditions doubt, by mean probabilities of the models.

    Another class is likelier, also if every class counts the same; the calibrated probability with
    classes of equal weight is below half of chance; and the odds are above 0.3.
    """
    totals, rows = class_totals(codes, weight), np.arange(len(codes))
    lifted = P / (totals / totals.sum())
    is_suspect = (P.argmax(axis=1) != codes) & (lifted.argmax(axis=1) != codes)
    equal = (1 / totals)[codes] * (1.0 if weight is None else weight)
    balanced = calibrate(P, codes, equal)[rows, codes]
    return is_suspect & (balanced < SUSPECT_LIMIT / P.shape[1]) & (odds > SUSPECT_ODDS)
