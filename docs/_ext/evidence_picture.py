"""A picture of a table of scores or gains: dots, with lines for intervals where there are some."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

# Okabe and Ito's colours, which people with any colour vision tell from each other, and markers.
STYLES = (("#0072B2", "o"), ("#E69F00", "s"), ("#009E73", "^"), ("#CC79A7", "D"), ("#000000", "v"))

CELL = re.compile(r"([+\-−]?[\d.]+)(?: \[([+\-−]?[\d.]+), ([+\-−]?[\d.]+)\])?")


def read_cell(cell: object) -> tuple[float, float, float] | None:
    """Return value and limits of a cell such as ``+1.2 [+0.3, +2.1], 5–3–1``, or None."""
    match = CELL.match(str(cell))
    if match is None:
        return None
    value, low, high = (float(g.replace("−", "-")) if g else None for g in match.groups())
    return (value, value, value) if low is None else (value, low, high)


def score_columns(table: pd.DataFrame) -> list[str]:
    """Return the columns to draw: classifiers, or what stands beside a published number."""
    classifiers = [c for c in table if c in ("LR", "SVM", "DT", "RF", "XGBoost")]
    return classifiers or [c for c in table if f"{c} published" in table]


def draw_table(source: Path, target: Path, n_rows: int = 8) -> None:
    """Draw the first rows of a CSV table, one colour and marker per column.

    Published numbers are hollow markers below ours.
    """
    table = pd.read_csv(source).head(n_rows)
    columns = score_columns(table)
    fig, ax = plt.subplots(figsize=(6.4, 1.2 + 0.55 * len(table)), layout="constrained")
    for place, column in enumerate(columns):
        color, marker = STYLES[place]
        middle = 0.14 * (place - (len(columns) - 1) / 2)
        for row, cell in enumerate(table[column]):
            drawn = read_cell(cell)
            if drawn is None:
                continue
            ax.plot(drawn[1:], [row + middle] * 2, color=color, lw=1.5)
            label = column if row == 0 else None
            ax.plot(drawn[0], row + middle, marker, color=color, ms=5, label=label, ls="")
        if f"{column} published" in table:
            places = [row + middle + 0.06 for row in range(len(table))]
            ax.plot(
                table[f"{column} published"], places, marker, color=color, ms=5, mfc="none", ls=""
            )
    has_gains = any("[" in str(cell) for cell in table[columns].to_numpy().ravel())
    if has_gains:
        ax.axvline(0, color="0.4", lw=1, ls="--")
    about = "MCC × 100" + (", hollow: published" if f"{columns[0]} published" in table else "")
    ax.set(xlabel="difference in MCC × 100, 95 % interval" if has_gains else about)
    ax.set_yticks(range(len(table)), table.iloc[:, 0])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    # Above, so that a phone does not shrink the text.
    fig.legend(
        loc="outside upper center", ncols=5, frameon=False, fontsize="small", columnspacing=1
    )
    # The same bytes at each build.
    plt.rcParams["svg.hashsalt"] = "icost"
    fig.savefig(target, metadata={"Date": None})
    plt.close(fig)
