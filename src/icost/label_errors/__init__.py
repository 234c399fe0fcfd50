"""Which labels are suspect? Every row is judged by models that have not seen it.

`label_quality` fits the models and returns a `LabelQuality`. Inside, `_out_of_fold` makes the
probabilities, and `_odds` turns them into scores and suspects. How score and rule were chosen is
described in ``docs/research/label_quality.md``.
"""

from icost.label_errors._quality import LabelQuality, label_quality

__all__ = ["LabelQuality", "label_quality"]
