"""Pages: plain values in, one self-contained HTML file out.

A page opens offline and runs only its own scripts: its content security policy names them by
their checksums and forbids every connection, so that nothing in a user's table can do either.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from icost import __version__
from icost.files import plain_value, write_whole
from icost.report.analysis import Analysis
from icost.report.figures import analysis_figures, comparison_figures, plotly_text
from icost.report.words import headline, percent
from icost.validation import import_extra

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
    """Fill a template that extends ``base.html``.

    Parameters
    ----------
    template : str
        Name of the template.
    figures : mapping
        Plotly figures by name; an element with ``data-figure="name"`` shows one.
    data : mapping
        Other values for the page's script.
    package : str, default="icost.report"
        The package whose folder ``templates`` has the template.
    **context
        Variables of the template; all text is escaped.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from icost.report.page import render_page
    >>> page = render_page("base.html", figures={}, data={}, title="<script>")
    >>> "<title>&lt;script&gt;</title>" in page
    True
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
    scripts = [_plotly()] if figures else []
    scripts.append(_asset("page.js"))
    return environment.get_template(template).render(
        style=_markup(_asset("theme.css")),
        scripts=[_markup(script) for script in scripts],
        policy=" ".join(f"'sha256-{_digest(script)}'" for script in scripts),
        payload=_markup(json_text({"figures": figures, **data})),
        version=__version__,
        **context,
    )


def json_text(value: Any) -> str:
    r"""Return JSON that cannot end the script element it stands in.

    Examples
    --------
    >>> from icost.report.page import json_text
    >>> print(json_text("</script>"))
    "\u003c/script\u003e"
    """
    text = json.dumps(plain_value(value), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_page(
    analysis: Analysis,
    comparison: Comparison | None = None,
    *,
    command: str = "",
    seed: int = 0,
) -> str:
    """Return the page of a table: the verdict first, the evidence below.

    Parameters
    ----------
    analysis : Analysis
        From `icost.report.analyze`.
    comparison : Comparison, default=None
        From `icost.comparison.compare`.
    command : str, default=""
        The command that repeats it.
    seed : int, default=0
        The seed it ran with.

    Returns
    -------
    str
        HTML.
    """
    figures = analysis_figures(analysis)
    metrics: Mapping[str, Any] = {}
    if comparison is not None:
        from icost.comparison.verdict import METRICS

        figures, metrics = figures | comparison_figures(comparison), METRICS
    return render_page(
        "data_report.html",
        figures=figures,
        data={"map": analysis.map, "classes": _class_names(analysis)},
        title=f"{analysis.name}: imbalance report",
        analysis=analysis,
        comparison=comparison,
        sentences=headline(analysis),
        metrics=metrics,
        command=command,
        seed=seed,
        versions=versions(("numpy", "scikit-learn", "pandas")),
    )


def _class_names(analysis: Analysis) -> list[dict[str, str]]:
    """Labels as in the data, and as Plotly may show them."""
    labels = [entry["label"] for entry in analysis.classes]
    return [{"label": label, "text": plotly_text(label)} for label in labels]


def write_page(
    path: str | os.PathLike[str],
    analysis: Analysis,
    comparison: Comparison | None = None,
    **options: Any,
) -> None:
    """Write the page of a table to a file.

    Parameters
    ----------
    path : path
        The file.
    analysis : Analysis
        From `icost.report.analyze`.
    comparison : Comparison, default=None
        From `icost.comparison.compare`.
    **options
        Other parameters of `data_page`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from icost.datasets import load_dataset
    >>> from icost.report import analyze, write_page
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(Path(folder) / "glass2.html", analyze(X, y, name="glass2"))
    ...     [path.name for path in Path(folder).iterdir()]
    ['glass2.html']
    """
    write_whole(path, data_page(analysis, comparison, **options))


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Return the versions of Python, icost-learn and some packages."""
    found = {"Python": platform.python_version(), "icost-learn": __version__}
    return found | {package: version(package) for package in packages}


def _asset(name: str) -> str:
    return files(PACKAGE).joinpath("templates", name).read_text(encoding="utf-8")


def _plotly() -> str:
    offline = import_extra("plotly.offline", "report", "A report page")
    # An HTML parser turns carriage returns into line feeds, which would break the checksum.
    text: str = offline.get_plotlyjs()
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _markup(text: str) -> Any:
    return import_extra("markupsafe", "report", "A report page").Markup(text)
