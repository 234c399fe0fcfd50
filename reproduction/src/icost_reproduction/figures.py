"""The paper's seven figures, from real data and real rows, and some that it lacks."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from icost.datasets import load_dataset
from icost.plots import ComplexityDisplay
from icost_reproduction._internals import (
    ACCENT,
    CATEGORY_COLORS,
    LOSS,
    PAPER_CLASSIFIERS,
    new_axes,
    plain_axes,
    pyplot,
)
from icost_reproduction.critical_difference import CriticalDifferenceDisplay
from icost_reproduction.delta import DeltaDisplay
from icost_reproduction.ensemble_tables import RIVALS, differences
from icost_reproduction.evaluation import Results
from icost_reproduction.paper_tables import VARIANTS, averages, classifier_label, tuned_means
from icost_reproduction.plane import GiniPartitionDisplay, WeightBoundaryDisplay
from icost_reproduction.rank_tests import mean_interval, source_interval
from icost_reproduction.strategies import STRATEGIES

Plane = tuple[NDArray[np.float64], NDArray[Any]]


def plane(dataset: str) -> Plane:
    """Return a real dataset on its two principal components, scaled as in the paper.

    What is drawn is all that complexity is estimated from, so that the eye can check it.
    """
    X, y = load_dataset(dataset, return_X_y=True)
    points = make_pipeline(MinMaxScaler(), PCA(2, random_state=0)).fit_transform(X)
    return points, y.to_numpy()


def _weights(results: Results) -> Any:
    return WeightBoundaryDisplay.from_data(*plane("ecoli3"), SVC()).figure_


def _outliers(results: Results) -> Any:
    points, labels = plane("yeast5")
    display = ComplexityDisplay.from_data(points, labels)
    record = display.complexity
    circled = points[record.indices[record.category == "outlier"]]
    display.ax_.scatter(*circled.T, s=160, facecolor="none", edgecolor=LOSS, linewidth=1.5)
    return display.figure_


def _overlap(results: Results) -> Any:
    return ComplexityDisplay.from_data(*plane("pima")).figure_


def _categories(results: Results) -> Any:
    return ComplexityDisplay.from_data(*plane("ecoli3")).figure_


def _gini_partition(results: Results) -> Any:
    return GiniPartitionDisplay.from_data(*plane("ecoli3")).figure_


def _tuned_means(results: Results) -> Any:
    means = averages(tuned_means(results)).drop("average", errors="ignore")
    ax = new_axes(None, figsize=(7.2, 4.0))
    names = {"cs": "tuned CSL", **{v: f"tuned {label}" for v, label in VARIANTS.items()}}
    colors = ["0.5", ACCENT, CATEGORY_COLORS["pure"]]
    for position, (name, label) in enumerate(names.items()):
        # Dots: the axis does not start at 0, and a bar would be read by its length.
        places = np.arange(len(means)) + 0.2 * (position - 1)
        ax.plot(places, means[name], "osD"[position], color=colors[position], label=label)
        for place, value in zip(places, means[name], strict=True):
            ax.annotate(f"{value:.1f}", (place, value), (0, 5), textcoords="offset points",
                        ha="center", fontsize="x-small")  # fmt: skip
    ax.set_xticks(np.arange(len(means)), [classifier_label(c) for c in means.index])
    ax.set(ylabel="average MCC (%)")
    ax.margins(y=0.2)
    ax.legend(frameon=False, fontsize="small", ncols=3, loc="upper center")
    plain_axes(ax)
    return ax.figure


def _deltas(results: Results) -> Any:
    parts = {"default costs": results.means("default")}
    if not results.rows("tuning").empty:
        parts["tuned costs"] = tuned_means(results)
    height = 1.4 + 0.19 * max(len(means.loc["lr"]) for means in parts.values())
    size = {"figsize": (5.2 * len(parts), height), "squeeze": False}
    figure, axes = pyplot().subplots(1, len(parts), layout="constrained", **size)
    for ax, (label, means) in zip(axes[0], parts.items(), strict=True):
        scores = 100 * means.loc["lr"]
        names = list(scores.index)
        DeltaDisplay.from_data(
            scores["neighbor"], scores["cs"], names, label=f"ΔMCC, {label}", ax=ax
        )
    return figure


def _critical_difference(results: Results) -> Any:
    means = results.means("honest")
    names = [n for n in STRATEGIES if n in means and not STRATEGIES[n].own_classifier]
    with_base = means.loc[[c for c in PAPER_CLASSIFIERS if c in means.index], names]
    # Classifiers on the same dataset are not independent, so each dataset counts once.
    scores = with_base.groupby("dataset", observed=True).mean().dropna().round(9)
    return CriticalDifferenceDisplay.from_data(scores, [STRATEGIES[n].label for n in names]).figure_


def _ensemble_gains(study: str, results: Results) -> Any:
    means = results.means(study)
    gains = list(differences(means, "ensemble", RIVALS))[::-1]
    # Narrow, so that a phone does not shrink the text.
    ax = new_axes(None, figsize=(5.2, 1.1 + 0.5 * len(gains)))
    for position, (_, _, gain) in enumerate(gains):
        mean, *by_set = mean_interval(gain)
        _, *by_source = source_interval(gain)
        ax.plot(by_source, [position] * 2, color=ACCENT, linewidth=1.2)
        ax.plot(by_set, [position] * 2, color=ACCENT, linewidth=5, solid_capstyle="butt", alpha=0.5)
        ax.plot(mean, position, "o", color=ACCENT, markersize=7)
        ax.annotate(f"{mean:+.3f}", (mean, position), (0, 7), textcoords="offset points",
                    ha="center", fontsize="small")  # fmt: skip
    ax.axvline(0, color="black", linewidth=0.8)
    labels = [f"{label}\nover {rival}" for label, rival, _ in gains]
    ax.set_yticks(range(len(gains)), labels, fontsize="small")
    ax.set_ylim(-0.5, len(gains) - 0.3)
    ax.set_xlabel("difference of MCC")
    plain_axes(ax)
    return ax.figure


FIGURES: dict[str, tuple[str, bool, str, Callable[[Results], Any]]] = {
    "weights": (
        "default", False,
        "Figure 1: Weights bend the boundary of an SVM (ecoli3); the size of a point is its "
        "weight.",
        _weights),
    "noise": (
        "default", False,
        "Figure 2: Outliers of the minority (circled) and small disjuncts (yeast5).", _outliers),
    "overlap": ("default", False, "Figure 3: Overlapping classes (pima).", _overlap),
    "categories": (
        "default", False, "Figure 4: Categories of minority rows (ecoli3).", _categories),
    "gini-partition": (
        "default", False, "Figure 5: Leaves of the probe tree of Gini-iCost (ecoli3).",
        _gini_partition),
    "tuned-mcc": ("tuning", True, "Figure 6: Average MCC of tuned strategies.", _tuned_means),
    "delta-mcc": (
        "default", True,
        "Figure 7: Change of MCC by Neighbor-iCost over CSL on each dataset, with LR.", _deltas),
    "critical-difference": (
        "honest", True,
        "Average ranks over the datasets; strategies under one bar do not differ (Nemenyi, 5 %).",
        _critical_difference),
    **{
        f"{study}-gains": (
            study, True,
            "The ensemble over the best of all baselines of each classifier, an oracle's choice: "
            f"mean over {sets}, with 95 % intervals by data sets (broad) and by families (thin).",
            partial(_ensemble_gains, study))
        for study, sets in (("ensemble", "the paper's 65 data sets"),
                            ("confirmation", "28 data sets of other families"))
    },
}  # fmt: skip
"""Figures by name: study, whether its rows are needed, caption, drawing."""


def study_figures(results: Results, study: str) -> Iterator[tuple[str, str, Any]]:
    """Yield name, caption and figure as far as there are rows; whoever takes it closes it."""
    for name, (own_study, needs_rows, caption, draw) in FIGURES.items():
        if own_study != study or (needs_rows and results.rows(study).empty):
            continue
        try:
            yield name, caption, draw(results)
        except KeyError:
            # Rows of a part of the strategies or classifiers only.
            continue


def as_svg(figure: Any) -> str:
    """Return a figure as the text of an SVG file, the same for the same figure, and close it."""
    stream = io.StringIO()
    with pyplot().rc_context({"svg.hashsalt": "icost", "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None})
    pyplot().close(figure)
    return stream.getvalue()


def as_data_uri(svg: str) -> str:
    """Return an address that holds a picture itself."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()
