"""The paper's statements, each with our number and a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

import icost_reproduction.findings as checks
from icost_reproduction.evaluation import Results, once, published
from icost_reproduction.findings import UNMEASURED, Finding, signed
from icost_reproduction.paper_tables import VARIANTS
from icost_reproduction.plan import has_own_classifier, list_plans, load_plan


@dataclass(frozen=True)
class Claim:
    """A statement of the paper: its numbers, the studies it needs, and how to check it."""

    name: str
    statement: str
    published: str
    studies: tuple[str, ...]
    find: Callable[[Results], Finding]

    def check(self, results: Results) -> Finding:
        """Return what the rows say about the statement, `UNMEASURED` where rows are missing."""
        missing = [study for study in self.studies if results.rows(study).empty]
        if missing:
            return Finding(UNMEASURED, f"no rows of the study {missing[0]!r}")
        try:
            finding = self.find(results)
        except KeyError as error:
            return Finding(UNMEASURED, f"no rows of {error}")
        notes = [note for study in self.studies if (note := part_run(results, study))]
        return replace(finding, ours="; ".join([finding.ours, *notes]))


@once
def part_run(results: Results, study: str) -> str:
    """Say how much of a shipped study was run, if not all of it; of other plans nothing is said.

    Averages over a part of the datasets are not comparable with the paper's, nor classifiers with
    each other.
    """
    if study not in list_plans():
        return ""
    plan = load_plan(study, results.profile)
    rows = pd.concat(results.environments(study).values())
    shared = [name for name in plan.strategies if not has_own_classifier(name)]
    wanted = {"classifier": plan.classifiers, "dataset": plan.datasets, "strategy": shared}
    rows = rows[np.logical_and.reduce([rows[name].isin(values) for name, values in wanted.items()])]
    trials = rows[[*wanted, "repeat", "fold"]].drop_duplicates()
    n_trials = len(shared) * plan.protocol.n_repeats * len(plan.folds())
    done = int((trials.groupby(["dataset", "classifier"]).size() >= n_trials).sum())
    if done >= plan.n_pairs:
        return ""
    pairs = f"{done} of {plan.n_pairs} pairs of dataset and classifier"
    return f"so far {pairs} of the study {study!r} are complete"


def _published_wins(table: str, variant: str) -> str:
    numbers = published()[table][variant].values()
    return "–".join(str(sum(row[k] for row in numbers)) for k in ("wins", "losses", "ties"))


def _published_gains(variant: str) -> str:
    rows = {c: row for c, row in published()["mcc"].items() if c != "average"}
    return signed({c: row[variant] - row["cs"] for c, row in rows.items()})


def _published_tuned_gains(variant: str) -> str:
    rows = published()["tuned-win-loss"][variant]
    return signed({c: row["delta"] for c, row in rows.items()})


CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(f"{variant}-beats-csl",
              f"{label} has a higher average MCC than CSL for all five classifiers.",
              _published_gains(variant), ("default",),
              partial(checks.beats_csl, variant=variant, metric="mcc"))
        for variant, label in VARIANTS.items()
    ),
    Claim("premise",
          "Minority samples should be weighted by their difficulty rather than equally.",
          "argued from the above", (), checks.premise),
    Claim("neighbor-overall", "Neighbor-iCost improves the overall average MCC of CSL.",
          "53.89 → 55.36", ("default",), partial(checks.overall, variant="neighbor")),
    Claim("gini-overall", "Gini-iCost improves the overall average MCC of CSL.",
          "53.89 → 54.49", ("default",), partial(checks.overall, variant="gini")),
    *(
        Claim(f"{variant}-f1", f"{label} has a higher average F1 than CSL for all classifiers.",
              f"56.01 → {average} overall", ("default",),
              partial(checks.beats_csl, variant=variant, metric="f1"))
        for (variant, label), average in zip(VARIANTS.items(), ("57.74", "56.77"), strict=True)
    ),
    *(
        Claim(f"{variant}-wins", f"{label} wins against CSL more often than it loses.",
              _published_wins("win-loss", variant), ("default",),
              partial(checks.wins, variant=variant))
        for variant, label in VARIANTS.items()
    ),
    Claim("neighbor-errors",
          "False positives fall by more than false negatives rise (Neighbor; LR, SVM, XGBoost).",
          "ΔFP/ΔFN: LR -3476/+282, SVM -1467/+131, XGBoost -412/+78", ("default",),
          partial(checks.fewer_errors, variant="neighbor")),
    Claim("gini-errors",
          "False positives fall by more than false negatives rise (Gini; LR, SVM, XGBoost).",
          "ΔFP/ΔFN: LR -3394/+278, SVM -1178/+129, XGBoost -256/+46", ("default",),
          partial(checks.fewer_errors, variant="gini")),
    Claim("svm-g-mean", "Without costs, the G-mean of SVM is 0 on 19 of 65 sets.",
          "19 of 65 sets", ("default",), checks.svm_g_mean),
    Claim("rf-without-costs", "RF is best without any costs.",
          "NCS 54.56, CS 53.80, Neighbor-iCost 54.19, Gini-iCost 53.96", ("default",),
          checks.rf_without_costs),
    Claim("less-stable", "MCC varies slightly more over folds under iCost than under CSL.",
          "CS 0.1179, Neighbor-iCost 0.1267, Gini-iCost 0.1250", ("default",), checks.unstable),
    Claim("below-a-second", "A fit takes less than a second on average, even for RF.",
          "RF 0.30 s", ("default",), checks.fast),
    Claim("gini-cheaper", "Gini-iCost adds less time than Neighbor-iCost.",
          "0.0686 s against 0.0834 s a fit", ("default",), checks.overhead_order),
    *(
        Claim(f"tuned-{variant}-beats-csl",
              f"Tuned {label} has a higher average MCC than tuned CSL for all five classifiers.",
              _published_tuned_gains(variant), ("tuning",),
              partial(checks.tuned_beats_csl, variant=variant))
        for variant, label in VARIANTS.items()
    ),
    *(
        Claim(f"tuned-{variant}-wins",
              f"Tuned {label} wins against tuned CSL far more often than it loses.",
              _published_wins("tuned-win-loss", variant), ("tuning",),
              partial(checks.tuned_wins, variant=variant))
        for variant, label in VARIANTS.items()
    ),
    Claim("lowest-costs", "The lowest candidate costs are chosen most often.",
          "for most costs and classifiers", ("tuning",), checks.lowest_costs),
    Claim("high-border-costs", "DT and XGBoost choose a higher cfb more often than LR and SVM.",
          "Neighbor: DT 32, XGBoost 30, LR 25, SVM 8 of 65; Gini: 25, 30, 23, 15", ("tuning",),
          checks.high_border_costs),
    Claim("best-of-table-15",
          "Of all in Table 15, Neighbor-iCost is best for LR and DT, Gini-iCost for SVM and "
          "XGBoost.", "LR 54.93, DT 57.60; SVM 62.39, XGBoost 63.54", ("resampling", "tuning"),
          partial(checks.best_variant, multiclass=False,
                  expected={"lr": "neighbor", "dt": "neighbor", "svm": "gini", "xgb": "gini"})),
    Claim("best-of-table-16",
          "On multiclass sets Gini-iCost is best for all classifiers but LR, for which "
          "Neighbor-iCost is.", "LR 65.42; SVM 72.98, DT 71.85, RF 79.49, XGBoost 80.02",
          ("multiclass",),
          partial(checks.best_variant, multiclass=True,
                  expected={"lr": "neighbor", "svm": "gini", "dt": "gini", "rf": "gini",
                            "xgb": "gini"})),
    Claim("beats-resampling", "Tuned iCost beats the best of nine resamplers on average.",
          "59.13 and 58.51 against 57.27 (SMOTE)", ("resampling", "tuning"),
          checks.beats_resampling),
    Claim("smote-best", "SMOTE and SMOTE-Tomek are the best resamplers on average.",
          "57.27 and 57.23", ("resampling",), checks.smote_best),
    Claim("rf-prefers-smote", "For RF, resampling is better than tuned iCost.",
          "SMOTE 60.03, iCost 57.41", ("resampling", "tuning"), checks.rf_prefers_smote),
    Claim("less-overhead", "iCost has far less computational overhead than resampling.",
          "no numbers given", ("resampling", "default"), checks.less_overhead),
    Claim("multiclass-gain", "On multiclass sets iCost beats tuned CSL, which beats no costs.",
          "70.94, 73.47, 73.88 and 73.71", ("multiclass",), checks.multiclass_gain),
    Claim("multiclass-smaller", "Gains on multiclass sets are smaller than on binary ones.",
          "+0.41 and +0.24 against +3.51 and +2.89", ("multiclass", "tuning"),
          checks.multiclass_smaller),
)  # fmt: skip
"""The paper's statements, in the order of its sections."""


def check_claims(results: Results) -> list[tuple[Claim, Finding]]:
    """Return all claims, in the order of `CLAIMS`, with what the rows say about them."""
    # Studies that the paper lacks are run under a profile of their own; the paper's are not.
    if results.profile == "honest" and results.rows("default").empty:
        results = results.under("published")
    return _check_claims(results)


@once
def _check_claims(results: Results) -> list[tuple[Claim, Finding]]:
    return [(claim, claim.check(results)) for claim in CLAIMS]
