"""Figures of the page as plain dictionaries, in Plotly's vocabulary.

Colours that depend on the theme are left to the page's script. Text from the user's table is
escaped, since Plotly takes some HTML for markup.
"""

from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from icost._core.views import score_name
from icost.complexity._base import NEIGHBOR_CATEGORIES, PAPER_CATEGORIES
from icost.plots._drawing import ACCENT, LINE_COLORS, LOSS, MAJORITY_COLOR, category_color
from icost.report._analysis import Analysis
from icost.report._words import measures_of

if TYPE_CHECKING:
    from icost.comparison import Comparison

Figure = dict[str, Any]

_LEGEND = {"orientation": "h", "y": 1.02, "yanchor": "bottom"}

_SYMBOLS = {"pure": "circle", "safe": "square", "border": "triangle-up", "outlier": "x"}
_DASHES = ("solid", "dash", "dashdot", "dot", "longdash", "longdashdot", "solid")

CURVE_HEIGHT = 560
"""Height of a figure of curves, half of which Plotly gives to a legend: one name per line."""


def plotly_text(text: Any, limit: int = 40) -> str:
    """Return text that Plotly shows as it is, cut to a length that fits a legend."""
    text = str(text)
    return escape(text if len(text) <= limit else text[: limit - 1] + "…")


def _figure(data: list[dict[str, Any]], height: int, **layout: Any) -> Figure:
    common = {"legend": _LEGEND, "margin": _margin(40, 52)}
    return {"data": data, "layout": {"height": height, **common, **layout}}


def _margin(top: int, left: int) -> dict[str, int]:
    return {"t": top, "r": 16, "b": 48, "l": left}


def _named_rows(trace: dict[str, Any], height: int, names: list[str], xaxis: Any) -> Figure:
    """A single trace, which needs no legend, with the names of its rows at the left."""
    ticks = {"automargin": True, "tickvals": list(range(len(names))), "ticktext": names}
    layout = {"height": height, "xaxis": xaxis, "yaxis": ticks, "margin": _margin(12, 16)}
    return {"data": [trace], "layout": layout}


def _bars(x: list[Any], y: list[Any], color: str, hover: str) -> dict[str, Any]:
    """A trace of horizontal bars."""
    bars = {"type": "bar", "orientation": "h", "x": x, "y": y}
    return {**bars, "marker": {"color": color}, "hovertemplate": hover}


def _axis(title: str, **options: Any) -> dict[str, Any]:
    return {"title": {"text": title}, **options}


def analysis_figures(analysis: Analysis) -> dict[str, Figure]:
    """Return the figures of an analysis, by name."""
    figures = {"categories": _categories(analysis), "weights": _weights(analysis)}
    if analysis.separation:
        figures["separation"] = _separation(analysis)
    if analysis.map is not None:
        figures["map"] = _map(analysis.map)
    return figures


def comparison_figures(comparison: Comparison) -> dict[str, Figure]:
    """Return the figures of a comparison, by name."""
    figures = {"scores": _scores(comparison)}
    if any(row["recall"] for row in comparison.strategies):
        figures["recall"] = _recall(comparison)
    if comparison.curves:
        figures["precision_recall"] = _precision_recall(comparison)
        figures["calibration"] = _calibration(comparison)
    if comparison.decision:
        figures["decision"] = decision_figure(comparison.decision)
    return figures


def _categories(analysis: Analysis) -> Figure:
    measures = [
        (f"{plotly_text(group['label'], 16)}, {measure}", shares)
        for group in reversed(analysis.groups[:8])
        for measure, shares in reversed(measures_of(group))
    ]
    if len(analysis.groups) == 1:
        measures = [(name.rpartition(", ")[2], shares) for name, shares in measures]
    names = list(dict.fromkeys(e["category"] for _, shares in measures for e in shares))
    labels = [label for label, _ in measures]
    traces = []
    for name in filter(names.__contains__, PAPER_CATEGORIES):
        rows = [{e["category"]: e for e in shares}.get(name) for _, shares in measures]
        traces.append(_category_bars(name, rows, labels, category_color(name, names)))
    return _figure(
        traces,
        130 + 46 * len(measures),
        barmode="stack",
        xaxis=_axis("share of the class's rows, %", range=[0, 100]),
        yaxis={"automargin": True},
        legend={**_LEGEND, "traceorder": "normal"},
        margin=_margin(40, 16),
    )


