"""Tables from the rows and files under ``results/``, as Markdown; no number is written by hand."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from icost_reproduction.claims import check_claims
from icost_reproduction.evaluation import Results, dataset_means
from icost_reproduction.figures import FIGURES
from icost_reproduction.paper_tables import classifier_label
from icost_reproduction.rank_tests import mean_interval
from icost_reproduction.study_tables import claims_table

RESULTS = Path(__file__).parents[2] / "results"
MISSING = (
    ":::{note}\nThis copy of the documentation was built without `results/`. "
    "Run `icost reproduce` and build again to see the numbers.\n:::\n"
)
LEFT_OUT = {"confirmation-honest": ("datasets",)}
"""Tables by study that list the data sets of another one."""

WORDS = {"Forms of the ensemble": "Treatments of the ensemble", "| Form |": "| Treatment |"}
"""What the pages call that the recorded tables call otherwise."""

CONTROLS = {
    "ncs": "a plain model",
    "cs": "class-level costs",
    "neighbor-mean": "the same-total control",
    "neighbor-permuted": "permuted categories",
    "threshold": "a tuned threshold",
}
"""What Neighbor-iCost can be compared with, by the names of the strategies."""

METRICS = {
    "mcc": ("MCC (× 100)", 100.0),
    "pr_auc": ("PR AUC (× 100)", 100.0),
    "brier": ("Brier score (× 100; less is better)", 100.0),
}
"""Titles and factors of the metrics."""


def study_folders(results: Path = RESULTS) -> list[Path]:
    """Return the studies' folders, the published profile first."""
    folders = [path.parent for path in results.glob("*/plan.json")]
    return sorted(folders, key=lambda folder: ("published" not in folder.name, folder.name))


def table_files(folder: Path) -> list[Path]:
    """Return the tables of a study as Markdown files.

    Verdicts are left out: those that a study wrote know nothing of the studies run after it.
    """
    left_out = ("claims", *LEFT_OUT.get(folder.name, ()))
    return sorted(path for path in folder.rglob("*.md") if path.stem not in left_out)


def verdicts_text(results: Path = RESULTS) -> str:
    """Return how often each of our verdicts falls, and the folded table of the statements."""
    if not study_folders(results):
        return MISSING
    verdicts = check_claims(Results(results))
    counts = Counter(finding.verdict for _, finding in verdicts).most_common()
    table = claims_table(verdicts).render("markdown").partition("\n")[2].strip()
    return "\n".join(
        [
            *("| Verdict | Statements |", "|---|---|"),
            *(f"| {verdict} | {count} |" for verdict, count in counts),
            f"\n::::{{dropdown}} The {len(verdicts)} statements, published and our numbers",
            *(table, "::::\n"),
        ]
    )


def study_text(name: str, results: Path = RESULTS, prefix: str = "../../results") -> str:
    """Return the pictures of a study as Markdown, and its tables, which are folded."""
    folder = results / name
    if not (folder / "plan.json").is_file():
        return MISSING
    figures = sorted(folder.glob("figures/*.svg"))
    pictures = [_picture(path, f"{prefix}/{name}/figures/{path.name}") for path in figures]
    return "\n".join([*pictures, *map(_folded, table_files(folder))])


def _picture(path: Path, address: str) -> str:
    """Return a picture with its caption, and nothing for one that shows no result."""
    if path.stem not in FIGURES:
        return f"![{path.stem}]({address})\n"
    _, needs_rows, caption, _ = FIGURES[path.stem]
    if not needs_rows:
        return ""
    alt = caption.replace(":", ",")  # which would begin a mapping in an option
    return f":::{{figure}} {address}\n:alt: {alt}\n\n{caption}\n:::\n"


def _folded(path: Path) -> str:
    """Return a table in a box that opens; its first line is the title."""
    text = path.read_text("utf-8")
    for before, after in WORDS.items():
        text = text.replace(before, after)
    title, _, table = text.partition("\n")
    title = title.strip("#* ")
    # Two tables of one name differ in what is drawn for their intervals.
    if path.stem.endswith("-by-source"):
        title += ": intervals by families"
    elif path.with_stem(f"{path.stem}-by-source").exists():
        title += ": intervals by data sets"
    return f"::::{{dropdown}} {title}\n{table.strip()}\n::::\n"


def honest_means(
    metric: str, results: Path = RESULTS, study: str = "honest"
) -> pd.DataFrame | None:
    """Return a metric per classifier and dataset, a column per strategy, or None without rows."""
    rows = _honest_rows(results, study)
    return None if rows.empty else dataset_means(rows, metric)


@cache
def _honest_rows(results: Path, study: str) -> pd.DataFrame:
    return Results(results, "honest").rows(study)


def controls_text(
    means: pd.DataFrame | None,
    metric: str = "mcc",
    against: Sequence[str] = tuple(CONTROLS),
    repeated: pd.DataFrame | None = None,
) -> str:
    """Return a Markdown table: Neighbor-iCost minus each baseline, per classifier.

    Baselines that are in ``repeated``, of a study with more repeats, are taken from there.
    """
    baselines = [] if means is None else [name for name in against if name in means]
    if means is None or "neighbor" not in means or not baselines:
        return MISSING
    title, factor = METRICS[metric]
    head = " | ".join(["classifier", *(f"against {CONTROLS[name]}" for name in baselines)])
    lines = [f"| {head} |", "|---" * (len(baselines) + 1) + "|"]
    # Ensembles that bring their own classifier have no Neighbor-iCost to compare.
    means = means.dropna(subset=["neighbor"])
    more = pd.DataFrame() if repeated is None else repeated
    gains = {}
    for name in baselines:
        source = more if name in more else means
        gains[name] = factor * (source["neighbor"] - source[name])
    for classifier in means.index.unique(level=0):
        cells = [_cell(gains[name].loc[classifier]) for name in baselines]
        lines.append(" | ".join([f"| {classifier_label(str(classifier))}", *cells]) + " |")
    n_sets = means.index.get_level_values(1).nunique()
    note = (
        f"Mean difference in {title} of Neighbor-iCost over {n_sets} sets, with a 95 % bootstrap "
        "interval over the sets; bold where it excludes zero."
    )
    return "\n".join([*lines, "", note])


def _cell(delta: pd.Series) -> str:
    values = delta.dropna().to_numpy()
    if not len(values):
        return "–"
    mean, low, high = mean_interval(values)
    text = f"{mean:+.1f} ({low:+.1f} to {high:+.1f})"
    return f"**{text}**" if low > 0 or high < 0 else text
