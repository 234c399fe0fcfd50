from decimal import Decimal

import numpy as np
import pytest
from scipy.sparse import csr_array, issparse
from sklearn.preprocessing import OrdinalEncoder, StandardScaler, TargetEncoder

from icost import TableEncoder, instance_weights
from icost._table._space import NumericSpace, to_numeric_space, warn_if_spreads_differ


def test_numbers_stay_as_they_are():
    X = np.array([[1, 500], [2, -3]], dtype=np.int32)
    space = to_numeric_space(X)
    assert space.dtype == np.float64 and space.tolist() == X.tolist()


def test_missing_numbers_become_the_median():
    X = np.array([[1.0, np.nan], [2.0, 10.0], [np.nan, 30.0], [9.0, 20.0]])
    assert to_numeric_space(X).tolist() == [[1, 20], [2, 10], [2, 30], [9, 20]]


def test_a_column_without_any_value_is_no_difference():
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    assert to_numeric_space(X).tolist() == [[1, 0], [2, 0]]


def test_text_is_encoded_and_then_all_is_scaled():
    X = np.array([[10.0, "a"], [20.0, "b"], [30.0, None]], dtype=object)
    # Levels in order: a, b, missing.
    assert to_numeric_space(X).tolist() == [[0, 1, 0, 0], [0.5, 0, 1, 0], [1, 0, 0, 1]]


def test_objects_that_are_numbers_count_as_numbers():
    X = np.array([[1, True], [2.5, False], [None, True]], dtype=object)
    assert to_numeric_space(X).tolist() == [[1, 1], [2.5, 0], [1.75, 1]]


def test_rare_levels_share_a_dimension():
    X = np.array([[f"level {i}"] for i in range(250)], dtype=object)
    assert to_numeric_space(X).shape == (250, 20)


def test_pandas_columns_go_by_their_type():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    frame = pd.DataFrame(
        {
            "number": [1.0, 2.0, 3.0],
            "nullable": pd.array([1, None, 5], dtype="Int64"),
            "flag": [True, False, True],
            "text": ["u", "v", "u"],
            "level": pd.Categorical([1, 2, 1]),
            "when": pd.to_datetime(["2020-01-01", "2020-01-02", None]),
        }
    )
    expected = [
        # number, nullable (median 3), flag, when (median of the two), then text, then level
        [0.0, 0.0, 1.0, 0.0, 1, 0, 1, 0],
        [0.5, 0.5, 0.0, 1.0, 0, 1, 0, 1],
        [1.0, 1.0, 1.0, 0.5, 1, 0, 1, 0],
    ]
    np.testing.assert_allclose(to_numeric_space(frame), expected)


def test_times_with_a_zone_are_times():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    times = pd.date_range("2020-01-01", periods=3, tz="Europe/Berlin")
    assert to_numeric_space(pd.DataFrame({"when": times})).shape == (3, 1)


def test_polars_columns_go_by_their_type():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    frame = pl.DataFrame(
        {
            "number": [1, None, 5],
            "flag": [True, False, None],
            "text": ["u", "v", "u"],
            "level": pl.Series(["x", None, "x"], dtype=pl.Categorical),
        }
    )
    expected = [[0, 1, 1, 0, 1, 0], [0.5, 0, 0, 1, 0, 1], [1, 0.5, 1, 0, 1, 0]]
    np.testing.assert_allclose(to_numeric_space(frame), expected)


def test_columns_of_the_same_name_are_two_columns():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    frame = pd.DataFrame([[1.0, 5.0], [2.0, 7.0]], columns=["x", "x"])
    assert to_numeric_space(frame).tolist() == [[1, 5], [2, 7]]


def test_sparse_stays_sparse():
    space = to_numeric_space(csr_array(np.eye(3)))
    assert issparse(space) and space.toarray().tolist() == np.eye(3).tolist()


