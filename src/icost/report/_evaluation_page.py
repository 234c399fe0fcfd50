"""The page of an evaluation: promises first, then scores, pictures and tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from icost._core.files import write_whole
from icost.evaluation._words import (
    class_table,
    cut_rows,
    evaluation_title,
    level_table,
    score_table,
)
from icost.modelfile._table_check import installed_versions
from icost.plots._drawing import ACCENT, MAJORITY_COLOR
from icost.report._figures import decision_figure
from icost.report._page import render_page

if TYPE_CHECKING:
    from icost.evaluation import Evaluation

TABLES = (
    ("scores", "Scores", score_table),
    ("classes", "Classes", class_table),
    ("levels", "Levels of columns", level_table),
    ("cuts", "Ten cuts", cut_rows),
)
"""Sections that are tables."""

HINTS = {
    "scores": "Intervals are at 95 %, each for itself. Expected is what the model scored on rows "
    "held out at its fit; a score differs if both intervals together leave no room for chance.",
    "levels": "A star marks what is not as among the other rows (Fisher's exact test, corrected "
    "for the number of levels).",
    "cuts": "What each cut finds on these rows, and what it costs.",
}


def write_evaluation_page(
    path: str | os.PathLike[str], evaluation: Evaluation, *, command: str = ""
) -> None:
    """Write the page of an evaluation; one that is there is replaced."""
    write_whole(path, evaluation_page(evaluation, command=command))


def evaluation_page(evaluation: Evaluation, *, command: str = "") -> str:
    """Return the page of an evaluation; nothing is computed for it."""
    tables = []
    for name, title, make in TABLES:
        columns, rows = make(evaluation)
        if rows:
            tables.append((name, title, HINTS.get(name, ""), columns, rows))
    n_promises = len(evaluation.promises)
    return render_page(
        "evaluation.html",
        figures=_figures(evaluation),
        data={},
        title=f"{evaluation.target}: evaluation",
        lead=evaluation_title(evaluation),
        promises=evaluation.promises,
        sentences=evaluation.sentences[n_promises:],
        tables=tables,
        has_curve=bool(evaluation.curve),
        has_calibration=evaluation.calibration is not None,
        command=command,
        versions=installed_versions(("numpy", "scikit-learn", "pandas")),
    )


def _figures(evaluation: Evaluation) -> dict[str, Any]:
    figures = {}
    if evaluation.curve:
        curve = {name: values.tolist() for name, values in evaluation.curve.items()}
        recall, specificity = (
            evaluation.scores[n].now.value for n in ("sensitivity", "specificity")
        )
        assert evaluation.alerts is not None
        chosen = (100 * recall, 100 * (1 - specificity), 1000 * evaluation.alerts.now.value)
        figures["decision"] = decision_figure({"curve": curve, "chosen": chosen})
    if evaluation.calibration is not None:
        figures["calibration"] = _calibration(evaluation.calibration)
    return figures


def _calibration(calibration: Any) -> dict[str, Any]:
    """Draw shares against probabilities, with the exact interval of each point."""
    points = calibration.curve
    largest = max([point.share.high for point in points] + [point.proba for point in points])
    errors = {
        "type": "data",
        "symmetric": False,
        "array": [point.share.high - point.share.value for point in points],
        "arrayminus": [point.share.value - point.share.low for point in points],
    }
    shares = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": [point.proba for point in points],
        "y": [point.share.value for point in points],
        "error_y": errors,
        "line": {"color": ACCENT, "width": 2},
        "name": "observed share, 95 %",
    }
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "x": [0, largest],
        "y": [0, largest],
        "line": {"color": MAJORITY_COLOR, "width": 1, "dash": "dash"},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    layout = {
        "height": 380,
        "xaxis": {"title": {"text": "predicted probability"}, "rangemode": "tozero"},
        "yaxis": {"title": {"text": "observed share"}, "rangemode": "tozero", "automargin": True},
        "margin": {"t": 12, "r": 16, "b": 48, "l": 52},
        "showlegend": False,
    }
    return {"data": [diagonal, shares], "layout": layout}
