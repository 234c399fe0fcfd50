import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from icost import label_quality
from icost._core.files import plain_value
from icost._table._columns import read_table
from icost.comparison import compare
from icost.comparison._table_facts import TableFacts
from icost.complexity import Complexity, DensityComplexity, GiniComplexity, GraphComplexity
from icost.datasets import load_dataset
from icost.label_errors._quality import LEAST_ROWS
from icost.report import analyze
from icost.report._analysis import _spaces, analyze_facts
from icost.report._difficulty import category_shares, nearest_rows
from icost.report._layouts import probe_tree, row_cells
from icost.report._words import count, headline, percent

# Two groups on a line, and one "p" among the "n": rows 1 to 12.
LINE = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 2.5, 20.0, 21.0, 22.5, 23.0]})
LABELS = pd.Series(["n"] * 7 + ["p"] * 5, name="kind")


@pytest.fixture(scope="module")
def found():
    return analyze(LINE, LABELS, name="line", n_neighbors=3)


def test_the_lone_row_is_the_hardest(found):
    first = found.hardest[0]
    assert (first["row"], first["category"], first["score"]) == (8, "outlier", 1.0)
    assert [near["class"] for near in first["neighbors"]] == ["n", "n", "n"]
    assert {near["row"] for near in first["neighbors"][:2]} == {3, 4}
    assert first["weight"] == pytest.approx(0.20 * 7 / 5)


@pytest.mark.parametrize("n_minority", [LEAST_ROWS - 1, LEAST_ROWS])
def test_columns_are_ranked_where_a_class_has_rows_enough(n_minority):
    y = np.arange(60) < n_minority
    found = analyze(pd.DataFrame({"x": np.arange(60.0)}), y, with_map=False)
    assert bool(found.separation) == (n_minority == LEAST_ROWS)


def test_counts(found):
    assert found.target == "kind" and found.minority == "p"
    assert found.imbalance_ratio == pytest.approx(7 / 5)
    (group,) = found.groups
    assert group["overlap"] == {
        "observed": pytest.approx(1 / 5),
        "by_chance": pytest.approx(7 / 11),
    }
    assert {e["category"]: e["rows"] for e in group["neighbor"]} == {"pure": 4, "outlier": 1}


def test_it_is_json_without_the_pictures(found):
    plain = json.loads(json.dumps(found.to_dict()))
    assert "map" not in plain and plain["n_rows"] == 12


def test_sentences(found):
    lines = headline(found)
    assert lines[0].startswith("Class 'p' has only 5 rows:")
    assert lines[1] == "5 of 12 rows (42 %) are of class 'p': an imbalance ratio of 1.4."
    assert "80 % of them are easy" in lines[2]


def test_the_map_shows_each_row_once(found):
    assert found.map["rows"] == list(range(1, 13))
    assert found.map["category"].count("majority") == 7
    assert found.map["cells"][7] == [2.5]


def test_a_large_table_is_thinned_on_the_map_but_keeps_its_minority():
    rng = np.random.default_rng(0)
    y = np.arange(5000) < 100
    found = analyze(rng.normal(size=(5000, 3)), y)
    assert len(found.map["rows"]) == 3000
    assert sum(name != "majority" for name in found.map["category"]) == 100


def test_text_missing_cells_dates_and_booleans():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "size": rng.normal(size=40),
            "sex": pd.Categorical(rng.choice(["f", "m"], 40)),
            "seen": pd.date_range("2020-01-01", periods=40),
            "smokes": rng.choice([True, False], 40),
            "empty": [None] * 40,
        }
    )
    X.loc[2, ["size", "sex"]] = None
    found = analyze(X, np.arange(40) % 4 == 0)
    assert found.missing["columns"][0] == {"name": "empty", "cells": 40, "share": 1.0}
    # Times are seconds by now, and differ in every row: that makes no identifier of them.
    assert found.odd_columns == [{"name": "empty", "problem": "is empty"}]


def test_every_class_below_half_gets_its_turn():
    X, y = load_dataset("new-thyroid", return_X_y=True)
    found = analyze(X, y)
    assert [group["rows"] for group in found.groups] == [30, 35]
    assert {entry["class"] for entry in found.hardest} == {g["label"] for g in found.groups}


