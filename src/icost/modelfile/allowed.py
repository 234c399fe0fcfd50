"""The types that a model file may hold: the reviewed allow-list.

skops itself trusts NumPy arrays and the public estimators of scikit-learn. Each type below was
looked at for what loading it does:

- icost's own types and the private ones of scikit-learn are rebuilt attribute by attribute; a
  ``Tree`` hands its arrays to its compiled ``__setstate__``, which checks their shapes and types
  but not the node numbers inside;
- a booster of XGBoost or LightGBM and a model of CatBoost hand the bytes of the file to their own
  native loader, written in C++. No Python code of the file runs, yet a bug in such a loader would
  be within reach of whoever made the file.
"""

OWN_TYPES = (
    "icost.bootstrap.WeightedBootstrap",
    "icost.classifier.iCost",
    "icost.complexity.base.Complexity",
    "icost.complexity.gini.GiniComplexity",
    "icost.complexity.neighbor.NeighborComplexity",
)

SCIKIT_LEARN_TYPES = (
    "sklearn._loss.link.Interval",
    "sklearn._loss.link.LogitLink",
    "sklearn._loss.loss.HalfBinomialLoss",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.ensemble._hist_gradient_boosting.binning._BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.model_selection._split.StratifiedKFold",
    "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
    "sklearn.tree._tree.Tree",
)

NATIVE_LOADERS = (
    "catboost.core.CatBoostClassifier",
    "lightgbm.basic.Booster",
    "lightgbm.sklearn.LGBMClassifier",
    "xgboost.core.Booster",
    "xgboost.sklearn.XGBClassifier",
)
"""Types that are loaded by the C++ code of their own library."""

PLAIN_TYPES = ("collections.OrderedDict", "numpy.dtype")

ALLOWED_TYPES = frozenset((*OWN_TYPES, *SCIKIT_LEARN_TYPES, *NATIVE_LOADERS, *PLAIN_TYPES))
"""All types that load without being named by the user."""
