"""Do the intervals of an evaluation contain the truth, and which promises are called broken?

    python benchmarks/evaluate_coverage.py --short --out results/benchmarks
    nice python benchmarks/evaluate_coverage.py --out FOLDER

Scores of both classes are drawn from known distributions, whose truth follows by integration.
`docs/research/evaluate.md` is the plan.
"""

import argparse
import zlib
from dataclasses import dataclass

import numpy as np
from recording import add_out, record
from scipy.stats import norm

from icost.evaluation import _intervals
from icost.evaluation._expectation import Limit
from icost.evaluation._intervals import ScoredRows, mean_interval, score_intervals, share_of
from icost.evaluation._promises import _decide, cost_verdict
from icost.metrics import confusion_scores

MINORITY = (30, 100, 300, 1000, 3000)
"""Expected minority rows of a table; their number is drawn."""
PREVALENCES = (0.05, 0.3)
MOST_ROWS = 20_000
"""Rows of a table beyond which a cell is left out."""
RECALL = 0.7
"""Share of the minority that the cut finds."""
COST_FN = 10.0
N_MATRICES = 500
"""Confusion matrices of an interval, a quarter of what users get; the rest is theirs."""
GROUP = 5
"""Rows of a group, all of one class, in the population that has groups."""
SHARED = 0.6
"""Standard deviation of what the rows of a group share."""