def test_the_same_seed_gives_the_same_page_data():
    X, y = load_dataset("glass2", return_X_y=True)
    assert plain_value(analyze(X, y).map) == plain_value(analyze(X, y).map)


@pytest.mark.parametrize("rows", [1, 2])
def test_what_makes_all_else_doubtful_is_said_first(rows):
    y = np.repeat(["well", "ill"], [30, rows])
    lines = headline(analyze(pd.DataFrame({"x": np.arange(30.0 + rows)}), y, with_map=False))
    assert lines[0].startswith("A class has fewer than three rows") and "'ill'" in lines[0]


def test_a_class_that_separates_although_it_lies_among_others_does_not_overlap(found):
    mingled = {"observed": 0.97, "by_chance": 0.98}
    for area, sentence in (
        (0.5, "The classes overlap: "),
        (0.89, "lie among others, which is no "),
    ):
        group = {**found.groups[0], "separability": area, "overlap": mingled}
        lines = " ".join(headline(replace(found, groups=[group])))
        assert sentence in lines and f"ROC curve of {area:.2f}" in lines
    assert "The classes overlap: " not in lines


def test_a_class_of_few_rows_has_no_area():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(60, 2)))
    for rows, is_estimated in ((9, False), (10, True)):
        analysis = analyze(X, np.arange(60) < rows, with_map=False)
        assert (analysis.groups[0]["separability"] is not None) == is_estimated
        has_sentence = any("too few rows to estimate" in line for line in headline(analysis))
        assert has_sentence != is_estimated


def test_contradictions_are_named_apart_from_suspects():
    X = pd.DataFrame({"a": [*np.arange(28.0), 3, 3], "b": [*np.arange(28.0), 3, 3]})
    y = np.array(["n"] * 20 + ["p"] * 10)
    analysis = analyze(X, y, with_map=False)
    assert analysis.contradictions == [{"rows": [4, 29, 30], "labels": ["n", "p", "p"]}]
    assert analysis.to_dict()["contradictions"] == analysis.contradictions
    sentence = "3 rows contradict another: equal features, different labels."
    assert any(
        line.startswith(sentence) and "(rows 4, 29, 30)" in line for line in headline(analysis)
    )


def test_every_flaw_is_named_with_its_column():
    rng = np.random.default_rng(0)
    empty = {f"e{i}": np.nan for i in range(7)}
    X = pd.DataFrame({"x": rng.normal(size=50), "id": np.arange(50), **empty})
    lines = headline(analyze(X, np.arange(50) % 5 == 0, with_map=False))
    assert "Column 'id' counts the rows, as an index does: leave it out." in lines
    assert any("7 columns, of which each is empty" in line and "'e6'" in line for line in lines)


@pytest.fixture(scope="module")
def flipped():
    """Two clear groups with three labels swapped."""
    rng = np.random.default_rng(0)
    truth = np.repeat(["n", "p"], [140, 40])
    X = pd.DataFrame(
        rng.normal(size=(180, 3)) + 6 * (truth == "p")[:, np.newaxis], columns=list("abc")
    )
    y = truth.copy()
    y[[5, 70]], y[150] = "p", "n"
    return analyze(X, y, with_map=False)


def test_all_suspects_are_there_in_order(flipped):
    assert {entry["row"] for entry in flipped.suspects} == {6, 71, 151}
    scores = [entry["score"] for entry in flipped.suspects]
    assert scores == sorted(scores)
    by_row = {entry["row"]: entry for entry in flipped.suspects}
    assert (by_row[151]["class"], by_row[151]["suggested"]) == ("n", "p")
    assert all(near["class"] == "p" for near in by_row[151]["neighbors"])
    frame = pd.DataFrame(flipped.weights)
    ranked = frame[frame["suspect"].notna()].sort_values("suspect")
    assert ranked["row"].tolist() == [entry["row"] for entry in flipped.suspects]
    assert ranked["suggested"].tolist() == [entry["suggested"] for entry in flipped.suspects]
    near = [" ".join(str(n["row"]) for n in entry["neighbors"]) for entry in flipped.suspects]
    assert ranked["nearest"].tolist() == near
    assert flipped.n_suspects == {"n": 1, "p": 2}
    lines = " ".join(headline(flipped))
    assert "3 rows surprise the models" in lines and "the classes overlap there" in lines


