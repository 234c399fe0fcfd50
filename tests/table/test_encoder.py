import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_array, issparse
from sklearn import clone, config_context
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from icost import TableEncoder
from icost._table._columns import read_table

N = 200
RANDOM = np.random.default_rng(0)
Y = np.repeat(["often", "rare"], [160, 40])
TABLE = pd.DataFrame(
    {
        "size": np.where(np.arange(N) % 7 == 0, np.nan, RANDOM.normal(size=N).round(2)),
        "when": pd.date_range("2023-11-01 08:00", periods=N, freq="31h"),
        "colour": RANDOM.choice(["red", "blue"], N),
        "shop": np.where(Y == "rare", "s", "t") + pd.Series(RANDOM.integers(0, 20, N)).astype(str),
        "text": [
            f"a {w} came {n} times" for n, w in enumerate(np.where(Y == "rare", "fox", "hen"))
        ],
        "code": [f"x{place}" for place in range(N)],
        "one": 1,
    }
)


def names_of(encoder):
    return encoder.get_feature_names_out().tolist()


def test_each_type_becomes_numbers_of_its_own():
    encoder = TableEncoder()
    numbers = encoder.fit_transform(TABLE, Y)
    names = names_of(encoder)
    assert names[:7] == [
        "size",
        *(f"when: {part}" for part in ("seconds", "year", "month", "day of year", "weekday")),
        "when: hour",
    ]
    assert "shop: share of the minority" in names and "text: topic 1" in names
    assert names[-2:] == ["colour = blue", "colour = red"]
    assert not [name for name in names if name.startswith(("code", "one"))]
    assert numbers.shape == (N, len(names)) and np.isfinite(numbers).all()
    scaled = numbers[:, : len(names) - 2]
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-9)


def test_parts_of_a_date_are_those_of_the_calendar():
    days = pd.DataFrame({"d": ["2024-02-29 13:30", "2023-12-31 00:00", None]})
    encoder = TableEncoder(scaler="none")
    numbers = encoder.fit_transform(days)
    parts = dict(zip(names_of(encoder), numbers.T.tolist(), strict=True))
    assert parts["d: year"][:2] == [2024, 2023] and parts["d: month"][:2] == [2, 12]
    assert parts["d: day of year"][:2] == [60, 365] and parts["d: weekday"][:2] == [3, 6]
    assert parts["d: hour"] == [13, 0, 6.5]  # the median for the gap


@pytest.mark.parametrize("classes", [2, 3])
def test_many_levels_are_the_share_of_classes_among_other_rows(classes):
    shops = np.array([f"shop{number}" for number in RANDOM.integers(0, 30, 600)])
    frame, y = pd.DataFrame({"shop": shops}), RANDOM.integers(0, classes, 600)
    encoder = TableEncoder(scaler="none")
    crossed = encoder.fit_transform(frame, y)
    own = encoder.transform(frame)
    assert own.shape[1] == (1 if classes == 2 else 3) == len(names_of(encoder))
    # Labels of noise are in the shares of all rows, and not in those of other folds.
    minority = np.argmin(np.bincount(y)) if classes == 2 else 0
    inside, outside = (np.corrcoef(x[:, 0], y == minority)[0, 1] for x in (own, crossed))
    assert inside > 0.15 > outside
    unseen = encoder.transform(pd.DataFrame({"shop": ["new", None]}))
    np.testing.assert_allclose(unseen[:, 0], np.mean(y == minority))


def test_without_labels_many_levels_are_their_frequency():
    encoder = TableEncoder(scaler="none").fit(TABLE[["shop"]])
    assert names_of(encoder) == ["shop: frequency"]
    first = TABLE["shop"].iloc[0]
    assert encoder.transform(TABLE[["shop"]])[0, 0] == (TABLE["shop"] == first).mean()


def test_gaps_have_a_column_where_they_tell():
    values = np.where((Y == "rare") & (RANDOM.random(N) < 0.6), np.nan, RANDOM.normal(size=N))
    anywhere = np.where(np.arange(N) % 9 == 0, np.nan, 1.5 + np.arange(N))
    frame = pd.DataFrame({"tells": values, "anywhere": anywhere})
    encoder = TableEncoder(scaler="none")
    numbers = encoder.fit_transform(frame, Y)
    assert names_of(encoder) == ["tells", "anywhere", "tells: missing"]
    assert numbers[:, 2].tolist() == np.isnan(values).astype(float).tolist()
    assert numbers[0, 1] == np.nanmedian(anywhere)