def _category_bars(
    name: str, rows: list[dict[str, Any] | None], labels: list[str], color: str
) -> dict[str, Any]:
    """Return the bars of one category: its share by each measure, and its rows in the bar."""
    shares = [100 * row["share"] if row else 0 for row in rows]
    hover = f"{name}: %{{x:.1f}} % (%{{text}} rows)<extra></extra>"
    text = [f"{row['rows']:,}" if row else "" for row in rows]
    inside = {"text": text, "textposition": "inside", "insidetextanchor": "middle"}
    return {"name": name, **_bars(shares, labels, color, hover), **inside}


def _map(drawn: dict[str, Any]) -> Figure:
    """The map without places and texts of the rows: the page's script has them from the data."""
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
                "customdata": rows.tolist(),
                "marker": {
                    "color": color,
                    "symbol": _SYMBOLS.get(name, "circle"),
                    "size": 5 if is_majority else 9,
                    "opacity": 0.45 if is_majority else 0.9,
                    "line": {"width": 0},
                },
                "hovertemplate": f"%{{text}}, {name}<extra></extra>",
            }
        )
    xaxis, yaxis = (_axis(title, zeroline=False) for title in drawn["axes"])
    return _figure(traces, 480, hovermode="closest", xaxis=xaxis, yaxis=yaxis)


