"""Real tables of whole numbers, full of ties: nothing but the data may decide a weight."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from icost import NeighborComplexity, instance_weights
from icost._neighbors import choice, counts
from icost.datasets import list_datasets, load_dataset

EXACT = ("auto", "brute", "kd_tree", "ball_tree")


def is_whole(data):
    numbers = data.select_dtypes("number")
    return numbers.shape == data.shape and bool((numbers == numbers.round()).all(axis=None))


def whole_numbered():
    for name in list_datasets(collection="binary"):
        bunch = load_dataset(name)
        if is_whole(bunch.data):
            yield name, bunch.data.to_numpy(np.float64), bunch.target.to_numpy()


@pytest.fixture(scope="module")
def tables():
    return list(whole_numbered())


@pytest.fixture(params=["small tables", "as on large ones"])
def machinery(request, monkeypatch):
    """Small tables are counted at once; make them go through search, pilot and threads as well."""
    if request.param == "as on large ones":
        monkeypatch.setattr(counts, "FEW_DISTANCES", 0)
        monkeypatch.setattr(counts, "_ONE_THREAD", 0)
        monkeypatch.setattr(choice, "_FEW_PAIRS", 0)
        monkeypatch.setattr(choice, "is_worth_a_tree", lambda *_: True)


def test_there_are_such_tables(tables):
    assert len(tables) == 20


def weigh(X, y, algorithm="auto", n_jobs=None):
    return instance_weights(
        X, y, method=NeighborComplexity(5, algorithm=algorithm), preprocessor=None, n_jobs=n_jobs
    )


@pytest.mark.usefixtures("machinery")
def test_order_engine_dtype_and_threads_change_no_weight(tables):
    for name, X, y in tables:
        expected = weigh(X, y, "brute")
        order = np.random.default_rng(0).permutation(len(X))
        for algorithm, dtype, n_jobs in product(EXACT, (np.float64, np.float32, np.int64), (1, 2)):
            found = weigh(X.astype(dtype), y, algorithm, n_jobs)
            assert_array_equal(found, expected, err_msg=f"{name} {algorithm} {dtype} {n_jobs}")
        for algorithm in EXACT:
            shuffled = weigh(X[order], y[order], algorithm)
            assert_array_equal(shuffled, expected[order], err_msg=f"{name} {algorithm}")
