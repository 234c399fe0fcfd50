"""Scores of labels and rules for suspects that the research plan names, from probabilities alone.

A draw is a dictionary of arrays: ``noisy`` labels, the true ``codes``, and out-of-fold
probabilities by model, ``forest``, ``linear``, ``kernel``, ``boosting`` and ``forest-2``, a second
round's.
"""

import contextlib
import io

import numpy as np

from icost.ensemble._calibration import fit_calibrator
from icost.label_errors._odds import (
    FLOOR,
    error_odds,
    expected_errors,
    find_suspects,
    stack_probabilities,
)

FOUR = ("forest", "linear", "kernel", "boosting")
STACKS = {"four models": FOUR, "three models": FOUR[1:]}
MILDER = 0.7
"""Exponent of the expected errors in the milder form."""
SCORES = ("self_confidence", "normalized_margin", "confidence_weighted_entropy")
MOST_LEFT_OUT = 0.2
"""Share of a class that the first round's second fit left out at most."""


def probabilities(draw, names):
    """Return the arrays of some models, as doubles."""
    return [draw[name].astype(np.float64) for name in names]


def candidates(draw):
    """Return both forms of the odds for both stacks, and the suspects of two rules each."""
    scores, rules, codes = {}, {}, draw["noisy"]
    totals = np.bincount(codes)[:, np.newaxis]
    for name, models in STACKS.items():
        P = stack_probabilities(probabilities(draw, models), codes)
        errors = expected_errors(P, codes)
        odds = error_odds(P, codes, errors / totals).sum(axis=1)
        milder = error_odds(P, codes, (errors / totals) ** MILDER).sum(axis=1)
        scores[f"{name}, odds"], scores[f"{name}, milder odds"] = -odds, -milder
        rules[f"{name}, as registered"] = find_suspects(P, codes, odds)
        rules[name] = find_suspects(np.mean(probabilities(draw, models), axis=0), codes, odds)
    return scores, rules


def unit(P):
    """Return probabilities that sum to 1."""
    P = np.clip(P, 1e-9, None)
    return P / P.sum(axis=1, keepdims=True)


def least_likely(P, codes):
    """Return the rows that the first round's second fit leaves out.

    They are rows confidently of another class: at least as likely of it as its rows are on average.
    """
    label = P[np.arange(len(codes)), codes]
    totals = np.bincount(codes)
    above = np.where(np.bincount(codes, weights=label) / totals <= P, P, -1.0)
    likely = np.where((above >= 0).any(axis=1), above.argmax(axis=1), codes)
    counts = np.bincount(codes[likely != codes], minlength=len(totals))
    is_out = np.zeros(len(codes), dtype=bool)
    for code, most in enumerate(np.minimum(counts, (MOST_LEFT_OUT * totals).astype(int))):
        rows = np.flatnonzero(codes == code)
        is_out[rows[np.argsort(label[rows], kind="stable")[:most]]] = True
    return is_out


def first_calibration(P, codes, is_balanced):
    """Return the calibrated probability of each label, with the classes' shares or without."""
    logs = np.log(np.clip(P, FLOOR, 1 - FLOOR))
    scores = logs[:, 1:] - logs[:, :1] if P.shape[1] == 2 else logs
    weight = (1 / np.bincount(codes))[codes] if is_balanced else None
    calibrated = fit_calibrator(scores, codes, weight).predict_proba(scores)
    return calibrated[np.arange(len(codes)), codes]


def first_round(draw):
    """Return score and suspects of the first round: two rounds, mean of calibrated."""
    codes = draw["noisy"]
    first, last = (
        np.mean(probabilities(draw, [forest, "linear"]), axis=0)
        for forest in ("forest", "forest-2")
    )
    balanced = first_calibration(last, codes, True)
    lifted = last / (np.bincount(codes) / len(codes))
    is_suspect = (last.argmax(axis=1) != codes) & (lifted.argmax(axis=1) != codes)
    limit = 0.5 / last.shape[1]
    is_suspect &= (balanced < limit) & (first_calibration(first, codes, True) < limit)
    return (balanced + first_calibration(last, codes, False)) / 2, is_suspect


def cleanlab_scores(codes, P):
    """Return cleanlab's scores and ranked lists, which put the rows of its filter first."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    is_issue = find_label_issues(codes, P, n_jobs=1)
    result = {}
    for method in SCORES:
        score = get_label_quality_scores(codes, P, method=method)
        result[method] = score
        # Scores are from 0 to 1, so that the filter's rows come first, both by their score.
        result[f"{method}, ranked list"] = score - is_issue
        if method != "confidence_weighted_entropy":
            adjusted = get_label_quality_scores(codes, P, method=method, adjust_pred_probs=True)
            result[f"{method}, adjusted"] = adjusted
    return result, is_issue


def datalab(codes, P):
    """Return label scores and label issues of Datalab's default run."""
    from cleanlab import Datalab

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        lab = Datalab({"label": codes}, label_name="label", verbosity=0)
        lab.find_issues(pred_probs=P)
        issues = lab.get_issues("label")
    return issues["label_score"].to_numpy(), issues["is_label_issue"].to_numpy()


def judge_draw(draw):
    """Return all scores and all suspects of a draw, by name; a low score is suspect."""
    codes = draw["noisy"]
    scores, rules = candidates(draw)
    scores["first round"], rules["first round"] = first_round(draw)
    forest, *_ = probabilities(draw, FOUR)
    peers = {
        "forest": forest,
        "mean of four models": np.mean(probabilities(draw, FOUR), axis=0),
        "stack of four models": stack_probabilities(probabilities(draw, FOUR), codes),
    }
    for name, P in peers.items():
        by_method, is_issue = cleanlab_scores(codes, unit(P))
        scores |= {f"cleanlab, {name}: {method}": score for method, score in by_method.items()}
        rules[f"cleanlab, {name}"] = is_issue
    scores["Datalab, forest"], rules["Datalab, forest"] = datalab(codes, unit(forest))
    return scores, rules


def precision_at_k(score, is_wrong):
    """Share of wrong labels among the k lowest scores; equal scores count in expectation."""
    k = int(is_wrong.sum())
    limit = np.partition(score, k - 1)[k - 1]
    below, at = score < limit, score == limit
    free = k - below.sum()
    return (is_wrong[below].sum() + free * is_wrong[at].mean()) / k
