"""
Your own complexity measure
===========================

Neighbour counts and tree leaves are two answers to "how hard is this row?". Yours may be better.
A measure is one small class, and everything else (costs, tuning, multiclass, plots) works with it.
"""

# %%
# The idea
# --------
# Use a classifier: a row is hard if the classifier gets it wrong without having seen it (*instance
# hardness*).

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_predict

from icost import BaseComplexity


class HardnessComplexity(BaseComplexity):
    """Complexity by the cross-validated probability of the wrong class."""

    def __init__(self, n_estimators=30, cv=3):
        self.n_estimators = n_estimators
        self.cv = cv

    def _estimate(self, X, is_minority, *, sample_weight, n_jobs, random_state):
        forest = RandomForestClassifier(
            self.n_estimators, class_weight="balanced", n_jobs=n_jobs, random_state=random_state
        )
        proba = cross_val_predict(forest, X, is_minority, cv=self.cv, method="predict_proba")
        hardness = proba[is_minority, 0]
        names = np.array(["pure", "safe", "border", "outlier"])
        return names[np.digitize(hardness, [0.1, 0.5, 0.95])], hardness


# %%
# ``_estimate`` returns a category and a score in [0, 1] for each minority row, in the order of
# the rows. The names of the paper's categories bring the costs ``cfp``, ``cfs``, ``cfb`` and
# ``cfo`` with them; for names of your own, return a cost for each from ``_own_costs``.

from icost import iCost
from icost.datasets import load_dataset
from icost.plots import ComplexityDisplay

X, y = load_dataset("ecoli3", return_X_y=True)
model = iCost(method=HardnessComplexity(), random_state=0).fit(X, y)
ComplexityDisplay.from_estimator(model, X)
print(model.complexity_)

# %%
# It is a parameter like any other
# --------------------------------
# Grid search reaches into it, and compares it with the built-in ones.

from sklearn.model_selection import GridSearchCV, StratifiedKFold

from icost import GiniComplexity, NeighborComplexity

search = GridSearchCV(
    iCost(method=HardnessComplexity(), random_state=0),
    [
        {"method": [NeighborComplexity(), GiniComplexity()]},
        {"method": [HardnessComplexity()], "method__n_estimators": [10, 30]},
    ],
    scoring="matthews_corrcoef",
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
)
search.fit(X, y == "positive")
for params, score in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"]):
    print(f"{score:.3f}  {params['method']}")
