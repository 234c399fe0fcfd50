"""Strategies: ways to fit a classifier to imbalanced data, each under a name.

- `icost.strategies.registry`: all of them; a new one gets a line there;
- `icost.strategies.estimator`: any of them as a classifier, to keep;
- `icost.strategies.classifiers`: the classifiers that they are tried with;
- `icost.strategies.training_fold`: a fold as numbers, what strategies share on it, what comes out;
- `icost.strategies.weighting`, `icost.strategies.threshold`, `icost.strategies.ensembles`,
  `icost.strategies.grids`: how they fit.

Comparisons, model files and experiments all take them from here.
"""
