"""Decisions: from probabilities of rows that a model has not seen to the cut that decides.

- `ThresholdClassifier`: any classifier with a rule;
- `Bound`, `LeastCost`: rules as objects; as strings they are ``"recall>=0.8"``, ``"cost"``;
- `Certificate`: what a decision promises and costs;
- `at_prevalence`, `estimate_prevalence`: where the minority's share is another one.
"""

from icost.thresholds._certificate import Certificate
from icost.thresholds._prevalence import at_prevalence, estimate_prevalence
from icost.thresholds._rules import Bound, LeastCost
from icost.thresholds._threshold_classifier import ThresholdClassifier

__all__ = [
    "Bound",
    "Certificate",
    "LeastCost",
    "ThresholdClassifier",
    "at_prevalence",
    "estimate_prevalence",
]
