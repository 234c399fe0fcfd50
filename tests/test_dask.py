import hashlib

import numpy as np
import pandas as pd
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

import icost
from icost import GiniComplexity, NeighborComplexity

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

from icost.complexity import BaseComplexity  # noqa: E402
from icost.dask import DaskICost, instance_weights  # noqa: E402

UNEVEN = (50, 1, 149, 40, 60)


def make(kind, n_samples=300, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.minimum(rng.geometric(0.7, size=n_samples) - 1, n_classes - 1)
    if kind == "continuous":
        X = rng.normal(size=(n_samples, 4)) + codes[:, None]
    elif kind == "far":
        X = 1e7 + rng.normal(size=(n_samples, 4)) + codes[:, None]
    elif kind == "decimal":
        # Tenths are not exact in binary, so that tied distances differ in their last digits.
        X = rng.integers(0, 6, size=(n_samples, 3)) / 10
    else:
        X = rng.integers(0, 3, size=(n_samples, 3)).astype(float)
    return X, codes


# Weights of a cluster are those of one machine, bit for bit.
pytestmark = pytest.mark.equality

METHODS = [
    {"method": "ncs"},
    {"method": "cs", "scale": 0.7},
    {"method": "neighbor"},
    {"method": "neighbor", "n_neighbors": 1, "cost_factor": {"cfo": 3.0}},
    {"method": "neighbor", "n_neighbors": 40, "cfp": 0.3},
    {"method": NeighborComplexity(4, metric="manhattan")},
    {"method": NeighborComplexity(3, metric="chebyshev", categories=[0.1, 0.2, 0.3, 0.4])},
    {"method": "tree", "random_state": 0},
    {"method": "gini", "tree_probe": "fast", "random_state": 0},
    {"method": GiniComplexity(max_depth=5, tau_out=0.3), "random_state": 3},
]


@pytest.mark.parametrize("kind", ["continuous", "far", "decimal", "integer"])
@pytest.mark.parametrize("params", METHODS, ids=str)
def test_arrays_get_the_weights_of_one_machine(kind, params):
    X, y = make(kind)
    weights = instance_weights(da.from_array(X, chunks=(UNEVEN, -1)), y, **params)
    assert isinstance(weights, da.Array)
    assert weights.chunks == (UNEVEN,)
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y, **params))


@pytest.mark.parametrize("params", METHODS[2:], ids=str)
def test_more_classes_get_a_column_each(params):
    X, y = make("integer", n_classes=4)
    weights = instance_weights(da.from_array(X, chunks=(UNEVEN, -1)), y, **params)
    assert weights.chunks == (UNEVEN, (4,))
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y, **params))


@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_frames_and_unknown_chunk_lengths(method):
    X, codes = make("integer")
    expected = icost.instance_weights(X, codes, method=method, random_state=0)
    data = pd.DataFrame(X, columns=list("abc")).assign(y=codes, name=np.array(["n", "y"])[codes])
    frame = dd.from_pandas(data, npartitions=4)
    table, labels = frame[["a", "b", "c"]], frame["y"]
    arrays = table.to_dask_array(), labels.to_dask_array()
    assert np.isnan(arrays[0].chunks[0]).all()
    pairs = [
        (table, labels),
        arrays,
        (table, arrays[1]),
        (arrays[0], labels),
        (table, frame["name"]),
    ]
    for pair in pairs:
        weights = instance_weights(*pair, method=method, random_state=0)
        assert sum(weights.chunks[0]) == len(X)
        np.testing.assert_array_equal(weights.compute(), expected)


def test_labels_may_be_chunked_otherwise_and_columns_divided():
    X, y = make("continuous")
    weights = instance_weights(da.from_array(X, chunks=(100, 2)), da.from_array(y, chunks=70))
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y))


def test_single_precision_and_integers_are_taken_as_they_are():
    X, y = make("integer")
    expected = icost.instance_weights(X, y)
    for dtype in (np.float32, np.int16):
        weights = instance_weights(da.from_array(X.astype(dtype), chunks=(90, -1)), y)
        np.testing.assert_array_equal(weights.compute(), expected)


