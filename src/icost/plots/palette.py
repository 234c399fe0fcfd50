"""Colours and markers that every picture of the project shares.

Each category has a marker besides its colour, so that a picture can be read in grey. The colours
keep a contrast of 3:1 against white as well as against the report's dark background.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from icost.validation import import_extra

MAJORITY_COLOR = "#8a94a6"
ACCENT = "#3b6fd4"
GAIN, LOSS = "#0f8a78", "#d1495b"

CATEGORY_COLORS: Mapping[str, str] = MappingProxyType(
    {
        "pure": "#0f8a78",
        "safe": "#3a8dde",
        "mixed": "#b7791f",
        "border": "#e0662f",
        "outlier": "#c2459b",
    }
)
CATEGORY_MARKERS: Mapping[str, str] = MappingProxyType(
    {"pure": "o", "safe": "s", "mixed": "D", "border": "^", "outlier": "X"}
)
# For categories that users invent, in the order of their names.
_SPARE_COLORS = ("#7257d6", "#5c7a1f", "#9c5a3c", "#2f7f99")


def category_color(name: str, names: list[str]) -> str:
    """Return the colour of a category, also of one that the paper does not have.

    Examples
    --------
    >>> from icost.plots.palette import category_color
    >>> category_color("border", ["border", "hard"])
    '#e0662f'
    """
    if name in CATEGORY_COLORS:
        return CATEGORY_COLORS[name]
    own = sorted(set(names) - set(CATEGORY_COLORS))
    return _SPARE_COLORS[own.index(name) % len(_SPARE_COLORS)]


def pyplot() -> Any:
    """Import matplotlib's pyplot, or say how to install it."""
    return import_extra("matplotlib.pyplot", "plots", "Drawing")


def new_axes(ax: Any = None, **figure: Any) -> Any:
    """Return the given axes, or those of a new figure."""
    return pyplot().subplots(layout="constrained", **figure)[1] if ax is None else ax


def plain_axes(ax: Any) -> None:
    """Take away the frame lines that carry no information."""
    ax.spines[["top", "right"]].set_visible(False)
