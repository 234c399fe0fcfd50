"""What candidates of one fold share, so that it is computed once.

A candidate is a dictionary of parameters, as in `sklearn.model_selection.GridSearchCV`. Its values
decide, in this order, how the steps before iCost transform the table, how hard each minority row
is, and which base classifier is fitted. Costs decide none of these, only the weights.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Number
from typing import Any

from sklearn import get_config
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.metadata_routing import get_routing_for_object

from icost._weights.classifier import iCost
from icost.complexity._methods import MEASURES
from icost.penalties import COST_PARAMETERS

Params = Mapping[str, Any]


@dataclass(frozen=True)
class Group:
    """Candidates that differ in costs only: what they share by full names, costs by iCost's own."""

    structure: Params
    members: list[tuple[int, Params]]


def cost_prefix(estimator: Any) -> str:
    """Return what stands before the names of iCost's parameters: ``"<step>__"`` in a pipeline."""
    if isinstance(estimator, iCost):
        return ""
    if isinstance(estimator, Pipeline) and isinstance(estimator.steps[-1][1], iCost):
        return f"{estimator.steps[-1][0]}__"
    name = type(estimator).__name__
    hint = f": write iCostCV(iCost({name}()))" if is_classifier(estimator) else ""
    if isinstance(estimator, Pipeline):
        last = type(estimator.steps[-1][1]).__name__
        hint = f" that ends in {last}: write iCost({last}()) in its place"
    raise TypeError(f"estimator must be an iCost or a pipeline that ends in one, got {name}{hint}.")


def is_shareable(estimator: Any, metadata: Iterable[str] = ()) -> bool:
    """Whether the steps before iCost can be fitted apart from it.

    Pipelines of other packages do more than transform: imbalanced-learn's resample the rows. And
    where metadata routing is on, a step may ask for what is given to ``fit``.
    """
    if type(estimator) is not Pipeline:
        return type(estimator) is iCost
    if getattr(estimator, "transform_input", None) is not None:
        return False
    return not any(_takes(step, list(metadata)) for _, step in estimator.steps[:-1])


def _takes(step: Any, metadata: list[str]) -> bool:
    if not get_config()["enable_metadata_routing"]:
        return False
    routing = get_routing_for_object(step)
    return any(routing.consumes(name, metadata) for name in ("fit", "fit_transform", "transform"))


def group_candidates(candidates: Iterable[Params], prefix: str) -> list[Group]:
    """Return the candidates in groups that differ in costs only, in the order of their firsts."""
    groups: dict[Hashable, Group] = {}
    for position, params in enumerate(candidates):
        costs = {name: value for name, value in params.items() if _is_cost(name, prefix)}
        structure = {name: value for name, value in params.items() if name not in costs}
        group = groups.setdefault(params_key(structure), Group(structure, []))
        own_names = {name.removeprefix(prefix): value for name, value in costs.items()}
        group.members.append((position, own_names))
    return list(groups.values())


def _is_cost(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and name.removeprefix(prefix) in COST_PARAMETERS


def params_key(params: Params) -> Hashable:
    """Return a key that two sets of parameters share only if they are the same.

    Objects are compared by identity: a grid repeats its objects, so equal ones usually are one.
    """
    return tuple((name, _token(params[name])) for name in sorted(params))


def _token(value: Any) -> Hashable:
    # The type matters: min_samples_leaf=1 is one row, 1.0 is all of them.
    if value is None or isinstance(value, str | Number):
        return type(value), value
    return type(value), id(value)


def head_key(structure: Params, prefix: str) -> Hashable:
    """Return what decides the table that iCost gets: the parameters of the steps before it."""
    of_icost = _of_icost(structure, prefix, lambda own_name: True)
    return params_key({n: value for n, value in structure.items() if n not in of_icost})


def complexity_key(structure: Params, prefix: str, method: Any) -> Hashable:
    """Return what decides the complexity of the minority rows, given iCost's method."""
    relevant = {"method", "minority_label", "preprocessor", "random_state"}
    relevant |= {"majority", "multiclass"}
    if isinstance(method, str) and method in MEASURES:
        relevant |= set(MEASURES[method][1])
    nested = ("method__", "preprocessor__")

    def matters(own_name: str) -> bool:
        return own_name in relevant or own_name.startswith(nested)

    return params_key(_of_icost(structure, prefix, matters))


def base_key(structure: Params, prefix: str) -> Hashable:
    """Return what decides the base classifier."""
    return params_key(
        _of_icost(structure, prefix, lambda own_name: own_name.startswith("base_classifier"))
    )


def _of_icost(structure: Params, prefix: str, matters: Any) -> dict[str, Any]:
    """Those parameters of iCost that matter, and iCost itself where a grid replaces it."""
    return {
        name: value
        for name, value in structure.items()
        if (name.startswith(prefix) and matters(name.removeprefix(prefix)))
        or (prefix and f"{name}__" == prefix)
    }
