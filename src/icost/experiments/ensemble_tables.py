"""Tables on the ensemble: what it gains, what it costs, whether its own word can be believed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from icost.experiments.evaluation import Results, count_wins, dataset_means, with_metrics
from icost.experiments.honest_tables import source_of
from icost.experiments.paper_tables import classifier_label, paper_order
from icost.experiments.tables import Cell, Table
from icost.experiments.trials import OWN
from icost.statistics import mean_interval, wilcoxon_holm
from icost.strategies.registry import STRATEGIES

SINGLE = ("ncs", "threshold", "smote")
"""What a user would do with one classifier; the best of them in hindsight is the baseline."""

METRICS = {
    "mcc": ("MCC (%)", 100.0),
    "f1": ("F1 (%)", 100.0),
    "pr_auc": ("PR-AUC (%)", 100.0),
    "brier": ("Brier score", 1.0),
    "log_loss": ("Log loss", 1.0),
}
"""Metrics with a table of all strategies: title and factor for display."""


def all_strategies(results: Results, metric: str) -> Table:
    """Return the mean of a metric over the sets, for each strategy and classifier."""
    title, factor = METRICS[metric]
    means = factor * dataset_means(results.rows("ensemble"), metric)
    classifiers = [*paper_order(means.index), *([OWN] if OWN in means.index else [])]
    rows = []
    for name in (name for name in STRATEGIES if name in means):
        values = [float(means.loc[c, name].mean()) for c in classifiers]
        rows.append(
            (STRATEGIES[name].label, tuple(Cell(v, digits=2 if factor > 1 else 4) for v in values))
        )
    columns = ("Strategy", *map(classifier_label, classifiers))
    note = "Mean over datasets. 'Own': strategies with classifiers of their own."
    name = "ensemble" if metric == "mcc" else f"ensemble-{metric.replace('_', '-')}"
    return Table(name, f"The ensemble beside other strategies: {title}", columns, tuple(rows), note)


def gains(results: Results) -> Table:
    """Return the gain of the ensembles over the best single baseline of each classifier."""
    means = 100 * dataset_means(results.rows("ensemble"))
    pairs = _pairs(means)
    p_values = _holm({label: gain for label, _, gain in pairs})
    rows = []
    for label, rival, gain in pairs:
        by_set = mean_interval(gain)
        by_source = mean_interval(gain, groups=[source_of(name) for name in gain.index])
        counts = count_wins(gain, 0 * gain)
        cells = (
            Cell(rival),
            Cell(_interval(by_set)),
            Cell(_interval(by_source)),
            Cell(f"{gain.median():+.2f}"),
            Cell("–".join(str(counts[k]) for k in ("wins", "losses", "ties"))),
            Cell(p_values[label], digits=4),
        )
        rows.append((label, cells))
    columns = (
        "Ensemble",
        "Over",
        "By sets",
        "By sources",
        "Median",
        "Wins–losses–ties",
        "p (Holm)",
    )
    note = (
        "Differences of MCC in percentage points, with 95 % bootstrap intervals that draw sets, or "
        "sources of sets. The baseline is the best single one of plain, tuned threshold and SMOTE, "
        "in hindsight by its mean over the sets; for the blend, the best of all classifiers'. "
        "p-values by signed ranks, corrected over the comparisons of this table."
    )
    return Table("ensemble-gains", "What the ensembles gain", columns, tuple(rows), note)


def _pairs(means: pd.DataFrame) -> list[tuple[str, str, pd.Series]]:
    """Each comparison: who, over whom, and the difference per set."""
    classifiers, found, best = paper_order(means.index), [], {}
    for c in classifiers:
        scores = means.loc[c, [name for name in SINGLE if name in means]]
        best[c] = scores.mean().idxmax()
        gain = (means.loc[c, "ensemble"] - scores[best[c]]).dropna()
        found.append((f"Ensemble of {classifier_label(c)}", STRATEGIES[best[c]].label, gain))
    if OWN in means.index and "blend" in means:
        c = max(classifiers, key=lambda c: means.loc[c, best[c]].mean())
        rival = f"{classifier_label(c)}, {STRATEGIES[best[c]].label}"
        gain = (means.loc[OWN, "blend"] - means.loc[c, best[c]]).dropna()
        found.append(("Blend", rival, gain))
    return found


def _holm(gains: dict[str, pd.Series]) -> dict[str, float]:
    """p-values of all comparisons, each against no difference at all."""
    frame = pd.DataFrame(gains)
    frame["nothing"] = 0.0
    table = wilcoxon_holm(frame.dropna(), [(label, "nothing") for label in gains])
    return {label: float(table.loc[label, "nothing"]) for label in gains}


def _interval(values: tuple[float, float, float]) -> str:
    mean, low, high = values
    return f"{mean:+.2f} [{low:+.2f}, {high:+.2f}]"


def own_word(results: Results) -> Table:
    """Return how far the ensemble's own word is from what test folds say."""
    rows = with_metrics(results.rows("ensemble"))
    rows = rows[rows["strategy"].isin(("ensemble", "ensemble-plain", "blend"))]
    lines = []
    for (name, c), part in rows.groupby(["strategy", "classifier"], observed=True):
        by_set = part.groupby("dataset", observed=True)[["oof_mcc", "mcc", "oof_brier", "brier"]]
        means = by_set.mean()
        off = 100 * (means["oof_mcc"] - means["mcc"])
        cells = (
            Cell(100 * float(means["oof_mcc"].mean())),
            Cell(100 * float(means["mcc"].mean())),
            Cell(_interval(mean_interval(off.dropna()))),
            Cell(float(off.abs().median())),
            Cell(float((means["oof_brier"] - means["brier"]).mean()), digits=4),
        )
        lines.append((f"{STRATEGIES[name].label}, {classifier_label(c)}", cells))
    columns = ("Model", "Own word", "Test folds", "Difference", "Median off", "Brier, difference")
    note = (
        "MCC in percent: `oof_score_`, measured on rows held out of members, calibration and "
        "threshold, beside that of test folds. 'Median off': of the absolute difference per set."
    )
    return Table("ensemble-own-word", "What it says of itself", columns, tuple(lines), note)


