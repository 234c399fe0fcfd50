"""Plans: which datasets, strategies and classifiers, under which protocol.

A plan is a TOML file::

    name = "mine"
    title = "Three sets and two strategies"
    datasets = ["glass2", "yeast4", "my_table.csv"]   # or "binary", "multiclass"
    strategies = ["cs", "neighbor"]
    classifiers = ["lr", "svm"]

    [protocol]                # changes to the profile
    n_repeats = 2

    [published]               # changes for one profile only, here also of the lists above
    strategies = ["ncs", "cs"]
    scaler = "minmax"

    [[exceptions]]            # another classifier, or another strategy, for some datasets
    datasets = ["Dry_Bean"]
    classifier = "lr"
    use = "lr-liblinear"
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from icost.datasets import get_record, list_datasets
from icost.datasets.readers import SUFFIXES
from icost.experiments.protocols import PROFILES, Protocol
from icost.strategies.classifiers import CLASSIFIERS, get_classifier
from icost.strategies.grids import GRIDS
from icost.strategies.registry import get_strategy
from icost.validation import check_choice

HONEST_ONLY = ("honest", "controls")
"""Studies that the paper lacks, which are always run under the profile of that name."""

LISTS = ("datasets", "strategies", "classifiers")
KEYS = ("name", "title", "kind", *LISTS, "protocol", "exceptions", *PROFILES)
QUICK_DATASETS = {
    "binary": ("glass2", "ecoli3", "new-thyroid1"),
    "multiclass": ("new-thyroid", "wine"),
}
"""A few small sets of each kind, for a look at everything in about a minute."""

SLOW = ("rf", "xgb")
"""Classifiers that a quick look leaves out."""


@dataclass(frozen=True)
class Plan:
    """What to run.

    Parameters
    ----------
    name : str
        Name of the study.
    title : str
        What it is about, for headings.
    datasets, strategies, classifiers : tuple of str
        Names; a dataset may be a file.
    protocol : Protocol
        How to run it.
    profile : str, default="honest"
        Name of the profile that the protocol is based on.
    kind : {"binary", "multiclass"}, default="binary"
        Where to look for the names of datasets.
    exceptions : tuple of (dataset, name, name), default=()
        Classifiers and strategies to replace for single datasets.
    n_folds : int or None, default=None
        Run only the first folds of each repeat.

    Examples
    --------
    >>> from icost.experiments.plan import load_plan
    >>> plan = load_plan("default", "published")
    >>> len(plan.datasets), plan.strategies[:4], plan.protocol.n_repeats
    (65, ('ncs', 'cs', 'neighbor', 'gini'), 3)
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    strategies: tuple[str, ...]
    classifiers: tuple[str, ...]
    protocol: Protocol
    profile: str = "honest"
    kind: str = "binary"
    exceptions: tuple[tuple[str, str, str], ...] = ()
    n_folds: int | None = None

    @property
    def n_pairs(self) -> int:
        """Number of pairs of dataset and classifier."""
        return len(self.datasets) * len(self.classifiers)

    def folds(self) -> range:
        """Return the numbers of the folds to run in each repeat.

        Returns
        -------
        range
            From 0 on.
        """
        return range(self.n_folds or self.protocol.n_splits)

    def select(
        self,
        *,
        datasets: Sequence[str] | None = None,
        strategies: Sequence[str] | None = None,
        classifiers: Sequence[str] | None = None,
        n_repeats: int | None = None,
    ) -> Plan:
        """Return a plan for a part of this one, or with other names.

        Parameters
        ----------
        datasets, strategies, classifiers : sequence of str, default=None
            Names in place of the plan's.
        n_repeats : int, default=None
            Number of repeats.

        Returns
        -------
        Plan
            Its rows go well together with those of this plan.
        """
        given = {"datasets": datasets, "strategies": strategies, "classifiers": classifiers}
        lists: dict[str, Any] = {
            name: tuple(names) for name, names in given.items() if names is not None
        }
        protocol = (
            self.protocol if n_repeats is None else self.protocol.change({"n_repeats": n_repeats})
        )
        plan = replace(self, protocol=protocol, **lists)
        check_names(plan)
        return plan

    def quick(self) -> Plan:
        """Return a plan that runs in about a minute: few sets, two folds, no ensembles.

        Returns
        -------
        Plan
            Files of the user stay in.
        """
        few = QUICK_DATASETS[self.kind]
        datasets = [name for name in self.datasets if name in few or is_file(name)]
        classifiers = [name for name in self.classifiers if name not in SLOW]
        plan = self.select(
            datasets=datasets or self.datasets[:2],
            classifiers=classifiers or self.classifiers,
            n_repeats=1,
        )
        return replace(plan, n_folds=2)

    def used_for(self, dataset: str, name: str) -> str:
        """Return what is used on a dataset in place of a classifier or strategy of the plan.

        Parameters
        ----------
        dataset, name : str
            Names in the plan.

        Returns
        -------
        str
            The name itself where there is no exception.
        """
        found = [use for where, old, use in self.exceptions if (where, old) == (dataset, name)]
        return found[0] if found else name

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary of plain values.

        Returns
        -------
        dict
            For a JSON file beside the rows.
        """
        return asdict(self)


def load_plan(
    source: str | os.PathLike[str] | Mapping[str, Any], profile: str | None = None
) -> Plan:
    """Load a plan.

    Parameters
    ----------
    source : str, path or mapping
        Name of a shipped plan (see `list_plans`), a TOML file, or its content.
    profile : str, default=None
        A name in `icost.experiments.protocols.PROFILES`; ``"honest"`` by default.

    Returns
    -------
    Plan
        Checked: all its names are known.

    Examples
    --------
    >>> from icost.experiments.plan import load_plan
    >>> lists = {"datasets": ["glass2"], "strategies": ["cs"], "classifiers": ["lr"]}
    >>> load_plan({"name": "mine", **lists}).protocol.scaler
    'standard'
    """
    content = dict(source) if isinstance(source, Mapping) else _read(source)
    for key in content:
        check_choice("an entry of a plan", key, KEYS)
    for key in ("name", *LISTS):
        if key not in content:
            raise ValueError(f"a plan must have the entry {key!r}, got only {sorted(content)}.")
    profile = check_choice("profile", profile or "honest", PROFILES)
    special = dict(content.get(profile, {}))
    lists = {key: special.pop(key, content[key]) for key in LISTS}
    protocol = PROFILES[profile].change(content.get("protocol", {})).change(special)
    kind = check_choice("kind", content.get("kind", "binary"), ("binary", "multiclass"))
    plan = Plan(
        name=content["name"],
        title=content.get("title", content["name"]),
        datasets=_expand_datasets(lists["datasets"]),
        strategies=_names("strategies", lists["strategies"]),
        classifiers=_names("classifiers", lists["classifiers"]),
        protocol=protocol,
        profile=profile,
        kind=kind,
        exceptions=tuple(_exceptions(content.get("exceptions", []))),
    )
    check_names(plan)
    return plan


def list_plans() -> list[str]:
    """Return the names of the shipped plans.

    Returns
    -------
    list of str
        One per study.

    Examples
    --------
    >>> from icost.experiments.plan import list_plans
    >>> list_plans()
    ['controls', 'default', 'honest', 'multiclass', 'resampling', 'tuning']
    """
    folder = files("icost.experiments") / "plans"
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    )


def check_names(plan: Plan) -> None:
    """Raise if a plan names something unknown, with one sentence on what.

    Parameters
    ----------
    plan : Plan
        The plan.
    """
    replaced = [(old in CLASSIFIERS, use) for _, old, use in plan.exceptions]
    for name in (*plan.classifiers, *(use for is_classifier, use in replaced if is_classifier)):
        get_classifier(name)
    for name in (*plan.strategies, *(use for is_classifier, use in replaced if not is_classifier)):
        if name not in GRIDS and get_strategy(name).binary_only and plan.kind == "multiclass":
            raise ValueError(
                f"the strategy {name!r} is for two classes only, got kind 'multiclass'."
            )
    for name in plan.datasets:
        if not is_file(name):
            get_record(name, plan.kind)


def is_file(dataset: str) -> bool:
    """Return whether the name of a dataset is that of a file.

    Examples
    --------
    >>> from icost.experiments.plan import is_file
    >>> is_file("glass2"), is_file("tables/mine.csv")
    (False, True)
    """
    return os.sep in dataset or Path(dataset).suffix.lower() in SUFFIXES


def _read(source: str | os.PathLike[str]) -> dict[str, Any]:
    shipped = list_plans()
    if isinstance(source, str) and source in shipped:
        text = (files("icost.experiments") / "plans" / f"{source}.toml").read_text("utf-8")
    elif Path(source).is_file():
        text = Path(source).read_text("utf-8")
    else:
        raise ValueError(
            f"a plan must be a TOML file or one of {shipped}, got {os.fspath(source)!r}."
        )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"the plan {os.fspath(source)!r} is not valid TOML: {error}.") from error


def _names(key: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) for name in value):
        raise ValueError(f"{key} must be a list of names, got {value!r}.")
    repeated = [name for name in value if value.count(name) > 1]
    if repeated:
        raise ValueError(f"{key} must name each entry once, got {repeated[0]!r} twice.")
    return tuple(value)


def _expand_datasets(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(list_datasets(kind=check_choice("datasets", value, ("binary", "multiclass"))))
    return _names("datasets", value)


def _exceptions(entries: Any) -> list[tuple[str, str, str]]:
    found = []
    for entry in entries:
        missing = {"datasets", "use"} - set(entry)
        if missing:
            raise ValueError(f"an exception must have the entry {min(missing)!r}, got {entry!r}.")
        replaced = [entry[key] for key in ("classifier", "strategy") if key in entry]
        if len(replaced) != 1:
            raise ValueError(
                "an exception must have one of the entries 'classifier' and 'strategy', "
                f"got {entry!r}."
            )
        found += [(name, replaced[0], entry["use"]) for name in entry["datasets"]]
    return found