def test_any_transformer_and_none():
    X = np.array([[1.0], [3.0]])
    assert to_numeric_space(X, preprocessor=StandardScaler()).tolist() == [[-1], [1]]
    assert to_numeric_space(X, preprocessor=None).tolist() == [[1], [3]]
    text = np.array([["a"], ["b"]], dtype=object)
    assert to_numeric_space(text, preprocessor=OrdinalEncoder()).tolist() == [[0], [1]]


def test_transformers_see_the_target():
    text = np.array([["a"], ["b"]] * 10, dtype=object)
    y = np.array([0, 1] * 10)
    space = to_numeric_space(text, y, TargetEncoder())
    assert (space[y == 1] > space[y == 0].max()).all()


@pytest.mark.parametrize(
    ("X", "preprocessor", "message"),
    [
        ([[1.0, np.inf]], "auto", "contains infinity"),
        ([[np.nan, np.inf]], "auto", "contains infinity"),
        ([[1.0, np.nan]], None, "contains NaN"),
        ([[1.0]], "none", "preprocessor must be 'auto', a transformer or None, got 'none'"),
        ([[1.0]], 5, "preprocessor must be 'auto', a transformer or None, got 5"),
        ([1.0, 2.0], "auto", "Reshape your data"),
    ],
)
def test_what_cannot_be_used_is_refused(X, preprocessor, message):
    with pytest.raises(ValueError, match=message):
        to_numeric_space(np.array(X), preprocessor=preprocessor)


def test_a_frame_without_rows_is_refused():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    with pytest.raises(ValueError, match="X must have at least one row, got none"):
        to_numeric_space(pd.DataFrame({"x": []}))


def test_spreads_that_differ_draw_a_warning():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    warn_if_spreads_differ(X)
    warn_if_spreads_differ(np.column_stack([X, np.zeros(50)]))
    with pytest.warns(UserWarning, match="spreads of the columns differ by a factor of more"):
        warn_if_spreads_differ(X * [1, 1, 5000])


def test_numbers_whose_sum_overflows_are_finite_all_the_same():
    X = np.full((4, 1), 1e308)
    np.testing.assert_array_equal(to_numeric_space(X), X)


def test_numbers_in_a_list_with_text_stay_numbers():
    table = [[10.0, "a"], [20.0, "b"], [30.0, "a"]]
    assert to_numeric_space(table).tolist() == [[0, 1, 0], [0.5, 0, 1], [1, 1, 0]]


def test_decimals_are_numbers():
    table = np.array([[Decimal("0.5")], [Decimal("2")], [None]], dtype=object)
    assert to_numeric_space(table).tolist() == [[0.5], [2.0], [1.25]]


def test_new_rows_take_medians_levels_and_scales_of_the_training_table():
    train = np.array([[0.0, "a"], [10.0, "b"], [None, "a"]], dtype=object)
    space = NumericSpace()
    np.testing.assert_array_equal(space.fit_transform(train)[:, 0], [0, 1, 0.5])
    new = space.transform(np.array([[20.0, "c"], [None, "b"]], dtype=object))
    # An unknown level is none of the known ones; a number beyond the range stays beyond it.
    np.testing.assert_array_equal(new, [[2, 0, 0], [0.5, 0, 1]])


def test_gaps_in_new_rows_take_the_training_median_where_training_had_none():
    space = NumericSpace()
    space.fit_transform([[1.0, 5.0], [2.0, 7.0], [9.0, 9.0]])
    assert space.transform([[np.nan, 1.0]]).tolist() == [[2, 1]]


def test_text_where_training_had_numbers_is_refused():
    space = NumericSpace()
    space.fit_transform(np.array([[1.0, "a"], [2.0, "b"]], dtype=object))
    with pytest.raises(ValueError, match="column '0' must hold numbers, as in training, got 'x'"):
        space.transform(np.array([["x", "a"]], dtype=object))


def test_a_transformer_is_fitted_to_the_training_table_alone():
    space = NumericSpace(StandardScaler())
    space.fit_transform([[0.0], [2.0]])
    assert space.transform([[3.0]]).tolist() == [[2.0]]


