"""Tables that the paper lacks: controls, all strategies side by side, optimism of tuning."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from icost.experiments.classifiers import PAPER_CLASSIFIERS
from icost.experiments.evaluation import (
    Results,
    count_wins,
    cross_selected,
    dataset_means,
    tuned_rows,
)
from icost.experiments.paper_tables import VARIANTS, classifier_label
from icost.experiments.statistics import mean_interval, rank_strategies
from icost.experiments.strategies import STRATEGIES
from icost.experiments.tables import Cell, Table
from icost.experiments.trials import OWN

CONTROLS = {
    "cs": "class-level costs",
    "{}-mean": "mean-matched uniform weights",
    "{}-permuted": "permuted weights",
}
"""What iCost is compared with, from the paper's control to the strictest ones."""


def strategies(results: Results) -> Table:
    """Return the MCC of all strategies with all classifiers, and their average ranks."""
    means = dataset_means(results.rows("honest"))
    names = [name for name in STRATEGIES if name in means]
    classifiers = [c for c in (*PAPER_CLASSIFIERS, OWN) if c in means.index]
    rows = []
    for name in names:
        cells = [Cell(_mean(means, c, name)) for c in classifiers]
        rows.append((STRATEGIES[name].label, (*cells, Cell(_rank(means, name)))))
    columns = ("Strategy", *(classifier_label(c) for c in classifiers), "Average rank")
    note = (
        "Mean MCC over datasets, in percent; ranks among the strategies that use a base "
        "classifier, over datasets and classifiers. 'Own': strategies with a classifier of "
        "their own."
    )
    title = "All strategies under the same conditions"
    return Table("strategies", title, columns, tuple(rows), note)


def _mean(means: pd.DataFrame, classifier: str, strategy: str) -> float:
    return float(100 * means.loc[classifier, strategy].mean())


def _rank(means: pd.DataFrame, strategy: str) -> float:
    with_base = means.drop(index=OWN, level=0, errors="ignore").dropna(axis=1, how="all")
    if strategy not in with_base:
        return np.nan
    return float(with_base.dropna().round(9).rank(axis=1, ascending=False)[strategy].mean())


def controls(results: Results) -> Table:
    """Return iCost's gain over each control, with intervals."""
    means, rows = 100 * dataset_means(results.rows("honest")), []
    for variant, label in VARIANTS.items():
        for pattern, control in CONTROLS.items():
            other = pattern.format(variant)
            cells = tuple(
                _gain_cell(means.loc[c, variant] - means.loc[c, other])
                for c in PAPER_CLASSIFIERS
                if c in means.index
            )
            rows.append((f"{label} over {control}", cells))
    columns = ("Gain", *(classifier_label(c) for c in PAPER_CLASSIFIERS if c in means.index))
    note = (
        "Mean difference of MCC over datasets, in percentage points, with 95 % bootstrap "
        "intervals; wins, losses and ties. Only a gain over the mean-matched and permuted "
        "controls is due to which minority samples get more weight."
    )
    return Table(
        "controls", "What is left of iCost's gain under controls", columns, tuple(rows), note
    )


def _gain_cell(difference: pd.Series) -> Cell:
    mean, low, high = mean_interval(difference)
    counts = count_wins(difference, 0 * difference)
    wins = "–".join(str(counts[k]) for k in ("wins", "losses", "ties"))
    return Cell(f"{mean:+.2f} [{low:+.2f}, {high:+.2f}], {wins}")


