"""From rows to scores per dataset: metrics, un-nested selection, counts of wins.

Nothing here runs a trial; rows are all it needs.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Hashable, Sequence
from functools import cache, wraps
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from icost_reproduction._internals import CONFUSION_METRICS, TIE, confusion_scores, order_candidates
from icost_reproduction.rows import COST_COLUMNS, KEY, RowStore

F = TypeVar("F", bound=Callable[..., Any])

CRITERIA = ("mcc", "f1", "g_mean")
"""What the best setting is chosen by; of equals, the one with the smallest costs is taken."""

METRICS = ("mcc", "roc_auc", "g_mean", "f1", "sensitivity", "specificity", "precision", "accuracy")
"""The eight metrics of the paper."""


@cache
def published() -> dict[str, Any]:
    """Return the numbers of the paper's tables, as in ``published.toml``."""
    return tomllib.loads((files("icost_reproduction") / "published.toml").read_text("utf-8"))


class Results:
    """The rows of several studies under one folder, read and evaluated once.

    The rows of a study are in ``<study>-<profile>``, or in ``honest`` for the study of that name. A
    folder ``<study>-<profile>-sk18`` beside it holds rows that were run with scikit-learn 1.8; they
    take the place of the same rows run with a newer one, as their forests are the paper's.
    """

    def __init__(self, folder: str | os.PathLike[str], profile: str = "published") -> None:
        self.folder = Path(folder)
        self.profile = profile
        self._rows: dict[str, pd.DataFrame] = {}
        self._others: dict[str, Results] = {}
        self.computed: dict[Hashable, Any] = {}

    def study_folder(self, study: str) -> Path:
        """Return the folder of a study, which need not exist."""
        return self.folder / (study if study == self.profile else f"{study}-{self.profile}")

    def environments(self, study: str) -> dict[str, pd.DataFrame]:
        """Return the rows of a study, failed trials included, by the environment they ran in.

        ``""`` is the current one; others are called ``"sk18"`` or the like.
        """
        folder = self.study_folder(study)
        others = sorted(self.folder.glob(f"{folder.name}-sk*"))
        names = {"": folder, **{path.name.rpartition("-")[2]: path for path in others}}
        return {name: RowStore(path).read() for name, path in names.items()}

    def rows(self, study: str) -> pd.DataFrame:
        """Return the rows of a study with their metrics, without failed trials."""
        if study not in self._rows:
            current, *others = map(with_metrics, self.environments(study).values())
            rows = pd.concat([*others, current]) if others else current
            self._rows[study] = rows.drop_duplicates(list(KEY)).reset_index(drop=True)
        return self._rows[study]

    def means(self, study: str, metric: str = "mcc") -> pd.DataFrame:
        """Return the `dataset_means` of a study, which many tables and statements need."""
        key = ("means", study, metric)
        if key not in self.computed:
            self.computed[key] = dataset_means(self.rows(study), metric)
        return self.computed[key]

    def under(self, profile: str) -> Results:
        """Return the results under another profile, in the same folder; also read once."""
        if profile == self.profile:
            return self
        return self._others.setdefault(profile, Results(self.folder, profile))


def once(function: F) -> F:
    """Keep with the results what a function computes of them, as many tables need it."""

    @wraps(function)
    def kept(results: Results, *names: str) -> Any:
        key = (function.__name__, *names)
        if key not in results.computed:
            results.computed[key] = function(results, *names)
        return results.computed[key]

    return cast(F, kept)


