"""Tables that the paper lacks: controls, all strategies side by side, optimism of tuning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from icost_reproduction._internals import NEIGHBOR_CATEGORIES
from icost_reproduction.evaluation import (
    Results,
    count_wins,
    cross_selected,
    dataset_means,
    tuned_rows,
)
from icost_reproduction.paper_tables import VARIANTS, classifier_label, paper_order
from icost_reproduction.rank_tests import mean_interval, rank_strategies, source_of
from icost_reproduction.rows import OWN_CLASSIFIER
from icost_reproduction.strategies import STRATEGIES
from icost_reproduction.tables import Cell, Rows, Table

CONTROL_NAMES = {
    "cs": "class-level costs",
    "mean": "the same-total control",
    "permuted": "permuted weights",
}
"""What iCost is compared with, from the paper's control to the strictest ones."""

CONTROL_PAIRS = tuple(
    (variant, "cs" if control == "cs" else f"{variant}-{control}")
    for variant in VARIANTS
    for control in CONTROL_NAMES
)
"""The comparisons that tell what a gain is due to."""

TWINS = ("yeast", "yeast3")
"""Two sets of the paper that are one table."""

ALTERNATIVE_PAIRS = (
    *((variant, other) for variant in VARIANTS for other in ("threshold", "smote")),
    *((f"tuned-{v}", other) for v in VARIANTS for other in ("tuned-cs", "tuned-cs-81")),
    *((f"tuned-{v}", "threshold") for v in VARIANTS),
)
"""The comparisons that tell what to use."""


def strategies(results: Results) -> Table:
    """Return the MCC of all strategies with all classifiers, and their average ranks."""
    means = results.means("honest")
    names = [name for name in STRATEGIES if name in means]
    classifiers = [
        *paper_order(means.index),
        *([OWN_CLASSIFIER] if OWN_CLASSIFIER in means.index else []),
    ]
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
    with_base = means.drop(index=OWN_CLASSIFIER, level=0, errors="ignore").dropna(axis=1, how="all")
    if strategy not in with_base:
        return np.nan
    # Rounded, as scores that differ by rounding errors only are ties and share a rank.
    return float(with_base.dropna().round(9).rank(axis=1, ascending=False)[strategy].mean())


def controls(results: Results) -> Table:
    """Return iCost's gain over each control, with intervals."""
    title = "What is left of iCost's gain under controls"
    note = (
        f"{_GAIN_NOTE} Only a gain over the same-total and permuted controls is due to which "
        "minority rows get more weight."
    )
    return Table("controls", title, *gains_by_classifier(results, "controls", CONTROL_PAIRS), note)


def controls_by_source(results: Results) -> Table:
    """Return the same gains, with intervals that know which sets are of one family."""
    title = "The same, with families instead of sets drawn for the intervals"
    datasets = results.rows("controls")["dataset"].unique()
    sources = Counter(map(source_of, datasets))
    largest = ", ".join(f"{n} from {name}" for name, n in sources.most_common(3))
    twins = " Two of them, yeast and yeast3, are the same table." * ({*TWINS} <= {*datasets})
    note = (
        f"The {len(datasets)} sets come from {len(sources)} families ({largest}).{twins} Intervals "
        "that draw whole families are wider, and rough where families are few."
    )
    gains = gains_by_classifier(results, "controls", CONTROL_PAIRS, by_source=True)
    return Table("controls-by-source", title, *gains, note)


def alternatives(results: Results) -> Table:
    """Return iCost's gain over what a user may do instead, with intervals."""
    title = "iCost beside its alternatives"
    note = (
        f"{_GAIN_NOTE} Costs are tuned on three inner folds, thresholds on five. CSL (3) has the "
        "paper's three settings, CSL (81) as many as iCost."
    )
    return Table(
        "alternatives", title, *gains_by_classifier(results, "honest", ALTERNATIVE_PAIRS), note
    )


_GAIN_NOTE = (
    "Mean difference of MCC over datasets, in percentage points, with 95 % bootstrap intervals "
    "over datasets, not corrected for their number; wins, losses and ties."
)


