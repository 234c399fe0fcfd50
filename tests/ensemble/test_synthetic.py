"""Synthetic rows in tables of all kinds."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from icost.ensemble._synthetic import _widths, add_synthetic, level_columns, rows_wanted

CODES = np.repeat([0, 1], [30, 6])


def numbers():
    return np.random.default_rng(0).normal(size=(36, 3)) + CODES[:, None]


@pytest.mark.parametrize(("power", "expected"), [(1.0, 30), (0.5, 13)])
def test_how_many_rows_a_class_is_brought_to(power, expected):
    assert rows_wanted(CODES, power) == {1: expected}


def test_a_class_with_one_row_is_left_as_it_is():
    assert rows_wanted(np.array([0, 0, 0, 1, 2, 2]), 1.0) == {2: 3}


def test_the_rows_come_first_and_synthetic_ones_lie_between_them():
    X = numbers()
    new, codes = add_synthetic(X, CODES, 1.0, seed=0)
    np.testing.assert_array_equal(new[:36], X)
    assert codes[36:].tolist() == [1] * 24
    minority = X[CODES == 1]
    assert (new[36:] >= minority.min(axis=0) - 1e-12).all()
    assert (new[36:] <= minority.max(axis=0) + 1e-12).all()


def test_the_seed_decides():
    X = numbers()
    one, again, other = (add_synthetic(X, CODES, 1.0, seed)[0] for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_sparse_rows_stay_sparse():
    new, codes = add_synthetic(csr_array(np.abs(numbers())), CODES, 1.0, seed=0)
    assert new.shape == (60, 3) and len(codes) == 60 and new.format == "csr"


def test_gaps_are_inherited_from_the_nearest_row_of_the_class():
    X = numbers()
    X[CODES == 1, 0] = [np.nan] * 6
    new, _ = add_synthetic(X, CODES, 1.0, seed=0)
    assert np.isnan(new[36:, 0]).all() and not np.isnan(new[36:, 1:]).any()
    X[-1, 0] = 1.0
    some = np.isnan(add_synthetic(X, CODES, 1.0, seed=0)[0][36:, 0])
    assert some.any() and not some.all()


def test_infinite_cells_are_refused():
    X = numbers()
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        add_synthetic(X, CODES, 1.0, seed=0)


def test_lists_and_object_arrays_with_text():
    rows = [[1.0 * i, "u" if i % 2 else "v"] for i in range(36)]
    new, _ = add_synthetic(np.array(rows, dtype=object), CODES, 1.0, seed=0)
    assert new.shape == (60, 2) and set(new[36:, 1]) <= {"u", "v"}
    assert all(isinstance(value, float) for value in new[36:, 0])


def test_text_alone():
    X = np.array([["u" if i % 3 else "v", "x"] for i in range(36)], dtype=object)
    new, _ = add_synthetic(X, CODES, 1.0, seed=0)
    assert set(new[36:, 0]) <= {"u", "v"} and set(new[36:, 1]) == {"x"}


def test_pandas_columns_keep_their_kinds():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=36),
            "text": rng.choice(["a", "b"], 36),
            "category": pd.Categorical(rng.choice(["u", "v"], 36), categories=["w", "v", "u"]),
            "gap": np.where(np.arange(36) % 5 == 0, None, "z"),
        },
        index=np.arange(100, 136),
    )
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    assert list(new.columns) == list(frame.columns) and len(new) == 60
    assert new["category"].dtype == frame["category"].dtype
    assert new["number"].dtype == np.float64
    assert set(new["gap"][36:].dropna()) <= {"z"}
    assert new[:36].reset_index(drop=True).equals(frame.reset_index(drop=True))


def test_polars_columns_keep_their_kinds():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    rng = np.random.default_rng(0)
    frame = pl.DataFrame({"n": rng.normal(size=36), "t": rng.choice(["a", "b"], 36).tolist()})
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    assert new.shape == (60, 2) and new["t"].dtype == pl.String


def test_times_and_truth_values_keep_their_kinds_in_pandas():
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, 36), "D")
    frame = pd.DataFrame(
        {
            "day": days,
            "zoned": days.tz_localize("Europe/Berlin"),
            "span": days - days[0],
            "flag": rng.random(36) < 0.5,
            "maybe": pd.array(rng.choice([True, False, None], 36), dtype="boolean"),
            "small": rng.normal(size=36).astype(np.float32),
            "count": rng.integers(0, 9, 36),
            "word": pd.array(rng.choice(["a", "b"], 36), dtype="string"),
        }
    )
    frame.loc[35, "day"] = pd.NaT
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    kept = [name for name in frame if name != "count"]
    assert new[kept].dtypes.tolist() == frame[kept].dtypes.tolist()
    # Whole numbers alone become fractions, as what lies between them is one.
    assert new["count"].dtype == np.float64
    own = frame[CODES == 1]
    assert new["day"][36:].dropna().between(own["day"].min(), own["day"].max()).all()
    assert (new["zoned"][36:] >= own["zoned"].min()).all()
    # The rows themselves are as they were.
    pd.testing.assert_frame_equal(new[:36], frame.astype({"count": float}))


def test_times_and_truth_values_keep_their_kinds_in_polars():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    from datetime import date, datetime, timedelta

    frame = pl.DataFrame(
        {
            "day": [date(2024, 1, 1) + timedelta(days=i) for i in range(36)],
            "time": [datetime(2024, 1, 1) + timedelta(hours=i) for i in range(36)],
            "span": [timedelta(minutes=i) for i in range(36)],
            "flag": [i % 2 == 0 for i in range(36)],
            "gap": [None if i % 3 == 0 else 1.0 * i for i in range(36)],
            "word": [None if i % 7 == 0 else "a" for i in range(36)],
        }
    ).with_columns(pl.col("time").dt.replace_time_zone("Europe/Berlin").alias("zoned"))
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    assert new.schema == frame.schema and new[:36].equals(frame)
    assert new["day"][36:].min() >= frame["day"][30] and new["flag"][36:].null_count() == 0
    assert 0 < new["gap"][36:].null_count() < 24 and not new["gap"][36:].is_nan().any()


def test_truth_values_are_levels_in_arrays_too():
    flags = np.random.default_rng(0).random((36, 3)) < 0.5
    new, _ = add_synthetic(flags, CODES, 1.0, seed=0)
    assert new.dtype == bool and len(new) == 60
    mixed = np.empty((36, 2), dtype=object)
    mixed[:, 0], mixed[:, 1] = flags[:, 0], np.arange(36.0)
    new, _ = add_synthetic(mixed, CODES, 1.0, seed=0)
    assert set(new[:, 0]) <= {True, False} and level_columns(mixed) == [True, False]
    times = np.array("2024-01-01", dtype="M8[s]") + np.arange(72).reshape(36, 2)
    new, _ = add_synthetic(times, CODES, 1.0, seed=0)
    assert new.dtype == times.dtype and (new[36:] >= times[30:].min()).all()


def test_columns_of_different_units_are_scaled_for_finding_neighbours():
    rng = np.random.default_rng(0)
    # The first column tells which of two clusters a row is in, the second is noise in large units.
    codes, cluster = np.repeat([0, 1], [300, 60]), np.arange(360) % 2
    X = np.column_stack([10 * cluster + rng.normal(size=360), 1e6 * rng.normal(size=360)])

    def share_between(**options):
        made = add_synthetic(X, codes, 1.0, seed=0, **options)[0][360:]
        return np.mean((made[:, 0] > 4) & (made[:, 0] < 6))

    assert share_between() > 0.05 > share_between(scale=True)
    # A standardised table is left alone, to the bit.
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    one, other = (add_synthetic(Z, codes, 1.0, seed=0, scale=scale)[0] for scale in (True, False))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("uint8", "float64"), ("Int64", "Float64"), ("int64[pyarrow]", "double[pyarrow]")],
)
def test_whole_numbers_become_fractions_of_their_own_library(kind, expected):
    pd = pytest.importorskip("pandas", reason="the extra `data` is not installed")
    if "pyarrow" in kind:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame = pd.DataFrame({"x": numbers()[:, 0], "count": pd.array(np.arange(36), dtype=kind)})
    new, _ = add_synthetic(frame, CODES, 1.0, seed=0)
    assert str(new["count"].dtype) == expected


def test_a_constant_column_keeps_its_width_whatever_rounding_left_of_its_spread():
    # The standard deviation of many equal numbers may be a trace above 0.
    constant, spread = np.full(1000, 0.1), np.linspace(0.0, 5000.0, 1000)
    widths = _widths(np.column_stack([constant, spread]))
    assert widths[0] == 1.0 and widths[1] == pytest.approx(spread.std())
