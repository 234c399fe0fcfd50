"""Two dimensions to draw in: two of the features, or a projection of all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from icost.preprocessing import to_numeric_space

MANY_COLUMNS = 1_000
"""Columns beyond which only the components that are drawn are computed."""


def to_plane(
    X: Any, features: Sequence[Any] | None = None
) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """Return a point in the plane for each row, and the names of the two axes.

    Without ``features``, both of two numeric columns are drawn, else the first two principal
    components of the standardised table: columns of large numbers must not decide them.
    """
    if features is None and np.shape(X)[1] != 2:
        return _principal_components(X)
    points, names = take_columns(X, [0, 1] if features is None else find_features(X, features))
    if points.shape[1] != 2:
        return _principal_components(X)
    return points, names


def find_features(X: Any, features: Sequence[Any]) -> list[int]:
    """Return the positions of columns, each given by its name, as text or not, or its position."""
    names = list(getattr(X, "columns", []))
    return [_position(feature, names, np.shape(X)[1]) for feature in features]


def take_columns(X: Any, positions: list[int]) -> tuple[NDArray[np.float64], tuple[str, str]]:
    """Return two columns as numbers, and their names."""
    if len(positions) != 2:
        raise ValueError(f"features must name two columns, got {len(positions)}.")
    columns = X.iloc[:, positions] if hasattr(X, "iloc") else _columns(X, positions)
    known = list(getattr(X, "columns", []))
    names = [str(known[p]) if known else f"feature {p}" for p in positions]
    return to_numeric_space(columns), (names[0], names[1])


def _columns(X: Any, positions: list[int]) -> Any:
    if hasattr(X, "columns"):  # polars
        return X[:, positions]
    if issparse(X):
        return X.tocsc()[:, positions].toarray()
    return np.asarray(X)[:, positions]


def _position(feature: Any, names: list[Any], n_features: int) -> int:
    # Names may be numbers themselves, which then are no positions.
    for known in (names, [str(name) for name in names]):
        if feature in known:
            return known.index(feature)
    is_position = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
    if not is_position or not 0 <= feature < n_features:
        wanted = f"one of {names}" if names else f"a position from 0 to {n_features - 1}"
        raise ValueError(f"a feature must be {wanted}, got {feature!r}.")
    return int(feature)


def _principal_components(X: Any) -> tuple[NDArray[np.float64], tuple[str, str]]:
    space = to_numeric_space(X)
    space = space.toarray() if issparse(space) else space
    # The covariance of 10,000 columns would take gigabytes and hours; two components of it do not.
    solver = "covariance_eigh" if space.shape[1] <= MANY_COLUMNS else "randomized"
    pca = PCA(n_components=min(2, *space.shape), svd_solver=solver, random_state=0)
    # Constant columns have no variance to share out: 0 / 0, shown as 0 %.
    with np.errstate(invalid="ignore"):
        points = pca.fit_transform(StandardScaler().fit_transform(space))
    # One column has one component; a second axis of zeros keeps the picture a picture.
    points = np.pad(points, [(0, 0), (0, 2 - points.shape[1])])
    shares = np.pad(pca.explained_variance_ratio_, (0, 2 - pca.n_components_))
    shares = np.nan_to_num(shares)
    return points, (f"component 1 ({shares[0]:.0%})", f"component 2 ({shares[1]:.0%})")