def with_metrics(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that did not fail, with a column per metric."""
    rows = rows[rows["error"].isna()]
    parts = []
    for n_classes, group in rows.groupby("n_classes", sort=False):
        k = int(n_classes)
        matrices = np.stack(group["confusion"].to_list()).reshape(-1, k, k)
        # Of two classes, the second is the minority.
        scores = confusion_scores(matrices, positive=1 if k == 2 else None)
        parts.append(group.assign(**scores))
    if not parts:
        return rows.assign(**{name: np.empty(0) for name in CONFUSION_METRICS})
    return pd.concat(parts).sort_index()


def dataset_means(rows: pd.DataFrame, metric: str = "mcc") -> pd.DataFrame:
    """Return the mean of a metric over the folds of each dataset.

    Rows are (classifier, dataset), columns strategies. A grid's settings would be averaged too.
    """
    grouped = rows.groupby(["classifier", "dataset", "strategy"], observed=True)[metric].mean()
    return grouped.unstack("strategy")


def dataset_times(
    rows: pd.DataFrame, columns: Sequence[str] = ("fit_time", "weight_time")
) -> pd.DataFrame:
    """Return the seconds of a typical fold of each dataset, in the shape of `dataset_means`.

    The median of the folds: one that had to wait while the machine did something else says nothing
    about a strategy. Rows without times were not timed.
    """
    timed = rows.dropna(subset=list(columns), how="all")
    seconds = timed.assign(seconds=timed[list(columns)].sum(axis=1))
    keys = ["classifier", "dataset", "strategy"]
    return seconds.groupby(keys, observed=True)["seconds"].median().unstack("strategy")


def select_settings(rows: pd.DataFrame, strategy: str) -> pd.DataFrame:
    """Return the rows of a grid's best setting per dataset and classifier.

    It is chosen on these very folds, as the paper does: by mean MCC over the folds that are then
    reported, ties broken by F1, G-mean and the smallest costs. The result is optimistic.
    """
    grid = rows[rows["strategy"] == strategy]
    chosen = choose_settings(grid)
    key = ["classifier", "dataset", "setting"]
    return grid.merge(chosen[[*key, "n_tied", "costs_tied"]], on=key)


def choose_settings(grid: pd.DataFrame) -> pd.DataFrame:
    """Return the best setting of a grid per dataset and classifier, with its costs.

    ``n_tied`` settings had the same three scores, and ``costs_tied`` names the costs whose value
    these leave open.
    """
    costs = [name for name in COST_COLUMNS if grid[name].notna().any()]
    key = ["classifier", "dataset", "setting", *costs]
    means = grid.groupby(key, observed=True)[list(CRITERIA)].mean().reset_index()
    groups = means.groupby(["classifier", "dataset"], observed=True, sort=True)
    chosen = [_choose(group, costs) for _, group in groups]
    best, n_tied, open_costs = zip(*chosen, strict=True) if chosen else ((), (), ())
    return means.loc[list(best)].assign(n_tied=list(n_tied), costs_tied=list(open_costs))


def _choose(group: pd.DataFrame, costs: list[str]) -> tuple[Any, int, str]:
    """Return the label of the best setting, how many tie with it, and what they leave open."""
    criteria = [group[name].to_numpy() for name in CRITERIA]
    # Few have the best MCC; only among these the other criteria matter.
    near = np.flatnonzero(criteria[0] >= criteria[0].max() - TIE)
    named = group.iloc[near][costs].rename(columns={"cs_multiplier": "scale"})
    params = named.to_dict("records")
    best = near[order_candidates(params, [c[near] for c in criteria])[0]]
    is_tied = np.all([abs(c - c[best]) <= TIE for c in criteria], axis=0)
    values = {name: group[name].to_numpy()[is_tied] for name in costs}
    open_costs = ",".join(name for name in costs if (values[name] != values[name][0]).any())
    return group.index[best], int(is_tied.sum()), open_costs


def tuned_rows(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows of a tuned strategy, nested if there are any, else selected un-nested."""
    nested = rows[rows["strategy"] == f"tuned-{name}"]
    chosen = nested if len(nested) else select_settings(rows, f"grid-{name}")
    return chosen.assign(strategy=name)


def cross_selected(rows: pd.DataFrame, strategy: str) -> pd.Series:
    """Return the mean MCC when each fold's setting is chosen on the other folds of its repeat.

    Folds of other repeats share rows with it, and so have no say. The difference to
    `select_settings` is how optimistic un-nested tuning is.
    """
    grid = rows[rows["strategy"] == strategy]
    parts = []
    key = ["classifier", "dataset", "setting"]
    for (repeat, fold), held_out in grid.groupby(["repeat", "fold"]):
        chosen = choose_settings(grid[(grid["repeat"] == repeat) & (grid["fold"] != fold)])
        parts.append(held_out.merge(chosen[key], on=key))
    joined = pd.concat(parts) if parts else grid
    return joined.groupby(["classifier", "dataset"], observed=True)["mcc"].mean()


def count_wins(ours: pd.Series, theirs: pd.Series) -> dict[str, int]:
    """Return wins, losses and ties of paired scores; a difference of at most `TIE` is a tie."""
    difference = (ours - theirs).dropna()
    wins, losses = int((difference > TIE).sum()), int((difference < -TIE).sum())
    return {"wins": wins, "losses": losses, "ties": len(difference) - wins - losses}


def class_sizes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of majority and minority samples of each binary dataset."""
    one = rows[rows["repeat"] == 0].drop_duplicates(["dataset", "fold"])
    matrices = np.stack(one["confusion"].to_list()).reshape(-1, 2, 2).sum(axis=2)
    sizes = one.assign(negative=matrices[:, 0], positive=matrices[:, 1])
    return sizes.groupby("dataset", observed=True)[["negative", "positive"]].sum()