def test_overlap_is_not_error():
    rng = np.random.default_rng(1)
    X, y = pd.DataFrame(rng.normal(size=(500, 4))), np.arange(500) < 25
    found = analyze(X, y, with_map=False)
    assert len(found.suspects) <= 10
    lines = " ".join(headline(found))
    assert "The classes overlap" in lines and "0.5 is chance" in lines


def test_rows_shown_agree_with_the_category_among_ties():
    # On a coarse grid most distances are tied.
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (150, 2)).astype(float), columns=list("ab"))
    y = np.where(rng.random(150) < 0.25, "p", "n")
    for order in (np.arange(150), rng.permutation(150)):
        found = analyze(X.iloc[order], y[order], with_map=False, scaler="none")
        for entry in found.hardest:
            other_class_share = sum(near["class"] != entry["class"] for near in entry["neighbors"])
            name = ["pure", "safe", "safe", "border", "border", "outlier"][other_class_share]
            assert entry["category"] == name, entry
            assert entry["row"] not in {near["row"] for near in entry["neighbors"]}


def test_numbers_in_sentences():
    assert (percent(0.079), percent(0.5), percent(0)) == ("7.9 %", "50 %", "0 %")
    assert (count(1, "row", "rows"), count(2000, "row", "rows")) == ("1 row", "2,000 rows")


def test_cells_are_rounded_and_cut():
    cells = row_cells(pd.DataFrame({"a": [0.1 + 0.2, 1.0], "b": ["x", "y" * 99]}))
    assert cells == [[0.3, "x"], [1.0, "y" * 60]]


def test_shares_of_categories_by_hand():
    record = Complexity([1, 4], ["safe", "safe"], [0.2, 0.4], penalty=[7.5, 7.5])
    (entry,) = category_shares(record)
    assert entry == {"category": "safe", "rows": 2, "share": 1.0, "weight": 7.5}


@pytest.mark.parametrize("n_levels", [3, 1000])
def test_nearest_rows_have_the_least_distances_also_among_many_ties(n_levels):
    rng = np.random.default_rng(0)
    X, rows = rng.integers(0, n_levels, (2000, 4)).astype(float), np.arange(0, 2000, 3)
    for row, shown in nearest_rows(X, rows, 5, rng.integers(0, 2, 2000)).items():
        distance = np.sqrt(((X - X[row]) ** 2).sum(axis=1))
        assert row not in dict(shown) and all(distance[near] == d for near, d in shown)
        assert [d for _, d in shown] == np.sort(np.delete(distance, row))[:5].tolist()


def test_nearest_rows_skips_the_row_itself_among_twins():
    (shown,) = nearest_rows(np.zeros((4, 1)), np.array([2]), 3, np.array(list("aabb"))).values()
    assert sorted(shown) == [(0, 0.0), (1, 0.0), (3, 0.0)]


@pytest.mark.parametrize(("name", "label"), [("glass2", "positive"), ("new-thyroid", "3")])
def test_the_tree_is_that_of_the_rarest_class_on_raw_columns(name, label):
    X, y = load_dataset(name, return_X_y=True)
    fitted = GiniComplexity().fit_tree(X.to_numpy(), (y == label).to_numpy(), random_state=0)
    assert analyze(X, y, with_map=False).tree == probe_tree(fitted.tree_, list(X.columns))


def test_the_tree_names_levels_gaps_and_shares():
    rng = np.random.default_rng(0)
    levels = [f"level {number:02}" for number in range(30)]
    X = pd.DataFrame({"t": rng.choice(levels[:3], 600), "many": rng.choice(levels, 600)})
    X.loc[:40, "t"] = None
    codes = rng.integers(0, 2, 600)
    _, units, names = _spaces(read_table(X), codes, "standard")
    assert units.shape[1] == len(names) == 5 and names[0] == "many: share of the minority"
    assert names[1:] == ["t = level 00", "t = level 01", "t = level 02", "t = missing"]
    shown = [
        f"t = {'missing' if level is None else level}" for level in X["t"].replace({np.nan: None})
    ]
    np.testing.assert_array_equal(units[:, 1:].argmax(axis=1) + 1, [names.index(n) for n in shown])


