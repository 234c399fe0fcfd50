"""The methods of iCost: which complexity measure a name stands for.

A new measure gets one line in `MEASURES`; the parameters named there are those of `icost.iCost`
that it uses, so that a search over any other one need not estimate complexity again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from icost import complexity
from icost._core.statistics import SAMPLERS
from icost._core.validation import check_choice
from icost.complexity._base import BaseComplexity
from icost.complexity._probe import PROBES

_TREE = {
    "tree_max_depth": "max_depth",
    "tree_min_samples_leaf": "min_samples_leaf",
    "tau_pure": "tau_pure",
    "tau_out": "tau_out",
    "tree_probe": "probe",
}

MEASURES: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "neighbor": ("NeighborComplexity", {"n_neighbors": "n_neighbors"}),
    "tree": ("GiniComplexity", _TREE),
    "gini": ("GiniComplexity", _TREE),
    "margin": ("MarginComplexity", {}),
    "density": ("DensityComplexity", {"n_neighbors": "n_neighbors"}),
    "graph": ("GraphComplexity", {"n_neighbors": "n_neighbors"}),
    "cluster": ("ClusterComplexity", {}),
}
"""The measure of each method, and its parameters by their names in `icost.iCost`."""

METHODS = ("ncs", "cs", *MEASURES)
"""All names that ``method`` may be; the first two judge no row."""

ELSEWHERE = {
    **{name: f"compare(X, y, strategies=[{name!r}])" for name in SAMPLERS},
    "smote": "iCostAuto(strategies=['smote'])",
    **dict.fromkeys(("threshold", "offsets"), "ThresholdClassifier"),
    **dict.fromkeys(("ensemble", "blend"), "iCostEnsemble"),
}
"""Strategies that weight no rows, and what fits them."""


def measure_of(model: Any) -> BaseComplexity | None:
    """Return the measure that an estimator is set to, or None for a method that needs none."""
    if isinstance(model.method, str) and model.method in ELSEWHERE:
        raise ValueError(
            f"method must say how rows are weighted, got {model.method!r}, which weights none: "
            f"use {ELSEWHERE[model.method]}."
        )
    if not isinstance(model.method, BaseComplexity):
        check_choice("method", model.method, METHODS, " or a complexity object")
    check_probe(model.method, model.tree_probe)
    if isinstance(model.method, BaseComplexity):
        return model.method
    return named_measure(model.method, model) if model.method in MEASURES else None


def check_probe(method: Any, probe: Any) -> None:
    """Raise for a probe that does not exist, or that the method would silently ignore."""
    check_choice("tree_probe", probe, PROBES)
    is_tree = isinstance(method, str) and "tree_probe" in MEASURES.get(method, ("", {}))[1]
    if probe != PROBES[0] and not is_tree:
        raise ValueError(
            f"tree_probe must be {PROBES[0]!r} unless method is 'tree' or 'gini', got {probe!r} "
            f"with method={method!r}; a GiniComplexity has a parameter probe of its own."
        )


def named_measure(method: str, model: Any) -> BaseComplexity:
    """Return the measure of a name in `MEASURES`, with an estimator's parameters."""
    name, parameters = MEASURES[method]
    given = {parameter: getattr(model, ours) for ours, parameter in parameters.items()}
    return getattr(complexity, name)(**given)
