"""Evaluate iCost and iCostEnsemble with skore; needs ``pip install "skore>=0.28"``.

The page "Reports with skore" of the guide shows this script and what it prints.
"""

from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, matthews_corrcoef
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from skore import evaluate

from icost import iCost, iCostEnsemble
from icost.datasets import load_dataset

X, y = load_dataset("yeast4", return_X_y=True)
plain = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
models = {
    "plain": plain,
    "iCost": iCost(plain),
    "iCostEnsemble": iCostEnsemble(plain, random_state=0),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
report = evaluate(models, X, y, splitter=folds, pos_label="positive")

report.metrics.add(make_scorer(matthews_corrcoef), name="mcc")
names = ["mcc", "precision", "recall", "roc_auc", "log_loss", "brier_score"]
table = report.metrics.summarize(metric=names).frame(aggregate="mean")
print(table.round(2).to_string())