@pytest.mark.parametrize("kind", ["continuous", "integer"])
@pytest.mark.parametrize("method", ["neighbor", "tree", "large tree"])
@settings(max_examples=10)
@given(order=st.permutations(range(4)), cuts=st.lists(st.integers(1, 299), max_size=8, unique=True))
def test_no_order_and_no_partitioning_changes_a_bit(method, kind, order, cuts):
    X, y = make(kind)
    rows = np.concatenate([np.arange(300)[part::4] for part in order])
    chunks = tuple(np.diff([0, *sorted(cuts), 300]).tolist())
    with pytest.MonkeyPatch.context() as monkeypatch, dask.config.set(scheduler="sync"):
        if method == "large tree":
            monkeypatch.setattr("icost._batches.weigher.FAST_PROBE_ROWS", 0)
            monkeypatch.setattr("icost._batches.weigher.PROPOSING_ROWS", 60)
        options = {"method": method.removeprefix("large ")}
        whole = instance_weights(da.from_array(X, chunks=(300, -1)), y, **options).compute()
        table = da.from_array(X[rows], chunks=(chunks, -1))
        weights = instance_weights(table, y[rows], **options).compute()
    np.testing.assert_array_equal(weights, whole[rows])


@pytest.mark.parametrize("fast_probe_rows", [50_000, 0])
@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_all_engines_of_this_process_have_one_hash(monkeypatch, tmp_path, method, fast_probe_rows):
    monkeypatch.setattr("icost._batches.weigher.FAST_PROBE_ROWS", fast_probe_rows)
    monkeypatch.setattr("icost._batches.weigher.PROPOSING_ROWS", 100)
    X, y = make("continuous", 600)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(y=y).sample(frac=1, random_state=0)
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=70)
    lazy = dd.from_pandas(frame, npartitions=4)
    sources = [polars.from_pandas(frame), tmp_path / "table.parquet"]
    columns = [
        np.concatenate(list(icost.weights_of_batches(one, target="y", method=method)))
        for one in sources
    ]
    columns.append(instance_weights(lazy[list("abcd")], lazy["y"], method).compute())
    columns.append(instance_weights(da.from_array(X, chunks=(70, -1)), y, method).compute())
    assert len({hashlib.sha256(np.sort(weights).tobytes()).digest() for weights in columns}) == 1


def test_blocks_of_queries_do_not_change_the_weights(monkeypatch):
    X, y = make("decimal")
    monkeypatch.setattr("icost._batches.weigher.QUERY_BYTES", 20 * (8 * X.shape[1] + 1400))
    weights = instance_weights(da.from_array(X, chunks=(11, -1)), y)
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y))


def test_partitions_without_minority_rows():
    X, y = make("integer")
    order = np.argsort(y, kind="stable")
    X, y = X[order], y[order]
    for method in ("neighbor", "tree"):
        weights = instance_weights(da.from_array(X, chunks=(20, -1)), y, method, random_state=0)
        expected = icost.instance_weights(X, y, method, random_state=0)
        np.testing.assert_array_equal(weights.compute(), expected)


def test_an_empty_partition_changes_nothing():
    # What a filter leaves of a partition may be no row at all.
    X, y = make("integer")
    table = da.from_array(X, chunks=((100, 0, 200), -1))
    for method in ("neighbor", "tree"):
        weights = instance_weights(table, y, method, random_state=0)
        expected = icost.instance_weights(X, y, method, random_state=0)
        np.testing.assert_array_equal(weights.compute(), expected)


def read(block, what, reads):
    if len(block):
        reads.append(what)
    return block


