"""The paper's statements, each with our number and a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from icost.experiments.evaluation import Results, published
from icost.experiments.findings import (
    UNMEASURED,
    Finding,
    beats_csl,
    beats_resampling,
    fast,
    fewer_errors,
    less_overhead,
    lowest_costs,
    multiclass_gain,
    multiclass_smaller,
    overall,
    overhead_order,
    premise,
    rf_prefers_smote,
    rf_without_costs,
    smote_best,
    svm_g_mean,
    tuned_beats_csl,
    tuned_wins,
    unstable,
    wins,
)
from icost.experiments.paper_tables import VARIANTS, classifier_label
from icost.experiments.plan import list_plans, load_plan
from icost.strategies.classifiers import PAPER_CLASSIFIERS
from icost.strategies.registry import STRATEGIES


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
        partial = [note for study in self.studies if (note := part_run(results, study))]
        return Finding(found.verdict, "; ".join([found.ours, *partial]))


def part_run(results: Results, study: str) -> str:
    """Say how much of a study was run, if not all of it.

    Averages over a part of the datasets are not comparable with the paper's, nor classifiers with
    each other.

    Parameters
    ----------
    results : Results
        Rows.
    study : str
        Name of a shipped plan; of another, nothing is said.

    Returns
    -------
    str
        Empty if all was run.

    Examples
    --------
    >>> from icost.experiments.claims import part_run
    >>> from icost.experiments.evaluation import Results
    >>> part_run(Results("nowhere"), "default")
    "so far 0 of 325 pairs of dataset and classifier of the study 'default' are complete"
    """
    if study not in list_plans():
        return ""
    return results.once(("part", study), lambda: _part_run(results, study))


def _part_run(results: Results, study: str) -> str:
    plan = load_plan(study, results.profile)
    rows = pd.concat(results.environments(study).values())
    shared = [name for name in plan.strategies if not _brings_its_own(name)]
    wanted = {"classifier": plan.classifiers, "dataset": plan.datasets, "strategy": shared}
    rows = rows[np.logical_and.reduce([rows[name].isin(values) for name, values in wanted.items()])]
    trials = rows[[*wanted, "repeat", "fold"]].drop_duplicates()
    n_trials = len(shared) * plan.protocol.n_repeats * len(plan.folds())
    done = int((trials.groupby(["dataset", "classifier"]).size() >= n_trials).sum())
    if done >= plan.n_pairs:
        return ""
    pairs = f"{done} of {plan.n_pairs} pairs of dataset and classifier"
    return f"so far {pairs} of the study {study!r} are complete"


def _brings_its_own(strategy: str) -> bool:
    return strategy in STRATEGIES and STRATEGIES[strategy].own_classifier


def _published_wins(table: str, variant: str) -> str:
    numbers = published()[table][variant].values()
    return "–".join(str(sum(row[k] for row in numbers)) for k in ("wins", "losses", "ties"))


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
            beats_csl(variant, "mcc"),
        )
        for variant, label in VARIANTS.items()
    ),
    Claim(
        "premise",
        "Minority samples should be weighted by their difficulty rather than equally.",
        "argued from the above",
        (),
        premise,
    ),
    Claim("neighbor-overall", "Neighbor-iCost improves the overall average MCC of CSL.",
          "53.89 → 55.36", ("default",), overall("neighbor")),
    Claim("gini-overall", "Gini-iCost improves the overall average MCC of CSL.",
          "53.89 → 54.49", ("default",), overall("gini")),
    Claim("neighbor-f1", "Neighbor-iCost has a higher average F1 than CSL for all classifiers.",
          "56.01 → 57.74 overall", ("default",), beats_csl("neighbor", "f1")),
    *(
        Claim(
            f"{variant}-wins",
            f"{label} wins against CSL more often than it loses.",
            _published_wins("win-loss", variant),
            ("default",),
            wins(variant),
        )
        for variant, label in VARIANTS.items()
    ),
    Claim("neighbor-errors",
          "False positives fall by more than false negatives rise (Neighbor; LR, SVM, XGBoost).",
          "ΔFP/ΔFN: LR -3476/+282, SVM -1467/+131, XGBoost -412/+78", ("default",),
          fewer_errors("neighbor")),
    Claim("gini-errors",
          "False positives fall by more than false negatives rise (Gini; LR, SVM, XGBoost).",
          "ΔFP/ΔFN: LR -3394/+278, SVM -1178/+129, XGBoost -256/+46", ("default",),
          fewer_errors("gini")),
    Claim("svm-g-mean", "Without costs, the G-mean of SVM is 0 on 19 of 65 sets.",
          "19 of 65 sets", ("default",), svm_g_mean),
    Claim("rf-without-costs", "RF is best without any costs.",
          "NCS 54.56, CS 53.80, Neighbor-iCost 54.19, Gini-iCost 53.96", ("default",),
          rf_without_costs),
    Claim("less-stable", "MCC varies slightly more over folds under iCost than under CSL.",
          "CS 0.1179, Neighbor-iCost 0.1267, Gini-iCost 0.1250", ("default",), unstable),
    Claim("below-a-second", "A fit takes less than a second on average, even for RF.",
          "RF 0.30 s", ("default",), fast),
    Claim("gini-cheaper", "Gini-iCost adds less time than Neighbor-iCost.",
          "0.0686 s against 0.0834 s a fit", ("default",), overhead_order),
    *(
        Claim(
            f"tuned-{variant}-beats-csl",
            f"Tuned {label} has a higher average MCC than tuned CSL for all five classifiers.",
            ", ".join(
                f"{classifier_label(c)} {published()['tuned-win-loss'][variant][c]['delta']:+.2f}"
                for c in PAPER_CLASSIFIERS
            ),
            ("tuning",),
            tuned_beats_csl(variant),
        )
        for variant, label in VARIANTS.items()
    ),
    *(
        Claim(
            f"tuned-{variant}-wins",
            f"Tuned {label} wins against tuned CSL far more often than it loses.",
            _published_wins("tuned-win-loss", variant),
            ("tuning",),
            tuned_wins(variant),
        )
        for variant, label in VARIANTS.items()
    ),
    Claim("lowest-costs", "The lowest candidate costs are chosen most often.",
          "for most costs and classifiers", ("tuning",), lowest_costs),
    Claim("beats-resampling", "Tuned iCost beats the best of nine resamplers on average.",
          "59.13 and 58.51 against 57.27 (SMOTE)", ("resampling", "tuning"), beats_resampling),
    Claim("smote-best", "SMOTE and SMOTE-Tomek are the best resamplers on average.",
          "57.27 and 57.23", ("resampling",), smote_best),
    Claim("rf-prefers-smote", "For RF, resampling is better than tuned iCost.",
          "SMOTE 60.03, iCost 57.41", ("resampling", "tuning"), rf_prefers_smote),
    Claim("less-overhead", "iCost has far less computational overhead than resampling.",
          "no numbers given", ("resampling", "default"), less_overhead),
    Claim("multiclass-gain", "On multiclass sets iCost beats tuned CSL, which beats no costs.",
          "70.94, 73.47, 73.88 and 73.71", ("multiclass",), multiclass_gain),
    Claim("multiclass-smaller", "Gains on multiclass sets are smaller than on binary ones.",
          "+0.41 and +0.24 against +3.51 and +2.89", ("multiclass", "tuning"), multiclass_smaller),
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
    # Studies that the paper lacks are run under a profile of their own; the paper's are not.
    if results.profile == "honest" and results.rows("default").empty:
        results = results.under("published")
    return results.once("claims", lambda: [(claim, claim.check(results)) for claim in CLAIMS])
