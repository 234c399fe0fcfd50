"""Verdicts: what holds, what holds only under the paper's conditions."""

import pandas as pd
import pytest

from icost.penalties import PAPER_GRID
from icost_reproduction._internals import RESAMPLER_LABELS
from icost_reproduction.claims import CLAIMS, check_claims, part_run
from icost_reproduction.evaluation import Results, with_metrics
from icost_reproduction.findings import (
    AGAINST,
    CONTRADICTED,
    HOLDS,
    LEGEND,
    NOT_COMPARABLE,
    UNMEASURED,
    VERDICTS,
    WITHIN_NOISE,
    Contrast,
    contrast,
    judge,
)
from icost_reproduction.plan import load_plan
from icost_reproduction.rows import to_table
from icost_reproduction.runner import run_plan
from icost_reproduction.study_tables import VERDICT_NOTE

GOOD, MIDDLE, BAD = [8, 0, 0, 2], [8, 0, 1, 1], [4, 4, 1, 1]


def study(**strategies):
    rows = [
        {
            "dataset": "a",
            "classifier": classifier,
            "strategy": strategy.replace("_", "-"),
            "setting": 0,
            "repeat": 0,
            "fold": fold,
            "n_classes": 2,
            "confusion": matrix,
            "fit_time": 0.1,
            "weight_time": 0.01,
        }
        for strategy, matrix in strategies.items()
        for classifier in ("lr", "svm", "dt", "rf", "xgb")
        for fold in (0, 1)
    ]
    return with_metrics(to_table(rows).to_pandas())


class HandMade(Results):
    def __init__(self, honest=None, controls=None, **studies):
        super().__init__("nowhere")
        self._rows = studies
        self._honest = {"honest": honest, "controls": controls}

    def under(self, profile):
        results = HandMade()
        results._rows = {k: study() if v is None else v for k, v in self._honest.items()}
        return results


def find(results, name):
    return next(claim for claim in CLAIMS if claim.name == name).check(results)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([(2, 1, 3)], HOLDS),
        ([(2, 1, 3), (1, -1, 3)], WITHIN_NOISE),
        ([(2, 1, 3), (-3, -7, 1)], AGAINST),
        ([(2, 1, 3), (-1, -2, -0.5)], CONTRADICTED),
        ([(0, 0, 0)], WITHIN_NOISE),
    ],
)
def test_verdicts_go_by_intervals(ends, expected):
    assert judge(Contrast(*interval, 0, 0) for interval in ends) == expected


def test_every_verdict_has_one_definition_in_the_legend():
    assert set(LEGEND) == {HOLDS, WITHIN_NOISE, CONTRADICTED, NOT_COMPARABLE}
    for word in VERDICTS[:-1]:
        assert VERDICT_NOTE.count(f"'{word}'") == 1


def test_a_difference_has_both_intervals():
    names = ["yeast1", "yeast2", "yeast3", "glass1"]
    index = pd.Index(names, name="dataset")
    value = contrast(pd.Series([1.0, 1.1, 0.9, -2.0], index=index))
    assert str(value).startswith("+0.25 [-1.")
    # Two families: either alone, or both.
    assert (value.family_low, value.family_high) == pytest.approx((-2.0, 1.0))


def test_nothing_is_measured_without_rows():
    findings = check_claims(Results("nowhere"))
    assert {found.verdict for _, found in findings} == {UNMEASURED}
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


def test_a_gain_over_class_level_costs_holds():
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD)
    results = HandMade(default=default)
    assert find(results, "neighbor-beats-csl").verdict == HOLDS
    assert find(results, "gini-beats-csl").verdict == CONTRADICTED
    assert "same-total control not measured yet" in find(results, "neighbor-beats-csl").ours


