"""Keep what a benchmark measured, as a table that the documentation shows."""

import csv
import os
from pathlib import Path


def record(rows, folder, name):
    """Write dictionaries with the same keys as a CSV file; without a folder, write nothing."""
    if folder is None:
        return
    path = Path(folder, f"{name}.csv")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def recorded(folder, name):
    """Return the rows of a table that was written before; none if there is none."""
    path = Path(folder or "", f"{name}.csv")
    if folder is None or not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def machine():
    """Return the columns that say on what a row was measured; the kernel is that of the search."""
    from icost._neighbors.kernel import variant
    from icost.modelfile._saved_model import processor_name

    return {"CPU": f"{processor_name()}, {os.cpu_count()} cores", "kernel": variant()[0]}


def add_out(parser):
    """Add the option that names the folder."""
    parser.add_argument("--out", type=Path, help="folder for the table, such as results/benchmarks")
