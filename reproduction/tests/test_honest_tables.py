"""Tables of the honest study, also of one that is not complete."""

import itertools

import numpy as np
import pandas as pd

from icost_reproduction.evaluation import Results
from icost_reproduction.honest_tables import controls, controls_by_source, ranks
from icost_reproduction.rank_tests import source_of


class Some(Results):
    """Rows of two classifiers, of which one has not been run with all strategies."""

    def __init__(self):
        super().__init__("nowhere")

    def rows(self, study):
        rng = np.random.default_rng(0)
        strategies = ("cs", "neighbor", "neighbor-mean", "tuned-cs")
        rows = [
            {"dataset": f"d{number}", "classifier": c, "strategy": s, "mcc": rng.random()}
            for c, s, number in itertools.product(("lr", "xgb"), strategies, range(8))
            if (c, s) != ("xgb", "tuned-cs")
        ]
        return pd.DataFrame(rows)


def test_a_strategy_that_was_not_run_with_a_classifier_is_not_ranked_there():
    table = ranks(Some())
    assert [label for label, _ in table.rows] == ["LR", "XGBoost"]
    differences = [cells[4].ours for _, cells in table.rows]
    assert differences[0] > differences[1] > 0


class Controls(Some):
    def rows(self, study):
        kinds = itertools.product(("neighbor", "gini"), ("", "-mean", "-permuted"))
        names = ["cs", *map("".join, kinds)]
        rows = [
            {"dataset": f"{source}{number}", "classifier": "lr", "strategy": name, "mcc": mcc / 10}
            for mcc, name in enumerate(names)
            for source, number in itertools.product(("yeast-", "glass"), range(3))
        ]
        return pd.DataFrame(rows)


def test_gains_over_controls_by_hand():
    for make, wins in ((controls, ", 6–0–0"), (controls_by_source, "")):
        rows = dict(make(Controls()).rows)
        (cell,) = rows["Neighbor-iCost over class-level costs"]
        assert cell.ours == f"+10.00 [+10.00, +10.00]{wins}"
    assert list(rows)[-1] == "Gini-iCost over permuted weights"


def test_the_source_of_a_set_is_in_its_name():
    names = ("yeast-1_vs_7", "kddr_rookkit", "glass4")
    assert [source_of(name) for name in names] == ["yeast", "kdd", "glass"]