@pytest.mark.parametrize("claim", ["neighbor-beats-csl", "neighbor-overall", "neighbor-wins"])
@pytest.mark.parametrize(("control", "expected"), [(GOOD, WITHIN_NOISE), (MIDDLE, HOLDS)])
def test_a_gain_that_uniform_weights_have_too_does_not_hold_beside_the_control(
    claim, control, expected
):
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD, neighbor_mean=control)
    found = find(HandMade(default=default), claim)
    assert (found.verdict, found.control) == (HOLDS, expected)


def only(rows, classifier, dataset="a"):
    return rows[rows["classifier"] == classifier].assign(dataset=dataset)


def test_each_claim_is_held_against_the_control_by_its_own_criterion():
    # Worse than the control for one classifier of five: still better on average, and by wins.
    better = study(cs=BAD, neighbor=GOOD, neighbor_mean=MIDDLE)
    worse = study(cs=BAD, neighbor=MIDDLE, neighbor_mean=GOOD)
    default = pd.concat([better[better["classifier"] != "dt"], only(worse, "dt")])
    results = HandMade(default=default)
    assert find(results, "neighbor-beats-csl").control == CONTRADICTED
    assert find(results, "neighbor-overall").control == HOLDS
    assert find(results, "neighbor-wins").control == HOLDS
    wins = find(results, "neighbor-wins").ours
    assert "control 4–1–0 of 5 pairs, " in wins and "; so far 0 of 325 " in wins
    assert wins.endswith("of the study 'default' are complete")


def test_a_loss_within_the_noise_cannot_be_told():
    better, worse = study(cs=MIDDLE, neighbor=GOOD), study(cs=GOOD, neighbor=MIDDLE)
    noise = [only(better, "dt", "b"), only(worse, "dt", "c"), only(worse, "dt", "d")]
    default = pd.concat([better[better["classifier"] != "dt"], *noise])
    assert find(HandMade(default=default), "neighbor-beats-csl").verdict == WITHIN_NOISE
    surely = [only(worse, "dt", name) for name in "bcd"]
    default = pd.concat([better[better["classifier"] != "dt"], *surely])
    assert find(HandMade(default=default), "neighbor-beats-csl").verdict == CONTRADICTED


@pytest.mark.parametrize("claim", ["tuned-neighbor-beats-csl", "tuned-neighbor-wins"])
@pytest.mark.parametrize(
    ("csl", "csl_81", "expected"),
    [(GOOD, GOOD, CONTRADICTED), (BAD, GOOD, CONTRADICTED), (BAD, BAD, HOLDS)],
)
def test_a_gain_that_nesting_or_equal_budgets_take_away(claim, csl, csl_81, expected):
    tuning = study(cs=BAD, tuned_cs=MIDDLE, tuned_neighbor=GOOD, tuned_gini=GOOD)
    nested = study(tuned_cs=csl, tuned_cs_81=csl_81, tuned_neighbor=MIDDLE)
    found = find(HandMade(nested, tuning=tuning), claim)
    assert (found.verdict, found.control) == (HOLDS, expected)


@pytest.mark.parametrize(
    ("dt", "expected"),
    [([GOOD, BAD], HOLDS), ([BAD, GOOD], CONTRADICTED), ([GOOD, GOOD], WITHIN_NOISE)],
)
def test_the_premise_is_judged_by_intervals(dt, expected):
    means = {"neighbor_mean": BAD, "gini_mean": BAD}
    others = study(neighbor=GOOD, gini=GOOD, **means)
    one, other = dt
    tree = study(neighbor=one, gini=GOOD, neighbor_mean=other, gini_mean=BAD)
    rows = pd.concat([others[others["classifier"] != "dt"], only(tree, "dt")])
    assert find(HandMade(controls=rows), "premise").verdict == expected


def grid_study(variant, settings):
    """Rows of a grid, from a matrix by (cfp, cfs, cfb, cfo) for each dataset."""
    parts = []
    for dataset, choices in settings.items():
        for setting, (costs, matrix) in enumerate(choices.items()):
            named = dict(zip(("cfp", "cfs", "cfb", "cfo"), costs, strict=True))
            rows = study(**{f"grid_{variant}": matrix})
            parts.append(rows.assign(dataset=dataset, setting=setting, **named))
    return pd.concat(parts)


