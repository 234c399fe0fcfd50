"""Verdicts: what holds, what holds only under the paper's conditions."""

import pandas as pd
import pytest

from icost.penalties import PAPER_GRID
from icost_reproduction.claims import CLAIMS, check_claims, part_run
from icost_reproduction.evaluation import Results, with_metrics
from icost_reproduction.findings import (
    FAILS,
    HOLDS,
    UNMATCHED,
    UNMEASURED,
    UNNESTED,
    WITHIN_NOISE,
    _nested_beats_resampling,
    verdict,
)
from icost_reproduction.plan import load_plan
from icost_reproduction.rows import to_table
from icost_reproduction.runner import run_plan

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
    ("facts", "expected"),
    [
        ({"holds": True}, HOLDS),
        ({"holds": False}, FAILS),
        ({"holds": False, "nested": True, "matched": True}, FAILS),
        ({"holds": True, "nested": False}, UNNESTED),
        ({"holds": True, "matched": False}, UNMATCHED),
        ({"holds": True, "nested": True, "matched": True}, HOLDS),
        ({"holds": True, "nested": None, "matched": None}, HOLDS),
    ],
)
def test_verdicts(facts, expected):
    assert verdict(**facts) == expected


def test_nothing_is_measured_without_rows():
    findings = check_claims(Results("nowhere"))
    assert {found.verdict for _, found in findings} == {UNMEASURED}
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


def test_a_gain_over_class_level_costs_holds():
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD)
    results = HandMade(default=default)
    assert find(results, "neighbor-beats-csl").verdict == HOLDS
    assert find(results, "gini-beats-csl").verdict == FAILS
    assert "same-total control not measured yet" in find(results, "neighbor-beats-csl").ours


@pytest.mark.parametrize("claim", ["neighbor-beats-csl", "neighbor-overall", "neighbor-wins"])
@pytest.mark.parametrize(("control", "expected"), [(GOOD, UNMATCHED), (MIDDLE, HOLDS)])
def test_a_gain_that_uniform_weights_have_too_is_unmatched(claim, control, expected):
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD, neighbor_mean=control)
    assert find(HandMade(default=default), claim).verdict == expected


def only(rows, classifier, dataset="a"):
    return rows[rows["classifier"] == classifier].assign(dataset=dataset)


def test_each_claim_is_held_against_the_control_by_its_own_criterion():
    # Worse than the control for one classifier of five: still better on average, and by wins.
    better = study(cs=BAD, neighbor=GOOD, neighbor_mean=MIDDLE)
    worse = study(cs=BAD, neighbor=MIDDLE, neighbor_mean=GOOD)
    default = pd.concat([better[better["classifier"] != "dt"], only(worse, "dt")])
    results = HandMade(default=default)
    assert find(results, "neighbor-beats-csl").verdict == UNMATCHED
    assert find(results, "neighbor-overall").verdict == HOLDS
    assert find(results, "neighbor-wins").verdict == HOLDS
    wins = find(results, "neighbor-wins").ours
    assert "control 4–1–0 of 5 pairs; so far 0 of 325 " in wins
    assert wins.endswith("of the study 'default' are complete")


def test_a_loss_within_the_noise_cannot_be_told():
    better, worse = study(cs=MIDDLE, neighbor=GOOD), study(cs=GOOD, neighbor=MIDDLE)
    noise = [only(better, "dt", "b"), only(worse, "dt", "c"), only(worse, "dt", "d")]
    default = pd.concat([better[better["classifier"] != "dt"], *noise])
    assert find(HandMade(default=default), "neighbor-beats-csl").verdict == WITHIN_NOISE
    surely = [only(worse, "dt", name) for name in "bcd"]
    default = pd.concat([better[better["classifier"] != "dt"], *surely])
    assert find(HandMade(default=default), "neighbor-beats-csl").verdict == FAILS


@pytest.mark.parametrize("claim", ["tuned-neighbor-beats-csl", "tuned-neighbor-wins"])
@pytest.mark.parametrize(
    ("csl", "csl_81", "expected"),
    [(GOOD, GOOD, UNNESTED), (BAD, GOOD, UNMATCHED), (BAD, BAD, HOLDS)],
)
def test_a_gain_that_nesting_or_equal_budgets_take_away(claim, csl, csl_81, expected):
    tuning = study(cs=BAD, tuned_cs=MIDDLE, tuned_neighbor=GOOD, tuned_gini=GOOD)
    nested = study(tuned_cs=csl, tuned_cs_81=csl_81, tuned_neighbor=MIDDLE)
    assert find(HandMade(nested, tuning=tuning), claim).verdict == expected


@pytest.mark.parametrize(
    ("dt", "expected"), [([GOOD, BAD], HOLDS), ([BAD, GOOD], FAILS), ([GOOD, GOOD], WITHIN_NOISE)]
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


def test_nested_tuning_is_compared_on_the_classifiers_that_have_all():
    everything = {"tuned_neighbor": GOOD, "tuned_gini": GOOD, "smote": MIDDLE}
    complete, sampler = study(**everything), study(smote=BAD)
    # Without tuned rows of its own, XGBoost would pull down the sampler's average alone.
    honest = pd.concat(
        [complete[complete["classifier"] != "xgb"], sampler[sampler["classifier"] == "xgb"]]
    )
    _, note = _nested_beats_resampling(HandMade(honest))
    expected = 100 * study(smote=MIDDLE)["mcc"].mean()
    assert note.endswith(f"100.00 against {expected:.2f}")


def test_a_pair_is_complete_with_all_its_strategies_and_folds(tmp_path):
    plan = load_plan("default", "published")
    few = plan.select(datasets=["glass2"], classifiers=["dt"])
    results = Results(tmp_path)
    run_plan(few.select(strategies=["ncs", "cs", "neighbor"]), results.study_folder("default"))
    assert part_run(results, "default").startswith("so far 0 of 325 pairs")
    run_plan(few, results.study_folder("default"))
    assert part_run(Results(tmp_path), "default").startswith("so far 1 of 325 pairs")
