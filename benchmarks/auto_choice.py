"""Is the choice of classifier and strategy better than that of a strategy for logistic regression?

    python benchmarks/auto_choice.py --out results/benchmarks

One data set per family of the paper's and of the 28 recorded ones. Closed on 19 November 2026: the
rows are of the default before the one pass, which the library no longer has, and this prints their
tables. What was asked, and how it is judged, stands in docs/research/choice.md.
"""

import argparse

import numpy as np
import pandas as pd
from recording import add_out, recorded

PAPER = (
    *("glass1", "new-thyroid1", "vehicle1", "yeast-1_vs_7", "pima", "wisconsin", "ecoli3"),
    *("cleveland-0_vs_4", "vowel", "page-blocks-1-3_vs_4", "abalone", "winequality-red-8_vs_6"),
    *("shuttle-c0-vs-c4", "poker-8-9_vs_6", "kddcup-land_vs_satan"),
)
"""One data set per family of the paper's."""
RECORDED = (
    *("appendicitis", "haberman", "hepatitis", "ionosphere", "saheart", "spectfheart", "wdbc"),
    *("iris0", "segment0", "cm1", "kc1", "pc1", "car-good", "dermatology-6", "flare-F"),
    *("kr-vs-k-one_vs_fifteen", "led7digit-0-2-4-5-6-7-8-9_vs_1", "lymphography-normal-fibrosis"),
    *("zoo-3", "ada", "satimage", "hypothyroid", "german"),
)
"""The first data set of each family of the 28 on which the ensemble was confirmed."""
N_OUTER = 5
CHOICES = ("two stages", "lr only")


PASSING = "passing over"
"""Prefix of the columns of the rule that passes over what decides poorly; the first rounds of outer
folds have none."""


def read_rows(out):
    """Return the means of data sets over the outer folds that all have, and how many these are."""
    table = pd.DataFrame(recorded(out, "auto_choice"))
    if table.empty:
        raise SystemExit(f"{out} has no rows yet: the tables cannot be printed.")
    for what in CHOICES:
        for column in ("MCC", "promised", "CPU seconds"):
            table[f"{what}: {column}"] = table[f"{what}: {column}"].astype(float)
    names = [*PAPER, *RECORDED]
    n_sets = table.groupby("fold")["dataset"].nunique()
    complete = sorted(n_sets.index[n_sets == len(names)])
    whole = table[table["fold"].isin(complete)]
    return whole.groupby("dataset").mean(numeric_only=True).loc[names], len(complete)


def with_interval(values):
    """Return a mean with its 95 % bootstrap interval over families, one data set each."""
    values = values.to_numpy()
    draws = np.random.default_rng(0).choice(values, (10_000, len(values))).mean(axis=1)
    low, high = np.percentile(draws, [2.5, 97.5])
    return f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def passed_over(out):
    """Yield lines on the rule that passes over what decides poorly, for the rounds that have it."""
    table = pd.DataFrame(recorded(out, "auto_choice"))
    table = table[table[PASSING] != ""]
    n_sets = table.groupby("fold")["dataset"].nunique()
    table = table[table["fold"].isin(n_sets.index[n_sets == len(PAPER + RECORDED)])]
    gain = table[f"{PASSING}: MCC"].astype(float) - table["two stages: MCC"].astype(float)
    mean = gain.groupby(table["dataset"]).mean()
    other = table[PASSING] != table["two stages"]
    yield f"{other.sum()} of {len(table)} choices differ: {with_interval(mean)}"
    yield "| data set | round | chosen | passing over | MCC of both |"
    yield "|---|---|---|---|---|"
    for _, row in table[other].iterrows():
        yield (
            f"| {row['dataset']} | {int(row['fold']) + 1} | {row['two stages']} | {row[PASSING]} "
            f"| {float(row['two stages: MCC']):.3f}, {float(row[f'{PASSING}: MCC']):.3f} |"
        )


def evaluate(out):
    """Yield the tables of the page as lines of Markdown."""
    means, n_rounds = read_rows(out)
    gain = means["two stages: MCC"] - means["lr only: MCC"]
    gap = means["two stages: promised"] - means["two stages: MCC"]
    is_paper = means.index.isin(PAPER)
    yield "| families | number | two stages − LR only | higher–lower | promised − scored |"
    yield "|---|---|---|---|---|"
    for title, chosen in {
        "the paper's": is_paper,
        "recorded benchmark": ~is_paper,
        "all": np.full(len(means), True),
    }.items():
        higher, lower = (gain[chosen] > 0.0005).sum(), (gain[chosen] < -0.0005).sum()
        yield (
            f"| {title} | {chosen.sum()} | {with_interval(gain[chosen])} | {higher}–{lower} "
            f"| {with_interval(gap[chosen])} |"
        )
    yield ""
    yield "| data set | two stages | LR only | promised | CPU s | CPU s, LR only |"
    yield "|---|---|---|---|---|---|"
    for name, row in means.iterrows():
        yield (
            f"| {name} | {row['two stages: MCC']:.3f} | {row['lr only: MCC']:.3f} "
            f"| {row['two stages: promised']:.3f} | {row['two stages: CPU seconds']:.0f} "
            f"| {row['lr only: CPU seconds']:.1f} |"
        )
    yield ""
    ratio = (means["two stages: CPU seconds"] / means["lr only: CPU seconds"]).median()
    yield f"Two stages take {ratio:.0f} times the CPU time of LR only, in the median."
    yield f"Rounds of outer folds in which all data sets were run: {n_rounds} of {N_OUTER}."
    yield ""
    yield from passed_over(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_out(parser)
    print(*evaluate(parser.parse_args().out), sep="\n")


if __name__ == "__main__":
    main()
