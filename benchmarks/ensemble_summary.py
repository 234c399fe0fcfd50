"""Write what the ensemble gains into docs/findings.md, and its picture onto the first page.

    icost reproduce ensemble confirmation && python benchmarks/ensemble_summary.py

Numbers are those of the tables under ``results/``; a study that is not complete is left out.
"""

import csv
from pathlib import Path

ROOT = Path(__file__).parents[1]
START, END = "<!-- made by benchmarks/ensemble_summary.py -->\n", "<!-- end of the ensemble -->\n"
STUDIES = {
    "confirmation": "28 sets of other families than the paper's",
    "ensemble": "The paper's 65 sets, on which the ensemble was developed",
}
MODELS = {
    **{f"Ensemble of {name}": name for name in ("LR", "SVM", "DT", "RF", "XGBoost")},
    "Blend": "Own",
}

WORDS = {"NCS": "plain", "Tuned threshold": "tuned threshold", "CS": "class-level costs"}
"""What the page calls strategies."""


def read(results, study, table):
    """Return the rows of a table by their labels."""
    path = Path(results, f"{study}-honest", "tables", f"{table}.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {next(iter(row.values())): row for row in csv.DictReader(file)}


def is_complete(results, study):
    """Whether the tables of a study are there, and were made of all of its rows."""
    path = Path(results, f"{study}-honest", "tables", f"{study}-gains.md")
    return path.exists() and "So far " not in path.read_text(encoding="utf-8")


BASELINES = ("NCS", "Tuned threshold", "SMOTE", "CS", "Neighbor-iCost", "Gini-iCost")
"""What both studies compare each ensemble with, one by one."""


def rival_lines(results, study):
    """What is gained over each baseline, with intervals by sets and by families."""
    by_set, by_family = (
        read(results, study, f"{study}-beside{suffix}") for suffix in ("", "-by-source")
    )
    models = [model for model in MODELS if model != "Blend"]
    yield f"| {STUDIES[study]} | {' | '.join(models)} |"
    yield f"|---|{'---|' * len(models)}"
    for name in BASELINES:
        cells = []
        for model in models:
            family = by_family[f"over {name}"][model].partition(" ")[2]
            cells.append(f"{by_set[f'over {name}'][model]} {family}")
        yield f"| over {WORDS.get(name, name)} | {' | '.join(cells)} |"


def gain_lines(results, study):
    """What is gained over the best of all baselines, an oracle's choice."""
    columns = ("By sets", "By families", "Median", "Wins–losses–ties", "p (Holm)")
    yield f"| {STUDIES[study]} | over | {' | '.join(map(str.lower, columns[:-1]))} | p (Holm) |"
    yield f"|---|---|{'---|' * len(columns)}"
    rows = read(results, study, f"{study}-gains-all")
    for label in MODELS:
        cells = [rows[label][name] for name in columns]
        cells[-1] = f"{float(cells[-1]):.4f}".replace("0.0000", "< 0.0001")
        over = rows[label]["Over"]
        classifier, comma, over = over.rpartition(", ")
        over = classifier + comma + WORDS.get(over, over)
        yield f"| {label} | {over} | {' | '.join(cells)} |"


def fact_lines(results, study):
    """Probabilities, out-of-fold score and time of each ensemble."""
    calibration, word, times = (
        read(results, study, f"{study}-{name}") for name in ("calibration", "own-word", "times")
    )
    words = {own: "Blend, Own" if own == "Own" else f"Ensemble, {own}" for own in MODELS.values()}
    ratios = {
        "CPU time; 1 is a threshold tuned on five folds": ("Ensemble", "Blend", 2),
        "… with 10 fits": ("Ensemble, 10 fits", "Blend, 10 fits each", 2),
        "… as a share of `GridSearchCV` over 81 settings": (
            *("Ensemble, share of GridSearchCV", None),
            3,
        ),
    }
    yield f"| {STUDIES[study]} | {' | '.join(MODELS)} |"
    yield f"|---|{'---|' * len(MODELS)}"
    brier = [calibration[f"Brier score, {label}"]["By sets"] for label in MODELS]
    yield f"| Brier score minus that of `CalibratedClassifierCV` | {' | '.join(brier)} |"
    off = [word[label]["Difference"] for label in words.values()]
    yield f"| MCC: `oof_score_` minus test folds | {' | '.join(off)} |"
    for label, (single, blend, digits) in ratios.items():
        found = [times.get(blend if own == "Own" else single, {}).get(own) for own in words]
        cells = [f"{float(value):.{digits}f}" if value else "–" for value in found]
        yield f"| {label} | {' | '.join(cells)} |"


TABLES = {
    "Gains with their intervals": gain_lines,
    "Gains over each baseline, by data sets and by families": rival_lines,
    "Probabilities, out-of-fold scores and time": fact_lines,
}
"""Tables by the titles of the boxes that they are folded into."""


def folded(title, study, lines):
    """Return a table in a box that opens."""
    where = STUDIES[study][0].lower() + STUDIES[study][1:]
    return "\n".join([f":::{{dropdown}} {title}: {where}", *lines, ":::"])


def picture(study, prefix):
    """Differences with their intervals, as a picture."""
    alt = "What the ensemble gains over the best of all baselines of each classifier"
    return f"![{alt}: {STUDIES[study]}]({prefix}results/{study}-honest/figures/{study}-gains.svg)"


def block(results=ROOT / "results", prefix="", tables=True):
    """Return pictures, and tables, of the studies that are complete."""
    parts = []
    for study in (study for study in STUDIES if is_complete(results, study)):
        if tables or not parts:
            parts.append(picture(study, prefix))
        if tables:
            parts += [
                folded(title, study, lines(results, study)) for title, lines in TABLES.items()
            ]
    return START + "".join(f"\n{part}\n" for part in parts) + ("\n" if parts else "") + END


def replace_block(text, **options):
    """Return a page with the numbers of now."""
    before, _, rest = text.partition(START)
    return before + block(**options) + rest.partition(END)[2]


PAGES = {"docs/findings.md": {"prefix": "../"}, "docs/index.md": {"prefix": "../", "tables": False}}
"""Pages, and what they show."""


def main():
    for name, options in PAGES.items():
        path = ROOT / name
        path.write_text(
            replace_block(path.read_text(encoding="utf-8"), **options), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
