"""The nine resamplers of the paper, on folds that may have too few minority samples for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
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


def _smote(k: int, seed: int) -> Any:
    return _module("over_sampling").SMOTE(k_neighbors=k, random_state=seed)


def _cleaned_smote(name: str, k: int, seed: int) -> Any:
    # SMOTE within these has a seed and neighbours of its own, which they do not hand on.
    return getattr(_module("combine"), name)(smote=_smote(k, seed), random_state=seed)


SAMPLERS: dict[str, Callable[[int, int], Any]] = {
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
