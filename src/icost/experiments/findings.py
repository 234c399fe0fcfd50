"""What the rows say about each kind of statement: our number, and a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from icost.experiments.evaluation import (
    Results,
    choose_settings,
    count_wins,
    cross_selected,
    dataset_means,
    dataset_times,
)
from icost.experiments.paper_tables import (
    VARIANTS,
    averages,
    classifier_label,
    error_changes,
    multiclass_means,
    tuned_means,
)
from icost.experiments.strategies import RESAMPLER_LABELS, STRATEGIES
from icost.tuning import PAPER_GRID

HOLDS = "holds"
FAILS = "does not hold"
UNNESTED = "only without nesting"
UNMATCHED = "only against an unmatched control"
UNMEASURED = "not measured yet"
VERDICTS = (HOLDS, FAILS, UNNESTED, UNMATCHED, UNMEASURED)


@dataclass(frozen=True)
class Finding:
    """What we found about a statement.

    Parameters
    ----------
    verdict : str
        One of `VERDICTS`.
    ours : str
        Our numbers.
    """

    verdict: str
    ours: str


def verdict(holds: bool, *, nested: bool | None = None, matched: bool | None = None) -> str:
    """Return the verdict on a statement.

    Parameters
    ----------
    holds : bool
        Whether it holds under the paper's own protocol.
    nested : bool or None, default=None
        Whether it still holds when tuning is nested; None if that is not known or not at issue.
    matched : bool or None, default=None
        Whether it still holds against a control with the same total weight; None as above.

    Returns
    -------
    str
        One of `VERDICTS`.

    Examples
    --------
    >>> from icost.experiments.findings import verdict
    >>> verdict(True), verdict(True, nested=False), verdict(True, matched=False), verdict(False)
    ('holds', 'only without nesting', 'only against an unmatched control', 'does not hold')
    """
    if not holds:
        return FAILS
    if nested is False:
        return UNNESTED
    return UNMATCHED if matched is False else HOLDS


def _signed(gains: pd.Series) -> str:
    return ", ".join(f"{classifier_label(c)} {gain:+.2f}" for c, gain in gains.items())


def beats_csl(variant: str, metric: str) -> Callable[[Results], Finding]:
    """Return the check that a variant beats class-level costs for every classifier."""

    def find(results: Results) -> Finding:
        means = averages(dataset_means(results.rows("default"), metric)).drop(
            "average", errors="ignore"
        )
        gains = means[variant] - means["cs"]
        matched, note = _over_matched(results, variant, metric)
        return Finding(verdict(bool((gains > 0).all()), matched=matched), _signed(gains) + note)

    return find


def _over_matched(results: Results, variant: str, metric: str = "mcc") -> tuple[bool | None, str]:
    """Whether iCost also beats uniform weights of the same total, if that was measured."""
    rows = results.under("honest").rows("honest")
    if f"{variant}-mean" not in set(rows["strategy"]):
        return None, "; mean-matched control not measured yet"
    means = averages(dataset_means(rows, metric)).drop("average", errors="ignore")
    gains = means[variant] - means[f"{variant}-mean"]
    return bool((gains > 0).all()), f"; over the mean-matched control {_signed(gains)}"


def overall(variant: str) -> Callable[[Results], Finding]:
    """Return the check that a variant beats class-level costs on the average of classifiers."""

    def find(results: Results) -> Finding:
        means = averages(dataset_means(results.rows("default")))
        # Without all five classifiers, the average of those there are is still informative.
        row = means.loc["average"] if "average" in means.index else means.mean()
        matched, _ = _over_matched(results, variant)
        ours = f"{row['cs']:.2f} → {row[variant]:.2f} over {_classifiers(means)}"
        return Finding(verdict(row[variant] > row["cs"], matched=matched), ours)

    return find


def _classifiers(means: pd.DataFrame) -> str:
    return ", ".join(classifier_label(c) for c in means.index if c != "average")


def wins(variant: str, study: str) -> Callable[[Results], Finding]:
    """Return the check that a variant wins more often than it loses."""

    def find(results: Results) -> Finding:
        tuned = study == "tuning"
        means = tuned_means(results) if tuned else dataset_means(results.rows(study))
        counts = count_wins(means[variant], means["cs"])
        nested = matched = None
        if tuned:
            nested = _nested_beats_csl(results, variant)
        else:
            matched, _ = _over_matched(results, variant)
        ours = "{wins}–{losses}–{ties}".format(**counts) + f" of {len(means)} pairs"
        holds = counts["wins"] > counts["losses"]
        return Finding(verdict(holds, nested=nested, matched=matched), ours)

    return find


def _nested_gains(results: Results, variant: str) -> pd.Series | None:
    """Gain of nested tuned iCost over CSL tuned with as many settings, if it was measured."""
    rows = results.under("honest").rows("honest")
    names = {f"tuned-{variant}", "tuned-cs-81"}
    if not names <= set(rows["strategy"]):
        return None
    means = averages(dataset_means(rows)).drop("average", errors="ignore")
    return (means[f"tuned-{variant}"] - means["tuned-cs-81"]).dropna()


def _nested_beats_csl(results: Results, variant: str) -> bool | None:
    gains = _nested_gains(results, variant)
    return None if gains is None else bool((gains > 0).all())


def tuned_beats_csl(variant: str) -> Callable[[Results], Finding]:
    """Return the check that a tuned variant beats tuned class-level costs."""

    def find(results: Results) -> Finding:
        means = averages(tuned_means(results)).drop("average", errors="ignore")
        gains, nested = means[variant] - means["cs"], _nested_gains(results, variant)
        after = "not measured yet" if nested is None else _signed(nested)
        ours = f"{_signed(gains)}; nested, with equal budgets: {after}"
        return Finding(
            verdict(bool((gains > 0).all()), nested=_nested_beats_csl(results, variant)), ours
        )

    return find


def fewer_errors(variant: str) -> Callable[[Results], Finding]:
    """Return the check that false positives fall by more than false negatives rise."""

    def find(results: Results) -> Finding:
        changes = error_changes(results.rows("default")).xs(variant, level="variant")
        part = changes.loc[[c for c in ("lr", "svm", "xgb") if c in changes.index]]
        holds = (part["fp"] < 0) & (-part["fp"] > part["fn"])
        pairs = (f"{classifier_label(c)} {r.fp:+.0f}/{r.fn:+.0f}" for c, r in part.iterrows())
        return Finding(verdict(bool(holds.all())), "ΔFP/ΔFN: " + ", ".join(pairs))

    return find


def fast(results: Results) -> Finding:
    """Check that fits take less than a second."""
    rows = results.rows("default")
    rows = rows[rows["strategy"].isin(["cs", "neighbor", "gini"])]
    times = dataset_times(rows).groupby("classifier").mean().mean(axis=1)
    slowest = times.idxmax()
    ours = f"slowest on average: {classifier_label(slowest)} with {times[slowest]:.3f} s"
    if "rf" not in times.index:
        return Finding(UNMEASURED, f"{ours}; no rows of RF")
    return Finding(verdict(bool((times < 1).all())), ours)


def overhead_order(results: Results) -> Finding:
    """Check that Gini complexity takes less time than that of neighbours."""
    rows = results.rows("default")
    times = 1000 * dataset_times(rows, ["weight_time"]).mean()
    ours = f"estimation: neighbour {times['neighbor']:.2f} ms, Gini {times['gini']:.2f} ms"
    return Finding(verdict(bool(times["gini"] < times["neighbor"])), ours)


def svm_g_mean(results: Results) -> Finding:
    """Check on how many sets SVM without costs finds no minority sample."""
    scores = dataset_means(results.rows("default"), "g_mean").loc["svm", "ncs"]
    zeros = int((scores == 0).sum())
    return Finding(verdict(zeros == 19), f"{zeros} of {len(scores)} sets")


def rf_without_costs(results: Results) -> Finding:
    """Check that RF is best without costs."""
    means = averages(dataset_means(results.rows("default"))).loc["rf"]
    ours = ", ".join(
        f"{STRATEGIES[s].label} {means[s]:.2f}" for s in ("ncs", "cs", "neighbor", "gini")
    )
    holds = means["ncs"] > means[["cs", "neighbor", "gini"]].max()
    return Finding(verdict(bool(holds)), ours)


def unstable(results: Results) -> Finding:
    """Check that iCost varies more over folds than class-level costs."""
    rows = results.rows("default")
    spread = rows.groupby(["classifier", "dataset", "strategy"], observed=True)["mcc"].std(ddof=0)
    means = spread.groupby("strategy", observed=True).mean()
    ours = ", ".join(f"{STRATEGIES[s].label} {means[s]:.4f}" for s in ("cs", "neighbor", "gini"))
    return Finding(verdict(bool(means["cs"] < means[["neighbor", "gini"]].min())), ours)


def lowest_costs(results: Results) -> Finding:
    """Check that the lowest costs are chosen most, and how often only a tie-break did that."""
    rows, holds = results.rows("tuning"), True
    n_choices = n_lowest = n_open = 0
    for variant in VARIANTS:
        chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
        for cost, values in PAPER_GRID.items():
            counts = chosen.groupby("classifier", observed=True)[cost].value_counts().unstack()
            holds &= bool((counts.idxmax(axis=1) == values[0]).mean() > 0.5)
            is_lowest = chosen[cost] == values[0]
            n_choices += len(chosen)
            n_lowest += int(is_lowest.sum())
            n_open += int(chosen.loc[is_lowest, "costs_tied"].str.contains(cost).sum())
    ours = (
        f"the lowest value in {100 * n_lowest / n_choices:.0f} % of all choices, of which "
        f"{100 * n_open / max(n_lowest, 1):.0f} % were open after MCC, F1 and G-mean and fell to "
        "the tie-break"
    )
    return Finding(verdict(holds), ours)


def beats_resampling(results: Results) -> Finding:
    """Check that tuned iCost beats the best resampler."""
    samplers = averages(dataset_means(results.rows("resampling")))[list(RESAMPLER_LABELS)]
    tuned = averages(tuned_means(results))[list(VARIANTS)]
    common = [c for c in samplers.index if c in tuned.index and c != "average"]
    best = samplers.loc[common].mean()
    ours = {v: tuned.loc[common, v].mean() for v in VARIANTS}
    text = ", ".join(f"{VARIANTS[v]} {value:.2f}" for v, value in ours.items())
    text += f"; best sampler {RESAMPLER_LABELS[best.idxmax()]} {best.max():.2f}"
    nested, note = _nested_beats_resampling(results)
    return Finding(verdict(min(ours.values()) > best.max(), nested=nested), text + note)


def _nested_beats_resampling(results: Results) -> tuple[bool | None, str]:
    rows = results.under("honest").rows("honest")
    if not {"tuned-neighbor", "smote"} <= set(rows["strategy"]):
        return None, "; nested not measured yet"
    means = averages(dataset_means(rows)).drop("average", errors="ignore")
    samplers = [name for name in RESAMPLER_LABELS if name in means]
    names = [f"tuned-{v}" for v in VARIANTS if f"tuned-{v}" in means]
    # Only classifiers that were run with all of them: an average over others would favour a side.
    both = means[[*samplers, *names]].dropna().mean()
    best, tuned = both[samplers], both[names]
    text = f"; nested, one scaler: {tuned.max():.2f} against {best.max():.2f}"
    return bool(tuned.min() > best.max()), text


def smote_best(results: Results) -> Finding:
    """Check that SMOTE and SMOTE-Tomek are the best resamplers."""
    means = averages(dataset_means(results.rows("resampling")))[list(RESAMPLER_LABELS)].mean()
    order = means.sort_values(ascending=False)
    ours = ", ".join(f"{RESAMPLER_LABELS[s]} {order[s]:.2f}" for s in order.index[:3])
    return Finding(verdict(set(order.index[:2]) == {"smote", "smote-tomek"}), ours)


def rf_prefers_smote(results: Results) -> Finding:
    """Check that RF gains more from resampling than from tuned iCost."""
    samplers = averages(dataset_means(results.rows("resampling"))).loc["rf", list(RESAMPLER_LABELS)]
    tuned = averages(tuned_means(results)).loc["rf", list(VARIANTS)]
    ours = (
        f"{RESAMPLER_LABELS[samplers.idxmax()]} {samplers.max():.2f}, tuned iCost {tuned.max():.2f}"
    )
    return Finding(verdict(bool(samplers.max() > tuned.max())), ours)


def less_overhead(results: Results) -> Finding:
    """Compare what is added to a plain fit: preparation, and a longer or shorter fit."""
    sampled, plain = results.rows("resampling"), results.rows("default")
    added: dict[str, float] = {}
    for rows, names in ((sampled, list(RESAMPLER_LABELS)), (plain, list(VARIANTS))):
        means = averages(dataset_times(rows), 1000.0).drop("average", errors="ignore")
        added |= {name: float((means[name] - means["ncs"]).mean()) for name in names}
    ours = ", ".join(f"{STRATEGIES[name].label} {ms:+.1f} ms" for name, ms in added.items())
    samplers = [added[name] for name in RESAMPLER_LABELS]
    # "Far less" is taken to mean: less than half of what a typical sampler adds.
    return Finding(verdict(max(added[v] for v in VARIANTS) < float(np.median(samplers)) / 2), ours)


def multiclass_smaller(results: Results) -> Finding:
    """Check that gains are smaller with more than two classes."""
    binary = averages(tuned_means(results)).drop("average", errors="ignore")
    multi = averages(multiclass_means(results)).drop("average", errors="ignore")
    pairs = {
        v: ((binary[v] - binary["cs"]).mean(), (multi[f"grid-{v}"] - multi["grid-cs"]).mean())
        for v in VARIANTS
    }
    held_out = _multiclass_on_other_folds(results)
    gains = {v: held_out[f"grid-{v}"] - held_out["grid-cs"] for v in VARIANTS}
    ours = ", ".join(
        f"{VARIANTS[v]} binary {b:+.2f}, multiclass {m:+.2f} ({gains[v]:+.2f} with settings chosen "
        "on other folds)"
        for v, (b, m) in pairs.items()
    )
    return Finding(verdict(all(0 < m < b for b, m in pairs.values())), ours)


def multiclass_gain(results: Results) -> Finding:
    """Check the order of strategies on the multiclass sets."""
    means = averages(multiclass_means(results)).drop("average", errors="ignore").mean()
    labels = {"ncs": "no cost", "grid-cs": "CSL", "grid-neighbor": "Neighbor", "grid-gini": "Gini"}
    ours = ", ".join(f"{label} {means[name]:.2f}" for name, label in labels.items())
    held_out = _multiclass_on_other_folds(results)
    ours += "; with settings chosen on other folds: "
    ours += ", ".join(f"{labels[name]} {held_out[name]:.2f}" for name in held_out.index)
    nested = _in_paper_order(pd.concat([means[["ncs"]], held_out]))
    return Finding(verdict(_in_paper_order(means), nested=nested), ours)


def _in_paper_order(means: pd.Series) -> bool:
    return bool(means["ncs"] < means["grid-cs"] < means[["grid-neighbor", "grid-gini"]].min())


def _multiclass_on_other_folds(results: Results) -> pd.Series:
    """Return the average MCC (%) of each grid when the test fold has no say in the settings."""

    def compute() -> pd.Series:
        rows, names = results.rows("multiclass"), ("grid-cs", "grid-neighbor", "grid-gini")
        means = {n: cross_selected(rows, n).groupby("classifier").mean().mean() for n in names}
        return 100 * pd.Series(means)

    return results.once("multiclass on other folds", compute)


def premise(results: Results) -> Finding:
    """Check the premise against weights that differ in nothing but whom they go to."""
    text, holds = [], []
    for variant, label in VARIANTS.items():
        better, note = _over_matched(results, variant)
        if better is None:
            return Finding(UNMEASURED, note.removeprefix("; "))
        holds.append(better)
        text.append(f"{label}{note}")
    return Finding(verdict(all(holds)), "; ".join(text))
