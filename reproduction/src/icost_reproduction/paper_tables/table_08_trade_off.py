"""Table 8 of the paper: false positives and false negatives against class-level costs."""

from __future__ import annotations

import pandas as pd

from icost_reproduction.evaluation import Results, class_sizes, dataset_means, published
from icost_reproduction.paper_tables.cells import VARIANTS, classifier_label, look_up, paper_order
from icost_reproduction.tables import Cell, Table


def error_changes(rows: pd.DataFrame) -> pd.DataFrame:
    """Return how many errors iCost adds to those of class-level costs, over all datasets."""
    changes = error_changes_per_set(rows)
    return changes.groupby(["classifier", "variant"], observed=True).sum().sort_index()


def error_changes_per_set(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the errors that iCost adds on each dataset, by classifier, variant and dataset.

    Counts are mean sensitivity and specificity of a dataset's folds times its class sizes.
    """
    sizes = class_sizes(rows)
    dataset = dataset_means(rows, "specificity").index.get_level_values("dataset")
    negative, positive = (sizes.loc[dataset, k].to_numpy() for k in ("negative", "positive"))
    fp = (1 - dataset_means(rows, "specificity")).mul(negative, axis=0)
    fn = (1 - dataset_means(rows, "sensitivity")).mul(positive, axis=0)
    parts = {}
    for variant in VARIANTS:
        changes = pd.DataFrame({"fp": fp[variant] - fp["cs"], "fn": fn[variant] - fn["cs"]})
        parts[variant] = changes.assign(correct=-changes["fp"] - changes["fn"])
    return pd.concat(parts, names=["variant"]).reorder_levels(["classifier", "variant", "dataset"])


def trade_off(results: Results) -> Table:
    """Return the changes of false positives and false negatives against class-level costs."""
    changes, paper = error_changes(results.rows("default")), published()["trade-off"]
    rows = []
    for c in paper_order(changes.index):
        cells = tuple(
            Cell(float(changes.loc[(c, v), k]), look_up(paper, v, c, k), 0)
            for v in VARIANTS
            for k in ("fp", "fn", "correct")
        )
        rows.append((classifier_label(c), cells))
    names = [f"{VARIANTS[v]} {k}" for v in VARIANTS for k in ("ΔFP", "ΔFN", "ΔCorrect")]
    note = "Counts are mean sensitivity and specificity of the folds times the class sizes."
    title = "Table 8: Errors of iCost compared with traditional CSL; negative values are reductions"
    return Table("trade-off", title, ("Classifier", *names), tuple(rows), note)
