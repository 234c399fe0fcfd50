from dataclasses import replace

import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier


@pytest.fixture
def small(monkeypatch):
    """Classifiers of the first stage that are fitted in no time, few draws, and no blend."""
    from icost.strategies._estimators import CLASSIFIERS

    def forest(seed):
        return RandomForestClassifier(10, random_state=seed)

    def boosting(seed):
        return HistGradientBoostingClassifier(max_iter=20, random_state=seed)

    for name, factory in (("rf", forest), ("hgb", boosting)):
        monkeypatch.setitem(CLASSIFIERS, name, replace(CLASSIFIERS[name], factory=factory))
    monkeypatch.setattr("icost.comparison._compare.BLEND_ROWS", 0)
    monkeypatch.setattr("icost.comparison._selection.N_DRAWS", 50)
