"""What the rows say about each kind of statement: our numbers, and a verdict by their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from icost_reproduction._internals import PAPER_GRID, RESAMPLER_LABELS
from icost_reproduction.evaluation import (
    TIE,
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
    error_changes_per_set,
    multiclass_means,
    paper_order,
    tuned_means,
)
from icost_reproduction.rank_tests import mean_interval, source_interval, unpaired_interval
from icost_reproduction.strategies import STRATEGIES

HOLDS = "holds"
WITHIN_NOISE = "in its direction, within noise"
AGAINST = "against its direction, within noise"
CONTRADICTED = "contradicted"
NOT_COMPARABLE = "not comparable"
UNMEASURED = "not measured yet"
VERDICTS = (HOLDS, WITHIN_NOISE, AGAINST, CONTRADICTED, NOT_COMPARABLE, UNMEASURED)

LEGEND = {
    HOLDS: "every interval that the statement needs lies on its side of 0",
    WITHIN_NOISE: "none lies against it, but at least one contains 0 (the other way round, "
    f"'{AGAINST}', where the mean of all differences is below 0)",
    CONTRADICTED: "at least one interval lies against it",
    NOT_COMPARABLE: "what the statement compares was measured under unlike conditions",
}
"""What each verdict means, for 95 % bootstrap intervals over data sets."""


@dataclass(frozen=True)
class Contrast:
    """A mean difference over data sets, above 0 in favour of a statement, with both intervals."""

    mean: float
    low: float
    high: float
    family_low: float
    family_high: float
    digits: int = 2

    def __str__(self) -> str:
        """Return the mean, its interval by data sets, and the one by families."""
        mean, *ends = (
            f"{value:+.{self.digits}f}"
            for value in (self.mean, self.low, self.high, self.family_low, self.family_high)
        )
        return f"{mean} [{ends[0]}, {ends[1]}] [{ends[2]}, {ends[3]}]"


Contrasts = Mapping[str, Contrast]


@dataclass(frozen=True)
class Finding:
    """What we found about a statement: one of `VERDICTS`, our numbers, and what a control says.

    ``control`` is the verdict by the same rule on the strictest control that there is: weights of
    the same total, tuning nested in the training folds with as many settings for both, or one
    scaler for both; empty where none is at issue or measured.
    """

    verdict: str
    ours: str
    control: str = ""


def judge(contrasts: Iterable[Contrast]) -> str:
    """Return the verdict on a statement that needs all these differences to be above 0."""
    needed = list(contrasts)
    if any(contrast.high < 0 for contrast in needed):
        return CONTRADICTED
    if all(contrast.low > 0 for contrast in needed):
        return HOLDS
    return AGAINST if sum(contrast.mean for contrast in needed) < 0 else WITHIN_NOISE


def contrast(difference: pd.Series, digits: int = 2) -> Contrast:
    """Return the mean of differences by data set, the last level of the index."""
    names = difference.index.get_level_values("dataset")
    by_set = difference.groupby(names, observed=True)
    # Classifiers on one data set are not independent of each other: they are drawn together.
    means = by_set.mean().dropna()
    return Contrast(*mean_interval(means), *source_interval(means)[1:], digits)


def shown(contrasts: Contrasts) -> str:
    """Return differences as text."""
    return ", ".join(f"{label} {value}" for label, value in contrasts.items())


def signed(gains: Mapping[str, float] | pd.Series) -> str:
    """Return the gain of each classifier as text."""
    return ", ".join(f"{classifier_label(c)} {gain:+.2f}" for c, gain in gains.items())


def _per_classifier(means: pd.DataFrame, one: str, other: str) -> Contrasts:
    """Gain in percentage points, for each classifier that has both."""
    gains = (100 * (means[one] - means[other])).dropna()
    measured = paper_order(gains.index.get_level_values("classifier"))
    return {classifier_label(c): contrast(gains.xs(c, level="classifier")) for c in measured}


def _over_classifiers(means: pd.DataFrame, one: str, other: str) -> Contrast:
    """Gain in percentage points, averaged over the classifiers of each data set."""
    return contrast((100 * (means[one] - means[other])).dropna())


def beats_csl(results: Results, variant: str, metric: str) -> Finding:
    """Check that a variant beats class-level costs for every classifier."""
    means = results.means("default", metric)
    gains = _per_classifier(means, variant, "cs")
    if f"{variant}-mean" not in means:
        text = f"{shown(gains)}; same-total control not measured yet"
        return Finding(judge(gains.values()), text)
    over = _per_classifier(means, variant, f"{variant}-mean")
    text = f"{shown(gains)}; over the same-total control {shown(over)}"
    return Finding(judge(gains.values()), text, judge(over.values()))


def overall(results: Results, variant: str) -> Finding:
    """Check that a variant beats class-level costs on the average of classifiers."""
    means = results.means("default")
    row = averages(means)
    # Without all five classifiers, the average of those there are is still informative.
    row = row.loc["average"] if "average" in row.index else row.mean()
    classifiers = paper_order(means.index.get_level_values("classifier"))
    gain = _over_classifiers(means, variant, "cs")
    ours = f"{row['cs']:.2f} → {row[variant]:.2f}, {gain}, over "
    ours += ", ".join(map(classifier_label, classifiers))
    if f"{variant}-mean" not in means:
        return Finding(judge([gain]), ours)
    over = _over_classifiers(means, variant, f"{variant}-mean")
    return Finding(judge([gain]), f"{ours}; over the same-total control {over}", judge([over]))


def wins(results: Results, variant: str) -> Finding:
    """Check that a variant wins against class-level costs more often than it loses."""
    means = results.means("default")
    surplus, ours = _more_wins(means, variant, "cs")
    if f"{variant}-mean" not in means:
        return Finding(judge([surplus]), ours)
    over, text = _more_wins(means, variant, f"{variant}-mean")
    return Finding(
        judge([surplus]), f"{ours}; against the same-total control {text}", judge([over])
    )


def _more_wins(means: pd.DataFrame, one: str, other: str) -> tuple[Contrast, str]:
    """Wins minus losses per 100 pairs, and the counts."""
    both = means[[one, other]].dropna()
    difference = both[one] - both[other]
    counts = count_wins(both[one], both[other])
    text = "{wins}–{losses}–{ties}".format(**counts) + f" of {len(both)} pairs"
    surplus = contrast(100 * np.sign(difference.where(difference.abs() > TIE, 0.0)), digits=0)
    return surplus, f"{text}, wins minus losses per 100 pairs {surplus}"


def tuned_wins(results: Results, variant: str) -> Finding:
    """Check that a tuned variant wins more often than it loses."""
    surplus, ours = _more_wins(tuned_means(results), variant, "cs")
    means = _nested_means(results, variant)
    if means is None:
        return Finding(judge([surplus]), f"{ours}; nested not measured yet")
    _, text = _more_wins(means, f"tuned-{variant}", "tuned-cs")
    over, equal = _more_wins(means, f"tuned-{variant}", "tuned-cs-81")
    ours = f"{ours}; nested {text}; nested, 81 settings for both {equal}"
    return Finding(judge([surplus]), ours, judge([over]))


def tuned_beats_csl(results: Results, variant: str) -> Finding:
    """Check that a tuned variant beats tuned class-level costs."""
    gains = _per_classifier(tuned_means(results), variant, "cs")
    means = _nested_means(results, variant)
    if means is None:
        return Finding(judge(gains.values()), f"{shown(gains)}; nested not measured yet")
    nested = _per_classifier(means, f"tuned-{variant}", "tuned-cs")
    equal = _per_classifier(means, f"tuned-{variant}", "tuned-cs-81")
    ours = f"{shown(gains)}; nested {shown(nested)}; nested, 81 settings for both {shown(equal)}"
    return Finding(judge(gains.values()), ours, judge(equal.values()))


def _nested_means(results: Results, variant: str) -> pd.DataFrame | None:
    """Return the MCC of tuning nested in the training folds, if all of it was measured."""
    rows = results.under("honest").rows("honest")
    needed = {f"tuned-{variant}", "tuned-cs", "tuned-cs-81"}
    return dataset_means(rows) if needed <= set(rows["strategy"]) else None


def fewer_errors(results: Results, variant: str) -> Finding:
    """Check that false positives fall by more than false negatives rise."""
    changes = error_changes_per_set(results.rows("default")).xs(variant, level="variant")
    measured = paper_order(changes.index.get_level_values("classifier"))
    per_classifier = {
        c: changes.xs(c, level="classifier") for c in measured if c not in ("dt", "rf")
    }
    pairs = ", ".join(
        f"{classifier_label(c)} {changed['fp'].sum():+.0f}/{changed['fn'].sum():+.0f}"
        for c, changed in per_classifier.items()
    )
    correct = {
        classifier_label(c): contrast(changed["correct"], digits=1)
        for c, changed in per_classifier.items()
    }
    ours = f"ΔFP/ΔFN: {pairs}; fewer errors per set: {shown(correct)}"
    return Finding(judge(correct.values()), ours)


def fast(results: Results) -> Finding:
    """Check that fits take less than a second."""
    rows = results.rows("default")
    rows = rows[rows["strategy"].isin(["cs", "neighbor", "gini"])]
    times = dataset_times(rows).mean(axis=1)
    slowest = times.groupby(level="classifier", observed=True).mean().idxmax()
    seconds = times.xs(slowest, level="classifier")
    ours = f"slowest on average: {classifier_label(slowest)} with {seconds.mean():.3f} s"
    if "rf" not in times.index:
        return Finding(UNMEASURED, f"{ours}; no rows of RF")
    return Finding(judge([contrast(1 - seconds)]), f"{ours}, on a machine that is not the paper's")


def overhead_order(results: Results) -> Finding:
    """Compare the time of both complexities, which our kernels compute and not the authors'."""
    rows = results.rows("default")
    times = 1000 * dataset_times(rows, ["weight_time"]).mean()
    ours = (
        f"estimation: neighbour {times['neighbor']:.2f} ms, Gini {times['gini']:.2f} ms, by a "
        "compiled neighbour search that the authors' package does not have"
    )
    return Finding(NOT_COMPARABLE, ours)


