"""Which labels are suspect? Every row is judged by models that have not seen it.

`_out_of_fold` makes probabilities, and `_odds` turns them into scores and suspects, by a rule that
``docs/research/label_quality.md`` explains.
"""

from icost.label_errors._quality import LabelQuality, label_quality

__all__ = ["LabelQuality", "label_quality"]