def test_the_tree_asks_in_the_columns_own_units():
    space = np.column_stack([np.arange(100.0, 140.0), np.zeros(40)])
    fitted = GiniComplexity().fit_tree(space, np.arange(40) >= 30, random_state=0)
    tree = probe_tree(fitted.tree_, ["weight", "other"])
    assert tree["nodes"][0]["question"] == "weight ≤ 129.5"
    assert [node["share"] for node in tree["nodes"]] == [0.25, 0.0, 1.0]
    assert [edge["answer"] for edge in tree["edges"]] == ["yes", "no"]
    left, right = tree["nodes"][1], tree["nodes"][2]
    assert left["x"] < tree["nodes"][0]["x"] < right["x"] and left["y"] == right["y"] > 0


def test_further_measures_judge_the_same_rows_as_the_library():
    X, y = load_dataset("glass2", return_X_y=True)
    found = analyze(X, y, with_map=False, n_neighbors=3, measures=["graph", "density"])
    group, frame = found.groups[0], pd.DataFrame(found.weights)
    assert list(group["measures"]) == ["density", "graph"]
    space = StandardScaler().fit_transform(X)
    for name, measure in {"density": DensityComplexity(3), "graph": GraphComplexity(3)}.items():
        record = measure.estimate(space, (y == "positive").to_numpy())
        assert group["measures"][name] == category_shares(
            replace(record, penalty=frame[name].to_numpy()[record.indices])
        )
        assert frame[f"{name} other-class share"].dropna().to_numpy() == pytest.approx(
            record.other_class_share
        )
        rows = {entry["row"]: entry["measures"][name] for entry in found.hardest}
        assert rows == dict(zip(record.indices + 1, record.category, strict=True))


@pytest.mark.parametrize("name", ["hard", "neighbor", 3])
def test_an_unknown_measure_is_named(name):
    with pytest.raises(ValueError, match=f"must be one of 'margin', .*, got {name!r}"):
        analyze(LINE, LABELS, measures=[name])


def test_of_equally_hard_rows_the_most_doubtful_label_comes_first():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=list("ab"))
    y = np.arange(200) % 8 == 0
    found = analyze(X, y, with_map=False)
    hardest = [entry["row"] - 1 for entry in found.hardest]
    score = label_quality(X.to_numpy(), y, random_state=0).score
    keys = [
        (entry["score"], entry["region"], score[row])
        for entry, row in zip(found.hardest, hardest, strict=True)
    ]
    tied = [b[2] - a[2] for a, b in pairwise(keys) if a[:2] == b[:2]]
    assert len(tied) > 3 and min(tied) >= 0


def test_columns_of_dates_and_of_units():
    from icost.comparison._table_facts import date_column, group_column

    rows = np.arange(300)
    table = pd.DataFrame({"age": rows % 60, "day": [f"2012/{1 + n % 12}/01" for n in rows]})
    table["clinic"] = [f"clinic {n % 40}" for n in rows]
    assert (date_column(table), group_column(table)) == ("day", "clinic")
    table = table.drop(columns=["day", "clinic"])
    assert (date_column(table), group_column(table)) == ("", "")
    table["customer_id"] = rows // 3
    assert group_column(table) == "customer_id"
    table["customer_id"] = rows  # one row each: nothing to keep together
    assert group_column(table) == ""


def test_a_comparisons_record_of_neighbours_changes_nothing():
    X, y = load_dataset("glass2", return_X_y=True)
    compared = compare(X, y, strategies=["ncs"], n_splits=2, n_repeats=1)
    shared = analyze_facts(
        TableFacts.of(X, y),
        name="table",
        minority_label=None,
        random_state=0,
        progress=lambda step: None,
        scaler="standard",
        with_map=False,
        neighbor=compared.categories,
    )
    assert shared.to_dict() == analyze(X, y, with_map=False).to_dict()
