"""Plans: which datasets, strategies and classifiers, under which protocol.

`load_plan` has an example of the file that a plan is written in. A protocol is how trials are run:
folds, scaling, seeds. Three have names, the profiles.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from icost.datasets import get_record, list_datasets
from icost_reproduction._internals import (
    CLASSIFIERS,
    COLLECTIONS,
    SCALERS,
    SUFFIXES,
    check_choice,
    check_number,
)
from icost_reproduction.grids import GRIDS
from icost_reproduction.strategies import STRATEGIES, get_strategy


@dataclass(frozen=True)
class Protocol:
    """How the trials of a study are run; `load_plan` says what each entry means."""

    n_splits: int = 5
    n_repeats: int = 1
    seed: int = 50
    scaler: str = "standard"
    variant: str = "keel"
    impute: str = "median"
    reseed: bool = False

    def __post_init__(self) -> None:
        check_number("n_splits", self.n_splits, low=2, integer=True)
        check_number("n_repeats", self.n_repeats, low=1, integer=True)
        check_number("seed", self.seed, low=0, integer=True)
        check_choice("scaler", self.scaler, SCALERS)
        check_choice("variant", self.variant, ("keel", "published"))
        check_choice("impute", self.impute, ("mean", "median"))

    def change(self, changes: Mapping[str, Any]) -> Protocol:
        """Return a protocol with some entries changed."""
        allowed = [entry.name for entry in fields(self)]
        for name in changes:
            check_choice("an entry of the protocol", name, allowed)
        return replace(self, **changes)


PROFILES: dict[str, Protocol] = {
    "published": Protocol(n_repeats=3, scaler="minmax", variant="published", impute="mean"),
    "paper-text": Protocol(n_repeats=10, scaler="minmax", variant="published", impute="mean"),
    "honest": Protocol(reseed=True),
}
"""Protocols by name.

