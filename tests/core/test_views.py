"""What findings look like in a terminal and in a notebook."""

from html import escape

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from icost import compare, iCost, iCostEnsemble, label_quality
from icost._core.views import (
    MAX_LINES,
    MAX_ROWS,
    METRICS,
    Scores,
    View,
    alerts_text,
    interval_text,
    score_name,
    score_text,
)
from icost.datasets import load_dataset
from icost.modelfile import fit_model, load_model, save_model
from icost.report import analyze
from icost.thresholds._certificate import Certificate

X, Y = load_dataset("glass2", return_X_y=True)


@pytest.fixture(scope="module")
def comparison():
    return compare(X, Y, strategies=["ncs", "cs", "smote"], n_repeats=1)


def test_a_comparison_fits_a_screen(comparison):
    lines = repr(comparison).splitlines()
    assert 3 <= len(lines) <= MAX_LINES
    assert lines[0] == "Comparison of 3 candidates, 5 stratified folds"
    assert lines[1] == comparison.recommendation["sentence"]


def test_a_comparison_says_what_to_check_and_how_to_keep_it(comparison):
    method = comparison.recommendation["strategy"]
    call = f"icost.modelfile.fit_model(X, y, classifier='lr', method='{method}')"
    assert comparison.verdict[-2:] == ["Before you do: 1 duplicate row.", f"Keep it: {call}"]
    assert call in repr(comparison)
    assert fit_model(X, Y, classifier="lr", method=method, n_splits=2).record["method"] == method


def test_a_comparison_is_a_table_in_a_notebook(comparison):
    html = comparison._repr_html_()
    assert html.count("<tr>") == 1 + len(comparison.strategies)
    score = comparison.strategies[0]["scores"]["mcc"]
    assert f"<td>{score['mean']:.2f}</td>" in html
    found = comparison.strategies[0]["scores"]["sensitivity"]["mean"]
    assert f"<td>{100 * found:.0f}</td>" in html and html.count("<td>→ ") == 1


def test_a_comparison_is_a_frame(comparison):
    frame = comparison.to_frame()
    assert list(frame["strategy"]) == ["ncs", "cs", "smote"]
    best = comparison.strategies[1]
    assert frame.loc[best["label"], "f1"] == best["scores"]["f1"]["mean"]
    assert frame.loc[best["label"], "low"] == best["scores"]["mcc"]["low"]


def test_a_comparison_is_a_page(comparison, tmp_path):
    path = tmp_path / "page.html"
    comparison.save_page(path)
    page = path.read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>") and "<h1>Comparison of strategies</h1>" in page
    assert "default-src 'none'" in page and page.count("<circle cx=") == 200
    assert escape(comparison.verdict[0]) in page and 'data-figure="scores"' in page
    assert "Keep it:" in page and 'id="hardest"' not in page


def test_text_of_a_table_is_never_markup():
    view = View("<b>", ["a & b"], ["<i>"], [["<script>"]])
    assert "<script>" not in view.html() and "&lt;script&gt;" in view.html()
    assert "a &amp; b" in view.html() and "<strong>&lt;b&gt;</strong>" in view.html()


def test_long_findings_are_cut():
    view = View("title", [f"sentence\n{place}" for place in range(20)], ["x"], [[1]] * 30)
    assert view.text().splitlines()[-2:] == ["sentence 5", "…"]
    assert len(view.text().splitlines()) == MAX_LINES
    assert view.html().count("<tr>") == MAX_ROWS + 1 and "and 18 more" in view.html()


def test_labels_and_their_suspects():
    labels = np.repeat(["no", "<yes>"], 30)
    labels[40] = "no"
    values = np.repeat([[0.0], [1.0]], 30, axis=0) + np.linspace(0, 0.1, 60)[:, np.newaxis]
    quality = label_quality(values, labels, random_state=0)
    assert repr(quality).startswith("LabelQuality(60 rows")
    html = quality._repr_html_()
    assert "<td>40</td><td>no</td><td>&lt;yes&gt;</td>" in html and html.count("<tr>") == 2


def test_categories_have_counts_and_weights():
    record = iCost().fit(X, Y).complexity_
    assert "17 minority rows; safe: 2, border: 9, outlier: 6; " in repr(record)
    weight = record.penalty[record.category == "border"].mean()
    assert f"<td>border</td><td>9</td><td>{weight:.2f}</td>" in record._repr_html_()


def test_a_model_says_what_it_is_and_how_good(snapshot):
    model = fit_model(X, Y, method="cs", n_splits=2)
    snapshot("model", repr(model))
    first, second = repr(model).splitlines()[:2]
    assert first.endswith("from 9 columns, fitted on 214 rows")
    assert second == "Scores are from 2 stratified folds."
    assert f"<td>MCC</td><td>{model.record['metrics']['mcc']:.2f}</td>" in model._repr_html_()


def test_scores_have_one_name_and_no_minus_before_zero():
    assert [score_name(name) for name in ("mcc", "roc_auc", "accuracy")] == [
        "MCC",
        "AUC",
        "Accuracy",
    ]
    less_is_better = {name for name, (_, _, is_more) in METRICS.items() if not is_more}
    assert less_is_better == {"brier", "cost"}
    digits = {name: number for name, (_, number, _) in METRICS.items()}
    assert digits == dict.fromkeys(METRICS, 2) | {"brier": 3, "cost": 3}
    assert interval_text("mcc", -0.004, 0.178) == "0.00 to 0.18"
    assert score_text("brier", -0.0004) == "0.000" and score_text("mcc", -0.006) == "-0.01"


@pytest.mark.filterwarnings("ignore:Few rows of class")
def test_scores_of_an_ensemble_survive_a_file(tmp_path):
    pytest.importorskip("skops")
    ensemble = iCostEnsemble(LogisticRegression(max_iter=1000), n_splits=2, random_state=0)
    scores = ensemble.fit(X, Y).oof_score_
    assert isinstance(scores, Scores) and scores == dict(scores)
    value = scores["mcc"]["value"]
    assert f"MCC {value:.2f} (" in repr(scores) and f"<td>{value:.2f}</td>" in scores._repr_html_()
    frame = scores.to_frame()
    assert list(frame.columns) == ["value", "low", "high"] and frame.loc["mcc", "value"] == value
    model = fit_model(X, Y, method="ensemble", n_splits=2)
    save_model(model, tmp_path / "m.skops")
    loaded = load_model(tmp_path / "m.skops").estimator[-1].oof_score_
    assert repr(loaded) == repr(model.estimator[-1].oof_score_)


def test_a_certificate_is_a_sentence():
    certificate = Certificate("stable", 0.19, 0.9, (), 0.84, 0.76, 0.9, 0.57, 0.15)
    assert repr(certificate) == f"Certificate: {certificate}"
    assert "expect to find 84 of 100 (76 to 90)" in repr(certificate)


def test_an_analysis_is_a_few_sentences():
    found = analyze(X, Y, with_map=False)
    assert len(repr(found).splitlines()) <= 8 and repr(found).startswith("table: ")
    assert "imbalance ratio" in found._repr_html_()


@pytest.mark.parametrize(
    ("number", "text"), [(1.2, "1 alert"), (0.3, "0.3 alerts"), (20, "20 alerts")]
)
def test_one_alert_is_singular(number, text):
    assert alerts_text(number) == text
