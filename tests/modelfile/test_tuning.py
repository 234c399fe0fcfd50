import pytest
from scipy.stats import uniform

from icost.datasets import load_dataset
from icost.modelfile import tune_model, tuning


@pytest.fixture(scope="module")
def glass():
    return load_dataset("glass2", return_X_y=True)


@pytest.mark.parametrize(
    ("options", "n_candidates", "names"),
    [
        ({"grid": {"cfb": [1.0, 1.5], "cfo": [0.1]}}, 2, {"cfb", "cfo"}),
        ({"grid": [{"cfb": [1.0]}, {"cfb": [1.5, 2.0]}]}, 3, {"cfb"}),
        ({"grid": {"cs_multiplier": [0.5, 1.0]}, "method": "cs"}, 2, {"cs_multiplier"}),
        ({"grid": {"cfp": uniform(0.1, 1.0)}, "search": "random"}, 40, {"cfp"}),
    ],
)
def test_costs_are_named_as_everywhere(glass, options, n_candidates, names):
    model, found = tune_model(*glass, n_splits=2, **options)
    best = found["best"][0]["costs"]
    assert found["n_candidates"] == n_candidates and set(best) == names
    assert model.record["costs"] == {**model.record["costs"], **best}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"grid": {"n_neighbors": [3, 5]}}, "a name in grid must be one of 'cfp', .*'n_neighbors'"),
        ({"grid": [{"cfb": [1.0]}, {"classify__cfb": [1.0]}]}, "got 'classify__cfb'"),
        ({"method": "tree"}, "method must be one of 'cs', 'neighbor', 'gini', .*, got 'tree'"),
    ],
)
def test_what_no_record_can_hold_is_refused_before_the_search(glass, monkeypatch, options, message):
    monkeypatch.setattr(tuning.iCostCV, "fit", lambda *_: pytest.fail("a search was started"))
    with pytest.raises(ValueError, match=message):
        tune_model(*glass, **options)


def test_a_grid_of_another_kind_is_refused(glass):
    with pytest.raises(ValueError, match="grid must be"):
        tune_model(*glass, grid=3.0)
