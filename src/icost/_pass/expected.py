"""What to expect on new rows: scores of answers that nothing has seen, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain

import numpy as np

from icost._core.arrays import Floats, Ints
from icost._core.labels import bootstrap_rows
from icost._core.views import Scores
from icost._pass.decision import HeldOutAnswers, as_held_out
from icost.metrics import confusion_scores

N_DRAWS = 1_000
"""Draws of the shares of right decisions."""

N_BOOTSTRAPS = 200
"""Bootstrap samples of rows, for scores of probabilities and of several classes."""

DECISIONS = ("mcc", "f1", "g_mean", "sensitivity", "specificity", "precision")
"""Scores of the decisions of two classes; of more, those that have a mean over classes."""

SEVERAL = DECISIONS[:4]

LEAST = 1e-6
"""Probabilities nearer to 0 or 1 count as this one in the log loss."""


def expected_scores(answers: HeldOutAnswers, random_state: int = 0) -> Scores:
    """Return the scores of held-out answers, each with its 95 % interval.

    For two classes, shares of right decisions are drawn from what so many rows leave possible, by
    Jeffreys' prior: a bootstrap of rows without errors would be a point, however few they are.
    Groups count by their effective number. Scores of probabilities have bootstrap intervals.
    """
    rng = np.random.RandomState(random_state)
    weight = row_weight(answers)
    # One by one: all draws of a large table together would take more memory than the table.
    draws = chain([np.arange(len(answers.targets))], draw_rows(answers, rng))
    if answers.rows.minority is None:
        matrices = np.array([_matrix(answers, weight, drawn) for drawn in draws])
        return _as_scores(confusion_scores(matrices, None, list(SEVERAL)))
    matrix = _matrix(answers, weight)
    matrices = np.concatenate([[matrix], _drawn_matrices(answers, matrix, rng)])
    drawn = dict(confusion_scores(matrices, 1, list(DECISIONS)))
    drawn |= _scores_of_rows(answers, weight, draws)
    return _as_scores(drawn)


def point_scores(answers: HeldOutAnswers) -> dict[str, float]:
    """Return the scores of held-out answers without intervals."""
    weight = row_weight(answers)
    matrix = _matrix(answers, weight)
    if answers.rows.minority is None:
        scores = confusion_scores(matrix, None, list(SEVERAL))
    else:
        scores = dict(confusion_scores(matrix, 1, list(DECISIONS)))
        scores |= _scores_of_rows(answers, weight, [np.arange(len(answers.targets))])
    return {name: float(np.ravel(value)[0]) for name, value in scores.items()}


def row_weight(answers: HeldOutAnswers) -> Floats:
    """Return the weight of each row."""
    weight = answers.rows.weight
    return np.ones(len(answers.targets)) if weight is None else weight


def _as_scores(drawn: Mapping[str, Floats]) -> Scores:
    """Return scores from arrays whose first entry is the score, the others are draws of it."""
    scores = Scores()
    for name, (value, *draws) in drawn.items():
        low, high = np.nanpercentile(draws, [2.5, 97.5])
        low, high = min(low, value), max(high, value)
        scores[name] = {"value": float(value), "low": float(low), "high": float(high)}
    return scores


def _matrix(answers: HeldOutAnswers, weight: Floats, drawn: Ints | slice = slice(None)) -> Floats:
    n_classes = answers.rows.n_classes
    cells = (answers.targets * n_classes + answers.decided)[drawn]
    counts = np.bincount(cells, weights=weight[drawn], minlength=n_classes**2)
    return counts.astype(np.float64).reshape(n_classes, n_classes)


def _drawn_matrices(answers: HeldOutAnswers, matrix: Floats, rng: np.random.RandomState) -> Floats:
    """Return confusion matrices with the shares that so many rows leave possible."""
    held_out = as_held_out(answers.proba, answers.rows, answers.targets)
    columns = []
    for target in (0, 1):
        total, n_rows = matrix[target].sum(), held_out.effective_count(answers.targets == target)
        hits = matrix[target, 1] / total * n_rows
        share = rng.beta(hits + 0.5, n_rows - hits + 0.5, N_DRAWS)
        columns += [total * (1 - share), total * share]
    return np.stack(columns, axis=-1).reshape(-1, 2, 2)


def draw_rows(answers: HeldOutAnswers, rng: np.random.RandomState) -> Iterator[Ints]:
    """Return bootstrap samples of the rows, or of their groups."""
    classes = [np.flatnonzero(answers.targets == code) for code in range(answers.rows.n_classes)]
    return bootstrap_rows(classes, N_BOOTSTRAPS, rng, answers.rows.groups)


def _scores_of_rows(
    answers: HeldOutAnswers, weight: Floats, draws: Iterable[Ints]
) -> dict[str, Floats]:
    """Return scores of probabilities, and costs where errors have some, for each draw of rows."""
    truth, proba = answers.targets == 1, answers.proba[:, 1]
    means = {
        "brier": (truth - proba) ** 2,
        "log_loss": -np.log(np.clip(np.where(truth, proba, 1 - proba), LEAST, 1)),
    }
    cost_fn, cost_fp = answers.rows.costs
    if cost_fn is not None:
        is_alert = answers.decided == 1
        means["cost"] = cost_fn * (truth & ~is_alert) + cost_fp * (~truth & is_alert)
    # Places from the largest probability down; what does not depend on the draw is computed once.
    levels, places = np.unique(-proba, return_inverse=True)
    values = []
    for drawn in draws:
        of_rows, is_hit = weight[drawn], truth[drawn]
        hits, others = (
            np.bincount(places[drawn][rows], weights=of_rows[rows], minlength=len(levels))
            for rows in (is_hit, ~is_hit)
        )
        areas = _areas(hits.astype(np.float64), others.astype(np.float64))
        total = of_rows.sum()
        values.append((*areas, *((one[drawn] * of_rows).sum() / total for one in means.values())))
    return dict(zip(("roc_auc", "pr_auc", *means), np.transpose(values), strict=True))


def _areas(hits: Floats, others: Floats) -> tuple[float, float]:
    """Return the areas under the ROC and the precision-recall curve, from counts by level."""
    n_found, n_raised = np.cumsum(hits), np.cumsum(others)
    n_hits, n_others = n_found[-1], n_raised[-1]
    area = (others * (n_found - hits / 2)).sum() / (n_hits * n_others)
    reached = n_found + n_raised
    # Levels before the first row drawn have neither hits nor a precision.
    precision = n_found / np.where(reached > 0, reached, 1.0)
    return float(area), float((precision * hits).sum() / n_hits)