def svm_g_mean(results: Results) -> Finding:
    """Check on how many sets SVM without costs finds no minority sample."""
    scores = results.means("default", "g_mean").loc["svm", "ncs"]
    zeros = int((scores == 0).sum())
    _, low, high = mean_interval(scores == 0)
    verdict = WITHIN_NOISE if low <= 19 / 65 <= high else CONTRADICTED
    return Finding(HOLDS if zeros == 19 else verdict, f"{zeros} of {len(scores)} sets")


def rf_without_costs(results: Results) -> Finding:
    """Check that RF is best without costs."""
    means = results.means("default").loc[["rf"]]
    over = {
        STRATEGIES[s].label: _over_classifiers(means, "ncs", s) for s in ("cs", "neighbor", "gini")
    }
    return Finding(judge(over.values()), f"NCS over {shown(over)}")


def unstable(results: Results) -> Finding:
    """Check that iCost varies more over folds than class-level costs."""
    rows = results.rows("default")
    spread = rows.groupby(["classifier", "dataset", "strategy"], observed=True)["mcc"].std(ddof=0)
    wide = spread.unstack("strategy")
    ours = ", ".join(f"{STRATEGIES[s].label} {wide[s].mean():.4f}" for s in ("cs", *VARIANTS))
    more = {VARIANTS[v]: contrast(wide[v] - wide["cs"], digits=4) for v in VARIANTS}
    return Finding(judge(more.values()), f"{ours}; {shown(more)}")


