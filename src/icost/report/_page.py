"""Pages: plain values in, one self-contained HTML file out.

A page opens offline and runs only its own scripts: its content security policy names them by
their checksums and forbids every connection, so that nothing in a user's table can do either.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from icost import __version__
from icost._core.files import plain_value, write_whole
from icost._core.validation import import_extra
from icost._core.views import METRICS, interval_text, score_text
from icost.modelfile._table_check import installed_versions
from icost.report._analysis import MAX_HARDEST, Analysis
from icost.report._figures import analysis_figures, comparison_figures, plotly_text
from icost.report._words import headline, percent

if TYPE_CHECKING:
    from icost.comparison import Comparison

PACKAGE = "icost.report"


def render_page(
    template: str,
    *,
    figures: Mapping[str, Any],
    data: Mapping[str, Any],
    package: str = PACKAGE,
    **context: Any,
) -> str:
    """Fill a template of a package's folder ``templates``, which extends ``base.html``.

    An element with ``data-figure="name"`` shows the figure of that name; ``data`` is what else the
    page's script needs. All text is escaped.
    """
    jinja2 = import_extra("jinja2", "report", "A report page")
    packages = dict.fromkeys((package, PACKAGE))
    loader = jinja2.ChoiceLoader([jinja2.PackageLoader(p, "templates") for p in packages])
    environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["percent"] = percent
    environment.globals |= {"interval_text": interval_text, "score_text": score_text}
    scripts = [_asset("plotly.min.js")] if figures else []
    scripts.append(_asset("page.js"))
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    return environment.get_template(template).render(
        style=_markup(_asset("theme.css")),
        scripts=[_markup(script) for script in scripts],
        policy=" ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests),
        payload=_markup(json_text({"figures": figures, **data})),
        version=__version__,
        **context,
    )


def json_text(value: Any) -> str:
    """Return JSON that cannot end the script element it stands in."""
    text = json.dumps(plain_value(value), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_page(
    analysis: Analysis | None,
    comparison: Comparison | None = None,
    *,
    command: str = "",
    seed: int = 0,
) -> str:
    """Return the page of a table, of a comparison or both: the verdict first, evidence below."""
    figures, data, title = {}, {}, "Comparison of strategies"
    if analysis is not None:
        figures = analysis_figures(analysis)
        labels = [entry["label"] for entry in analysis.classes]  # and as Plotly may show them
        classes = [{"label": label, "text": plotly_text(label)} for label in labels]
        data = {"map": analysis.map, "classes": classes}
        title = f"{analysis.name}: imbalance report"
    compared: dict[str, Any] = {}
    if comparison is not None:
        from icost.comparison._verdict import CLASSIFIER_NAMES, split_lead

        figures |= comparison_figures(comparison)
        names = [CLASSIFIER_NAMES.get(n, n) for n in comparison.classifier.split(", ")]
        compared = {
            "metrics": METRICS,
            "classifiers": ", ".join(name.removeprefix("a ") for name in names),
            "lines": [split_lead(line) for line in comparison.verdict[1:]],
            "icons": _icons(comparison),
        }
    return render_page(
        "data_report.html",
        figures=figures,
        data=data,
        title=title,
        analysis=analysis,
        comparison=comparison,
        sentences=headline(analysis) if analysis else [],
        # What makes a verdict doubtful stands before it.
        n_doubts=len(analysis.label_notes) + len(analysis.leaks) if analysis else 0,
        max_suspects=MAX_HARDEST,
        **compared,
        command=command,
        seed=seed,
        versions=installed_versions(("numpy", "scikit-learn", "pandas")),
    )


def _icons(comparison: Comparison) -> list[tuple[str, int, str, str]]:
    """What the dots show: minority rows and others, out of 100 each; nothing for more classes."""
    if comparison.recommendation is None:
        return []
    (row,) = (r for r in comparison.strategies if r["name"] == comparison.recommendation["name"])
    if not row["recall"]:
        return []
    recall, rejected = (row["scores"][name]["mean"] for name in ("sensitivity", "specificity"))
    return [
        ("100 minority rows", round(100 * recall), "found", "missed"),
        ("100 others", round(100 - 100 * rejected), "false alarms", "left alone"),
    ]


def write_page(
    path: str | os.PathLike[str],
    analysis: Analysis,
    comparison: Comparison | None = None,
    **options: Any,
) -> None:
    """Write the page of a table to a file, to open in a browser or to send to someone.

    It shows what `analyze` and `icost.comparison.compare` found, the verdict first, and computes
    nothing itself.

    Parameters
    ----------
    path : path
        The file; one that is there is replaced.
    analysis : Analysis
        From `icost.report.analyze`. The map is left out if it was made with ``with_map=False``.
    comparison : Comparison, default=None
        From `icost.comparison.compare`.
    **options
        ``command``, the command that repeats it, and ``seed``, the seed it ran with, are shown at
        the end of the page.

    See Also
    --------
    analyze : The findings.
    icost.comparison.compare : Strategies on the same table.

    Notes
    -----
    The file is self-contained, with the Plotly library in it: it opens offline, and its content
    security policy forbids every connection and every script but its own.

    The page shows cells of the table: those of up to 3,000 rows on the map and of the hardest rows.
    Think of that before sending it to someone who may not see the data.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from icost.datasets import load_dataset
    >>> from icost.report import analyze, write_page
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> found = analyze(X, y, name="glass2")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "glass2.html"
    ...     write_page(path, found, command="icost analyze glass2 --report glass2.html")
    ...     "<title>glass2: imbalance report</title>" in path.read_text("utf-8")
    True
    """
    write_whole(path, data_page(analysis, comparison, **options))


def _asset(name: str) -> str:
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")


def _markup(text: str) -> Any:
    return import_extra("markupsafe", "report", "A report page").Markup(text)