``published`` is what the paper's numbers come from, ``paper-text`` what its text describes, and
``honest`` the default for new studies: one scaler for all strategies, whole data sets, tuning
nested in the training fold.
"""

HONEST_ONLY = ("honest", "controls", "ensemble", "confirmation", "measures", "multiclass-honest")
"""Studies that the paper lacks, which are always run under the profile of that name."""

BEYOND = ("ensemble", "confirmation", "measures", "multiclass-honest")
"""Studies of what the paper has not: they say nothing about its statements."""

LISTS = ("datasets", "strategies", "classifiers")
KEYS = ("name", "title", "kind", *LISTS, "protocol", "exceptions", *PROFILES)
QUICK_DATASETS = {
    "binary": ("glass2", "ecoli3", "new-thyroid1"),
    "multiclass": ("new-thyroid", "wine"),
    "confirmation": ("appendicitis", "haberman", "iris0"),
}
"""A few small sets of each kind, for a look at everything in about a minute."""

SLOW = ("rf", "xgb")
"""Classifiers that a quick look leaves out."""


@dataclass(frozen=True)
class Replacement:
    """What a plan uses on one dataset in place of a classifier or strategy."""

    dataset: str
    name: str
    use: str
    # A strategy may be replaced with some classifiers only; empty for all.
    classifiers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What to run: datasets, strategies and classifiers, and the protocol they share.

    A plan is a value: it can be looked at, cut down, written down and compared before anything is
    run. `run_plan` makes rows of it, one per trial, that is for every strategy with every
    classifier on every fold of every dataset. Strategies are what is compared, such as
    class-level costs or SMOTE; classifiers are what they are applied to.

    Take `load_plan` to make one: it completes the protocol from a profile and checks all names,
    which the constructor of this class does not. For a single table and a verdict on it,
    `icost.comparison.compare` takes less writing; a plan is for many datasets or classifiers, and
    for runs of hours that must survive an interruption.

    Parameters
    ----------
    name : str
        Name of the study. `reproduce` calls its folder after it, and tables find their rows by it.
    title : str
        What it is about, for headings.
    datasets, strategies, classifiers : tuple of str
        Names; a dataset may also be the path of a table, see `icost.datasets.load_dataset`.
    protocol : Protocol
        How trials are run: ``n_splits``, ``n_repeats``, ``seed``, ``scaler``, ``variant``,
        ``impute`` and ``reseed``, which `load_plan` explains.
    profile : str, default="honest"
        Name of the profile that the protocol is based on.
    kind : {"binary", "multiclass", "confirmation"}, default="binary"
        Where to look for the names of datasets; ``yeast`` is a set of either kind.
    exceptions : tuple of Replacement, default=()
        Which name is replaced by which on one dataset; see `used_for`.
    n_folds : int or None, default=None
        Run only the first folds of each repeat, for a quick look.

    See Also
    --------
    load_plan : Make a plan from a name, a file or a dictionary.
    run_plan : Run it.
    icost.comparison.compare : Several strategies on one table, with a verdict.

    Notes
    -----
    A plan is frozen; `select` and `quick` return others. What they return has the same protocol
    but for the number of repeats, so that its rows may be kept in the same folder: whoever runs
    a part first and the whole later runs nothing twice.

    Strategies that bring a classifier of their own, such as ``"balanced-rf"``, are run once per
    fold and not once per classifier. Every strategy of a fold sees the same training and test
    rows after the same imputation and scaling, so that differences are those of the strategies.

    Examples
    --------
    The paper's study of default costs has 65 datasets, five classifiers and three repeats of five
    folds. That is how many trials there are:

    >>> from icost_reproduction import load_plan
    >>> plan = load_plan("default", "published")
    >>> len(plan.datasets), plan.strategies
    (65, ('ncs', 'cs', 'neighbor', 'gini', 'neighbor-mean', 'gini-mean'))
    >>> plan.n_pairs * len(plan.strategies) * plan.protocol.n_repeats * len(plan.folds())
    29250

    A part of it is a plan as well:

    >>> part = plan.select(datasets=["glass2"], classifiers=["lr"], n_repeats=1)
    >>> part.n_pairs, part.protocol.scaler
    (1, 'minmax')
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    strategies: tuple[str, ...]
    classifiers: tuple[str, ...]
    protocol: Protocol
    profile: str = "honest"
    kind: str = "binary"
    exceptions: tuple[Replacement, ...] = ()
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
            From 0 on; all folds of the protocol, or the first ``n_folds`` of them.
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
            Names in place of the plan's; they need not have been in it, but must be known.
        n_repeats : int, default=None
            Number of repeats. The folds of the first ones stay what they are.

        Returns
        -------
        Plan
            With the same folds, scaling and seeds, so that its rows go well together with those of
            this plan.

        Examples
        --------
        >>> from icost_reproduction import load_plan
        >>> plan = load_plan("honest").select(strategies=["cs", "smote"], datasets=["yeast4"])
        >>> plan.strategies, plan.datasets, len(plan.classifiers)
        (('cs', 'smote'), ('yeast4',), 5)
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

        It shows whether everything works. Two folds of three small sets say nothing about which
        strategy is better.

        Returns
        -------
        Plan
            Files of the user stay in, as do classifiers if there is none but ensembles.

        Examples
        --------
        >>> from icost_reproduction import load_plan
        >>> quick = load_plan("tuning").quick()
        >>> quick.datasets, quick.classifiers, quick.folds()
        (('new-thyroid1', 'ecoli3', 'glass2'), ('lr', 'svm', 'dt'), range(0, 2))
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

    @property
    def is_quick(self) -> bool:
        """Whether only some folds are run, so that no number is a result."""
        return self.n_folds is not None

    def used_for(self, dataset: str, name: str, classifier: str | None = None) -> str:
        """Return what is used on a dataset in place of a classifier or strategy of the plan.

        Rows keep the planned name, so that tables need not know of exceptions; the column ``note``
        says what was used instead.

        Parameters
        ----------
        dataset, name : str
            A dataset, and a classifier or strategy, by their names in the plan.
        classifier : str, default=None
            What a strategy is run with, as it may be replaced with some classifiers only.

        Returns
        -------
        str
            The name itself where there is no exception.

        Examples
        --------
        >>> from icost_reproduction import load_plan
        >>> plan = load_plan("multiclass")
        >>> plan.used_for("Dry_Bean_Dataset", "lr"), plan.used_for("wine", "lr")
        ('lr-liblinear', 'lr')
        """
        for entry in self.exceptions:
            is_meant = not entry.classifiers or classifier in entry.classifiers
            if (entry.dataset, entry.name) == (dataset, name) and is_meant:
                return entry.use
        return name

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary of plain values.

        Returns
        -------
        dict
            What `run_plan` writes beside the rows as ``plan.json``. It is for reading: `load_plan`
            takes the shorter form of a TOML file.
        """
        return asdict(self)