def lowest_costs(results: Results) -> Finding:
    """Check that the lowest costs are chosen most, and how often only a tie-break did that."""
    rows, surplus = results.rows("tuning"), {}
    n_choices = n_lowest = n_open = 0
    for variant, label in VARIANTS.items():
        chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
        for cost, values in PAPER_GRID.items():
            second = chosen.loc[chosen[cost] != values[0], cost].mode()
            is_lowest = chosen[cost] == values[0]
            is_second = chosen[cost].isin(second[:1])
            more = (100.0 * (is_lowest * 1.0 - is_second)).set_axis(pd.Index(chosen["dataset"]))
            surplus[f"{label} {cost}"] = contrast(more.rename_axis("dataset"), digits=0)
            n_choices += len(chosen)
            n_lowest += int(is_lowest.sum())
            n_open += int(chosen.loc[is_lowest, "costs_tied"].str.contains(cost).sum())
    ours = (
        f"the lowest value in {100 * n_lowest / n_choices:.0f} % of all choices, of which "
        f"{100 * n_open / max(n_lowest, 1):.0f} % were open after MCC, F1 and G-mean and fell to "
        f"the tie-break; lowest minus next, per 100 choices: {shown(surplus)}"
    )
    return Finding(judge(surplus.values()), ours)


def high_border_costs(results: Results) -> Finding:
    """Check that DT and XGBoost choose a higher cfb more often than LR and SVM."""
    rows, more = results.rows("tuning"), {}
    for variant, label in VARIANTS.items():
        chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
        high = 100.0 * (chosen["cfb"] > PAPER_GRID["cfb"][0])
        wide = chosen.assign(high=high).pivot(index="dataset", columns="classifier", values="high")
        linear = wide[["lr", "svm"]].mean(axis=1)
        for c in ("dt", "xgb"):
            more[f"{label}, {classifier_label(c)}"] = contrast(wide[c] - linear, digits=0)
    ours = f"choices above 1.00, per 100 sets, minus those of LR and SVM: {shown(more)}"
    return Finding(judge(more.values()), ours)