def _weights(analysis: Analysis) -> Figure:
    ratio = analysis.imbalance_ratio
    traces = [
        {
            "type": "histogram",
            "name": method,
            "x": values,
            "xbins": {"start": 0, "size": ratio / 20},
            "marker": {"color": color},
            "opacity": 0.75,
            "hovertemplate": f"weight %{{x}}: %{{y}} rows<extra>{method}</extra>",
        }
        for color, (method, values) in zip(
            LINE_COLORS, analysis.weight_values.items(), strict=False
        )
    ]
    line = {"type": "line", "x0": ratio, "x1": ratio, "y0": 0, "y1": 1, "yref": "paper"}
    note = {"x": ratio, "y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False}
    return _figure(
        traces,
        320,
        barmode="overlay",
        xaxis=_axis("weight of a minority row"),
        yaxis=_axis("rows"),
        shapes=[{**line, "line": {"width": 2, "dash": "dash", "color": MAJORITY_COLOR}}],
        annotations=[{**note, "text": f"class-level cost {ratio:.1f}"}],
        legend={**_LEGEND, "y": 1.12},
        margin=_margin(70, 52),
    )


def _separation(analysis: Analysis) -> Figure:
    best = analysis.separation[:12][::-1]
    areas, hover = [entry["auc"] for entry in best], "%{text}: AUC %{x:.3f}<extra></extra>"
    trace = _bars(areas, list(range(len(best))), ACCENT, hover)
    trace |= {"text": [plotly_text(entry["name"]) for entry in best], "textposition": "none"}
    names = [plotly_text(entry["name"], 18) for entry in best]
    xaxis = _axis("AUC of the column alone", range=[0.5, 1])
    return _named_rows(trace, 90 + 24 * len(best), names, xaxis)


def _narrow(words: str) -> str:
    """Return a name in short lines, as a phone needs it."""
    return "<br>".join(wrap(words[:1].upper() + words[1:], 24))


def _scores(comparison: Comparison) -> Figure:
    rows = comparison.strategies[::-1]
    labels = [_narrow(row["words"]) for row in rows]
    scores = [row["scores"][comparison.metric] for row in rows]
    mean = np.array([score["mean"] for score in scores])
    low, high = (np.array([score[end] for score in scores]) for end in ("low", "high"))
    chosen = comparison.recommendation["name"] if comparison.recommendation else None
    trace = {
        "type": "scatter",
        "mode": "markers",
        "x": np.round(mean, 4).tolist(),
        "y": list(range(len(rows))),
        "error_x": {
            "type": "data",
            # An interval that ends where the metric does is shorter on that side.
            "symmetric": False,
            "array": np.nan_to_num(high - mean).tolist(),
            "arrayminus": np.nan_to_num(mean - low).tolist(),
            "thickness": 2,
            "color": MAJORITY_COLOR,
        },
        "marker": {
            "size": 11,
            "color": [ACCENT if row["name"] == chosen else MAJORITY_COLOR for row in rows],
        },
        "text": labels,
        "customdata": np.round(np.column_stack([low, high]), 4).tolist(),
        "hovertemplate": "%{text}: %{x:.2f} (%{customdata[0]:.2f} to %{customdata[1]:.2f})"
        "<extra></extra>",
    }
    return _named_rows(
        trace, 110 + 34 * len(rows), labels, _axis(score_name(comparison.metric), zeroline=False)
    )


def _recall(comparison: Comparison) -> Figure:
    rows = comparison.strategies
    names = list(dict.fromkeys(name for row in rows for name in row["recall"]))
    traces, labels = [], [_narrow(row["words"]) for row in rows]
    for name in names:
        shares = [100 * row["recall"][name] if name in row["recall"] else None for row in rows]
        hover = f"%{{y}}: %{{x:.0f}} % of {name} rows found<extra></extra>"
        traces.append({"name": name, **_bars(shares, labels, category_color(name, names), hover)})
    xaxis = _axis("minority rows found, %", range=[0, 100])
    yaxis = {"automargin": True, "autorange": "reversed"}
    height = 130 + (20 + 10 * len(names)) * len(rows)
    return _figure(traces, height, barmode="group", xaxis=xaxis, yaxis=yaxis)


def _lines(comparison: Comparison, curve: str, x: str, y: str) -> list[dict[str, Any]]:
    labels = {row["name"]: _narrow(row["words"]) for row in comparison.strategies}
    return [
        {
            "type": "scatter",
            "mode": "lines" if curve == "precision_recall" else "lines+markers",
            "name": labels[name],
            "x": comparison.curves[name][curve][x],
            "y": comparison.curves[name][curve][y],
            "line": {
                "color": LINE_COLORS[place % len(LINE_COLORS)],
                "dash": _DASHES[place % len(_DASHES)],
                "width": 2,
            },
            "hovertemplate": f"%{{x:.2f}}, %{{y:.2f}}<extra>{labels[name]}</extra>",
        }
        for place, name in enumerate(_shown_curves(comparison))
    ]


def _shown_curves(comparison: Comparison) -> list[str]:
    """Return the names of the strategies to draw, the recommended one first."""
    # Nine lines are too many; a tuned threshold is drawn only where it is recommended.
    few = ("ncs", "cs", "neighbor", "gini", "smote", "ensemble")
    # With several classifiers, the recommended one, or the best where that brings its own.
    rows = [row for row in comparison.strategies if row["classifier"]]
    classifier = comparison.candidate["classifier"] or rows[0]["classifier"]
    names = {row["strategy"]: row["name"] for row in rows if row["classifier"] == classifier}
    shown = [comparison.candidate["name"], *(names.get(name, "") for name in few)]
    return [name for name in dict.fromkeys(shown) if name in comparison.curves]


def _precision_recall(comparison: Comparison) -> Figure:
    curves = _lines(comparison, "precision_recall", "recall", "precision")
    xaxis, yaxis = _axis("recall", range=[0, 1.02]), _axis("precision", range=[0, 1.05])
    return _figure(curves, CURVE_HEIGHT, xaxis=xaxis, yaxis=yaxis)


def _calibration(comparison: Comparison) -> Figure:
    line = {"color": MAJORITY_COLOR, "width": 1, "dash": "dash"}
    diagonal: Figure = {"type": "scatter", "mode": "lines", "showlegend": False}
    diagonal |= {"x": [0, 1], "y": [0, 1], "line": line, "hoverinfo": "skip"}
    curves = _lines(comparison, "calibration", "predicted", "observed")
    titles = ("predicted probability", "observed share")
    xaxis, yaxis = (_axis(title, range=[0, 1]) for title in titles)
    return _figure([diagonal, *curves], CURVE_HEIGHT, xaxis=xaxis, yaxis=yaxis)


def decision_figure(decision: dict[str, Any]) -> Figure:
    """What each cut finds, against false alarms at the left and against alerts at the right."""
    curve, chosen, traces = decision["curve"], decision["chosen"], []
    line, dot = {"color": ACCENT, "width": 2}, {"color": LOSS, "size": 10}
    fill = {"fill": "tonexty", "fillcolor": "rgba(0,114,178,0.2)", "name": "90 % interval"}
    for panel, name in enumerate(("false_alarms", "alerts")):
        axes = {"type": "scatter", "xaxis": f"x{panel + 1}", "showlegend": not panel}
        cuts = {**axes, "x": curve[name], "mode": "lines"}
        band = {**cuts, "line": {"width": 0}, "hoverinfo": "skip"}
        mark = {**axes, "x": [chosen[1 + panel]], "y": chosen[:1], "mode": "markers"}
        traces += [
            {**band, "y": curve["recall_low"], "showlegend": False},
            {**band, "y": curve["recall_high"], **fill},
            {**cuts, "y": curve["recall"], "line": line, "name": "cuts"},
            {**mark, "marker": dot, "name": "chosen"},
        ]
    xaxis = _axis("false alarms,<br>of 100 others", domain=[0, 0.47], automargin=True)
    xaxis2 = _axis("alerts,<br>of 1,000 rows", domain=[0.53, 1], automargin=True)
    yaxis = _axis("found, of 100 minority rows", range=[0, 102])
    return _figure(traces, 420, xaxis=xaxis, xaxis2=xaxis2, yaxis=yaxis)
