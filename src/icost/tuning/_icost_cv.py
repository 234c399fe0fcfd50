"""iCostCV: costs, and anything else, chosen by cross-validation."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, check_cv
from sklearn.utils import check_random_state, column_or_1d, get_tags
from sklearn.utils.metadata_routing import UNUSED, MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from icost._core.arrays import Floats
from icost._core.delegation import PredictionMixin
from icost._core.labels import encode_labels
from icost._core.validation import (
    as_table,
    check_choice,
    check_number,
    check_sample_weight,
    rows_of,
    take_rows,
)
from icost._weights.classifier import iCost
from icost.tuning._candidates import CONFUSION_SCORES, check_grid, positive_label, resolve_scorer
from icost.tuning._fold_scores import configure, whole_fit_params
from icost.tuning._search_table import SearchTable, SearchTask, cross_validation_results
from icost.tuning._searches import (
    SEARCHES,
    SELECTIONS,
    is_number,
    run_search,
    select_candidate,
    split_rows,
)


class iCostCV(PredictionMixin, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Tune the costs of an `iCost`, and any other of its parameters, by cross-validation.

    Which costs suit these data? It tries candidates on cross-validation folds, selects one, and
    refits it on all rows. It does what a `sklearn.model_selection.GridSearchCV` does and selects
    what that would select with the same rule for ties, but computes once what the candidates of a
    fold share: the steps of a pipeline before iCost, the complexity of the minority rows and fits
    with equal weights. A candidate that cannot be fitted ends the search, as with
    ``error_score="raise"``.

    Parameters
    ----------
    estimator : iCost, or Pipeline that ends in one, default=None
        What to tune; all its parameters stay where they are. Default: ``iCost()``.
    grid : {"paper", "scale"}, dict or list of dict, default="paper"
        - ``"paper"``: the paper's 81 combinations of costs;
        - ``"scale"``: a common factor from 0.05 to 1.5 times one of four shapes. One of them is
          uniform, so that tuning can say that instance weights bring nothing;
        - lists of values, or for all but ``search="grid"`` distributions, over any parameter
          (``"method"``, ``"n_neighbors"``, ``"base_classifier__C"``, ``"icost__cfb"``).
    search : {"grid", "halving", "tpe", "cmaes"}, default="grid"
        - ``"grid"``: all candidates;
        - ``"halving"``: some of them on one fold, the best third of these on more, and so on; the
          last ones on two repeats of the folds, if ``cv`` is a number;
        - ``"tpe"``, ``"cmaes"``: Bayesian and evolutionary search, by Optuna.
    n_candidates : int, default=40
        How many candidates to try, for all but ``"grid"``.
    scoring : str, callable or None, default="matthews_corrcoef"
        What is to be high: a name of `icost.metrics.make_scorers`, for which the minority is the
        positive class, one that scikit-learn knows, or a scorer.
    cv : int, splitter or iterable, default=5
        Folds, as in scikit-learn.
    select : {"best", "one_se"}, default="best"
        - ``"best"``: the highest mean score. Ties are broken by F1, G-mean, the smallest sum of
          costs, and lexicographically in the alphabetical order of the parameters' names;
        - ``"one_se"``: the smallest sum of costs within one standard error of the best.
    refit : bool, default=True
        Whether to fit the selected setting on all data.
    n_jobs : int, default=None
        Number of jobs, over folds and parts of the candidates.
    random_state : int, RandomState or None, default=None
        Draws candidates, repeats of folds and bootstrap samples.
    verbose : int, default=0
        Whether to show progress.

    Attributes
    ----------
    best_params_ : dict
        The selected setting.
    best_score_ : float
        Its mean score. It was chosen for being high, and so is optimistic: see `nested_score`.
    best_index_ : int
        Its position in ``cv_results_``.
    best_estimator_ : classifier
        The refitted estimator.
    cv_results_ : dict
        As that of `sklearn.model_selection.GridSearchCV`, with the means of F1 and G-mean, and the
        number of folds that each candidate was evaluated on.
    refit_time_ : float
        Seconds that the refit took.
    n_splits_ : int
        Number of folds; twice ``cv`` if ``"halving"`` repeats them.
    scorer_ : callable
        The scorer.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where they have any.

    See Also
    --------
    icost.ThresholdClassifier : Tunes the decision instead of the costs, or both around a search.
    icost.iCostAuto : The best model for a table.

    Notes
    -----
    ``best_score_`` is the highest of many means over few minority rows: part of it is luck. Report
    `nested_score`, and give a rival as many candidates. With few minority rows prefer
    ``select="one_se"``. Scores of candidates that halving dropped are means over fewer folds, and
    are not compared with the others.

    Examples
    --------
    A search that may answer that instance weights bring nothing, and does: the best setting weighs
    all categories the same.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from icost import iCost, iCostCV
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("new-thyroid1", return_X_y=True)
    >>> pipeline = make_pipeline(MinMaxScaler(), iCost())
    >>> search = iCostCV(pipeline, grid="scale", cv=3).fit(X, y)
    >>> search.best_params_
    {'icost__cfp': 1.25, 'icost__cfs': 1.25, 'icost__cfb': 1.25, 'icost__cfo': 1.25}
    >>> search.predict(X.iloc[:2]).tolist()
    ['negative', 'positive']
    """

    # The groups are for the splitter, which asks for them itself.
    __metadata_request__fit = {"groups": UNUSED}  # noqa: RUF012

    def __init__(
        self,
        estimator: Any = None,
        *,
        grid: Any = "paper",
        search: str = "grid",
        n_candidates: int = 40,
        scoring: Any = "matthews_corrcoef",
        cv: Any = 5,
        select: str = "best",
        refit: bool = True,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.search = search
        self.n_candidates = n_candidates
        self.scoring = scoring
        self.cv = cv
        self.select = select
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> iCostCV:
        """Try the candidates, select, and refit.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Training data.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of your own, for iCost's ``fit``; scores do not use them.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are never both trained on and tested, unless ``cv`` is a splitter that
            ignores groups.
        **fit_params
            Other parameters of iCost's ``fit``; those with one entry per row are split.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._check_parameters()
        X = as_table(X)
        validate_data(self, X, skip_check_array=True)
        random_state = check_random_state(self.random_state)
        task = self._task(X, y, sample_weight, fit_params)
        repeat = random_state if self.search == "halving" else None
        folds = split_rows(self.cv, X, task.y, groups, repeat)
        self.n_splits_ = len(folds)
        table = run_search(self.search, task, folds, self.grid, self.n_candidates, random_state)
        self._set_search_results(table)
        if self.refit:
            self._refit(task)
        return self

    def _check_parameters(self) -> None:
        check_choice("search", self.search, SEARCHES)
        check_choice("select", self.select, SELECTIONS)
        check_grid(self.grid, SEARCHES[self.search])
        check_number("n_candidates", self.n_candidates, low=1, integer=True)
        if not (self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)):
            raise ValueError(f"scoring must be one name or scorer, got {self.scoring!r}.")

    def _estimator(self) -> Any:
        return iCost() if self.estimator is None else self.estimator

    def _task(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None, fit_params: dict[str, Any]
    ) -> SearchTask:
        self.classes_, codes = encode_labels(y)
        check_consistent_length(X, codes)
        weight = check_sample_weight(sample_weight, len(codes))
        minority = positive_label(self._estimator(), self.classes_, codes, weight)
        self.scorer_ = resolve_scorer(self.scoring, self._estimator(), minority)
        metric = CONFUSION_SCORES.get(self.scoring) if isinstance(self.scoring, str) else None
        return SearchTask(
            self._estimator(),
            X,
            column_or_1d(y),
            minority,
            metric,
            None if metric else self.scorer_,
            weight,
            self._route(fit_params),
            self.n_jobs,
            self.verbose,
        )

    def _route(self, fit_params: dict[str, Any]) -> Mapping[str, Any]:
        if not get_config()["enable_metadata_routing"] or not fit_params:
            return fit_params
        return process_routing(self, "fit", **fit_params).estimator.fit

    def _set_search_results(self, table: SearchTable) -> None:
        self.cv_results_ = cross_validation_results(table)
        self.best_index_ = select_candidate(table, self.select)
        self.best_params_ = table.candidates[self.best_index_]
        self.best_score_ = float(self.cv_results_["mean_test_score"][self.best_index_])

    def _refit(self, task: SearchTask) -> None:
        start = time.perf_counter()
        model = configure(task.estimator, self.best_params_)
        params = whole_fit_params(task.estimator, task.fit_params, task.sample_weight)
        model.fit(task.X, task.y, **params)
        self.best_estimator_ = model
        self.refit_time_ = time.perf_counter() - start

    def nested_score(
        self,
        X: Any,
        y: ArrayLike,
        cv: Any = 5,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **fit_params: Any,
    ) -> Floats:
        """Return scores of the whole search on folds that it has not seen.

        ``best_score_`` is the highest of many, and so promises too much. Here, each fold is
        predicted by a search that was fitted on the other folds only. It estimates what the search,
        with all its choosing, is worth on new rows; the candidates that the folds select may well
        differ. The search itself is left as it is, fitted or not.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Data.
        y : array-like of shape (n_samples,)
            Labels.
        cv : int, splitter or iterable, default=5
            The outer folds; a number of them keeps groups together.
        sample_weight, groups, **fit_params
            As for ``fit``.

        Returns
        -------
        ndarray of shape (n_folds,)
            Score of each outer fold, by ``scoring``.

        Examples
        --------
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import MinMaxScaler
        >>> from icost import iCost, iCostCV
        >>> from icost.datasets import load_dataset
        >>> X, y = load_dataset("glass2", return_X_y=True)
        >>> grid = {"icost__cfb": [1.0, 1.5, 2.0], "icost__cfo": [0.2, 1.0]}
        >>> search = iCostCV(make_pipeline(MinMaxScaler(), iCost()), grid=grid, cv=3).fit(X, y)
        >>> promised, kept = search.best_score_, search.nested_score(X, y, cv=3)
        >>> bool(kept.mean() < promised)
        True
        """
        self._check_parameters()
        # The minority of all data, since that of a test fold may be another class.
        classes, codes = encode_labels(y)
        weight = check_sample_weight(sample_weight, len(codes))
        minority = positive_label(self._estimator(), classes, codes, weight)
        scorer = resolve_scorer(self.scoring, self._estimator(), minority)
        X, labels = as_table(X), column_or_1d(y)
        per_row = {"sample_weight": sample_weight, "groups": groups}
        per_row = {name: np.asarray(value) for name, value in per_row.items() if value is not None}
        given = {**per_row, **fit_params}
        scores = []
        for train, test in split_rows(cv, X, labels, groups):
            search = clone(self).set_params(refit=True)
            params = {name: rows_of(value, train, len(labels)) for name, value in given.items()}
            search.fit(take_rows(X, train), labels[train], **params)
            scores.append(scorer(search, take_rows(X, test), labels[test]))
        return np.array(scores, dtype=np.float64)

    def _predictor(self) -> Any:
        return getattr(self, "best_estimator_", None) or self._estimator()

    def _has_method(self, name: str) -> bool:
        if not self.refit:
            raise AttributeError(
                f"{name} needs a refitted estimator, got refit=False: fit one with best_params_."
            )
        return hasattr(self._predictor(), name)

    def _call_model(self, name: str, X: Any) -> NDArray[Any]:
        return getattr(self._refitted(X), name)(X)

    @available_if(lambda model: model._has_method("predict"))
    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the score of the refitted estimator, by ``scoring``.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, for scorers of scikit-learn; those of `icost.metrics.make_scorers` take none.

        Returns
        -------
        float
            The score.
        """
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        if weight and type(self.scorer_).__module__.startswith("icost."):
            raise ValueError(f"sample_weight must be None for scoring={self.scoring!r}.")
        return float(self.scorer_(self._refitted(X), X, y, **weight))

    def _refitted(self, X: Any) -> Any:
        check_is_fitted(self)
        validate_data(self, as_table(X), reset=False, skip_check_array=True)
        return self.best_estimator_

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how metadata is routed: ``fit`` hands it to the estimator and to the splitter.

        Returns
        -------
        MetadataRouter
            The routing.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        router.add(estimator=self._estimator(), method_mapping=mapping)
        splitting = MethodMapping().add(caller="fit", callee="split")
        splitter = StratifiedGroupKFold() if is_number(self.cv) else check_cv(self.cv)
        return router.add(splitter=splitter, method_mapping=splitting)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self._estimator()).input_tags
        return tags
