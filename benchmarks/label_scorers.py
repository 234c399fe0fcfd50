"""Scores of labels that the research plan names, from out-of-fold probabilities alone."""

import numpy as np

from icost.label_errors import calibrated, find_suspects, label_scores

SINGLE = ("lr", "knn", "rf", "rf5", "et5", "rf-2")
MEANS = {
    "rf+lr": ("rf", "lr"),
    "rf5+lr": ("rf5", "lr"),
    "et5+lr": ("et5", "lr"),
    "rf-2+lr": ("rf-2", "lr"),
    "rf+et5": ("rf", "et5"),
    "rf+et5+lr": ("rf", "et5", "lr"),
    "rf+rf-2": ("rf", "rf-2"),
    "rf+rf-2+lr": ("rf", "rf-2", "lr"),
    "rf+lr+knn": ("rf", "lr", "knn"),
    "rf+et5+lr+knn": ("rf", "et5", "lr", "knn"),
}
CALIBRATED = ("rf", "rf+lr", "rf-2+lr", "rf+et5+lr", "rf+lr+knn")
"""What is calibrated as well, which takes time."""
FLOOR = 0.005
"""Half a vote of a hundred trees: no probability is nought."""
SURVIVORS = {
    "two rounds, mean of calibrated margins": ("rf-2", "lr"),
    "two rounds, mean of calibrated": ("rf-2", "lr"),
    "one round, mean of calibrated margins": ("rf", "lr"),
}
"""Scores that are confirmed, and whose probabilities they average."""


def margin(P, codes):
    """Return by how much the given label leads the best other one, from -1 to 1."""
    rest = P.copy()
    rest[np.arange(len(codes)), codes] = -1
    return own(P, codes) - rest.max(axis=1)


def unit(P):
    return P / P.sum(axis=1, keepdims=True)


def logs(P):
    return np.log(np.clip(P, FLOOR, 1 - FLOOR))


def probabilities(kept):
    """Return all probabilities that scores are made of, by name."""
    found = {name: kept[name] for name in SINGLE if name in kept}
    for name, parts in MEANS.items():
        if all(part in kept for part in parts):
            found[name] = np.mean([kept[part] for part in parts], axis=0)
            found[f"log {name}"] = unit(np.exp(np.mean([logs(kept[p]) for p in parts], axis=0)))
    return found


def corrected(P, codes, with_calibration=True):
    """Return probabilities after each correction for the classes' shares."""
    share = np.bincount(codes, minlength=P.shape[1]) / len(codes)
    clipped = np.clip(P, 1e-6, None)
    forms = {
        "plain": P,
        "root": unit(clipped / np.sqrt(share)),
        "balanced": unit(clipped / share),
    }
    if with_calibration:
        forms["calibrated"] = calibrated(P, codes)
        forms["calibrated balanced"] = calibrated(P, codes, True)
    return forms


def own(P, codes):
    return P[np.arange(len(codes)), codes]


def scores(kept):
    """Return every score of a draw, by name."""
    codes, found = kept["noisy"], {}
    measures = {name: kept[name] for name in ("near5", "near15", "leaf")}
    found.update(measures)
    for name, P in probabilities(kept).items():
        forms = corrected(P, codes, name in CALIBRATED)
        for form, Q in forms.items():
            found[f"{name} | {form}"] = own(Q, codes)
            found[f"{name} | {form}, margin"] = margin(Q, codes)
        plain, balanced = own(P, codes), own(forms["balanced"], codes)
        found[f"{name} | mean of plain and balanced"] = (plain + balanced) / 2
        found[f"{name} | root of plain times balanced"] = np.sqrt(plain * balanced)
        for measure, share in measures.items():
            found[f"{name} | plain with {measure}"] = (plain + share) / 2
        if name in CALIBRATED:
            found |= mixed(name, forms["calibrated"], forms["calibrated balanced"], codes)
    return found


def mixed(name, plain, balanced, codes):
    """Return scores of both calibrations together."""
    a, b = own(plain, codes), own(balanced, codes)
    return {
        f"{name} | mean of calibrated": (a + b) / 2,
        f"{name} | greater of calibrated": np.maximum(a, b),
        f"{name} | root of calibrated": np.sqrt(a * b),
        f"{name} | root of calibrated, to 1": own(unit(np.sqrt(plain * balanced)), codes),
        f"{name} | mean of calibrated margins": (margin(plain, codes) + margin(balanced, codes))
        / 2,
    }


def survivors(kept):
    """Return the scores that are confirmed, by name."""
    found = {}
    for name, parts in SURVIVORS.items():
        P, codes = np.mean([kept[part] for part in parts], axis=0), kept["noisy"]
        if name.endswith("margins"):
            both = calibrated(P, codes), calibrated(P, codes, is_balanced=True)
            found[name] = (margin(both[0], codes) + margin(both[1], codes)) / 2
        else:
            found[name] = label_scores(P, codes)
    return found


def suspects(kept):
    """Return the rows that the rule picks, with one round and with two."""
    one, two = (np.mean([kept[p], kept["lr"]], axis=0) for p in ("rf", "rf-2"))
    codes = kept["noisy"]
    return {
        "one round": find_suspects([one], codes),
        "two rounds": find_suspects([one, two], codes),
    }


def cleanlab_scores(kept, bases=("knn", "lr", "rf")):
    """Return cleanlab's scores on the same probabilities, by name."""
    from cleanlab.rank import get_label_quality_scores

    found, codes = {}, kept["noisy"]
    for name in bases:
        P = unit(np.clip(kept[name], 1e-9, None))
        for method in ("self_confidence", "normalized_margin", "confidence_weighted_entropy"):
            for adjust in (False, True):
                if adjust and method == "confidence_weighted_entropy":
                    continue
                label = f"cleanlab {name} | {method}{', adjusted' if adjust else ''}"
                found[label] = get_label_quality_scores(
                    codes, P, method=method, adjust_pred_probs=adjust
                )
    return found


def cleanlab_filter(kept, bases=("knn", "lr", "rf")):
    """Return the rows that cleanlab's filter picks."""
    from cleanlab.filter import find_label_issues

    return {
        f"cleanlab {name}": find_label_issues(
            kept["noisy"], unit(np.clip(kept[name], 1e-9, None)), n_jobs=1
        )
        for name in bases
    }


def precision_at_k(score, is_wrong):
    """Share of wrong labels among the k lowest scores; equal scores count in expectation."""
    k = int(is_wrong.sum())
    limit = np.partition(score, k - 1)[k - 1]
    below, at = score < limit, score == limit
    free = k - below.sum()
    return (is_wrong[below].sum() + free * is_wrong[at].mean()) / k
