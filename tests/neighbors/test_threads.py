"""How many threads a search takes, by itself and where others have taken the cores."""

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed, parallel_config
from threadpoolctl import threadpool_limits

from icost._neighbors import counts
from icost._neighbors.counts import neighbor_class_counts, threads_for, threads_worth


class NoLibraries:
    """A machine on which no OpenMP is loaded."""

    lib_controllers = ()

    def select(self, **_):
        return self


@pytest.fixture
def seven_cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(counts, "cpu_count", lambda: 7)
    monkeypatch.setattr(counts, "libraries", NoLibraries)


def test_n_jobs_is_the_limit(seven_cores):
    assert threads_for(1) == 1
    assert threads_for(3) == 3
    assert threads_for(-1) == cpu_count()


@pytest.mark.parametrize(
    ("given", "expected"), [(None, 7), ("", 7), ("3", 3), ("2,1", 2), (" 12 ", 12), ("all", 7)]
)
def test_by_default_as_many_as_native_code_takes(seven_cores, monkeypatch, given, expected):
    if given is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", given)
    assert threads_for(None) == expected


def test_limits_of_threadpoolctl_are_heeded(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert 1 <= threads_for(None) <= cpu_count()
    with threadpool_limits(1, user_api="openmp"):
        assert threads_for(None) == 1


def test_the_callers_configuration_of_joblib_is_heeded(seven_cores):
    with parallel_config(n_jobs=3):
        assert threads_for(None) == 3
    with parallel_config("threading", n_jobs=2):
        assert threads_for(None) == 2
        assert threads_for(5) == 5


def test_worker_threads_have_their_share_already(seven_cores, monkeypatch):
    # Whatever OpenMP may take in the process, two of them would take it twice.
    for given in (None, "4"):
        if given:
            monkeypatch.setenv("OMP_NUM_THREADS", given)
        workers = Parallel(2, backend="threading")
        assert workers(delayed(threads_for)(None) for _ in range(3)) == [1, 1, 1]
        assert workers(delayed(threads_for)(2) for _ in range(3)) == [2, 2, 2]


@pytest.mark.parametrize("inner", [1, 2])
def test_worker_processes_take_what_joblib_gives_them(monkeypatch, inner):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with parallel_config("loky", inner_max_num_threads=inner):
        found = Parallel(2)(delayed(threads_for)(None) for _ in range(2))
    assert found == [min(inner, cpu_count())] * 2


def test_one_job_is_no_worker(seven_cores):
    assert Parallel(1)(delayed(threads_for)(None) for _ in range(2)) == [7, 7]


def test_a_task_on_dask_has_its_share_already(monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    options = {"processes": False, "n_workers": 1, "threads_per_worker": 2}
    with distributed.Client(**options, dashboard_address=":0") as client:
        assert client.submit(threads_for, None).result() == 1
        assert client.submit(threads_for, 2).result() == 2
    assert threads_for(None) >= 1


@pytest.mark.parametrize("metric", ["euclidean", "canberra"])
def test_a_search_takes_them(monkeypatch, metric):
    taken = []

    def watched(answer, n_queries, block_size, n_threads):
        taken.append(n_threads)
        return in_blocks(answer, n_queries, block_size, n_threads)

    in_blocks = counts.in_blocks
    monkeypatch.setattr(counts, "in_blocks", watched)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(counts, "cpu_count", lambda: 7)
    monkeypatch.setattr(counts, "_ONE_THREAD", 0)
    monkeypatch.setattr(counts, "FEW_DISTANCES", 0)
    X, y = np.random.default_rng(0).random((90, 2)), np.arange(90) % 2
    with threadpool_limits(3, user_api="openmp"):
        neighbor_class_counts(X, y, 2, 5, metric=metric)
        neighbor_class_counts(X, y, 2, 5, metric=metric, n_jobs=2)
    assert taken == [3, 2]


def test_few_distances_are_not_worth_threads():
    assert threads_worth(4, 1000) == 1
    assert threads_worth(4, 10**9) == 4


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree"])
def test_counts_are_those_of_one_thread_wherever_they_are_counted(
    seven_cores, monkeypatch, algorithm
):
    monkeypatch.setattr(counts, "_ONE_THREAD", 0)
    monkeypatch.setattr(counts, "FEW_DISTANCES", 0)
    rng = np.random.default_rng(0)
    X, y = rng.integers(5, size=(900, 4)).astype(float), rng.integers(2, size=900)

    def count(n_jobs=None):
        return neighbor_class_counts(X, y, 2, 5, algorithm=algorithm, n_jobs=n_jobs)

    expected = count(1)
    np.testing.assert_array_equal(count(), expected)
    for found in Parallel(2, backend="threading")(delayed(count)() for _ in range(2)):
        np.testing.assert_array_equal(found, expected)
