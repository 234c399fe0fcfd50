"""Which search is chosen: by what it is said to take, and by what is there."""

import numpy as np
import pytest

from icost._neighbors import choice, kernel
from icost._neighbors.choice import (
    forecast_brute,
    forecast_tree,
    is_worth_a_tree,
    minkowski_search,
    reckon_brute,
)
from icost._neighbors.points import MinkowskiSpace, OtherQueries, OwnQueries
from icost._neighbors.search import DirectSearch, MatrixSearch
from icost._neighbors.trees import TreeSearch


def space_of(n_points=5000, n_features=3, p=2.0):
    return MinkowskiSpace(np.random.default_rng(0).normal(size=(n_points, n_features)), p)


def chosen(space, n_queries=200, algorithm="auto"):
    queries = OtherQueries(space.points[:n_queries] + 0.1)
    return minkowski_search(space, algorithm, 1, queries, 6)


@pytest.fixture
def in_doubt(monkeypatch):
    monkeypatch.setattr(choice, "is_worth_a_tree", lambda *_: True)


@pytest.mark.parametrize(("forecast", "kind"), [(0.0, TreeSearch), (np.inf, MatrixSearch)])
def test_the_forecast_decides(monkeypatch, in_doubt, forecast, kind):
    monkeypatch.setenv("ICOST_KERNEL", "off")
    monkeypatch.setattr(choice, "forecast_tree", lambda *_: forecast)
    monkeypatch.setattr(choice, "reckon_brute", lambda *_: 100.0)
    assert type(chosen(space_of())) is kind


def test_a_tree_that_disappoints_is_given_up(monkeypatch, in_doubt):
    monkeypatch.setenv("ICOST_KERNEL", "off")
    monkeypatch.setattr(choice, "forecast_tree", lambda *_: 0.0)
    monkeypatch.setattr(choice, "reckon_brute", lambda *_: 100.0)
    monkeypatch.setattr(choice, "timed", lambda call: (1000.0, call()))
    assert type(chosen(space_of())) is MatrixSearch


@pytest.mark.parametrize(("measured", "kind"), [(1.0, MatrixSearch), (9.0, TreeSearch)])
def test_slow_brute_force_near_the_tree_is_measured(monkeypatch, in_doubt, measured, kind):
    monkeypatch.setenv("ICOST_KERNEL", "off")
    monkeypatch.setattr(choice, "reckon_brute", lambda *_: 5.0)
    monkeypatch.setattr(choice, "forecast_tree", lambda *_: 3.0)
    monkeypatch.setattr(choice, "forecast_brute", lambda *_: measured)
    assert type(chosen(space_of())) is kind


@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_few_queries_meet_all_points(algorithm):
    assert type(chosen(space_of(), 5, algorithm)) is DirectSearch


def test_other_exponents_have_no_screen():
    assert type(chosen(space_of(p=1.0), algorithm="brute")) is DirectSearch


def test_the_compiled_screen_is_used_where_it_is(monkeypatch):
    monkeypatch.delenv("ICOST_KERNEL", raising=False)
    name, _ = kernel.variant()
    expected = MatrixSearch if name == "off" else kernel.KernelSearch
    assert type(chosen(space_of(), algorithm="brute")) is expected
    monkeypatch.setenv("ICOST_KERNEL", "off")
    assert type(chosen(space_of(), algorithm="brute")) is MatrixSearch


@pytest.mark.parametrize("way", choice._PAIR)
def test_brute_force_takes_longer_for_more_queries_points_and_features(way):
    least = reckon_brute(space_of(), 100, way)
    assert least > 0
    assert reckon_brute(space_of(), 200, way) > least
    assert reckon_brute(space_of(6000), 100, way) > least
    assert reckon_brute(space_of(n_features=4), 100, way) > least


def test_every_variant_of_the_kernel_has_a_rate():
    assert set(kernel.VARIANTS) < set(choice._PAIR)


def test_no_forecast_for_a_quick_search_nor_for_few_queries():
    assert not is_worth_a_tree(space_of(), 5000, 0.01)
    # However slow brute force is, a tree of a hundred thousand points takes tens of milliseconds.
    large = MinkowskiSpace(np.zeros((1_000_000, 3)), 2.0)
    assert not is_worth_a_tree(large, 10, 0.1)
    assert is_worth_a_tree(large, 10, 3.0)


def test_a_forecast_needs_more_points_than_neighbours():
    space = space_of(500)
    assert forecast_tree(space, space.points[:16], 500, 100, 1.0) == np.inf
    assert 0 < forecast_tree(space, space.points[:16], 500, 1, 1.0) < np.inf


def test_a_forecast_of_brute_force_grows_with_the_queries():
    space = space_of(20_000)
    calls = []

    def make(part):
        calls.append(len(part.points))
        return DirectSearch(part)

    few, many = (forecast_brute(make, space, space.points[:64], n, 6) for n in (10, 10_000))
    assert 0 < few < many
    assert calls == [313, 1250, 313, 1250]


def test_the_trial_takes_successive_queries():
    queries = OwnQueries(space_of().points, np.arange(0, 5000, 2))
    visit = queries.visit(np.arange(5000))
    runs = choice._in_runs(visit)
    assert len(runs) == choice._TRIAL_QUERIES
    assert (np.diff(runs) == 1).sum() == len(runs) - len(runs) // 16


@pytest.mark.parametrize(("few_pairs", "kind"), [(0, np.float64), (10**6, np.float32)])
def test_few_pairs_are_not_tried_before_they_are_searched(monkeypatch, few_pairs, kind):
    monkeypatch.setenv("ICOST_KERNEL", "off")
    monkeypatch.setattr(choice, "_FEW_PAIRS", few_pairs)
    monkeypatch.setattr(MatrixSearch, "is_sharp", lambda *_: False)
    made = []
    make = MatrixSearch.__init__
    monkeypatch.setattr(
        MatrixSearch, "__init__", lambda self, *own: made.append(own[-1]) or make(self, *own)
    )
    chosen(space_of(), algorithm="brute")
    assert made[-1] is kind