def load_plan(
    source: str | os.PathLike[str] | Mapping[str, Any], profile: str | None = None
) -> Plan:
    """Load a plan by its name, from a TOML file or from a dictionary, and check it.

    What is unknown or impossible in it raises a ValueError of one sentence here, and not after
    hours of running.

    Parameters
    ----------
    source : str, path or mapping
        Name of a shipped plan (see `list_plans`), a TOML file, or its content.
    profile : {"published", "paper-text", "honest"}, default=None
        The protocol to start from; ``"honest"`` by default.

    Returns
    -------
    Plan
        With names in place of ``"binary"``, and a protocol that is complete.

    See Also
    --------
    list_plans : Names of the shipped plans.
    run_plan : Run a plan.

    Notes
    -----
    This is a file with everything that a plan may have::

        name = "mine"
        title = "Three sets and two strategies"
        datasets = ["glass2", "yeast4", "my_table.csv"]   # or a kind: "binary", "multiclass"
        strategies = ["cs", "neighbor"]
        classifiers = ["lr", "svm"]

        [protocol]                # changes to the profile
        n_repeats = 2

        [published]               # changes for one profile only, here also of the lists above
        strategies = ["ncs", "cs"]
        scaler = "minmax"

        [[exceptions]]            # another classifier, or another strategy, for some datasets
        datasets = ["yeast4"]
        classifier = "lr"
        use = "lr-liblinear"

    A replaced strategy may have ``classifiers``, a list of those with which it is replaced.

    The profile ``"published"`` is what the paper's numbers come from, as we reconstructed it, and
    ``"paper-text"`` what its text describes, with ten repeats. ``"honest"`` uses whole datasets and
    one scaler for all strategies, and its shipped plans tune inside the training folds. A protocol
    has these entries:

    - ``n_splits``, ``n_repeats``: folds of the stratified cross-validation, and how often it is
      repeated with other folds;
    - ``seed``: seed of the folds, from which those of classifiers and samplers are derived;
    - ``reseed``: whether classifiers get another seed in each repeat, so that their own luck
      averages out (``"honest"``);
    - ``scaler``: ``"standard"``, ``"minmax"`` or ``"none"``, fitted to the training fold;
    - ``impute``: ``"mean"`` or ``"median"`` of the training fold in place of missing numbers;
    - ``variant``: which copy of the registered sets, ``"keel"`` for the whole file or
      ``"published"`` for the authors' (see `load_published`).

    Examples
    --------
    The three lists and a name are enough; everything else has a default:

    >>> from icost_reproduction import load_plan
    >>> lists = {"datasets": ["glass2"], "strategies": ["cs"], "classifiers": ["lr"]}
    >>> load_plan({"name": "mine", **lists}).protocol.scaler
    'standard'

    A shipped plan differs between profiles: the paper chose among all settings on the folds that
    it reported, which ``"honest"`` does inside of each training fold.

    >>> load_plan("tuning", "published").strategies[-1], load_plan("tuning").strategies[-1]
    ('grid-gini', 'tuned-gini')

    What is wrong is said at once:

    >>> load_plan({"name": "mine", **lists, "classifiers": "lr"})
    Traceback (most recent call last):
        ...
    ValueError: classifiers must be a list of names, got 'lr'.
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
    collection = check_choice("kind", content.get("kind", "binary"), COLLECTIONS)
    plan = Plan(
        name=content["name"],
        title=content.get("title", content["name"]),
        datasets=_expand_datasets(lists["datasets"]),
        strategies=_names("strategies", lists["strategies"]),
        classifiers=_names("classifiers", lists["classifiers"]),
        protocol=protocol,
        profile=profile,
        kind=collection,
        exceptions=tuple(_exceptions(content.get("exceptions", []))),
    )
    check_names(plan)
    return plan


def list_plans() -> list[str]:
    """Return the names of the shipped plans, one per study.

    ``default``, ``tuning``, ``resampling`` and ``multiclass`` are the studies of the paper.
    ``controls`` and ``honest`` are what it lacks: weights that differ only in which minority
    samples they go to, and all strategies under the same conditions; ``ensemble`` is about
    `icost.iCostEnsemble`, and ``confirmation`` repeats it on sets of other sources; ``measures``
    and ``multiclass-honest`` are about what the paper left for later. `reproduce` takes each of
    these names; `load_plan` returns the plan, whose ``title`` says what it is about.

    Returns
    -------
    list of str
        In alphabetical order.

    See Also
    --------
    load_plan : Load one of them, or one of your own.
    reproduce : Run them and write their tables.

    Examples
    --------
    >>> from icost_reproduction import list_plans, load_plan
    >>> list_plans()[:5]
    ['confirmation', 'controls', 'default', 'ensemble', 'honest']
    >>> load_plan("resampling").title
    'Nine resamplers on the 65 binary sets'
    """
    folder = files("icost_reproduction") / "plans"
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    )


def check_names(plan: Plan) -> None:
    """Raise if a plan names something unknown, with one sentence on what."""
    replaced = [(entry.name in CLASSIFIERS, entry.use) for entry in plan.exceptions]
    limited = [name for entry in plan.exceptions for name in entry.classifiers]
    used = [use for is_classifier, use in replaced if is_classifier]
    for name in (*plan.classifiers, *used, *limited):
        check_choice("a classifier", name, CLASSIFIERS)
    for name in (*plan.strategies, *(use for is_classifier, use in replaced if not is_classifier)):
        if name not in GRIDS and get_strategy(name).binary_only and plan.kind == "multiclass":
            raise ValueError(
                f"the strategy {name!r} is for two classes only, got kind 'multiclass'."
            )
    for name in plan.datasets:
        if not is_file(name):
            get_record(name, plan.kind)


def is_file(dataset: str) -> bool:
    """Return whether the name of a dataset is that of a file."""
    return os.sep in dataset or Path(dataset).suffix.lower() in SUFFIXES


def has_own_classifier(strategy: str) -> bool:
    """Return whether a strategy, which may be a grid, is run without a classifier of the plan."""
    return strategy in STRATEGIES and STRATEGIES[strategy].own_classifier


def _read(source: str | os.PathLike[str]) -> dict[str, Any]:
    shipped = list_plans()
    if isinstance(source, str) and source in shipped:
        text = (files("icost_reproduction") / "plans" / f"{source}.toml").read_text("utf-8")
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
        return tuple(list_datasets(collection=check_choice("datasets", value, COLLECTIONS)))
    return _names("datasets", value)


def _exceptions(entries: Any) -> list[Replacement]:
    exceptions = []
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
        only = _names("classifiers", entry.get("classifiers", []))
        exceptions += [
            Replacement(name, replaced[0], entry["use"], only) for name in entry["datasets"]
        ]
    return exceptions
