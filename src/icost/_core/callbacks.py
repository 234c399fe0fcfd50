"""Callbacks of scikit-learn 1.9 and later, such as `sklearn.callback.ProgressBar`."""

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    FRAMES = 1  # that the decorator puts between a fit and its caller, for warnings
except ImportError:  # before 1.9 there are none
    FRAMES = 0

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Base of estimators that support callbacks where scikit-learn has them."""

    def with_callbacks(method: Any) -> Any:
        """Return a method as it is."""
        return method


STEPS = 100
"""Steps of a fit: shares of its work, since how many fits there are is known at the end only."""


class FitProgress:
    """How far a fit is, for the callbacks of an estimator."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.estimator, self.data = estimator, {"estimator": estimator, "X": X, "y": y}
        self.task: Any = None
        self.n_done = 0
        if hasattr(estimator, "set_callbacks"):
            self.task = estimator._init_callback_context(max_subtasks=STEPS)
            self.task.call_on_fit_task_begin(**self.data)

    def reach(self, done: int, total: int) -> None:
        """Tell that so much of all work is done; the end is told by `finish`."""
        while self.task is not None and self.n_done < min(STEPS * done // total, STEPS - 1):
            self._step()

    def finish(self) -> None:
        """Tell that the fit is done."""
        if self.task is not None:
            self._step()
            self.task.call_on_fit_task_end(**self.data)

    def _step(self) -> None:
        step = self.task.subcontext(task_name="share of the work")
        step.call_on_fit_task_begin(estimator=self.estimator)
        step.call_on_fit_task_end(estimator=self.estimator)
        self.n_done += 1
