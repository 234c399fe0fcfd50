"""The paper's statements, each with our number and a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from icost.experiments.classifiers import PAPER_CLASSIFIERS
from icost.experiments.evaluation import (
    Results,
    choose_settings,
    count_wins,
    dataset_means,
    published,
)
from icost.experiments.paper_tables import (
    VARIANTS,
    averages,
    classifier_label,
    error_changes,
    multiclass_means,
    tuned_means,
)
from icost.experiments.plan import load_plan
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


@dataclass(frozen=True)
class Claim:
    """A statement of the paper.

    Parameters
    ----------
    name : str
        Its name.
    statement : str
        In one sentence.
    published : str
        The paper's numbers.
    studies : tuple of str
        Studies of the profile that it needs.
    find : callable
        From results to a `Finding`.
    """

    name: str
    statement: str
    published: str
    studies: tuple[str, ...]
    find: Callable[[Results], Finding]

    def check(self, results: Results) -> Finding:
        """Return what the rows say about the statement.

        Parameters
        ----------
        results : Results
            Rows of the studies.

        Returns
        -------
        Finding
            ``"not measured yet"`` if rows are missing.
        """
        missing = [study for study in self.studies if results.rows(study).empty]
        if missing:
            return Finding(UNMEASURED, f"no rows of the study {missing[0]!r}")
        try:
            found = self.find(results)
        except KeyError as error:
            return Finding(UNMEASURED, f"no rows of {error}")
        partial = [note for study in self.studies if (note := _part_run(results, study))]
        return Finding(found.verdict, "; ".join([found.ours, *partial]))


def _part_run(results: Results, study: str) -> str:
    """Say how much of a study was run, if not all of it."""
    plan, rows = load_plan(study, results.profile), results.rows(study)
    sets, classifiers = rows["dataset"].nunique(), rows["classifier"].nunique()
    if sets >= len(plan.datasets) and classifiers >= len(plan.classifiers):
        return ""
    return (
        f"so far {classifiers} of {len(plan.classifiers)} classifiers, "
        f"{sets} of {len(plan.datasets)} sets of the study {study!r}"
    )


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
    >>> from icost.experiments.claims import verdict
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


def _beats_csl(variant: str, metric: str) -> Callable[[Results], Finding]:
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
    rows = results.honest().rows("honest")
    if f"{variant}-mean" not in set(rows["strategy"]):
        return None, "; mean-matched control not measured yet"
    means = averages(dataset_means(rows, metric)).drop("average", errors="ignore")
    gains = means[variant] - means[f"{variant}-mean"]
    return bool((gains > 0).all()), f"; over the mean-matched control {_signed(gains)}"


def _overall(variant: str) -> Callable[[Results], Finding]:
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


def _wins(variant: str, study: str) -> Callable[[Results], Finding]:
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
    rows = results.honest().rows("honest")
    names = {f"tuned-{variant}", "tuned-cs-81"}
    if not names <= set(rows["strategy"]):
        return None
    means = averages(dataset_means(rows)).drop("average", errors="ignore")
    return (means[f"tuned-{variant}"] - means["tuned-cs-81"]).dropna()


def _nested_beats_csl(results: Results, variant: str) -> bool | None:
    gains = _nested_gains(results, variant)
    return None if gains is None else bool((gains > 0).all())


def _tuned_beats_csl(variant: str) -> Callable[[Results], Finding]:
    def find(results: Results) -> Finding:
        means = averages(tuned_means(results)).drop("average", errors="ignore")
        gains, nested = means[variant] - means["cs"], _nested_gains(results, variant)
        after = "not measured yet" if nested is None else _signed(nested)
        ours = f"{_signed(gains)}; nested, with equal budgets: {after}"
        return Finding(
            verdict(bool((gains > 0).all()), nested=_nested_beats_csl(results, variant)), ours
        )

    return find


def _fewer_errors(variant: str) -> Callable[[Results], Finding]:
    def find(results: Results) -> Finding:
        changes = error_changes(results.rows("default")).xs(variant, level="variant")
        part = changes.loc[[c for c in ("lr", "svm", "xgb") if c in changes.index]]
        holds = (part["fp"] < 0) & (-part["fp"] > part["fn"])
        pairs = (f"{classifier_label(c)} {r.fp:+.0f}/{r.fn:+.0f}" for c, r in part.iterrows())
        return Finding(verdict(bool(holds.all())), "ΔFP/ΔFN: " + ", ".join(pairs))

    return find


def _fast(results: Results) -> Finding:
    rows = results.rows("default")
    rows = rows[rows["strategy"].isin(["cs", "neighbor", "gini"])]
    times = (rows["fit_time"] + rows["weight_time"]).groupby(rows["classifier"]).mean()
    slowest = times.idxmax()
    ours = f"slowest on average: {classifier_label(slowest)} with {times[slowest]:.3f} s"
    if "rf" not in times.index:
        return Finding(UNMEASURED, f"{ours}; no rows of RF")
    return Finding(verdict(bool((times < 1).all())), ours)


def _overhead_order(results: Results) -> Finding:
    rows = results.rows("default")
    times = 1000 * rows.groupby("strategy", observed=True)["weight_time"].mean()
    ours = f"estimation: neighbour {times['neighbor']:.2f} ms, Gini {times['gini']:.2f} ms"
    return Finding(verdict(times["gini"] < times["neighbor"]), ours)


def _svm_g_mean(results: Results) -> Finding:
    scores = dataset_means(results.rows("default"), "g_mean").loc["svm", "ncs"]
    zeros = int((scores == 0).sum())
    return Finding(verdict(zeros == 19), f"{zeros} of {len(scores)} sets")


def _rf_without_costs(results: Results) -> Finding:
    means = averages(dataset_means(results.rows("default"))).loc["rf"]
    ours = ", ".join(
        f"{STRATEGIES[s].label} {means[s]:.2f}" for s in ("ncs", "cs", "neighbor", "gini")
    )
    holds = means["ncs"] > means[["cs", "neighbor", "gini"]].max()
    return Finding(verdict(bool(holds)), ours)


def _unstable(results: Results) -> Finding:
    rows = results.rows("default")
    spread = rows.groupby(["classifier", "dataset", "strategy"], observed=True)["mcc"].std(ddof=0)
    means = spread.groupby("strategy", observed=True).mean()
    ours = ", ".join(f"{STRATEGIES[s].label} {means[s]:.4f}" for s in ("cs", "neighbor", "gini"))
    return Finding(verdict(bool(means["cs"] < means[["neighbor", "gini"]].min())), ours)


def _lowest_costs(results: Results) -> Finding:
    rows, shares, ties = results.rows("tuning"), [], []
    holds = True
    for variant in VARIANTS:
        chosen = choose_settings(rows[rows["strategy"] == f"grid-{variant}"])
        for cost, values in PAPER_GRID.items():
            counts = chosen.groupby("classifier", observed=True)[cost].value_counts().unstack()
            holds &= bool((counts.idxmax(axis=1) == values[0]).mean() > 0.5)
            shares.append(float((chosen[cost] == values[0]).mean()))
            ties.append(float(chosen["costs_tied"].str.contains(cost).mean()))
    ours = (
        f"the lowest value in {100 * np.mean(shares):.0f} % of all choices, of which "
        f"{100 * np.mean(ties):.0f} % were open after MCC, F1 and G-mean and fell to the tie-break"
    )
    return Finding(verdict(holds), ours)


def _beats_resampling(results: Results) -> Finding:
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
    rows = results.honest().rows("honest")
    if not {"tuned-neighbor", "smote"} <= set(rows["strategy"]):
        return None, "; nested not measured yet"
    means = averages(dataset_means(rows)).drop("average", errors="ignore").mean()
    best = means[[name for name in RESAMPLER_LABELS if name in means]]
    tuned = means[[f"tuned-{v}" for v in VARIANTS if f"tuned-{v}" in means]]
    text = f"; nested, one scaler: {tuned.max():.2f} against {best.max():.2f}"
    return bool(tuned.min() > best.max()), text


def _smote_best(results: Results) -> Finding:
    means = averages(dataset_means(results.rows("resampling")))[list(RESAMPLER_LABELS)].mean()
    order = means.sort_values(ascending=False)
    ours = ", ".join(f"{RESAMPLER_LABELS[s]} {order[s]:.2f}" for s in order.index[:3])
    return Finding(verdict(set(order.index[:2]) == {"smote", "smote-tomek"}), ours)


def _rf_prefers_smote(results: Results) -> Finding:
    samplers = averages(dataset_means(results.rows("resampling"))).loc["rf", list(RESAMPLER_LABELS)]
    tuned = averages(tuned_means(results)).loc["rf", list(VARIANTS)]
    ours = (
        f"{RESAMPLER_LABELS[samplers.idxmax()]} {samplers.max():.2f}, tuned iCost {tuned.max():.2f}"
    )
    return Finding(verdict(samplers.max() > tuned.max()), ours)


def _less_overhead(results: Results) -> Finding:
    """Compare what is added to a plain fit: preparation, and a longer or shorter fit."""
    sampled, plain = results.rows("resampling"), results.rows("default")
    added: dict[str, float] = {}
    for rows, names in ((sampled, list(RESAMPLER_LABELS)), (plain, list(VARIANTS))):
        time = rows.assign(time=rows["fit_time"] + rows["weight_time"])
        means = averages(dataset_means(time, "time"), 1000.0).drop("average", errors="ignore")
        added |= {name: float((means[name] - means["ncs"]).mean()) for name in names}
    ours = ", ".join(f"{STRATEGIES[name].label} {ms:+.1f} ms" for name, ms in added.items())
    samplers = [added[name] for name in RESAMPLER_LABELS]
    return Finding(verdict(max(added[v] for v in VARIANTS) < np.median(samplers) / 2), ours)


def _multiclass_smaller(results: Results) -> Finding:
    binary = averages(tuned_means(results)).drop("average", errors="ignore")
    multi = averages(multiclass_means(results)).drop("average", errors="ignore")
    pairs = {
        v: ((binary[v] - binary["cs"]).mean(), (multi[f"grid-{v}"] - multi["grid-cs"]).mean())
        for v in VARIANTS
    }
    ours = ", ".join(
        f"{VARIANTS[v]} binary {b:+.2f}, multiclass {m:+.2f}" for v, (b, m) in pairs.items()
    )
    return Finding(verdict(all(0 < m < b for b, m in pairs.values())), ours)


def _multiclass_gain(results: Results) -> Finding:
    means = averages(multiclass_means(results)).drop("average", errors="ignore").mean()
    labels = {"ncs": "no cost", "grid-cs": "CSL", "grid-neighbor": "Neighbor", "grid-gini": "Gini"}
    ours = ", ".join(f"{label} {means[name]:.2f}" for name, label in labels.items())
    holds = means["ncs"] < means["grid-cs"] < means[["grid-neighbor", "grid-gini"]].min()
    return Finding(verdict(bool(holds)), ours)


def _published_wins(table: str, variant: str) -> str:
    numbers = published()[table][variant].values()
    return "–".join(str(sum(row[k] for row in numbers)) for k in ("wins", "losses", "ties"))


def _premise(results: Results) -> Finding:
    """The premise itself, measured against weights that differ in nothing but whom they go to."""
    text, holds = [], []
    for variant, label in VARIANTS.items():
        better, note = _over_matched(results, variant)
        if better is None:
            return Finding(UNMEASURED, note.removeprefix("; "))
        holds.append(better)
        text.append(f"{label}{note}")
    return Finding(verdict(all(holds)), "; ".join(text))


CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            f"{variant}-beats-csl",
            f"{label} has a higher average MCC than CSL for all five classifiers.",
            ", ".join(
                f"{classifier_label(c)} {row[variant] - row['cs']:+.2f}"
                for c, row in published()["mcc"].items()
                if c != "average"
            ),
            ("default",),
            _beats_csl(variant, "mcc"),
        )
        for variant, label in VARIANTS.items()
    ),
    Claim(
        "premise",
        "Minority samples should be weighted by their difficulty rather than equally.",
        "argued from the above",
        (),
        _premise,
    ),
    Claim("neighbor-overall", "Neighbor-iCost improves the overall average MCC of CSL.",
          "53.89 → 55.36", ("default",), _overall("neighbor")),
    Claim("gini-overall", "Gini-iCost improves the overall average MCC of CSL.",
          "53.89 → 54.49", ("default",), _overall("gini")),
    Claim("neighbor-f1", "Neighbor-iCost has a higher average F1 than CSL for all classifiers.",
          "56.01 → 57.74 overall", ("default",), _beats_csl("neighbor", "f1")),
    *(
        Claim(
            f"{variant}-wins",
            f"{label} wins against CSL more often than it loses.",
            _published_wins("win-loss", variant),
            ("default",),
            _wins(variant, "default"),
        )
        for variant, label in VARIANTS.items()
    ),
    Claim("neighbor-errors", "False positives fall by more than false negatives rise (Neighbor).",
          "ΔFP/ΔFN: LR -3476/+282, SVM -1467/+131, XGBoost -412/+78", ("default",),
          _fewer_errors("neighbor")),
    Claim("gini-errors", "False positives fall by more than false negatives rise (Gini).",
          "ΔFP/ΔFN: LR -3394/+278, SVM -1178/+129, XGBoost -256/+46", ("default",),
          _fewer_errors("gini")),
    Claim("svm-g-mean", "Without costs, the G-mean of SVM is 0 on 19 of 65 sets.",
          "19 of 65 sets", ("default",), _svm_g_mean),
    Claim("rf-without-costs", "RF is best without any costs.",
          "NCS 54.56, CS 53.80, Neighbor-iCost 54.19, Gini-iCost 53.96", ("default",),
          _rf_without_costs),
    Claim("less-stable", "MCC varies slightly more over folds under iCost than under CSL.",
          "CS 0.1179, Neighbor-iCost 0.1267, Gini-iCost 0.1250", ("default",), _unstable),
    Claim("below-a-second", "A fit takes less than a second on average, even for RF.",
          "RF 0.30 s", ("default",), _fast),
    Claim("gini-cheaper", "Gini-iCost adds less time than Neighbor-iCost.",
          "0.0686 s against 0.0834 s a fit", ("default",), _overhead_order),
    *(
        Claim(
            f"tuned-{variant}-beats-csl",
            f"Tuned {label} has a higher average MCC than tuned CSL for all five classifiers.",
            ", ".join(
                f"{classifier_label(c)} {published()['tuned-win-loss'][variant][c]['delta']:+.2f}"
                for c in PAPER_CLASSIFIERS
            ),
            ("tuning",),
            _tuned_beats_csl(variant),
        )
        for variant, label in VARIANTS.items()
    ),
    *(
        Claim(
            f"tuned-{variant}-wins",
            f"Tuned {label} wins against tuned CSL far more often than it loses.",
            _published_wins("tuned-win-loss", variant),
            ("tuning",),
            _wins(variant, "tuning"),
        )
        for variant, label in VARIANTS.items()
    ),
    Claim("lowest-costs", "The lowest candidate costs are chosen most often.",
          "for most costs and classifiers", ("tuning",), _lowest_costs),
    Claim("beats-resampling", "Tuned iCost beats the best of nine resamplers on average.",
          "59.13 and 58.51 against 57.27 (SMOTE)", ("resampling", "tuning"), _beats_resampling),
    Claim("smote-best", "SMOTE and SMOTE-Tomek are the best resamplers on average.",
          "57.27 and 57.23", ("resampling",), _smote_best),
    Claim("rf-prefers-smote", "For RF, resampling is better than tuned iCost.",
          "SMOTE 60.03, iCost 57.41", ("resampling", "tuning"), _rf_prefers_smote),
    Claim("less-overhead", "iCost has far less computational overhead than resampling.",
          "no numbers given", ("resampling", "default"), _less_overhead),
    Claim("multiclass-gain", "On multiclass sets iCost beats tuned CSL, which beats no costs.",
          "70.94, 73.47, 73.88 and 73.71", ("multiclass",), _multiclass_gain),
    Claim("multiclass-smaller", "Gains on multiclass sets are smaller than on binary ones.",
          "+0.41 and +0.24 against +3.51 and +2.89", ("multiclass", "tuning"), _multiclass_smaller),
)  # fmt: skip
"""The paper's statements, in the order of its sections."""


def check_claims(results: Results) -> list[tuple[Claim, Finding]]:
    """Return all claims with what the rows say about them.

    Parameters
    ----------
    results : Results
        Rows of the studies.

    Returns
    -------
    list of (Claim, Finding)
        In the order of `CLAIMS`.

    Examples
    --------
    >>> from icost.experiments.claims import check_claims
    >>> from icost.experiments.evaluation import Results
    >>> {finding.verdict for _, finding in check_claims(Results("nowhere"))}
    {'not measured yet'}
    """
    return [(claim, claim.check(results)) for claim in CLAIMS]