def test_single_precision_is_kept_if_asked_for_and_never_copied():
    X = np.arange(12, dtype=np.float32).reshape(4, 3)
    assert to_numeric_space(X).dtype == np.float64
    for preprocessor in ("auto", None):
        kept = to_numeric_space(X, preprocessor=preprocessor, keep_single=True)
        assert kept.dtype == np.float32 and np.shares_memory(kept, X)
    assert to_numeric_space(np.float16(X), keep_single=True).dtype == np.float64
    gap = np.where(X == 4, np.float32(np.nan), X)
    assert to_numeric_space(gap, keep_single=True).tolist() == [
        [0, 1, 2],
        [3, 7, 5],
        *X[2:].tolist(),
    ]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_frame_of_one_type_is_never_copied(dtype, order):
    pd = pytest.importorskip("pandas")
    X = np.asarray(np.arange(12).reshape(4, 3), dtype=dtype, order=order)
    frame = pd.DataFrame(X, copy=False)
    space = NumericSpace(keep_single=True)
    for kept in (space.fit_transform(frame), space.transform(frame)):
        assert kept.dtype == dtype and np.shares_memory(kept, X)
    np.testing.assert_array_equal(to_numeric_space(frame), X)
    assert to_numeric_space(frame).dtype == np.float64


def test_a_frame_of_several_types_is_one_array_in_double_precision():
    pd = pytest.importorskip("pandas")
    columns = {"a": np.float32([0.1, 2]), "b": [2**53 - 1, 4], "c": [True, False]}
    kept = to_numeric_space(pd.DataFrame(columns))
    assert kept.dtype == np.float64
    assert kept.tolist() == [[np.float32(0.1), 2**53 - 1, 1], [2, 4, 0]]


def mixed_frame():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame({"a": [0.1, 2.0, 7.0], "b": [1, 4, 9], "c": [True, False, False]})


def test_what_must_be_copied_is_copied_in_single_precision_if_that_will_do():
    frame = mixed_frame()
    whole = np.arange(6).reshape(3, 2)
    in_pieces = type(frame)({"a": frame["a"], "b": 2 * frame["a"]}, copy=False)
    for X in (whole, whole > 2, frame, frame[["b"]], in_pieces):
        kept = to_numeric_space(X, keep_single=True)
        assert kept.dtype == np.float32
        np.testing.assert_array_equal(kept, np.asarray(X, dtype=np.float32))
        assert to_numeric_space(X).dtype == np.float64


@pytest.mark.parametrize("probe", ["exact", "fast"])
def test_how_a_table_lies_in_memory_changes_no_weight_of_a_tree(probe, monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.setattr("icost.complexity._gini.FAST_PROBE_ROWS", 100)
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.2).astype(int)
    X = np.column_stack([rng.normal(size=(600, 3)) + y[:, None], rng.integers(9, size=(600, 2))])
    frame = pd.DataFrame(X).astype({3: np.int64, 4: np.int8})
    tables = (X, np.asfortranarray(X), np.float32(X), frame, pd.DataFrame(X))
    given = {"method": "tree", "tree_probe": probe, "random_state": 0}
    first, *others = (instance_weights(table, y, **given) for table in tables)
    assert len(np.unique(first)) > 2
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_gaps_and_huge_numbers_are_not_put_into_single_precision():
    frame = mixed_frame()
    frame.loc[1, "a"] = np.nan
    np.testing.assert_array_equal(
        to_numeric_space(frame, keep_single=True), to_numeric_space(frame), strict=True
    )
    frame.loc[1, "a"] = 1e39
    assert to_numeric_space(frame, keep_single=True)[1, 0] == 1e39
    # Rows from elsewhere may have gaps where the training rows had none.
    space = NumericSpace(keep_single=True)
    space.fit_transform(mixed_frame())
    frame.loc[1, "a"] = np.nan
    assert space.transform(frame)[1, 0] == 2


