"""Evaluation and tables from rows written by hand, with cells computed by hand."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from icost_reproduction.evaluation import (
    Results,
    choose_settings,
    cross_selected,
    dataset_means,
    dataset_times,
    once,
    published,
    select_settings,
    with_metrics,
)
from icost_reproduction.honest_tables import HONEST_TABLES
from icost_reproduction.paper_tables import TABLES, error_changes
from icost_reproduction.paper_tables.table_16_17_multiclass import _replaced
from icost_reproduction.rows import to_table
from icost_reproduction.study_tables import supplement
from icost_reproduction.tables import FORMATS, Cell, Table

# Per dataset and strategy: two folds, as (tn, fp, fn, tp) of 8 majority and 2 minority samples.
PERFECT, HALF, NOTHING = [8, 0, 0, 2], [8, 0, 1, 1], [8, 0, 2, 0]
ALARMS = [4, 4, 0, 2]


def row(dataset, strategy, fold, matrix, classifier="lr", **extra):
    return {
        "dataset": dataset,
        "classifier": classifier,
        "strategy": strategy,
        "setting": 0,
        "repeat": 0,
        "fold": fold,
        "n_classes": 2,
        "confusion": matrix,
        "fit_time": 0.1,
        "weight_time": 0.0,
        **extra,
    }


def frame(rows):
    return with_metrics(to_table(rows).to_pandas())


@pytest.fixture
def rows():
    made = []
    for fold in (0, 1):
        made += [
            row("a", "ncs", fold, NOTHING),
            row("a", "cs", fold, ALARMS),
            row("a", "neighbor", fold, HALF),
            row("a", "gini", fold, ALARMS),
            row("b", "ncs", fold, NOTHING),
            row("b", "cs", fold, PERFECT),
            row("b", "neighbor", fold, PERFECT),
            row("b", "gini", fold, NOTHING),
        ]
    return frame(made)


class HandMade(Results):
    def __init__(self, **studies):
        super().__init__("nowhere")
        self._rows = studies


# MCC by hand: (tp tn - fp fn) / sqrt((tp+fp)(tp+fn)(tn+fp)(tn+fn))
MCC_ALARMS = (2 * 4) / np.sqrt(6 * 2 * 8 * 4)
MCC_HALF = (1 * 8) / np.sqrt(1 * 2 * 8 * 9)


def test_means_per_dataset(rows):
    means = dataset_means(rows).loc["lr"]
    assert means.loc["a", "cs"] == pytest.approx(MCC_ALARMS)
    assert means.loc["a", "neighbor"] == pytest.approx(MCC_HALF)
    assert means.loc["b", "neighbor"] == 1.0
    assert means.loc["a", "ncs"] == 0.0


def test_times_are_those_of_the_median_fold():
    rows = frame([row("a", "cs", i, HALF, fit_time=t) for i, t in enumerate((2.0, 3.0, 900.0))])
    assert dataset_times(rows, ["fit_time"]).loc[("lr", "a"), "cs"] == 3.0


def test_what_tables_share_is_computed_once():
    calls = []
    count = once(lambda results, *names: len(calls.append(names) or calls))
    results = HandMade()
    assert [count(results, "a"), count(results, "a"), count(results, "b")] == [1, 1, 2]


def test_the_mcc_table_averages_datasets_in_percent(rows):
    table = TABLES["mcc"][1](HandMade(default=rows))
    assert table.columns == ("Classifier", "NCS", "CS", "Neighbor-iCost", "Gini-iCost")
    ((label, cells),) = table.rows
    assert label == "LR"
    assert [c.ours for c in cells] == pytest.approx(
        [0, 50 * (MCC_ALARMS + 1), 50 * (MCC_HALF + 1), 50 * MCC_ALARMS]
    )
    assert cells[1].published == 48.22


def test_wins_losses_and_ties(rows):
    table = TABLES["win-loss"][1](HandMade(default=rows))
    found = {label: [c.ours for c in cells] for label, cells in table.rows}
    # Neighbor: better on a, equal on b; Gini: equal on a, worse on b.
    assert found["Neighbor-iCost, LR"][1:] == [1, 0, 1]
    assert found["Gini-iCost, All"][1:] == [0, 1, 1]
    assert found["Gini-iCost, LR"][0] == pytest.approx(-50)
    totals = {label: [c.published for c in cells] for label, cells in table.rows}
    assert totals["Neighbor-iCost, All"][1:] == [183, 109, 33]


def test_errors_are_rates_times_class_sizes(rows):
    changes = error_changes(rows)
    # a: 16 majority and 4 minority samples; CS has specificity 0.5, Neighbor sensitivity 0.5.
    assert changes.loc[("lr", "neighbor")].to_dict() == {"fp": -8, "fn": 2, "correct": 6}
    assert changes.loc[("lr", "gini")].to_dict() == {"fp": 0, "fn": 4, "correct": -4}


def grid_rows():
    costs = [(0.1, 0.3), (0.2, 0.3), (0.3, 0.3)]
    matrices = {0: [HALF, PERFECT, PERFECT], 1: [PERFECT, HALF, HALF], 2: [HALF, PERFECT, PERFECT]}
    return frame(
        [
            row("a", "grid-neighbor", fold, matrices[fold][s], cfo=o, cfp=p, cfs=0.75, cfb=1.0)
            | {"setting": s}
            for fold in (0, 1, 2)
            for s, (o, p) in enumerate(costs)
        ]
    )


def test_un_nested_selection_takes_the_best_and_of_equals_the_cheapest():
    chosen = choose_settings(grid_rows())
    assert chosen["setting"].tolist() == [1]
    assert chosen["n_tied"].tolist() == [2]
    assert chosen["costs_tied"].tolist() == ["cfo"]
    selected = select_settings(grid_rows(), "grid-neighbor")
    assert selected["mcc"].mean() == pytest.approx((2 + MCC_HALF) / 3)


def test_selection_on_the_other_folds_is_not_optimistic():
    # Folds 0 and 2 see one good and one bad result of either setting: a tie, so setting 0.
    # Fold 1 is judged by folds 0 and 2, where setting 1 is best, and it is bad there.
    assert cross_selected(grid_rows(), "grid-neighbor").loc[("lr", "a")] == pytest.approx(MCC_HALF)


def test_folds_of_other_repeats_have_no_say_in_the_selection():
    # Setting 0 is best in the second repeat only: chosen on all folds but those numbered alike,
    # it would be chosen for the first repeat as well, where it is bad.
    first = grid_rows()
    second = first.assign(repeat=1)
    second["mcc"] = np.where(second["setting"] == 0, 1.0, -1.0)
    both = pd.concat([first, second])
    found = cross_selected(both, "grid-neighbor").loc[("lr", "a")]
    assert found == pytest.approx((MCC_HALF + 1.0) / 2)


def test_failed_trials_are_left_out():
    rows = [row("a", "cs", 0, PERFECT), row("a", "cs", 1, None, error="ValueError: no")]
    assert len(frame(rows)) == 1


def test_a_cell_says_ours_theirs_and_the_difference():
    assert Cell(51.2, 51.07).text() == "51.20 (51.07, +0.13)"
    assert Cell(None, 51.07).text() == "– (51.07)"
    assert Cell(float("nan")).text() == "–"
    assert Cell(3, 5, 0).text() == "3 (5, -2)"


TABLE = Table(
    "t",
    "Title & more",
    ("Set", "MCC", "n"),
    (("a_b", (Cell(1.5, 1.0), Cell(3, digits=0))),),
    "Note.",
)


def test_formats():
    assert TABLE.render().splitlines()[2:] == [
        "Set                 MCC  n",
        "--------------------------",
        "a_b  1.50 (1.00, +0.50)  3",
        "",
        "Note.",
    ]
    assert "| a_b | 1.50 (1.00, +0.50) | 3 |" in TABLE.render("markdown")
    assert r"a\_b & 1.50 (1.00, +0.50) & 3 \\" in TABLE.render("latex")
    assert r"\caption{Title \& more. Note.}" in TABLE.render("latex")
    lines = list(csv.reader(io.StringIO(TABLE.render("csv"))))
    assert lines == [
        ["Set", "MCC", "MCC published", "MCC difference", "n"],
        ["a_b", "1.5", "1.0", "0.5", "3"],
    ]
    assert set(FORMATS) == {"text", "markdown", "latex", "csv"}


def test_the_dataset_table_agrees_with_the_paper():
    table = TABLES["datasets"][1](HandMade())
    assert len(table.rows) == 75
    for _, (n, _, ratio, _) in table.rows:
        assert n.difference == 0
        assert ratio.difference is None or abs(ratio.difference) < 0.011


CLASSIFIERS = {"lr", "svm", "dt", "rf", "xgb"}


def test_all_published_numbers_are_there():
    numbers = published()
    for name in ("mcc", "f1", "multiclass"):
        assert set(numbers[name]) == CLASSIFIERS | {"average"}
        assert all(len(row) == 4 for row in numbers[name].values())
    for name, keys in {
        "win-loss": {"wins", "losses", "ties"},
        "trade-off": {"fp", "fn", "correct"},
        "tuned-win-loss": {"delta", "wins", "losses", "ties"},
    }.items():
        for variant in ("neighbor", "gini"):
            assert set(numbers[name][variant]) == CLASSIFIERS
            assert all(set(row) == keys for row in numbers[name][variant].values())
    assert set(numbers["tuning"]) == {"cs", "neighbor", "gini"}
    assert set(numbers["stability"]) == {"std", "time"}
    assert len(numbers["resampling"]) == 11
    assert all(len(row) == 6 for row in numbers["resampling"].values())


@pytest.mark.parametrize("name", ["win-loss", "tuned-win-loss"])
def test_published_wins_cover_all_datasets(name):
    for variant in published()[name].values():
        assert all(row["wins"] + row["losses"] + row["ties"] == 65 for row in variant.values())


@pytest.mark.parametrize("name", ["neighbor-costs", "gini-costs"])
def test_published_choices_cover_all_datasets(name):
    for costs in published()[name].values():
        assert all(sum(counts) == 65 for counts in costs.values())


@pytest.mark.parametrize("name", ["mcc", "f1", "multiclass"])
def test_published_averages_are_averages(name):
    table = pd.DataFrame(published()[name]).T
    means = table.drop("average").mean()
    assert (means - table.loc["average"]).abs().max() < 0.011


def test_tables_have_distinct_names():
    assert not set(TABLES) & set(HONEST_TABLES)


def test_exceptions_are_told_with_their_classifiers():
    notes = [("a", "lr", "as lr-liblinear; as grid-9"), ("a", "dt", "as grid-9"), ("b", "dt", None)]
    rows = pd.DataFrame(notes, columns=["dataset", "classifier", "note"])
    assert _replaced(rows) == "Exceptions: a (LR): as lr-liblinear; a: as grid-9."
    assert _replaced(rows[rows["dataset"] == "b"]) == ""


def test_macro_metrics_of_several_classes_by_hand():
    # Recalls of 1, 1/2 and 1/2; what is predicted is right in 2 of 3, 1 of 2 and 1 of 1.
    matrix = [2, 0, 0, 1, 1, 0, 0, 1, 1]
    made = [
        row("wine", name, fold, matrix, n_classes=3)
        for name in ("ncs", "tuned-cs", "tuned-neighbor", "tuned-gini")
        for fold in (0, 1)
    ]
    results = HandMade(multiclass=frame(made))
    (label, cells), *_ = TABLES["multiclass-metrics"][1](results).rows
    values = [cell.ours for cell in cells]
    assert label == "LR, No cost"
    assert values[3] == pytest.approx(100 * 2 / 3)
    assert values[5] == pytest.approx(100 * (2 / 3 + 1 / 2 + 1) / 3)
    assert values[2] == pytest.approx(100 * (1 / 4) ** (1 / 3))
    table = pd.read_csv(io.StringIO(supplement(results, "multiclass")), index_col=[0, 1, 2])
    assert table.loc[("wine", "lr", "ncs"), "sensitivity"] == pytest.approx(100 * 2 / 3, abs=1e-4)


def test_the_supplement_has_the_setting_that_the_paper_reports():
    made = [row("a", "grid-cs", f, m, setting=s, cs_multiplier=0.8 + 0.2 * s)
            for f in (0, 1) for s, m in enumerate((NOTHING, PERFECT, HALF))]  # fmt: skip
    text = supplement(HandMade(tuning=frame(made)), "tuning")
    assert [line.partition(",100.0")[0] for line in text.splitlines()[1:]] == ["a,lr,grid-cs"]
