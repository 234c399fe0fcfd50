"""Figures of the page as plain dictionaries, in Plotly's vocabulary.

Colours that depend on the theme are left to the page's script. Text from the user's table is
escaped, since Plotly takes some HTML for markup.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from icost.complexity.base import NEIGHBOR_CATEGORIES, PAPER_CATEGORIES
from icost.plots.palette import ACCENT, MAJORITY_COLOR, category_color
from icost.report.analysis import Analysis

if TYPE_CHECKING:
    from icost.comparison import Comparison

Figure = dict[str, Any]

_SYMBOLS = {"pure": "circle", "safe": "square", "border": "triangle-up", "outlier": "x"}
_LINES = ("#3b6fd4", "#e0662f", "#0f8a78", "#c2459b", "#b7791f", "#7257d6", "#5c7a1f", "#8a94a6")


def plotly_text(text: Any, limit: int = 40) -> str:
    """Return text that Plotly shows as it is, cut to a length that fits a legend.

    Examples
    --------
    >>> from icost.report.figures import plotly_text
    >>> plotly_text("<b>x</b>")
    '&lt;b&gt;x&lt;/b&gt;'
    """
    text = str(text)
    return escape(text if len(text) <= limit else text[: limit - 1] + "…")


def analysis_figures(analysis: Analysis) -> dict[str, Figure]:
    """Return the figures of an analysis, by name.

    Parameters
    ----------
    analysis : Analysis
        The findings.

    Returns
    -------
    dict
        ``categories``, ``weights``, ``separation`` and, if there is a map, ``map``.
    """
    figures = {"categories": _categories(analysis), "weights": _weights(analysis)}
    if analysis.separation:
        figures["separation"] = _separation(analysis)
    if analysis.map is not None:
        figures["map"] = _map(analysis.map, 0)
    return figures


def comparison_figures(comparison: Comparison) -> dict[str, Figure]:
    """Return the figures of a comparison, by name.

    Parameters
    ----------
    comparison : Comparison
        The numbers.

    Returns
    -------
    dict
        ``scores`` and, where there are any, ``recall``, ``precision_recall`` and ``calibration``.
    """
    figures = {"scores": _scores(comparison)}
    if any(row["recall"] for row in comparison.strategies):
        figures["recall"] = _recall(comparison)
    if comparison.curves:
        figures["precision_recall"] = _precision_recall(comparison)
        figures["calibration"] = _calibration(comparison)
    return figures


def _categories(analysis: Analysis) -> Figure:
    views = [
        (f"{plotly_text(group['label'], 16)}, {view}", group[key])
        for group in reversed(analysis.groups[:8])
        for view, key in (("regional", "gini"), ("local", "neighbor"))
    ]
    if len(analysis.groups) == 1:
        views = [(name.rpartition(", ")[2], shares) for name, shares in views]
    names = list(dict.fromkeys(e["category"] for _, shares in views for e in shares))
    order = [n for n in PAPER_CATEGORIES if n in names]
    traces = []
    for name in order:
        rows = [{e["category"]: e for e in shares}.get(name) for _, shares in views]
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": name,
                "y": [view for view, _ in views],
                "x": [100 * row["share"] if row else 0 for row in rows],
                "text": [f"{row['rows']:,}" if row else "" for row in rows],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "marker": {"color": category_color(name, names)},
                "hovertemplate": f"{name}: %{{x:.1f}} % (%{{text}} rows)<extra></extra>",
            }
        )
    layout = {
        "barmode": "stack",
        "height": 130 + 46 * len(views),
        "xaxis": {"title": {"text": "share of the class's rows, %"}, "range": [0, 100]},
        "yaxis": {"automargin": True},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
        "margin": {"t": 40, "r": 16, "b": 48, "l": 16},
    }
    return {"data": traces, "layout": layout}


def _map(drawn: dict[str, Any], projection: int) -> Figure:
    place = drawn["projections"][projection]
    x, y = np.array(place["x"]), np.array(place["y"])
    category = np.array(drawn["category"], dtype=object)
    names = ["majority", *[n for n in NEIGHBOR_CATEGORIES if n in category]]
    traces = []
    for name in names:
        rows = np.flatnonzero(category == name)
        is_majority = name == "majority"
        color = MAJORITY_COLOR if is_majority else category_color(name, names)
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": f"{name} ({len(rows):,})",
                "x": x[rows].tolist(),
                "y": y[rows].tolist(),
                "customdata": rows.tolist(),
                "marker": {
                    "color": color,
                    "symbol": _SYMBOLS.get(name, "circle"),
                    "size": 5 if is_majority else 9,
                    "opacity": 0.45 if is_majority else 0.9,
                    "line": {"width": 0},
                },
                "text": [
                    f"row {drawn['rows'][r]:,}: {plotly_text(drawn['labels'][r])}" for r in rows
                ],
                "hovertemplate": f"%{{text}}, {name}<extra></extra>",
            }
        )
    layout = {
        "height": 480,
        "hovermode": "closest",
        "xaxis": {"title": {"text": place["axes"][0]}, "zeroline": False},
        "yaxis": {"title": {"text": place["axes"][1]}, "zeroline": False},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "margin": {"t": 40, "r": 16, "b": 48, "l": 52},
    }
    return {"data": traces, "layout": layout}


def _weights(analysis: Analysis) -> Figure:
    ratio = analysis.imbalance_ratio
    traces = []
    for color, (method, values) in zip(_LINES, analysis.weight_values.items(), strict=False):
        traces.append(
            {
                "type": "histogram",
                "name": method,
                "x": values,
                "xbins": {"start": 0, "size": ratio / 20},
                "marker": {"color": color},
                "opacity": 0.75,
                "hovertemplate": f"weight %{{x}}: %{{y}} rows<extra>{method}</extra>",
            }
        )
    line = {"type": "line", "x0": ratio, "x1": ratio, "y0": 0, "y1": 1, "yref": "paper"}
    note = {
        "x": ratio,
        "y": 1,
        "yref": "paper",
        "yanchor": "bottom",
        "showarrow": False,
        "text": f"class-level cost {ratio:.1f}",
    }
    layout = {
        "barmode": "overlay",
        "height": 320,
        "xaxis": {"title": {"text": "weight of a minority row"}},
        "yaxis": {"title": {"text": "rows"}},
        "shapes": [{**line, "line": {"width": 2, "dash": "dash", "color": MAJORITY_COLOR}}],
        "annotations": [note],
        "legend": {"orientation": "h", "y": 1.12, "yanchor": "bottom"},
        "margin": {"t": 70, "r": 16, "b": 48, "l": 52},
    }
    return {"data": traces, "layout": layout}


def _separation(analysis: Analysis) -> Figure:
    best = analysis.separation[:12][::-1]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": [entry["auc"] for entry in best],
        "y": list(range(len(best))),
        "marker": {"color": ACCENT},
        "text": [plotly_text(entry["name"]) for entry in best],
        "textposition": "none",
        "hovertemplate": "%{text}: AUC %{x:.3f}<extra></extra>",
    }
    ticks = {
        "tickvals": list(range(len(best))),
        "ticktext": [plotly_text(e["name"], 18) for e in best],
    }
    layout = {
        "height": 90 + 24 * len(best),
        "xaxis": {"title": {"text": "AUC of the column alone"}, "range": [0.5, 1]},
        "yaxis": {"automargin": True, **ticks},
        "margin": {"t": 12, "r": 16, "b": 48, "l": 16},
    }
    return {"data": [trace], "layout": layout}


def _scores(comparison: Comparison) -> Figure:
    # Here, since an analysis alone does without the packages that a comparison needs.
    from icost.comparison.verdict import METRICS

    name, factor, _ = METRICS[comparison.metric]
    rows = comparison.strategies[::-1]
    scores = [row["scores"][comparison.metric] for row in rows]
    mean = np.array([score["mean"] for score in scores]) * factor
    high = np.array([score["high"] for score in scores]) * factor
    chosen = comparison.recommendation["strategy"]
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": np.round(mean, 4).tolist(),
        "y": list(range(len(rows))),
        "error_x": {
            "type": "data",
            "array": np.nan_to_num(high - mean).tolist(),
            "thickness": 2,
            "color": MAJORITY_COLOR,
        },
        "marker": {
            "size": 11,
            "color": [ACCENT if row["name"] == chosen else MAJORITY_COLOR for row in rows],
        },
        "text": [row["label"] for row in rows],
        "hovertemplate": "%{text}: %{x:.2f} ± %{error_x.array:.2f}<extra></extra>",
    }
    ticks = {"tickvals": list(range(len(rows))), "ticktext": [row["label"] for row in rows]}
    layout = {
        "height": 110 + 34 * len(rows),
        "xaxis": {"title": {"text": name}, "zeroline": False},
        "yaxis": {"automargin": True, **ticks},
        "margin": {"t": 12, "r": 16, "b": 48, "l": 16},
    }
    return {"data": [trace], "layout": layout}


def _recall(comparison: Comparison) -> Figure:
    rows = comparison.strategies
    names = list(dict.fromkeys(name for row in rows for name in row["recall"]))
    traces = [
        {
            "type": "bar",
            "name": name,
            "x": [row["label"] for row in rows],
            "y": [None if name not in row["recall"] else 100 * row["recall"][name] for row in rows],
            "marker": {"color": category_color(name, names)},
            "hovertemplate": f"%{{x}}: %{{y:.0f}} % of {name} rows found<extra></extra>",
        }
        for name in names
    ]
    layout = {
        "barmode": "group",
        "height": 360,
        "yaxis": {"title": {"text": "minority rows found, %"}, "range": [0, 100]},
        "xaxis": {"automargin": True},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "margin": {"t": 40, "r": 16, "b": 48, "l": 52},
    }
    return {"data": traces, "layout": layout}


def _lines(comparison: Comparison, curve: str, x: str, y: str) -> list[dict[str, Any]]:
    labels = {row["name"]: row["label"] for row in comparison.strategies}
    traces = []
    # A moved threshold leaves the ranking as it was, and nine lines at once tell nobody anything.
    shown = [
        name for name in ("ncs", "cs", "neighbor", "gini", "smote") if name in comparison.curves
    ]
    for place, name in enumerate(shown or comparison.curves):
        curves = comparison.curves[name]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines" if curve == "precision_recall" else "lines+markers",
                "name": labels[name],
                "x": curves[curve][x],
                "y": curves[curve][y],
                "line": {"color": _LINES[place % len(_LINES)], "width": 2},
                "hovertemplate": f"%{{x:.2f}}, %{{y:.2f}}<extra>{labels[name]}</extra>",
            }
        )
    return traces


def _precision_recall(comparison: Comparison) -> Figure:
    layout = {
        "height": 420,
        "xaxis": {"title": {"text": "recall"}, "range": [0, 1.02]},
        "yaxis": {"title": {"text": "precision"}, "range": [0, 1.05]},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "margin": {"t": 40, "r": 16, "b": 48, "l": 52},
    }
    return {"data": _lines(comparison, "precision_recall", "recall", "precision"), "layout": layout}


def _calibration(comparison: Comparison) -> Figure:
    diagonal = {
        "type": "scatter",
        "mode": "lines",
        "name": "perfect",
        "x": [0, 1],
        "y": [0, 1],
        "line": {"color": MAJORITY_COLOR, "width": 1, "dash": "dash"},
        "hoverinfo": "skip",
    }
    layout = {
        "height": 420,
        "xaxis": {"title": {"text": "predicted probability"}, "range": [0, 1]},
        "yaxis": {"title": {"text": "observed share"}, "range": [0, 1]},
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        "margin": {"t": 40, "r": 16, "b": 48, "l": 52},
    }
    curves = _lines(comparison, "calibration", "predicted", "observed")
    return {"data": [diagonal, *curves], "layout": layout}