@pytest.mark.parametrize(
    "names", [("Float32", "Float32"), ("Float64", "Int8"), ("UInt16", "Int64")]
)
def test_numbers_of_polars_become_one_array(names):
    pl = pytest.importorskip("polars")
    columns = {name: [1, 2, 4] for name in "ab"}
    schema = dict(zip("ab", [getattr(pl, name) for name in names], strict=True))
    frame = pl.DataFrame(columns, schema=schema)
    for keep_single in (False, True):
        kept = to_numeric_space(frame, keep_single=keep_single)
        is_single = keep_single and set(names) == {"Float32"}
        assert kept.dtype == (np.float32 if is_single else np.float64)
        assert kept.tolist() == [[1, 1], [2, 2], [4, 4]]
    gap = pl.DataFrame({"a": [1, None, 4], "b": [1, 2, 5]}, schema=schema)
    assert to_numeric_space(gap).tolist() == [[1, 1], [2.5, 2], [4, 5]]


def test_another_number_of_columns_than_in_training_is_refused():
    space = NumericSpace()
    space.fit_transform(np.ones((3, 2)))
    with pytest.raises(ValueError, match="X has 4 features, but 2 are expected"):
        space.transform(np.ones((3, 4)))


TIMES = ["2024-01-31 22:30", "2024-02-01 03:00", None, "2025-07-01 12:00:00.25"]


def _columns_of_times():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    plain = pd.to_datetime(pd.Series(TIMES), format="ISO8601").astype("datetime64[ns]")
    for unit in ("ms", "us", "ns"):
        yield f"pandas {unit}", plain.astype(f"datetime64[{unit}]").to_frame("t")
        yield f"NumPy {unit}", plain.to_numpy().astype(f"datetime64[{unit}]").reshape(-1, 1)
        yield f"Arrow {unit}", plain.astype(f"timestamp[{unit}][pyarrow]").to_frame("t")
        yield f"polars {unit}", pl.from_pandas(plain.to_frame("t")).cast(pl.Datetime(unit))
    zoned = plain.dt.tz_localize("UTC")
    yield "pandas zoned", zoned.dt.tz_convert("America/New_York").to_frame("t")
    yield "Arrow zoned", zoned.astype("timestamp[us, tz=Europe/Berlin][pyarrow]").to_frame("t")
    yield "polars zoned", pl.from_pandas(zoned.dt.tz_convert("Asia/Tokyo").to_frame("t"))


@pytest.mark.parametrize(("name", "column"), _columns_of_times())
def test_times_are_utc_seconds_whatever_their_unit_and_zone(name, column):
    expected = [1706740200, 1706756400, 1706756400, 1751371200.25]
    assert to_numeric_space(column)[:, 0].tolist() == expected


def test_a_model_of_nanoseconds_reads_microseconds():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    times = pd.Series(pd.date_range("2024-01-01", periods=40, freq="D"))
    encoder = TableEncoder().fit(times.astype("datetime64[ns]").to_frame("t"))
    expected = encoder.transform(times.astype("datetime64[ns]").to_frame("t"))
    for unit in ("s", "ms", "us"):
        new = times.astype(f"datetime64[{unit}]").to_frame("t")
        np.testing.assert_array_equal(encoder.transform(new), expected)


def test_spans_and_periods_are_seconds():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    spans = pd.to_timedelta(["1 day", "90 s", "2 h"])
    for unit in ("s", "ns"):
        frame = pd.DataFrame({"t": spans.astype(f"timedelta64[{unit}]")})
        assert to_numeric_space(frame)[:, 0].tolist() == [86400, 90, 7200]
    months = pd.DataFrame({"t": pd.PeriodIndex(["1970-01", "1970-02", "1970-03"], freq="M")})
    assert to_numeric_space(months)[:, 0].tolist() == [0, 31 * 86400, 59 * 86400]
