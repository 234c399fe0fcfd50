"""How findings look in a terminal and in a notebook: a title, sentences and a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from sklearn.exceptions import NotFittedError

if TYPE_CHECKING:
    import pandas as pd

MAX_LINES = 8
"""Lines of a text."""

MAX_ROWS = 12
"""Rows of a table in a notebook."""

METRICS: Mapping[str, tuple[str, int, bool]] = {
    "mcc": ("MCC", 2, True),
    "f1": ("F1", 2, True),
    "g_mean": ("G-mean", 2, True),
    "sensitivity": ("Sensitivity", 2, True),
    "specificity": ("Specificity", 2, True),
    "precision": ("Precision", 2, True),
    "roc_auc": ("AUC", 2, True),
    "pr_auc": ("PR-AUC", 2, True),
    "brier": ("Brier", 3, False),
    "cost": ("Cost per row", 3, False),
}
"""Metrics of a comparison: name, digits behind the point, and whether more is better."""


def score_name(metric: str) -> str:
    """Return the name of a metric as it stands in tables and sentences."""
    if metric in METRICS:
        return METRICS[metric][0]
    return metric[:1].upper() + metric[1:].replace("_", " ")


def score_text(metric: str, value: float) -> str:
    """Return a score with the digits of its metric, and no minus before zero."""
    digits = METRICS[metric][1] if metric in METRICS else 2
    return f"{round(value, digits) + 0.0:.{digits}f}"


def few(number: float) -> str:
    """Return a number of rows, with a digit behind the point where there are few."""
    return f"{number:.1f}".replace("0.0", "0") if number < 0.95 else f"{number:,.0f}"


def alarms_text(number: float) -> str:
    """Return a number of false alarms, in words."""
    return f"{few(number)} false alarm{'' if few(number) == '1' else 's'}"


def alerts_text(number: float) -> str:
    """Return a number of alerts, in words."""
    return f"{few(number)} alert{'' if few(number) == '1' else 's'}"


def interval_text(metric: str, low: float, high: float) -> str:
    """Return the ends of an interval of a score."""
    return f"{score_text(metric, low)} to {score_text(metric, high)}"


@dataclass(frozen=True)
class View:
    """What there is to see: the first line, sentences, and a table."""

    title: str
    sentences: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()

    def text(self) -> str:
        """Return at most `MAX_LINES` lines; the table is shown only if there are no sentences."""
        lines = [self.title, *(self.sentences or [" ".join(map(str, row)) for row in self.rows])]
        lines = [" ".join(line.split()) for line in lines]
        return "\n".join(lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], "…"])

    def html(self) -> str:
        """Return all as HTML, with at most `MAX_ROWS` rows; text from a table is escaped."""
        head = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(str(cell))}</td>' for cell in row)}</tr>"
            for row in self.rows[:MAX_ROWS]
        )
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        rest = len(self.rows) - MAX_ROWS
        more = f"<p>… and {rest:,} more</p>" if rest > 0 else ""
        sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        title = f"<p><strong>{escape(self.title)}</strong></p>"
        return f'<div class="icost">{title}{sentences}{table * bool(self.rows)}{more}</div>'


class Viewed:
    """Findings with a short text in a terminal and a table in a notebook."""

    def _view(self) -> View:
        raise NotImplementedError

    def __repr__(self) -> str:
        return self._view().text()

    def _repr_html_(self) -> str:
        return self._view().html()


class SummaryMixin:
    """Fitted estimators whose summary stands above scikit-learn's diagram in a notebook."""

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] = self._with_summary(bundle["text/html"])
        return bundle

    @property
    def _repr_html_(self) -> Callable[[], str]:
        diagram = super()._repr_html_  # type: ignore[misc]
        return lambda: self._with_summary(diagram())

    def _with_summary(self, diagram: str) -> str:
        try:
            title, *lines = self.summary().splitlines()  # type: ignore[attr-defined]
        except NotFittedError:
            return diagram
        return View(title, lines).html() + diagram


class Scores(Viewed, dict[str, Mapping[str, float]]):
    """Scores by name, each with its value and the ends of its interval."""

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with a row per score; needs pandas."""
        import pandas as pd

        return pd.DataFrame.from_dict(dict(self), orient="index")

    def _view(self) -> View:
        rows = [
            (score_name(m), score_text(m, s["value"]), f"({interval_text(m, s['low'], s['high'])})")
            for m, s in self.items()
        ]
        columns = ("Score", "Value", "95 % interval")
        return View("Out-of-fold scores, with 95 % intervals", (), columns, rows)
