"""Print the tables and draw the pictures of `docs/research/decisions.md`.

    python benchmarks/decisions_page.py --out results/benchmarks

Reads ``decisions_coverage.csv`` of the same folder, which `decisions_coverage.py` writes.
"""

import argparse

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
from decisions_coverage import LIMITS, by_family
from recording import add_out

from icost.datasets import list_datasets

CLASSIFIERS = {"lr": "logistic regression", "rf": "random forest", "xgb": "XGBoost"}
FORMS = {"empirical": "#8a94a6", "refit": "#3b6fd4", "members": "#0f8a78", "ensemble": "#e0662f"}
COSTS = ("answered", "recall", "precision", "alerts")
SIZES = {">=30": "30 or more", "<30": "fewer"}
SIGNS = {"recall": "≥", "precision": "≥", "alerts": "≤"}


def draw_broken(rates):
    """Draw the share of broken promises by limit, a panel for each classifier."""
    figure, panels = plt.subplots(1, 3, sharey=True, figsize=(10, 4.6), layout="constrained")
    limits = [(what, limit) for what, values in LIMITS.items() for limit in values]
    for ax, (classifier, title) in zip(panels, CLASSIFIERS.items(), strict=True):
        for form, color in FORMS.items():
            values = [rates.loc[(classifier, form, *limit, "all"), "broken"] for limit in limits]
            marker = "|" if form == "empirical" else "o"
            ax.plot([100 * v for v in values], range(len(limits)), marker, color=color, label=form)
        ax.axvline(10, color="#b7791f", linewidth=1, linestyle="--")
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("broken beyond noise, % of halves")
        ax.set_xlim(left=-0.5)
        ax.spines[["top", "right"]].set_visible(False)
    names = [f"{what} {SIGNS[what]} {limit:g}" for what, limit in limits]
    panels[0].set_yticks(range(len(limits)), names)
    panels[0].invert_yaxis()
    panels[2].legend(frameon=False, fontsize="small")
    return figure


def draw_price(rates):
    """Draw the share of rows with an alert for each recall floor, by minority rows of a half."""
    figure, panels = plt.subplots(1, 2, sharey=True, figsize=(8, 3.8), layout="constrained")
    titles = {">=30": "30 minority rows or more", "<30": "fewer than 30 minority rows"}
    for ax, (rows, title) in zip(panels, titles.items(), strict=True):
        for classifier, color in zip(CLASSIFIERS, ("#3b6fd4", "#0f8a78", "#e0662f"), strict=True):
            for form, style in (("ensemble", "-"), ("empirical", ":")):
                places = [(classifier, form, "recall", limit, rows) for limit in LIMITS["recall"]]
                alerts = [100 * rates.loc[place, "alerts"] for place in places]
                label = f"{CLASSIFIERS[classifier]}{', empirical' * (form == 'empirical')}"
                ax.plot(LIMITS["recall"], alerts, style, marker="o", color=color, label=label)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("recall that is promised")
        ax.set_xticks(LIMITS["recall"])
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("rows with an alert, of 100")
    panels[0].legend(frameon=False, fontsize="small")
    return figure


def percents(values, digits=1):
    """Return shares as percentages, side by side."""
    return " / ".join("–" if value != value else f"{100 * value:.{digits}f}" for value in values)


def kept_lines(rates, halvings, what):
    """Return a table of how often promises of one kind are broken, as lines of the page."""
    limits = " / ".join(f"{limit:g}" for limit in LIMITS[what])
    lines = [
        f"| {what} {SIGNS[what]} {limits} | halvings | broken, % | families within 15 % | raw, % |",
        "|---|---|---|---|---|",
    ]
    for classifier, title in CLASSIFIERS.items():
        for form in (*FORMS, "ensemble-refit", "mapie"):
            if (classifier, form, what) not in halvings.index:
                continue
            rows = rates.loc[[(classifier, form, what, limit, "all") for limit in LIMITS[what]]]
            within = (rows["within 15 %"] * rows["families"]).round().astype(int)
            families = " / ".join(
                f"{n} of {total:.0f}" for n, total in zip(within, rows["families"], strict=True)
            )
            n_halvings = halvings[classifier, form, what]
            lines.append(
                f"| {title}, {form} | {n_halvings} | {percents(rows['broken'])} | {families} | "
                f"{percents(rows['raw'])} |"
            )
    return lines


