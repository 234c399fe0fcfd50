"""Verdicts: what holds, what holds only under the paper's conditions."""

import pytest

from icost.experiments.claims import CLAIMS, check_claims
from icost.experiments.evaluation import Results, with_metrics
from icost.experiments.findings import FAILS, HOLDS, UNMATCHED, UNMEASURED, UNNESTED, verdict
from icost.experiments.rows import to_table

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
    def __init__(self, honest=None, **studies):
        super().__init__("nowhere")
        self._rows = studies
        self._honest = honest

    def under(self, profile):
        results = HandMade()
        results._rows = {"honest": self._honest if self._honest is not None else study()}
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
    assert "mean-matched control not measured yet" in find(results, "neighbor-beats-csl").ours


def test_a_gain_that_uniform_weights_have_too_is_unmatched():
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD)
    control = study(neighbor=GOOD, neighbor_mean=GOOD)
    assert find(HandMade(control, default=default), "neighbor-beats-csl").verdict == UNMATCHED
    control = study(neighbor=GOOD, neighbor_mean=MIDDLE)
    assert find(HandMade(control, default=default), "neighbor-beats-csl").verdict == HOLDS


def test_a_gain_that_nesting_takes_away():
    tuning = study(cs=BAD, tuned_cs=MIDDLE, tuned_neighbor=GOOD, tuned_gini=GOOD)
    nested = study(tuned_cs_81=GOOD, tuned_neighbor=MIDDLE)
    assert find(HandMade(nested, tuning=tuning), "tuned-neighbor-beats-csl").verdict == UNNESTED
    nested = study(tuned_cs_81=MIDDLE, tuned_neighbor=GOOD)
    assert find(HandMade(nested, tuning=tuning), "tuned-neighbor-beats-csl").verdict == HOLDS


def test_a_part_of_a_study_is_told():
    default = study(ncs=BAD, cs=MIDDLE, neighbor=GOOD, gini=BAD)
    assert "so far 0 of 325 pairs" in find(HandMade(default=default), "neighbor-beats-csl").ours
