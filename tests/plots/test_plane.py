import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array

from icost.plots._drawing import to_plane


def test_two_numeric_columns_are_drawn_as_they_are():
    points, names = to_plane(pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}))
    assert points.tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert names == ("a", "b")


def test_more_columns_are_projected_with_their_share_of_variance():
    line = np.arange(5.0)[:, np.newaxis] * [1.0, 10.0, -3.0]
    points, names = to_plane(line)
    assert names == ("component 1 (100%)", "component 2 (0%)")
    assert np.ptp(points[:, 1]) < 1e-9


@pytest.mark.parametrize("kind", [np.asarray, pd.DataFrame, pl.DataFrame, csr_array])
def test_features_by_position_whatever_the_container(kind):
    points, _ = to_plane(kind(np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])), features=[2, 0])
    assert np.asarray(points).tolist() == [[3.0, 1.0], [6.0, 4.0]]


def test_names_that_are_numbers_are_no_positions():
    frame = pd.DataFrame([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], columns=[2, 1, 10])
    for features in ([2, 10], ["2", "10"], ["2", 10]):
        points, names = to_plane(frame, features)
        assert points.tolist() == [[1.0, 3.0], [4.0, 6.0]]
        assert names == ("2", "10")
    # 0 is no name here, so it is the first column's position.
    assert to_plane(frame, [0, 10])[1] == ("2", "10")
    assert to_plane(frame[[1, 10]])[1] == ("1", "10")


def test_a_text_column_among_two_leads_to_a_projection():
    points, names = to_plane(pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": ["x", "y", "z"]}))
    assert points.shape == (3, 2)
    assert names[0].startswith("component 1")


def test_thousands_of_columns_take_no_covariance(monkeypatch):
    rng = np.random.default_rng(0)
    signal = np.linspace(-1, 1, 40)[:, np.newaxis] * 20 * rng.normal(size=1200)
    wide = signal + rng.normal(size=(40, 1200))
    points, names = to_plane(wide)
    monkeypatch.setattr("icost.plots._drawing.MANY_COLUMNS", 1200)
    exact, exact_names = to_plane(wide)
    assert names[0] == exact_names[0] != "component 1 (0%)"
    assert abs(np.corrcoef(points[:, 0], exact[:, 0])[0, 1]) > 0.999

    def refuse(*_, **__):
        raise AssertionError("a covariance of all columns")

    monkeypatch.undo()
    monkeypatch.setattr("scipy.linalg.eigh", refuse)
    monkeypatch.setattr("numpy.linalg.eigh", refuse)
    to_plane(wide)


def test_one_constant_column_can_still_be_drawn():
    points, _ = to_plane(np.ones((4, 1)))
    assert points.tolist() == [[0.0, 0.0]] * 4


@pytest.mark.parametrize("features", [[0], [0, 9], ["a", "zz"], [True, 0]])
def test_wrong_features_are_named(features):
    with pytest.raises(ValueError, match="got"):
        to_plane(pd.DataFrame({"a": [1.0], "b": [2.0], "c": [3.0]}), features)
