"""Tables from the rows and files under ``results/``, as Markdown; no number is written by hand."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from icost_reproduction._internals import PAPER_CLASSIFIERS
from icost_reproduction.claims import check_claims
from icost_reproduction.evaluation import Results, count_wins, cross_selected, dataset_means
from icost_reproduction.figures import FIGURES
from icost_reproduction.findings import contrast
from icost_reproduction.honest_tables import CONTROL_PAIRS
from icost_reproduction.paper_tables import TABLE_NUMBERS, TABLES, VARIANTS, classifier_label
from icost_reproduction.rank_tests import wilcoxon_holm
from icost_reproduction.strategies import STRATEGIES
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


RULE = (
    "**When we call a difference significant.** The unit is the data set: its score is the mean "
    "over folds. Differences are tested by signed ranks and corrected by Holm over the comparisons "
    "of their table; below 0.05 they are *significant*, all others *within noise*. Wherever a gain "
    "is stated, two 95 % bootstrap intervals stand beside it: the first draws data sets, the "
    "second whole families of data sets that share rows (yeast, glass, …). Where the second "
    "contains 0, the text says so. Comparisons that were named after their rows had been seen are "
    "*post hoc*.\n"
)
"""The one rule of all pages, which `docs/research` registered for its studies."""

SCALERS = (
    ("MinMax, as in the paper", "published", "default"),
    ("standardised", "honest", "controls"),
)
"""Scaler, and the profile and study whose rows have it."""

POINTS, SETS = 1.0, 5
"""Tolerances of averages in percentage points, and of counts of data sets."""

TOLERANCES = {
    **dict.fromkeys(("mcc", "f1", "tuning", "resampling", "multiclass"), POINTS),
    **dict.fromkeys(("win-loss", "tuned-win-loss", "neighbor-costs", "gini-costs"), SETS),
    "multiclass-win-loss": 3,
    "datasets": 0.01,
    "trade-off": 150,
    "stability": 0.01,
}
"""By how much a cell may differ from the paper's to count as reproduced, in the table's unit."""


def scalers_text(results: Path = RESULTS) -> str:
    """Return iCost's gains by scaler as Markdown: controls beside them, both intervals, Holm."""
    head = ["scaler", "gain in MCC (× 100)", *map(classifier_label, PAPER_CLASSIFIERS)]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for scaler, profile, study in SCALERS:
        means = 100 * Results(results, profile).means(study)
        if means.empty:
            return MISSING
        gains = {
            pair: (means[pair[0]] - means[pair[1]]).dropna()
            for pair in CONTROL_PAIRS
            if pair[1] in means
        }
        tuned = _tuned_on_other_folds(results) if profile == "published" else {}
        p_values = _holm_by_classifier(gains) | _holm_by_classifier(tuned)
        gains |= tuned
        for pair, gain in gains.items():
            cells = [
                _significant(gain.xs(c, level="classifier"), p_values[pair, c])
                for c in PAPER_CLASSIFIERS
            ]
            label = f"{STRATEGIES[pair[0]].label} {COMPARED[pair[1].rpartition('-')[2]]}"
            lines.append(f"| {scaler} | {label} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", SCALERS_NOTE, ""])


SCALERS_NOTE = (
    "Mean difference over 65 data sets, interval by data sets, interval by families; bold where "
    "significant after Holm over all comparisons of default costs under one scaler, and over those "
    "of tuned costs. All are post hoc. RF was fitted by scikit-learn 1.8 under MinMax, and by 1.9 "
    "where columns were standardised."
)

COMPARED = {
    "cs": "over class-level costs",
    "mean": "over the same-total control",
    "permuted": "over permuted categories",
    "grid": "tuned, over tuned class-level costs, settings chosen on other folds",
}


def _tuned_on_other_folds(results: Path) -> dict[tuple[str, str], pd.Series]:
    rows = Results(results, "published").rows("tuning")
    if rows.empty:
        return {}
    tuned = {name: 100 * cross_selected(rows, f"grid-{name}") for name in ("cs", *VARIANTS)}
    return {(name, "grid"): (tuned[name] - tuned["cs"]).dropna() for name in VARIANTS}


def _holm_by_classifier(
    gains: dict[tuple[str, str], pd.Series],
) -> dict[tuple[tuple[str, str], str], float]:
    return _holm(
        {
            (pair, c): gain.xs(c, level="classifier")
            for pair, gain in gains.items()
            for c in PAPER_CLASSIFIERS
        }
    )


def _holm(gains: dict[Any, pd.Series]) -> dict[Any, float]:
    """Return p-values of signed ranks against no difference, corrected over all of them."""
    if not gains:
        return {}
    frame = pd.DataFrame(dict(enumerate(gains.values())))
    frame["nothing"] = 0.0
    table = wilcoxon_holm(frame, [(number, "nothing") for number in range(len(gains))])
    return {key: float(table.loc[number, "nothing"]) for number, key in enumerate(gains)}


def _significant(gain: pd.Series, p_value: float, digits: int = 2) -> str:
    text = str(contrast(gain, digits))
    return f"**{text}**" if p_value < 0.05 else text


