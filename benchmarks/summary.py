"""Write the tables of speed of docs/findings.md from the tables under ``results/benchmarks``.

python benchmarks/summary.py
"""

import csv
from math import prod
from pathlib import Path

ROOT = Path(__file__).parents[1]
START, END = "<!-- made by benchmarks/summary.py -->\n", "<!-- end -->\n"
NEIGHBOR = {
    "clustered": "30 features, in clusters",
    "spread10": "10 features, spread out",
    "spread30": "30 features, spread out",
}
TIMES = "times ours"
VARIANTS = {"avx512": "avx512", "avx2": "avx2", "no kernel": "off"}
BASES = {"lr": "LR", "svc": "SVC", "dt": "DT", "xgb": "XGBoost"}


def read(name, folder=ROOT / "results" / "benchmarks"):
    """Return the rows of a table."""
    with Path(folder, f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def neighbor_lines():
    """Neighbour weights: how many times as long as ours the others take."""
    yield "| Neighbour weights: times as long as ours | icost 0.3.0 | faiss | an XGBoost fit |"
    yield "|---|---|---|---|"
    for table in ("neighbor_weights", "neighbor_weights_million"):
        found = {(row["data"], row["what"]): row for row in read(table)}
        for data, label in NEIGHBOR.items():
            if (data, "ours") in found:
                cells = [
                    found.get((data, what), {}).get(TIMES, "–")
                    for what in ("icost-0.3.0", "faiss", "XGBoost fit")
                ]
                yield f"| {found[data, 'ours']['rows']} rows, {label} | {' | '.join(cells)} |"


def grid_lines():
    """The grid: how many times as long icost 0.3.0 takes where that is least, of the geometries."""
    cells = {}
    for row in read("neighbor_grid"):
        times = float(row["times as long"]), row["stopped"]
        cells.setdefault((row["rows"], row["features"]), []).append(times)
    sizes, widths = (list(dict.fromkeys(cell[at] for cell in cells)) for at in (0, 1))
    columns = " | ".join(f"{width} features" for width in widths)
    yield f"| icost 0.3.0: times as long as ours, the least of three geometries | {columns} |"
    yield f"|---|{'---|' * len(widths)}"
    for size in sizes:
        least = (min(cells[size, width]) for width in widths)
        shown = (f"{'at least ' if stopped else ''}{times:.2f}" for times, stopped in least)
        yield f"| {size} rows | {' | '.join(shown)} |"


def variant_lines():
    """Variants of the kernel: how many times as long as each icost 0.3.0 takes."""
    found = {(row["data"], row["what"]): row for row in read("neighbor_weights")}
    default = found["spread30", "ours"]["kernel"]
    yield f"| icost 0.3.0: times as long as ours | {default} | {' | '.join(VARIANTS)} |"
    yield f"|---|{'---|' * (1 + len(VARIANTS))}"
    for data, label in NEIGHBOR.items():
        peer = float(found[data, "icost-0.3.0"][TIMES])
        ours = ["ours", *(f"ours, {name}" for name in VARIANTS.values())]
        cells = [f"{peer / float(found[data, name][TIMES]):.2f}" for name in ours]
        yield f"| {found[data, 'ours']['rows']} rows, {label} | {' | '.join(cells)} |"


def tree_lines():
    """Tree weights: how many times as long as ours the others take."""
    rows = read("probe_tree")
    found = {(row["data"], row["what"]): row for row in rows}
    yield "| Tree weights: times as long as ours | icost 0.3.0 | icost 0.2.0 | an XGBoost fit |"
    yield "|---|---|---|---|"
    for data in dict.fromkeys(row["data"] for row in rows):
        for probe in ("exact", "fast"):
            cells = [found[data, what][f"times {probe}"] for what in ("0.3.0", "0.2.0", "xgboost")]
            size = found[data, "exact"]["rows"]
            yield f'| {size} rows, {data}, `probe="{probe}"` | {" | ".join(cells)} |'


def tuning_lines():
    """The search over 81 settings: how many times as long GridSearchCV takes."""
    rows = read("tuning")
    means = {base: [float(r["times faster"]) for r in rows if r["base"] == base] for base in BASES}
    shares = {
        base: [float(r["halving, of GridSearchCV"]) for r in rows if r["base"] == base]
        for base in BASES
    }
    yield f"| Tuning 81 settings, three sets | {' | '.join(BASES.values())} |"
    yield "|---|---|---|---|---|"
    for label, values in (
        ("`GridSearchCV` takes so many times as long as `iCostCV`", means),
        ('`search="halving"` takes so much of `GridSearchCV`', shares),
    ):
        cells = [f"{prod(v) ** (1 / len(v)):.2f}" if v else "–" for v in values.values()]
        yield f"| {label} | {' | '.join(cells)} |"


def block():
    """Return the tables as Markdown."""
    tables = neighbor_lines, grid_lines, variant_lines, tree_lines, tuning_lines
    parts = ("\n".join(lines()) for lines in tables)
    return START + "\n" + "\n\n".join(parts) + "\n\n" + END


def replace_block(text):
    """Return the page with the tables of now."""
    before, _, rest = text.partition(START)
    return before + block() + rest.partition(END)[2]


def main():
    path = ROOT / "docs" / "findings.md"
    path.write_text(replace_block(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
