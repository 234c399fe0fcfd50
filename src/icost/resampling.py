"""The nine resamplers of the paper, on folds that may have too few minority samples for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from icost.labels import class_totals
from icost.validation import import_extra

DEFAULT_NEIGHBORS = 5
"""Neighbours that SMOTE and its kin draw from by default."""


@dataclass(frozen=True, eq=False)
class Resampled:
    """Resampled training rows, and a note on what was done otherwise than asked."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    note: str = ""


def resample(
    X: NDArray[np.float64], y: NDArray[np.intp], sampler: str, random_state: int = 0
) -> Resampled:
    """Resample training rows with imbalanced-learn's default settings.

    A sampler that needs more minority neighbours than there are gets fewer; one that cannot sample
    leaves the rows as they are. Both are noted.

    Examples
    --------
    >>> import numpy as np
    >>> from icost.resampling import resample
    >>> result = resample(np.arange(12.0).reshape(-1, 1), np.repeat([0, 1], [8, 4]), "smote")
    >>> np.bincount(result.y), result.note
    (array([8, 8]), 'k lowered to 3')
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
    return import_extra(f"imblearn.{name}", "experiments", "Resampling")


def _ros(k: int, seed: int) -> Any:
    return _module("over_sampling").RandomOverSampler(random_state=seed)


def _rus(k: int, seed: int) -> Any:
    return _module("under_sampling").RandomUnderSampler(random_state=seed)


def _smote(k: int, seed: int) -> Any:
    return _module("over_sampling").SMOTE(k_neighbors=k, random_state=seed)


def _borderline(k: int, seed: int) -> Any:
    return _module("over_sampling").BorderlineSMOTE(k_neighbors=k, random_state=seed)


def _adasyn(k: int, seed: int) -> Any:
    return _module("over_sampling").ADASYN(n_neighbors=k, random_state=seed)


def _smote_enn(k: int, seed: int) -> Any:
    return _module("combine").SMOTEENN(smote=_smote(k, seed), random_state=seed)


def _smote_tomek(k: int, seed: int) -> Any:
    return _module("combine").SMOTETomek(smote=_smote(k, seed), random_state=seed)


def _enn(k: int, seed: int) -> Any:
    return _module("under_sampling").EditedNearestNeighbours()


def _tomek(k: int, seed: int) -> Any:
    return _module("under_sampling").TomekLinks()


SAMPLERS: dict[str, Callable[[int, int], Any]] = {
    "ros": _ros,
    "rus": _rus,
    "smote": _smote,
    "bl-smote": _borderline,
    "adasyn": _adasyn,
    "smote-enn": _smote_enn,
    "smote-tomek": _smote_tomek,
    "enn": _enn,
    "tomek": _tomek,
}
"""The paper's resamplers by name; each takes the number of neighbours and a seed."""

NEIGHBOR_SAMPLERS = ("smote", "bl-smote", "adasyn", "smote-enn", "smote-tomek")
"""Those that draw from neighbours within the minority."""