def closeness_text(results: Path = RESULTS) -> str:
    """Return a Markdown table: for each numbered table, the file and how close our cells are."""
    lines = ["| table | how close | published cells | file in `results/` |", "|---|---|---|---|"]
    for number, name in TABLE_NUMBERS.items():
        study = TABLES[name][0] or "default"
        path = results / f"{study}-published" / "tables" / f"{name}.csv"
        if not path.is_file():
            return MISSING
        differences, limit = _differences(path).abs(), TOLERANCES[name]
        n_close = int((differences <= limit).sum())
        lines.append(
            f"| {number} | {_closeness(differences / limit)} | {n_close} of {len(differences)} "
            f"within {limit:g}, at most {differences.max():.4g} off | "
            f"`{study}-published/tables/{name}.md` |"
        )
    return "\n".join([*lines, "", CLOSENESS_NOTE, ""])


def _closeness(parts: pd.Series) -> str:
    """Return the word for differences, as parts of what is tolerated."""
    if (parts <= 1).all():
        return "reproduced"
    return "close" if (parts <= 1).mean() >= 0.75 and parts.max() <= 3 else "**not reproduced**"


CLOSENESS_NOTE = (
    "*Reproduced*: every cell is within the tolerance, which is in the unit of the table (points "
    "of MCC or F1, data sets, errors). *Close*: three of four cells are, and none differs by more "
    "than three times as much. *Not reproduced*: all else. Fit times of Table 9 are of another "
    "machine, and left out."
)


def _differences(path: Path) -> pd.Series:
    """Return the differences to the published cells of a table; times are of another machine."""
    table = pd.read_csv(path, index_col=0)
    names = [n for n in table if n.endswith(" difference") and not n.startswith("Fit time")]
    return pd.to_numeric(table[names].stack(), errors="coerce").dropna()


def protocols_text(results: Path = RESULTS) -> str:
    """Return averages and wins under both protocols, as far as the ten repeats have been run."""
    ours = {name: Results(results, name) for name in ("published", "paper-text")}
    means = {name: one.means("default") for name, one in ours.items()}
    if any(part.empty for part in means.values()):
        return MISSING
    # The ten repeats may have been run on a part of the data sets: both on these, then.
    complete = means["paper-text"].dropna().index
    means = {name: part.loc[part.index.isin(complete)] for name, part in means.items()}
    lines = ["| | repeats | " + " | ".join(PROTOCOL_COLUMNS) + " |"]
    lines.append("|---" * (len(PROTOCOL_COLUMNS) + 2) + "|")
    ran = [c for c in PAPER_CLASSIFIERS if c in means["paper-text"].index.unique(level=0)]
    for c in ran:
        for name, part in means.items():
            rows = ours[name].rows("default")
            n_repeats = rows.loc[rows["classifier"] == c, "repeat"].nunique()
            lines.append(
                f"| {classifier_label(c)} | {n_repeats} | {_protocol_cells(part.loc[c])} |"
            )
    missing = ", ".join(classifier_label(c) for c in PAPER_CLASSIFIERS if c not in ran)
    partial = part_run_sets(means["paper-text"])
    note = f"Ten repeats: {', '.join(map(classifier_label, ran))}{partial}"
    note += f"; three: {missing}. " if missing else ". "
    return "\n".join([*lines, "", note + PROTOCOLS_NOTE, ""])


def part_run_sets(means: pd.DataFrame) -> str:
    """Say on how many data sets the ten repeats are complete, if not on all."""
    n_sets = means.dropna().index.get_level_values("dataset").nunique()
    return "" if n_sets == N_SETS else f" (so far on {n_sets} of {N_SETS} data sets)"


N_SETS = 65
PROTOCOLS_NOTE = (
    "Averages over data sets, times 100, and gains with intervals by data sets and by families, "
    "and wins–losses–ties. The first row of each classifier has the three repeats that the "
    "published numbers come from, the second the ten of the text."
)

PROTOCOL_COLUMNS = (
    "plain", "class-level costs", "Neighbor-iCost", "Gini-iCost",
    "Neighbor over class-level costs", "Gini over class-level costs",
)  # fmt: skip


def _protocol_cells(means: pd.DataFrame) -> str:
    averages = [f"{100 * means[name].mean():.2f}" for name in ("ncs", "cs", "neighbor", "gini")]
    gains = []
    for variant in ("neighbor", "gini"):
        counts = count_wins(means[variant], means["cs"])
        wins = "–".join(str(counts[k]) for k in ("wins", "losses", "ties"))
        gains.append(f"{contrast(100 * (means[variant] - means['cs']))}, {wins}")
    return " | ".join([*averages, *gains])


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
    sources = {name: more if name in more else means for name in baselines}
    gains = {
        (name, c): factor * (sources[name]["neighbor"] - sources[name][name]).loc[c].dropna()
        for name in baselines
        for c in means.index.unique(level=0)
    }
    p_values = _holm(gains)
    for c in means.index.unique(level=0):
        cells = [_significant(gains[name, c], p_values[name, c], digits=1) for name in baselines]
        lines.append(" | ".join([f"| {classifier_label(str(c))}", *cells]) + " |")
    n_sets = means.index.get_level_values(1).nunique()
    note = (
        f"Mean difference in {title} of Neighbor-iCost over {n_sets} sets, with 95 % bootstrap "
        "intervals by data sets and by families; bold where significant after Holm over the table."
    )
    return "\n".join([*lines, "", note])