@pytest.mark.parametrize(("rows_per_pass", "n_passes"), [(10**6, 1), (10, 12)])
def test_how_often_the_table_is_read(monkeypatch, rows_per_pass, n_passes):
    X, y = make("continuous")
    assert np.sum(y == 1) == 112
    reads = []
    table = da.from_array(X, chunks=(60, -1)).map_blocks(read, "X", reads, dtype=float, meta=X[:0])
    labels = da.from_array(y, chunks=60).map_blocks(read, "y", reads, dtype=int, meta=y[:0])
    # A row of X, and lists of its 5 + 2 nearest rows with 20 bytes each, ten times.
    query_bytes = rows_per_pass * (8 * X.shape[1] + 1400)
    monkeypatch.setattr("icost._batches.weigher.QUERY_BYTES", query_bytes)
    with dask.config.set(scheduler="sync"):
        weights = instance_weights(table, labels).compute()
    np.testing.assert_array_equal(weights, icost.instance_weights(X, y))
    # Once to gather the minority, once for each of its blocks, and once to weigh.
    assert reads.count("X") == 5 * (2 + n_passes)
    # Before, the classes are counted.
    assert reads.count("y") == 5 * (3 + n_passes)


@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_a_frame_of_one_partition(method):
    X, y = make("integer")
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")).assign(y=y), npartitions=1)
    weights = instance_weights(frame[list("abc")], frame["y"], method, random_state=0)
    expected = icost.instance_weights(X, y, method, random_state=0)
    np.testing.assert_array_equal(weights.compute(), expected)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_the_unit_of_the_features_does_not_matter(scale):
    X, y = make("decimal")
    weights = instance_weights(da.from_array(X * scale, chunks=(UNEVEN, -1)), y)
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y))


def test_one_number_beside_which_all_others_vanish_is_refused():
    X, y = make("decimal")
    X[7, 1] = 1e200
    with pytest.raises(ValueError, match="numbers of comparable size to have neighbours"):
        instance_weights(da.from_array(X, chunks=(UNEVEN, -1)), y)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
def test_the_way_of_searching_may_be_chosen(algorithm):
    X, y = make("decimal")
    measure = NeighborComplexity(5, algorithm=algorithm)
    weights = instance_weights(da.from_array(X, chunks=(UNEVEN, -1)), y, measure)
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y))


def test_single_precision_is_not_widened_on_the_way(monkeypatch):
    from icost._batches import weigher

    seen = []
    call = weigher.find_nearest

    def watched(queries, points, *args, **options):
        seen.append(points.dtype)
        return call(queries, points, *args, **options)

    monkeypatch.setattr(weigher, "find_nearest", watched)
    X, y = make("continuous")
    table = da.from_array(X.astype(np.float32), chunks=(150, -1))
    for method in ("neighbor", "tree"):
        weights = instance_weights(table, y, method, random_state=0).compute()
        expected = icost.instance_weights(X.astype(np.float32), y, method, random_state=0)
        np.testing.assert_array_equal(weights, expected)
    assert set(seen) == {np.dtype(np.float32)}


def test_the_minority_may_be_named():
    X, y = make("continuous")
    weights = instance_weights(da.from_array(X, chunks=(100, -1)), y, minority_label=0)
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y, minority_label=0))


def test_weights_are_lazy_and_of_the_rows_that_were_read():
    X, y = make("continuous")
    changing = da.from_array(X, chunks=(100, -1)).map_blocks(shift, [0], dtype=float, meta=X[:0])
    with dask.config.set(scheduler="sync"):
        weights = instance_weights(changing, y)
        with pytest.raises(ValueError, match="the same rows whenever it is read"):
            weights.compute()


def shift(block, calls):
    calls[0] += len(block) > 0
    # Three partitions, read twice for the neighbours; then they are others.
    return block + (calls[0] > 6)