def gains_by_classifier(
    results: Results, study: str, pairs: Iterable[tuple[str, str]], by_source: bool = False
) -> tuple[tuple[str, ...], Rows]:
    """Return columns and rows of a table of gains, a column per classifier and a row per pair."""
    means = 100 * results.means(study)
    classifiers, rows = paper_order(means.index), []
    for one, other in pairs:
        gains = means[one] - means[other]
        cells = tuple(_gain_cell(gains.loc[c], by_source) for c in classifiers)
        rows.append((f"{_name(one)} over {_name(other)}", cells))
    return ("Gain", *map(classifier_label, classifiers)), tuple(rows)


def _name(strategy: str) -> str:
    if strategy != "cs" and STRATEGIES[strategy].group != "control":
        return STRATEGIES[strategy].label
    return CONTROL_NAMES[strategy.rpartition("-")[2]]


def _gain_cell(difference: pd.Series, by_source: bool = False) -> Cell:
    groups = [source_of(name) for name in difference.index] if by_source else None
    mean, low, high = mean_interval(difference, groups=groups)
    counts = count_wins(difference, 0 * difference)
    wins = "–".join(str(counts[k]) for k in ("wins", "losses", "ties"))
    return Cell(f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]" + ("" if by_source else f", {wins}"))


def ranks(results: Results) -> Table:
    """Return average ranks of the main strategies per classifier, with tests."""
    means, rows = results.means("honest"), []
    names = [n for n in means if n in STRATEGIES and not STRATEGIES[n].own_classifier]
    for c in paper_order(means.index):
        # Some strategies may not have been run with this classifier yet.
        scores = means.loc[c, names].dropna(axis=1, how="all")
        test = rank_strategies(scores, CONTROL_PAIRS)
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
        "Wilcoxon–Holm p, Neighbor and same-total",
    )
    note = (
        "Average ranks that differ by more than the critical difference differ (Nemenyi, 5 %). "
        f"Holm's correction is over {len(CONTROL_PAIRS)} pairs: both forms of iCost against "
        "class-level costs, same-total and permuted weights."
    )
    return Table("ranks", "Average ranks over datasets", columns, tuple(rows), note)


def _p(table: pd.DataFrame, first: str, second: str) -> float:
    return float(table.loc[first, second]) if {first, second} <= set(table.columns) else np.nan


def optimism(results: Results) -> Table:
    """Return what un-nested tuning reports, and what is left when the test fold has no say."""
    rows, lines = results.rows("tuning"), []
    for c in paper_order(set(rows["classifier"])):
        of_classifier = rows[rows["classifier"] == c]
        for name, label in {"cs": "CSL (3)", **VARIANTS}.items():
            default = dataset_means(of_classifier).loc[c, name]
            reported = dataset_means(tuned_rows(of_classifier, name)).loc[c, name]
            held_out = cross_selected(of_classifier, f"grid-{name}").loc[c]
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
    categories, lines = NEIGHBOR_CATEGORIES, []
    for c in paper_order(set(rows["classifier"])):
        for name in (n for n in names if n in set(rows["strategy"])):
            chosen = rows[(rows["classifier"] == c) & (rows["strategy"] == name)]
            cells = tuple(Cell(_recall(chosen, k), digits=1) for k in categories)
            lines.append((f"{classifier_label(c)}, {STRATEGIES[name].label}", cells))
    note = "Share of all minority rows of the test folds that were found, in percent."
    title = "Recall by category of minority rows"
    columns = ("Classifier, strategy", *(k.capitalize() for k in categories))
    return Table("recall-by-category", title, columns, tuple(lines), note)


def _recall(rows: pd.DataFrame, category: str) -> float:
    total = rows[f"total_{category}"].sum()
    return float(100 * rows[f"found_{category}"].sum() / total) if total else np.nan


HONEST_TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "strategies": ("honest", strategies),
    "alternatives": ("honest", alternatives),
    "controls": ("controls", controls),
    "controls-by-source": ("controls", controls_by_source),
    "ranks": ("honest", ranks),
    "optimism": ("tuning", optimism),
    "recall-by-category": ("default", recall_by_category),
}
"""Tables by name: the study whose rows they need, and how to make them."""
