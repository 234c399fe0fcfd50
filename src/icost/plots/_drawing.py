"""What all pictures share: colours, markers, axes, and two dimensions to draw in.

The colours are those of Okabe and Ito, which colour-blind readers tell apart as well. Each category
has a marker besides, so that a picture can be read in grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost._core.arrays import Floats
from icost._core.validation import import_extra
from icost._table._space import to_numeric_space

MAJORITY_COLOR = "#6b7280"
ACCENT = "#0072B2"
GAIN, LOSS = "#0072B2", "#D55E00"

LINE_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", MAJORITY_COLOR)
"""Colours of lines in one picture, in their order."""

CATEGORY_COLORS: Mapping[str, str] = {
    "pure": "#009E73",
    "safe": "#0072B2",
    "mixed": "#E69F00",
    "border": "#D55E00",
    "outlier": "#CC79A7",
}
CATEGORY_MARKERS = {"pure": "o", "safe": "s", "mixed": "D", "border": "^", "outlier": "X"}
# For categories that users invent, in the order of their names.
_SPARE_COLORS = ("#56B4E9", "#7257d6", "#5c7a1f", "#9c5a3c")


def category_color(name: str, names: list[str]) -> str:
    """Return the colour of a category, also of one that the paper does not have."""
    if name in CATEGORY_COLORS:
        return CATEGORY_COLORS[name]
    others = sorted(set(names) - set(CATEGORY_COLORS))
    return _SPARE_COLORS[others.index(name) % len(_SPARE_COLORS)]


def pyplot() -> Any:
    """Import matplotlib's pyplot, or say how to install it."""
    return import_extra("matplotlib.pyplot", "plots", "Drawing")


def new_axes(ax: Any = None, **figure: Any) -> Any:
    """Return the given axes, or those of a new figure."""
    return pyplot().subplots(layout="constrained", **figure)[1] if ax is None else ax


def plain_axes(ax: Any) -> None:
    """Take away the frame lines that carry no information."""
    ax.spines[["top", "right"]].set_visible(False)


MANY_COLUMNS = 1_000
"""Columns beyond which only the components that are drawn are computed."""


def to_plane(X: Any, features: Sequence[Any] | None = None) -> tuple[Floats, tuple[str, str]]:
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


def take_columns(X: Any, positions: list[int]) -> tuple[Floats, tuple[str, str]]:
    """Return two columns as numbers, and their names."""
    if len(positions) != 2:
        raise ValueError(f"features must name two columns, got {len(positions)}.")
    columns = columns_at(X, positions)
    all_names = list(getattr(X, "columns", []))
    names = [str(all_names[p]) if all_names else f"feature {p}" for p in positions]
    return to_numeric_space(columns), (names[0], names[1])


def columns_at(X: Any, positions: list[int]) -> Any:
    """Return some columns of a table of any type."""
    if hasattr(X, "iloc"):
        return X.iloc[:, positions]
    if hasattr(X, "columns"):  # polars
        return X[:, positions]
    if issparse(X):
        return X.tocsc()[:, positions].toarray()
    return np.asarray(X)[:, positions]


def _position(feature: Any, names: list[Any], n_features: int) -> int:
    # Names may be numbers themselves, which then are no positions.
    for listed in (names, [str(name) for name in names]):
        if feature in listed:
            return listed.index(feature)
    is_position = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
    if not is_position or not 0 <= feature < n_features:
        wanted = f"one of {names}" if names else f"a position from 0 to {n_features - 1}"
        raise ValueError(f"a feature must be {wanted}, got {feature!r}.")
    return int(feature)


def _principal_components(X: Any) -> tuple[Floats, tuple[str, str]]:
    space = to_numeric_space(X)
    space = space.toarray() if issparse(space) else space
    # The covariance of 10,000 columns would take gigabytes and hours; two components of it do not.
    solver = "covariance_eigh" if space.shape[1] <= MANY_COLUMNS else "randomized"
    pca = PCA(n_components=min(2, *space.shape), svd_solver=solver, random_state=0)
    steps = make_pipeline(StandardScaler(), pca).set_output(transform="default")
    # Constant columns have no variance to share out: 0 / 0, shown as 0 %.
    with np.errstate(invalid="ignore"):
        points = steps.fit_transform(space)
    # One column has one component; a second axis of zeros keeps the picture a picture.
    points = np.pad(points, [(0, 0), (0, 2 - points.shape[1])])
    shares = np.pad(pca.explained_variance_ratio_, (0, 2 - pca.n_components_))
    shares = np.nan_to_num(shares)
    return points, (f"component 1 ({shares[0]:.0%})", f"component 2 ({shares[1]:.0%})")
