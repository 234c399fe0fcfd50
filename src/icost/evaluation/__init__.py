"""Evaluation: how a fitted model fares on new rows, beside what was expected of it.

- `evaluate`: scores, promises, calibration and what is new in the rows, as an `Evaluation`;
- `PromiseVerdict`: whether a promise was kept;
- `decide_anew`: another cut, with a certificate from these rows.
"""

from icost.evaluation._evaluation import Evaluation, evaluate
from icost.evaluation._new_decision import decide_anew
from icost.evaluation._promises import PromiseVerdict

__all__ = ["Evaluation", "PromiseVerdict", "decide_anew", "evaluate"]
