"""What a saved model says of itself."""

from icost.datasets import load_dataset
from icost.modelfile import fit_model

X, Y = load_dataset("glass2", return_X_y=True)


def test_scores_of_a_model_are_a_frame_with_ends_where_they_are_known():
    plain = fit_model(X, Y, method="cs", n_splits=3)
    frame = plain.to_frame()
    assert frame.loc["mcc", "value"] == plain.record["metrics"]["mcc"]
    assert frame[["low", "high"]].isna().all(axis=None)
    scores = fit_model(X, Y, method="ensemble").to_frame().loc["mcc"]
    assert scores["low"] < scores["value"] < scores["high"]