def fit_times(results: Results) -> Table:
    """Return total fit times over all sets, as multiples of a tuned threshold's."""
    rows = results.rows("ensemble")
    rows = rows[rows["error"].isna()]
    total = rows["fit_time"].fillna(0) + rows["weight_time"].fillna(0)
    sums = total.groupby([rows["strategy"], rows["classifier"]], observed=True).sum().unstack()
    classifiers = paper_order(sums.columns)
    lines = []
    for name in (name for name in STRATEGIES if name in sums.index):
        ratios = [sums.loc[name, c] / sums.loc["threshold", c] for c in classifiers]
        if not np.isnan(ratios).all():
            lines.append((STRATEGIES[name].label, tuple(Cell(float(r)) for r in ratios)))
    columns = ("Strategy", *map(classifier_label, classifiers))
    note = "Seconds over all sets and folds, divided by those of a threshold tuned on five folds."
    return Table("ensemble-times", "What the ensembles cost", columns, tuple(lines), note)


ENSEMBLE_TABLES: dict[str, tuple[str, Callable[[Results], Table]]] = {
    "ensemble": ("ensemble", partial(all_strategies, metric="mcc")),
    "ensemble-gains": ("ensemble", gains),
    **{
        f"ensemble-{metric.replace('_', '-')}": ("ensemble", partial(all_strategies, metric=metric))
        for metric in METRICS
        if metric != "mcc"
    },
    "ensemble-own-word": ("ensemble", own_word),
    "ensemble-times": ("ensemble", fit_times),
}
"""Tables by name: the study whose rows they need, and how to make them."""