@dataclass(frozen=True)
class Population:
    """Scores of the minority: a mixture of normal ones around some means; others are around 0."""

    name: str
    means: tuple[float, ...]
    has_groups: bool = False

    def density(self, score):
        return np.mean([norm.pdf(score, mean) for mean in self.means], axis=0)

    def above(self, score):
        return np.mean([norm.sf(score, mean) for mean in self.means], axis=0)

    @property
    def cut(self):
        grid = np.linspace(-5, 9, 14_001)
        return float(grid[np.abs(self.above(grid) - RECALL).argmin()])

    def draw(self, rng, n_rows, prevalence):
        """Return truth, scores and groups of a table."""
        if not self.has_groups:
            truth = rng.random(n_rows) < prevalence
            means = rng.choice(self.means, n_rows) * truth
            return truth, rng.normal(means, 1), None
        n_groups = max(1, n_rows // GROUP)
        truth = np.repeat(rng.random(n_groups) < prevalence, GROUP)
        means = np.repeat(rng.choice(self.means, n_groups), GROUP) * truth
        shared = np.repeat(rng.normal(0, SHARED, n_groups), GROUP)
        score = means + shared + rng.normal(0, np.sqrt(1 - SHARED**2), len(truth))
        return truth, score, np.repeat(np.arange(n_groups), GROUP)


POPULATIONS = (
    Population("near", (1.0,)),
    Population("apart", (2.0,)),
    Population("far apart", (3.0,)),
    Population("half hidden", (0.3, 3.0)),
    Population("in groups", (2.0,), has_groups=True),
)


SHORT = (
    ("far apart", 0.05, 30),
    ("far apart", 0.3, 30),
    ("half hidden", 0.05, 30),
    ("half hidden", 0.3, 30),
    ("in groups", 0.05, 30),
    ("in groups", 0.3, 30),
    ("far apart", 0.3, 300),
    ("half hidden", 0.3, 300),
    ("far apart", 0.3, 3000),
    ("half hidden", 0.3, 3000),
)
"""Cells of the short run, which takes a minute of CPU time."""


def all_cells():
    """Return name, prevalence and minority rows of each cell that is not too large."""
    return [
        (population.name, prevalence, n_minority)
        for n_minority in MINORITY
        for population in POPULATIONS
        for prevalence in PREVALENCES
        if n_minority / prevalence <= MOST_ROWS
    ]


def probabilities(population, score, prevalence):
    """Return the true probability of the minority at some scores."""
    minority = prevalence * population.density(score)
    return minority / (minority + (1 - prevalence) * norm.pdf(score))


def true_values(population, prevalence):
    """Return what an infinite table would show."""
    grid = np.linspace(-9, 12, 400_001)
    step, density, others = grid[1] - grid[0], population.density(grid), norm.pdf(grid)
    above, others_above = population.above(grid), norm.sf(grid)
    proba = np.clip(probabilities(population, grid, prevalence), 1e-300, 1 - 1e-16)
    alerts = prevalence * above + (1 - prevalence) * others_above
    joint = prevalence * density, (1 - prevalence) * others
    found, false = population.above(population.cut), norm.sf(population.cut)
    matrix = np.array(
        [
            [(1 - prevalence) * (1 - false), (1 - prevalence) * false],
            [prevalence * (1 - found), prevalence * found],
        ]
    )
    return {
        **{name: float(value) for name, value in confusion_scores(matrix).items()},
        "roc_auc": (density * norm.cdf(grid)).sum() * step,
        "pr_auc": (density * prevalence * above / alerts).sum() * step,
        "brier": (joint[0] * (1 - proba) ** 2 + joint[1] * proba**2).sum() * step,
        "log_loss": -(joint[0] * np.log(proba) + joint[1] * np.log1p(-proba)).sum() * step,
        "prevalence": prevalence,
        "alerts": matrix[:, 1].sum(),
        "cost": COST_FN * matrix[1, 0] + matrix[0, 1],
    }


def evaluate_draw(population, prevalence, n_rows, rng, truths):
    """Return intervals and verdicts of one table, None if it lacks a class."""
    truth, score, groups = population.draw(rng, n_rows, prevalence)
    if truth.all() or not truth.any():
        return None
    proba, alert = probabilities(population, score, prevalence), score >= population.cut
    rows = ScoredRows(truth.astype(int), alert.astype(int), 2, 1, score, proba, groups)
    costs = COST_FN * (truth & ~alert) + 1.0 * (~truth & alert)
    everything = np.ones(len(truth), dtype=bool)
    intervals = score_intervals(rows) | {
        "prevalence": share_of(rows, everything, truth),
        "alerts": share_of(rows, everything, alert),
        "cost": mean_interval(costs, groups),
    }
    held_out, verdicts = rows.held_out, {}
    for what, name in (("recall", "sensitivity"), ("precision", "precision"), ("alerts", "alerts")):
        share, n_worth = held_out.measure(what, alert)
        verdicts[what] = _decide(Limit(what, truths[name]), share, n_worth, 0.05)
    verdicts["cost"] = cost_verdict(costs, truths["cost"], 0.05, groups).verdict
    return intervals, verdicts


def run_cell(population, prevalence, n_minority, n_draws, run=1):
    """Return rows of coverage, and of verdicts where the limit is the truth itself."""
    again = "" if run == 1 else f" run {run}"
    seed = zlib.crc32(f"{population.name} {prevalence} {n_minority}{again}".encode())
    rng, truths = np.random.default_rng(seed), true_values(population, prevalence)
    size = round(n_minority / prevalence)
    cell = {"population": population.name, "prevalence": prevalence, "minority": n_minority}
    draws = [evaluate_draw(population, prevalence, size, rng, truths) for _ in range(n_draws)]
    draws = [draw for draw in draws if draw is not None]
    coverage, verdicts = [], []
    for name, true in truths.items():
        ends = np.array([(draw[0][name].low, draw[0][name].high) for draw in draws])
        covered = (ends[:, 0] <= true) & (true <= ends[:, 1])
        numbers = {"draws": len(draws), "covered": int(covered.sum())}
        widths = {"truth": f"{true:.4f}", "width": f"{np.diff(ends).mean():.4f}"}
        coverage.append({**cell, "score": name, **numbers, **widths})
    for what in ("recall", "precision", "alerts", "cost"):
        said = [draw[1][what] for draw in draws]
        counts = {verdict: said.count(verdict) for verdict in ("kept", "broken", "undecided")}
        verdicts.append({**cell, "promise": what, "draws": len(draws), **counts})
    return coverage, verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--short", action="store_true", help="ten cells instead of all")
    parser.add_argument("--run", type=int, default=1, help="other tables for another number")
    add_out(parser)
    arguments = parser.parse_args()
    _intervals.N_DRAWS = N_MATRICES
    by_name = {population.name: population for population in POPULATIONS}
    coverage, verdicts = [], []
    for name, prevalence, n_minority in SHORT if arguments.short else all_cells():
        cells = run_cell(by_name[name], prevalence, n_minority, arguments.draws, arguments.run)
        coverage += cells[0]
        verdicts += cells[1]
        lowest = min(cells[0], key=lambda row: row["covered"])
        share = lowest["covered"] / lowest["draws"]
        print(f"{name}, {prevalence}, {n_minority}: {lowest['score']} {share:.3f}", flush=True)
        record(coverage, arguments.out, "evaluate_coverage")
        record(verdicts, arguments.out, "evaluate_verdicts")


if __name__ == "__main__":
    main()