def apart_lines(table, what):
    """Return broken promises of one kind, apart by collection and size, as lines of the page."""
    confirmation = set(list_datasets(collection="confirmation"))
    is_new = table["dataset"].isin(confirmation)
    parts = {"development": by_family(table[~is_new]), "confirmation": by_family(table[is_new])}
    limits = " / ".join(f"{limit:g}" for limit in LIMITS[what])
    heads = [f"{part}, {SIZES[rows]}" for part in parts for rows in SIZES]
    lines = [
        f"| {what} {SIGNS[what]} {limits}, broken, % | {' | '.join(heads)} |",
        "|---" * 5 + "|",
    ]
    for classifier, title in CLASSIFIERS.items():
        for form in list(FORMS)[1:]:
            cells = []
            for rates in parts.values():
                for rows in SIZES:
                    places = [(classifier, form, what, limit, rows) for limit in LIMITS[what]]
                    chosen = rates.loc[places]
                    families = int(chosen["families"].max())
                    cells.append(f"{percents(chosen['broken'])} ({families})")
            lines.append(f"| {title}, {form} | {' | '.join(cells)} |")
    return lines


def pooled_lines(table, what):
    """Return how many answers are broken, over all data sets and halves, as lines of the page."""
    table = table[table["what"] == what].copy()
    for name in ("broken", "raw"):
        table[name] = (table[name] * table["answers"]).round()
    counts = table.groupby(["classifier", "form", "limit"])[["broken", "raw", "answers", "halves"]]
    counts = counts.sum().astype(int)
    lines = [
        "| pooled over data sets | halves | "
        + " | ".join(f"{what} {SIGNS[what]} {limit:g}" for limit in LIMITS[what])
        + " |",
        "|---" * (2 + len(LIMITS[what])) + "|",
    ]
    for classifier, title in CLASSIFIERS.items():
        for form in list(FORMS)[1:]:
            rows = counts.loc[[(classifier, form, limit) for limit in LIMITS[what]]]
            cells = [f"{row.broken} / {row.raw} / {row.answers:,}" for row in rows.itertuples()]
            n_halves = rows["halves"].iloc[0]
            lines.append(f"| {title}, {form} | {n_halves:,} | {' | '.join(cells)} |")
    return lines


def answer_lines(rates, what):
    """Return a table of how often there is an answer and what it costs, as lines of the page."""
    lines = [
        "| | minority rows | answered, % | recall, % | precision, % | alerts, % |",
        "|---|---|---|---|---|---|",
    ]
    for classifier in ("lr", "xgb"):
        for form in ("ensemble", "refit", "mapie", "empirical"):
            for rows, title in SIZES.items():
                places = [(classifier, form, what, limit, rows) for limit in LIMITS[what]]
                table = rates.loc[places]
                cells = [percents(table[name], 0) for name in COSTS]
                lines.append(
                    f"| {CLASSIFIERS[classifier]}, {form} | {title} | {' | '.join(cells)} |"
                )
    return lines


def page_lines(table):
    """Return all tables of the page."""
    rates = by_family(table)
    halvings = table.groupby(["classifier", "form", "what"])["halves"].max()
    tables = [kept_lines(rates, halvings, what) for what in LIMITS]
    tables.append(pooled_lines(table, "precision"))
    tables += [apart_lines(table, what) for what in LIMITS]
    tables += [answer_lines(rates, what) for what in ("recall", "precision")]
    return [line for lines in tables for line in (*lines, "")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_out(parser)
    given = parser.parse_args()
    table = pd.read_csv(given.out / "decisions_coverage.csv")
    print("\n".join(page_lines(table)))
    rates = by_family(table)
    plt.rcParams |= {"svg.hashsalt": "icost", "svg.fonttype": "none"}
    for name, draw in (("broken", draw_broken), ("price", draw_price)):
        draw(rates).savefig(given.out / f"decisions_{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