def test_ties_are_counted_among_the_lowest_choices_only():
    low, high = [[PAPER_GRID[n][i] for n in ("cfp", "cfs", "cfb", "cfo")] for i in (0, 1)]
    part = (*low[:3], high[3])
    # Set a: all costs are the lowest, cfo by the tie-break. Set b: none is, and none was open.
    settings = {"a": {tuple(low): GOOD, part: GOOD}, "b": {tuple(low): BAD, tuple(high): GOOD}}
    tuning = pd.concat([grid_study(variant, settings) for variant in ("neighbor", "gini")])
    found = find(HandMade(tuning=tuning), "lowest-costs").ours
    assert "lowest value in 50 % of all choices, of which 25 % were open" in found


def test_a_part_of_a_study_is_told():
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD)
    assert "so far 0 of 325 pairs" in find(HandMade(default=default), "neighbor-beats-csl").ours


def test_unlike_scalers_are_not_comparable_and_one_scaler_is():
    everything = {"tuned_neighbor": GOOD, "tuned_gini": GOOD, "smote": MIDDLE}
    complete, sampler = study(**everything), study(smote=BAD)
    # Without tuned rows of its own, XGBoost would pull down the sampler's average alone.
    honest = pd.concat(
        [complete[complete["classifier"] != "xgb"], sampler[sampler["classifier"] == "xgb"]]
    )
    tuning = study(tuned_cs=MIDDLE, tuned_neighbor=GOOD, tuned_gini=GOOD)
    resampling = study(**{name.replace("-", "_"): BAD for name in RESAMPLER_LABELS})
    found = find(HandMade(honest, tuning=tuning, resampling=resampling), "beats-resampling")
    assert (found.verdict, found.control) == (NOT_COMPARABLE, HOLDS)
    gain = 100 * (1 - study(smote=MIDDLE)["mcc"].mean())
    assert f"nested, one scaler, over SMOTE: Neighbor-iCost {gain:+.2f}" in found.ours


def test_every_statement_on_the_best_variant_has_a_verdict():
    names = {claim.name for claim in CLAIMS}
    assert {"gini-f1", "best-of-table-15", "best-of-table-16", "high-border-costs"} <= names
    tuned = {"tuned_cs": BAD, "tuned_neighbor": MIDDLE, "tuned_gini": GOOD, "ncs": BAD}
    results = HandMade(multiclass=study(**tuned))
    # Gini-iCost is best throughout here, also for LR.
    assert find(results, "best-of-table-16").verdict == CONTRADICTED
    others = study(**tuned).query("classifier != 'lr'")
    linear = study(**tuned | {"tuned_neighbor": GOOD, "tuned_gini": MIDDLE}).query(
        "classifier == 'lr'"
    )
    results = HandMade(multiclass=pd.concat([others, linear]))
    assert find(results, "best-of-table-16").verdict == HOLDS


def test_times_of_another_kernel_are_not_comparable():
    default = study(cs=MIDDLE, neighbor=GOOD, gini=GOOD)
    assert find(HandMade(default=default), "gini-cheaper").verdict == NOT_COMPARABLE


def test_a_pair_is_complete_with_all_its_strategies_and_folds(tmp_path):
    plan = load_plan("default", "published")
    few = plan.select(datasets=["glass2"], classifiers=["dt"])
    results = Results(tmp_path)
    run_plan(few.select(strategies=["ncs", "cs", "neighbor"]), results.study_folder("default"))
    assert part_run(results, "default").startswith("so far 0 of 325 pairs")
    run_plan(few, results.study_folder("default"))
    assert part_run(Results(tmp_path), "default").startswith("so far 1 of 325 pairs")