def ranks(results: Results) -> Table:
    """Return average ranks of the main strategies per classifier, with tests."""
    means, rows = dataset_means(results.rows("honest")), []
    names = [n for n in means if n in STRATEGIES and not STRATEGIES[n].own_classifier]
    for c in (name for name in PAPER_CLASSIFIERS if name in means.index):
        # Some strategies may not have been run with this classifier yet.
        test = rank_strategies(means.loc[c, names].dropna(axis=1, how="all"))
        best, second = test.ranks.index[:2]
        cells = (
            Cell(f"{STRATEGIES[best].label} ({test.ranks[best]:.2f})"),
            Cell(f"{STRATEGIES[second].label} ({test.ranks[second]:.2f})"),
            Cell(float(test.ranks.get("neighbor", np.nan))),
            Cell(float(test.ranks.get("cs", np.nan))),
            Cell(test.critical_difference),
            Cell(f"{test.friedman_p:.1e}"),
            Cell(_p(test.wilcoxon, "neighbor", "cs"), digits=4),
            Cell(_p(test.wilcoxon, "neighbor", "neighbor-mean"), digits=4),
        )
        rows.append((classifier_label(c), cells))
    columns = (
        "Classifier",
        "Best (rank)",
        "Second (rank)",
        "Neighbor-iCost",
        "CS",
        "Critical difference",
        "Friedman p",
        "Wilcoxon–Holm p, Neighbor and CS",
        "Wilcoxon–Holm p, Neighbor and mean-matched",
    )
    note = "Average ranks that differ by more than the critical difference differ (Nemenyi, 5 %)."
    return Table("ranks", "Average ranks over datasets", columns, tuple(rows), note)


def _p(table: pd.DataFrame, first: str, second: str) -> float:
    return float(table.loc[first, second]) if {first, second} <= set(table.columns) else np.nan


def optimism(results: Results) -> Table:
    """Return what un-nested tuning reports, and what is left when the test fold has no say."""
    rows, lines = results.rows("tuning"), []
    for c in (name for name in PAPER_CLASSIFIERS if name in set(rows["classifier"])):
        part = rows[rows["classifier"] == c]
        for name, label in {"cs": "CSL (3)", **VARIANTS}.items():
            default = dataset_means(part).loc[c, name]
            reported = dataset_means(tuned_rows(part, name)).loc[c, name]
            held_out = cross_selected(part, f"grid-{name}").loc[c]
            values = [100 * float(s.mean()) for s in (default, reported, held_out)]
            cells = tuple(Cell(v) for v in [*values, values[1] - values[2], values[2] - values[0]])
            lines.append((f"{classifier_label(c)}, {label}", cells))
    columns = (
        "Classifier, method",
        "Default",
        "Chosen and reported on the same folds",
        "Chosen on the other folds",
        "Optimism",
        "Gain that remains",
    )
    note = (
        "Mean MCC in percent. The more settings there are to choose from, the more of their best "
        "result is luck: 81 for iCost, three for CSL."
    )
    return Table("optimism", "How optimistic un-nested tuning is", columns, tuple(lines), note)


def recall_by_category(results: Results) -> Table:
    """Return the recall of minority samples by the category of their neighbourhood."""
    rows = results.rows("default" if results.profile != "honest" else "honest")
    names = ("ncs", "cs", "neighbor", "gini", "neighbor-mean", "gini-mean")
    categories, lines = ("pure", "safe", "border", "outlier"), []
    for c in (name for name in PAPER_CLASSIFIERS if name in set(rows["classifier"])):
        for name in (n for n in names if n in set(rows["strategy"])):
            part = rows[(rows["classifier"] == c) & (rows["strategy"] == name)]
            cells = tuple(Cell(_recall(part, k), digits=1) for k in categories)
            lines.append((f"{classifier_label(c)}, {STRATEGIES[name].label}", cells))
    note = "Share of all minority test samples that were found, in percent."
    title = "Recall by category of minority samples"
    columns = ("Classifier, strategy", *(k.capitalize() for k in categories))
    return Table("recall-by-category", title, columns, tuple(lines), note)


def _recall(rows: pd.DataFrame, category: str) -> float:
    total = rows[f"total_{category}"].sum()
    return float(100 * rows[f"found_{category}"].sum() / total) if total else np.nan


HONEST_TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "strategies": ("honest", strategies),
    "controls": ("honest", controls),
    "ranks": ("honest", ranks),
    "optimism": ("tuning", optimism),
    "recall-by-category": ("default", recall_by_category),
}
"""Tables by name: the study whose rows they need, and how to make them."""
