"""
Six measures on the same rows
=============================

Six measures of what surrounds a row, drawn on the same two-dimensional data: a large minority
group beside the majority, a small compact one within it, a thin chain with tight groups of the
majority beside it, and a few outliers that are probably noise.
"""

# %%
# The data: about one row in fourteen is of the minority.

import numpy as np

rng = np.random.default_rng(0)
majority = np.vstack([rng.normal([0, 0], 1.6, (520, 2)), rng.normal([5.5, 0], 1.2, (180, 2))])
group = rng.normal([3.0, 2.6], 0.55, (36, 2))
compact = rng.normal([-0.6, -0.4], 0.07, (8, 2))
chain = np.column_stack([np.linspace(-4, 0.5, 18), np.full(18, 4.2)])
beside = chain + [[0, -0.35], [0, 0.35]] * 9
majority = np.vstack([majority, rng.normal(np.repeat(beside, 7, axis=0), 0.05)])
lone = np.array([[5.2, 0.4], [1.0, -1.2], [-1.5, 0.8], [6.2, -0.9]])
minority = np.vstack([group, compact, chain, lone])
X = np.vstack([majority, minority])
y = np.repeat([0, 1], [len(majority), len(minority)])
part = np.repeat(["group", "compact", "chain", "lone"], [36, 8, 18, 4])

# %%
# Each measure gives the *other-class share* around each row, from 0 (all neighbours are of its
# class) to 1 (none is).

import matplotlib.pyplot as plt

from icost import (
    ClusterComplexity,
    DensityComplexity,
    GiniComplexity,
    GraphComplexity,
    MarginComplexity,
    NeighborComplexity,
)

measures = {
    "neighbours": NeighborComplexity(),
    "leaves of a tree (Gini)": GiniComplexity(),
    "margin of a held-out model": MarginComplexity(),
    "densities": DensityComplexity(),
    "walks on a graph": GraphComplexity(),
    "clusters": ClusterComplexity(),
}
records = {name: measure.estimate(X, y == 1, random_state=0) for name, measure in measures.items()}

figure, axes = plt.subplots(2, 3, figsize=(10, 6.2), sharex=True, sharey=True, layout="constrained")
for ax, (name, record) in zip(axes.flat, records.items(), strict=True):
    ax.scatter(*majority.T, s=4, color="0.8")
    dots = ax.scatter(
        *minority.T,
        c=record.other_class_share,
        cmap="viridis",
        vmin=0,
        vmax=1,
        s=22,
        edgecolor="0.3",
        lw=0.4,
    )
    ax.set_title(name, fontsize=10)
    ax.set_xticks([])
    ax.set_yticks([])
figure.colorbar(dots, ax=axes, label="other-class share", shrink=0.8)

# %%
# The means of the four parts say the same in numbers. Most neighbours of the chain are in the knots
# beside it, but these have nearer neighbours in themselves: the walk along *mutual* ones keeps to
# the chain. Densities ask who is denser for its size. A straight border, and two clusters, take the
# compact group for misplaced.

import pandas as pd

pd.DataFrame(
    {
        name: pd.Series(record.other_class_share).groupby(part).mean()
        for name, record in records.items()
    }
).loc[["group", "compact", "chain", "lone"]].round(2)

# %%
# From shares to weights
# ----------------------
# With ``penalty="plausible"``, the weight of a row falls with its other-class share. The mean
# weight of a class stays what it is with uniform weights, so that these are an exact control: what
# differs between the two models below is only *which* rows count. With class-level costs each
# outlier gets its own island; with densities these fade, while the compact group and the
# chain stay.

from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.svm import SVC

from icost import iCost

figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
settings = {
    "class-level costs": {"method": "cs"},
    "plausible, by densities": {"method": "density", "penalty": "plausible"},
}
for ax, (name, options) in zip(axes, settings.items(), strict=True):
    model = iCost(SVC(gamma=2), **options).fit(X, y)
    DecisionBoundaryDisplay.from_estimator(
        model, X, response_method="predict", cmap="Blues", alpha=0.3, ax=ax
    )
    ax.scatter(*majority.T, s=3, color="0.7")
    weights = model.sample_weight_[y == 1]
    ax.scatter(*minority.T, s=3 * weights, color="C1", alpha=0.6)
    ax.set_title(f"{name}: total {weights.sum():.0f}", fontsize=10)
    ax.set_xticks([])
    ax.set_yticks([])