class OwnComplexity(BaseComplexity):
    def _estimate(self, X, is_minority, **_):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.zeros((300, 2))}, "dask dataframe or a two-dimensional dask array, got ndarray"),
        ({"y": da.zeros(300, chunks=(100,))}, "at least two classes"),
        ({"y": da.zeros(299, chunks=(23,))}, "the partitions of X, 5 of them, got 1 and 13"),
        ({"method": "near"}, "method must be one of"),
        (
            {"method": OwnComplexity()},
            "on dask, since other measures need the whole table, got Own",
        ),
        ({"sample_weight": np.ones(300)}, "sample_weight must not be given for a table in parts"),
        ({"method": NeighborComplexity(metric="cosine")}, "metric on dask must be one of"),
        (
            {"method": NeighborComplexity(neighbors=object)},
            "^neighbors must be None on dask, got <class 'object'>.$",
        ),
        (
            {"method": NeighborComplexity(metric_params={"p": 3})},
            "^metric_params must be None on dask, got {'p': 3}.$",
        ),
        ({"method": NeighborComplexity(algorithm="lsh")}, "^algorithm must be one of 'auto', "),
        ({"method": GiniComplexity(cross_fit=3)}, "cross_fit must be None on dask, got 3"),
        ({"n_neighbors": 300}, "n_neighbors=300 needs at least 301 rows, got 300"),
        ({"n_neighbors": 0}, "n_neighbors must be a whole number >= 1, got 0"),
        ({"cfb": -1}, "cfb must be a finite number >= 0, got -1"),
        ({"preprocessor": GiniComplexity()}, "preprocessor must be 'auto' or None on dask"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_before_any_work(change, message):
    X, y = make("continuous")
    arguments = {"X": da.from_array(X, chunks=(UNEVEN, -1)), "y": y} | change
    with pytest.raises(ValueError, match=message):
        instance_weights(**arguments)


def test_text_columns_and_missing_cells_are_refused():
    X, y = make("continuous")
    text = pd.DataFrame(X, columns=list("abcd")).assign(d="x", y=y)
    text = dd.from_pandas(text, npartitions=2)
    with pytest.raises(ValueError, match="numeric columns only, got .* in column 'd'"):
        instance_weights(text[list("abcd")], text["y"])
    X[120, 2] = np.nan
    with pytest.raises(ValueError, match="missing or infinite cells in partition 1"):
        instance_weights(da.from_array(X, chunks=(100, -1)), y)


def test_partitions_of_other_lengths_are_refused():
    X, y = make("continuous")
    frame = dd.from_pandas(pd.DataFrame(X), npartitions=2)
    labels = da.from_array(y, chunks=((100, 200),))
    with pytest.raises(ValueError, match="rows in common, got 150 and .00 of them in partition"):
        instance_weights(frame, labels).compute()


def test_the_classifier_takes_measure_and_costs_from_an_icost():
    X, y = make("continuous")
    chunks = da.from_array(X, chunks=(100, -1))

    class Keeping(LogisticRegression):
        def fit(self, X, y, sample_weight):
            self.weight_ = sample_weight.compute()
            return self

    settings = icost.iCost(method="tree", cfb=3.0, random_state=0)
    model = DaskICost(Keeping(), icost=settings).fit(chunks, y)
    expected = icost.instance_weights(X, y, "tree", cfb=3.0, random_state=0)
    np.testing.assert_array_equal(model.estimators_[0].weight_, expected)
    assert clone(model).set_params(icost__cfb=2.0).icost.cfb == 2.0
    assert settings.cfb == 3.0


def test_unknown_boosters_are_refused():
    X, y = make("continuous")
    with pytest.raises(ValueError, match="booster must be one of 'xgboost', 'lightgbm'"):
        DaskICost("catboost").fit(da.from_array(X, chunks=(100, -1)), y)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "memory_limit": 0}
    with (
        distributed.LocalCluster(**options, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.mark.parametrize("kind", ["continuous", "integer"])
@pytest.mark.parametrize("method", ["neighbor", "tree"])
def test_two_worker_processes_give_the_weights_of_one(client, kind, method):
    X, y = make(kind)
    weights = instance_weights(da.from_array(X, chunks=(UNEVEN, -1)), y, method, random_state=0)
    expected = icost.instance_weights(X, y, method, random_state=0)
    np.testing.assert_array_equal(weights.compute(), expected)


# dask 2026.8 reads Parquet with an argument that pandas 3.1 deprecates; may go with a later dask.
@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_a_parquet_file_is_weighed_where_it_lies(client, tmp_path):
    X, y = make("integer")
    data = pd.DataFrame(X, columns=list("abc")).assign(y=y, unused=0.0, other=1.0)
    for number in range(6):
        data[50 * number : 50 * number + 50].to_parquet(tmp_path / f"{number}.parquet")
    frame = dd.read_parquet(tmp_path)
    weights = instance_weights(frame[list("abc")], frame["y"])
    assert weights.chunks == ((50,) * 6,)
    np.testing.assert_array_equal(weights.compute(), icost.instance_weights(X, y))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("booster", ["xgboost", "lightgbm"])
@pytest.mark.filterwarnings("ignore")  # of the boosters, about their own cluster
def test_boosters_on_the_cluster_are_as_good_as_on_one_machine(client, booster, n_classes):
    module = pytest.importorskip(f"{booster}")
    local = {"xgboost": "XGBClassifier", "lightgbm": "LGBMClassifier"}[booster]
    remote = {"xgboost": "DaskXGBClassifier", "lightgbm": "DaskLGBMClassifier"}[booster]
    options = {"n_estimators": 15, "max_depth": 3, "n_jobs": 1}
    X, codes = make("continuous", n_samples=1200, n_classes=n_classes)
    y = np.array(["a", "b", "c"])[codes]
    chunks = da.from_array(X, chunks=(300, -1))
    dask_booster = getattr(pytest.importorskip(f"{booster}.dask"), remote)(**options)
    ours = DaskICost(dask_booster).fit(chunks, da.from_array(y, chunks=300))
    theirs = icost.iCost(getattr(module, local)(**options)).fit(X, y)
    proba = ours.predict_proba(chunks).compute()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-5)
    predicted = ours.predict(chunks).compute()
    assert set(predicted) <= set(y)
    assert abs(np.mean(predicted == y) - np.mean(theirs.predict(X) == y)) < 0.03
    for column, label in enumerate(ours.classes_):
        areas = [roc_auc_score(y == label, p[:, column]) for p in (proba, theirs.predict_proba(X))]
        assert abs(areas[0] - areas[1]) < 0.01


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.filterwarnings("ignore")
def test_labels_of_an_eval_set_are_encoded(client, n_classes):
    booster = pytest.importorskip("xgboost.dask").DaskXGBClassifier(n_estimators=8, max_depth=2)
    X, codes = make("continuous", n_classes=n_classes)
    y = np.array(["a", "b", "c"])[codes]
    table, labels = da.from_array(X, chunks=(150, -1)), da.from_array(y, chunks=150)
    model = DaskICost(booster, icost=icost.iCost(method="cs")).fit(
        table, labels, eval_set=[[table, labels]]
    )
    for column, member in enumerate(model.estimators_):
        curve = member.evals_result()["validation_0"]["logloss"]
        target = codes == (1 if n_classes == 2 else column)
        proba = member.predict_proba(table).compute()[:, 1]
        assert curve[-1] == pytest.approx(log_loss(target, proba), rel=1e-3)


def test_an_eval_set_with_a_new_label_is_refused():
    X, y = make("continuous")
    table = da.from_array(X, chunks=(150, -1))

    class Eager(LogisticRegression):
        def fit(self, X, y, sample_weight, eval_set):
            return eval_set[0][1].compute()

    eval_set = [(table, np.where(y == 1, 7, 0))]
    with pytest.raises(ValueError, match="a label of eval_set must be one of the classes 0, 1"):
        DaskICost(Eager(), icost=icost.iCost(method="cs")).fit(table, y, eval_set=eval_set)


def test_a_row_that_every_booster_rejects_has_equal_probabilities():
    class Sure:
        def predict_proba(self, X):
            return da.from_array(np.array([[1.0, 0.0], [0.6, 0.4]]), chunks=(1, 2))

    model = DaskICost()
    model.estimators_, model.classes_ = [Sure()] * 4, np.arange(4)
    assert model.predict_proba(None).compute().tolist() == [[0.25] * 4] * 2


@pytest.mark.filterwarnings("ignore")
def test_boosters_take_frames(client):
    pytest.importorskip("xgboost.dask")
    X, y = make("continuous")
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")).assign(y=y), npartitions=3)
    model = DaskICost("xgboost", icost=icost.iCost(method="tree", random_state=0))
    model.fit(frame[list("abcd")], frame["y"])
    predicted = model.predict(frame[list("abcd")]).compute()
    assert roc_auc_score(y, predicted) > 0.9
