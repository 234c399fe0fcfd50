"""iCostAuto: chooses a classifier and a strategy by a comparison, and keeps one fitted model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted, has_fit_parameter

from icost._core.arrays import Ints
from icost._core.callbacks import FRAMES, CallbackSupportMixin, FitProgress, with_callbacks
from icost._core.delegation import DelegatingClassifier
from icost._core.doubts import FEW_ROWS, DoubtfulTable, warn_of_leak
from icost._core.labels import GroupsHoldClass, class_totals, encode_labels, resolve_minority
from icost._core.validation import as_array, as_table, check_features, take_rows
from icost._core.views import SummaryMixin
from icost._table._columns import is_frame, plain_table, read_table
from icost._table._encoder import TableEncoder
from icost.comparison._compare import check_weight, compare
from icost.comparison._running import Progress
from icost.strategies import Strategy, get_strategy
from icost.strategies._estimators import RowCosts, cost_columns, get_classifier, number_costs


class iCostAuto(CallbackSupportMixin, SummaryMixin, DelegatingClassifier):
    """Choose a classifier and a strategy for a table, and keep one fitted model.

    `icost.iCostEnsemble` averages many fits and chooses nothing; this estimator *chooses*. It runs
    `icost.compare` on the training rows, which tries logistic regression, a random forest and
    gradient boosting and then strategies for imbalanced data with the best of them, and fits what
    is recommended to all rows. ``icost fit table.csv -o model.skops`` keeps the same model.

    Parameters
    ----------
    classifier : str or sequence of str, default=None
        Classifiers to choose from, by name; as for `icost.compare`.
    strategies : sequence of str or Strategy, default=None
        Strategies to choose from; as for `icost.compare`.
    cost_fn : float or str, default=None
        Cost of a missed minority row, or a column with that of each row. If given, the mean cost
        decides.
    cost_fp : float or str, default=1.0
        Cost of a false alarm.
    minority_label : label, default=None
        The minority class of a binary target; by default the smaller one.
    n_splits, n_repeats : int, default=5 and 3
        Folds of the comparison and their repeats.
    scaler : {"standard", "minmax", "none"}, default="standard"
        How numeric columns are scaled.
    max_rows : int or None, default=5000
        Rows that are compared on, drawn from each class by its share; None for all. The model
        learns from all rows in any case.
    time_limit : float, default=None
        Seconds for the comparison; the fit of the model comes on top.
    n_jobs : int or "auto", default=None
        Folds that run at the same time; as for `icost.compare`.
    random_state : int, RandomState or None, default=0
        Seed of folds, strategies and classifiers.
    watch : callable, default=None
        Called after each fit with how far the comparison is; as for `icost.compare`. Callbacks of
        scikit-learn 1.9, such as ``ProgressBar``, are supported as well.

    Attributes
    ----------
    model_ : classifier
        A pipeline of preprocessing and classifier, fitted to all rows, that predicts positions in
        ``classes_``; where columns have costs of rows, around it what hands them over.
    comparison_ : Comparison
        What the model was chosen by, with a verdict in words.
    best_strategy_ : str
        The strategy that was chosen.
    best_classifier_ : str
        Its classifier; empty for a strategy that brings its own.
    best_score_ : float or None
        The score to expect on new rows: that of the comparison, corrected for the choice. None
        where the groups leave nothing to correct it by.
    notes_ : list of str
        What to know about the fit.
    classes_ : ndarray of shape (n_classes,)
        The labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features, where they have any.

    See Also
    --------
    icost.compare : The comparison alone.
    icost.iCostEnsemble : Averages many fits instead of choosing one.
    icost.modelfile.choose_model : The same model with a record, to save in a file.

    Notes
    -----
    Where nothing is better than guessing, the estimator fits what comes nearest, and warns.

    ``sample_weight`` goes to every fit, and strategies that take none are left out; scores count
    each row once. ``groups`` are kept on one side of each split.

    Examples
    --------
    >>> from icost import iCostAuto
    >>> from icost.datasets import load_dataset
    >>> X, y = load_dataset("glass2", return_X_y=True)
    >>> model = iCostAuto(["lr", "dt"], ["ncs", "cs"], n_repeats=1).fit(X, y)
    >>> model.best_classifier_, model.best_strategy_
    ('lr', 'cs')
    >>> model.best_score_ <= model.comparison_.selection["raw"]
    True
    """

    estimator = None  # what comes before the fit has no methods to delegate to

    def __init__(
        self,
        classifier: str | Sequence[str] | None = None,
        strategies: Sequence[str | Strategy] | None = None,
        *,
        cost_fn: float | str | None = None,
        cost_fp: float | str = 1.0,
        minority_label: Any = None,
        n_splits: int = 5,
        n_repeats: int = 3,
        scaler: str = "standard",
        max_rows: int | None = 5000,
        time_limit: float | None = None,
        n_jobs: int | str | None = None,
        random_state: int | np.random.RandomState | None = 0,
        watch: Callable[[Progress], Any] | None = None,
    ) -> None:
        self.classifier = classifier
        self.strategies = strategies
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.minority_label = minority_label
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.scaler = scaler
        self.max_rows = max_rows
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.watch = watch

    @with_callbacks
    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        time: ArrayLike | None = None,
    ) -> iCostAuto:
        """Compare, and fit what is recommended to all rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Features of any kind: text and gaps are dealt with.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows in all fits. Rows of weight 0 are absent.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group are never both trained on and tested.
        time : array-like of shape (n_samples,), default=None
            In the comparison, training rows come before test rows.

        Returns
        -------
        self
            The fitted estimator.
        """
        self.__dict__.pop("model_", None)  # a fit that fails leaves no model of other rows
        table = self._rows_of_model(X, reset=True)
        self.classes_, codes = encode_labels(y)
        check_consistent_length(table, codes)
        weight = check_weight(sample_weight, len(table))
        self._check_costs()
        if weight is not None and not weight.all():
            # Rows of weight 0 are absent, and so is a class that has no others.
            rows = np.flatnonzero(weight)
            table, groups, time, weight = (
                None if column is None else take_rows(column, rows)
                for column in (table, groups, time, weight)
            )
            self.classes_, codes = encode_labels(self.classes_[codes[rows]])
        seed, fit_progress = _seed(self.random_state), FitProgress(self, X, y)

        def watch(state: Progress) -> None:
            fit_progress.reach(state.done, state.total)
            if self.watch is not None:
                self.watch(state)

        self.comparison_ = compare(
            table,
            self.classes_[codes],
            classifier=self.classifier,
            strategies=self.strategies,
            groups=groups,
            time=time,
            cost_fn=self.cost_fn,
            cost_fp=self.cost_fp,
            minority_label=self.minority_label,
            n_splits=self.n_splits,
            n_repeats=self.n_repeats,
            scaler=self.scaler,
            random_state=seed,
            n_jobs=self.n_jobs,
            max_rows=self.max_rows,
            time_limit=self.time_limit,
            sample_weight=weight,
            watch=watch,
        )
        if self.comparison_.recommendation is None:
            warnings.warn(
                f"{self.comparison_.verdict[0]} What scored best is kept all the same.",
                UserWarning,
                stacklevel=2 + FRAMES,
            )
        self._fit_recommended(table, codes, weight, groups, seed)
        if class_totals(codes).min() >= FEW_ROWS:
            warn_of_leak(self.comparison_._area, stacklevel=2 + FRAMES)
        fit_progress.finish()
        return self

    def _check_costs(self) -> None:
        """Refuse an array, since rows that come later would have no costs."""
        for name in ("cost_fn", "cost_fp"):
            cost = getattr(self, name)
            if np.ndim(cost):
                raise ValueError(
                    f"{name} must be a number or the name of a column of X with the cost of each "
                    "row, got an array."
                )

    def _fit_recommended(
        self, table: Any, codes: Ints, weight: Any, groups: Any, seed: int
    ) -> None:
        """Fit what was recommended to all rows."""
        candidate, strategy = self.comparison_.candidate, self._best_strategy()
        pipeline = self._pipeline(strategy, candidate["classifier"], table, codes, seed)
        fit_params: dict[str, Any] = {}
        if weight is not None:
            fit_params["classify__sample_weight"] = weight
        self.notes_: list[str] = []
        is_grouped = groups is not None and strategy.supports_groups
        with_groups = {"classify__groups": np.asarray(groups)} if is_grouped else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DoubtfulTable)  # the comparison has said so
            try:
                pipeline.fit(table, codes, **fit_params, **with_groups)
            except GroupsHoldClass as error:
                # As in the comparison: rather a model without groups than none, and it is said.
                pipeline.fit(table, codes, **fit_params)
                self.notes_.append(f"Fitted without groups: {error}")
        self.best_strategy_ = strategy.name
        self.best_classifier_ = candidate["classifier"]
        self.best_score_ = self.comparison_.selection["corrected"]
        self.model_ = pipeline

    def _best_strategy(self) -> Strategy:
        """Return what was recommended: a strategy that was handed over, or one of the library."""
        name = self.comparison_.candidate["strategy"]
        given = {s.name: s for s in self.strategies or () if isinstance(s, Strategy)}
        return given[name] if name in given else get_strategy(name)

    def _pipeline(
        self, strategy: Strategy, classifier: str, table: Any, codes: Ints, seed: int
    ) -> Any:
        """Return what was recommended, unfitted, with its preprocessing."""
        minority = None
        if len(self.classes_) == 2:
            minority = resolve_minority(self.classes_, codes, self.minority_label)
        first = self.comparison_.classifier.split(", ")[0]
        costs = None if self.cost_fn is None else (self.cost_fn, self.cost_fp)
        model = strategy.build(
            get_classifier(classifier or first).make(seed),
            minority_label=minority,
            costs=number_costs(costs),
            random_state=seed,
        )
        encoder = TableEncoder(scaler=self.scaler, types=read_table(table).types)
        encoder.set_output(transform="default")
        pipeline = Pipeline([("prepare", encoder), ("classify", model)])
        is_by_row = strategy.supports_costs and has_fit_parameter(model, "cost_fn")
        columns = cost_columns(table, costs if is_by_row else None)
        return RowCosts(pipeline, **columns) if columns else pipeline

    def _call_model(self, name: str, X: Any) -> NDArray[Any]:
        answer = super()._call_model(name, X)
        return self.classes_[answer] if name == "predict" else answer

    def _decider(self) -> Any:
        """Return the last step of the fitted pipeline."""
        return (self.model_.model_ if isinstance(self.model_, RowCosts) else self.model_)[-1]

    def summary(self) -> str:
        """Return what was chosen, why, and what to expect, as text.

        Returns
        -------
        str
            The recommendation and the score to expect; then the summary of the model that is kept,
            where it has one.
        """
        check_is_fitted(self, "model_")
        names = [name for name in (self.best_classifier_, self.best_strategy_) if name]
        lines = [f"iCostAuto kept: {', '.join(names)}", *self.comparison_.advice, *self.notes_]
        last = copy(self._decider())
        if hasattr(last, "classes_"):  # which the pipeline knows by their positions
            last.classes_ = self.classes_[last.classes_]
        return "\n".join([*lines, last.summary()] if hasattr(last, "summary") else lines)

    def _rows_of_model(self, X: Any, reset: bool = False) -> Any:
        """Return a table as floats, times and text, which the model reads by its types."""
        X = as_table(X) if is_frame(X) else as_array(X)
        check_features(self, X, reset=reset)
        return plain_table(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


def _seed(random_state: int | np.random.RandomState | None) -> int:
    """Return the seed itself, or one that is drawn; folds count on from it."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 10_000))