def beats_resampling(results: Results) -> Finding:
    """Compare tuned iCost with the best resampler, which the paper scaled otherwise."""
    samplers, tuned = results.means("resampling"), tuned_means(results)
    joined = tuned[list(VARIANTS)].join(samplers[list(RESAMPLER_LABELS)]).dropna()
    gains, best = _over_best_sampler(joined, list(VARIANTS))
    ours = (
        f"over {best}: {shown(gains)}, but the samplers' numbers come from a StandardScaler and "
        "iCost's from a MinMaxScaler, iCost is tuned on the folds that are reported, and samplers "
        "are not tuned"
    )
    means = _means_of_honest(results)
    names = [name for name in (f"tuned-{v}" for v in VARIANTS) if name in means]
    if "smote" not in means or len(names) < len(VARIANTS):
        return Finding(NOT_COMPARABLE, f"{ours}; nested not measured yet")
    nested = means[[*names, *(n for n in RESAMPLER_LABELS if n in means)]].dropna()
    over, best = _over_best_sampler(nested, names)
    return Finding(
        NOT_COMPARABLE,
        f"{ours}; nested, one scaler, over {best}: {shown(over)}",
        judge(over.values()),
    )


def _means_of_honest(results: Results) -> pd.DataFrame:
    rows = results.under("honest").rows("honest")
    return dataset_means(rows) if len(rows) else pd.DataFrame()


def _over_best_sampler(joined: pd.DataFrame, names: list[str]) -> tuple[Contrasts, str]:
    """Gains over the sampler with the best average, on the classifiers that all have."""
    samplers = [name for name in RESAMPLER_LABELS if name in joined]
    means = joined[samplers].groupby(level="classifier", observed=True).mean().mean()
    best = means.idxmax()
    gains = {VARIANTS[n.removeprefix("tuned-")]: _over_classifiers(joined, n, best) for n in names}
    return gains, RESAMPLER_LABELS[best]


def smote_best(results: Results) -> Finding:
    """Check that SMOTE and SMOTE-Tomek are the best resamplers."""
    means = results.means("resampling")[list(RESAMPLER_LABELS)]
    order = averages(means).drop("average", errors="ignore").mean().sort_values(ascending=False)
    ours = ", ".join(f"{RESAMPLER_LABELS[s]} {order[s]:.2f}" for s in order.index[:3])
    third = next(name for name in order.index if name not in ("smote", "smote-tomek"))
    over = {
        RESAMPLER_LABELS[name]: _over_classifiers(means, name, third)
        for name in ("smote", "smote-tomek")
    }
    label = RESAMPLER_LABELS[third]
    return Finding(judge(over.values()), f"{ours}; over {label}: {shown(over)}")


def rf_prefers_smote(results: Results) -> Finding:
    """Check that RF gains more from resampling than from tuned iCost."""
    samplers = results.means("resampling").loc["rf", list(RESAMPLER_LABELS)]
    tuned = tuned_means(results).loc["rf", list(VARIANTS)]
    best, rival = samplers.mean().idxmax(), tuned.mean().idxmax()
    gain = contrast((100 * (samplers[best] - tuned[rival])).dropna())
    ours = (
        f"{RESAMPLER_LABELS[best]} {100 * samplers[best].mean():.2f}, tuned {VARIANTS[rival]} "
        f"{100 * tuned[rival].mean():.2f}, {gain}"
    )
    return Finding(judge([gain]), ours)


def best_variant(results: Results, expected: Mapping[str, str], multiclass: bool) -> Finding:
    """Check which tuned variant is best for each classifier, of all in the paper's table."""
    if multiclass:
        means = multiclass_means(results)
        means.columns = [name.removeprefix("grid-") for name in means]
        rivals = ["ncs", "cs", *VARIANTS]
    else:
        means = tuned_means(results)[list(VARIANTS)].join(
            results.means("resampling")[list(RESAMPLER_LABELS)]
        )
        rivals = [*VARIANTS, *RESAMPLER_LABELS]
    contrasts = {}
    for c, best in expected.items():
        of_classifier = means.xs(c, level="classifier")
        others = of_classifier[[name for name in rivals if name != best]]
        second = others.mean().idxmax()
        label = f"{classifier_label(c)}: {STRATEGIES[best].label} over {STRATEGIES[second].label}"
        contrasts[label] = contrast((100 * (of_classifier[best] - others[second])).dropna())
    return Finding(judge(contrasts.values()), shown(contrasts))


