"""How trials are run: folds, scaling, seeds. Three profiles have names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from icost.preprocessing import SCALERS
from icost.validation import check_choice, check_number


@dataclass(frozen=True)
class Protocol:
    """How the trials of a study are run.

    Parameters
    ----------
    n_splits : int, default=5
        Folds of the stratified cross-validation.
    n_repeats : int, default=1
        How often it is repeated, with other folds.
    seed : int, default=50
        Seed of the folds; those of classifiers and samplers derive from it.
    scaler : {"minmax", "standard", "none"}, default="standard"
        Scaler for all strategies.
    variant : {"keel", "published"}, default="keel"
        Which copy of the registered sets, see `icost.datasets.load_dataset`.
    impute : {"mean", "median"}, default="median"
        What missing numbers are replaced by.
    reseed : bool, default=False
        Whether classifiers get another seed in each repeat.

    Examples
    --------
    >>> from icost.experiments.protocols import Protocol
    >>> Protocol(n_repeats=3).n_splits
    5
    """

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
        """Return a protocol with some entries changed.

        Parameters
        ----------
        changes : mapping
            New values by name.

        Returns
        -------
        Protocol
            The changed one.

        Examples
        --------
        >>> from icost.experiments.protocols import Protocol
        >>> Protocol().change({"scaler": "minmax"}).scaler
        'minmax'
        """
        known = [entry.name for entry in fields(self)]
        for name in changes:
            check_choice("an entry of the protocol", name, known)
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
