"""
Choose the decision, not the model
==================================

Nobody is asked at work for the best MCC. They are asked to find at least 80 of 100, or to raise at
most 50 alerts per 1,000 rows. `ThresholdClassifier` takes such a rule, and says what it promises.
"""

# %%
# A real set: 559 of 5,472 blocks of a page are not text. Five folds of two thirds of it choose the
# cut; the other third shows whether the promise is kept.

import matplotlib.pyplot as plt
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import recall_score
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from icost import ThresholdClassifier, at_prevalence
from icost.datasets import load_dataset
from icost.plots import DecisionDisplay

X, y = load_dataset("page-blocks0", return_X_y=True)
y = (y == "positive").astype(int)
split = train_test_split(X, y, test_size=0.33, stratify=y, random_state=1)
X_train, X_test, y_train, y_test = split

linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
floor = ThresholdClassifier(linear, "recall>=0.8", random_state=0).fit(X_train, y_train)
print(floor.certificate_)
print(f"\nRecall on the test rows: {recall_score(y_test, floor.predict(X_test)):.2f}")

# %%
# What would it cost to find more? Each cut is a point of the curves; the mark is the one that the
# rule chose.

display = DecisionDisplay.from_estimator(floor)
plt.show()

# %%
# The same as a table.

for cut in display.table[4:]:
    print(f"{100 * cut['found']:.0f} of 100 found, {cut['alerts']:.0f} alerts per 1,000 rows")

# %%
# A team that can look at 50 of 1,000 rows asks for another cut through the same probabilities, and
# so does one that works where the minority is rarer. Nothing is fitted again for that.

budget = ThresholdClassifier(linear, "alerts<=50/1000", random_state=0).fit(X_train, y_train)
print(budget.certificate_)
print(f"\nWhere 1 of 100 is of the minority: {at_prevalence(budget, 0.01).certificate_}")

# %%
# Two limits may clash. Then the first is kept, and the certificate says by how much the other one
# fails.

both = ThresholdClassifier(linear, "recall>=0.9, alerts<=0.1", random_state=0)
print(both.fit(X_train, y_train).certificate_)
