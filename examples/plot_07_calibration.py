"""
Probabilities after weighting
=============================

Weights make the rare class look more frequent than it is, so a weighted model's probabilities are
too high. If anybody reads them, calibrate.
"""

# %%
# The page-blocks0 set has enough rows for a curve: 559 of 5,472 blocks of a page are not text.

from sklearn.model_selection import train_test_split

from icost.datasets import load_dataset

X, y = load_dataset("page-blocks0", return_X_y=True)
y = (y == "positive").astype(int)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# Four models
# -----------
# ``CalibratedClassifierCV`` fits iCost on one part of the training data and learns the map from its
# scores to frequencies on the other part, *without weights*. That order matters: the calibrating
# part must look like the data that the model will meet.

from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost import iCost

base = LogisticRegression(max_iter=1000)


def scaled(model):
    return make_pipeline(StandardScaler(), model)


models = {
    "plain": scaled(base),
    "class-level costs": scaled(iCost(base, method="cs")),
    "Neighbor-iCost": scaled(iCost(base, method="neighbor")),
    "Neighbor-iCost, calibrated": scaled(
        CalibratedClassifierCV(iCost(base, method="neighbor"), method="isotonic", cv=5)
    ),
}

# %%
# A point above the diagonal means that the event is more frequent than the model says; below, less.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.calibration import CalibrationDisplay

from icost.metrics import classification_scores

fig, ax = plt.subplots(figsize=(6, 5), layout="constrained")
rows = {}
for (name, model), style in zip(models.items(), ["o-", "s--", "^:", "D-."], strict=True):
    model.fit(X_train, y_train)
    probability = model.predict_proba(X_test)[:, 1]
    drawn = {"n_bins": 8, "name": name, "ax": ax, "marker": style[0], "linestyle": style[1:]}
    CalibrationDisplay.from_predictions(y_test, probability, **drawn)
    scores = classification_scores(y_test, model.predict(X_test), y_proba=probability)
    rows[name] = {k: scores[k] for k in ("brier", "log_loss", "roc_auc", "mcc")}
    rows[name]["mean probability"] = probability.mean()
ax.set(xlabel="predicted probability", ylabel="observed frequency")
plt.show()

# %%
# The share of positives in the test data is the number that the last column should be near.

print(f"share of positives: {y_test.mean():.3f}")
pd.DataFrame(rows).T.round(3)

# %%
# Calibration brings the probabilities back, and with them the plain model's threshold: at 0.5 a
# calibrated model predicts like an unweighted one. To keep the gain in recall, choose the threshold
# too: see :ref:`sphx_glr_gallery_plot_08_threshold.py`.