def test_numbers_are_scaled_as_asked():
    X = np.array([[0.0, 5.0], [4.0, 7.0]])
    assert TableEncoder(scaler="none").fit_transform(X).tolist() == X.tolist()
    assert TableEncoder(scaler="minmax").fit_transform(X).tolist() == [[0, 0], [1, 1]]
    assert TableEncoder().fit_transform(X).tolist() == [[-1, -1], [1, 1]]
    with pytest.raises(ValueError, match="scaler must be one of"):
        TableEncoder(scaler="robust").fit(X)


def test_new_levels_gaps_and_texts_are_read():
    encoder = TableEncoder().fit(TABLE, Y)
    new = TABLE.head(3).assign(colour=["green", None, "red"], text=[None, "quite new", ""])
    new["when"] = pd.NaT
    numbers = encoder.transform(new)
    assert np.isfinite(numbers).all() and numbers[:2, -2:].tolist() == [[0, 0], [0, 0]]


def test_libraries_and_files_give_equal_bits(tmp_path):
    expected = TableEncoder().fit_transform(TABLE, Y)
    TABLE.to_csv(tmp_path / "t.csv", index=False)
    TABLE.to_parquet(tmp_path / "t.parquet")
    others = [
        pl.from_pandas(TABLE),
        pa.Table.from_pandas(TABLE),
        pd.read_csv(tmp_path / "t.csv"),
        pd.read_parquet(tmp_path / "t.parquet"),
        read_table(TABLE),
    ]
    for other in others:
        assert TableEncoder().fit_transform(other, Y).tobytes() == expected.tobytes()


def test_labels_of_any_kind_give_equal_bits():
    expected = TableEncoder().fit_transform(TABLE, Y)
    for labels in (Y == "rare", np.where(Y == "rare", -1, 1), pd.Series(Y)):
        assert TableEncoder().fit_transform(TABLE, labels).tobytes() == expected.tobytes()


def test_a_part_of_a_table_is_read_by_the_types_of_the_whole():
    types = read_table(TABLE).types
    part = TABLE.head(10)
    assert TableEncoder(types=types).fit(part).types_ is types
    assert TableEncoder().fit(part).types_ != types


def test_output_and_clones_are_those_of_scikit_learn():
    model = clone(make_pipeline(TableEncoder(drop=["text"]), LogisticRegression(max_iter=1000)))
    assert set(model.fit(TABLE, Y).predict(TABLE)) == {"often", "rare"}
    encoder = TableEncoder().set_output(transform="pandas").fit(TABLE, Y)
    frame = encoder.transform(TABLE)
    assert list(frame.columns) == names_of(encoder)
    with config_context(transform_output="polars"):
        assert TableEncoder().fit(TABLE).transform(TABLE).columns[0] == "size"


def test_sparse_tables_stay_sparse():
    X = csr_array(np.diag([1.0, 2.0, 3.0]))
    encoded = TableEncoder().fit_transform(X)
    assert issparse(encoded) and encoded.nnz == 3
    assert TableEncoder(scaler="minmax").fit_transform(X).max() == 1


def test_rows_of_weight_zero_teach_nothing():
    weight = np.where(np.arange(N) % 5 == 0, 0.0, 2.0)
    kept = weight > 0
    encoder = TableEncoder(drop=["code"]).fit(TABLE, Y, sample_weight=weight)
    alone = TableEncoder(types=encoder.types_).fit(TABLE[kept], Y[kept])
    np.testing.assert_allclose(encoder.transform(TABLE), alone.transform(TABLE), atol=1e-9)
    crossed = TableEncoder(drop=["code"]).fit_transform(TABLE, Y, sample_weight=weight)
    assert crossed.shape == encoder.transform(TABLE).shape


def test_a_table_that_says_nothing_is_a_column_of_zeros():
    encoder = TableEncoder()
    assert encoder.fit_transform(pd.DataFrame({"a": [1, 1], "b": [None, None]})).tolist() == [
        [0],
        [0],
    ]
    assert names_of(encoder) == ["nothing"]
