"""What the rows say about each kind of statement: our number, and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from icost_reproduction._internals import PAPER_GRID, RESAMPLER_LABELS
from icost_reproduction.evaluation import (
    Results,
    choose_settings,
    count_wins,
    cross_selected,
    dataset_means,
    dataset_times,
    once,
)
from icost_reproduction.paper_tables import (
    VARIANTS,
    averages,
    classifier_label,
    error_changes,
    multiclass_means,
    paper_order,
    tuned_means,
)
from icost_reproduction.rank_tests import mean_interval
from icost_reproduction.strategies import STRATEGIES

HOLDS = "holds"
FAILS = "does not hold"
UNNESTED = "only without nesting"
UNMATCHED = "only against an unmatched control"
WITHIN_NOISE = "within noise"
UNMEASURED = "not measured yet"
VERDICTS = (HOLDS, FAILS, UNNESTED, UNMATCHED, WITHIN_NOISE, UNMEASURED)


@dataclass(frozen=True)
class Finding:
    """What we found about a statement: one of `VERDICTS`, and our numbers."""

    verdict: str
    ours: str


def verdict(
    holds: bool,
    *,
    nested: bool | None = None,
    matched: bool | None = None,
    is_doubtful: bool = False,
) -> str:
    """Return the verdict on a statement that holds, or does not, under the paper's own protocol.

    ``nested`` is whether it still holds when tuning is nested; ``matched``, whether it does against
    a control that lacks nothing but what is claimed to matter (the same total weight, or as many
    settings to choose from). None is for what is not known or not at issue. ``is_doubtful`` is
    whether what contradicts it, if anything does, is within the noise.
    """
    if not holds:
        return WITHIN_NOISE if is_doubtful else FAILS
    if nested is False:
        return UNNESTED
    return UNMATCHED if matched is False else HOLDS


def signed(gains: Mapping[str, float] | pd.Series) -> str:
    """Return the gain of each classifier as text."""
    return ", ".join(f"{classifier_label(c)} {gain:+.2f}" for c, gain in gains.items())


def _per_classifier(means: pd.DataFrame, one: str, other: str) -> pd.Series:
    """Mean gain in percentage points, for each classifier that has both."""
    gains = 100 * (means[one] - means[other])
    means_of = gains.groupby(level=0, observed=True).mean().dropna()
    return means_of[paper_order(means_of.index)]


def _is_worse_beyond_doubt(means: pd.DataFrame, one: str, other: str) -> bool:
    """Whether, for some classifier, even the upper end of the interval of the gain is below 0."""
    gains = (means[one] - means[other]).dropna()
    return any(
        mean_interval(of_classifier)[2] < 0
        for _, of_classifier in gains.groupby(level=0, observed=True)
    )


def beats_csl(results: Results, variant: str, metric: str) -> Finding:
    """Check that a variant beats class-level costs for every classifier."""
    means = results.means("default", metric)
    gains, matched = _per_classifier(means, variant, "cs"), None
    note = "; same-total control not measured yet"
    if f"{variant}-mean" in means:
        over = _per_classifier(means, variant, f"{variant}-mean")
        matched = bool((over > 0).all())
        note = f"; over the same-total control {signed(over)}"
    is_doubtful = not _is_worse_beyond_doubt(means, variant, "cs")
    judged = verdict(bool((gains > 0).all()), matched=matched, is_doubtful=is_doubtful)
    return Finding(judged, signed(gains) + note)


def overall(results: Results, variant: str) -> Finding:
    """Check that a variant beats class-level costs on the average of classifiers."""
    means = averages(results.means("default"))
    # Without all five classifiers, the average of those there are is still informative.
    row = means.loc["average"] if "average" in means.index else means.mean()
    classifiers = ", ".join(classifier_label(c) for c in means.index if c != "average")
    ours = f"{row['cs']:.2f} → {row[variant]:.2f} over {classifiers}"
    matched = None
    if f"{variant}-mean" in row:
        matched = bool(row[variant] > row[f"{variant}-mean"])
        ours += f"; the same-total control {row[f'{variant}-mean']:.2f}"
    return Finding(verdict(row[variant] > row["cs"], matched=matched), ours)


def wins(results: Results, variant: str) -> Finding:
    """Check that a variant wins against class-level costs more often than it loses."""
    means, matched = results.means("default"), None
    holds, ours = _more_wins(means, variant, "cs")
    if f"{variant}-mean" in means:
        matched, text = _more_wins(means, variant, f"{variant}-mean")
        ours += f"; against the same-total control {text}"
    return Finding(verdict(holds, matched=matched), ours)


def _more_wins(means: pd.DataFrame, one: str, other: str) -> tuple[bool, str]:
    both = means[[one, other]].dropna()
    counts = count_wins(both[one], both[other])
    text = "{wins}–{losses}–{ties}".format(**counts) + f" of {len(both)} pairs"
    return counts["wins"] > counts["losses"], text


def _all_gain(means: pd.DataFrame, one: str, other: str) -> tuple[bool, str]:
    gains = _per_classifier(means, one, other)
    return bool((gains > 0).all()), signed(gains)


def tuned_wins(results: Results, variant: str) -> Finding:
    """Check that a tuned variant wins more often than it loses."""
    return _also_nested(results, variant, _more_wins)


def tuned_beats_csl(results: Results, variant: str) -> Finding:
    """Check that a tuned variant beats tuned class-level costs."""
    return _also_nested(results, variant, _all_gain)


def _also_nested(
    results: Results, variant: str, compare: Callable[[pd.DataFrame, str, str], tuple[bool, str]]
) -> Finding:
    """Judge by the same criterion with nested tuning, and with as many settings for CSL."""
    holds, ours = compare(tuned_means(results), variant, "cs")
    rows = results.under("honest").rows("honest")
    if not {f"tuned-{variant}", "tuned-cs", "tuned-cs-81"} <= set(rows["strategy"]):
        return Finding(verdict(holds), f"{ours}; nested not measured yet")
    means = dataset_means(rows)
    nested, text = compare(means, f"tuned-{variant}", "tuned-cs")
    matched, equal = compare(means, f"tuned-{variant}", "tuned-cs-81")
    ours = f"{ours}; nested {text}; nested, 81 settings for both {equal}"
    return Finding(verdict(holds, nested=nested, matched=matched), ours)


def fewer_errors(results: Results, variant: str) -> Finding:
    """Check that false positives fall by more than false negatives rise."""
    changes = error_changes(results.rows("default")).xs(variant, level="variant")
    shown = changes.loc[[c for c in ("lr", "svm", "xgb") if c in changes.index]]
    holds = (shown["fp"] < 0) & (-shown["fp"] > shown["fn"])
    pairs = (f"{classifier_label(c)} {r.fp:+.0f}/{r.fn:+.0f}" for c, r in shown.iterrows())
    return Finding(verdict(bool(holds.all())), "ΔFP/ΔFN: " + ", ".join(pairs))


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
    scores = results.means("default", "g_mean").loc["svm", "ncs"]
    zeros = int((scores == 0).sum())
    return Finding(verdict(zeros == 19), f"{zeros} of {len(scores)} sets")


def rf_without_costs(results: Results) -> Finding:
    """Check that RF is best without costs."""
    means = averages(results.means("default")).loc["rf"]
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
    samplers = averages(results.means("resampling"))[list(RESAMPLER_LABELS)]
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
    means = averages(results.means("resampling"))[list(RESAMPLER_LABELS)].mean()
    order = means.sort_values(ascending=False)
    ours = ", ".join(f"{RESAMPLER_LABELS[s]} {order[s]:.2f}" for s in order.index[:3])
    return Finding(verdict(set(order.index[:2]) == {"smote", "smote-tomek"}), ours)


def rf_prefers_smote(results: Results) -> Finding:
    """Check that RF gains more from resampling than from tuned iCost."""
    samplers = averages(results.means("resampling")).loc["rf", list(RESAMPLER_LABELS)]
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


@once
def _multiclass_on_other_folds(results: Results) -> pd.Series:
    """Return the average MCC (%) of each grid when the test fold has no say in the settings."""
    rows, names = results.rows("multiclass"), ("grid-cs", "grid-neighbor", "grid-gini")
    means = {n: cross_selected(rows, n).groupby("classifier").mean().mean() for n in names}
    return 100 * pd.Series(means)


def premise(results: Results) -> Finding:
    """Check the premise against weights that differ in nothing but whom they go to."""
    means = results.under("honest").means("controls")
    text, ends = [], []
    for variant, label in VARIANTS.items():
        gains = 100 * (means[variant] - means[f"{variant}-mean"])
        parts = []
        for c in paper_order(gains.index):
            mean, low, high = mean_interval(gains.loc[c])
            parts.append(f"{classifier_label(c)} {mean:+.2f} [{low:+.2f}, {high:+.2f}]")
            ends.append((low, high))
        text.append(f"{label} over the same-total control {', '.join(parts)}")
    is_doubtful = all(high >= 0 for _, high in ends)
    judged = verdict(all(low > 0 for low, _ in ends), is_doubtful=is_doubtful)
    return Finding(judged, "; ".join(text))