def less_overhead(results: Results) -> Finding:
    """Compare what is added to a plain fit: preparation, and a longer or shorter fit."""
    added: dict[str, pd.Series] = {}
    for study, names in (("resampling", list(RESAMPLER_LABELS)), ("default", list(VARIANTS))):
        times = 1000 * dataset_times(results.rows(study))
        added |= {name: times[name] - times["ncs"] for name in names}
    ours = ", ".join(f"{STRATEGIES[name].label} {ms.mean():+.1f} ms" for name, ms in added.items())
    # Far less than a sampler is taken to mean: at most half of what it adds.
    saved = [
        contrast((added[name] / 2 - added[v]).dropna())
        for name in RESAMPLER_LABELS
        for v in VARIANTS
    ]
    n_against = sum(saving.high < 0 for saving in saved)
    ours += (
        f"; at most half of a sampler's in {sum(s.low > 0 for s in saved)} of {len(saved)} pairs, "
    )
    return Finding(judge(saved), f"{ours}more than half in {n_against}")


def multiclass_smaller(results: Results) -> Finding:
    """Check that gains are smaller with more than two classes."""
    binary, multi = tuned_means(results), multiclass_means(results)
    held_out = _multiclass_on_other_folds(results)
    parts, contrasts = [], []
    for v, label in VARIANTS.items():
        b = _by_set(100 * (binary[v] - binary["cs"]))
        m = _by_set(100 * (multi[f"grid-{v}"] - multi["grid-cs"]))
        mean, low, high = unpaired_interval(b, m)
        over = contrast(m)
        contrasts += [Contrast(mean, low, high, low, high), over]
        other = (held_out[f"grid-{v}"] - held_out["grid-cs"]).mean()
        parts.append(
            f"{label} binary {b.mean():+.2f}, multiclass {over} ({other:+.2f} with settings chosen "
            f"on other folds), binary minus multiclass {mean:+.2f} [{low:+.2f}, {high:+.2f}]"
        )
    return Finding(judge(contrasts), "; ".join(parts))


def _by_set(difference: pd.Series) -> pd.Series:
    return difference.dropna().groupby(level="dataset", observed=True).mean()


def multiclass_gain(results: Results) -> Finding:
    """Check the order of strategies on the multiclass sets."""
    means = multiclass_means(results)
    rows = averages(means).drop("average", errors="ignore").mean()
    labels = {"ncs": "no cost", "grid-cs": "CSL", "grid-neighbor": "Neighbor", "grid-gini": "Gini"}
    ours = ", ".join(f"{label} {rows[name]:.2f}" for name, label in labels.items())
    order = _in_paper_order(means)
    held_out = _multiclass_on_other_folds(results).join(100 * means[["ncs"]]) / 100
    nested = _in_paper_order(held_out)
    ours += f"; {shown(order)}; with settings chosen on other folds: {shown(nested)}"
    return Finding(judge(order.values()), ours, judge(nested.values()))


def _in_paper_order(means: pd.DataFrame) -> Contrasts:
    pairs = {
        "CSL over no cost": ("grid-cs", "ncs"),
        "Neighbor over CSL": ("grid-neighbor", "grid-cs"),
        "Gini over CSL": ("grid-gini", "grid-cs"),
    }
    return {label: _over_classifiers(means, *pair) for label, pair in pairs.items()}


@once
def _multiclass_on_other_folds(results: Results) -> pd.DataFrame:
    """Return the MCC (%) of each grid when the test fold has no say in the settings."""
    rows, names = results.rows("multiclass"), ("grid-cs", "grid-neighbor", "grid-gini")
    return 100 * pd.DataFrame({name: cross_selected(rows, name) for name in names})


def premise(results: Results) -> Finding:
    """Check the premise against weights that differ in nothing but whom they go to."""
    means = results.under("honest").means("controls")
    text: list[str] = []
    contrasts: list[Contrast] = []
    for variant, label in VARIANTS.items():
        gains = _per_classifier(means, variant, f"{variant}-mean")
        contrasts += gains.values()
        text.append(f"{label} over the same-total control {shown(gains)}")
    return Finding(judge(contrasts), "; ".join(text))
