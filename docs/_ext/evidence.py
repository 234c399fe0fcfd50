"""Evidence pages from the rows and tables under ``results/``; no number is written by hand.

- ``evidence-tables``: all tables that ``icost reproduce`` has written, study by study.
- ``evidence-controls``: gains of iCost over its alternatives, from the rows of the honest study.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).parents[2] / "results"
MISSING = (
    ":::{note}\nThis copy of the documentation was built without `results/`. "
    "Run `icost reproduce` and build again to see the numbers.\n:::\n"
)
BASELINES = {
    "cs": "class-level costs",
    "neighbor-mean": "the mean-matched control",
    "neighbor-permuted": "permuted categories",
    "threshold": "a tuned threshold",
}
"""What Neighbor-iCost is compared with, by the names of the strategies."""


def study_folders() -> list[Path]:
    """Return the studies' folders, the published profile first."""
    folders = [path.parent for path in RESULTS.glob("*/plan.json")]
    return sorted(
        folders, key=lambda folder: (not folder.name.startswith("published"), folder.name)
    )


def table_files(folder: Path) -> list[Path]:
    """Return the tables of a study as Markdown files, verdicts first."""
    return sorted(folder.rglob("*.md"), key=lambda path: ("claims" not in path.name, path.name))


def tables_text() -> str:
    """Return all tables as Markdown, a section per study."""
    return "\n".join(_study_lines(study_folders())) or MISSING


def _study_lines(folders: list[Path]) -> Iterator[str]:
    for folder in folders:
        tables = table_files(folder)
        if tables:
            yield f"\n## {folder.name}\n"
            yield from (path.read_text("utf-8") for path in tables)


def honest_means() -> pd.DataFrame | None:
    """Return MCC per classifier and dataset, a column per strategy, or None without results."""
    folder = RESULTS / "honest-honest"
    if not folder.is_dir():
        return None
    from icost.experiments.evaluation import Results, dataset_means

    rows = Results(RESULTS, "honest").rows("honest")
    return None if rows.empty else 100 * dataset_means(rows)


def interval(delta: np.ndarray, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % bootstrap interval, over datasets, of a mean difference."""
    draws = np.random.default_rng(seed).choice(delta, (5000, len(delta))).mean(axis=1)
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(low), float(high)


def controls_text(means: pd.DataFrame | None) -> str:
    """Return a Markdown table: Neighbor-iCost against each baseline, per classifier."""
    if means is None or "neighbor" not in means:
        return MISSING
    baselines = [name for name in BASELINES if name in means]
    head = "| classifier | " + " | ".join(f"against {BASELINES[name]}" for name in baselines)
    lines = [head + " |", "|---" * (len(baselines) + 1) + "|"]
    for classifier, part in means.groupby(level=0, observed=True):
        cells = [_cell(part["neighbor"] - part[name]) for name in baselines]
        lines.append(f"| {classifier} | " + " | ".join(cells) + " |")
    n_sets = means.index.get_level_values(1).nunique()
    note = f"Mean ΔMCC (× 100) over {n_sets} sets, with a 95 % bootstrap interval over the sets."
    return "\n".join([*lines, "", note])


def _cell(delta: pd.Series) -> str:
    values = delta.dropna().to_numpy()
    if not len(values):
        return "–"
    low, high = interval(values)
    text = f"{values.mean():+.1f} ({low:+.1f} to {high:+.1f})"
    return f"**{text}**" if low > 0 or high < 0 else text


class EvidenceTables(SphinxDirective):
    """All tables under ``results/``."""

    def run(self) -> list[nodes.Node]:
        """Parse them as Markdown, sections included."""
        for folder in study_folders():
            for path in table_files(folder):
                self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(tables_text(), allow_section_headings=True)


class EvidenceControls(SphinxDirective):
    """Neighbor-iCost against its alternatives."""

    def run(self) -> list[nodes.Node]:
        """Compute the table from the rows."""
        return self.parse_text_to_nodes(controls_text(honest_means()))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directives."""
    app.add_directive("evidence-tables", EvidenceTables)
    app.add_directive("evidence-controls", EvidenceControls)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
